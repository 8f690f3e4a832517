// What Search reports of its root: the moves, the choice among them, the policy to learn.
#include <algorithm>
#include <numeric>

#include "base/index.h"
#include "base/portable_math.h"
#include "env/notation.h"
#include "mcts/search.h"

namespace quarto {
namespace {

bool all_zero(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; });
}

}  // namespace

std::vector<RootMove> Search::searched_moves() const {
  std::vector<RootMove> moves;
  for (const Move move : searched_.moves()) {
    RootMove r;
    r.move = move;
    const int slot = tree_.empty() ? -1 : tree_.slot(0, r.move);
    if (slot >= 0) {
      const EdgeRef edge{0, slot};
      r.visits = tree_.visits(edge);
      r.prior = tree_.prior(edge);
      r.bounds = tree_.bounds(edge);
      if (r.visits > 0) r.value = tree_.mean(edge);
    } else if (const auto judged = judge(searched_, r.move)) {
      r.bounds = ValueBounds::exactly(*judged);
    }
    if (const auto proven = r.proven()) r.value = static_cast<float>(*proven);
    moves.push_back(r);
  }
  return moves;
}

std::vector<RootMove> Search::root_moves() const {
  std::vector<RootMove> moves = searched_moves();
  for (RootMove& r : moves) r.move = frame_.game(r.move);
  std::sort(moves.begin(), moves.end(),
            [](const RootMove& a, const RootMove& b) { return a.move.index < b.move.index; });
  return moves;
}

std::vector<RootMove> Search::candidates() const {
  std::vector<RootMove> moves = searched_moves();
  if (moves.empty()) throw std::logic_error("Search: no move to choose, the game is over in " + to_string(root_));
  const auto proven = [](Value v) { return [v](const RootMove& r) { return r.proven() == v; }; };
  if (std::any_of(moves.begin(), moves.end(), proven(Value::win))) {
    std::erase_if(moves, [](const RootMove& r) { return r.proven() != Value::win; });
  } else if (root_proven_value() == Value::draw) {
    std::erase_if(moves, [](const RootMove& r) { return r.bounds.low < Value::draw; });
  } else if (!std::all_of(moves.begin(), moves.end(), proven(Value::loss))) {
    std::erase_if(moves, proven(Value::loss));
  }
  return moves;
}

std::vector<RootMove> Search::contenders() const {
  std::vector<RootMove> moves = candidates();
  const auto safe = [](const RootMove& r) { return r.bounds.low >= Value::draw; };
  const auto hopeful = [](const RootMove& r) { return r.bounds.high == Value::win && r.value > 0; };
  if (!tree_.bounded() || root_proven() || std::none_of(moves.begin(), moves.end(), safe)) return moves;
  if (std::any_of(moves.begin(), moves.end(), hopeful)) {
    std::erase_if(moves, [&](const RootMove& r) { return !hopeful(r); });
  } else {
    std::erase_if(moves, [&](const RootMove& r) { return !safe(r); });
  }
  return moves;
}

Mask Search::slots_of(const std::vector<RootMove>& moves) const {
  Mask slots = 0;
  for (const RootMove& m : moves) {
    if (const int s = tree_.slot(0, m.move); s >= 0) slots |= static_cast<Mask>(1U << s);
  }
  return slots;
}

std::vector<double> Search::weights_of(const std::vector<RootMove>& moves, const gumbel::PerMove& by_slot) const {
  std::vector<double> weights(moves.size());
  std::transform(moves.begin(), moves.end(), weights.begin(), [&](const RootMove& m) {
    const int s = tree_.empty() ? -1 : tree_.slot(0, m.move);
    return s >= 0 ? by_slot[idx(s)] : 0;
  });
  if (all_zero(weights)) {
    std::transform(moves.begin(), moves.end(), weights.begin(), [](const RootMove& m) { return m.prior; });
  }
  if (all_zero(weights)) std::fill(weights.begin(), weights.end(), 1.0);
  return weights;
}

Move Search::best_move() const {
  const auto moves = contenders();
  if (tree_.empty()) return frame_.game(moves.front().move);  // the rules decide, or nothing is known
  return frame_.game(tree_.move(0, strategy_->best(root_view(), slots_of(moves))));
}

std::vector<Move> Search::expected_line() const {
  std::vector<Move> line = {best_move()};
  NodeIndex node = tree_.empty() ? kNoNode : 0;
  Move move = frame_.searched(line.front());
  while (node != kNoNode) {
    const int slot = tree_.slot(node, move);
    node = slot < 0 ? kNoNode : tree_.child({node, slot});
    if (node == kNoNode) break;
    const Node& n = tree_.node(node);
    const Mask all = all_slots(n.slots);
    Mask open = n.won ? n.won : n.lost == all ? all : static_cast<Mask>(all & ~n.lost);
    if (tree_.proven(node) == Value::draw && n.at_least_draw) open = n.at_least_draw;
    int best = -1;
    for (const int s : BitsOf(open)) {
      if (best < 0 || tree_.visits({node, s}) > tree_.visits({node, best})) best = s;
    }
    if (best < 0 || (tree_.visits({node, best}) == 0 && !tree_.proven(EdgeRef{node, best}))) break;
    move = tree_.move(node, best);
    line.push_back(frame_.game(move));
  }
  return line;
}

Move Search::sample_move(double temperature, Rng& rng) const {
  if (temperature <= 0 || strategy_->best_is_a_sample()) return best_move();
  const auto moves = candidates();
  auto weights =
      weights_of(moves, tree_.empty() ? gumbel::PerMove{} : strategy_->sampling_weights(root_view(), slots_of(moves)));
  if (temperature != 1) {
    const double greatest = *std::max_element(weights.begin(), weights.end());
    for (double& w : weights) w = w > 0 ? portable::exp(portable::log(w / greatest) / temperature) : 0;
  }
  double rest = rng.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (weights[i] == 0) continue;
    chosen = i;
    rest -= weights[i];
    if (rest < 0) break;
  }
  return frame_.game(moves[chosen].move);
}

double Search::prior_regret() const {
  if (tree_.empty()) return 0;
  const auto target = policy_target();
  double known = 0, by_prior = 0, targeted = 0, by_target = 0;
  for (const RootMove& r : searched_moves()) {
    const int slot = tree_.slot(0, r.move);
    if (slot < 0 || (!r.proven() && r.visits == 0)) continue;
    const auto value = static_cast<double>(r.value);
    const auto prior = static_cast<double>(strategy_->clean_prior(root_view(), slot));
    known += prior;
    by_prior += prior * value;
    const auto share = static_cast<double>(target[frame_.game(r.move).index]);
    targeted += share;
    by_target += share * value;
  }
  return known > 0 && targeted > 0 ? std::max(0.0, by_target / targeted - by_prior / known) : 0;
}

std::array<float, kMoves> Search::policy_target() const {
  const auto moves = candidates();
  const auto weights =
      weights_of(moves, tree_.empty() ? gumbel::PerMove{} : strategy_->target(root_view(), slots_of(moves)));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::array<float, kMoves> target{};
  for (std::size_t i = 0; i < moves.size(); ++i) {
    target[frame_.game(moves[i].move).index] = static_cast<float>(weights[i] / sum);
  }
  return target;
}

}  // namespace quarto
