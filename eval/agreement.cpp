#include "eval/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/json_library.h"
#include "base/random.h"
#include "data/suites.h"
#include "env/one_ply.h"
#include "play/choose.h"
#include "play/player.h"

namespace quarto {
namespace {

using Stratum = std::pair<Phase, int>;

Stratum stratum_of(const Position& p) { return {p.phase(), p.pieces_on_board()}; }

// Pointers to the measured entries of a suite.
struct Selection {
  std::vector<const SuiteEntry*> decisive;
  std::vector<const SuiteEntry*> others;
};

Selection select(const Suite& suite, const AgreementOptions& options, std::uint64_t stream) {
  Selection all;
  for (const SuiteEntry& entry : suite.entries) (entry.decisive() ? all.decisive : all.others).push_back(&entry);
  Rng rng(mix_seed(options.seed, stream));
  return {draw_entries(all.decisive, options.limit, rng), draw_entries(all.others, options.limit, rng)};
}

std::vector<Position> positions_of(std::span<const SuiteEntry* const> entries) {
  std::vector<Position> positions;
  positions.reserve(entries.size());
  for (const SuiteEntry* e : entries) positions.push_back(e->position);
  return positions;
}

// Adds the strata and the mean of one player on one suite, from one score (0..1) per position.
void add_rows(const std::string& player, const Suite& suite, int simulations,
              std::span<const SuiteEntry* const> entries, std::span<const double> scores,
              std::vector<AgreementRow>& rows, std::vector<AgreementMean>& means, bool by_name = false) {
  std::map<Stratum, std::pair<double, std::size_t>> strata;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto& [sum, n] = strata[stratum_of(entries[i]->position)];
    sum += scores[i];
    ++n;
  }
  std::map<Stratum, double> decisive;  // in the whole suite, of which `entries` may be a part
  for (const SuiteEntry& entry : suite.entries) {
    if (entry.decisive()) decisive[stratum_of(entry.position)] += 1;
  }
  const auto all = static_cast<double>(suite.entries.size());
  AgreementMean mean;
  mean.player = player;
  mean.suite = suite.name;
  mean.simulations = simulations;
  mean.by_name = by_name;
  double variance = 0, lost = 0, lost_variance = 0;
  for (const auto& [stratum, total] : strata) {
    const auto [sum, n] = total;
    const auto size = static_cast<double>(n);
    const double share = sum / size;
    rows.push_back(
        {player, suite.name, simulations, stratum.first, stratum.second, n, share, wilson(sum, size), by_name});
    // The sample variance of a stratum with only hits or only misses is zero. Agresti and Coull's "add two of each"
    // avoids this.
    const double smoothed = (sum + 2) / (size + 4);
    const double of_share = smoothed * (1 - smoothed) / (size + 4), weight = decisive[stratum] / all;
    variance += of_share;
    lost += weight * (1 - share);
    lost_variance += weight * weight * of_share;
    mean.agreement += share;
    ++mean.strata;
    if (stratum.second >= 7 && stratum.second <= 13) {
      mean.agreement_7_13 += share;
      ++mean.strata_7_13;
    }
  }
  mean.agreement /= mean.strata;
  if (mean.strata_7_13 > 0) mean.agreement_7_13 /= mean.strata_7_13;
  const double half = kZ95 * std::sqrt(variance) / mean.strata;
  mean.interval = {std::max(0.0, mean.agreement - half), std::min(1.0, mean.agreement + half)};
  mean.all_positions = 1 - lost;
  const double lost_half = kZ95 * std::sqrt(lost_variance);
  mean.all_positions_interval = {std::max(0.0, mean.all_positions - lost_half),
                                 std::min(1.0, mean.all_positions + lost_half)};
  means.push_back(mean);
}

std::vector<double> score_moves(std::span<const SuiteEntry* const> entries, std::span<const Move> moves) {
  std::vector<double> scores(entries.size());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = keeps_value(*entries[i], moves[i]);
  return scores;
}

// Of a part of the suite's entries, drawn by stratum among the decisive ones and the others: each stands for as many of
// the suite as its group has for each that was drawn.
ValueHeadRow judge_value_head(const Suite& suite, std::span<const SuiteEntry* const> entries,
                              std::span<const Evaluation> evaluations) {
  using Group = std::pair<Stratum, bool>;
  const auto group_of = [](const SuiteEntry& e) { return Group{stratum_of(e.position), e.decisive()}; };
  std::map<Group, double> in_suite, drawn;
  for (const SuiteEntry& e : suite.entries) in_suite[group_of(e)] += 1;
  for (const SuiteEntry* e : entries) drawn[group_of(*e)] += 1;

  ValueHeadRow row{suite.name, entries.size(), 0, 0, {}, 0, 0};
  std::array<double, 3> counts{};
  double right = 0, n = 0, squares = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Group group = group_of(*entries[i]);
    const double weight = in_suite[group] / drawn[group];
    n += weight;
    squares += weight * weight;
    const Value exact = entries[i]->value;
    const Evaluation& e = evaluations[i];
    // A probability that was rounded to zero would have infinite cost, so it is at least 1e-7, about the precision of
    // float32.
    row.cross_entropy -= weight * std::log(std::max(static_cast<double>(e.of(exact)), 1e-7));
    right += likeliest_value(e) == exact ? weight : 0;
    counts[static_cast<std::size_t>(static_cast<int>(exact) + 1)] += weight;
  }
  row.cross_entropy /= n;
  row.right = right / n;
  // As many entries of equal weight would have the variance of these (Kish, Survey Sampling, 1965).
  const double effective = n * n / squares;
  row.interval = wilson(row.right * effective, effective);
  for (const double count : counts) {
    if (count > 0) row.base_cross_entropy -= count / n * std::log(count / n);
    row.base_right = std::max(row.base_right, count / n);
  }
  return row;
}

