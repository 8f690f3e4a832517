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
constexpr int kOnce = 3 + kLeftSteps + kEmptySteps;  // hand has it, hand lacks it, placing, steps
constexpr int kGlobal = kPieces + kEmptySteps + 1;   // safe pieces as steps, empty squares as steps, placing

std::int64_t board_input(int plane, int s) { return plane * kSquares + s; }
std::int64_t flag_input(int plane) { return kBoardPlanes * kSquares + plane - kBoardPlanes; }

std::vector<Mask> lines_of(Rules rules) {
  std::vector<Mask> lines(kLineMasks.begin(), kLineMasks.end());
  if (rules == Rules::squares) lines.insert(lines.end(), kSmallSquareMasks.begin(), kSmallSquareMasks.end());
  return lines;
}

// What a row of features holds.
std::vector<Field> feature_fields() { return {{Place::line, kLineSteps}, {Place::square, 1}, {Place::once, kOnce}}; }

}  // namespace

LineNetwork::LineNetwork(const NetworkConfig& given) : Network(given), rules_(rules_of(config())) {
  make_fixed_features();
  const int d = config().width, k = config().pair_width, q = kPieceWidth, h = config().head_width;
  const std::vector<Field> rows = {{Place::square, d}}, pairs = {{Place::square, k}}, pieces = {{Place::once, q}};
  const std::vector<Field> hidden = {{Place::line, d}, {Place::square, d}};
  stem_ = make("stem", feature_fields(), rows, 1.0);
  global_stem_ = make("global_stem", {{Place::once, kGlobal}}, rows, 0.3, false);
  piece_stem_ = make("piece_stem", {{Place::once, 2}}, pieces, 1.0);
  for (int i = 0; i < config().blocks; ++i) {
    const std::string name = "block" + std::to_string(i) + "_";
    Block b;
    b.hidden = make(name + "hidden", rows, hidden, 2.0);
    b.to_pairs = make(name + "to_pairs", hidden, pairs, 0.5);
    b.piece_to_pairs = make(name + "piece_to_pairs", pieces, pairs, 1.0, false);
    b.to_rows = make(name + "to_rows", hidden, rows, 0.5);
    b.pooled_to_rows = make(name + "pooled_to_rows", pairs, rows, 0.5, false);
    b.squares_to_rows = make(name + "squares_to_rows", {{Place::square, k}, {Place::square, k}}, rows, 0.5, false);
    b.pairs_to_pieces = make(name + "pairs_to_pieces", pairs, pieces, 1.0);
    b.best_to_pieces = make(name + "best_to_pieces", {{Place::once, k}}, pieces, 1.0, false);
    b.pieces = make(name + "pieces", pieces, pieces, 1.0, false);
    blocks_.push_back(b);
  }
  const std::vector<Field> trunk = {
      {Place::square, d}, {Place::square, d}, {Place::square, k}, {Place::square, k}, {Place::once, kGlobal}};
  place_hidden_ = make("place_hidden", trunk, {{Place::square, k}}, 2.0);
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
  const std::vector<Mask> lines = lines_of(rules_);
  feature_size_ = row_size(feature_fields(), rules_);
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
    for (int s = 0; s < kSquares; ++s, ++f) weight[board_input(Planes::kEmpty, s)][c][f] = 1.0F;
    weight[flag_input((has ? Planes::kHandHas : Planes::kHandLacks) + attribute)][c][f++] = 1.0F;
    weight[flag_input((has ? Planes::kHandLacks : Planes::kHandHas) + attribute)][c][f++] = 1.0F;
    weight[flag_input(Planes::kPlacing)][c][f++] = 1.0F;
    for (int more_than = 0; more_than < kLeftSteps; ++more_than, ++f) {
      for (int p = 0; p < kPieces; ++p) {
        if (((p >> attribute) & 1) == has) weight[flag_input(Planes::kAvailable + p)][c][f] = 1.0F;
      }
      bias[c][f] = static_cast<float>(-more_than);
    }
    for (int more_than = 0; more_than < kEmptySteps; ++more_than, ++f) {
      for (int s = 0; s < kSquares; ++s) weight[board_input(Planes::kEmpty, s)][c][f] = 1.0F;
      bias[c][f] = static_cast<float>(-more_than);
    }
  }
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
  threat_ = register_buffer("const_threat", threat);
  threat_bias_ = register_buffer("const_threat_bias", torch::zeros({1}));
  colours_to_pieces_ = register_buffer("const_colours_to_pieces", -incidence);
  count_ = register_buffer("const_count", torch::ones({kPieces, kPieces}));
  count_bias_ = register_buffer("const_count_bias", -torch::arange(kPieces).to(torch::kFloat32));
}

