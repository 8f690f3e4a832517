// What Search decides at the root: noise, who is visited next, and what is made of the visits in the end.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "env/notation.h"
#include "mcts/forced.h"
#include "mcts/search.h"

namespace quarto {
namespace {

constexpr std::size_t at(int slot) { return static_cast<std::size_t>(slot); }

bool all_zero(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; });
}

}  // namespace

void Search::forget_root_choices() {
  noise_wanted_ = noise_applied_ = false;
  gumbels_ = {};
  halving_target_ = 0;
}

void Search::add_noise() {
  noise_wanted_ = true;
  if (!tree_.empty()) apply_noise();
}

void Search::apply_noise() {
  if (noise_applied_) return;
  const int n = tree_.node(0).slots;
  for (int s = 0; s < n; ++s) clean_priors_[at(s)] = tree_.prior({0, s});
  if (gumbel_root_) {
    noise_applied_ = true;
    for (int s = 0; s < n; ++s) gumbels_[at(s)] = gumbel::draw(rng_);
    halving_target_ = 0;
    return;
  }
  if (config_.noise_fraction == 0) return;
  noise_applied_ = true;
  std::array<double, kMoves> noise{};
  double sum = 0;
  for (int s = 0; s < n; ++s) sum += noise[at(s)] = rng_.gamma(config_.dirichlet_alpha / n);
  if (!(sum > 0)) return;  // every draw underflowed
  std::array<float, kMoves> priors{};
  for (int s = 0; s < n; ++s) {
    priors[at(s)] = static_cast<float>((1 - config_.noise_fraction) * static_cast<double>(clean_priors_[at(s)]) +
                                       config_.noise_fraction * noise[at(s)] / sum);
  }
  tree_.set_priors(0, {priors.data(), at(n)});
}

Mask Search::open_slots() const {
  const Node& root = tree_.node(0);
  const Mask all = all_slots(root.slots);
  return root.lost == all ? all : static_cast<Mask>(all & ~root.lost);
}

std::array<gumbel::Arm, kMoves> Search::arms() const {
  std::array<gumbel::Arm, kMoves> result{};
  for (int s = 0; s < tree_.node(0).slots; ++s) {
    const EdgeRef edge{0, s};
    gumbel::Arm& a = result[at(s)];
    a.prior = static_cast<double>(noise_applied_ ? clean_priors_[at(s)] : tree_.prior(edge));
    a.visits = tree_.visits(edge);
    const auto proven = tree_.proven(edge);
    a.known = proven || a.visits > 0;
    if (proven) {
      a.q = static_cast<double>(*proven);
    } else if (a.visits > 0) {
      a.q = static_cast<double>(tree_.value_sum(edge)) / a.visits;
    }
  }
  return result;
}

gumbel::PerMove Search::improved_policy(Mask among) const {
  return gumbel::improved_policy(arms(), among, static_cast<double>(root_value()),
                                 {config_.gumbel_visit, config_.gumbel_scale});
}

// Noise + logit + sigma(completed q): what the halving goes by.
gumbel::PerMove Search::halving_scores(Mask among) const {
  const auto known = arms();
  const gumbel::PerMove logits = gumbel::logits(known);
  gumbel::PerMove scores = gumbel::transformed_q(known, among, static_cast<double>(root_value()),
                                                 {config_.gumbel_visit, config_.gumbel_scale});
  for (const int s : BitsOf(among)) scores[at(s)] += logits[at(s)] + gumbels_[at(s)];
  return scores;
}

// Visits kept from the last move count: the halving spends those that are missing, and scores by all.
void Search::plan_halving(int target_simulations) {
  halving_target_ = target_simulations;
  const Mask open = static_cast<Mask>(open_slots() & ~tree_.node(0).drawn);
  halving_ = gumbel::Halving(halving_scores(open_slots()), open, config_.gumbel_considered,
                             target_simulations - tree_.node(0).visits);
}

int Search::choose_at_root() {
  const Node& root = tree_.node(0);
  if (gumbel_root_) {
    // A proven draw is known exactly: it stays in the scores, but no visit is spent on it.
    return halving_.next(halving_scores(open_slots()), static_cast<Mask>(open_slots() & ~root.drawn));
  }
  if (config_.forced_playouts > 0 && noise_wanted_) {
    for (const int s : BitsOf(static_cast<Mask>(open_slots() & ~root.drawn))) {
      const EdgeRef edge{0, s};
      const int visits = tree_.visits(edge);
      if (visits > 0 &&
          visits < forced_visits(config_.forced_playouts, static_cast<double>(tree_.prior(edge)), root.visits)) {
        return s;
      }
    }
  }
  return tree_.choose(0, puct_);
}

