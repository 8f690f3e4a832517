#include "eval/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "base/random.h"
#include "data/suites.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "env/random_play.h"
#include "eval/agreement.h"
#include "eval/rules_of_thumb.h"
#include "play/choose.h"
#include "solver/solver.h"

namespace quarto {
namespace {

// Positions with their values and the network's evaluations. Entries of random play have no values of moves, so none is
// decisive.
struct Judged {
  std::string name;
  std::vector<SuiteEntry> entries;
  std::vector<Position> positions;
  std::vector<Evaluation> opinions;
  std::vector<Counts> counts;
  std::vector<char> open;
  // The indices of the decisive positions, and the moves chosen there for each number of simulations.
  std::vector<std::size_t> decisive;
  std::vector<std::vector<Move>> choices;
};

std::size_t slot(Value v) { return static_cast<std::size_t>(static_cast<int>(v) + 1); }

void check(std::span<const Suite> suites, const StudyOptions& o) {
  if (suites.empty()) throw std::invalid_argument("study: at least one suite is needed");
  if (o.batch < 1 || o.threads < 1 || o.limit < 0 || o.generated < 0 || o.hardest < 0) {
    throw std::invalid_argument("study: batch and threads must be 1 or more; limit, generated and hardest 0 or more");
  }
  for (const int n : o.simulations) {
    if (n < 0) throw std::invalid_argument(fmt::format("study: {} simulations: 0 or more are needed", n));
  }
}

struct StudyStopped {};

class Studying {
 public:
  Studying(Evaluator& evaluator, std::span<const Suite> suites, const StudyOptions& options)
      : evaluator_(evaluator), options_(options) {
    check(suites, options);
    const std::set<int> sorted(options.simulations.begin(), options.simulations.end());
    result_.simulations = {0};
    for (const int n : sorted) {
      if (n > 0) result_.simulations.push_back(n);
    }
    for (std::size_t s = 0; s < suites.size(); ++s) add_suite(suites[s], s);
    try {
      if (options.generated > 0) add_generated();
    } catch (const StudyStopped&) {
      may_stop_ = false;
      sets_.clear();
    }
  }

  Study run() {
    bool stopped = !may_stop_;
    for (auto j = sets_.begin(); j != sets_.end(); ++j) {
      try {
        judge(*j);
      } catch (const StudyStopped&) {
        stopped = true;
        sets_.erase(j, sets_.end());
        break;
      }
    }
    may_stop_ = false;
    result_.complete = !stopped;
    if (sets_.empty()) return std::move(result_);
    for (const Judged& j : sets_) {
      result_.sets.push_back({j.name, j.entries.size(), j.decisive.size(),
                              static_cast<std::size_t>(std::count(j.open.begin(), j.open.end(), 1))});
      study_values(j);
      study_confusion(j);
    }
    const ValueRule& basis = value_rules()[value_rule("all counts")];
    CountedRule counted(basis.classify);
    const bool generated = sets_.back().name == kGeneratedSet;
    if (generated) count_apart(counted);
    for (const Judged& j : sets_) {
      if (j.decisive.empty()) continue;
      study_moves(j, generated ? &counted : nullptr);
      for (std::size_t k = 0; k < result_.simulations.size(); ++k) study_errors(j, k);
    }
    study_hardest();
    result_.openings =
        study_openings(evaluator_, options_.rules, result_.simulations, choice_options(0, "", 0), options_.books);
    return std::move(result_);
  }

 private:
  void add_suite(const Suite& suite, std::size_t stream) {
    std::vector<const SuiteEntry*> all;
    for (const SuiteEntry& e : suite.entries) all.push_back(&e);
    Rng rng(mix_seed(options_.seed, stream));
    Judged& j = sets_.emplace_back();
    j.name = suite.name;
    for (const SuiteEntry* e : draw_entries(all, options_.limit, rng)) j.entries.push_back(*e);
  }

