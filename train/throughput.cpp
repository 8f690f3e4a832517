#include "train/throughput.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/progress.h"

namespace quarto {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

TimeShares time_shares(const SelfPlayCounts& c) {
  TimeShares s;
  // A pause is within a step, so `working` includes it.
  const double all = c.working;
  s.network = share(c.network, all);
  s.asking = share(c.asking, all);
  s.paused = share(c.paused, all);
  if (all > 0) s.tree = std::max(0.0, 1 - s.network - s.asking - s.paused);
  return s;
}

double cache_share(const SelfPlayCounts& c) {
  return share(static_cast<double>(c.known + c.shared), static_cast<double>(c.known + c.shared + c.evaluations));
}

double batch_fill(const SelfPlayCounts& c) {
  return share(static_cast<double>(c.evaluations), static_cast<double>(c.places));
}

std::string bottleneck(const SelfPlayCounts& counts, bool on_gpu, double self_play_seconds, double learning_seconds) {
  const TimeShares s = time_shares(counts);
  const auto percent = [](double x) { return fmt::format("{:.0f}%", 100 * x); };
  if (learning_seconds > self_play_seconds) {
    return fmt::format(
        "the learner limits the run: {} of the time; fewer reuses or a smaller network would speed it up",
        percent(learning_seconds / (learning_seconds + self_play_seconds)));
  }
  if (counts.working <= 0) return "nothing has been measured yet";
  const double most = std::max({s.network, s.tree, s.asking, s.paused});
  if (s.paused == most) {
    return fmt::format(
        "the learner limits the run: self-play's threads wait {} of their time; lower learner.reuse, or "
        "use fewer self-play threads at no loss",
        percent(s.paused));
  }
  if (s.network == most && on_gpu) {
    return fmt::format(
        "self-play's threads wait for the GPU, {} of their time: more games or batches in flight, or a smaller network",
        percent(s.network));
  }
  if (s.network == most) {
    return fmt::format(
        "the network's arithmetic limits self-play: {} of its time; only a cheaper network or fewer "
        "evaluations would speed it up",
        percent(s.network));
  }
  if (s.tree == most) return fmt::format("the search tree limits self-play: {} of its time", percent(s.tree));
  return fmt::format(
      "proofs, canonical forms and the cache limit self-play: {} of its time; fewer search.proof_nodes, if there are any, "
      "would speed it up",
      percent(s.asking));
}

std::string store_bottleneck(const SelfPlayCounts& counts, std::uint64_t actors, double iteration_seconds,
                             double waited_seconds, double waited_for_store, double answer_seconds) {
  const auto percent = [](double x) { return fmt::format("{:.0f}%", 100 * std::clamp(x, 0.0, 1.0)); };
  const double threads = counts.working + waited_for_store;
  const double learner_waits = share(waited_seconds, iteration_seconds);
  const double idle = share(counts.paused, threads), store = share(waited_for_store, threads);
  const std::string who = counted(actors, "actor");
  if (threads <= 0) return "nothing has been measured yet";
  if (store > std::max(idle, 0.1)) {
    return fmt::format(
        "the store limits the run: {}' threads wait {} of their time for its answers ({:.0f} ms each); a faster "
        "network or server, or more games in flight",
        who, percent(store), 1000 * answer_seconds);
  }
  if (idle > learner_waits) {
    return fmt::format(
        "the learner limits the run: the threads of {} wait {} of their time for games that they may play, the learner "
        "{} for games; lower learner.reuse, raise limits.games, or use fewer actors at no loss",
        who, percent(idle), percent(learner_waits));
  }
  return fmt::format(
      "actors limit the run: the learner waits {} of its time for the games of {}, which wait {}; {} times as many "
      "would keep it busy",
      percent(learner_waits), who, percent(idle),
      learner_waits < 0.99 ? fmt::format("{:.1f}", 1 / std::max(0.01, 1 - learner_waits)) : "over 100");
}

}  // namespace quarto
