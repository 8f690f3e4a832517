#include "mcts/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "env/canonical.h"
#include "env/notation.h"
#include "env/one_ply.h"

namespace quarto {
namespace {

// Memory for this many nodes is taken in advance; longer searches grow it as they go.
constexpr int kReserveAtMost = 4096;

// A value of a child, for the player to act at its parent: only a give passes the turn.
template <class T>
T seen_from_parent(Phase parent, T child) {
  return parent == Phase::give ? -child : child;
}

Outcome checked_outcome(const Evaluation& e, const Position& p) {
  const float value = e.value();
  if (!(std::abs(value) <= 1.001F)) {
    throw EvaluationError("the evaluator's value of " + to_string(p) + " is " + std::to_string(value) +
                          ", not within -1..1: the model is damaged or has diverged");
  }
  const float clamped = std::clamp(value, -1.0F, 1.0F);
  return {clamped, std::clamp(e.win + e.loss, std::abs(clamped), 1.0F)};
}

// The priors of `moves`, in order, scaled to sum to one.
std::span<const float> checked_priors(const Evaluation& e, const Position& p, Mask moves,
                                      std::array<float, kMoves>& out) {
  std::size_t n = 0;
  float sum = 0;
  for (const Move m : MovesOf(p.phase(), moves)) {
    const float prior = e.prior[m.index];
    if (!(prior >= 0 && prior <= 1e6F)) {
      throw EvaluationError("the evaluator's prior of move " + to_string(m) + " in " + to_string(p) + " is " +
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

}  // namespace

Search::Search(const SearchConfig& config, std::uint64_t seed, const SearchAids& aids)
    : config_(config),
      puct_(config),
      strategy_(make_root_strategy(config)),
      rng_(seed),
      prover_(config.proof_nodes > 0 && aids.make_prover ? aids.make_prover(config.proof_nodes) : nullptr),
      oracle_(config.oracle_squares > 0 ? aids.oracle : nullptr),
      tree_(prover_ != nullptr) {
  if (config.proof_nodes > 0 && !prover_) {
    throw std::invalid_argument("Search: proof_nodes is " + std::to_string(config.proof_nodes) +
                                ", and there is no prover to ask: set it to 0, or name one (solver/prover.h)");
  }
  if (config.oracle_squares > 0 && !oracle_) {
    throw std::invalid_argument("Search: oracle_squares is " + std::to_string(config.oracle_squares) +
                                ", and there is no oracle to ask");
  }
  restart();
}

Search::Judgement Search::judge(const Position& p) const {
  if (p.is_terminal()) return {p.terminal_value(), 0};
  const Mask legal = p.legal_moves();
  if (!config_.tactics) return {std::nullopt, legal};
  if (p.has_hand()) {
    if (p.winning_squares(p.hand())) return {Value::win, 0};
    if (p.pieces_on_board() == kSquares - 1) return {Value::draw, 0};
    if (!config_.reply_tactics) return {std::nullopt, legal};
    const Mask kept = static_cast<Mask>(legal & ~stranding_places(p));
    if (!kept) return {Value::loss, 0};
    return {std::nullopt, kept};
  }
  const Mask safe = static_cast<Mask>(legal & ~p.losing_gives());
  if (!safe) return {Value::loss, 0};
  if (config_.reply_tactics && strangling_gives(p)) return {Value::win, 0};
  return {std::nullopt, safe};
}

std::optional<Value> Search::judge(const Position& p, Move move) const {
  if (!config_.tactics) return std::nullopt;
  if (move.phase == Phase::give) {
    if (p.losing_gives() & bit(move.piece())) return Value::loss;
    if (config_.reply_tactics && (strangling_gives(p) & bit(move.piece()))) return Value::win;
    return std::nullopt;
  }
  if (p.winning_squares(p.hand()) & bit(move.square())) return Value::win;
  if (p.pieces_on_board() == kSquares - 1) return Value::draw;
  if (config_.reply_tactics && (stranding_places(p) & bit(move.square()))) return Value::loss;
  return std::nullopt;
}

void Search::set_root(const Position& position) {
  if (position.is_terminal())
    throw std::invalid_argument("Search::set_root: the game is over in " + to_string(position));
  root_ = position;
  restart();
}

// What belongs to the root of before, except for the tree.
void Search::forget() {
  waiting_ = noise_wanted_ = false;
  root_asked_ = 0;
  strategy_->reset();
  if (prover_) prover_->forget();
}

void Search::restart() {
  tree_.clear();
  forget();
  if (config_.canonical) {
    const CanonicalForm form = canonical_form(root_);
    searched_ = form.position;
    frame_ = Frame(form.symmetry, root_.rules());
  } else {
    searched_ = root_;
    frame_ = Frame();
  }
  judged_ = judge(searched_).value;
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
  forget();
  searched_.play(searched_move);
  tree_.keep(child);
}

const Position* Search::select(int target_simulations) {
  if (waiting_) return &leaf_;
  if (root_proven() || target_simulations <= 0) return nullptr;
  if (tree_.empty()) {
    tree_.reserve(static_cast<std::size_t>(std::min(target_simulations, kReserveAtMost)));
    leaf_ = searched_;
    leaf_moves_ = judge(leaf_).moves;
    leaf_edge_ = EdgeRef{};
    waiting_ = true;
    return &leaf_;
  }
  ask_about_root();
  if (!root_proven() && tree_.node(0).visits < target_simulations) strategy_->plan(root_view(), target_simulations);
  while (!root_proven() && tree_.node(0).visits < target_simulations) {
    if (simulate()) return &leaf_;
    ask_about_root();
    if (over_ && over_()) return nullptr;
  }
  return nullptr;
}

bool Search::provable(const Position& p) const { return prover_ && std::popcount(p.empty()) <= config_.proof_squares; }

// At growth^1, growth^2, ... visits.
bool Search::due(int visits) const {
  const int growth = config_.proof_growth;
  if (growth < 2 || visits < growth) return false;
  while (visits % growth == 0) visits /= growth;
  return visits == 1;
}

std::uint64_t Search::proof_nodes(int visits) const {
  return std::min<std::uint64_t>(static_cast<std::uint64_t>(config_.proof_nodes) * static_cast<std::uint64_t>(visits),
                                 kMostProofNodes);
}

// Whether it can be won at all: at the root a lower bound is of no use without a move.
void Search::ask_about_root() {
  if (root_proven() || !provable(searched_) || tree_.bounds(NodeIndex{0}).high != Value::win) return;
  const int visits = tree_.node(0).visits;
  if (root_asked_ == visits || (root_asked_ > 0 && !due(visits))) return;
  root_asked_ = visits;
  if (prover_->ceiling(searched_, proof_nodes(visits)) == Value::win) return;
  tree_.tighten(NodeIndex{0}, {Value::loss, Value::draw});
}

ValueBounds Search::bounds_behind(EdgeRef edge) const {
  return seen_from_parent(tree_.node(edge.node).phase, tree_.bounds(edge));
}

bool Search::ask_about_child(EdgeRef edge, NodeIndex child) {
  // What is known of the edge holds in the node: a root that cannot be won has no child that can.
  if (const ValueBounds known = bounds_behind(edge); known != tree_.bounds(child)) tree_.tighten(child, known);
  const int visits = tree_.node(child).visits + 1;
  if (!due(visits) || !provable(leaf_)) return false;
  const ValueBounds known = tree_.bounds(child);
  const ValueBounds found = prover_->bounds(leaf_, proof_nodes(visits), known);
  if (found == known) return false;
  tree_.tighten(edge, seen_from_parent(tree_.node(edge.node).phase, found));
  if (const auto exact = tree_.proven(edge)) {
    end_at(edge, *exact);
    return true;
  }
  tree_.tighten(child, found);
  return root_proven();
}

void Search::end_at(EdgeRef edge, Value value) {
  tree_.tighten(edge, ValueBounds::exactly(value));
  tree_.back_up(edge, Outcome::exactly(value));
}

// One walk down the tree. True: it ended at a leaf that needs an evaluation. False: its value followed from the rules
// and has been backed up.
bool Search::simulate() {
  leaf_ = searched_;
  EdgeRef edge{0, strategy_->choose(root_view())};
  while (true) {
    if (const auto exact =
            tree_.proven(edge)) {  // a draw: lost moves are not chosen, and won ones end the search above
      tree_.back_up(edge, Outcome::exactly(*exact));
      return false;
    }
    const Move move = tree_.move(edge.node, edge.slot);
    leaf_.play(move);
    const NodeIndex child = tree_.child(edge);
    if (child != kNoNode) {
      if (prover_ && ask_about_child(edge, child)) return false;
      edge = {child, tree_.choose(child, puct_)};
      continue;
    }
    Judgement judged = judge(leaf_);
    if (oracle_ && !judged.value && std::popcount(leaf_.empty()) <= config_.oracle_squares) {
      judged.value = oracle_->value(leaf_);
    }
    if (judged.value) {
      end_at(edge, seen_from_parent(move.phase, *judged.value));
      return false;
    }
    leaf_bounds_ = ValueBounds{};
    if (prover_) {
      if (provable(leaf_))
        tree_.tighten(edge, seen_from_parent(move.phase, prover_->bounds(leaf_, proof_nodes(1), bounds_behind(edge))));
      if (const auto exact = tree_.proven(edge)) {
        end_at(edge, *exact);
        return false;
      }
      if (root_proven()) return false;
      leaf_bounds_ = bounds_behind(edge);
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
  const Outcome outcome = checked_outcome(evaluation, leaf_);
  waiting_ = false;
  tree_.add(leaf_edge_, leaf_.phase(), leaf_moves_, priors, outcome);
  if (leaf_edge_.node != kNoNode) {
    if (!leaf_bounds_.trivial()) tree_.tighten(tree_.child(leaf_edge_), leaf_bounds_);
    tree_.back_up(leaf_edge_, seen_from_parent(tree_.node(leaf_edge_.node).phase, outcome));
  } else if (noise_wanted_) {
    strategy_->add_noise(tree_, rng_);
  }
}

void Search::add_noise() {
  noise_wanted_ = true;
  if (!tree_.empty()) strategy_->add_noise(tree_, rng_);
}

int Search::simulations() const { return tree_.empty() ? 0 : tree_.node(0).visits; }

float Search::root_value() const {
  if (tree_.empty()) return judged_ ? static_cast<float>(*judged_) : 0;
  return root_view().value();
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
