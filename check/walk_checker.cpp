// Checks the claim "this Quarto player can never be beaten": it walks the player's games again and compares with the
// record of `quartozero exploit --record`, or walks a random sample of games that are too many to repeat. It shares no
// code with the project: rules, symmetries, solver and walk are its own, and the player is a program behind a pipe.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include "engine.h"
#include "quarto.h"
#include "record.h"
#include "solver.h"

namespace check {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string engine, go = "sims 0", rules, seat = "both", state;
  std::vector<std::string> engine_options, files;
  std::uint64_t sample = 0, seed = 1, threads = 1;

  std::vector<std::string> seats() const {
    return seat == "both" ? std::vector<std::string>{"gives", "places"} : std::vector<std::string>{seat};
  }
};

bool player_acts(const std::string& seat, int ply) { return first_player_acts(ply) == (seat == "gives"); }

/// One line on standard error, at most once a second.
class Progress {
 public:
  void show(const std::string& what, double share_done, double seconds) {
    if (seconds_since(last_) < 1) return;
    last_ = Clock::now();
    const std::string left = share_done > 0 ? std::to_string(static_cast<long>(seconds / share_done - seconds)) : "?";
    std::cerr << what << ", about " << left << " s left\n";
  }

 private:
  Clock::time_point last_ = Clock::now();
};

/// A thread's own engine and solver.
struct Worker {
  Worker(const Options& options, const Rules& rules)
      : engine(options.engine, options.engine_options, options.go), solver(rules) {
    const std::string played = engine.rules();
    if (!played.empty() && played != rules.name())
      throw std::runtime_error("the engine plays by " + played + ", not " + rules.name() +
                               ": is its network for them?");
  }
  Engine engine;
  Solver solver;
};

std::vector<std::unique_ptr<Worker>> hire(const Options& options, const Rules& rules) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::uint64_t i = 0; i < options.threads; ++i) workers.push_back(std::make_unique<Worker>(options, rules));
  return workers;
}

