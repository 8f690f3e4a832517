#include "python/evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "env/notation.h"
#include "light/softmax.h"
#include "play/light_player.h"
#include "python/arrays.h"
#include "python/bind.h"
#include "python/results.h"

namespace quarto::python {
namespace {

std::string shape_of(const py::object& array) { return py::str(array.attr("shape")).cast<std::string>(); }

[[noreturn]] void refuse(const std::string& why) { throw py::value_error("evaluate(): " + why); }

// As float32 [rows, ...], without a copy where it is that already.
py::array_t<float> floats(const py::handle& given, const char* name, std::size_t rows) {
  const auto numpy = py::module_::import("numpy");
  const bool other = !py::hasattr(given, "__array__") && py::hasattr(given, "__dlpack__");
  const py::array array = numpy.attr(other ? "from_dlpack" : "asarray")(given);
  if (array.dtype().kind() != 'f')
    refuse(std::string(name) + " must be floating-point numbers, not " + py::str(array.dtype()).cast<std::string>());
  if (array.ndim() < 1 || static_cast<std::size_t>(array.shape(0)) != rows) {
    refuse(std::string(name) + " has the shape " + shape_of(array) + " for " + std::to_string(rows) + " positions");
  }
  return numpy.attr("ascontiguousarray")(array, py::arg("dtype") = "float32");
}

[[noreturn]] void refuse_row(std::size_t row, const Position& position, const std::string& what, float x) {
  refuse("row " + std::to_string(row) + ", '" + to_string(position) + "': " + what + " is " + std::to_string(x));
}

void take_policy(const float* logits, const Position& p, std::size_t row, Evaluation& out) {
  for (const int m : BitsOf(p.legal_moves())) {
    if (!std::isfinite(logits[m])) refuse_row(row, p, "the logit of the move " + to_string(move_of(p, m)), logits[m]);
  }
  masked_softmax({logits, static_cast<std::size_t>(kMoves)}, p.legal_moves(), out.prior);
}

void take_outcome(const float* logits, const Position& p, std::size_t row, Evaluation& out) {
  for (py::ssize_t i = 0; i < kOutcomes; ++i) {
    if (!std::isfinite(logits[i])) refuse_row(row, p, "the outcome's logit " + std::to_string(i), logits[i]);
  }
  std::array<float, kMoves> chances{};
  masked_softmax({logits, static_cast<std::size_t>(kOutcomes)}, 0b111, chances);
  out.win = chances[0];
  out.draw = chances[1];
  out.loss = chances[2];
}

// A value says nothing of draws: of the outcomes with this mean, the one without any.
void take_value(float value, const Position& p, std::size_t row, Evaluation& out) {
  constexpr float kRounding = 1e-3F;
  if (!(std::abs(value) <= 1 + kRounding)) refuse_row(row, p, "the value, which must be in -1..1,", value);
  out.win = (1 + std::clamp(value, -1.0F, 1.0F)) / 2;
  out.draw = 0;
  out.loss = 1 - out.win;
}

}  // namespace

class FunctionEvaluator::Batch final : public EvaluationBatch {
 public:
  explicit Batch(const FunctionEvaluator& owner) : owner_(owner) {}

  Status add(const Position& position, Evaluation& out) override {
    positions_.push_back(position);
    out_.push_back(&out);
    return Status::queued;
  }
  std::size_t size() const override { return positions_.size(); }

  void compute() override {
    if (positions_.empty()) return;
    const std::vector<Position> positions = std::exchange(positions_, {});
    const std::vector<Evaluation*> out = std::exchange(out_, {});
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    fill(
        owner_.function_(owner_.inputs_ == Inputs::planes ? py::object(planes_of_all(positions)) : to_array(positions)),
        positions, out);
  }

