#include "mcts/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "env/canonical.h"
#include "env/notation.h"

namespace quarto {
namespace {

// Memory for this many nodes is taken in advance; longer searches grow it as they go.
constexpr int kReserveAtMost = 4096;

// A value of a child, for the player to act at its parent: only a give passes the turn.
Value seen_from_parent(Phase parent, Value child) { return parent == Phase::give ? -child : child; }

float checked_value(const Evaluation& e, const Position& p) {
  const float value = e.value();
  if (!(std::abs(value) <= 1.001F)) {
    throw EvaluationError("the evaluator's value of " + to_string(p) + " is " + std::to_string(value) +
                          ", not within -1..1: the model is damaged or has diverged");
  }
  return std::clamp(value, -1.0F, 1.0F);
}

// The priors of `moves`, in order, scaled to sum to one.
std::span<const float> checked_priors(const Evaluation& e, const Position& p, Mask moves,
                                      std::array<float, kMoves>& out) {
  std::size_t n = 0;
  float sum = 0;
  for (const int m : BitsOf(moves)) {
    const float prior = e.prior[static_cast<std::size_t>(m)];
    if (!(prior >= 0 && prior <= 1e6F)) {
      throw EvaluationError("the evaluator's prior of move " +
                            to_string(Move{p.phase(), static_cast<std::uint8_t>(m)}) + " in " + to_string(p) + " is " +
                            std::to_string(prior) + ", not a probability: the model is damaged or has diverged");
    }
    sum += prior;
    out[n++] = prior;
  }
  // A prior wholly on refuted moves, or too small to scale, says nothing about the rest.
  const bool usable = sum > 1e-20F;
  for (std::size_t i = 0; i < n; ++i) out[i] = usable ? out[i] / sum : 1.0F / static_cast<float>(n);
  return {out.data(), n};
}

// What the choices among candidates go by: visits, or priors before any visit, or nothing at all.
std::vector<double> weights_of(const std::vector<RootMove>& moves) {
  std::vector<double> weights;
  for (const RootMove& m : moves) weights.push_back(m.visits);
  const auto all_zero = [&] { return std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; }); };
  if (all_zero())
    std::transform(moves.begin(), moves.end(), weights.begin(), [](const RootMove& m) { return m.prior; });
  if (all_zero()) std::fill(weights.begin(), weights.end(), 1.0);
  return weights;
}

}  // namespace

Search::Search(const SearchConfig& config, std::uint64_t seed) : config_(config), puct_(config), rng_(seed) {
  restart();
}

Search::Judgement Search::judge(const Position& p) const {
  if (p.is_terminal()) return {p.terminal_value(), 0};
  const Mask legal = p.legal_moves();
  if (!config_.tactics) return {std::nullopt, legal};
  if (p.has_hand()) {
    if (p.winning_squares(p.hand())) return {Value::win, 0};
    if (p.pieces_on_board() == kSquares - 1) return {Value::draw, 0};
    return {std::nullopt, legal};
  }
  const Mask safe = static_cast<Mask>(legal & ~p.losing_gives());
  if (!safe) return {Value::loss, 0};
  return {std::nullopt, safe};
}

std::optional<Value> Search::judge(const Position& p, Move move) const {
  if (!config_.tactics) return std::nullopt;
  if (move.phase == Phase::give) {
    if (p.losing_gives() & bit(move.piece())) return Value::loss;
    return std::nullopt;
  }
  if (p.winning_squares(p.hand()) & bit(move.square())) return Value::win;
  if (p.pieces_on_board() == kSquares - 1) return Value::draw;
  return std::nullopt;
}

void Search::set_root(const Position& position) {
  if (position.is_terminal())
    throw std::invalid_argument("Search::set_root: the game is over in " + to_string(position));
  root_ = position;
  restart();
}

void Search::restart() {
  tree_.clear();
  waiting_ = noise_wanted_ = noise_applied_ = false;
  if (config_.canonical) {
    const CanonicalForm form = canonical_form(root_);
    searched_ = form.position;
    frame_ = Frame(form.symmetry, root_.rules());
  } else {
    searched_ = root_;
    frame_ = Frame();
  }
  root_value_ = judge(searched_).value;
}

void Search::advance(Move move) {
  if (!root_.is_legal(move)) {
    throw std::invalid_argument("Search::advance: " + to_string(move) + " is not a legal move in " + to_string(root_));
  }
  const Move searched_move = frame_.searched(move);
  root_.play(move);
  const int slot = tree_.empty() ? -1 : tree_.slot(0, searched_move);
  const NodeIndex child = slot < 0 ? kNoNode : tree_.child({0, slot});
  if (!config_.tree_reuse || child == kNoNode) return restart();
  waiting_ = noise_wanted_ = noise_applied_ = false;
  searched_.play(searched_move);
  tree_.keep(child);
  root_value_ = tree_.proven(0);
}

void Search::add_noise() {
  noise_wanted_ = true;
  if (!tree_.empty()) apply_noise();
}