/// Runs `work` for each worker in a thread, and throws what one of them threw.
template <typename Work>
void run_all(std::vector<std::unique_ptr<Worker>>& workers, const Work& work) {
  std::exception_ptr error;
  std::mutex mutex;
  std::vector<std::jthread> threads;
  for (auto& worker : workers)
    threads.emplace_back([&] {
      try {
        work(*worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
      }
    });
  threads.clear();
  if (error) std::rethrow_exception(error);
}

// ---- The whole walk ------------------------------------------------------------------------------------------------

/// What has been walked: the plies before, and the first `done` positions of this ply. This is what --state keeps.
struct WalkState {
  std::array<SeatCounts, 2> counts{};  // by seat, in the order of Options::seats()
  std::uint64_t seat = 0, ply = 0, done = 0;
  std::vector<Position> now{Position{}}, next;  // least images; `now` in order and each once
};

void sort_once_each(std::vector<Position>& positions) {
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
}

std::uint64_t checksum(const std::string& bytes, std::size_t from = 0) {
  std::uint64_t sum = bytes.size();
  for (std::size_t i = from; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    sum = mixed(sum + word) + 0x9E3779B97F4A7C15ull;
  }
  return sum;
}

class Walk {
 public:
  Walk(const Options& options, const Record& record)
      : options_(options), record_(record), rules_(record.rules == "squares"), workers_(hire(options, rules_)) {
    std::string command = options.engine + '\n' + options.go + '\n' + options.seat + '\n' + record.rules + '\n' +
                          std::to_string(record.solve_squares) + '\n' + std::to_string(record.exact_squares);
    for (const auto& option : options.engine_options) command += '\n' + option;
    command_ = checksum(command);
    if (!options_.state.empty() && std::ifstream(options_.state)) load();
  }

  /// True if every number of the record is found again.
  bool run() {
    const auto seats = options_.seats();
    for (; state_.seat < seats.size(); ++state_.seat, state_.ply = 0, state_.now = {Position{}}) {
      for (; !state_.now.empty(); ++state_.ply, state_.done = 0, state_.now = std::exchange(state_.next, {})) {
        if (state_.done == 0) save();
        walk_ply(seats[state_.seat]);
        if (!same(seats[state_.seat], static_cast<int>(state_.ply))) return false;
      }
    }
    save();
    bool all = true;
    for (state_.seat = 0; state_.seat < seats.size(); ++state_.seat) all = same(seats[state_.seat]) && all;
    return all;
  }

 private:
  struct Tally {
    Counts counts;
    std::uint64_t losing_lines = 0;
    std::vector<Position> next;
  };

  void walk_ply(const std::string& seat) {
    const auto start = Clock::now();
    const std::size_t done_before = state_.done, all = state_.now.size();
    SeatCounts& counts = state_.counts[state_.seat];
    std::size_t block = 32 * workers_.size(), compact_at = 1 << 20;
    while (state_.done < all) {
      const auto block_start = Clock::now();
      const auto todo = std::span(state_.now).subspan(state_.done, std::min(block, all - state_.done));
      std::atomic<std::size_t> taken = 0;
      std::mutex mutex;
      run_all(workers_, [&](Worker& worker) {
        Tally tally;
        constexpr std::size_t kPart = Engine::kTogether;
        for (std::size_t at; (at = taken.fetch_add(kPart)) < todo.size();)
          visit(worker, seat, todo.subspan(at, std::min(kPart, todo.size() - at)), tally);
        const std::lock_guard lock(mutex);
        counts.plies[state_.ply].decisions += tally.counts.decisions;
        counts.plies[state_.ply].moves += tally.counts.moves;
        counts.losing_lines += tally.losing_lines;
        state_.next.insert(state_.next.end(), tally.next.begin(), tally.next.end());
      });
      state_.done += todo.size();
      // Blocks of about five seconds: the state can be saved only between them.
      const double took = seconds_since(block_start);
      block = took < 2 ? 2 * block : took > 10 ? std::max(block / 2, workers_.size()) : block;
      if (state_.next.size() > compact_at) {
        sort_once_each(state_.next);
        compact_at = std::max(compact_at, 2 * state_.next.size());
      }
      progress_.show(seat + ", ply " + std::to_string(state_.ply) + ": " + std::to_string(state_.done) + " of " +
                         std::to_string(all) + " positions",
                     static_cast<double>(state_.done - done_before) / static_cast<double>(all - done_before),
                     seconds_since(start));
      if (seconds_since(saved_) >= 60) save();
    }
    counts.plies[state_.ply].positions = all;
    sort_once_each(state_.next);
  }

  /// The rules of a walk, for positions of one ply.
  void visit(Worker& worker, const std::string& seat, std::span<const Position> positions, Tally& tally) const {
    const int ply = static_cast<int>(state_.ply);
    const int empty = empty_squares(ply);
    if (!player_acts(seat, ply)) {  // the opponent may make every move
      for (const Position& p : positions)
        for (int m : legal_moves(p))
          if (const Position child = play(p, m); !rules_.over(child)) tally.next.push_back(rules_.least_image(child));
      return;
    }
    if (empty <= record_.exact_squares) {  // the player is exact from here on: it holds unless it is lost
      for (const Position& p : positions) tally.losing_lines += worker.solver.loses(p) ? 1 : 0;
      return;
    }
    // Any image will do, if the player is one function on all of them. A different one than the walk asked shows more.
    std::vector<Position> asked;
    for (const Position& p : positions) asked.push_back(rules_.some_image(p, rules_.digest(p)));
    const std::vector<int> moves = worker.engine.moves(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const Position child = play(asked[i], moves[i]);
      ++tally.counts.decisions;
      tally.counts.moves += rules_.digest(asked[i]) * (rules_.digest(child) | 1);
      if (rules_.over(child)) continue;
      const bool gave = placing(child);
      const bool last = empty - 1 <= record_.exact_squares;
      bool lost = gave && rules_.wins_at_once(child);
      if (!lost && (last || (gave && empty <= record_.solve_squares)))
        lost = gave ? worker.solver.wins(child) : worker.solver.loses(child);
      if (lost)
        ++tally.losing_lines;
      else if (!last)
        tally.next.push_back(rules_.least_image(child));
    }
  }

  /// Compares with the record: the first plies of a seat up to one, or all of it. Says what it finds at the end.
  bool same(const std::string& seat, std::optional<int> up_to = {}) const {
    const SeatCounts& found = state_.counts[state_.seat];
    const SeatCounts& recorded = record_.seats.at(seat);
    const auto equal = [&](const std::string& what, std::uint64_t ours, std::uint64_t theirs) {
      if (ours != theirs)
        std::cout << seat << ": " << what << ": " << ours << " here, " << theirs << " in the record\n";
      return ours == theirs;
    };
    for (int ply = 0; ply <= up_to.value_or(32); ++ply) {
      const Counts &ours = found.plies[ply], &theirs = recorded.plies[ply];
      const std::string at = " at ply " + std::to_string(ply);
      if (!equal("positions" + at, ours.positions, theirs.positions) || !equal("secured" + at, 0, theirs.secured) ||
          !equal("decisions" + at, ours.decisions, theirs.decisions) || !equal("moves" + at, ours.moves, theirs.moves))
        return false;
    }
    if (up_to) return true;
    if (!equal("losing lines", found.losing_lines, recorded.losing_lines)) return false;
    std::uint64_t positions = 0, decisions = 0;
    for (const Counts& c : found.plies) positions += c.positions, decisions += c.decisions;
    std::cout << seat << ": all is equal: " << positions << " positions, " << decisions << " decisions, "
              << found.losing_lines << " losing lines\n";
    return true;
  }

  void save() {
    saved_ = Clock::now();
    if (options_.state.empty()) return;
    std::string bytes(8, '\0');  // for the checksum
    const auto put = [&](const void* data, std::size_t n) { bytes.append(static_cast<const char*>(data), n); };
    const std::array<std::uint64_t, 6> sizes{command_,    state_.seat,       state_.ply,
                                             state_.done, state_.now.size(), state_.next.size()};
    put(sizes.data(), sizeof sizes);
    put(state_.counts.data(), sizeof state_.counts);
    for (const auto* positions : {&state_.now, &state_.next})
      put(positions->data(), positions->size() * sizeof(Position));
    const std::uint64_t sum = checksum(bytes, 8);
    std::memcpy(bytes.data(), &sum, 8);
    const std::string beside = options_.state + ".new";
    std::FILE* file = std::fopen(beside.c_str(), "wb");
    if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fflush(file) != 0 ||
        fsync(fileno(file)) != 0 || std::fclose(file) != 0 || std::rename(beside.c_str(), options_.state.c_str()) != 0)
      throw std::runtime_error("cannot write " + options_.state + ": " + std::strerror(errno));
  }

  void load() {
    const std::string bytes = file_text(options_.state);
    std::array<std::uint64_t, 6> sizes{};
    std::size_t at = 8;
    const auto get = [&](void* data, std::size_t n) {
      if (bytes.size() - at < n) throw std::runtime_error(options_.state + " is too short");
      std::memcpy(data, bytes.data() + at, n);
      at += n;
    };
    std::uint64_t sum = 0;
    if (bytes.size() >= 8) std::memcpy(&sum, bytes.data(), 8);
    if (bytes.size() < 8 || sum != checksum(bytes, 8))
      throw std::runtime_error(options_.state + " is damaged or no state of this program: remove it to walk anew");
    get(sizes.data(), sizeof sizes);
    if (sizes[0] != command_)
      throw std::runtime_error(options_.state + " is of another engine, --go, --option or --seat, or of other rules");
    get(state_.counts.data(), sizeof state_.counts);
    state_.seat = sizes[1], state_.ply = sizes[2], state_.done = sizes[3];
    state_.now.resize(sizes[4]), state_.next.resize(sizes[5]);
    for (auto* positions : {&state_.now, &state_.next}) get(positions->data(), positions->size() * sizeof(Position));
  }

  const Options& options_;
  const Record& record_;
  const Rules rules_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::uint64_t command_ = 0;
  WalkState state_;
  Clock::time_point saved_ = Clock::now();
  Progress progress_;
};

