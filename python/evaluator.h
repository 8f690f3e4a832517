// quartozero.Evaluator: a network of the caller's, as a function of arrays.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "env/evaluator.h"

namespace quarto::python {

namespace py = pybind11;

// Calls the function for a batch, with the interpreter's lock, on the thread that computes the batch. What the function
// raises goes through as py::error_already_set; results that are no evaluations are a ValueError (py::value_error) with
// the row. Use from one thread at a time; made and destroyed with the lock held.
class FunctionEvaluator final : public Evaluator {
 public:
  enum class Inputs { planes, positions };

  FunctionEvaluator(py::object function, Inputs inputs, Rules rules);
  std::unique_ptr<EvaluationBatch> new_batch() override;
  std::string computed_by() const override { return "a function of Python"; }

  Rules rules() const { return rules_; }
  Inputs inputs() const { return inputs_; }
  const py::object& function() const { return function_; }

 private:
  class Batch;
  py::object function_;
  Inputs inputs_;
  Rules rules_;
};

// What Python gave for a network: a Player, an Evaluator, or a function, which gets planes and is for the rules "lines".
// Keeps it alive. TypeError for anything else.
struct GivenEvaluator {
  py::object owner;
  Evaluator* evaluator = nullptr;
  Rules rules = Rules::lines;
};
GivenEvaluator evaluator_of(const py::object& given);

}  // namespace quarto::python
