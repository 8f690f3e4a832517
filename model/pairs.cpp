#include "model/pairs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "env/attribute_values.h"
#include "env/lines.h"
#include "light/counts.h"

namespace quarto {
namespace {

namespace at = light::pairs_entry;

// Far larger than any activation, so that subtracting it makes a ReLU zero. Adding it back to its negative gives
// exactly zero.
constexpr float kNever = 1e4F;
// The kernel's scales of sums, as factors of means: over sixteen items, and over all pairs.
constexpr float kSum = kSquares * light::kSumScale;
constexpr float kAll = kSquares * kPieces * light::kSumScale * light::kAllScale;
using light::kLineScale, light::kToPairScale, light::kToSquareScale;

bool has(int piece, int value) { return ((piece >> (value / 2)) & 1) == value % 2; }

}  // namespace

struct PairsNetwork::Features {
  Signal stem;        // [N, 16 squares, 16 pieces, width]: the initial value of a pair
  Signal not_hand;    // [N, 16 squares, 16 pieces, 1]: -kNever except for the piece in hand
  Signal line_state;  // [N * lines * 8 attribute values, 4]: the number of pieces on the line if it is alive, one-hot
  Signal dead;        // [N * lines * 8 attribute values, 1]: -kNever unless the line is alive
};

PairsNetwork::PairsNetwork(const NetworkConfig& given)
    : Network(given),
      rules_(config().rules),
      lines_(static_cast<int>(winning_sets(rules_).size())),
      layout_(pairs_shape(config())) {
  for (const auto& e : layout_.entries) {
    const double scale = e.table ? std::sqrt(e.gain) : std::sqrt(e.gain / static_cast<float>(e.rows));
    weights_.push_back(register_parameter(e.name, torch::randn({e.rows, e.cols}) * scale));
  }
  make_constants();
}

light::Floats PairsNetwork::flat_weights() const {
  light::Floats flat(static_cast<std::size_t>(layout_.size), 0.0F);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const torch::Tensor w = weights_[i].detach().to(torch::kCPU, torch::kFloat32).contiguous();
    std::memcpy(flat.data() + layout_.entries[i].offset, w.data_ptr<float>(),
                sizeof(float) * static_cast<std::size_t>(w.numel()));
  }
  return flat;
}

void PairsNetwork::set_gradients(std::span<const float> flat) {
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    torch::Tensor& w = weights_[i];
    if (!w.grad().defined()) w.mutable_grad() = torch::empty_like(w);
    std::memcpy(w.mutable_grad().data_ptr<float>(), flat.data() + layout_.entries[i].offset,
                sizeof(float) * static_cast<std::size_t>(w.numel()));
  }
}

std::shared_ptr<const light::PairsKernel> PairsNetwork::make_kernel() const {
  return light::PairsKernel::make(layout_.shape, flat_weights());
}

void PairsNetwork::make_constants() {
  const auto keep = [this](const std::string& name, const torch::Tensor& tensor) {
    constants_[name] = register_buffer(name, tensor);
  };
  torch::Tensor incidence = torch::zeros({kAttributeValues, kPieces});
  for (int p = 0; p < kPieces; ++p) {
    for (int c = 0; c < kAttributeValues; ++c) incidence[c][p] = has(p, c) ? 1.0F : 0.0F;
  }
  keep("const_incidence", incidence);
  keep("const_attribute_values", incidence.t().contiguous());  // [piece, attribute value]

  // The sum of a one-hot row, x -> kNever * (x - 1): of categories, of line states, of one flag.
  keep("const_one_of_categories", torch::full({light::kCategories, 1}, kNever));
  keep("const_one_of_states", torch::full({light::kLineStates, 1}, kNever));
  keep("const_flag", torch::full({1, 1}, kNever));
  keep("const_never", torch::full({1}, -kNever));

  const std::span<const Mask> lines = winning_sets(rules_);
  torch::Tensor on_line = torch::zeros({lines_, kSquares});
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (const int s : BitsOf(lines[l])) on_line[static_cast<std::int64_t>(l)][s] = 1.0F;
  }
  keep("const_to_lines", on_line);
  keep("const_from_lines", on_line.t().contiguous());
  keep("const_zero", torch::zeros({config().width}));
}