bool check_record(const Options& options) {
  const Record record = read_record(options.files.front());
  for (const auto& seat : options.seats())
    if (!record.seats.contains(seat)) throw UsageError("the record has no seat \"" + seat + "\": see --seat");
  std::cout << "record of " << record.player << ", rules " << record.rules << "\n" << std::flush;
  const auto start = Clock::now();
  if (!Walk(options, record).run()) {
    std::cout << "DIFFERENT: the record is wrong, or is of another player\n";
    return false;
  }
  std::uint64_t losing = 0;
  for (const auto& seat : options.seats()) losing += record.seats.at(seat).losing_lines;
  std::cout << (losing == 0 ? "No opponent wins a game against this player" : "This player can be beaten");
  if (options.seat != "both") std::cout << " in this seat";
  if (record.exact_squares > 0)
    std::cout << ", if it plays exactly from " << record.exact_squares << " empty squares on";
  std::cout << " (" << static_cast<long>(seconds_since(start)) << " s)\n";
  return true;
}

// ---- A sample ------------------------------------------------------------------------------------------------------

constexpr int kSolvedFrom = 10;      // empty squares: gives of the player in a line are judged by the solver
constexpr int kWalkedToEndFrom = 9;  // from here on a line is every line
constexpr int kMostlySecured = 7;    // `exploit` ends most lines no later: the player's proofs are enough (secured)

