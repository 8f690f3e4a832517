#include "model/pairs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "env/attribute_values.h"
#include "env/lines.h"
#include "light/count_planes.h"
#include "light/pairs_input.h"
#include "light/replies.h"
#include "model/input.h"

namespace quarto {
namespace {

namespace at = light::pairs_entry;
using light::kCategories;
using light::kCounts;
using light::kReplyCounts;

// Far larger than any activation, so that subtracting it makes a ReLU zero. Adding it back to its negative gives
// exactly zero.
constexpr float kNever = 1e4F;
// Larger than any count.
constexpr float kMany = 64;
// The kernel's scales of sums, as factors of means: over sixteen items, and over all pairs.
constexpr float kSum = kSquares * light::kSumScale;
constexpr float kAll = kSquares * kPieces * light::kSumScale * light::kAllScale;
using light::kLineScale, light::kToPairScale, light::kToSquareScale;

std::int64_t board_input(int plane, int s) { return plane * kSquares + s; }
std::int64_t flag_input(int plane) { return kBoardPlanes * kSquares + plane - kBoardPlanes; }
bool has(int piece, int value) { return ((piece >> (value / 2)) & 1) == value % 2; }

// The bias of a linear map of a sum of `n` zeros and ones: its clamp01 is the steps "more than k", k = 0..n-1.
torch::Tensor step_bias(int n) { return -torch::arange(n).to(torch::kFloat32); }
// Converts these steps to "exactly k", k = 0..n, with bias [1, 0, 0, ..].
torch::Tensor steps_to_counts(int n) {
  torch::Tensor m = torch::zeros({n, n + 1});
  for (int k = 0; k < n; ++k) {
    m[k][k] = -1.0F;
    m[k][k + 1] = 1.0F;
  }
  return m;
}
// Converts the steps "at least k", k = 0..n-1, to "exactly k".
torch::Tensor differences(int n) {
  torch::Tensor m = torch::eye(n);
  for (int k = 1; k < n; ++k) m[k][k - 1] = -1.0F;
  return m;
}
torch::Tensor first_one(int n) {
  torch::Tensor b = torch::zeros({n});
  b[0] = 1.0F;
  return b;
}

}  // namespace

struct PairsNetwork::Features {
  Signal stem;        // [N, 16 squares, 16 pieces, width]: the initial value of a pair
  Signal not_hand;    // [N, 1, 16 pieces, 1]: -kNever except for the piece in hand
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
  const std::span<const Mask> lines = winning_sets(rules_);
  const auto line_count = static_cast<std::int64_t>(lines.size());
  const auto on = [&](std::size_t l, int s) { return ((lines[l] >> s) & 1) != 0; };
  const auto at_state = [](std::size_t l, int c, int k) {
    return (static_cast<std::int64_t>(l) * kAttributeValues + c) * kSide + k;
  };

  // Lines: alive, and alive with at least 1, 2, 3 pieces; by line, attribute value, number.
  torch::Tensor w = torch::zeros({kInputs, line_count * kAttributeValues * kSide}), b = torch::zeros({w.size(1)});
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (int c = 0; c < kAttributeValues; ++c) {
      const int own = (c % 2 ? Planes::kHas : Planes::kLacks) + c / 2;
      const int opposite = (c % 2 ? Planes::kLacks : Planes::kHas) + c / 2;
      for (int k = 0; k < kSide; ++k) {
        for (const int s : BitsOf(lines[l])) {
          w[board_input(own, s)][at_state(l, c, k)] = k == 0 ? 0.0F : 1.0F;
          w[board_input(opposite, s)][at_state(l, c, k)] = -static_cast<float>(kSide);
        }
        b[at_state(l, c, k)] = static_cast<float>(1 - k);
      }
    }
  }
  keep("const_lines", w);
  keep("const_lines_bias", b);
  keep("const_exact", differences(kSide));

