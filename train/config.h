// train: the learners, the training loop, supervised learning, metrics
// Uses: base, env, mcts, light, gpu, data, store, selfplay, model.
// Promises: With one thread on a CPU, games, samples and weights are a function of the configuration and the seed, also
// across a stop and a resume. Self-play uses exact values only on the track `distilled` and only from an oracle that
// the caller passes.
//
// All parameters of a run in one struct, which is loaded from YAML, printed and saved with the run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "mcts/config.h"
#include "model/config.h"
#include "selfplay/config.h"

namespace quarto {

// alternating: self-play, then learning. concurrent: both at the same time in different threads.
enum class RunMode { alternating, concurrent };
constexpr auto names_of(RunMode) {
  return std::to_array<Name<RunMode>>({{RunMode::alternating, "alternating"}, {RunMode::concurrent, "concurrent"}});
}
enum class OptimizerKind { adamw, sgd };
constexpr auto names_of(OptimizerKind) {
  return std::to_array<Name<OptimizerKind>>({{OptimizerKind::adamw, "adamw"}, {OptimizerKind::sgd, "sgd"}});
}
// How the learning rate changes after the warm-up.
enum class Schedule { cosine, linear, constant };
constexpr auto names_of(Schedule) {
  return std::to_array<Name<Schedule>>(
      {{Schedule::cosine, "cosine"}, {Schedule::linear, "linear"}, {Schedule::constant, "constant"}});
}
// shares: cross-entropy with the policy target. any: minus the logarithm of the total probability of all moves with a
// share. `any` is for exact labels, where all such moves are equally good.
enum class PolicyLoss { shares, any };
constexpr auto names_of(PolicyLoss) {
  return std::to_array<Name<PolicyLoss>>({{PolicyLoss::shares, "shares"}, {PolicyLoss::any, "any"}});
}

struct ReplayConfig {
  int window = 200'000;        // samples kept
  double window_growth = 0.0;  // the window is at least this share of all samples made so far
  void visit(FieldVisitor& v);
};

struct LearnerConfig {
  OptimizerKind optimizer = OptimizerKind::adamw;
  double learning_rate = 2e-3;
  Schedule schedule = Schedule::cosine;
  double warmup = 0.02;      // share of the run over which the learning rate rises from zero
  double final_rate = 0.05;  // the last learning rate, as a share of learning_rate
  double weight_decay = 1e-4;
  double momentum = 0.9;  // sgd only
  double clip = 1.0;      // largest norm of the whole gradient; 0: no clipping
  // Added to the loss: so many times the mean square of the logits, over the legal moves and over the outcomes. Without
  // it nothing bounds logits where the target is always the same, and they grow until a run diverges (after the z-loss
  // of Chowdhery et al., "PaLM", 2022, section 5). 0: none.
  double logit_penalty = 1e-4;
  double average = 0.99;  // decay of the moving average of the weights, which self-play uses; 0: no average
  int batch = 256;
  double reuse = 4.0;  // mean number of times that each sample is drawn
  PolicyLoss policy_loss = PolicyLoss::shares;
  double search_value = 0.0;    // share of the search's value in the outcome target
  bool kernel = true;           // use the network's own CPU kernel if it has one, else LibTorch
  std::string device = "auto";  // where to learn; auto: learning_device()
  int threads = 0;              // of one step; 0: all cores
  void visit(FieldVisitor& v);
};

// How `quartozero distill` draws labels. Every stratum (phase and pieces on the board) is drawn equally often, or by
// `weights`. Within a stratum a draw is from the deep positions, from the decisive ones, or from all (data/suite.h
// defines the terms). In most positions all moves have one value, or the one-ply rule finds the best ones: they teach
// the policy little. Only draws from all positions train the outcome head.
struct LabelsConfig {
  double deep = 0;        // share of the draws
  double decisive = 0;    // share of the draws; decisive positions include the deep ones
  std::string weights{};  // of the strata, by pieces on the board (selfplay/piece_weights.h)
  void visit(FieldVisitor& v);
};

struct LimitsConfig {
  int iterations = 0;  // 0: no limit
  double minutes = 0;  // wall time over all sessions of the run, without evaluations; 0: no limit
  int games = 250;     // games of self-play per iteration
  RunMode mode = RunMode::alternating;
  int checkpoint_every = 1;  // iterations
  int archive_every = 0;     // iterations between permanent copies of the weights; 0: no copies

  // After so many iterations and so many seconds: whether a limit is reached, and the share of the run that is done,
  // 0 to 1. The clock matters only if the run is limited by time.
  bool reached(std::uint64_t done, double seconds) const { return share_done(done, seconds) >= 1; }
  double share_done(std::uint64_t done, double seconds) const;
  void visit(FieldVisitor& v);
};

struct EvaluationConfig {
  int every = 5;         // iterations between evaluations; 0: never
  int positions = 10;    // per stratum of each suite (phase and pieces on the board)
  int simulations = 0;   // of a search to measure besides the raw network; 0: the raw network only
  int match_games = 64;  // against the best weights so far
  double gate = 0.45;    // lowest score in that match with which the newest weights become the best
  int match_simulations = 16;

  // Whether an evaluation is due after so many iterations: a measurement, and a match that decides about the best
  // weights.
  bool due(std::uint64_t iteration) const;
  // Whether agreement is measured after so many iterations: with every evaluation, and because most is learned before
  // the first one, also at 0 (the weights that the run begins with), 1, 2, 4, 8, ... until then.
  bool measures(std::uint64_t iteration) const;
  void visit(FieldVisitor& v);
};

struct RunConfig {
  std::uint64_t seed = 1;
  Track track = Track::zero;
  std::string device = "auto";
  std::string weights;  // a checkpoint to begin with, or "": random weights
  NetworkConfig network;
  SearchConfig search = self_play_search();
  SelfPlayConfig selfplay;
  ReplayConfig replay;
  LearnerConfig learner;
  LabelsConfig labels;
  LimitsConfig limits;
  EvaluationConfig evaluation;
  void visit(FieldVisitor& v);

  // Checks what concerns several fields: for example, a run needs a limit. Throws ConfigError.
  void check() const;
};

// Applies the defaults, then the file, then the assignments in order. Throws ConfigError or FileError.
RunConfig load_run_config(const std::filesystem::path& path, const std::vector<std::string>& assignments);

// The config.yaml of a run. Keys that are missing have their defaults. Does not check(). Throws ConfigError or FileError.
RunConfig load_saved_config(const std::filesystem::path& path);
// The same of text, which messages call `origin`. Throws ConfigError.
RunConfig parse_saved_config(const std::string& text, const std::string& origin);

// Every key with its value: "learner.batch": "256".
std::map<std::string, std::string> flat_config(RunConfig config);

// The reason why a run saved with `saved` cannot continue with `wanted` (its networks or its games would not match), or
// "".
std::string incompatibility(const RunConfig& saved, const RunConfig& wanted);

}  // namespace quarto