PairsNetwork::Features PairsNetwork::features(Ops& ops, const Signal& input) const {
  const std::int64_t w = config().width;
  const Signal counts = ops.reshape(ops.slice(input, 1, 0, light::kPairCounts), {-1, light::kPairRows});
  const Signal states =
      ops.slice(input, 1, light::kPairCounts, light::kPairCounts + lines_ * std::int64_t{light::kLineCounts});
  std::vector<torch::Tensor> tables;
  for (int t = 0; t < light::kTables; ++t) tables.push_back(weight(at::table(config().blocks, t)));
  const Signal pairs = ops.linear(counts, torch::cat(tables), constant("const_zero"));
  const auto rows_of = [&](light::Table table) {
    const int first = light::first_row(table);
    return ops.slice(counts, 1, first, first + light::rows_of(table));
  };
  const auto never_but = [&](const Signal& one_hot, const char* matrix) {
    return ops.linear(one_hot, constant(matrix), constant("const_never"));
  };
  // A pair that is not there has no category.
  const Signal there = never_but(rows_of(light::kPair), "const_one_of_categories");
  Features f;
  f.stem = ops.add(ops.reshape(pairs, {-1, kSquares, kPieces, w}), ops.reshape(there, {-1, kSquares, kPieces, 1}));
  f.not_hand = ops.reshape(never_but(rows_of(light::kHand), "const_flag"), {-1, kSquares, kPieces, 1});
  f.line_state = ops.reshape(states, {-1, light::kLineStates});
  f.dead = never_but(f.line_state, "const_one_of_states");
  return f;
}

PairsNetwork::Pooled PairsNetwork::pool(Ops& ops, const Signal& h, const Signal& r, const Features& f) const {
  Pooled p;
  p.row_sum = ops.mean(r, 1);  // [N, 16 pieces, width]; the weights that read it contain the factor from mean to sum
  p.row_max = ops.max(r, 1);
  p.column_sum = ops.mean(r, 2);  // [N, 16 squares, width]
  p.column_max = ops.max(r, 2);
  p.hand = ops.mean(ops.relu(ops.add(h, f.not_hand)), 2);
  p.all_sum = ops.mean(p.column_sum, 1);  // [N, width]
  p.all_max = ops.max(p.column_max, 1);
  return p;
}

Signal PairsNetwork::block(Ops& ops, int b, const Signal& h, const Features& f) const {
  const std::int64_t w = config().width, lines = lines_;
  const auto of = [&](int entry) -> const torch::Tensor& { return weight(at::block(b, entry)); };
  const torch::Tensor zero = constant("const_zero").slice(0, 0, w);
  const auto flat = [&](const Signal& x) { return ops.reshape(x, {-1, w}); };
  const Signal r = ops.relu(h);
  const Pooled p = pool(ops, h, r, f);

  const Signal by_value = ops.mix(ops.reshape(r, {-1, kPieces, w}), constant("const_incidence"));
  const Signal line_in =
      ops.mix(ops.reshape(by_value, {-1, kSquares, kAttributeValues * w}), constant("const_to_lines") * kLineScale);
  const Signal line_squares = ops.mix(p.column_sum, constant("const_to_lines") * kSum);
  const Signal per_line = ops.linear(flat(line_squares), of(at::kLineSquares), zero);
  const Signal by_state =
      ops.linear_onto(ops.linear(f.line_state, of(at::kLineState), zero), flat(line_in), of(at::kLineAttributeValue));
  const Signal message = ops.relu(ops.add(
      ops.add(ops.reshape(by_state, {-1, lines, kAttributeValues, w}), ops.reshape(per_line, {-1, lines, 1, w})),
      ops.reshape(f.dead, {-1, lines, kAttributeValues, 1})));
  const Signal to_square =
      ops.mix(ops.mean(message, 2), constant("const_from_lines") * (kToSquareScale * kAttributeValues));
  const Signal told = ops.linear(flat(message), of(at::kLineToPair), zero);
  const Signal on_squares =
      ops.mix(ops.reshape(told, {-1, lines, kAttributeValues * w}), constant("const_from_lines") * kToPairScale);
  const Signal to_pairs =
      ops.mix(ops.reshape(on_squares, {-1, kAttributeValues, w}), constant("const_attribute_values"));

  const auto part = [&](int entry, int i) { return of(entry).slice(0, i * w, (i + 1) * w); };
  const Signal all = ops.linear_onto(ops.linear(p.all_sum, part(at::kAll, 0) * kAll, of(at::kBias).flatten()),
                                     p.all_max, part(at::kAll, 1));
  const Signal rows = ops.linear_onto(ops.linear(flat(p.row_sum), part(at::kRows, 0) * kSum, zero), flat(p.row_max),
                                      part(at::kRows, 1));
  Signal columns = ops.linear(flat(p.hand), part(at::kColumns, 0) * static_cast<float>(kPieces), zero);
  columns = ops.linear_onto(columns, flat(p.column_sum), part(at::kColumns, 1) * kSum);
  columns = ops.linear_onto(columns, flat(p.column_max), part(at::kColumns, 2));
  columns = ops.linear_onto(columns, flat(to_square), of(at::kLineToSquare));
  const Signal around = ops.add(ops.add(ops.reshape(rows, {-1, 1, kPieces, w}), ops.reshape(all, {-1, 1, 1, w})),
                                ops.reshape(columns, {-1, kSquares, 1, w}));
  const Signal inner = ops.relu(ops.linear_onto(
      flat(ops.add(ops.reshape(to_pairs, {-1, kSquares, kPieces, w}), around)), flat(r), of(at::kSelf)));
  return ops.add(h,
                 ops.reshape(ops.linear(inner, of(at::kOut), of(at::kOutBias).flatten()), {-1, kSquares, kPieces, w}));
}

