#include "engine/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <istream>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <sstream>
#include <system_error>
#include <thread>

#include "base/nearest.h"
#include "base/printable.h"
#include "base/shipped.h"
#include "base/text.h"
#include "base/utf8.h"
#include "engine/options.h"
#include "env/notation.h"
#include "play/choose.h"
#include "play/shipped_networks.h"
#include "solver/book.h"

namespace quarto::engine {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kLongestLine = 1 << 16;
constexpr int kLongestTime = 24 * 3600 * 1000;  // milliseconds

Words split(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string harmless(const std::string& text) { return printable(text, 400); }
std::string quoted(const std::string& word) { return "'" + word.substr(0, 40) + (word.size() > 40 ? "..." : "") + "'"; }

// To three digits, and without a negative zero.
double shown(float value) { return std::round(1000 * static_cast<double>(value)) / 1000 + 0.0; }

// `name` may be that of a network's file or its folder, and is looked for where the networks of the program are.
bool is_same_network(const std::string& name, const std::string& other) {
  std::error_code none;
  const std::filesystem::path path = or_shipped(path_of(name)), file = path_of(other);
  return std::filesystem::equivalent(path, file, none) ||
         std::filesystem::equivalent(path / file.filename(), file, none);
}

struct Go {
  ChoiceLimits limits;
  bool endless = false, exact = false, placements = false;  // what the command asks for in words
  // The end cannot be foreseen.
  bool unbounded() const { return endless || (exact && limits.time.count() == 0 && !limits.clock); }
};

class Engine {
 public:
  Engine(std::istream& in, std::ostream& out, const Settings& settings) : lines_(in), out_(out), settings_(settings) {
    options_.network = settings.network;
    use_network(options_.network);
    position_ = Position(options_.rules);
    // Standard input is tied to standard output: reading would flush what another thread is writing.
    in.tie(nullptr);
  }
  ~Engine() { finish(true); }

  void run() {
    if (options_.network == "none") say("info string no network: searching without one");
    std::string line;
    while (lines_.next(line, kLongestLine)) {
      if (line.size() > kLongestLine) {
        say("error the line is longer than {} characters", kLongestLine);
        continue;
      }
      const Words words = split(line);
      if (words.empty()) continue;
      if (words[0] == "quit") return finish(true);
      try {
        obey(words);
      } catch (const std::exception& e) {
        say("error {}", harmless(e.what()));
      }
    }
    finish(endless_);
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    const std::string line = fmt::format(format, std::forward<Args>(args)...);
    const std::lock_guard lock(output_);
    out_ << line << '\n' << std::flush;
  }

  void obey(const Words& words) {
    const std::string& command = words[0];
    if (command == "uqi") {
      say("id name {}", settings_.name);
      say("id protocol {}", kProtocol);
      for (const std::string& option : options_.described()) say("{}", option);
      say("uqiok");
    } else if (command == "isready") {
      // Before a clock runs; a search that is going on has its solver. What goes wrong is told, and whoever waits for
      // the answer gets it all the same.
      try {
        if (!thinking_) solver().prepare();
      } catch (const std::exception& e) {
        say("error {}", harmless(e.what()));
      }
      say("readyok");
    } else if (command == "stop") {
      // A thought that has ended by itself has answered already.
      finish(true);
    } else if (command == "setoption") {
      require_idle(command);
      set_option(words);
    } else if (command == "newgame") {
      require_idle(command);
      position_ = Position(options_.rules);
      solver_.reset();
    } else if (command == "position") {
      require_idle(command);
      position_ = parse_position_command(words);
    } else if (command == "show") {
      show();
    } else if (command == "go") {
      require_idle(command);
      go(parse_go(words));
    } else {
      const Words commands = {"uqi", "isready", "setoption", "newgame", "position", "show", "go", "stop", "quit"};
      throw CommandError(
          fmt::format("unknown command {}{}", quoted(command), did_you_mean(nearest(command, commands))));
    }
  }

  // A search that has an end is waited for, so that scripts can be piped in; meanwhile nothing is read.
  void require_idle(const std::string& command) {
    if (thinking_ && unbounded_) throw CommandError(fmt::format("'{}' has to wait: stop the search first", command));
    finish(false);
  }

  // --- options and position

  void set_option(const Words& words) {
    if (words.size() < 3 || words[1] != "name") throw CommandError("expected: setoption name NAME value VALUE");
    const auto value = std::find(words.begin() + 3, words.end(), "value");
    const auto joined = [](auto from, auto to) { return fmt::format("{}", fmt::join(from, to, " ")); };
    Options changed = options_;
    const std::string_view name =
        changed.set(joined(words.begin() + 2, value), value == words.end() ? "" : joined(value + 1, words.end()));
    if (name == Options::kNetwork) {
      // Also where it is the same name: another file may have it now.
      use_network(changed.network);  // throws and leaves everything as it is
      options_.network = changed.network;
    } else if (changed.rules != options_.rules) {
      // The network that came with the program for the old rules gives way to that for the new ones.
      if (options_.network != "none") {
        if (!is_same_network(options_.network, default_network(options_.rules))) {
          throw CommandError(
              fmt::format("Rules: the network was trained for '{}'; set Network to one for '{}' or to none",
                          to_string(options_.rules), to_string(changed.rules)));
        }
        changed.network = default_network(changed.rules);
        if (changed.network == "none") say("info string no network for these rules: searching without one");
      }
      if (changed.network == "none") options_.rules = changed.rules;
      use_network(changed.network);  // which has these rules; throws and leaves everything as it is
      options_.network = changed.network;
    } else {
      if (changed.table_mib != options_.table_mib) {
        solver_.reset();  // the memory of the old table is there for the new one
        auto solver = solver_with(changed);
        solver->prepare();  // throws where there is no room, and the old size stands
        solver_ = std::move(solver);
      }
      options_ = changed;
    }
    if (position_.rules() != options_.rules) {
      position_ = Position(options_.rules);
    }
  }

  void use_network(const std::string& path) {
    if (path == "none") {
      network_ = {std::make_shared<UniformEvaluator>(), options_.rules, {}};
      return;
    }
    network_ = settings_.load(path_of(path));
    options_.rules = network_.rules;
  }

  Position parse_position_command(const Words& words) const {
    if (words.size() < 2) throw CommandError("expected: position start|board BOARD HAND [moves MOVE ...]");
    Position p(options_.rules);
    std::size_t next = 2;
    if (words[1] == "board") {
      if (words.size() < 4) throw CommandError("expected the board and the piece in hand, e.g. ..../2F.A/E9../.8B3 -");
      p = parse_position(words[2] + " " + words[3], options_.rules);
      next = 4;
    } else if (words[1] != "start") {
      throw CommandError(fmt::format("position: expected start or board, not {}", quoted(words[1])));
    }
    if (next == words.size()) return p;
    if (words[next] != "moves")
      throw CommandError(fmt::format("position: expected moves, not {}", quoted(words[next])));
    const std::size_t first = ++next;
    for (; next < words.size(); ++next) {
      const auto fail = [&](const std::string& why) {
        return CommandError(fmt::format("move {}, {}: {}", next - first + 1, quoted(words[next]), why));
      };
      if (p.is_terminal()) throw fail("the game is over");
      Move move;
      try {
        move = parse_move(words[next], p.phase());
      } catch (const NotationError& e) {
        throw fail(e.what());
      }
      if (!p.is_legal(move)) throw fail("not legal in " + to_string(p));
      p.play(move);
    }
    return p;
  }

  void show() {
    std::string moves;
    for (const int m : BitsOf(position_.legal_moves()))
      moves += " " + to_string(Move{position_.phase(), static_cast<std::uint8_t>(m)});
    const char* state = position_.is_won() ? "won" : position_.is_terminal() ? "drawn" : "open";
    say("info position {} rules {} state {} moves{}", to_string(position_), to_string(position_.rules()), state, moves);
  }

  // --- thinking

  Go parse_go(const Words& words) const {
    Go go;
    bool limited = false, simulations = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto number = [&](int least, int most) {
        if (i + 1 == words.size()) throw CommandError(fmt::format("go {}: a number is missing", words[i]));
        ++i;
        return parse_number("go " + words[i - 1], words[i], least, most);
      };
      if (words[i] == "simulations" || words[i] == "sims") {
        go.limits.simulations = number(0, kMostSimulations);
        simulations = limited = true;
      } else if (words[i] == "movetime") {
        go.limits.time = std::chrono::milliseconds(number(1, kLongestTime));
        limited = true;
      } else if (words[i] == "clock") {
        if (!go.limits.clock) go.limits.clock.emplace();
        go.limits.clock->left = std::chrono::milliseconds(number(1, kLongestTime));
        limited = true;
      } else if (words[i] == "inc") {
        if (!go.limits.clock) throw CommandError("go inc: expected after clock MS");
        go.limits.clock->increment = std::chrono::milliseconds(number(0, kLongestTime));
      } else if (words[i] == "infinite") {
        go.endless = true;
      } else if (words[i] == "exact") {
        go.exact = true;
      } else if (words[i] == "placements") {
        go.placements = true;
      } else {
        throw CommandError(fmt::format(
            "go: expected simulations N, movetime MS, clock MS [inc MS], infinite, exact or placements, not {}",
            quoted(words[i])));
      }
    }
    if (go.endless && limited) throw CommandError("go: infinite goes with no other limit");
    if (go.placements && (!go.exact || go.limits.clock))
      throw CommandError("go: placements goes with exact, and not with clock");
    go.limits.exact_squares = go.exact ? kSquares : options_.exact_squares;
    go.limits.sharp = options_.sharp;
    go.limits.search.proof_nodes = options_.proof_nodes;
    if (go.exact) go.limits.exact_time = go.limits.time;  // all of it
    // A time alone is the only limit of its search. Exact play that does not end in time falls back on the option's.
    if (!simulations) {
      const bool timed = go.limits.time.count() > 0 || go.limits.clock;
      go.limits.simulations = go.endless || (timed && !go.exact) ? kMostSimulations : options_.simulations;
    }
    return go;
  }

  void go(Go go) {
    if (position_.is_terminal()) {
      say("info string the game is over: {}", position_.is_won() ? "won by whoever placed last" : "a draw");
      say("bestmove none");
      return;
    }
    stop_ = false;
    endless_ = go.endless;
    unbounded_ = go.unbounded();
    thinking_ = true;
    const auto think = [this, go]() mutable {
      std::string best;
      try {
        best = to_string(chosen_move(go));
      } catch (const std::exception& e) {
        say("error {}", harmless(e.what()));
        best = "none";
      }
      // An endless search answers when it is told to, also when there is nothing left to find.
      while (go.endless && !stop_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      thinking_ = false;
      say("bestmove {}", best);
    };
    try {
      thread_ = std::thread(think);
    } catch (const std::system_error& e) {  // there is no room for one
      thinking_ = false;
      say("error {}", harmless(e.what()));
      say("bestmove none");
    }
  }

  // Waits for the thread, after telling it to stop if so wished.
  void finish(bool stop) {
    if (stop) stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void report(const Thought& t) {
    std::string pv;
    for (const Move m : t.line) pv += " " + to_string(m);
    const auto thousandths = [](float p) { return std::lround(1000 * p); };
    const double milliseconds = 1000 * t.seconds;
    say("info sims {} time {:.0f} sps {:.0f} value {:.3f} wdl {} {} {}{} pv{}", t.simulations, milliseconds,
        t.seconds > 0 ? t.simulations / t.seconds : 0.0, shown(t.value), thousandths(t.network.win),
        thousandths(t.network.draw), thousandths(t.network.loss),
        t.proven ? fmt::format(" proven {}", to_string(*t.proven)) : "", pv);
  }

  // A book that cannot be read costs exact values of early positions. The engine plays on without it, and says so.
  const Books& books() {
    if (books_) return *books_;
    Books& books = books_.emplace();
    for (const Rules rules : kAllRules) {
      try {
        books.add(Book::shipped(rules));
      } catch (const std::runtime_error& e) {
        say("info string no opening book for '{}': {}", to_string(rules), harmless(e.what()));
      }
    }
    return books;
  }
  std::unique_ptr<SharedSolver> solver_with(const Options& options) {
    return std::make_unique<SharedSolver>(
        SolverOptions{.table_bytes = static_cast<std::size_t>(options.table_mib) << 20, .books = books()});
  }
  SharedSolver& solver() {
    if (!solver_) solver_ = solver_with(options_);
    return *solver_;
  }

  // How far the end is by each move that wins or loses, as far as the limits let it be found.
  void report_placements(const MoveSolution& solution, const SolveLimits& limits) {
    const auto found =
        solver().ask(limits, [&](Solver& s, const SolveLimits& l) { return s.distances(position_, solution, l); });
    if (!found) return;
    std::string moves;
    for (const Move m : position_.moves()) {
      if (const auto& placements = found->placements[m.index])
        moves += fmt::format(" {}:{}", to_string(m), *placements);
    }
    say("info placements{} moves{}", found->best ? fmt::format(" best {}", *found->best) : "", moves);
  }

  Move chosen_move(Go& go) {
    const SolveLimits whole{.time = go.limits.time, .stop = &stop_};
    const auto start = std::chrono::steady_clock::now();
    go.limits.stop = &stop_;
    go.limits.on_progress = [this](const Thought& t) { report(t); };
    const Choice choice = choose(*network_.evaluator, &solver(), position_, go.limits);
    if (choice.exact) {
      std::string moves;
      for (const int m : BitsOf(position_.legal_moves())) {
        const auto& value = choice.exact->values[static_cast<std::size_t>(m)];
        moves += fmt::format(" {}:{}", to_string(Move{position_.phase(), static_cast<std::uint8_t>(m)}),
                             value ? to_string(*value) : "unknown");
      }
      say("info exact {} time {:.0f} nodes {} moves{}",
          choice.exact->value ? to_string(*choice.exact->value) : "unknown", 1000 * choice.exact->stats.seconds,
          choice.exact->stats.nodes, moves);
      if (go.placements) report_placements(*choice.exact, whole.left_since(start));
      if (choice.by != ChosenBy::exact) say("info string not solved within the limits: the search chooses");
    }
    if (choice.thought) {
      for (const RootMove& m : choice.thought->moves) {
        say("info move {} prior {:.4f} visits {} value {:.3f}{}", to_string(m.move), m.prior, m.visits, shown(m.value),
            m.proven()                     ? fmt::format(" proven {}", to_string(*m.proven()))
            : m.bounds.low == Value::draw  ? " atleast draw"
            : m.bounds.high == Value::draw ? " atmost draw"
                                           : "");
      }
      report(*choice.thought);
    }
    return choice.move;
  }

  TextLines lines_;
  std::ostream& out_;
  const Settings& settings_;
  Options options_;
  LoadedNetwork network_;
  Position position_;
  std::optional<Books> books_;  // read once
  std::unique_ptr<SharedSolver> solver_;

  std::mutex output_;
  std::thread thread_;  // reads all of the above while `thinking_`, when nothing else changes it
  std::atomic<bool> stop_ = false, thinking_ = false;
  bool endless_ = false, unbounded_ = false;
};

}  // namespace

std::string default_network(Rules rules) {
  const auto path = quarto::shipped_network(rules);
  return path ? path->string() : "none";
}

void run(std::istream& in, std::ostream& out, const Settings& settings) { Engine(in, out, settings).run(); }

}  // namespace quarto::engine