  // No two positions are images of each other. With few pieces there may be fewer positions than requested.
  void add_generated() {
    constexpr int kFirst = 5, kLast = 14;
    Judged j;
    j.name = kGeneratedSet;
    for (int ply = 2 * kFirst; ply <= 2 * kLast + 1; ++ply) {
      Rng rng(mix_seed(options_.seed ^ 0x51D7, static_cast<std::uint64_t>(ply)));
      std::set<CanonicalKey> seen;
      for (int tries = 0; tries < 20 * options_.generated && static_cast<int>(seen.size()) < options_.generated;
           ++tries) {
        const Position p = random_position_at(ply, rng, options_.rules);
        if (!seen.insert(canonical_key(p)).second) continue;
        SuiteEntry e;
        e.position = p;
        j.entries.push_back(e);
      }
    }
    Solver solver({.table_bytes = options_.table_bytes, .threads = options_.threads, .books = options_.books});
    constexpr std::size_t kPortion = 64;
    std::vector<Position> positions;
    for (const SuiteEntry& e : j.entries) positions.push_back(e.position);
    for (std::size_t at = 0; at < positions.size(); at += kPortion) {
      const auto part = std::span(positions).subspan(at, std::min(kPortion, positions.size() - at));
      const auto values = solver.solve_all(part);
      for (std::size_t i = 0; i < part.size(); ++i) j.entries[at + i].value = values[i].value();
      progress("solving positions of random play", at + part.size(), positions.size());
    }
    sets_.push_back(std::move(j));
  }

  void progress(const std::string& what, std::size_t done, std::size_t total) const {
    if (options_.on_progress) options_.on_progress(what, done, total);
    if (may_stop_ && options_.stop && *options_.stop) throw StudyStopped{};
  }

  BatchChoiceLimits choice_options(int simulations, const std::string& set, std::size_t total) const {
    BatchChoiceLimits choice{.simulations = simulations,
                             .threads = options_.threads,
                             .batch = options_.batch,
                             .seed = options_.seed,
                             .search = options_.search};
    const std::string what = simulations == 0 ? set + ", network" : fmt::format("{}, search @{}", set, simulations);
    choice.on_progress = [this, what, total](std::size_t done) { progress(what, done, total); };
    return choice;
  }

  void judge(Judged& j) {
    for (std::size_t i = 0; i < j.entries.size(); ++i) {
      const Position& p = j.entries[i].position;
      j.positions.push_back(p);
      j.counts.push_back(counts_of(p));
      j.open.push_back(seen_at_once(p) ? 0 : 1);
      if (j.entries[i].decisive()) j.decisive.push_back(i);
    }
    j.opinions = evaluate_all(evaluator_, j.positions, choice_options(0, j.name, j.positions.size()));
    std::vector<Position> decisive;
    for (const std::size_t i : j.decisive) decisive.push_back(j.positions[i]);
    for (const int n : result_.simulations) {
      if (n > 0) {
        j.choices.push_back(choose_all(evaluator_, nullptr, decisive, choice_options(n, j.name, decisive.size())));
        continue;
      }
      std::vector<Move>& moves = j.choices.emplace_back();
      for (const std::size_t i : j.decisive) moves.push_back(likeliest_move(j.positions[i], j.opinions[i]));
    }
  }

