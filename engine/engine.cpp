#include "engine/engine.h"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <istream>
#include <limits>
#include <mutex>
#include <optional>
#include <ostream>
#include <sstream>
#include <thread>

#include "base/nearest.h"
#include "base/shipped.h"
#include "embed/think.h"
#include "engine/options.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "light/evaluator.h"
#include "light/network_file.h"
#include "solver/book.h"
#include "solver/solver.h"

namespace quarto::engine {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kLongestLine = 1 << 16;
constexpr int kFallbackSimulations = 1000;      // where an exact value was asked for and not found
constexpr int kLongestTime = 24 * 3600 * 1000;  // milliseconds

Words split(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string joined(const Words& words, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) text += (i > from ? " " : "") + words[i];
  return text;
}

// What was written, fit for repeating: short, and nothing that would confuse a terminal or a line-based reader.
std::string quoted(const std::string& word) {
  std::string text;
  for (const char c : word.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
  return "'" + text + (word.size() > 40 ? "..." : "") + "'";
}

// To three digits, and without a negative zero.
double shown(float value) { return std::round(1000 * static_cast<double>(value)) / 1000 + 0.0; }

struct Go {
  embed::ThinkLimits limits;
  bool exact = false, endless = false;
};

class Engine {
 public:
  Engine(std::istream& in, std::ostream& out, const Settings& settings) : in_(in), out_(out), settings_(settings) {
    options_.network = settings.network;
    use_network(options_.network);
    position_ = Position(options_.rules);
    // Standard input is tied to standard output: reading would flush what another thread is writing.
    in_.tie(nullptr);
  }
  ~Engine() { finish(true); }

  void run() {
    std::string line;
    while (std::getline(in_, line)) {
      if (line.size() > kLongestLine) {
        say("error the line is longer than 65536 characters");
        continue;
      }
      const Words words = split(line);
      if (words.empty()) continue;
      if (words[0] == "quit") return finish(true);
      try {
        obey(words);
      } catch (const std::exception& e) {
        say("error {}", e.what());
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
      const std::string close = nearest(command, commands);
      throw CommandError(fmt::format("unknown command {}{}", quoted(command),
                                     close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close)));
    }
  }

  // A search that has an end is waited for, so that scripts can be piped in.
  void require_idle(const std::string& command) {
    if (thinking_ && endless_) throw CommandError(fmt::format("'{}' has to wait: stop the search first", command));
    finish(false);
  }

  // --- options and position

  void set_option(const Words& words) {
    if (words.size() < 3 || words[1] != "name") throw CommandError("expected: setoption name NAME value VALUE");
    std::size_t value = 3;
    while (value < words.size() && words[value] != "value") ++value;
    Options changed = options_;
    changed.set(joined(words, 2, value), value < words.size() ? joined(words, value + 1, words.size()) : "");
    if (changed.network != options_.network) {
      use_network(changed.network);  // throws and leaves everything as it is
      options_.network = changed.network;
    } else if (changed.rules != options_.rules) {
      if (options_.network != "none") {
        throw CommandError(fmt::format("Rules: the network was trained for '{}'; set Network to none first",
                                       to_string(options_.rules)));
      }
      options_.rules = changed.rules;
    } else {
      options_ = changed;
      solver_.reset();
    }
    if (position_.rules() != options_.rules) position_ = Position(options_.rules);
  }

  void use_network(const std::string& path) {
    if (path == "none") {
      network_ = {"none", options_.rules, std::make_shared<UniformEvaluator>()};
      return;
    }
    network_ = settings_.load(path);
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
    for (++next; next < words.size(); ++next) {
      if (p.is_terminal()) throw CommandError(fmt::format("move {}: the game is over", quoted(words[next])));
      const Move move = parse_move(words[next], p.phase());
      if (!p.is_legal(move)) {
        throw CommandError(fmt::format("move {} is not legal in {}", quoted(words[next]), to_string(p)));
      }
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
    bool limited = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto number = [&](int least, int most) {
        if (i + 1 == words.size()) throw CommandError(fmt::format("go {}: a number is missing", words[i]));
        ++i;
        return parse_number("go " + words[i - 1], words[i], least, most);
      };
      if (words[i] == "sims") {
        go.limits.simulations = number(0, embed::kMostSimulations);
        limited = true;
      } else if (words[i] == "movetime") {
        go.limits.time = std::chrono::milliseconds(number(1, kLongestTime));
        limited = true;
      } else if (words[i] == "infinite") {
        go.endless = true;
      } else if (words[i] == "exact") {
        go.exact = true;
      } else {
        throw CommandError(
            fmt::format("go: expected sims N, movetime MS, infinite or exact, not {}", quoted(words[i])));
      }
    }
    if (go.endless && limited) throw CommandError("go: infinite goes with no other limit");
    if (go.endless) {
      go.limits.simulations = embed::kMostSimulations;
    } else if (!limited && !go.exact) {
      go.limits.simulations = options_.simulations;
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
    thinking_ = true;
    thread_ = std::thread([this, go]() mutable {
      std::string best;
      try {
        const bool solve = go.exact || std::popcount(position_.empty()) <= options_.exact_squares;
        best = to_string(solve ? solved_move(go) : searched_move(go));
      } catch (const std::exception& e) {
        say("error {}", e.what());
        best = "none";
      }
      // An endless search answers when it is told to, also when there is nothing left to find.
      while (go.endless && !stop_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      thinking_ = false;
      say("bestmove {}", best);
    });
  }

  // Waits for the thread, after telling it to stop if so wished.
  void finish(bool stop) {
    if (stop) stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void report(const embed::Thought& t) {
    std::string pv;
    for (const Move m : t.line) pv += " " + to_string(m);
    const auto thousandths = [](float p) { return std::lround(1000 * p); };
    const double milliseconds = 1000 * t.seconds;
    say("info sims {} time {:.0f} sps {:.0f} value {:.3f} wdl {} {} {}{} pv{}", t.simulations, milliseconds,
        t.seconds > 0 ? t.simulations / t.seconds : 0.0, shown(t.value), thousandths(t.network.win),
        thousandths(t.network.draw), thousandths(t.network.loss),
        t.proven ? fmt::format(" proven {}", to_string(*t.proven)) : "", pv);
  }

  Move searched_move(Go& go) {
    go.limits.stop = &stop_;
    go.limits.on_progress = [this](const embed::Thought& t) { report(t); };
    const embed::Thought t = embed::think(*network_.evaluator, position_, go.limits);
    for (const RootMove& m : t.moves) {
      say("info move {} prior {:.4f} visits {} value {:.3f}{}", to_string(m.move), m.prior, m.visits, shown(m.value),
          m.proven ? fmt::format(" proven {}", to_string(*m.proven)) : "");
    }
    report(t);
    return t.best;
  }

  // In the canonical image, so that images of a position get images of the move.
  Move solved_move(const Go& go) {
    if (!solver_) {
      solver_.emplace(SolverOptions{.table_bytes = static_cast<std::size_t>(options_.table_mib) << 20,
                                    .book = Book::shipped(options_.rules)});
    }
    const CanonicalForm form = canonical_form(position_);
    const MoveSolution s = solver_->solve_moves(form.position, {.time = go.limits.time, .stop = &stop_});
    const auto own = [&](int m) {
      return apply(inverse(form.symmetry, options_.rules), {position_.phase(), static_cast<std::uint8_t>(m)},
                   options_.rules);
    };
    std::string moves;
    int unsolved = -1;
    for (const int m : BitsOf(form.position.legal_moves())) {
      const auto& value = s.values[static_cast<std::size_t>(m)];
      if (!value && unsolved < 0) unsolved = m;
      moves += fmt::format(" {}:{}", to_string(own(m)), value ? to_string(*value) : "unknown");
    }
    say("info exact {} time {:.0f} nodes {} moves{}", s.value ? to_string(*s.value) : "unknown", 1000 * s.stats.seconds,
        s.stats.nodes, moves);
    if (const auto keeping = first_keeping_move(form.position, s)) return own(keeping->index);
    say("info string not solved within the limits: the search chooses");
    const int simulations = std::min(options_.simulations, kFallbackSimulations);
    const Move chosen = embed::think(*network_.evaluator, position_, {.simulations = simulations, .stop = &stop_}).best;
    const auto known = s.values[apply(form.symmetry, chosen, options_.rules).index];
    return known == Value::loss && unsolved >= 0 ? own(unsolved) : chosen;
  }

  std::istream& in_;
  std::ostream& out_;
  const Settings& settings_;
  Options options_;
  Network network_;
  Position position_;
  std::optional<Solver> solver_;

  std::mutex output_;
  std::thread thread_;  // reads all of the above while `thinking_`, when nothing else changes it
  std::atomic<bool> stop_ = false, thinking_ = false;
  bool endless_ = false;
};

}  // namespace

Network load_light_network(const std::string& path) {
  light::LightNetwork network = light::load_network_file(path);
  return {path, network.info.rules, std::make_shared<PairsEvaluator>(std::move(network.kernel))};
}

std::string shipped_network() {
  const auto path = find_shipped("checkpoints/zero/model.light");
  return path ? path->string() : "none";
}

void run(std::istream& in, std::ostream& out, const Settings& settings) { Engine(in, out, settings).run(); }

}  // namespace quarto::engine