HeadSignals PairsNetwork::describe(Ops& ops, const Signal& input) {
  const std::int64_t w = config().width, head = config().head_width;
  const Features f = features(ops, input);
  Signal h = f.stem;
  for (int b = 0; b < config().blocks; ++b) h = block(ops, b, h, f);
  const Pooled p = pool(ops, h, ops.relu(h), f);

  const auto of = [&](int entry) -> const torch::Tensor& { return weight(at::head(config().blocks, entry)); };
  const auto flat = [&](const Signal& x) { return ops.reshape(x, {-1, w}); };
  const torch::Tensor zero = constant("const_zero").slice(0, 0, 1);
  const torch::Tensor no_bias = torch::zeros({head}, of(at::kGiveBias).options());
  const auto policy = [&](const Signal& each, const Signal& all, int out) {
    const Signal hidden = ops.relu(ops.add(ops.reshape(each, {-1, kMoves, head}), ops.reshape(all, {-1, 1, head})));
    return ops.reshape(ops.linear(ops.reshape(hidden, {-1, head}), of(out).t(), zero), {-1, kMoves});
  };
  const auto part = [&](int entry, int i) { return of(entry).slice(0, i * w, (i + 1) * w); };
  const auto everything = [&](int entry, int bias) {
    return ops.linear_onto(ops.linear(p.all_sum, part(entry, 0) * kAll, of(bias).flatten()), p.all_max, part(entry, 1));
  };
  const Signal gives = ops.linear_onto(ops.linear(flat(p.row_sum), part(at::kGiveRows, 0) * kSum, no_bias),
                                       flat(p.row_max), part(at::kGiveRows, 1));
  const Signal hands = ops.linear(flat(p.hand), part(at::kPlaceColumns, 0) * static_cast<float>(kPieces), no_bias);
  const Signal places = ops.linear_onto(ops.linear_onto(hands, flat(p.column_sum), part(at::kPlaceColumns, 1) * kSum),
                                        flat(p.column_max), part(at::kPlaceColumns, 2));
  Signal outcome = everything(at::kOutcomeAll, at::kOutcomeBias);
  outcome = ops.linear_onto(outcome, ops.mean(p.hand, 1), part(at::kOutcomeHand, 0) * (kSum * kPieces));
  outcome = ops.linear_onto(outcome, ops.max(p.hand, 1), part(at::kOutcomeHand, 1) * static_cast<float>(kPieces));
  return {policy(places, everything(at::kPlaceAll, at::kPlaceBias), at::kPlaceOut),
          policy(gives, everything(at::kGiveAll, at::kGiveBias), at::kGiveOut),
          ops.linear(ops.relu(outcome), of(at::kOutcomeOut).t(), of(at::kOutcomeOutBias).flatten())};
}

}  // namespace quarto