  // By square: the attribute values with which a line through another square can be completed; and those with which a
  // line can be completed after a piece is placed on this square.
  torch::Tensor threats = torch::zeros({w.size(1), kSquares * 2 * kAttributeValues});
  torch::Tensor wins = torch::zeros({w.size(1), kSquares * kAttributeValues}),
                any = torch::zeros({w.size(1), kAttributeValues});
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (int c = 0; c < kAttributeValues; ++c) {
      any[at_state(l, c, 3)][c] = 1.0F;
      for (int s = 0; s < kSquares; ++s) {
        const std::int64_t elsewhere = static_cast<std::int64_t>(s) * 2 * kAttributeValues + c;
        if (!on(l, s)) {
          threats[at_state(l, c, 3)][elsewhere] = 1.0F;
          continue;
        }
        threats[at_state(l, c, 2)][elsewhere + kAttributeValues] = 1.0F;
        threats[at_state(l, c, 3)][elsewhere + kAttributeValues] = -1.0F;
        wins[at_state(l, c, 3)][static_cast<std::int64_t>(s) * kAttributeValues + c] = 1.0F;
      }
    }
  }
  keep("const_threats", threats);
  keep("const_wins", wins);
  keep("const_any", any);

  // After piece p is placed on the square: the attribute values with which a line can be completed, and p itself.
  torch::Tensor danger = torch::zeros({2 * kAttributeValues, kPieces * (kAttributeValues + kPieces)});
  torch::Tensor danger_bias = torch::zeros({danger.size(1)});
  // From these: whether piece q is not safe.
  torch::Tensor unsafe = torch::zeros({kAttributeValues + kPieces, kPieces}),
                incidence = torch::zeros({kAttributeValues, kPieces});
  torch::Tensor hand = torch::zeros({kInputs, kPieces});
  for (int p = 0; p < kPieces; ++p) {
    for (int c = 0; c < kAttributeValues; ++c) {
      danger[c][p * (kAttributeValues + kPieces) + c] = 1.0F;
      if (has(p, c)) {
        danger[kAttributeValues + c][p * (kAttributeValues + kPieces) + c] = 1.0F;
        unsafe[c][p] = -1.0F;
        incidence[c][p] = 1.0F;
        hand[flag_input((c % 2 ? Planes::kHandHas : Planes::kHandLacks) + c / 2)][p] = 1.0F;
      }
    }
    danger_bias[p * (kAttributeValues + kPieces) + kAttributeValues + p] = 1.0F;
    unsafe[kAttributeValues + p][p] = -1.0F;
  }
  keep("const_danger", danger);
  keep("const_danger_bias", danger_bias);
  keep("const_unsafe", unsafe);
  keep("const_incidence", incidence);
  keep("const_attribute_values", incidence.t().contiguous());  // [piece, attribute value]
  keep("const_hand", hand);
  keep("const_hand_bias", torch::full({kPieces}, 1.0F - kAttributes));

  keep("const_count", torch::ones({kSquares, kSquares}));
  keep("const_step_bias", step_bias(kSquares));
  keep("const_steps_to_counts", steps_to_counts(kSquares));
  keep("const_first_one", first_one(kCounts));
  // A count of safe pieces is at most 15. The last class, 16, means that the placement wins.
  keep("const_steps_to_categories", steps_to_counts(kSquares).slice(1, 0, kSquares).contiguous());
  keep("const_first_category", first_one(kSquares));
  keep("const_minus_one", -torch::ones({1, 1}));

  // Two copies of a count: the first is used for a give, the second for a place.
  torch::Tensor by_phase = torch::zeros({kCounts + 1, 2 * kCounts}), by_phase_bias = torch::zeros({2 * kCounts});
  for (int k = 0; k < kCounts; ++k) {
    by_phase[k][k] = by_phase[k][kCounts + k] = 1.0F;
    by_phase[kCounts][k] = -1.0F;
    by_phase[kCounts][kCounts + k] = 1.0F;
    by_phase_bias[kCounts + k] = -1.0F;
  }
  keep("const_by_phase", by_phase);
  keep("const_by_phase_bias", by_phase_bias);

  keep("const_minus_identity", -torch::eye(kPieces));
  keep("const_open", torch::full({1, 1}, kNever));  // x -> kNever * (x - 1)
  keep("const_open_bias", torch::full({1}, -kNever));
  keep("const_alive", torch::full({kSide, 1}, kNever));

  torch::Tensor on_line = torch::zeros({line_count, kSquares});
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (const int s : BitsOf(lines[l])) on_line[static_cast<std::int64_t>(l)][s] = 1.0F;
  }
  keep("const_to_lines", on_line);
  keep("const_from_lines", on_line.t().contiguous());
  keep("const_zero", torch::zeros({config().width}));
}

