// Positions as rows of a NumPy array, so that many of them need no Python object each.
//
//     int8 [N, 17]    columns 0..15   the piece on a1, b1, .. d4: 0..15, or -1 on an empty square
//                     column 16       the piece in hand: 0..15, or -1 when one is to be given
//
// The rules are not part of it, as they are not part of a position's text. Which phase it is, whose move, and what is
// left to give follow.
#pragma once

#include <pybind11/numpy.h>

#include <utility>
#include <vector>

#include "env/position.h"

namespace quarto::python {

namespace py = pybind11;

inline constexpr int kColumns = kSquares + 1;
inline constexpr std::int8_t kNothing = -1;
// Actions of both phases in one space, since whoever learns from the outside has one: 0..15 place on that square,
// 16..31 give that piece.
inline constexpr int kActions = kSquares + kPieces;
inline constexpr int kOutcomes = 3;  // win, draw, loss

// ImportError with what to do if there is no NumPy.
void require_numpy();

// A new array of this shape; require_numpy() first. pybind11 before 2.12 reads the size of an element where NumPy 2 has
// something else, so strides are given here, and no other part of the module asks pybind11 for a size.
template <class T>
py::array_t<T> new_array(std::vector<py::ssize_t> shape) {
  require_numpy();
  auto strides = py::detail::c_strides(shape, sizeof(T));
  return py::array_t<T>(std::move(shape), std::move(strides));
}

// From such an array, or from a sequence of quartozero.Position; ValueError names the first row that is none, and
// positions under other rules. TypeError for anything else.
std::vector<Position> positions_from(const py::object& many, Rules rules);

// As such an array.
py::array_t<std::int8_t> to_array(const std::vector<Position>& positions);
// What networks see of each (env/encoding.h): float32 [N, 34, 4, 4].
py::array_t<float> planes_of_all(const std::vector<Position>& positions);

}  // namespace quarto::python