void check(std::span<const Suite> suites, const AgreementOptions& options) {
  if (options.simulations.empty())
    throw std::invalid_argument("agreement: at least one number of simulations is needed");
  for (const int n : options.simulations) {
    if (n < 0) throw std::invalid_argument(fmt::format("agreement: {} simulations: 0 or more are needed", n));
  }
  if (options.batch < 1 || options.threads < 1 || options.limit < 0) {
    throw std::invalid_argument("agreement: batch and threads must be 1 or more, limit 0 or more");
  }
  for (const Suite& suite : suites) {
    if (std::none_of(suite.entries.begin(), suite.entries.end(), [](const SuiteEntry& e) { return e.decisive(); })) {
      throw std::invalid_argument(fmt::format(
          "suite {}: none of its {} positions has moves of different values, so there is nothing to agree with",
          suite.name, suite.entries.size()));
    }
  }
}

}  // namespace

Value likeliest_value(const Evaluation& e) {
  if (e.draw >= e.win && e.draw >= e.loss) return Value::draw;
  return e.win >= e.loss ? Value::win : Value::loss;
}

const AgreementMean& AgreementReport::mean(const std::string& suite, int simulations, const std::string& player,
                                           bool by_name) const {
  for (const auto* list : {&means, &baseline_means}) {
    for (const AgreementMean& m : *list) {
      if (m.suite == suite && m.simulations == simulations && m.player == player && m.by_name == by_name) return m;
    }
  }
  throw std::out_of_range(
      fmt::format("agreement of {} on {} with {} simulations was not measured", player, suite, simulations));
}

