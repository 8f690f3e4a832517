#include "selfplay/config.h"

#include "base/cores.h"

namespace quarto {

int SelfPlayConfig::thread_count() const { return threads > 0 ? threads : usable_cores(); }
std::uint64_t SelfPlayConfig::games_at_once() const {
  return static_cast<std::uint64_t>(thread_count()) * static_cast<std::uint64_t>(games_a_group() * groups_a_thread());
}

void SelfPlayConfig::visit(FieldVisitor& v) {
  v.field("simulations", simulations, "search simulations per move", {1, 100000});
  v.field("threads", threads, "self-play threads; 0: by the cores", {0, 1024});
  v.field("games_in_flight", games_in_flight,
          "games that run at the same time in each group: the largest batch; 0: by the device", {0, 4096});
  v.field("batches_in_flight", batches_in_flight, "groups of games in each thread; 0: 3 for a GPU, to keep it busy",
          {0, 16});
  v.field("precision", precision, "number format of the network; auto: bfloat16 on a GPU, float32 elsewhere");
  v.field("device_proofs", device_proofs,
          "the GPU that evaluates answers the search's proofs too, alike; an error without one");
  v.field("cache", cache, "entries of the evaluation cache; 0: no cache; -1: by threads and memory", {-1, 1 << 28});
  v.field("random_symmetry", random_symmetry, "evaluate random images, for networks that are not equivariant");
  v.field("full_share", full_share, "share of the moves with all simulations, noise and a sample", {0.05, 1});
  v.field("fast_simulations", fast_simulations, "simulations of the other moves", {1, 100000});
  v.field("random_starts", random_starts, "share of the games that begin from a random position", {0, 1});
  v.field("random_start_pieces", random_start_pieces, "most pieces on the board in such a position", {1, 15});
  v.field("random_start_weights", random_start_weights, "how often, by pieces on the board, e.g. \"6-9:4\"; others: 1");
  v.field("surprise", surprise, "share of the samples distributed by how much value the policy would lose", {0, 1});
  v.field("surprise_weights", surprise_weights,
          "weights of that value, by pieces on the board, e.g. \"6-9:4 12-16:0.5\"; others: 1");
  v.field("explore", explore, "share of random moves in positions whose value is proven", {0, 1});
  v.field("stop_when_proven", stop_when_proven, "end a game when the search has proved its value");
}

}  // namespace quarto
