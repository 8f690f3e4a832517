#include "train/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/json_library.h"
#include "base/manifest.h"
#include "base/shipped.h"
#include "selfplay/piece_weights.h"

namespace quarto {

void ReplayConfig::visit(FieldVisitor& v) {
  v.field("window", window, "samples in the replay buffer", {1, 1e9});
  v.field("window_growth", window_growth, "keep at least this share of all samples made so far", {0, 1});
}

void LearnerConfig::visit(FieldVisitor& v) {
  v.field("optimizer", optimizer, "how gradients become steps");
  v.field("learning_rate", learning_rate, "its maximum", {1e-9, 10});
  v.field("schedule", schedule, "how the learning rate changes after the warm-up");
  v.field("warmup", warmup, "share of the run over which the rate rises from zero", {0, 1});
  v.field("final_rate", final_rate, "last learning rate, as a share of learning_rate", {0, 1});
  v.field("weight_decay", weight_decay, "weight decay of the optimizer", {0, 10});
  v.field("momentum", momentum, "sgd only", {0, 1});
  v.field("clip", clip, "largest norm of the gradient; 0 for no clipping", {0, 1e9});
  v.field("logit_penalty", logit_penalty, "the mean square of the logits, times this, is added to the loss", {0, 1});
  v.field("average", average, "decay of the weight average that self-play uses; 0: no average", {0, 0.999999});
  v.field("batch", batch, "samples per step", {1, 1 << 20});
  v.field("reuse", reuse, "times each sample is drawn, on average", {1e-3, 1000});
  v.field("policy_loss", policy_loss, "shares: the search's move shares; any: any move that has a share, for labels");
  v.field("search_value", search_value, "share of the search's value in the outcome target", {0, 1});
  v.field("kernel", kernel, "use the network's CPU kernel if it has one, else LibTorch");
  v.field("device", device, "auto (device, or cpu for pairs and batches under 1024), cpu, cuda or cuda:N");
  v.field("threads", threads, "threads of one learning step; 0 for all cores", {0, 1024});
}

void LabelsConfig::visit(FieldVisitor& v) {
  v.field("deep", deep, "share of the draws from deep positions: decisive even after the one-ply rule", {0, 1});
  v.field("decisive", decisive, "share of the draws from decisive positions: moves of at least two values", {0, 1});
  v.field("weights", weights, "how often, by pieces on the board, e.g. \"6-9:4 12-16:0.5\"; others: 1");
}

double LimitsConfig::share_done(std::uint64_t done, double seconds) const {
  double share = 0;
  if (iterations > 0) share = static_cast<double>(done) / iterations;
  if (minutes > 0) share = std::max(share, seconds / (60 * minutes));
  return std::min(share, 1.0);
}

void LimitsConfig::visit(FieldVisitor& v) {
  v.field("iterations", iterations, "stop after this many; 0 for no limit", {0, 2e9});
  v.field("minutes", minutes, "stop after this much time, evaluations not counted; 0 for no limit", {0, 1e7});
  v.field("games", games, "games of self-play per iteration", {1, 1e7});
  v.field("mode", mode, "alternating: self-play, then learning; concurrent: both at the same time");
  v.field("checkpoint_every", checkpoint_every, "iterations between checkpoints", {1, 1e9});
  v.field("archive_every", archive_every, "iterations between permanent copies of the weights; 0: no copies", {0, 1e9});
}

bool EvaluationConfig::due(std::uint64_t iteration) const {
  return every > 0 && iteration > 0 && iteration % static_cast<std::uint64_t>(every) == 0;
}

bool EvaluationConfig::measures(std::uint64_t iteration) const {
  if (every == 0) return false;
  const bool power_of_two = (iteration & (iteration - 1)) == 0;  // also 0
  return due(iteration) || (power_of_two && iteration < static_cast<std::uint64_t>(every));
}

void EvaluationConfig::visit(FieldVisitor& v) {
  v.field("every", every, "iterations between evaluations, before the first also at 0, 1, 2, 4, ...; 0: never",
          {0, 1e9});
  v.field("positions", positions, "suite positions per phase and number of pieces", {1, 1e6});
  v.field("simulations", simulations, "also measure the search with this many; 0 for the network alone", {0, 1e6});
  v.field("match_games", match_games, "games against the best weights so far; 0: the newest are the best", {0, 1e6});
  v.field("gate", gate, "lowest score in those games with which the newest weights become the best", {0, 1});
  v.field("match_simulations", match_simulations, "simulations per move in those games", {1, 1e6});
}

void RunConfig::visit(FieldVisitor& v) {
  v.field("seed", seed, "seed of all random numbers of the run");
  v.field("track", track, "zero: self-play alone, no oracle in training; distilled: training uses exact values");
  v.field("device", device, "of self-play, and of the learner unless it says otherwise: auto, cpu, cuda or cuda:N");
  v.field("weights", weights,
          "a checkpoint of the same network and rules to begin with; \"\": random weights. Nothing else of it is used, "
          "and a run that is resumed does not read it");
  v.section("network", "the policy and value network", [&] { network.visit(v); });
  v.section("search", "tree search in self-play", [&] { search.visit(v); });
  v.section("selfplay", "self-play", [&] { selfplay.visit(v); });
  v.section("replay", "the replay buffer", [&] { replay.visit(v); });
  v.section("learner", "training of the network", [&] { learner.visit(v); });
  v.section("labels", "which labels quartozero distill draws", [&] { labels.visit(v); });
  v.section("limits", "length of the run and of its iterations", [&] { limits.visit(v); });
  v.section("evaluation", "measurements during the run; training does not use them", [&] { evaluation.visit(v); });
}

void RunConfig::check() const {
  if (limits.iterations == 0 && limits.minutes == 0) {
    throw ConfigError("the run has no limit: set limits.iterations or limits.minutes above zero");
  }
  network.resolved();
  PieceWeights::parse(labels.weights, "labels.weights");
  PieceWeights::parse(selfplay.surprise_weights, "selfplay.surprise_weights");
  const PieceWeights starts = PieceWeights::parse(selfplay.random_start_weights, "selfplay.random_start_weights");
  bool any_start = selfplay.random_starts == 0;
  for (int n = 1; n <= selfplay.random_start_pieces; ++n) any_start = any_start || starts.of(n) > 0;
  if (!any_start) {
    throw ConfigError(fmt::format("selfplay.random_start_weights leaves no position of 1 to {} pieces to start from",
                                  selfplay.random_start_pieces));
  }
  if (labels.deep + labels.decisive > 1) {
    throw ConfigError(
        fmt::format("labels.deep and labels.decisive are shares of the same draws, but {} and {} make more than 1",
                    labels.deep, labels.decisive));
  }
  if (track == Track::zero && search.oracle_squares > 0) {
    throw ConfigError(fmt::format(
        "search.oracle_squares is {}, but a run of track 'zero' learns without an oracle: set search.oracle_squares to "
        "0, or track to 'distilled' (the files of its networks will state this track)",
        search.oracle_squares));
  }
}

RunConfig parse_saved_config(const std::string& text, const std::string& origin) {
  RunConfig config;
  config::load_yaml(text, origin, config::visitor_of(config));
  return config;
}

RunConfig load_saved_config(const std::filesystem::path& path) {
  // In a run's own directory people may edit it; in a checkpoint it is one of the files that belong together.
  const bool in_checkpoint = std::filesystem::exists(path.parent_path() / kManifestFile);
  return parse_saved_config(in_checkpoint ? read_checked_file(path) : read_file(path), path.string());
}

std::map<std::string, std::string> flat_config(RunConfig config) {
  std::map<std::string, std::string> flat;
  const nlohmann::json pointers = config::to_json(config::visitor_of(config)).flatten();
  for (const auto& [pointer, value] : pointers.items()) {
    std::string key = pointer.substr(1);
    std::replace(key.begin(), key.end(), '/', '.');
    flat[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return flat;
}

RunConfig load_run_config(const std::filesystem::path& named, const std::vector<std::string>& assignments) {
  const std::filesystem::path path = or_shipped(named);
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
  for (const char* key : {"seed", "track", "weights"}) {
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
