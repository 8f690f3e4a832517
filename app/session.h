// A game at the terminal. It reads commands from one stream and writes to another, so that tests can drive it.
#pragma once

#include <chrono>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/board.h"
#include "base/text.h"
#include "play/choose.h"
#include "play/player.h"

namespace quarto::app {

struct SessionOptions {
  Position start{};
  bool user_first = true;  // the user acts first in `start`
  std::chrono::milliseconds analysis_time{10'000};
  SolverOptions solver{};
  // Gives hints, and decides among moves of equal exact value; null: a search without a network.
  std::shared_ptr<Evaluator> adviser{};
  std::string opponent{};  // what to call the opponent; "": its own name
  DrawStyle style{};
};

class Session {
 public:
  Session(std::unique_ptr<Player> opponent, const SessionOptions& options, std::istream& in, std::ostream& out);
  // Runs until `quit` or the end of the input.
  void run();

 private:
  struct Played {
    Move move;
    bool by_user;
  };

  // Each executes a command and prints the result.
  void obey(const std::string& line);
  void make_moves(const std::vector<std::string>& words);
  // Why the word is no move now; "" if it is one.
  std::string refusal(const std::string& word) const;
  bool said_over();
  void undo();
  void hint();
  void analyse();
  void start_over(const Position& start);
  void show_moves();
  void set_position(const std::string& text);
  void resign();
  void help();

  void let_opponent_act();
  void play(Move move, bool by_user);
  void draw();
  void announce_end();
  bool user_acts() const { return position_.player_to_act() == user_; }
  bool over() const { return resigned_ || position_.is_terminal(); }
  std::string prompt() const;

  std::unique_ptr<Player> opponent_;
  std::string name_;  // the opponent's
  SessionOptions options_;
  TextLines lines_;
  std::ostream& out_;
  Position start_, position_;
  int user_ = 0;  // Position::player_to_act() of the user
  bool resigned_ = false, done_ = false;
  std::vector<Played> played_;
  SharedSolver solver_;
};

}  // namespace quarto::app
