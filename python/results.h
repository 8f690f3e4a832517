// Results as Python objects: the types are written in Python (python/package/_types.py), where named tuples and
// enumerations are at home; here they are filled.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <optional>

#include "env/evaluator.h"
#include "env/position.h"

namespace quarto::python {

namespace py = pybind11;

// quartozero.Value, or None.
py::object value_object(std::optional<Value> value);

// {move: value} over the legal moves, in order of their index.
py::dict values_by_move(const Position& position, const std::array<std::optional<Value>, kMoves>& values);

// quartozero.Evaluation.
py::object evaluation_object(const Position& position, const Evaluation& evaluation);

// A named type of quartozero._types, to be called with its fields.
py::object result_type(const char* name);

}  // namespace quarto::python