struct PositionHash {
  std::size_t operator()(const Position& p) const { return hash_of(p); }
};

/// A uniform number below n from a stream of its own for each line, so that threads do not change the sample.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) { return mixed(state_ += 0x9E3779B97F4A7C15ull) % n; }

 private:
  std::uint64_t state_;
};

class Sample {
 public:
  explicit Sample(const Options& options)
      : options_(options), rules_(options.rules == "squares"), workers_(hire(options, rules_)) {}

  /// True if no line loses.
  bool run() {
    const auto seats = options_.seats();
    lines_ = options_.sample * seats.size();
    std::atomic<std::uint64_t> next = 0;
    run_all(workers_, [&](Worker& worker) {
      for (std::uint64_t i; !lost_ && (i = next++) < lines_; ++done_) {
        Line line{worker, seats[i % seats.size()], {}, {}};
        Chance chance(mixed(options_.seed) + mixed(i + 1));
        if (!holds(line, chance)) report(line);
      }
    });
    if (lost_) return false;
    summarize();
    return true;
  }

 private:
  struct Line {
    Worker& worker;
    const std::string& seat;
    std::string game, why;
    Position play(const Position& p, int move) {
      game += (game.empty() ? "" : " ") + move_text(p, move);
      return check::play(p, move);
    }
  };

  /// Plays one line against an opponent that moves by chance, then every line.
  bool holds(Line& line, Chance& chance) {
    Position p;
    while (!rules_.over(p)) {
      const int empty = empty_squares(ply_of(p));
      if (empty <= kWalkedToEndFrom) {
        count(roots_, p);
        return all_hold(line, p);
      }
      if (!player_acts(line.seat, ply_of(p))) {
        std::map<Position, int> moves;  // one of each orbit
        for (int m : legal_moves(p))
          if (const Position child = play(p, m); !rules_.over(child)) moves.emplace(rules_.least_image(child), m);
        if (moves.empty()) break;
        p = line.play(p, std::next(moves.begin(), static_cast<std::ptrdiff_t>(chance.below(moves.size())))->second);
        continue;
      }
      p = line.play(p, line.worker.engine.move(p));
      if (placing(p) && (rules_.wins_at_once(p) || (empty <= kSolvedFrom && line.worker.solver.wins(p)))) {
        line.why = "from here the opponent can force a win";
        return false;
      }
    }
    ++ended_;
    return true;
  }

  /// Every move of the opponent, to the end of the game. A position is walked once for all its images.
  bool all_hold(Line& line, const Position& p) {
    if (lost_) return true;  // another thread has found a lost game
    const bool players = player_acts(line.seat, ply_of(p));
    if (players) {
      if (!count(walked_, p)) return true;
      if (empty_squares(ply_of(p)) <= kMostlySecured) ++late_;
    }
    for (int move : players ? std::vector<int>{line.worker.engine.move(p)} : legal_moves(p)) {
      const std::size_t length = line.game.size();
      const Position child = line.play(p, move);
      if (rules_.won(child) && !players) {
        line.why = "the opponent has won";
        return false;
      }
      if (!rules_.over(child) && !all_hold(line, child)) return false;
      line.game.resize(length);
    }
    return true;
  }

  using Positions = std::unordered_set<Position, PositionHash>;
  bool count(Positions& set, const Position& p) {
    const Position image = rules_.least_image(p);
    const std::lock_guard lock(mutex_);
    const std::uint64_t done = done_;
    progress_.show(std::to_string(done) + " of " + std::to_string(lines_) + " lines, " +
                       std::to_string(walked_.size()) + " decisions walked",
                   static_cast<double>(done) / static_cast<double>(lines_), seconds_since(start_));
    return set.insert(image).second;
  }

  void report(const Line& line) {
    const std::lock_guard lock(mutex_);
    if (lost_.exchange(true)) return;
    std::cout << "LOST: the player " << line.seat << " first in: " << line.game << "\n" << line.why << "\n";
  }