PairsNetwork::Features PairsNetwork::features(Ops& ops, const Signal& planes) const {
  const std::int64_t w = config().width;
  const auto zero = [this](std::int64_t n) { return constant("const_zero").slice(0, 0, n); };
  const auto zeros = [](const torch::Tensor& m) { return torch::zeros({m.size(1)}, m.options()); };
  const auto map = [&](const Signal& x, const char* matrix) {
    return ops.linear(x, constant(matrix), zeros(constant(matrix)));
  };
  const Signal whole = ops.reshape(planes, {-1, input_planes(config()) * kSquares});
  const Signal flat = ops.slice(whole, 1, 0, kPlanes * kSquares);
  const Signal flags =
      ops.reshape(ops.slice(ops.slice(ops.reshape(flat, {-1, kPlanes, kSquares}), 1, kBoardPlanes, kPlanes), 2, 0, 1),
                  {-1, kFlagPlanes});
  const Signal inputs = ops.concat({ops.slice(flat, 1, 0, kBoardPlanes * kSquares), flags}, 1);
  const Signal empty = ops.slice(flat, 1, 0, kSquares);
  const Signal available = ops.slice(flags, 1, kFlagPlanes - kPieces, kFlagPlanes);
  const std::int64_t placing_at = Planes::kPlacing - kBoardPlanes;
  const Signal placing = ops.slice(flags, 1, placing_at, placing_at + 1);
  const Signal hand = ops.clamp01(ops.linear(inputs, constant("const_hand"), constant("const_hand_bias")));
  const Signal left = ops.add(available, hand);

  const Signal lines = ops.clamp01(ops.linear(inputs, constant("const_lines"), constant("const_lines_bias")));
  const Signal state = map(ops.reshape(lines, {-1, kSide}), "const_exact");
  const Signal threats = ops.reshape(ops.clamp01(map(lines, "const_threats")), {-1, 2 * kAttributeValues});
  const Signal wins = ops.clamp01(map(ops.reshape(ops.clamp01(map(lines, "const_wins")), {-1, kAttributeValues}),
                                      "const_incidence"));  // [N*16, 16]
  const Signal loses = ops.clamp01(map(ops.clamp01(map(lines, "const_any")), "const_incidence"));

  // The number of pieces that are safe to give after each placement.
  const Signal danger =
      ops.clamp01(ops.linear(threats, constant("const_danger"), constant("const_danger_bias")));  // [N*16, 16*24]
  const Signal unsafe = map(ops.reshape(danger, {-1, kAttributeValues + kPieces}), "const_unsafe");
  const Signal safe = ops.clamp01(
      ops.add(ops.reshape(unsafe, {-1, kSquares, kPieces, kPieces}), ops.reshape(left, {-1, 1, 1, kPieces})));
  const Signal steps =
      ops.clamp01(ops.linear(ops.reshape(safe, {-1, kPieces}), constant("const_count"), constant("const_step_bias")));
  const Signal counts =
      ops.linear(steps, constant("const_steps_to_categories"), constant("const_first_category"));  // [N*256, 16]
  const Signal win = ops.reshape(wins, {-1, 1});
  const Signal category = ops.concat({ops.clamp01(ops.add(counts, map(win, "const_minus_one"))), win}, 1);
  Signal pair = ops.reshape(ops.linear(category, weight(at::kPair), zero(w)), {-1, kSquares, kPieces, w});
  std::vector<torch::Tensor> tables;
  for (int i = 0; i < at::kReplies; ++i) tables.push_back(weight(at::replies(config().blocks, i)));
  for (int i = 0; i < at::kThird; ++i) tables.push_back(weight(at::third(config().blocks, i)));
  for (int i = 0; i < at::kFourth; ++i) tables.push_back(weight(at::fourth(config().blocks, i)));
  const Signal added = ops.slice(whole, 1, kPlanes * kSquares, input_planes(config()) * kSquares);
  const Signal sums = ops.linear(ops.reshape(added, {-1, light::kPairCounts}), torch::cat(tables), zero(w));
  pair = ops.add(pair, ops.reshape(sums, {-1, kSquares, kPieces, w}));

  // The terms that are equal for a whole row or for all pairs.
  const auto table = [&](const Signal& ones, int entry) {
    const Signal steps_of = ops.clamp01(ops.linear(ones, constant("const_count"), constant("const_step_bias")));
    const Signal count = ops.linear(steps_of, constant("const_steps_to_counts"), constant("const_first_one"));
    const Signal by_phase = ops.clamp01(
        ops.linear(ops.concat({count, placing}, 1), constant("const_by_phase"), constant("const_by_phase_bias")));
    return ops.linear(by_phase, weight(entry), zero(w));
  };
  const Signal safe_now = ops.clamp01(ops.linear_onto(available, loses, constant("const_minus_identity")));
  const Signal all = ops.add(table(empty, at::kEmpty), table(safe_now, at::kSafe));
  const Signal piece_flags = ops.concat({ops.reshape(hand, {-1, kPieces, 1}), ops.reshape(loses, {-1, kPieces, 1})}, 2);
  const Signal rows =
      ops.linear(ops.reshape(piece_flags, {-1, 2}), torch::cat({weight(at::kHand), weight(at::kLoses)}), zero(w));

  const auto never_but = [&](const Signal& ones, const Sizes& sizes) {
    return ops.reshape(ops.linear(ops.reshape(ones, {-1, 1}), constant("const_open"), constant("const_open_bias")),
                       sizes);
  };
  const Signal base = ops.add(ops.reshape(rows, {-1, 1, kPieces, w}), ops.reshape(all, {-1, 1, 1, w}));
  const Signal there = ops.add(never_but(empty, {-1, kSquares, 1, 1}), never_but(left, {-1, 1, kPieces, 1}));
  Features f;
  f.stem = ops.add(ops.add(pair, base), there);
  f.not_hand = never_but(hand, {-1, 1, kPieces, 1});
  f.line_state = state;
  f.dead = ops.linear(state, constant("const_alive"), constant("const_open_bias"));
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

HeadSignals PairsNetwork::describe(Ops& ops, const Signal& planes) {
  const std::int64_t w = config().width, head = config().head_width;
  const Features f = features(ops, planes);
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
