// Measures what a network knows: how much of perfect play, and of the network's play, simple rules explain
// (rules_of_thumb.h); where it errs; its evaluation of the opening; and the positions that are hardest for it.
//
// Positions come from suites and from random careful play (Sampling in data/label.h). Those from random play are not
// selected by value, like those of all.tsv, and the study computes their values. Shares count each position once; the
// means of agreement.h count each stratum once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/suite.h"
#include "env/evaluator.h"
#include "eval/calibration.h"
#include "eval/openings.h"
#include "eval/statistics.h"
#include "mcts/search.h"
#include "solver/book.h"

namespace quarto {

// The name of the set of positions from random play.
inline constexpr const char* kGeneratedSet = "random play";

struct StudyOptions {
  std::vector<int> simulations = {0, 32};  // as in AgreementOptions; the raw policy is always included
  int threads = 1;                         // at least 1
  int batch = 128;                         // positions that one thread evaluates together, at least 1
  int limit = 0;                           // most positions of a suite per phase and number of pieces; 0: all
  int generated = 1000;  // positions per phase and number of pieces (5 to 14) from random play; 0: none
  int hardest = 12;      // number of hardest positions to keep, 0 or more
  Rules rules = Rules::lines;
  std::uint64_t seed = 0;  // for drawing positions, and for ties in the search
  SearchConfig search{};
  Books books = {};                                  // for the opening and the solver
  std::size_t table_bytes = std::size_t{256} << 20;  // of the solver
  // When it becomes true, the study ends with the sets that were studied whole.
  const std::atomic<bool>* stop = nullptr;
  // Called on the calling thread with the activity and the numbers of finished and of all items.
  std::function<void(const std::string& what, std::size_t done, std::size_t total)> on_progress{};
};

// A rule for values, compared with the likeliest class of the outcome head.
struct ValueRuleRow {
  std::string set, rule, meaning;
  bool open = false;  // only the positions for which seen_at_once() gives no value
  Share rule_right, net_right, same;
  Share net_where_rule_right, net_where_rule_wrong;
};

// Open positions of one phase and number of empty squares: the accuracy of some rules and of the outcome head.
struct StageRow {
  std::string set;
  Phase phase = Phase::place;
  int empty = 0;
  Share constant, parity, safe_pieces, all_counts, net;
};

// Open positions of one phase and number of safe pieces.
struct SafeRow {
  std::string set;
  Phase phase = Phase::place;
  int safe_pieces = 0;
  std::array<std::size_t, 3> values{};  // losses, draws, wins
  Share net_right;
};

// A rule for moves on decisive positions, compared with the raw policy's choice. A rule that leaves several moves
// scores the share of them that keeps the value.
struct MoveRuleRow {
  std::string suite, rule, meaning;
  Phase phase = Phase::place;
  Share rule_right, net_right;
  Share net_follows, follows_by_chance;  // the network's choice, and a random one-ply move, is among the rule's moves
  Share net_where_rule_right,
      net_where_rule_wrong;  // where all, and where none, of the rule's moves keep the value
  // (rule - one ply) / (network - one ply): 1 for a rule that is as good as the network, negative for a rule worse than
  // one ply. nullopt where the network is no better than one ply.
  std::optional<double> explained;
};

// Moves that do not keep the value, on decisive positions.
struct ErrorRow {
  std::string suite;
  int simulations = 0;
  std::string by;     // "phase", "pieces", "safe pieces", "value"
  std::string group;  // "place", "7", "3", "win"
  Share wrong;
};
struct ErrorTypes {
  std::string suite;
  int simulations = 0;
  std::size_t won = 0, drawn = 0;  // numbers of decisive positions with these values
  std::size_t win_to_draw = 0, win_to_loss = 0, draw_to_loss = 0;
};

// The likeliest class of the outcome head against the value: counts[exact][said]; losses, draws, wins.
struct ConfusionRow {
  std::string set;
  std::array<std::array<std::size_t, 3>, 3> counts{};
};

struct CalibrationRow {
  std::string set;
  // "outcome": all three probabilities of every position. "policy": the probability of the chosen move and whether it
  // keeps the value, on decisive positions.
  std::string head;
  Calibration calibration;
};

struct HardPosition {
  std::string suite;
  SuiteEntry entry;
  Evaluation opinion;
  double kept = 0;  // the total probability of the moves that keep the value, 0..1
  // The choices with each of options.simulations, in order.
  std::vector<Move> choices;
};

struct Study {
  bool complete = true;          // false: ended by StudyOptions::stop; without sets nothing was studied
  std::vector<int> simulations;  // 0 first
  struct Set {
    std::string name;
    std::size_t positions = 0, decisive = 0, open = 0;  // after `limit`
  };
  std::vector<Set> sets;
  std::vector<ValueRuleRow> value_rules;
  std::vector<StageRow> stages;
  std::vector<SafeRow> safe;
  std::vector<MoveRuleRow> move_rules;
  std::vector<ErrorRow> errors;
  std::vector<ErrorTypes> error_types;
  std::vector<ConfusionRow> confusions;
  std::vector<CalibrationRow> calibrations;
  std::vector<Opening> openings;
  // From all suites; each position occurs in one image only; ascending by `kept`.
  std::vector<HardPosition> hardest;  // for the raw policy
  std::vector<HardPosition>
      hardest_searched;  // others that the search with the most simulations gets wrong; empty without a search
};

// Measures and prints nothing. The suites must have options.rules. The same seed gives the same figures on any number
// of threads, if the evaluator does not depend on the batch. Throws std::invalid_argument for options out of range and
// when there are no suites; SolverError; and what the evaluator throws.
Study study(Evaluator& evaluator, std::span<const Suite> suites, const StudyOptions& options);

// docs/experiments/what-networks-know.md describes the structure. Shares are objects {"n", "share", "low", "high"},
// 0..1, with intervals of 95%.
nlohmann::json to_json(const Study& study);

}  // namespace quarto
