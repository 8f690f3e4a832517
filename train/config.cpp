#include "train/config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace quarto {

void SelfPlayConfig::visit(FieldVisitor& v) {
  v.field("simulations", simulations, "search simulations per move", {1, 100000});
  v.field("games_in_flight", games_in_flight, "games side by side in each group: the largest batch", {1, 4096});
  v.field("threads", threads, "self-play threads; 0 for one per core", {0, 1024});
  v.field("batches_in_flight", batches_in_flight, "groups of games in each thread; 2 or 3 keep a GPU busy", {1, 16});
  v.field("precision", precision, "of the network's numbers; auto: bfloat16 on a GPU, float32 elsewhere");
  v.field("cache", cache, "entries of the evaluation cache; 0 for none", {0, 1 << 28});
  v.field("random_symmetry", random_symmetry, "evaluate random images, for networks that are not equivariant");
  v.field("full_share", full_share, "share of the moves with all simulations, noise and a sample", {0.05, 1});
  v.field("fast_simulations", fast_simulations, "simulations of the other moves", {1, 100000});
  v.field("random_starts", random_starts, "share of the games that begin from a random position", {0, 1});
  v.field("random_start_pieces", random_start_pieces, "pieces on the board there, at most", {1, 15});
  v.field("surprise", surprise, "share of the samples that goes to positions the policy errs in", {0, 1});
  v.field("stop_when_proven", stop_when_proven, "end a game when the search has proved its value");
}

void ReplayConfig::visit(FieldVisitor& v) {
  v.field("window", window, "samples kept to learn from", {1, 1e9});
  v.field("window_growth", window_growth, "also keep this share of all samples made so far", {0, 1});
}

void LearnerConfig::visit(FieldVisitor& v) {
  v.field("optimizer", optimizer, "");
  v.field("learning_rate", learning_rate, "at its highest", {1e-9, 10});
  v.field("schedule", schedule, "of the learning rate after the warm-up");
  v.field("warmup", warmup, "share of the run over which the rate rises from zero", {0, 1});
  v.field("final_rate", final_rate, "where the schedule ends, as a share of learning_rate", {0, 1});
  v.field("weight_decay", weight_decay, "", {0, 10});
  v.field("momentum", momentum, "sgd only", {0, 1});
  v.field("clip", clip, "largest norm of the gradient; 0 for no clipping", {0, 1e9});
  v.field("average", average, "decay of the averaged weights that play; 0 for none", {0, 0.999999});
  v.field("batch", batch, "samples a step", {1, 1 << 20});
  v.field("reuse", reuse, "times each sample is drawn, on average", {1e-3, 1000});
  v.field("policy_loss", policy_loss, "shares: the search's move shares; any: any move that has a share, for labels");
  v.field("search_value", search_value, "share of the search's value in the outcome target", {0, 1});
  v.field("kernel", kernel, "use the network's own CPU code, if it has any, rather than LibTorch");
  v.field("threads", threads, "threads of one learning step; 0 for all cores", {0, 1024});
}

void LabelsConfig::visit(FieldVisitor& v) {
  v.field("deep", deep, "share of the draws from positions that no rule of thumb decides", {0, 1});
  v.field("decisive", decisive, "share of the draws from positions in which the move matters", {0, 1});
}

void LimitsConfig::visit(FieldVisitor& v) {
  v.field("iterations", iterations, "stop after this many; 0 for no limit", {0, 2e9});
  v.field("minutes", minutes, "stop after this much time; 0 for no limit", {0, 1e7});
  v.field("games", games, "games of self-play per iteration", {1, 1e7});
  v.field("mode", mode, "self-play and learning in turn, or at the same time");
  v.field("checkpoint_every", checkpoint_every, "iterations between checkpoints", {1, 1e9});
  v.field("archive_every", archive_every, "iterations between weights kept for good; 0 for none", {0, 1e9});
}

void EvaluationConfig::visit(FieldVisitor& v) {
  v.field("every", every, "iterations between evaluations; 0 for never", {0, 1e9});
  v.field("positions", positions, "suite positions per phase and number of pieces", {1, 1e6});
  v.field("simulations", simulations, "also measure the search with this many; 0 for the network alone", {0, 1e6});
  v.field("match_games", match_games, "games against the best weights so far; 0: the last are the best", {0, 1e6});
  v.field("gate", gate, "score in those games from which the newest weights are the best", {0, 1});
  v.field("match_simulations", match_simulations, "simulations per move in those games", {1, 1e6});
}

void RunConfig::visit(FieldVisitor& v) {
  v.field("seed", seed, "of everything random in the run");
  v.field("track", track,
          "zero: self-play alone, no oracle anywhere in training; distilled: exact values are used in it");
  v.field("device", device, "auto, cpu, cuda or cuda:N");
  v.section("network", "the policy and value network", [&] { network.visit(v); });
  v.section("search", "tree search in self-play", [&] { search.visit(v); });
  v.section("selfplay", "how games are played", [&] { selfplay.visit(v); });
  v.section("replay", "what is kept to learn from", [&] { replay.visit(v); });
  v.section("learner", "how the network is fitted", [&] { learner.visit(v); });
  v.section("labels", "which labels quartozero distill draws", [&] { labels.visit(v); });
  v.section(
      "limits", "how long and in what steps", [&] { limits.visit(v); }, "run");
  v.section("evaluation", "measuring along the way; never fed back into training", [&] { evaluation.visit(v); });
}

void RunConfig::check() const {
  if (limits.iterations == 0 && limits.minutes == 0) {
    throw ConfigError("the run has no end: set limits.iterations or limits.minutes above zero");
  }
  if (labels.deep + labels.decisive > 1) {
    throw ConfigError(
        fmt::format("labels.deep and labels.decisive are shares of the same draws, but {} and {} make more than 1",
                    labels.deep, labels.decisive));
  }
  if (track == Track::zero && search.oracle_squares > 0) {
    throw ConfigError(fmt::format(
        "search.oracle_squares is {}, but a run of track 'zero' learns without an oracle: set search.oracle_squares to "
        "0, or track to 'distilled', which its networks will then be marked as",
        search.oracle_squares));
  }
}

RunConfig load_run_config(const std::filesystem::path& path, const std::vector<std::string>& assignments) {
  RunConfig config;
  config::load_yaml(read_file(path), path.string(), config::visitor_of(config));
  for (const std::string& assignment : assignments) config::set(assignment, config::visitor_of(config));
  config.check();
  return config;
}

std::string incompatibility(const RunConfig& saved, const RunConfig& wanted) {
  RunConfig a = saved, b = wanted;
  a.network = a.network.resolved();
  b.network = b.network.resolved();
  const nlohmann::json before = config::to_json(config::visitor_of(a)), after = config::to_json(config::visitor_of(b));
  const auto differs = [](const std::string& key, const nlohmann::json& x, const nlohmann::json& y) {
    return fmt::format("{} was {} and is now {}", key, x.dump(), y.dump());
  };
  for (const char* key : {"seed", "track"}) {
    if (before[key] != after[key]) return differs(key, before[key], after[key]);
  }
  if (before["network"]["kind"] != after["network"]["kind"]) {
    return differs("network.kind", before["network"]["kind"], after["network"]["kind"]);
  }
  for (const auto& [name, value] : before["network"].items()) {
    if (after["network"][name] != value) return differs("network." + name, value, after["network"][name]);
  }
  if (before["learner"]["optimizer"] != after["learner"]["optimizer"]) {
    return differs("learner.optimizer", before["learner"]["optimizer"], after["learner"]["optimizer"]);
  }
  return "";
}

}  // namespace quarto
