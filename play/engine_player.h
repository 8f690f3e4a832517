// Somebody's program as a player. It speaks the line protocol of docs/engine.md on its standard input and output; of
// that it needs `uqi`, `isready`, `position board`, `go` (with `clock` in games by the clock) and `quit`.
//
// The program is not trusted. It fails when it ends, when it does not answer in time, when what it says is no legal
// move, or when it writes without end; then it is killed, PlayerFailed is thrown with the reason, and the next question
// starts it anew. A program that has used up the patience three times, or could not be started three times in a row, is
// not asked again.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/child_process.h"
#include "play/player.h"

namespace quarto {

class EnginePlayer final : public Player {
 public:
  // `command` is for /bin/sh. `simulations`: of `go sims N`, -1 for a bare `go`. The program is started by prepare() or
  // by the first question.
  EnginePlayer(std::string name, std::string command, int simulations, const PlayerOptions& options);
  ~EnginePlayer() override;

  std::string name() const override { return name_; }
  std::vector<Move> choose(std::span<const Position> positions) override;
  // An engine that answers within a second after its time is over has lost on time by the clock of whoever asks; one
  // that does not answer fails.
  Move choose_by_clock(const Position& position, const GameClock& clock) override;
  void prepare() override;
  // One position, so that a failure is of one game.
  std::size_t preferred_batch() const override { return 1; }
  bool deterministic() const override { return canonical_; }
  // What the program calls itself, once it has been started, with "@N" where it is asked for N simulations; name()
  // if it gives no name.
  std::string title() const;

 private:
  using Clock = ChildProcess::Clock;
  void start();
  // Asks after `position`; `go` gives the command when the program is ready.
  template <class Go>
  Move ask(const Position& position, Clock::time_point deadline, const Go& go);
  [[noreturn]] void fail(const std::string& reason);
  // Reads lines up to one that begins with `word`.
  std::string await(const std::string& word, Clock::time_point deadline);

  std::string name_, command_, title_;
  int simulations_;
  Rules rules_;
  std::chrono::milliseconds patience_;
  bool canonical_, offers_rules_ = false;
  std::unique_ptr<ChildProcess> process_;
  int slow_answers_ = 0, failed_starts_ = 0;
};

}  // namespace quarto