namespace {

struct Stopped {};

void measure_suites(Evaluator& evaluator, std::span<const Suite> suites, const AgreementOptions& options,
                    AgreementReport& report) {
  UniformEvaluator uniform;
  for (std::size_t s = 0; s < suites.size(); ++s) {
    const Suite& suite = suites[s];
    const Selection chosen = select(suite, options, s);
    const std::size_t n = chosen.decisive.size();
    report.suites.push_back({suite.name, suite.entries.size(), 0, n});
    for (const SuiteEntry& e : suite.entries) report.suites.back().decisive += e.decisive() ? 1 : 0;
    const std::vector<Position> positions = positions_of(chosen.decisive);

    const auto choice_options = [&](int simulations, const std::string& who, std::size_t total) {
      BatchChoiceLimits choice{.simulations = simulations,
                               .threads = options.threads,
                               .batch = options.batch,
                               .seed = options.seed,
                               .search = options.search};
      if (options.on_progress) {
        const std::string what = simulations == 0 ? fmt::format("{}, {}", suite.name, who)
                                                  : fmt::format("{}, {}@{}", suite.name, who, simulations);
        choice.on_progress = [&options, what, total](std::size_t done) { options.on_progress(what, done, total); };
      }
      return choice;
    };

    std::vector<Evaluation> evaluations;
    if (!options.player) {
      std::vector<const SuiteEntry*> judged = chosen.decisive;
      judged.insert(judged.end(), chosen.others.begin(), chosen.others.end());
      evaluations = evaluate_all(evaluator, positions_of(judged), choice_options(0, "net", judged.size()));
      report.value_head.push_back(judge_value_head(suite, judged, evaluations));
    }
    for (const int simulations : options.simulations) {
      if (options.player) break;
      std::vector<Move> moves(n);
      if (simulations == 0) {
        for (std::size_t i = 0; i < n; ++i) moves[i] = likeliest_move(positions[i], evaluations[i]);
      } else {
        moves = choose_all(evaluator, nullptr, positions, choice_options(simulations, "net", n));
      }
      add_rows("net", suite, simulations, chosen.decisive, score_moves(chosen.decisive, moves), report.rows,
               report.means);
    }
    const auto measure_player = [&](Player* player, std::vector<AgreementRow>& rows,
                                    std::vector<AgreementMean>& means) {
      std::vector<Move> moves;
      std::vector<std::size_t> failed;
      Unanswered unanswered{player->name(), suite.name, 0, {}};
      while (moves.size() < n) {
        const std::size_t batch = std::min(player->preferred_batch(), n - moves.size());
        try {
          for (const Move m : player->choose(std::span(positions).subspan(moves.size(), batch))) moves.push_back(m);
        } catch (const PlayerFailed& e) {
          if (failed.empty()) unanswered.reason = e.reason();
          for (std::size_t i = 0; i < batch; ++i) {
            failed.push_back(moves.size());
            moves.push_back(*positions[moves.size()].moves().begin());
          }
        }
        if (options.on_progress) options.on_progress(suite.name + ", " + player->name(), moves.size(), n);
      }
      auto scores = score_moves(chosen.decisive, moves);
      for (const std::size_t i : failed) scores[i] = 0;
      unanswered.positions = failed.size();
      if (!failed.empty()) report.unanswered.push_back(unanswered);
      add_rows(player->name(), suite, 0, chosen.decisive, scores, rows, means, true);
    };
    if (options.player) measure_player(options.player, report.rows, report.means);
    for (Player* player : options.beside) measure_player(player, report.baselines, report.baseline_means);
    if (!options.baselines) continue;

    std::vector<double> random(n), one_ply(n);
    for (std::size_t i = 0; i < n; ++i) {
      random[i] = keeping_share(*chosen.decisive[i], positions[i].legal_moves());
      one_ply[i] = keeping_share(*chosen.decisive[i], one_ply_moves(positions[i]));
    }
    add_rows("random", suite, 0, chosen.decisive, random, report.baselines, report.baseline_means);
    add_rows("oneply", suite, 0, chosen.decisive, one_ply, report.baselines, report.baseline_means);
    for (const int simulations : options.simulations) {
      if (simulations == 0) continue;
      const auto moves = choose_all(uniform, nullptr, positions, choice_options(simulations, "uniform", n));
      add_rows("uniform", suite, simulations, chosen.decisive, score_moves(chosen.decisive, moves), report.baselines,
               report.baseline_means);
    }
  }
}

}  // namespace