 private:
  static void fill(const py::object& result, const std::vector<Position>& positions,
                   const std::vector<Evaluation*>& out) {
    if ((!py::isinstance<py::tuple>(result) && !py::isinstance<py::list>(result)) || py::len(result) != 2)
      refuse("the result must be a pair: logits of the policy, and logits of the outcome or values");
    const std::size_t rows = positions.size();
    const auto pair = py::reinterpret_borrow<py::sequence>(result);
    const auto policy = floats(py::object(pair[0]), "the policy", rows);
    const auto outcome = floats(py::object(pair[1]), "the outcome", rows);
    if (policy.ndim() != 2 || (policy.shape(1) != kMoves && policy.shape(1) != kActions)) {
      refuse("the policy must have the shape (N, 16), by move of the phase, or (N, 32), by action, not " +
             shape_of(policy));
    }
    const bool by_outcome = outcome.ndim() == 2 && outcome.shape(1) == kOutcomes;
    if (!by_outcome && outcome.ndim() != 1 && !(outcome.ndim() == 2 && outcome.shape(1) == 1)) {
      refuse("the outcome must have the shape (N, 3), logits of win, draw and loss, or (N,), values, not " +
             shape_of(outcome));
    }
    const py::ssize_t width = policy.shape(1);
    const float *logits = policy.data(), *outcomes = outcome.data();
    for (std::size_t row = 0; row < rows; ++row) {
      const Position& p = positions[row];
      Evaluation& e = *out[row];
      take_policy(logits + (width == kActions && !p.has_hand() ? kSquares : 0), p, row, e);
      logits += width;
      if (by_outcome) {
        take_outcome(outcomes, p, row, e);
        outcomes += kOutcomes;
      } else {
        take_value(*outcomes++, p, row, e);
      }
    }
  }

  const FunctionEvaluator& owner_;
  std::vector<Position> positions_;
  std::vector<Evaluation*> out_;
};

FunctionEvaluator::FunctionEvaluator(py::object function, Inputs inputs, Rules rules)
    : function_(std::move(function)), inputs_(inputs), rules_(rules) {
  if (PyCallable_Check(function_.ptr()) == 0) {
    throw py::type_error(
        "a network is a function evaluate(planes), a quartozero.Evaluator or a quartozero.Player, not " +
        py::str(py::type::of(function_).attr("__name__")).cast<std::string>());
  }
  require_numpy();
}

std::unique_ptr<EvaluationBatch> FunctionEvaluator::new_batch() { return std::make_unique<Batch>(*this); }

GivenEvaluator evaluator_of(const py::object& given) {
  if (py::isinstance<LightPlayer>(given)) {
    auto& player = given.cast<LightPlayer&>();
    return {given, &player.evaluator(), player.info().rules};
  }
  py::object owner = given;
  if (!py::isinstance<FunctionEvaluator>(given)) {
    owner = py::cast(std::make_unique<FunctionEvaluator>(given, FunctionEvaluator::Inputs::planes, Rules::lines));
  }
  auto& evaluator = owner.cast<FunctionEvaluator&>();
  return {owner, &evaluator, evaluator.rules()};
}

void bind_evaluator(py::module_& m) {
  py::class_<FunctionEvaluator> evaluator(
      m, "Evaluator",
      "A network of your own: evaluate(inputs) -> (policy, outcome), arrays of any framework that NumPy reads without\n"
      "help, or by DLPack. inputs: \"planes\", float32 [N, 34, 4, 4] as of encode(), or \"positions\", int8 [N, 17] as of\n"
      "to_array(). policy: logits [N, 16] by index of the move (MOVES), or [N, 32] by action (Batch); illegal moves may\n"
      "have any. outcome: logits [N, 3] of win, draw and loss for the player to act, or values [N] in -1..1.\n"
      "Wherever a network is wanted, a function stands for Evaluator(function). It is called on the caller's thread.");
  in_package(evaluator)
      .def(py::init([](py::object function, const std::string& inputs, const std::string& rules) {
             if (inputs != "planes" && inputs != "positions")
               throw py::value_error("inputs must be 'planes' or 'positions', not '" + inputs + "'");
             return std::make_unique<FunctionEvaluator>(
                 std::move(function),
                 inputs == "planes" ? FunctionEvaluator::Inputs::planes : FunctionEvaluator::Inputs::positions,
                 parse_rules(rules));
           }),
           py::arg("evaluate"), py::arg("inputs") = "planes", py::arg("rules") = "lines")
      .def_property_readonly("rules", [](const FunctionEvaluator& e) { return to_string(e.rules()); })
      .def_property_readonly("inputs", [](const FunctionEvaluator& e) {
        return e.inputs() == FunctionEvaluator::Inputs::planes ? "planes" : "positions";
      });
}

}  // namespace quarto::python