void Search::apply_noise() {
  if (noise_applied_ || config_.noise_fraction == 0) return;
  noise_applied_ = true;
  const int n = tree_.node(0).slots;
  std::array<double, kMoves> noise{};
  double sum = 0;
  for (int s = 0; s < n; ++s) sum += noise[static_cast<std::size_t>(s)] = rng_.gamma(config_.dirichlet_alpha / n);
  if (!(sum > 0)) return;  // every draw underflowed
  std::array<float, kMoves> priors{};
  for (int s = 0; s < n; ++s) {
    const auto i = static_cast<std::size_t>(s);
    priors[i] = static_cast<float>((1 - config_.noise_fraction) * static_cast<double>(tree_.prior({0, s})) +
                                   config_.noise_fraction * noise[i] / sum);
  }
  tree_.set_priors(0, {priors.data(), static_cast<std::size_t>(n)});
}

const Position* Search::select(int target_simulations) {
  if (waiting_) return &leaf_;
  if (root_value_ || target_simulations <= 0) return nullptr;
  if (tree_.empty()) {
    tree_.reserve(static_cast<std::size_t>(std::min(target_simulations, kReserveAtMost)));
    leaf_ = searched_;
    leaf_moves_ = judge(leaf_).moves;
    leaf_edge_ = EdgeRef{};
    waiting_ = true;
    return &leaf_;
  }
  while (!root_value_ && tree_.node(0).visits < target_simulations) {
    if (simulate()) return &leaf_;
  }
  return nullptr;
}

// One walk down the tree. True: it ended at a leaf that needs an evaluation. False: its value followed from the rules
// and has been backed up.
bool Search::simulate() {
  leaf_ = searched_;
  EdgeRef edge{0, 0};
  while (true) {
    edge.slot = tree_.choose(edge.node, puct_);
    if (const auto exact =
            tree_.proven(edge)) {  // a draw: lost moves are not chosen, and won ones end the search above
      tree_.back_up(edge, static_cast<float>(*exact));
      return false;
    }
    const Move move = tree_.move(edge.node, edge.slot);
    leaf_.play(move);
    const NodeIndex child = tree_.child(edge);
    if (child != kNoNode) {
      edge.node = child;
      continue;
    }
    const Judgement judged = judge(leaf_);
    if (judged.value) {
      tree_.back_up_proven(edge, seen_from_parent(move.phase, *judged.value));
      root_value_ = tree_.proven(0);
      return false;
    }
    leaf_moves_ = judged.moves;
    leaf_edge_ = edge;
    waiting_ = true;
    return true;
  }
}

void Search::expand(const Evaluation& evaluation) {
  if (!waiting_) throw std::logic_error("Search::expand: no leaf is waiting for an evaluation");
  std::array<float, kMoves> buffer;
  const auto priors = checked_priors(evaluation, leaf_, leaf_moves_, buffer);
  const float value = checked_value(evaluation, leaf_);
  waiting_ = false;
  tree_.add(leaf_edge_, leaf_.phase(), leaf_moves_, priors, value);
  if (leaf_edge_.node != kNoNode) {
    tree_.back_up(leaf_edge_, tree_.node(leaf_edge_.node).phase == Phase::give ? -value : value);
  } else if (noise_wanted_) {
    apply_noise();
  }
}

int Search::simulations() const { return tree_.empty() ? 0 : tree_.node(0).visits; }

float Search::root_value() const {
  if (root_value_) return static_cast<float>(*root_value_);
  if (tree_.empty()) return 0;
  return tree_.node(0).value / static_cast<float>(tree_.node(0).visits);
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

Move Search::best_move() const {
  const auto moves = candidates();
  const RootMove* best = moves.data();
  for (const RootMove& r : moves) {
    if (std::tie(r.visits, r.value, r.prior) > std::tie(best->visits, best->value, best->prior)) best = &r;
  }
  return frame_.game(best->move);
}

Move Search::sample_move(double temperature, Rng& rng) const {
  if (temperature <= 0) return best_move();
  const auto moves = candidates();
  auto weights = weights_of(moves);
  const double greatest = *std::max_element(weights.begin(), weights.end());
  for (double& w : weights) w = std::pow(w / greatest, 1 / temperature);
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

std::array<float, kMoves> Search::policy_target() const {
  const auto moves = candidates();
  const auto weights = weights_of(moves);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::array<float, kMoves> target{};
  for (std::size_t i = 0; i < moves.size(); ++i) {
    target[frame_.game(moves[i].move).index] = static_cast<float>(weights[i] / sum);
  }
  return target;
}

void run_searches(std::span<Search* const> searches, EvaluationBatch& batch, int simulations) {
  std::vector<Evaluation> answers(searches.size());
  std::vector<std::size_t> running(searches.size());
  std::iota(running.begin(), running.end(), std::size_t{0});
  while (true) {
    std::size_t waiting = 0;  // the first so many of `running` wait for the batch; the others have ended
    for (const std::size_t i : running) {
      while (const Position* leaf = searches[i]->select(simulations)) {
        if (batch.add(*leaf, answers[i]) == EvaluationBatch::Status::queued) {
          running[waiting++] = i;
          break;
        }
        searches[i]->expand(answers[i]);
      }
    }
    running.resize(waiting);
    if (running.empty()) return;
    batch.compute();
    for (const std::size_t i : running) searches[i]->expand(answers[i]);
  }
}

}  // namespace quarto