// The best-scored of the moves that got through the halving. Proven draws cannot drop out: their value needs no visits.
int Search::halving_winner() const {
  const Mask open = open_slots();
  Mask finalists = 0;
  if (halving_target_ > 0) finalists = static_cast<Mask>(halving_.finalists(open) | (open & tree_.node(0).drawn));
  return gumbel::best_of(halving_scores(open), finalists ? finalists : open);
}

std::vector<RootMove> Search::searched_moves() const {
  std::vector<RootMove> moves;
  for (const int m : BitsOf(searched_.legal_moves())) {
    RootMove r;
    r.move = {searched_.phase(), static_cast<std::uint8_t>(m)};
    const int slot = tree_.empty() ? -1 : tree_.slot(0, r.move);
    if (slot >= 0) {
      const EdgeRef edge{0, slot};
      r.visits = tree_.visits(edge);
      r.prior = tree_.prior(edge);
      r.proven = tree_.proven(edge);
      if (r.visits > 0) r.value = tree_.value_sum(edge) / static_cast<float>(r.visits);
    } else {
      r.proven = judge(searched_, r.move);
    }
    if (r.proven) r.value = static_cast<float>(*r.proven);
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
  const auto proven = [](Value v) { return [v](const RootMove& r) { return r.proven == v; }; };
  if (std::any_of(moves.begin(), moves.end(), proven(Value::win))) {
    std::erase_if(moves, [](const RootMove& r) { return r.proven != Value::win; });
  } else if (!std::all_of(moves.begin(), moves.end(), proven(Value::loss))) {
    std::erase_if(moves, proven(Value::loss));
  }
  return moves;
}

// What a target other than the visits says of each slot of `among`.
gumbel::PerMove Search::target_by_slot(Target target, Mask among) const {
  if (target == Target::completed_q) return improved_policy(among);
  auto noisy = arms();
  for (const int s : BitsOf(among)) noisy[at(s)].prior = static_cast<double>(tree_.prior({0, s}));
  const int total = tree_.node(0).visits;
  return pruned_visits(noisy, among, config_.forced_playouts, total,
                       static_cast<double>(puct_.curiosity(static_cast<float>(total))));
}

// What the choices among candidates go by. Visits, or priors before any visit, or nothing at all; or another target.
std::vector<double> Search::weights_of(const std::vector<RootMove>& moves, Target target) const {
  std::vector<double> weights(moves.size());
  if (target == Target::visits) {
    std::transform(moves.begin(), moves.end(), weights.begin(), [](const RootMove& m) { return m.visits; });
  } else if (!tree_.empty()) {
    Mask among = 0;
    const auto slot_of = [this](const RootMove& m) { return tree_.slot(0, m.move); };
    for (const RootMove& m : moves) {
      if (const int s = slot_of(m); s >= 0) among |= static_cast<Mask>(1U << s);
    }
    const gumbel::PerMove by_slot = target_by_slot(target, among);
    std::transform(moves.begin(), moves.end(), weights.begin(), [&](const RootMove& m) {
      const int s = slot_of(m);
      return s >= 0 ? by_slot[at(s)] : 0;
    });
  }
  if (all_zero(weights)) {
    std::transform(moves.begin(), moves.end(), weights.begin(), [](const RootMove& m) { return m.prior; });
  }
  if (all_zero(weights)) std::fill(weights.begin(), weights.end(), 1.0);
  return weights;
}

Move Search::best_move() const {
  if (gumbel_root_ && !root_value_ && !tree_.empty()) return frame_.game(tree_.move(0, halving_winner()));
  const auto moves = candidates();
  const RootMove* best = moves.data();
  for (const RootMove& r : moves) {
    if (std::tie(r.visits, r.value, r.prior) > std::tie(best->visits, best->value, best->prior)) best = &r;
  }
  return frame_.game(best->move);
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
    const Mask open = n.won ? n.won : n.lost == all ? all : static_cast<Mask>(all & ~n.lost);
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
  if (temperature <= 0 || (gumbel_root_ && noise_applied_)) return best_move();
  const auto moves = candidates();
  auto weights = weights_of(moves, gumbel_root_ ? Target::completed_q : Target::visits);
  if (temperature != 1) {
    const double greatest = *std::max_element(weights.begin(), weights.end());
    for (double& w : weights) w = std::pow(w / greatest, 1 / temperature);
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
    if (slot < 0 || (!r.proven && r.visits == 0)) continue;
    const auto value = static_cast<double>(r.value);
    const auto prior = static_cast<double>(noise_applied_ ? clean_priors_[at(slot)] : r.prior);
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
  const auto weights = weights_of(moves, target_);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::array<float, kMoves> target{};
  for (std::size_t i = 0; i < moves.size(); ++i) {
    target[frame_.game(moves[i].move).index] = static_cast<float>(weights[i] / sum);
  }
  return target;
}

}  // namespace quarto
