#include "python/arrays.h"

#include "env/encoding.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "light/counts.h"
#include "python/bind.h"
#include "python/interruptible.h"

namespace quarto::python {
namespace {

[[noreturn]] void refuse_row(py::ssize_t row, const std::string& why) {
  throw py::value_error("row " + std::to_string(row) + ": " + why);
}

// Cells by column, as they stand in the array.
Position position_of(const std::array<std::int8_t, kColumns>& cells, py::ssize_t row, Rules rules) {
  Bitboards attributes = 0;
  Mask occupied = 0, used = 0;
  const auto name = [](int column) { return column == kSquares ? std::string("the hand") : to_string(square(column)); };
  for (int column = 0; column < kColumns; ++column) {
    const int cell{cells[static_cast<std::size_t>(column)]};
    if (cell == kNothing) continue;
    if (cell < 0 || cell >= kPieces) {
      refuse_row(row, name(column) + " has " + std::to_string(cell) + ", which is no piece 0..15, nor -1 for none");
    }
    if (used & bit(piece(cell))) refuse_row(row, "piece " + to_string(piece(cell)) + " is there twice");
    used |= bit(piece(cell));
    if (column == kSquares) break;
    occupied |= bit(square(column));
    attributes |= kSpread[cell] & broadcast(bit(square(column)));
  }
  const int hand{cells[kSquares]};
  const Position board = Position::from_parts(rules, attributes, occupied, false, piece(0));
  if (hand == kNothing) return board;
  if (board.is_won()) refuse_row(row, "the board has a quarto, so no piece can be in hand");
  return Position::from_parts(rules, attributes, occupied, true, piece(hand));
}

std::vector<Position> from_rows(const py::array& array, Rules rules) {
  if (!py::isinstance<py::array_t<std::int8_t>>(array)) {
    throw py::value_error("positions are an array of int8, not of " + py::str(array.dtype()).cast<std::string>());
  }
  if (array.ndim() != 2 || array.shape(1) != kColumns) {
    throw py::value_error("positions are an array of shape (N, 17), not " +
                          py::str(py::object(array.attr("shape"))).cast<std::string>());
  }
  const auto rows = py::array_t<std::int8_t>(array).unchecked<2>();
  std::vector<Position> positions;
  positions.reserve(static_cast<std::size_t>(rows.shape(0)));
  for (py::ssize_t row = 0; row < rows.shape(0); ++row) {
    std::array<std::int8_t, kColumns> cells{};
    for (int column = 0; column < kColumns; ++column) cells[static_cast<std::size_t>(column)] = rows(row, column);
    positions.push_back(position_of(cells, row, rules));
  }
  return positions;
}

// A sequence may mix rules here: they are not part of the array.
std::vector<Position> from_sequence(const py::object& many) {
  if (!py::isinstance<py::sequence>(many) || py::isinstance<py::str>(many)) {
    throw py::type_error("expected an array of positions, or a sequence of quartozero.Position");
  }
  const auto sequence = py::reinterpret_borrow<py::sequence>(many);
  std::vector<Position> positions;
  positions.reserve(sequence.size());
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const py::object item = sequence[i];
    if (!py::isinstance<Position>(item))
      throw py::type_error("row " + std::to_string(i) + " is no quartozero.Position");
    positions.push_back(item.cast<const Position&>());
  }
  return positions;
}

// Positions have rules of their own; those of an array are `rules`.
py::array_t<float> encode_all(const py::object& many, const std::string& rules) {
  require_numpy();
  const std::vector<Position> positions =
      py::isinstance<py::array>(many) ? positions_from(many, parse_rules(rules)) : from_sequence(many);
  return planes_of_all(positions);
}

py::array_t<float> counts_of_all(const py::object& many, const std::string& rules) {
  const Rules parsed = parse_rules(rules);
  const std::vector<Position> positions = positions_from(many, parsed);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i].is_terminal())
      throw py::value_error("row " + std::to_string(i) + ": a finished game has no counts");
  }
  const int size = light::counts_size(parsed);
  auto counts = new_array<float>({static_cast<py::ssize_t>(positions.size()), size});
  float* out = counts.mutable_data();
  const py::gil_scoped_release others_may_run;
  for (const Position& p : positions) {
    light::encode_counts(p, {out, static_cast<std::size_t>(size)});
    out += size;
  }
  return counts;
}

