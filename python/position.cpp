// quartozero.Position: a value, as the C++ one is, but one that cannot be changed.
#include <pybind11/stl.h>

#include <algorithm>

#include "base/text.h"
#include "env/canonical.h"
#include "env/encoding.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "python/arrays.h"
#include "python/bind.h"
#include "python/results.h"

namespace quarto::python {
namespace {

constexpr const char* kEmptyBoard = "..../..../..../.... -";

std::vector<std::string> moves_in(Phase phase, Mask moves) {
  std::vector<std::string> texts;
  for (const int m : BitsOf(moves)) texts.push_back(to_string(Move{phase, static_cast<std::uint8_t>(m)}));
  return texts;
}

Position played(Position position, const py::args& moves) {
  for (const py::handle move : moves) {
    if (!py::isinstance<py::str>(move)) throw py::type_error("a move is a text: 'b3' places, 'C' gives");
    const auto text = move.cast<std::string>();
    const auto refuse = [&](const std::string& why) {
      throw py::value_error("'" + text + "' cannot be played in '" + to_string(position) + "': " + why);
    };
    if (position.is_terminal()) refuse("the game is over");
    Move parsed;
    try {
      parsed = parse_move(text, position.phase());
    } catch (const NotationError& e) {
      refuse("not a " + to_string(position.phase()) +
             (position.has_hand() ? ", and a piece is in hand: " : ", and no piece is in hand: ") + e.what());
    }
    if (!position.is_legal(parsed)) {
      refuse(parsed.phase == Phase::place ? "the square is taken" : "the piece is already in play");
    }
    position.play(parsed);
  }
  return position;
}

py::dict pieces_of(const Position& position) {
  py::dict pieces;
  for (const int s : BitsOf(position.occupied()))
    pieces[py::str(to_string(square(s)))] = to_string(position.piece_at(square(s)));
  return pieces;
}

std::string position_shown(const Position& position) {
  return "Position('" + to_string(position) +
         (position.rules() == Rules::lines ? "')" : "', rules='" + to_string(position.rules()) + "')");
}

py::array_t<float> planes_of(const Position& position) {
  auto planes = new_array<float>({kPlanes, kSide, kSide});
  encode(position, {planes.mutable_data(), kInputSize});
  return planes;
}

std::vector<std::string> game_of(const std::string& text, const std::string& rules) {
  std::vector<std::string> texts;
  for (const Move m : parse_game(plain_text(text), parse_rules(rules))) texts.push_back(to_string(m));
  return texts;
}

}  // namespace

void require_unfinished(const Position& position) {
  if (position.is_terminal()) throw py::value_error("the game is over in '" + to_string(position) + "'");
}

void bind_position(py::module_& m) {
  py::class_<Position> position(m, "Position", py::is_final(),
                                "A position, immutable and hashable. `Position()` is the empty board.");
  in_package(position)
      .def(py::init([](const std::string& text, const std::string& rules) {
             return parse_position(plain_text(text), parse_rules(rules));
           }),
           py::arg("text") = kEmptyBoard, py::arg("rules") = "lines")
      .def_property_readonly(
          "rules", [](const Position& p) { return to_string(p.rules()); },
          "The name of the rule set: 'lines' or 'squares'.")
      .def_property_readonly(
          "phase", [](const Position& p) { return to_string(p.phase()); }, "'place' or 'give'")
      .def_property_readonly(
          "hand", [](const Position& p) { return p.has_hand() ? std::optional(to_string(p.hand())) : std::nullopt; },
          "The piece in hand, or None.")
      .def_property_readonly("pieces", &pieces_of, "{square: piece} of the board.")
      .def_property_readonly(
          "available", [](const Position& p) { return moves_in(Phase::give, p.available()); },
          "The pieces neither on the board nor in hand.")
      .def_property_readonly(
          "empty_squares", [](const Position& p) { return moves_in(Phase::place, p.empty()); },
          "The squares without a piece.")
      .def_property_readonly(
          "legal_moves", [](const Position& p) { return moves_in(p.phase(), p.legal_moves()); },
          "Squares when placing, pieces when giving; empty when the game is over.")
      .def_property_readonly("ply", &Position::ply, "Gives and places made so far.")
      .def_property_readonly("player_to_act", &Position::player_to_act,
                             "0 for the player who gave first, 1 for the other; after a win, the winner.")
      .def_property_readonly("is_won", &Position::is_won, "Whether the last place completed a line.")
      .def_property_readonly("is_over", &Position::is_terminal, "Won, or all squares taken.")
      .def_property_readonly(
          "winner", [](const Position& p) { return p.is_won() ? std::optional(p.player_to_act()) : std::nullopt; },
          "The player who has won, 0 or 1; None for a draw or a game that goes on.")
      .def_property_readonly(
          "result",
          [](const Position& p) {
            return value_object(p.is_terminal() ? std::optional(p.terminal_value()) : std::nullopt);
          },
          "Of a finished game, the Value for the player to act: WIN or DRAW. None for a game that goes on.")
      .def("play", &played, "The position after these moves: `p.play('C', 'b3')`. ValueError for an illegal one.")
      .def(
          "one_ply_moves", [](const Position& p) { return moves_in(p.phase(), one_ply_moves(p)); },
          "What a rule of thumb leaves: winning places, else moves that do not lose at once, else all.")
      .def(
          "winning_places",
          [](const Position& p) {
            return moves_in(Phase::place, p.has_hand() && !p.is_terminal() ? p.winning_squares(p.hand()) : Mask{0});
          },
          "The squares on which the piece in hand completes a line.")
      .def(
          "canonical", [](const Position& p) { return canonical_form(p).position; },
          "The representative of all positions that are this one under a symmetry of the game: two positions are\n"
          "images of each other exactly if these are equal.")
      .def(
          "encode", &planes_of,
          "The planes that a residual network takes: float32 [34, 4, 4]; see env/encoding.h. Pairs networks take counts().")
      .def("__str__", [](const Position& p) { return to_string(p); })
      .def("__repr__", &position_shown)
      .def("__hash__", [](const Position& p) { return static_cast<py::ssize_t>(p.key()); })
      .def(
          "__eq__", [](const Position& a, const Position& b) { return a == b; }, py::is_operator())
      .def(py::pickle([](const Position& p) { return py::make_tuple(to_string(p), to_string(p.rules())); },
                      [](const py::tuple& state) {
                        if (state.size() != 2) throw py::value_error("not a pickled position");
                        return parse_position(state[0].cast<std::string>(), parse_rules(state[1].cast<std::string>()));
                      }));

  m.def("parse_game", &game_of, py::arg("text"), py::arg("rules") = "lines",
        "The moves of a game written as '0 a1 7 c2 ...', checked: ValueError names the first that is illegal.");
}

}  // namespace quarto::python