  void study_values(const Judged& j) {
    std::vector<Value> exact;
    for (const SuiteEntry& e : j.entries) exact.push_back(e.value);
    const auto& rules = value_rules();
    const auto said = predict_across_halves(rules, j.positions, exact);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      ValueRuleRow all{j.name, rules[r].name, rules[r].meaning, false, {}, {}, {}, {}, {}}, open = all;
      open.open = true;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const Value net = likeliest_value(j.opinions[i]);
        const bool right = said[r][i] == exact[i], net_right = net == exact[i];
        for (ValueRuleRow* row : {&all, &open}) {
          if (row->open && !j.open[i]) continue;
          row->rule_right.add(right);
          row->net_right.add(net_right);
          row->same.add(net == said[r][i]);
          (right ? row->net_where_rule_right : row->net_where_rule_wrong).add(net_right);
        }
      }
      result_.value_rules.push_back(all);
      result_.value_rules.push_back(open);
    }
    std::map<std::pair<Phase, int>, StageRow> stages;
    std::map<std::pair<Phase, int>, SafeRow> safe;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (!j.open[i]) continue;
      const Phase phase = j.positions[i].phase();
      const bool net_right = likeliest_value(j.opinions[i]) == exact[i];
      StageRow& stage = stages[{phase, j.counts[i].empty}];
      stage.set = j.name;
      stage.phase = phase;
      stage.empty = j.counts[i].empty;
      stage.constant.add(said[value_rule("stage")][i] == exact[i]);
      stage.parity.add(said[value_rule("parity")][i] == exact[i]);
      stage.safe_pieces.add(said[value_rule("safe pieces")][i] == exact[i]);
      stage.all_counts.add(said[value_rule("all counts")][i] == exact[i]);
      stage.net.add(net_right);
      SafeRow& row = safe[{phase, j.counts[i].safe_pieces}];
      row.set = j.name;
      row.phase = phase;
      row.safe_pieces = j.counts[i].safe_pieces;
      ++row.values[slot(exact[i])];
      row.net_right.add(net_right);
    }
    for (const auto& [key, row] : stages) result_.stages.push_back(row);
    for (const auto& [key, row] : safe) result_.safe.push_back(row);
  }

  void study_confusion(const Judged& j) {
    ConfusionRow row{j.name, {}};
    CalibrationRow outcome{j.name, "outcome", {}}, policy{j.name, "policy", {}};
    for (std::size_t i = 0; i < j.entries.size(); ++i) {
      const Value exact = j.entries[i].value;
      ++row.counts[slot(exact)][slot(likeliest_value(j.opinions[i]))];
      for (const Value v : {Value::loss, Value::draw, Value::win}) {
        outcome.calibration.add(j.opinions[i].of(v), v == exact);
      }
    }
    for (std::size_t d = 0; d < j.decisive.size(); ++d) {
      const std::size_t i = j.decisive[d];
      const Move chosen = j.choices[0][d];
      policy.calibration.add(j.opinions[i].prior[chosen.index], keeps_value(j.entries[i], chosen) > 0);
    }
    result_.confusions.push_back(row);
    result_.calibrations.push_back(outcome);
    if (!j.decisive.empty()) result_.calibrations.push_back(policy);
  }

  // Counts the positions of random play, except those that are in a suite or are one move away from one, in any image.
  // So a rule that uses these counts has not seen the positions on which it is measured.
  void count_apart(CountedRule& counted) const {
    std::set<CanonicalKey> apart;
    for (const Judged& j : sets_) {
      for (const std::size_t i : j.decisive) {
        apart.insert(canonical_key(j.positions[i]));
        for (const Move m : j.positions[i].moves()) apart.insert(canonical_key(j.positions[i].after(m)));
      }
    }
    for (const SuiteEntry& e : sets_.back().entries) {
      if (!apart.contains(canonical_key(e.position))) counted.count(e.position, e.value);
    }
  }

  void study_moves(const Judged& j, const CountedRule* counted) {
    std::vector<MoveRule> rules = move_rules();
    if (counted) rules.push_back(counted_move_rule("counted", *counted));
    for (const Phase phase : {Phase::place, Phase::give}) {
      double one_ply = 0;
      for (const MoveRule& rule : rules) {
        const std::string& meaning = phase == Phase::place ? rule.placing : rule.giving;
        if (meaning.empty()) continue;
        MoveRuleRow row{j.name, rule.name, meaning, phase, {}, {}, {}, {}, {}, {}, {}};
        for (std::size_t d = 0; d < j.decisive.size(); ++d) {
          const SuiteEntry& e = j.entries[j.decisive[d]];
          if (e.position.phase() != phase) continue;
          const Mask moves = rule.moves(e.position), base = one_ply_moves(e.position);
          const Move chosen = j.choices[0][d];
          const double right = keeping_share(e, moves), net = keeps_value(e, chosen);
          row.rule_right.add(right);
          row.net_right.add(net);
          row.net_follows.add((moves >> chosen.index) & 1U);
          row.follows_by_chance.add(static_cast<double>(std::popcount(moves)) / std::popcount(base));
          // Only where all or none of the rule's moves keep the value.
          if (right == 1) row.net_where_rule_right.add(net);
          if (right == 0) row.net_where_rule_wrong.add(net);
        }
        if (row.rule_right.n == 0) continue;
        if (rule.name == rules.front().name) one_ply = row.rule_right.value();
        const double lead = row.net_right.value() - one_ply;
        if (lead > 0) row.explained = (row.rule_right.value() - one_ply) / lead;
        result_.move_rules.push_back(row);
      }
    }
  }

  void study_errors(const Judged& j, std::size_t k) {
    const int n = result_.simulations[k];
    std::map<std::pair<int, int>, ErrorRow> groups;  // in order of the lists below
    ErrorTypes types{j.name, n, 0, 0, 0, 0, 0};
    const auto add = [&](int by, int order, const char* what, const std::string& group, bool wrong) {
      ErrorRow& row = groups[{by, order}];
      row.suite = j.name;
      row.simulations = n;
      row.by = what;
      row.group = group;
      row.wrong.add(wrong);
    };
    for (std::size_t d = 0; d < j.decisive.size(); ++d) {
      const std::size_t i = j.decisive[d];
      const SuiteEntry& e = j.entries[i];
      const Value after = e.moves[j.choices[k][d].index].value();
      const bool wrong = after != e.value;
      const Phase phase = e.position.phase();
      const int pieces = e.position.pieces_on_board(), safe = j.counts[i].safe_pieces;
      add(0, 0, "all", "all", wrong);
      add(1, static_cast<int>(phase), "phase", to_string(phase), wrong);
      add(2, pieces, "pieces", std::to_string(pieces), wrong);
      add(3, safe, "safe pieces", std::to_string(safe), wrong);
      add(4, -static_cast<int>(e.value), "value", to_string(e.value), wrong);
      if (e.value == Value::win) {
        ++types.won;
        types.win_to_draw += after == Value::draw ? 1 : 0;
        types.win_to_loss += after == Value::loss ? 1 : 0;
      } else {
        ++types.drawn;
        types.draw_to_loss += wrong ? 1 : 0;
      }
    }
    for (const auto& [key, row] : groups) result_.errors.push_back(row);
    result_.error_types.push_back(types);
  }

  void study_hardest() {
    std::vector<HardPosition> all;
    std::set<CanonicalKey> seen;
    for (const Judged& j : sets_) {
      for (std::size_t d = 0; d < j.decisive.size(); ++d) {
        const std::size_t i = j.decisive[d];
        if (!seen.insert(canonical_key(j.positions[i])).second) continue;
        HardPosition hard{j.name, j.entries[i], j.opinions[i], 0, {}};
        for (const Move move : j.positions[i].moves()) {
          if (keeps_value(j.entries[i], move) > 0) hard.kept += j.opinions[i].prior[move.index];
        }
        for (const auto& moves : j.choices) hard.choices.push_back(moves[d]);
        all.push_back(std::move(hard));
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.kept < b.kept; });
    const auto most = static_cast<std::size_t>(options_.hardest);
    for (const HardPosition& h : all) {
      if (result_.hardest.size() < most) {
        result_.hardest.push_back(h);
      } else if (result_.simulations.size() > 1 && result_.hardest_searched.size() < most &&
                 keeps_value(h.entry, h.choices.back()) == 0) {
        result_.hardest_searched.push_back(h);
      }
    }
  }

  Evaluator& evaluator_;
  const StudyOptions& options_;
  std::vector<Judged> sets_;
  Study result_;
  bool may_stop_ = true;  // while positions are solved and judged; the rest takes no time
};

}  // namespace

Study study(Evaluator& evaluator, std::span<const Suite> suites, const StudyOptions& options) {
  return Studying(evaluator, suites, options).run();
}

}  // namespace quarto
