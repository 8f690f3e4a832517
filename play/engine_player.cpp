#include "play/engine_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/printable.h"
#include "base/utf8.h"
#include "env/notation.h"
#include "play/canonical_play.h"

namespace quarto {
namespace {

using namespace std::chrono_literals;

constexpr int kMostFailures = 3;
constexpr auto kStartTime = 60s;  // Python and a network may take long on a busy machine
constexpr auto kFarewell = 500ms;

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

// The words of a line after the first, as they stand.
std::string rest_of(const std::string& line) {
  const auto blank = line.find_first_of(" \t");
  if (blank == std::string::npos) return {};
  const auto begin = line.find_first_not_of(" \t", blank);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

std::string first_of(const std::string& line) { return line.substr(0, line.find_first_of(" \t")); }

}  // namespace

EnginePlayer::EnginePlayer(std::string name, std::string command, int simulations, const PlayerOptions& options)
    : name_(std::move(name)),
      command_(std::move(command)),
      simulations_(simulations),
      rules_(options.rules),
      patience_(std::max(options.engine_patience, 1ms)),
      canonical_(options.canonical_engines) {}

EnginePlayer::~EnginePlayer() {
  if (!process_) return;
  try {
    process_->send("quit", Clock::now() + kFarewell);
    process_->end(kFarewell);
  } catch (const std::exception&) {
    // It is killed below.
  }
}

void EnginePlayer::fail(const std::string& reason) {
  process_.reset();
  throw PlayerFailed(name_, reason);
}

std::string EnginePlayer::await(const std::string& word, Clock::time_point deadline) {
  while (true) {
    std::string line = process_->line(deadline);
    const std::string first = first_of(line);
    if (first == word) return line;
    if (first == "id" && first_of(rest_of(line)) == "name")
      title_ = as_utf8(without_control_characters(rest_of(rest_of(line))));
    if (line.starts_with("option name Rules ")) offers_rules_ = true;
    if (first == "error") fail(fmt::format("said '{}'", printable(line)));
  }
}

void EnginePlayer::start() {
  if (process_) return;
  if (slow_answers_ >= kMostFailures)
    throw PlayerFailed(name_, fmt::format("is not asked any more: it did not answer {} times", slow_answers_));
  if (failed_starts_ >= kMostFailures)
    throw PlayerFailed(name_, fmt::format("is not started any more: that failed {} times in a row", failed_starts_));
  ++failed_starts_;
  const auto deadline = Clock::now() + kStartTime;
  try {
    process_ = std::make_unique<ChildProcess>(command_);
    process_->send("uqi", deadline);
    await("uqiok", deadline);
    if (rules_ != Rules::lines) {
      if (!offers_rules_)
        fail(fmt::format("offers no option Rules, so it does not play by the rules '{}'", to_string(rules_)));
      process_->send("setoption name Rules value " + to_string(rules_), deadline);
    }
    process_->send("isready", deadline);
    await("readyok", deadline);
  } catch (const ChildError& e) {
    fail(fmt::format(
        "{} when it was started{}", e.what(),
        e.kind() == ChildError::Kind::slow
            ? fmt::format(" ({}; does it answer 'uqi' with 'uqiok' and flush its output?)", seconds_text(kStartTime))
            : ""));
  } catch (const std::system_error& e) {
    fail(e.what());
  }
  failed_starts_ = 0;
}

void EnginePlayer::prepare() { start(); }

std::string EnginePlayer::title() const {
  if (title_.empty()) return name_;
  return simulations_ >= 0 ? fmt::format("{}@{}", title_, simulations_) : title_;
}

template <class Go>
Move EnginePlayer::ask(const Position& position, Clock::time_point deadline, const Go& go) {
  // What it said late, or without being asked, comes before readyok.
  process_->send("position board " + to_string(position), deadline);
  process_->send("isready", deadline);
  await("readyok", deadline);
  process_->send(go(), deadline);
  const std::string answer = await("bestmove", deadline);
  const std::string text = first_of(rest_of(answer));
  try {
    const Move move = parse_move(text, position.phase());
    if (position.is_legal(move)) return move;
  } catch (const NotationError&) {
    // Said below.
  }
  fail(fmt::format("said '{}' in {}, which is no legal {}", printable(answer), to_string(position),
                   to_string(position.phase())));
}

std::vector<Move> EnginePlayer::choose(std::span<const Position> positions) {
  std::vector<Move> moves;
  const std::string go = simulations_ >= 0 ? fmt::format("go sims {}", simulations_) : "go";
  for (const Position& position : positions) {
    start();
    const auto deadline = Clock::now() + patience_;
    const auto asked = [&](const Position& p) { return ask(p, deadline, [&] { return go; }); };
    try {
      if (canonical_) {
        const CanonicalForm form = canonical_form(position);
        moves.push_back(own_move(form, asked(form.position)));
      } else {
        moves.push_back(asked(position));
      }
    } catch (const ChildError& e) {
      if (e.kind() != ChildError::Kind::slow) fail(e.what());
      ++slow_answers_;
      fail(fmt::format("{} ({})", e.what(), seconds_text(patience_)));
    }
  }
  return moves;
}

Move EnginePlayer::choose_by_clock(const Position& position, const GameClock& clock) {
  start();
  const auto flag = Clock::now() + clock.left;
  const auto go = [&] {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(flag - Clock::now());
    std::string text = fmt::format("go clock {} inc {}", std::max<long long>(1, left.count()), clock.increment.count());
    if (simulations_ > 0) text += fmt::format(" sims {}", simulations_);
    return text;
  };
  try {
    return ask(position, flag + 1s, go);
  } catch (const ChildError& e) {
    fail(e.what());
  }
}

}  // namespace quarto