void LineNetwork::run_block(Ops& ops, const Block& block, Streams& streams) const {
  const std::int64_t d = config().width * kSquares, k = config().pair_width, ks = k * kSquares;
  const Signal hidden = ops.relu(block.hidden->forward(ops, streams.rows));

  // Pairs: a piece's four colours are added up attribute by attribute, the last attribute slowest, which leaves the
  // pieces in order.
  const Signal by_colour = ops.reshape(block.to_pairs->forward(ops, hidden), {-1, kAttributes, 2, ks});
  const auto attribute = [&](int i, const Sizes& sizes) {
    return ops.reshape(ops.slice(by_colour, 1, i, i + 1), sizes);
  };
  const Signal low = ops.add(attribute(1, {-1, 2, 1, ks}), attribute(0, {-1, 1, 2, ks}));
  const Signal high = ops.add(attribute(3, {-1, 2, 1, ks}), attribute(2, {-1, 1, 2, ks}));
  const Signal joined = ops.add(ops.reshape(high, {-1, 4, 1, ks}), ops.reshape(low, {-1, 1, 4, ks}));
  const Signal pairs =
      ops.relu(block.piece_to_pairs->onto(ops, ops.reshape(joined, {-1, ks}), streams.pieces));  // [N*16, 16*k]

  // Over the pieces that have each colour: sum out the other attributes.
  const Signal four = ops.reshape(pairs, {-1, 4, 4, ks});  // [N, attributes 3 and 2, attributes 1 and 0, .]
  const Signal upper = ops.mean(four, 2), lower = ops.mean(four, 1);
  const auto halves = [&](const Signal& v, int keep) {
    return ops.reshape(ops.mean(ops.reshape(v, {-1, 2, 2, ks}), keep), {-1, 2, ks});
  };
  const Signal per_colour = ops.concat({halves(lower, 1), halves(lower, 2), halves(upper, 1), halves(upper, 2)}, 1);
  streams.square_mean = ops.mean(upper, 1);
  streams.square_max = ops.max(ops.reshape(pairs, {-1, kPieces, ks}), 1);

  Signal best = pairs;  // over the squares, halving
  for (std::int64_t n = ks; n > k; n /= 2)
    best = ops.maximum(ops.slice(best, 1, 0, n / 2), ops.slice(best, 1, n / 2, n));
  const Signal piece_update = block.best_to_pieces->onto(
      ops, block.pieces->onto(ops, block.pairs_to_pieces->forward(ops, pairs), streams.pieces), best);
  streams.pieces = ops.add(streams.pieces, ops.relu(piece_update));

  const Signal squares = block.squares_to_rows->forward(ops, ops.concat({streams.square_mean, streams.square_max}, 1));
  const Signal from_pairs = block.pooled_to_rows->onto(ops, streams.rows, ops.reshape(per_colour, {-1, ks}));
  const Signal rows = ops.linear_onto(from_pairs, hidden, block.to_rows->weight());
  streams.rows = ops.reshape(ops.add(ops.reshape(rows, {-1, kColours, d}), ops.reshape(squares, {-1, 1, d})), {-1, d});
}

HeadSignals LineNetwork::describe(Ops& ops, const Signal& planes) {
  const std::int64_t d = config().width * kSquares;
  const Signal flat = ops.reshape(planes, {-1, kPlanes * kSquares});
  const Signal board = ops.slice(flat, 1, 0, kBoardPlanes * kSquares);
  const Signal flags =
      ops.reshape(ops.slice(ops.slice(ops.reshape(planes, {-1, kPlanes, kSquares}), 1, kBoardPlanes, kPlanes), 2, 0, 1),
                  {-1, kFlagPlanes});
  const Signal available = ops.slice(flags, 1, kFlagPlanes - kPieces, kFlagPlanes);
  const Signal placing = ops.slice(flags, 1, Planes::kPlacing - kBoardPlanes, Planes::kPlacing - kBoardPlanes + 1);

  const Signal all_features = ops.clamp01(ops.linear(ops.concat({board, flags}, 1), features_, features_bias_));
  const Signal features = ops.reshape(all_features, {-1, feature_size_});  // [N*8, .]
  const Signal threats = ops.reshape(ops.clamp01(ops.linear(features, threat_, threat_bias_)), {-1, kColours});
  const Signal safe = ops.clamp01(ops.linear_onto(available, threats, colours_to_pieces_));
  const Signal safe_steps = ops.clamp01(ops.linear(safe, count_, count_bias_));
  const Signal empty_steps = ops.slice(all_features, 1, feature_size_ - kEmptySteps, feature_size_);
  const Signal global = ops.concat({safe_steps, empty_steps, placing}, 1);

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
      ops.concat({ops.mean(rows, 1), ops.max(rows, 1), streams.square_mean, streams.square_max, global}, 1);
  const Signal place = place_->forward(ops, ops.relu(place_hidden_->forward(ops, trunk)));
  const Signal give = give_->forward(ops, ops.relu(give_hidden_->forward(ops, streams.pieces)));
  const Signal pieces = ops.reshape(streams.pieces, {-1, kPieces, kPieceWidth});
  const Signal pooled = ops.concat({ops.mean(pieces, 1), ops.max(pieces, 1)}, 1);
  const Signal outcome_hidden = ops.relu(outcome_pieces_->onto(ops, outcome_hidden_->forward(ops, trunk), pooled));
  return {place, ops.reshape(give, {-1, kPieces}), outcome_->forward(ops, outcome_hidden)};
}

}  // namespace quarto