py::array_t<std::int8_t> random_positions(int n, std::uint64_t seed, const std::string& rules) {
  constexpr int kMost = 50'000'000;  // two gigabytes on the way
  if (n < 0 || n > kMost) throw py::value_error("n must be from 0 to " + std::to_string(kMost));
  const Rules parsed = parse_rules(rules);
  return to_array(interruptible([&](const std::atomic<bool>& stop) {
    Rng rng(seed);
    std::vector<Position> positions;
    while (static_cast<int>(positions.size()) < n && !stop) positions.push_back(unfinished_position(rng, parsed));
    return positions;
  }));
}

}  // namespace

void require_numpy() {
  try {
    py::module_::import("numpy");
  } catch (py::error_already_set& e) {
    if (!e.matches(PyExc_ImportError)) throw;
    py::raise_from(e, PyExc_ImportError, "arrays of positions need NumPy: pip install numpy");
    throw py::error_already_set();
  }
}

py::array_t<std::int8_t> to_array(const std::vector<Position>& positions) {
  auto array = new_array<std::int8_t>({static_cast<py::ssize_t>(positions.size()), kColumns});
  std::int8_t* cell = array.mutable_data();
  for (const Position& p : positions) {
    for (int s = 0; s < kSquares; ++s) {
      const bool taken = p.occupied() & bit(square(s));
      *cell++ = taken ? static_cast<std::int8_t>(p.piece_at(square(s))) : kNothing;
    }
    *cell++ = p.has_hand() ? static_cast<std::int8_t>(p.hand()) : kNothing;
  }
  return array;
}

py::array_t<float> planes_of_all(const std::vector<Position>& positions) {
  auto planes = new_array<float>({static_cast<py::ssize_t>(positions.size()), kPlanes, kSide, kSide});
  float* out = planes.mutable_data();
  const py::gil_scoped_release others_may_run;
  for (const Position& p : positions) {
    encode(p, {out, kInputSize});
    out += kInputSize;
  }
  return planes;
}

std::vector<Position> positions_from(const py::object& many, Rules rules) {
  require_numpy();
  if (py::isinstance<py::array>(many)) return from_rows(py::reinterpret_borrow<py::array>(many), rules);
  std::vector<Position> positions = from_sequence(many);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i].rules() != rules) {
      refuse_row(static_cast<py::ssize_t>(i), "the position is under the rules '" + to_string(positions[i].rules()) +
                                                  "', not '" + to_string(rules) + "'");
    }
  }
  return positions;
}

void bind_arrays(py::module_& m) {
  m.def(
      "to_array", [](const py::object& positions) { return to_array(from_sequence(positions)); }, py::arg("positions"),
      "Positions as an array, int8 [N, 17]: columns 0..15 the piece on a1, b1, .. d4 or -1, column 16 the piece in\n"
      "hand or -1. The rules are not part of it.");
  m.def(
      "from_array",
      [](const py::array& array, const std::string& rules) {
        py::list positions;
        for (const Position& p : from_rows(array, parse_rules(rules))) positions.append(p);
        return positions;
      },
      py::arg("array"), py::arg("rules") = "lines",
      "The positions in an array as to_array() makes it; ValueError names the first row that is none.");
  m.def("encode", &encode_all, py::arg("positions"), py::arg("rules") = "lines",
        "The planes that a residual network takes of each of the positions (a sequence, or an array): float32\n"
        "[N, 34, 4, 4], see env/encoding.h. `rules`: those of an array.");
  m.def("counts", &counts_of_all, py::arg("positions"), py::arg("rules") = "lines",
        "What a pairs network takes of each of the positions (a sequence, or an array), none of them over: float32\n"
        "[N, C], see light/counts.h. `rules`: those of the positions; C depends on them.");
  m.def("random_positions", &random_positions, py::arg("n"), py::arg("seed") = 0, py::arg("rules") = "lines",
        "Positions of random games, none of them over, as an array. The same seed gives the same positions.");
}

}  // namespace quarto::python
