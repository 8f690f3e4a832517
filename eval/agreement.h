// Agreement with perfect play (docs/measuring.md): of the decisive positions of a suite, the share in which the chosen
// move keeps the value. Measured per phase and per number of pieces on the board, with Wilson intervals, always beside
// random play, the one-ply rule and the search without a network.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "data/suite.h"
#include "env/evaluator.h"
#include "eval/statistics.h"
#include "mcts/search.h"

namespace quarto {

class Player;

struct AgreementOptions {
  // 0 is the raw network (arg max over legal moves, no symmetry averaging); N the search's choice with N simulations,
  // without noise, from a cold tree. The search itself has no exact values but those of finished games.
  std::vector<int> simulations = {0};
  int threads = 1;
  int batch = 128;  // positions side by side in one thread
  int limit = 0;    // at most so many decisive positions per phase and number of pieces, drawn with `seed`; 0 = all
  std::uint64_t seed = 0;
  SearchConfig search{};
  bool baselines = true;  // random, one-ply, and the uniform search for every N > 0
  // Others to measure on the same positions, listed among the baselines by their names, with 0 simulations. They must
  // outlive the measurement.
  std::vector<Player*> beside{};
  // Called on the calling thread: what is being measured, positions done and in all.
  std::function<void(const std::string& what, std::size_t done, std::size_t total)> on_progress{};
};

// One stratum. `positions` were measured, all of them decisive.
struct AgreementRow {
  std::string player;  // "net", or a baseline: "random", "oneply", "uniform", or the name of one of `beside`
  std::string suite;
  int simulations = 0;
  Phase phase = Phase::place;
  int pieces = 0;  // on the board
  std::size_t positions = 0;
  double agreement = 0;  // 0..1; for players that choose at random the exact expectation
  Interval interval;     // Wilson, 95%: what another sample of positions could have shown
};

// The unweighted mean over the strata of one player, suite and number of simulations.
struct AgreementMean {
  std::string player, suite;
  int simulations = 0;
  double agreement = 0;
  Interval interval;  // 95%, from the strata's binomial variances
  // The same over strata of 7 to 13 pieces, which is what published figures state; strata == 0 if there are none.
  double agreement_7_13 = 0;
  int strata = 0, strata_7_13 = 0;
};

// How well the outcome head knows the values, over decisive and other positions alike.
struct ValueHeadRow {
  std::string suite;
  std::size_t positions = 0;
  double cross_entropy = 0;       // mean of -log(probability of the exact value), in nats
  double right = 0;               // share of positions in which the likeliest class is the exact value
  Interval interval;              // of `right`
  double base_cross_entropy = 0;  // of the constant guess with the suite's own frequencies
  double base_right = 0;          // the share of the most frequent value
};

struct SuiteSummary {
  std::string suite;
  std::size_t positions = 0;  // in the file
  std::size_t decisive = 0;   // of those
  std::size_t measured = 0;   // of those, after `limit`
};

struct AgreementReport {
  std::vector<SuiteSummary> suites;
  std::vector<AgreementRow> rows;       // of the evaluator; by suite, simulations, phase, pieces
  std::vector<AgreementRow> baselines;  // by suite, player, simulations, phase, pieces
  std::vector<AgreementMean> means, baseline_means;
  std::vector<ValueHeadRow> value_head;

  // Throws std::out_of_range if it was not measured.
  const AgreementMean& mean(const std::string& suite, int simulations, const std::string& player = "net") const;
};

// Measures; prints nothing. Suites must be of the evaluator's rules. Throws std::invalid_argument for options out of
// range or a suite without a decisive position, and whatever the evaluator throws.
AgreementReport measure_agreement(Evaluator& evaluator, std::span<const Suite> suites, const AgreementOptions& options);

// {"rows": [{"suite", "sims", "phase", "pieces", "positions", "agreement", "low", "high"}],
//  "means": [{"suite", "sims", "agreement"}], "means_7_to_13": [...],
//  "baselines", "baseline_means", "baseline_means_7_to_13": the same with "player",
//  "value_head": [...], "suites": [...]}. Shares are 0..1.
nlohmann::json to_json(const AgreementReport& report);

}  // namespace quarto
