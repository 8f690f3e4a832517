// Agreement with perfect play (docs/measuring.md): the share of decisive positions of a suite in which the chosen move
// keeps the value. Measured per phase and number of pieces on the board, with Wilson intervals, together with random
// play, the one-ply rule and the search without a network.
#pragma once

#include <atomic>
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
  // 0 is the raw network (arg max over legal moves, no symmetry averaging). N is the choice of a search with N
  // simulations, without noise, from a cold tree. What the search proves follows from the rules alone: it has no
  // oracle.
  std::vector<int> simulations = {0};
  int threads = 1;
  int batch = 128;  // positions that one thread evaluates together
  int limit = 0;    // most decisive positions per phase and number of pieces, drawn with `seed`; 0: all
  std::uint64_t seed = 0;
  SearchConfig search{};
  // Measured in place of the evaluator, which is not asked; null: the evaluator is measured.
  Player* player = nullptr;
  bool baselines = true;  // random, one-ply, and the uniform search for every N > 0
  // Other players to measure on the same positions; the report lists them as baselines. They, as `player`, must outlive
  // the measurement and have 0 simulations in the report: what they do is in their names.
  std::vector<Player*> beside{};
  // When it becomes true, the measurement ends: the report has the columns that were measured for a whole suite.
  const std::atomic<bool>* stop = nullptr;
  // Called on the calling thread with the activity and the numbers of finished and of all positions.
  std::function<void(const std::string& what, std::size_t done, std::size_t total)> on_progress{};
};

// One stratum. `positions` is the number of measured positions, all decisive.
struct AgreementRow {
  std::string player;  // "net"; of the floor "random", "oneply" or "uniform"; or the name of a player
  std::string suite;
  int simulations = 0;
  Phase phase = Phase::place;
  int pieces = 0;  // on the board
  std::size_t positions = 0;
  double agreement = 0;  // 0..1; for random players the exact expectation
  Interval interval;     // Wilson, 95%, over samples of positions
  bool by_name = false;  // of AgreementOptions::player or beside, which may have a name of the floor
};

// The unweighted mean over the strata of one player, suite and number of simulations.
struct AgreementMean {
  std::string player, suite;
  int simulations = 0;
  double agreement = 0;
  Interval interval;  // 95%, from the strata's binomial variances
  // The same over strata of 7 to 13 pieces, as published figures use; strata == 0 if there are none.
  double agreement_7_13 = 0;
  int strata = 0, strata_7_13 = 0;
  // Over all positions of the suite, each counted once: those that are not decisive count as kept, since any move keeps
  // their value, and a stratum weighs what it has in the suite. For suites of positions as they come up.
  double all_positions = 0;
  Interval all_positions_interval;  // 95%, from the strata's binomial variances
  bool by_name = false;             // as of a row
};

// What the outcome head holds likeliest; of equals a draw, then a win.
Value likeliest_value(const Evaluation& e);

// The accuracy of the outcome head, over decisive and other positions: of the whole suite, or with a limit estimated
// from what was drawn.
struct ValueHeadRow {
  std::string suite;
  std::size_t positions = 0;
  double cross_entropy = 0;       // mean of -log(probability of the exact value), in nats
  double right = 0;               // share of positions in which the likeliest class is the exact value
  Interval interval;              // of `right`
  double base_cross_entropy = 0;  // of a constant guess with the suite's frequencies
  double base_right = 0;          // the share of the most frequent value
};

struct SuiteSummary {
  std::string suite;
  std::size_t positions = 0;  // in the file
  std::size_t decisive = 0;   // of those
  std::size_t measured = 0;   // of those, after `limit`
};

// A player that failed (PlayerFailed). Its positions count as moves that do not keep the value.
struct Unanswered {
  std::string player, suite;
  std::size_t positions = 0;
  std::string reason;  // of the first
};

struct AgreementReport {
  std::vector<SuiteSummary> suites;
  std::vector<AgreementRow> rows;       // of what is measured; by suite, simulations, phase, pieces
  std::vector<AgreementRow> baselines;  // by suite, player, simulations, phase, pieces
  std::vector<AgreementMean> means, baseline_means;
  std::vector<ValueHeadRow> value_head;
  std::vector<Unanswered> unanswered;
  bool complete = true;  // false: ended by AgreementOptions::stop

  // Throws std::out_of_range if there is no such mean.
  const AgreementMean& mean(const std::string& suite, int simulations, const std::string& player = "net",
                            bool by_name = false) const;
};

// Measures and prints nothing. Suites must have the evaluator's rules. Throws std::invalid_argument for options out of
// range or a suite without decisive positions, and what the evaluator throws.
AgreementReport measure_agreement(Evaluator& evaluator, std::span<const Suite> suites, const AgreementOptions& options);

// {"rows": [{"suite", "sims", "phase", "pieces", "positions", "agreement", "low", "high"}],
//  "means": [{"suite", "sims", "agreement", "low", "high"}], "means_7_to_13": [{"suite", "sims", "agreement"}],
//  "means_all_positions": as "means",
//  "baselines", "baseline_means", "baseline_means_7_to_13", "baseline_means_all_positions": the same with "player",
//  "value_head": [...], "suites": [...]}. Shares are 0..1. Rows and means of AgreementOptions::player have "player",
// too; "sims" is null for a player by its name.
nlohmann::json to_json(const AgreementReport& report);

}  // namespace quarto
