#include "python/results.h"

#include "env/notation.h"
#include "python/bind.h"

namespace quarto::python {
namespace {

// The module quartozero._types and the three values in it. Never released: the interpreter may be gone before us.
struct Types {
  py::module_ module;
  std::array<py::object, 3> values;  // by value + 1
};
const Types* types = nullptr;

}  // namespace

void bind_results(py::module_& m) {
  auto* loaded = new Types{py::module_::import("quartozero._types"), {}};
  for (int v = -1; v <= 1; ++v) loaded->values[static_cast<std::size_t>(v + 1)] = loaded->module.attr("Value")(v);
  types = loaded;
  m.attr("Value") = types->module.attr("Value");
}

py::object value_object(std::optional<Value> value) {
  if (!value) return py::none();
  return types->values[static_cast<std::size_t>(static_cast<int>(*value) + 1)];
}

py::dict values_by_move(const Position& position, const std::array<std::optional<Value>, kMoves>& values) {
  py::dict by_move;
  for (const int m : BitsOf(position.legal_moves()))
    by_move[py::str(to_string(move_of(position, m)))] = value_object(values[static_cast<std::size_t>(m)]);
  return by_move;
}

py::object evaluation_object(const Position& position, const Evaluation& evaluation) {
  py::dict policy;
  for (const int m : BitsOf(position.legal_moves()))
    policy[py::str(to_string(move_of(position, m)))] = evaluation.prior[static_cast<std::size_t>(m)];
  return result_type("Evaluation")(policy, evaluation.win, evaluation.draw, evaluation.loss);
}

py::object result_type(const char* name) { return types->module.attr(name); }

}  // namespace quarto::python
