// train: self-play, the learner, the training loop, supervised learning, metrics
// Uses: base, env, mcts, light, data, model.
// Promises: Games, samples and weights are a function of the configuration and the seed with one thread on a CPU, also
// across a stop and a resume. Self-play sees no exact value, unless the track is `distilled` and an oracle is handed
// in.
//
// Every parameter of a run in one value, which is loaded from YAML, printed and saved with the run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "mcts/config.h"
#include "model/config.h"
#include "model/runtime.h"

namespace quarto {

// Self-play and learning one after the other, or at the same time in different threads.
enum class RunMode { alternating, concurrent };
constexpr auto names_of(RunMode) {
  return std::to_array<Name<RunMode>>({{RunMode::alternating, "alternating"}, {RunMode::concurrent, "concurrent"}});
}
enum class OptimizerKind { adamw, sgd };
constexpr auto names_of(OptimizerKind) {
  return std::to_array<Name<OptimizerKind>>({{OptimizerKind::adamw, "adamw"}, {OptimizerKind::sgd, "sgd"}});
}
// Of the learning rate, after the warm-up.
enum class Schedule { cosine, linear, constant };
constexpr auto names_of(Schedule) {
  return std::to_array<Name<Schedule>>(
      {{Schedule::cosine, "cosine"}, {Schedule::linear, "linear"}, {Schedule::constant, "constant"}});
}
// shares: cross-entropy with the policy target. any: minus the logarithm of the probability of all moves that have a
// share, for exact labels, where every such move is as good as the others.
enum class PolicyLoss { shares, any };
constexpr auto names_of(PolicyLoss) {
  return std::to_array<Name<PolicyLoss>>({{PolicyLoss::shares, "shares"}, {PolicyLoss::any, "any"}});
}

struct SelfPlayConfig {
  int simulations = 64;       // per move
  int games_in_flight = 64;   // per thread: the batch a step can fill
  int threads = 0;            // 0: one for each core
  int batches_in_flight = 1;  // per thread; with more, one is on the device while the trees of another are walked
  PrecisionChoice precision = PrecisionChoice::automatic;
  int cache = 1 << 17;          // evaluation cache entries, emptied when the weights change; 0 for none
  bool random_symmetry = true;  // evaluate a random image of each position, unless the network is equivariant

  // Playout-cap randomisation (KataGo; Wu 2019): this share of the moves has `simulations`, noise and a sample; the
  // others have `fast_simulations`, no noise and no sample.
  double full_share = 1;
  int fast_simulations = 16;
  // This share of the games begins from a position reached by random play, with 1 to `random_start_pieces` pieces on
  // the board, so that the whole game is learned and not only what two good players reach.
  double random_starts = 0;
  int random_start_pieces = 12;
  // This share of a game's samples goes to its positions in proportion to what the network's own policy would have lost
  // in them by the search's reckoning, the rest evenly; some positions then teach the policy several times, others not
  // at all. The outcome is learned once from each. (After KataGo's policy surprise weighting, which goes by a
  // divergence; here moves often tie, so by value.)
  double surprise = 0;
  bool stop_when_proven = false;  // a game ends when the search has proved the value of its position
  void visit(FieldVisitor& v);
};

struct ReplayConfig {
  int window = 200'000;        // samples kept
  double window_growth = 0.0;  // also keep this share of all samples ever made, if that is more
  void visit(FieldVisitor& v);
};

struct LearnerConfig {
  OptimizerKind optimizer = OptimizerKind::adamw;
  double learning_rate = 2e-3;
  Schedule schedule = Schedule::cosine;
  double warmup = 0.02;      // share of the run over which the learning rate rises from zero
  double final_rate = 0.05;  // what the schedule falls to, as a share of learning_rate
  double weight_decay = 1e-4;
  double momentum = 0.9;  // sgd only
  double clip = 1.0;      // largest norm of the whole gradient; 0 for none
  double average = 0.99;  // decay of the moving average of the weights that plays; 0 for none
  int batch = 256;
  double reuse = 4.0;  // how many times each sample is drawn on average
  PolicyLoss policy_loss = PolicyLoss::shares;
  double search_value = 0.0;  // share of the search's value in the outcome target
  bool kernel = true;         // use the network's own CPU code where there is some, else LibTorch
  int threads = 0;            // for one step; 0: all cores
  void visit(FieldVisitor& v);
};

// What `quartozero distill` draws from its labels. Every stratum (phase and pieces on the board) is drawn equally
// often; within one, a position is drawn from the deep ones, the decisive ones or all (data/suite.h has the
// meanings). Most positions have nothing to choose or nothing a rule of thumb would not choose: they teach the policy
// little. The outcome is learned from the draws from all only.
struct LabelsConfig {
  double deep = 0;      // share of the draws
  double decisive = 0;  // share of the draws, deep ones among these too
  void visit(FieldVisitor& v);
};

struct LimitsConfig {
  int iterations = 0;  // 0: no limit
  double minutes = 0;  // wall time over all sessions of the run; 0: no limit
  int games = 250;     // games of self-play an iteration
  RunMode mode = RunMode::alternating;
  int checkpoint_every = 1;  // iterations
  int archive_every = 0;     // iterations between copies of the weights kept for good; 0: none
  void visit(FieldVisitor& v);
};

struct EvaluationConfig {
  int every = 5;         // iterations; 0: never
  int positions = 10;    // per stratum of each suite (phase and pieces on the board)
  int simulations = 0;   // of the search beside the raw network; 0: the raw network only
  int match_games = 64;  // against the best weights so far
  double gate = 0.45;    // score in that match from which the newest weights become the best
  int match_simulations = 16;
  void visit(FieldVisitor& v);
};

struct RunConfig {
  std::uint64_t seed = 1;
  Track track = Track::zero;
  std::string device = "auto";
  NetworkConfig network;
  SearchConfig search;
  SelfPlayConfig selfplay;
  ReplayConfig replay;
  LearnerConfig learner;
  LabelsConfig labels;
  LimitsConfig limits;
  EvaluationConfig evaluation;
  void visit(FieldVisitor& v);

  // What single fields cannot say: a limit is needed, and so on. Throws ConfigError.
  void check() const;
};

// Defaults, then the file, then the assignments in order. Throws ConfigError or FileError.
RunConfig load_run_config(const std::filesystem::path& path, const std::vector<std::string>& assignments);

// Why a run saved with `saved` cannot go on under `wanted` (its networks or its games would not fit together), or "".
std::string incompatibility(const RunConfig& saved, const RunConfig& wanted);

}  // namespace quarto