  void summarize() const {
    const auto n = options_.sample;
    std::cout << n << " lines for each seat (" << (options_.seat == "both" ? "gives, places" : options_.seat) << "), "
              << ended_ << " over before " << kWalkedToEndFrom << " empty squares\n"
              << roots_.size() << " distinct positions walked to the end, against every move: " << walked_.size()
              << " decisions of the player, " << late_ << " of them with at most " << kMostlySecured
              << " empty squares\n"
              << "No line loses (" << static_cast<long>(seconds_since(start_)) << " s).\n"
              << "This bounds, for each seat, the share of lines that lose, if the opponent moves by chance as here"
              << " down to " << kWalkedToEndFrom << " empty squares and then\nas well as can be: less than "
              << std::min(1.0, 3.0 / static_cast<double>(n))
              << " with 95% confidence (3 / lines). It proves nothing about an opponent"
              << " that looks for mistakes:\na line that chance seldom plays may lose.\n";
  }

  const Options& options_;
  const Rules rules_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex mutex_;
  Positions roots_, walked_;  // least images
  std::uint64_t lines_ = 0;
  std::atomic<std::uint64_t> done_ = 0, ended_ = 0, late_ = 0;
  std::atomic<bool> lost_ = false;
  const Clock::time_point start_ = Clock::now();
  Progress progress_;
};

// ---- The checker's own test ----------------------------------------------------------------------------------------

/// The exact value of a move for the side that makes it.
int move_value(const Rules& rules, Solver& solver, const Position& p, int move) {
  const Position child = play(p, move);
  if (rules.over(child)) return rules.won(child) ? 1 : 0;
  return placing(child) ? -solver.value(child) : solver.value(child);
}

/// A row of a suite holds for the position and for an image of it: values, legal moves, texts.
bool row_holds(const Rules& rules, Solver& solver, const std::string& row) {
  const Position p = parse_position(row.substr(0, row.find('\t')));
  const Position image = rules.some_image(p, mixed(rules.digest(p)));
  std::istringstream fields(row.substr(row.find('\t')));
  int value = 0;
  std::size_t moves = 0;
  bool holds = (fields >> value) && solver.value(p) == value && solver.value(image) == value &&
               text_of(p) + '\t' == row.substr(0, 22) && rules.least_image(image) == rules.least_image(p);
  for (std::string field; fields >> field; ++moves) {
    const int move = parse_move(p, field.substr(0, field.find(':')));
    holds = holds && move >= 0 && move_value(rules, solver, p, move) == std::stoi(field.substr(field.find(':') + 1));
  }
  return holds && moves == legal_moves(p).size();
}

bool self_test(const std::vector<std::string>& suites) {
  bool good = true;
  const auto expect = [&](const std::string& what, std::size_t found, std::size_t expected) {
    std::cout << what << ": " << found << (found == expected ? "" : ", WRONG, not " + std::to_string(expected))
              << std::endl;
    good = good && found == expected;
  };
  const Rules lines(false), squares(true);
  expect("symmetries of the board", lines.board_symmetries(), 32);
  expect("with 2x2 squares", squares.board_symmetries(), 8);
  std::vector<Position> now{Position{}};
  std::size_t positions = 0;
  for (int ply = 0; ply < 10; ++ply) {
    positions += now.size();
    std::vector<Position> next;
    for (const Position& p : now)
      for (int m : legal_moves(p)) next.push_back(lines.least_image(play(p, m)));
    sort_once_each(next);
    now = std::move(next);
  }
  expect("positions under ten plies", positions, 106'156);
  for (const auto& path : suites) {
    const Rules& rules = path.find("squares") != std::string::npos ? squares : lines;
    Solver solver(rules);
    std::istringstream text(file_text(path));
    std::size_t rows = 0, right = 0;
    for (std::string row; std::getline(text, row); ++rows)
      if (row_holds(rules, solver, row))
        ++right;
      else if (right == rows)
        std::cout << "first wrong: " << row << "\n";
    expect(path + " (" + rules.name() + "), rows that hold", right, std::max<std::size_t>(rows, 1));
  }
  std::cout << (good ? "self-test passed\n" : "self-test FAILED\n");
  return good;
}

// ---- The command ---------------------------------------------------------------------------------------------------

constexpr const char* kHelp =
    R"(Checks the claim that a Quarto player can never be beaten. Shares no code with the project.

  walk_checker RECORD.json --engine "COMMAND" [options]    walks every line again; compares with the record
  walk_checker --sample N --engine "COMMAND" [options]     plays N random lines for each seat, each with every end
  walk_checker --self-test SUITE.tsv...                    tests the checker: exact values, symmetries

RECORD.json is written by `quartozero exploit PLAYER --record RECORD.json`. COMMAND starts the same player as a program
that speaks the line protocol (docs/engine.md); if PLAYER is endgame:E:OTHER, it starts OTHER.

  --go "sims N"          how the engine is asked for a move: go sims N (default: sims 0, the network alone)
  --option NAME=VALUE    an option of the engine, as often as needed
  --proof-nodes K        the same as --option ProofNodes=K
  --seat gives|places    only the games in which the player gives, or places, the first piece (default: both)
  --threads N            each with an engine of its own (default: 1)
  --state FILE           whole walk: keep what is done; the same command goes on from there
  --rules lines|squares  sample: the rules (default: lines); a whole walk takes them from the record
  --seed S               sample: another sample (default: 1)

Example, two commands:
  build/quartozero exploit endgame:11:light:checkpoints/zero/model.light --record walk.json
  walk_checker walk.json --engine "build/quartozero-engine checkpoints/zero/model.light"

Exit status: 0 the claim was found right (equal to the record; no lost line), 1 it was not, or an error, 2 wrong usage.
)";

