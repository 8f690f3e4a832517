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

Search::Search(const SearchConfig& config, std::uint64_t seed, Oracle* oracle)
    : config_(config),
      puct_(config),
      strategy_(make_root_strategy(config)),
      rng_(seed),
      oracle_(config.oracle_squares > 0 ? oracle : nullptr),
      tree_(config.proof_nodes > 0) {
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
  about_ = About::nothing;
  on_the_way_ = noise_wanted_ = false;
  root_asked_ = 0;
  strategy_->reset();
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

const Question* Search::select(int target_simulations) {
  if (about_ != About::nothing) return &question_;
  if (root_proven() || target_simulations <= 0) return nullptr;
  if (tree_.empty()) {
    tree_.reserve(static_cast<std::size_t>(std::min(target_simulations, kReserveAtMost)));
    leaf_moves_ = judge(searched_).moves;
    edge_ = EdgeRef{};
    question_ = {.position = searched_};
    about_ = About::leaf;
    return &question_;
  }
  while (!root_proven() && tree_.node(0).visits < target_simulations) {
    if (!on_the_way_) {
      if (ask_about_root()) return &question_;
      strategy_->plan(root_view(), target_simulations);
    }
    if (simulate()) return &question_;
    if (over_ && over_()) return nullptr;
  }
  return nullptr;
}

bool Search::provable(const Position& p) const {
  return tree_.bounded() && std::popcount(p.empty()) <= config_.proof_squares;
}

// At growth^1, growth^2, ... visits.
bool Search::due(int visits) const {
  const int growth = config_.proof_growth;
  if (growth < 2 || visits < growth) return false;
  while (visits % growth == 0) visits /= growth;
  return visits == 1;
}

std::uint64_t Search::proof_nodes(const Position& p, int visits) const {
  const auto nodes = static_cast<std::uint64_t>(config_.proof_nodes) * static_cast<std::uint64_t>(visits);
  const int above = visits > 1 ? 0 : std::max(0, std::popcount(p.empty()) - kFullProofSquares);
  return std::clamp<std::uint64_t>(nodes >> (2 * above), 1, kMostProofNodes);
}

// Whether it can be won at all. A lower bound is of no use at the root without a move, so a draw is assumed.
bool Search::ask_about_root() {
  if (!provable(searched_) || tree_.bounds(NodeIndex{0}).high != Value::win) return false;
  const int visits = tree_.node(0).visits;
  if (root_asked_ == visits || (root_asked_ > 0 && !due(visits))) return false;
  root_asked_ = visits;
  question_ = {searched_, {Value::draw, Value::win}, proof_nodes(searched_, visits), false};
  about_ = About::root;
  return true;
}

ValueBounds Search::bounds_behind(EdgeRef edge) const {
  return seen_from_parent(tree_.node(edge.node).phase, tree_.bounds(edge));
}

bool Search::ask_about_child(NodeIndex child) {
  // What is known of the edge holds in the node: a root that cannot be won has no child that can.
  if (const ValueBounds known = bounds_behind(edge_); known != tree_.bounds(child)) tree_.tighten(child, known);
  const int visits = tree_.node(child).visits + 1;
  if (!due(visits) || !provable(question_.position)) return false;
  question_.known = tree_.bounds(child);
  question_.nodes = proof_nodes(question_.position, visits);
  question_.evaluate = false;
  about_ = About::child;
  return true;
}

void Search::end_at(EdgeRef edge, Value value) {
  tree_.tighten(edge, ValueBounds::exactly(value));
  tree_.back_up(edge, Outcome::exactly(value));
}

bool Search::simulate() {
  if (on_the_way_) {
    const NodeIndex child = tree_.child(edge_);
    edge_ = {child, tree_.choose(child, puct_)};
    on_the_way_ = false;
  } else {
    question_.position = searched_;
    edge_ = {0, strategy_->choose(root_view())};
  }
  Position& leaf = question_.position;
  while (true) {
    if (const auto exact =
            tree_.proven(edge_)) {  // a draw: lost moves are not chosen, and won ones end the search above
      tree_.back_up(edge_, Outcome::exactly(*exact));
      return false;
    }
    const Move move = tree_.move(edge_.node, edge_.slot);
    leaf.play(move);
    const NodeIndex child = tree_.child(edge_);
    if (child != kNoNode) {
      if (tree_.bounded() && ask_about_child(child)) return true;
      edge_ = {child, tree_.choose(child, puct_)};
      continue;
    }
    Judgement judged = judge(leaf);
    if (oracle_ && !judged.value && std::popcount(leaf.empty()) <= config_.oracle_squares) {
      judged.value = oracle_->value(leaf);
    }
    if (judged.value) {
      end_at(edge_, seen_from_parent(move.phase, *judged.value));
      return false;
    }
    leaf_moves_ = judged.moves;
    question_.known = bounds_behind(edge_);
    question_.nodes = provable(leaf) ? proof_nodes(leaf, 1) : 0;
    question_.evaluate = true;
    about_ = About::leaf;
    return true;
  }
}

void Search::take(const Answer& answer) {
  switch (about_) {
    case About::nothing:
      throw std::logic_error("Search::take: there was no question");
    case About::root:
      if (answer.bounds.high != Value::win) tree_.tighten(NodeIndex{0}, {Value::loss, Value::draw});
      break;
    case About::child:
      take_bounds_of_child(answer.bounds);
      break;
    case About::leaf:
      take_leaf(answer);
      break;
  }
  about_ = About::nothing;
}

void Search::take_bounds_of_child(ValueBounds found) {
  on_the_way_ = true;
  if (found == question_.known) return;
  const NodeIndex child = tree_.child(edge_);
  tree_.tighten(edge_, seen_from_parent(tree_.node(edge_.node).phase, found));
  const auto exact = tree_.proven(edge_);
  if (exact) {
    end_at(edge_, *exact);
  } else {
    tree_.tighten(child, found);
  }
  on_the_way_ = !exact && !root_proven();
}

void Search::take_leaf(const Answer& answer) {
  const Position& leaf = question_.position;
  std::array<float, kMoves> buffer;
  std::span<const float> priors;
  Outcome outcome;
  if (!answer.bounds.exact()) {
    priors = checked_priors(answer.evaluation, leaf, leaf_moves_, buffer);
    outcome = checked_outcome(answer.evaluation, leaf);
  }
  if (edge_.node == kNoNode) {
    tree_.add(edge_, leaf.phase(), leaf_moves_, priors, outcome);
    if (noise_wanted_) strategy_->add_noise(tree_, rng_);
    return;
  }
  const Phase parent = tree_.node(edge_.node).phase;
  if (answer.bounds != question_.known) {
    tree_.tighten(edge_, seen_from_parent(parent, answer.bounds));
    if (const auto exact = tree_.proven(edge_)) return end_at(edge_, *exact);
    if (root_proven()) return;
  }
  tree_.add(edge_, leaf.phase(), leaf_moves_, priors, outcome);
  if (const ValueBounds known = bounds_behind(edge_); !known.trivial()) tree_.tighten(tree_.child(edge_), known);
  tree_.back_up(edge_, seen_from_parent(parent, outcome));
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
  std::vector<Answer> answers(searches.size());
  std::vector<std::size_t> running(searches.size());
  std::iota(running.begin(), running.end(), std::size_t{0});
  while (true) {
    std::size_t waiting = 0;  // the first so many of `running` wait for the batch; the others have ended
    for (const std::size_t i : running) {
      while (const Question* question = searches[i]->select(simulations)) {
        if (batch.ask(*question, answers[i]) == EvaluationBatch::Status::queued) {
          running[waiting++] = i;
          break;
        }
        searches[i]->take(answers[i]);
      }
    }
    running.resize(waiting);
    if (running.empty()) return;
    batch.compute();
    for (const std::size_t i : running) searches[i]->take(answers[i]);
  }
}

}  // namespace quarto