AgreementReport measure_agreement(Evaluator& evaluator, std::span<const Suite> suites, const AgreementOptions& given) {
  check(suites, given);
  AgreementReport report;
  AgreementOptions options = given;
  options.on_progress = [&given](const std::string& what, std::size_t done, std::size_t total) {
    if (given.on_progress) given.on_progress(what, done, total);
    if (given.stop && *given.stop) throw Stopped{};
  };
  try {
    measure_suites(evaluator, suites, options, report);
  } catch (const Stopped&) {
    report.complete = false;
    // A suite of which nothing was measured.
    const auto begun = [&](const SuiteSummary& s) {
      const auto of_suite = [&](const auto& row) { return row.suite == s.suite; };
      return std::any_of(report.rows.begin(), report.rows.end(), of_suite) ||
             std::any_of(report.baselines.begin(), report.baselines.end(), of_suite);
    };
    std::erase_if(report.suites, [&](const SuiteSummary& s) { return !begun(s); });
    std::erase_if(report.value_head, [&](const ValueHeadRow& v) {
      return std::none_of(report.suites.begin(), report.suites.end(),
                          [&](const auto& s) { return s.suite == v.suite; });
    });
  }
  return report;
}

namespace {

constexpr std::string_view kEvaluator = "net";

// Null where a player's name says what it does.
template <class RowOrMean>
nlohmann::json simulations_of(const RowOrMean& of) {
  return of.by_name ? nlohmann::json(nullptr) : nlohmann::json(of.simulations);
}

nlohmann::json rows_to_json(const std::vector<AgreementRow>& rows) {
  nlohmann::json out = nlohmann::json::array();
  for (const AgreementRow& r : rows) {
    nlohmann::json row = {
        {"suite", r.suite},      {"sims", simulations_of(r)}, {"phase", r.phase == Phase::place ? "place" : "give"},
        {"pieces", r.pieces},    {"positions", r.positions},  {"agreement", r.agreement},
        {"low", r.interval.low}, {"high", r.interval.high}};
    if (r.player != kEvaluator) row["player"] = r.player;
    out.push_back(std::move(row));
  }
  return out;
}

// Which mean.
enum class Over { strata, strata_7_13, positions };

nlohmann::json means_to_json(const std::vector<AgreementMean>& means, Over over) {
  nlohmann::json out = nlohmann::json::array();
  for (const AgreementMean& m : means) {
    if (over == Over::strata_7_13 && m.strata_7_13 == 0) continue;
    nlohmann::json row = {{"suite", m.suite},
                          {"sims", simulations_of(m)},
                          {"agreement", over == Over::strata        ? m.agreement
                                        : over == Over::strata_7_13 ? m.agreement_7_13
                                                                    : m.all_positions}};
    if (over != Over::strata_7_13) {
      const Interval& interval = over == Over::strata ? m.interval : m.all_positions_interval;
      row["low"] = interval.low;
      row["high"] = interval.high;
    }
    if (m.player != kEvaluator) row["player"] = m.player;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

nlohmann::json to_json(const AgreementReport& report) {
  nlohmann::json out = {{"rows", rows_to_json(report.rows)},
                        {"means", means_to_json(report.means, Over::strata)},
                        {"means_7_to_13", means_to_json(report.means, Over::strata_7_13)},
                        {"means_all_positions", means_to_json(report.means, Over::positions)},
                        {"baselines", rows_to_json(report.baselines)},
                        {"baseline_means", means_to_json(report.baseline_means, Over::strata)},
                        {"baseline_means_7_to_13", means_to_json(report.baseline_means, Over::strata_7_13)},
                        {"baseline_means_all_positions", means_to_json(report.baseline_means, Over::positions)},
                        {"value_head", nlohmann::json::array()},
                        {"suites", nlohmann::json::array()}};
  for (const ValueHeadRow& v : report.value_head) {
    out["value_head"].push_back({{"suite", v.suite},
                                 {"positions", v.positions},
                                 {"cross_entropy", v.cross_entropy},
                                 {"right", v.right},
                                 {"low", v.interval.low},
                                 {"high", v.interval.high},
                                 {"base_cross_entropy", v.base_cross_entropy},
                                 {"base_right", v.base_right}});
  }
  for (const SuiteSummary& s : report.suites) {
    out["suites"].push_back(
        {{"suite", s.suite}, {"positions", s.positions}, {"decisive", s.decisive}, {"measured", s.measured}});
  }
  return out;
}

}  // namespace quarto
