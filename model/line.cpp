#include "model/line.h"

#include "env/lines.h"

namespace quarto {
namespace {

using Place = Field::Place;

constexpr int kColours = 2 * kAttributes;            // colour 2i: lacks attribute i; 2i + 1: has it
constexpr int kBoardPlanes = Planes::kHandHas;       // those that differ from square to square
constexpr int kFlagPlanes = kPlanes - kBoardPlanes;  // the others, read at one square
constexpr int kStemInputs = kBoardPlanes * kSquares + kFlagPlanes;

constexpr int kLineSteps = kSide;                    // alive, and alive with at least 1, 2, 3 pieces
constexpr int kLeftSteps = kPieces / 2;              // more than 0..7 pieces left of this colour
constexpr int kEmptySteps = kSquares;                // more than 0..15 empty squares
constexpr int kOnce = 2 + kLeftSteps;                // hand has it, hand lacks it, steps
constexpr int kShared = kSquares + kEmptySteps + 1;  // of no colour: empty squares, their number as steps, placing
constexpr int kSafeSteps = kPieces;                  // more than 0..15 pieces that do not lose at once when given

std::int64_t board_input(int plane, int s) { return plane * kSquares + s; }
std::int64_t flag_input(int plane) { return kBoardPlanes * kSquares + plane - kBoardPlanes; }

// The features of a colour, and those of no colour.
std::vector<Field> colour_features() { return {{Place::line, kLineSteps}, {Place::once, kOnce}}; }
std::vector<Field> global_features() { return {{Place::square, 1}, {Place::once, kEmptySteps + 1 + kSafeSteps}}; }

}  // namespace

LineNetwork::LineNetwork(const NetworkConfig& given) : Network(given), rules_(rules_of(config())) {
  make_fixed_features();
  const int d = config().width, k = config().pair_width, q = kPieceWidth, h = config().head_width;
  const std::vector<Field> rows = {{Place::square, d}}, pairs = {{Place::square, k}}, pieces = {{Place::once, q}};
  const std::vector<Field> lines = {{Place::line, d}};
  const Field pair_sum = {Place::square, k, kPieces};
  stem_ = make("stem", colour_features(), rows, 1.0);
  global_stem_ = make("global_stem", global_features(), rows, 0.3, false);
  piece_stem_ = make("piece_stem", {{Place::once, 2}}, pieces, 1.0);
  for (int i = 0; i < config().blocks; ++i) {
    const std::string name = "block" + std::to_string(i) + "_";
    Block b;
    b.to_lines = make(name + "to_lines", rows, lines, 2.0);
    b.from_lines = make(name + "from_lines", lines, rows, 0.5, false);
    b.to_pairs = make(name + "to_pairs", {{Place::once, d}}, {{Place::once, k}}, 0.5);
    b.piece_to_pairs = make(name + "piece_to_pairs", pieces, pairs, 1.0, false);
    b.pairs_to_rows = make(name + "pairs_to_rows", {{Place::once, k, kPieces / 2}}, {{Place::once, d}}, 1.0, false);
    b.squares_to_rows = make(name + "squares_to_rows", {pair_sum, {Place::square, k}}, rows, 0.3);
    b.pairs_to_pieces = make(name + "pairs_to_pieces", pairs, pieces, 1.0);
    b.best_to_pieces = make(name + "best_to_pieces", {{Place::once, k}}, pieces, 0.5, false);
    b.pieces = make(name + "pieces", pieces, pieces, 0.5, false);
    blocks_.push_back(b);
  }
  std::vector<Field> trunk = {{Place::square, d}, {Place::square, d}, pair_sum, {Place::square, k}};
  for (const Field& f : global_features()) trunk.push_back(f);
  place_hidden_ = make("place_hidden", trunk, {{Place::square, k}}, 1.0);
  place_ = make("place", {{Place::square, k}}, {{Place::square, 1}}, 0.1);
  give_hidden_ = make("give_hidden", pieces, {{Place::once, h}}, 2.0);
  give_ = make("give", {{Place::once, h}}, {{Place::once, 1}}, 0.1);
  outcome_hidden_ = make("outcome_hidden", trunk, {{Place::once, h}}, 1.0);
  outcome_pieces_ = make("outcome_pieces", {{Place::once, 2 * q}}, {{Place::once, h}}, 1.0, false);
  outcome_ = make("outcome", {{Place::once, h}}, {{Place::once, 3}}, 0.1);
}

BoardLinear LineNetwork::make(const std::string& name, std::vector<Field> in, std::vector<Field> out, double gain,
                              bool bias) {
  return register_module(name, BoardLinear(rules_, std::move(in), std::move(out), gain, bias));
}

// Every feature is clamp(w x + b, 0, 1) with whole-number w and b, hence exactly 0 or 1.
void LineNetwork::make_fixed_features() {
  const std::vector<Mask> lines = winning_sets(rules_);
  feature_size_ = row_size(colour_features(), rules_);
  torch::Tensor w = torch::zeros({kStemInputs, kColours, feature_size_}), b = torch::zeros({kColours, feature_size_});
  auto weight = w.accessor<float, 3>();
  auto bias = b.accessor<float, 2>();
  for (int c = 0; c < kColours; ++c) {
    const int attribute = c / 2;
    const bool has = c % 2 == 1;
    const int own = (has ? Planes::kHas : Planes::kLacks) + attribute;
    const int opposite = (has ? Planes::kLacks : Planes::kHas) + attribute;
    std::int64_t f = 0;
    for (const Mask line : lines) {
      for (int at_least = 0; at_least < kLineSteps; ++at_least, ++f) {
        for (const int s : BitsOf(line)) {
          weight[board_input(own, s)][c][f] = at_least == 0 ? 0.0F : 1.0F;
          weight[board_input(opposite, s)][c][f] = -kSide;
        }
        bias[c][f] = static_cast<float>(1 - at_least);
      }
    }
    weight[flag_input((has ? Planes::kHandHas : Planes::kHandLacks) + attribute)][c][f++] = 1.0F;
    weight[flag_input((has ? Planes::kHandLacks : Planes::kHandHas) + attribute)][c][f++] = 1.0F;
    for (int more_than = 0; more_than < kLeftSteps; ++more_than, ++f) {
      for (int p = 0; p < kPieces; ++p) {
        if (((p >> attribute) & 1) == has) weight[flag_input(Planes::kAvailable + p)][c][f] = 1.0F;
      }
      bias[c][f] = static_cast<float>(-more_than);
    }
  }
  torch::Tensor shared = torch::zeros({kStemInputs, kShared}), shared_bias = torch::zeros({kShared});
  for (int s = 0; s < kSquares; ++s) {
    shared[board_input(Planes::kEmpty, s)][s] = 1.0F;
    for (int more_than = 0; more_than < kEmptySteps; ++more_than) {
      shared[board_input(Planes::kEmpty, s)][kSquares + more_than] = 1.0F;
      shared_bias[kSquares + more_than] = -more_than;
    }
  }
  shared[flag_input(Planes::kPlacing)][kShared - 1] = 1.0F;
  // A line with three of the colour and a gap can be completed with it.
  torch::Tensor threat = torch::zeros({feature_size_, 1});
  for (std::size_t l = 0; l < lines.size(); ++l) threat[static_cast<std::int64_t>(l) * kLineSteps + 3][0] = 1.0F;
  torch::Tensor incidence = torch::zeros({kColours, kPieces});
  for (int c = 0; c < kColours; ++c) {
    for (int p = 0; p < kPieces; ++p) {
      if (((p >> (c / 2)) & 1) == c % 2) incidence[c][p] = 1.0F;
    }
  }
  features_ = register_buffer("const_features", w.reshape({kStemInputs, kColours * feature_size_}));
  features_bias_ = register_buffer("const_features_bias", b.flatten());
  shared_ = register_buffer("const_shared", shared);
  shared_bias_ = register_buffer("const_shared_bias", shared_bias);
  threat_ = register_buffer("const_threat", threat);
  threat_bias_ = register_buffer("const_threat_bias", torch::zeros({1}));
  colours_to_pieces_ = register_buffer("const_colours_to_pieces", -incidence);
  count_ = register_buffer("const_count", torch::ones({kPieces, kPieces}));
  count_bias_ = register_buffer("const_count_bias", -torch::arange(kPieces).to(torch::kFloat32));
}

void LineNetwork::run_block(Ops& ops, const Block& block, Streams& streams) const {
  const std::int64_t width = config().width, d = width * kSquares;
  const std::int64_t k = config().pair_width, ks = k * kSquares;
  // Along the lines and back.
  const Signal lines = ops.relu(block.to_lines->forward(ops, ops.relu(streams.rows)));
  const Signal rows = block.from_lines->onto(ops, streams.rows, lines);

  // Pairs: a piece's four colours are added up attribute by attribute, the last attribute slowest, which leaves the
  // pieces in order.
  const Signal by_colour =
      ops.reshape(block.to_pairs->forward(ops, ops.reshape(ops.relu(rows), {-1, width})), {-1, kAttributes, 2, ks});
  const auto attribute = [&](int i, const Sizes& sizes) {
    return ops.reshape(ops.slice(by_colour, 1, i, i + 1), sizes);
  };
  const Signal low = ops.add(attribute(1, {-1, 2, 1, ks}), attribute(0, {-1, 1, 2, ks}));
  const Signal high = ops.add(attribute(3, {-1, 2, 1, ks}), attribute(2, {-1, 1, 2, ks}));
  const Signal joined = ops.add(ops.reshape(high, {-1, 4, 1, ks}), ops.reshape(low, {-1, 1, 4, ks}));
  const Signal pairs =
      ops.relu(block.piece_to_pairs->onto(ops, ops.reshape(joined, {-1, ks}), streams.pieces));  // [N*16, 16*k]

  // Over the eight pieces that have each colour: add out the other attributes, one after the other. (Adding halves runs
  // at three times the speed of a reduction over an axis of two.) `outer`: how many pieces each half is apart in
  // blocks.
  const auto add_out = [&](const Signal& v, std::int64_t outer, std::int64_t inner) {
    const Signal split = ops.reshape(v, {-1, outer, 2, inner * ks});
    return ops.add(ops.slice(split, 2, 0, 1), ops.slice(split, 2, 1, 2));
  };
  const Signal bits321 = add_out(pairs, 8, 1), bits210 = add_out(pairs, 1, 8);
  const Signal bits32 = add_out(bits321, 4, 1), bits21 = add_out(bits321, 1, 4), bits10 = add_out(bits210, 1, 4);
  const Signal bit3 = add_out(bits32, 2, 1);
  const auto as_colours = [&](const Signal& v) { return ops.reshape(v, {-1, 2, ks}); };
  const Signal per_colour = ops.concat({as_colours(add_out(bits10, 1, 2)), as_colours(add_out(bits21, 1, 2)),
                                        as_colours(add_out(bits32, 1, 2)), as_colours(bit3)},
                                       1);
  streams.square_sum = ops.reshape(add_out(bit3, 1, 1), {-1, ks});
  streams.square_max = ops.max(ops.reshape(pairs, {-1, kPieces, ks}), 1);

  Signal best = pairs;  // over the squares, halving
  for (std::int64_t n = ks; n > k; n /= 2)
    best = ops.maximum(ops.slice(best, 1, 0, n / 2), ops.slice(best, 1, n / 2, n));
  const Signal piece_update = block.best_to_pieces->onto(
      ops, block.pieces->onto(ops, block.pairs_to_pieces->forward(ops, pairs), streams.pieces), best);
  streams.pieces = ops.add(streams.pieces, ops.relu(piece_update));

  const Signal squares = block.squares_to_rows->forward(ops, ops.concat({streams.square_sum, streams.square_max}, 1));
  const Signal joint = block.pairs_to_rows->onto(ops, ops.reshape(rows, {-1, width}), ops.reshape(per_colour, {-1, k}));
  streams.rows = ops.reshape(ops.add(ops.reshape(joint, {-1, kColours, d}), ops.reshape(squares, {-1, 1, d})), {-1, d});
}

HeadSignals LineNetwork::describe(Ops& ops, const Signal& planes) {
  const std::int64_t d = config().width * kSquares;
  const Signal flat = ops.reshape(planes, {-1, kPlanes * kSquares});
  const Signal board = ops.slice(flat, 1, 0, kBoardPlanes * kSquares);
  const Signal flags =
      ops.reshape(ops.slice(ops.slice(ops.reshape(planes, {-1, kPlanes, kSquares}), 1, kBoardPlanes, kPlanes), 2, 0, 1),
                  {-1, kFlagPlanes});
  const Signal available = ops.slice(flags, 1, kFlagPlanes - kPieces, kFlagPlanes);
  const Signal inputs = ops.concat({board, flags}, 1);
  const Signal features =
      ops.reshape(ops.clamp01(ops.linear(inputs, features_, features_bias_)), {-1, feature_size_});  // [N*8, .]
  const Signal threats = ops.reshape(ops.clamp01(ops.linear(features, threat_, threat_bias_)), {-1, kColours});
  const Signal safe = ops.clamp01(ops.linear_onto(available, threats, colours_to_pieces_));
  const Signal safe_steps = ops.clamp01(ops.linear(safe, count_, count_bias_));
  const Signal global = ops.concat({ops.clamp01(ops.linear(inputs, shared_, shared_bias_)), safe_steps}, 1);

  Streams streams;
  streams.rows = ops.reshape(ops.add(ops.reshape(stem_->forward(ops, features), {-1, kColours, d}),
                                     ops.reshape(global_stem_->forward(ops, global), {-1, 1, d})),
                             {-1, d});
  const Signal piece_inputs =
      ops.concat({ops.reshape(available, {-1, kPieces, 1}), ops.reshape(safe, {-1, kPieces, 1})}, 2);
  streams.pieces = ops.relu(piece_stem_->forward(ops, ops.reshape(piece_inputs, {-1, 2})));
  for (const Block& block : blocks_) run_block(ops, block, streams);

  const Signal rows = ops.reshape(ops.relu(streams.rows), {-1, kColours, d});
  const Signal trunk =
      ops.concat({ops.mean(rows, 1), ops.max(rows, 1), streams.square_sum, streams.square_max, global}, 1);
  const Signal place = place_->forward(ops, ops.relu(place_hidden_->forward(ops, trunk)));
  const Signal give = give_->forward(ops, ops.relu(give_hidden_->forward(ops, streams.pieces)));
  const Signal pieces = ops.reshape(streams.pieces, {-1, kPieces, kPieceWidth});
  const Signal pooled = ops.concat({ops.mean(pieces, 1), ops.max(pieces, 1)}, 1);
  const Signal outcome_hidden = ops.relu(outcome_pieces_->onto(ops, outcome_hidden_->forward(ops, trunk), pooled));
  return {place, ops.reshape(give, {-1, kPieces}), outcome_->forward(ops, outcome_hidden)};
}

}  // namespace quarto
