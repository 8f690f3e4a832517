#include "app/session.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <istream>
#include <iterator>
#include <ostream>
#include <sstream>

#include "base/lower.h"
#include "base/nearest.h"
#include "base/progress.h"
#include "env/notation.h"
#include "play/hint.h"

namespace quarto::app {
namespace {

constexpr int kHintSimulations = 20'000;    // without a network
constexpr int kAdvisedSimulations = 1'000;  // with one

// Or looks like one: whether it is on the board is said later.
bool is_square(const std::string& w) {
  return w.size() == 2 && std::isalpha(static_cast<unsigned char>(w[0])) &&
         std::isdigit(static_cast<unsigned char>(w[1]));
}
bool on_board(const std::string& w) {
  try {
    (void)parse_square(lower(w));
    return true;
  } catch (const NotationError&) {
    return false;
  }
}
bool is_piece(const std::string& w) { return w.size() == 1 && std::isxdigit(static_cast<unsigned char>(w[0])); }

}  // namespace

Session::Session(std::unique_ptr<Player> opponent, const SessionOptions& options, std::istream& in, std::ostream& out)
    : opponent_(std::move(opponent)),
      name_(options.opponent.empty() ? opponent_->name() : options.opponent),
      options_(options),
      lines_(in),
      out_(out),
      solver_(options.solver) {}

void Session::run() {
  fmt::print(out_, "Quarto against {}{}. Type a move, or help.\n", name_,
             name_ == opponent_->name() ? "" : fmt::format(" ({})", opponent_->name()));
  start_over(options_.start);
  while (!done_) {
    out_ << prompt() << std::flush;
    std::string line;
    constexpr std::size_t kLongestLine = 4096;
    if (!lines_.next(line, kLongestLine)) {
      out_ << "\nThe input ended. Goodbye.\n";
      return;
    }
    if (line.size() > kLongestLine)
      out_ << "That line is too long.\n";
    else
      obey(line);
  }
  out_ << "Goodbye.\n";
}

std::string Session::prompt() const {
  if (over()) return "new, undo or quit> ";
  return position_.has_hand() ? fmt::format("place {} on> ", to_string(position_.hand())) : "give> ";
}

void Session::start_over(const Position& start) {
  start_ = position_ = start;
  resigned_ = false;
  played_.clear();
  user_ = options_.user_first ? start.player_to_act() : 1 - start.player_to_act();
  if (!over() && !user_acts()) let_opponent_act();
  draw();
}

void Session::play(Move move, bool by_user) {
  position_.play(move);
  played_.push_back({move, by_user});
}

void Session::let_opponent_act() {
  while (!over() && !user_acts()) {
    out_ << std::flush;
    Move m;
    try {
      m = opponent_->choose({&position_, 1}).at(0);
    } catch (const PlayerFailed& e) {
      fmt::print(out_, "{} {}. You win.\n", opponent_->name(), e.reason());
      resigned_ = true;
      return;
    }
    if (m.phase == Phase::place) {
      fmt::print(out_, "{} places {} on {}.\n", name_, to_string(position_.hand()), to_string(m));
    } else {
      fmt::print(out_, "{} gives you {} ({}).\n", name_, to_string(m), describe(m.piece()));
    }
    play(m, false);
  }
}

void Session::obey(const std::string& line) {
  std::istringstream in(line);
  const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
  if (words.empty()) return;
  // By any of these words, of which the first is offered for a misspelled one.
  const std::pair<std::vector<std::string>, std::function<void()>> commands[] = {
      {{"undo", "u"}, [&] { undo(); }},
      {{"hint"}, [&] { hint(); }},
      {{"analyse", "analyze"}, [&] { analyse(); }},
      {{"new"}, [&] { start_over(Position(options_.start.rules())); }},
      {{"position"}, [&] { set_position(fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "))); }},
      {{"moves"}, [&] { show_moves(); }},
      {{"board"}, [&] { draw(); }},
      {{"resign"}, [&] { resign(); }},
      {{"quit", "exit", "q"}, [&] { done_ = true; }},
      {{"help", "?", "h"}, [&] { help(); }},
  };
  const std::string word = lower(words[0]);
  std::vector<std::string> offered;
  for (const auto& [names, execute] : commands) {
    if (std::find(names.begin(), names.end(), word) != names.end()) return execute();
    offered.push_back(names[0]);
  }
  if (std::all_of(words.begin(), words.end(), [](const auto& w) { return is_square(w) || is_piece(w); }))
    return make_moves(words);
  fmt::print(out_,
             "'{}' is neither a move nor a command{}. A square is a1 to d4, a piece 0 to F; help lists the rest.\n",
             words[0], did_you_mean(nearest(word, offered)));
}

std::string Session::refusal(const std::string& word) const {
  if (over()) return fmt::format("The game is over, so '{}' was not played.", word);
  if (!user_acts()) return fmt::format("It is {}'s turn, so '{}' was not played.", name_, word);
  if (position_.has_hand() && !is_square(word)) {
    return fmt::format("'{}' is a piece, but you hold {}: name the square to place it on, e.g. {}.", word,
                       to_string(position_.hand()), to_string(square(*BitsOf(position_.empty()).begin())));
  }
  if (!position_.has_hand() && is_square(word)) {
    return fmt::format("'{}' is {}: it is a piece that you give now, e.g. {}.", word,
                       on_board(word) ? "a square" : "no piece, nor a square",
                       to_string(piece(*BitsOf(position_.available()).begin())));
  }
  try {
    const Move move = parse_move(lower(word), position_.phase());
    if (position_.is_legal(move)) return "";
    return move.phase == Phase::give
               ? fmt::format("{} is on the board already.", to_string(move))
               : fmt::format("{} is taken by {}.", to_string(move), to_string(position_.piece_at(move.square())));
  } catch (const NotationError&) {
    return fmt::format("'{}' is not on the board: squares are a1 to d4.", word);
  }
}

// A line may have several moves: "b3 C" places and gives. What stands before a refused word is played.
void Session::make_moves(const std::vector<std::string>& words) {
  bool moved = false;
  for (const std::string& word : words) {
    const bool turn_over = !over() && !user_acts();
    if (const std::string why = refusal(word); !why.empty()) {
      out_ << why << "\n";
      if (turn_over) break;
      if (moved) draw();
      return;
    }
    play(parse_move(lower(word), position_.phase()), true);
    moved = true;
  }
  if (!over() && !user_acts()) let_opponent_act();
  draw();
}

void Session::undo() {
  if (resigned_ && user_acts()) {
    resigned_ = false;
    draw();
    return;
  }
  if (std::none_of(played_.begin(), played_.end(), [](const Played& p) { return p.by_user; })) {
    out_ << "There is no move of yours to take back.\n";
    return;
  }
  resigned_ = false;  // the opponent's: it had no move to answer with
  while (true) {
    const Played last = played_.back();
    position_.undo(last.move);
    played_.pop_back();
    if (!last.by_user) continue;
    fmt::print(out_, "Taken back: {}.\n", to_string(last.move));
    break;
  }
  draw();
}

bool Session::said_over() {
  if (over()) out_ << "The game is over.\n";
  return over();
}

void Session::hint() {
  if (said_over()) return;
  UniformEvaluator uniform;
  ChoiceLimits limits;
  limits.simulations = options_.adviser ? kAdvisedSimulations : kHintSimulations;
  limits.exact_squares = kSquares;
  limits.exact_time = options_.analysis_time;
  const auto [choice, alike] =
      quarto::hint(options_.adviser ? *options_.adviser : uniform, &solver_, position_, limits);
  if (choice.by == ChosenBy::exact) {
    fmt::print(out_, "Hint: {} {}. Exact: a {} with perfect play{}.\n", position_.has_hand() ? "place on" : "give",
               to_string(choice.move), to_string(*choice.proven),
               options_.adviser && alike > 1 ? fmt::format("; the network's choice among {} such moves", alike) : "");
    return;
  }
  fmt::print(out_, "Hint: {} {}. Not exact (unsolved after {}): the choice of a search of {} simulations.\n",
             position_.has_hand() ? "place on" : "give", to_string(choice.move),
             format_duration(choice.exact->stats.seconds), limits.simulations);
}

void Session::analyse() {
  if (said_over()) return;
  const MoveSolution solution = solver_.solve_moves(position_, {options_.analysis_time, nullptr});
  if (solution.value) {
    fmt::print(out_, "Exact value for you, {}: {}.\n", position_.has_hand() ? "placing" : "giving",
               to_string(*solution.value));
  } else {
    fmt::print(out_, "Not solved in {}; --analysis-seconds allows more.\n", format_duration(solution.stats.seconds));
  }
  const auto list = [&](const std::string& label, std::optional<Value> value) {
    std::string moves;
    for (const int m : BitsOf(position_.legal_moves())) {
      if (solution.values[static_cast<std::size_t>(m)] != value) continue;
      moves += " " + to_string(Move{position_.phase(), static_cast<std::uint8_t>(m)});
    }
    if (!moves.empty()) fmt::print(out_, "  {:<10}{}\n", label, moves);
  };
  list("win", Value::win);
  list("draw", Value::draw);
  list("loss", Value::loss);
  list("not solved", std::nullopt);
}

void Session::show_moves() {
  std::vector<Move> moves;
  for (const Played& p : played_) moves.push_back(p.move);
  if (start_.ply() > 0) fmt::print(out_, "From {}:\n", to_string(start_));
  fmt::print(out_, "{}\n", moves.empty() ? "No move has been made." : to_string(moves));
}

void Session::set_position(const std::string& text) {
  if (text.empty()) {
    fmt::print(out_, "{}\n", to_string(position_));
    return;
  }
  try {
    const Position p = parse_position(text, options_.start.rules());
    if (p.is_terminal()) {
      out_ << "That game is over already; the present one goes on.\n";
      return;
    }
    start_over(p);
  } catch (const NotationError& e) {
    fmt::print(out_, "Not a position: {}\n", e.what());
  }
}

void Session::resign() {
  if (said_over()) return;
  resigned_ = true;
  fmt::print(out_, "You resign: {} wins.\n", name_);
}

void Session::announce_end() {
  if (position_.is_won()) {
    fmt::print(out_, "Quarto! {}\n", user_acts() ? "You win." : name_ + " wins.");
  } else {
    out_ << "All sixteen pieces are down without a line: a draw.\n";
  }
}

void Session::draw() {
  std::optional<Square> last;
  for (const Played& p : played_) {
    if (p.move.phase == Phase::place) last = p.move.square();
  }
  std::vector<std::string> rows = draw_board(position_, last, options_.style);
  std::vector<std::string> side = {"", fmt::format("pieces down: {}", position_.pieces_on_board())};
  if (!over()) {
    side.emplace_back("");
    if (position_.has_hand()) {
      side.push_back("You hold " + to_string(position_.hand()) + ":");
      side.emplace_back("");
      for (const std::string& row : draw_piece(position_.hand(), options_.style)) side.push_back(row);
      side.emplace_back("");
      side.push_back(describe(position_.hand()));
    } else {
      side.emplace_back("You give a piece");
      side.push_back("to " + name_ + ".");
    }
  }
  out_ << "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out_ << rows[i] << (i < side.size() && !side[i].empty() ? "    " + side[i] : "") << "\n";
  }
  if (position_.available() != 0) {
    out_ << "\n    Pieces left:\n";
    for (const std::string& row : draw_available(position_, options_.style)) out_ << row << "\n";
  }
  out_ << "\n";
  if (position_.is_terminal()) announce_end();
}

void Session::help() {
  const std::string_view more = rule_set(options_.start.rules()).more();
  out_ << "The player to act places the piece in hand, then gives the other a piece. Four that share an attribute win "
          "for\n"
          "the one who places the fourth: in a row, a column"
       << (more.empty() ? " or a long diagonal" : fmt::format(", a long diagonal or {}", more)) << ".\n\n";
  const auto sample = [&](const char* text, Piece p) {
    const auto rows = draw_piece(p, options_.style);
    for (std::size_t i = 0; i < rows.size(); ++i)
      out_ << "    " << rows[i] << (i == 1 ? std::string("   ") + text : "") << "\n";
  };
  sample("light, tall (three rows), round ( ), hollow (empty inside)", piece(0x6));
  sample("dark (heavy outline), short (two rows), square [ ], solid (filled)", piece(0x9));
  out_ << "\n"
          "  b3             place the piece in hand on b3\n"
          "  C              give piece C; 'b3 C' does both\n"
          "  undo           take back your last move, and the answer to it\n"
          "  hint           a good move, exact when the position can be solved in time\n"
          "  analyse        the exact value of every move\n"
          "  position       print the position as text; with a text, go on from there\n"
          "  moves          the game so far\n"
          "  board          draw the board again\n"
          "  new            a new game from the empty board\n"
          "  resign, quit\n";
}

}  // namespace quarto::app
