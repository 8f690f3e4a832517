#include "play/rollout.h"

#include <cmath>
#include <vector>

#include "base/portable_math.h"
#include "env/random_play.h"
#include "mcts/rollout.h"

namespace quarto {
namespace {

// sqrt(2), UCB1's own constant for rewards in 0..1; ours span -1..1.
constexpr double kExploration = 2 * 1.4142135623730951;

struct Node {
  Mask untried = 0;
  std::uint32_t visits = 0;
  double sum = 0;                                   // of outcomes, for the player who acted to come here
  std::uint32_t first_child = 0, next_sibling = 0;  // 0: none
  Move move{};
};

}  // namespace

Move rollout_move(const Position& root, int playouts, Rng& rng) {
  std::vector<Node> nodes(1);
  nodes.reserve(static_cast<std::size_t>(playouts) + 1);
  nodes[0].untried = root.legal_moves();
  std::vector<std::pair<std::uint32_t, int>> path;  // node, and who acted to come to it
  for (int n = 0; n < playouts; ++n) {
    Position p = root;
    std::uint32_t at = 0;
    path.clear();
    while (!p.is_terminal()) {
      const int player = p.player_to_act();
      if (nodes[at].untried != 0) {
        const int m = random_bit(nodes[at].untried, rng);
        nodes[at].untried = static_cast<Mask>(nodes[at].untried & ~(1U << m));
        Node child;
        child.move = {p.phase(), static_cast<std::uint8_t>(m)};
        child.next_sibling = nodes[at].first_child;
        p.play(child.move);
        child.untried = p.legal_moves();
        nodes[at].first_child = static_cast<std::uint32_t>(nodes.size());
        at = nodes[at].first_child;
        nodes.push_back(child);
        path.emplace_back(at, player);
        break;
      }
      const double log_visits = portable::log(nodes[at].visits);
      std::uint32_t best = 0;
      double best_score = 0;
      for (std::uint32_t c = nodes[at].first_child; c != 0; c = nodes[c].next_sibling) {
        const double visits = nodes[c].visits;
        const double score = nodes[c].sum / visits + kExploration * std::sqrt(log_visits / visits);
        if (best == 0 || score > best_score) {
          best = c;
          best_score = score;
        }
      }
      at = best;
      p.play(nodes[at].move);
      path.emplace_back(at, player);
    }
    const int player = p.player_to_act();
    const int outcome = p.is_terminal() ? static_cast<int>(p.terminal_value()) : static_cast<int>(play_out(p, rng));
    ++nodes[0].visits;
    for (const auto& [node, actor] : path) {
      ++nodes[node].visits;
      nodes[node].sum += actor == player ? outcome : -outcome;
    }
  }
  // Children were prepended in random order of trying, so among equals the one met first is a random one.
  std::uint32_t best = nodes[0].first_child;
  for (std::uint32_t c = best; c != 0; c = nodes[c].next_sibling) {
    if (nodes[c].visits > nodes[best].visits) best = c;
  }
  return nodes[best].move;
}

}  // namespace quarto
