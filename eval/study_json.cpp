#include "base/json_library.h"
#include "env/notation.h"
#include "eval/study.h"

namespace quarto {
namespace {

using nlohmann::json;

json share(const Share& s) {
  const Interval i = s.interval();
  return {{"n", s.n}, {"share", s.value()}, {"low", i.low}, {"high", i.high}};
}

json value(std::optional<Value> v) { return v ? json(static_cast<int>(*v)) : json(nullptr); }

json outcome(const Evaluation& e) { return {{"win", e.win}, {"draw", e.draw}, {"loss", e.loss}}; }

json list() { return json::array(); }

json openings(const std::vector<Opening>& all) {
  json out = list();
  for (const Opening& o : all) {
    json moves = list();
    for (const OpeningMoves& m : o.moves) {
      json names = list();
      for (const Move move : m.moves) names.push_back(to_string(move));
      moves.push_back(
          {{"moves", names}, {"probability", m.probability}, {"value", value(m.value)}, {"chosen_by", m.chosen_by}});
    }
    out.push_back({{"name", o.name},
                   {"position", to_string(o.position)},
                   {"value", value(o.value)},
                   {"outcome", outcome(o.opinion)},
                   {"moves", moves}});
  }
  return out;
}

json hard(const std::vector<HardPosition>& all, const std::vector<int>& simulations) {
  json out = list();
  for (const HardPosition& h : all) {
    json moves = list(), choices = list();
    for (const Move move : h.entry.position.moves()) {
      moves.push_back({{"move", to_string(move)},
                       {"value", value(h.entry.moves[move.index])},
                       {"probability", h.opinion.prior[move.index]}});
    }
    for (std::size_t k = 0; k < h.choices.size(); ++k) {
      choices.push_back({{"sims", simulations[k]}, {"move", to_string(h.choices[k])}});
    }
    out.push_back({{"suite", h.suite},
                   {"position", to_string(h.entry.position)},
                   {"value", value(h.entry.value)},
                   {"outcome", outcome(h.opinion)},
                   {"kept", h.kept},
                   {"moves", moves},
                   {"choices", choices}});
  }
  return out;
}

}  // namespace

json to_json(const Study& s) {
  json out = {{"sims", s.simulations},
              {"sets", list()},
              {"value_rules", list()},
              {"stages", list()},
              {"safe_pieces", list()},
              {"move_rules", list()},
              {"errors", list()},
              {"error_types", list()},
              {"confusions", list()},
              {"calibrations", list()},
              {"openings", openings(s.openings)},
              {"hardest", hard(s.hardest, s.simulations)},
              {"hardest_searched", hard(s.hardest_searched, s.simulations)}};
  for (const Study::Set& set : s.sets) {
    out["sets"].push_back(
        {{"set", set.name}, {"positions", set.positions}, {"decisive", set.decisive}, {"open", set.open}});
  }
  for (const ValueRuleRow& r : s.value_rules) {
    out["value_rules"].push_back({{"set", r.set},
                                  {"rule", r.rule},
                                  {"meaning", r.meaning},
                                  {"open", r.open},
                                  {"rule_right", share(r.rule_right)},
                                  {"net_right", share(r.net_right)},
                                  {"same", share(r.same)},
                                  {"net_where_rule_right", share(r.net_where_rule_right)},
                                  {"net_where_rule_wrong", share(r.net_where_rule_wrong)}});
  }
  for (const StageRow& r : s.stages) {
    out["stages"].push_back({{"set", r.set},
                             {"phase", to_string(r.phase)},
                             {"empty", r.empty},
                             {"constant", share(r.constant)},
                             {"parity", share(r.parity)},
                             {"safe_pieces", share(r.safe_pieces)},
                             {"all_counts", share(r.all_counts)},
                             {"net", share(r.net)}});
  }
  for (const SafeRow& r : s.safe) {
    out["safe_pieces"].push_back({{"set", r.set},
                                  {"phase", to_string(r.phase)},
                                  {"safe_pieces", r.safe_pieces},
                                  {"losses", r.values[0]},
                                  {"draws", r.values[1]},
                                  {"wins", r.values[2]},
                                  {"net_right", share(r.net_right)}});
  }
  for (const MoveRuleRow& r : s.move_rules) {
    out["move_rules"].push_back({{"suite", r.suite},
                                 {"rule", r.rule},
                                 {"meaning", r.meaning},
                                 {"phase", to_string(r.phase)},
                                 {"rule_right", share(r.rule_right)},
                                 {"net_right", share(r.net_right)},
                                 {"net_follows", share(r.net_follows)},
                                 {"follows_by_chance", share(r.follows_by_chance)},
                                 {"net_where_rule_right", share(r.net_where_rule_right)},
                                 {"net_where_rule_wrong", share(r.net_where_rule_wrong)},
                                 {"explained", r.explained ? json(*r.explained) : json(nullptr)}});
  }
  for (const ErrorRow& r : s.errors) {
    out["errors"].push_back(
        {{"suite", r.suite}, {"sims", r.simulations}, {"by", r.by}, {"group", r.group}, {"wrong", share(r.wrong)}});
  }
  for (const ErrorTypes& r : s.error_types) {
    out["error_types"].push_back({{"suite", r.suite},
                                  {"sims", r.simulations},
                                  {"won", r.won},
                                  {"drawn", r.drawn},
                                  {"win_to_draw", r.win_to_draw},
                                  {"win_to_loss", r.win_to_loss},
                                  {"draw_to_loss", r.draw_to_loss}});
  }
  for (const ConfusionRow& r : s.confusions) out["confusions"].push_back({{"set", r.set}, {"counts", r.counts}});
  for (const CalibrationRow& r : s.calibrations) {
    json bins = list();
    for (const Calibration::Bin& b : r.calibration.bins()) {
      bins.push_back({{"said", b.mean_said()}, {"happened", share(b.happened)}});
    }
    out["calibrations"].push_back({{"set", r.set}, {"head", r.head}, {"gap", r.calibration.gap()}, {"bins", bins}});
  }
  return out;
}

}  // namespace quarto