std::uint64_t number(const std::string& text, std::uint64_t least, std::uint64_t most = 1'000'000'000) {
  const bool digits = !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoull(text) < least || std::stoull(text) > most)
    throw UsageError("takes a number from " + std::to_string(least) + " to " + std::to_string(most));
  return std::stoull(text);
}

std::string one_of(const std::string& text, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  std::string all;
  for (const auto& choice : choices) all += (all.empty() ? "" : " or ") + choice;
  throw UsageError("takes " + all);
}

std::string name_and_value(const std::string& text) {
  if (text.find('=') == std::string::npos) throw UsageError("takes NAME=VALUE");
  return text;
}

bool run(const std::vector<std::string>& words) {
  Options options;
  bool self_testing = false;
  using Text = const std::string&;
  // clang-format off
  const std::map<std::string, std::function<void(Text)>> takes{
      {"--engine", [&](Text text) { options.engine = text; }},
      {"--go", [&](Text text) { options.go = text; }},
      {"--option", [&](Text text) { options.engine_options.push_back(name_and_value(text)); }},
      {"--proof-nodes", [&](Text text) { options.engine_options.push_back("ProofNodes=" + std::to_string(number(text, 0))); }},
      {"--seat", [&](Text text) { options.seat = one_of(text, {"gives", "places", "both"}); }},
      {"--threads", [&](Text text) { options.threads = number(text, 1, 1024); }},
      {"--state", [&](Text text) { options.state = text; }},
      {"--sample", [&](Text text) { options.sample = number(text, 1); }},
      {"--rules", [&](Text text) { options.rules = one_of(text, {"lines", "squares"}); }},
      {"--seed", [&](Text text) { options.seed = number(text, 0); }}};
  // clang-format on
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto option = takes.find(words[i]); option != takes.end()) {
      if (i + 1 == words.size()) throw UsageError(words[i] + " needs a value");
      try {
        option->second(words[i + 1]);
      } catch (const UsageError& error) {
        throw UsageError(words[i] + " " + error.what() + ", not \"" + words[i + 1] + "\"");
      }
      ++i;
    } else if (words[i] == "--self-test") {
      self_testing = true;
    } else if (words[i].starts_with("-")) {
      throw UsageError("unknown option " + words[i]);
    } else {
      options.files.push_back(words[i]);
    }
  }
  if (self_testing) {
    if (options.files.empty()) throw UsageError("--self-test needs a suite, e.g. eval/suites/deep.tsv");
    return self_test(options.files);
  }
  if (options.engine.empty()) throw UsageError("--engine \"COMMAND\" is missing: the program that plays");
  if (options.files.size() != (options.sample > 0 ? 0 : 1)) throw UsageError("give either one record or --sample N");
  if (options.sample > 0 && !options.state.empty()) throw UsageError("--state is for the whole walk, not for --sample");
  if (options.sample == 0 && !options.rules.empty()) throw UsageError("--rules is for --sample: a record has its own");
  return options.sample > 0 ? Sample(options).run() : check_record(options);
}

}  // namespace
}  // namespace check

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // an engine that ends is an error with a text, not the end of this program
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (std::find(words.begin(), words.end(), "--help") != words.end()) {
    std::cout << check::kHelp;
    return 0;
  }
  try {
    return check::run(words) ? 0 : 1;
  } catch (const check::UsageError& error) {
    std::cerr << "walk_checker: " << error.what() << "\nwalk_checker --help explains the options\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "walk_checker: " << error.what() << "\n";
    return 1;
  }
}
