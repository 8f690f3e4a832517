#include "app/study_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "app/table.h"
#include "env/notation.h"

namespace quarto::app {
namespace {

using app::percent;
std::string percent(const Share& s) { return s.n == 0 ? "-" : percent(s.value()); }
std::string with_interval(const Share& s) {
  if (s.n == 0) return "-";
  return fmt::format("{:>5} [{:>5}, {:>5}]", percent(s.value()), percent(s.interval().low), percent(s.interval().high));
}
std::string heading(const std::string& text) {
  return fmt::format("\n{}\n{}\n\n", text, std::string(text.size(), '='));
}
std::string player(int simulations) { return simulations == 0 ? "policy" : fmt::format("@{}", simulations); }
std::string exact_text(const std::optional<Value>& v) { return v ? to_string(*v) : "?"; }

std::string value_rules(const Study& study) {
  std::string out = heading("Values: what can a rule explain?") +
                    "How often a rule names the exact value of an open position (one whose value is not seen at once), "
                    "with 95%\nintervals; how often the outcome head agrees with it; and how often the head is right "
                    "where the rule is right and\nwhere it is wrong. Counted rules predict each half of the positions "
                    "from the other. In percent.\n";
  for (const Study::Set& set : study.sets) {
    out += fmt::format("\n{}: {} positions, {} of them open\n\n", set.name, set.positions, set.open);
    if (set.open == 0) continue;
    TextTable table({"rule", "right", "head agrees", "head: rule right", "rule wrong"});
    table.add_rule();
    Share net;
    for (const ValueRuleRow& r : study.value_rules) {
      if (r.set != set.name || !r.open) continue;
      table.add({r.rule, with_interval(r.rule_right), percent(r.same), percent(r.net_where_rule_right),
                 percent(r.net_where_rule_wrong)});
      net = r.net_right;
    }
    table.add_rule();
    table.add({"outcome head", with_interval(net), "", "", ""});
    out += table.str();
  }
  out += "\nThe rules:\n";
  for (const ValueRuleRow& r : study.value_rules) {
    if (r.set == study.sets.front().name && r.open) out += fmt::format("  {:<21} {}\n", r.rule, r.meaning);
  }
  return out;
}

std::string safe_pieces(const Study& study) {
  // Shows the last set, which is not selected by value and is the largest. The others are in the JSON and on the page.
  const std::string& set = study.sets.back().name;
  std::string out = heading("Values by the number of safe pieces: " + set) +
                    "Open positions. If parity ruled, the shares would swing from row to row.\n\n";
  TextTable table({"phase  safe pieces", "n", "won", "drawn", "lost", "outcome head right"});
  table.add_rule();
  std::optional<Phase> last;
  for (const SafeRow& r : study.safe) {
    if (r.set != set) continue;
    if (last && *last != r.phase) table.add_rule();
    last = r.phase;
    const auto n = static_cast<double>(r.net_right.n);
    const auto part = [&](int v) { return percent(static_cast<double>(r.values[static_cast<std::size_t>(v)]) / n); };
    table.add({fmt::format("{:<5}  {:>11}", to_string(r.phase), r.safe_pieces), std::to_string(r.net_right.n), part(2),
               part(1), part(0), with_interval(r.net_right)});
  }
  return out + table.str();
}

std::string move_rules(const Study& study) {
  std::string out =
      heading("Moves: what can a rule explain?") +
      "Decisive positions: how often the rule's move keeps the value; how far that is from one ply to the "
      "network; how often\nthe network's move is among the rule's, and would be by chance; how often the "
      "network is right where the rule is\nand where it is wrong. In percent.\n";
  for (const Study::Set& set : study.sets) {
    for (const Phase phase : {Phase::place, Phase::give}) {
      TextTable table({"rule", "right", "explained", "followed", "by chance", "net: rule right", "rule wrong"});
      table.add_rule();
      Share net;
      for (const MoveRuleRow& r : study.move_rules) {
        if (r.suite != set.name || r.phase != phase) continue;
        table.add({r.rule, with_interval(r.rule_right), r.explained ? fmt::format("{:.0f}", 100 * *r.explained) : "-",
                   percent(r.net_follows), percent(r.follows_by_chance), percent(r.net_where_rule_right),
                   percent(r.net_where_rule_wrong)});
        net = r.net_right;
      }
      if (net.n == 0) continue;
      table.add_rule();
      table.add({"network, policy", with_interval(net), "", "", "", "", ""});
      out += fmt::format("\n{}, {}: {} positions\n\n{}", set.name, phase == Phase::place ? "placing" : "giving", net.n,
                         table.str());
    }
  }
  out += "\nThe rules:\n";
  std::vector<std::string> shown;
  for (const MoveRuleRow& r : study.move_rules) {
    const std::string line = fmt::format("  {:<17} {:<6} {}\n", r.rule, to_string(r.phase), r.meaning);
    if (std::find(shown.begin(), shown.end(), line) != shown.end()) continue;
    shown.push_back(line);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const std::string& a, const std::string& b) { return a.substr(0, 19) < b.substr(0, 19); });
  for (const std::string& line : shown) out += line;
  return out;
}

std::string errors(const Study& study) {
  std::string out = heading("Where it errs") +
                    "The share of decisive positions in which the move does not keep the value, in percent, with 95% "
                    "intervals.\n\n";
  using Column = std::pair<std::string, int>;
  std::vector<Column> columns;
  std::vector<std::pair<std::string, std::string>> lines;  // by, group
  std::map<std::pair<Column, std::pair<std::string, std::string>>, const ErrorRow*> cells;
  for (const ErrorRow& r : study.errors) {
    const Column column{r.suite, r.simulations};
    const std::pair line{r.by, r.group};
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    cells[{column, line}] = &r;
  }
  // A suite may have groups that the first suite lacks.
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const auto& line) {
      static const std::vector<std::string> order = {"all", "phase", "value", "pieces", "safe pieces"};
      const bool number = line.second.find_first_not_of("0123456789") == std::string::npos;
      return std::pair(std::find(order.begin(), order.end(), line.first) - order.begin(),
                       number ? std::stoi(line.second) : 0);
    };
    return rank(a) < rank(b);
  });
  std::vector<std::string> header = {"positions"};
  for (const auto& [suite, n] : columns) header.push_back(suite + ", " + player(n));
  TextTable table(header);
  std::string by;
  for (const auto& line : lines) {
    if (line.first != by) table.add_rule();
    by = line.first;
    std::vector<std::string> row = {by == line.second ? by : by + " " + line.second};
    for (const Column& column : columns) {
      const auto at = cells.find({column, line});
      row.push_back(at == cells.end() ? "-" : with_interval(at->second->wrong));
    }
    table.add(row);
  }
  out += table.str() + "\n";
  for (const ErrorTypes& t : study.error_types) {
    out += fmt::format("{}, {}: {} won positions, {} drawn away, {} lost; {} drawn positions, {} lost\n", t.suite,
                       player(t.simulations), t.won, t.win_to_draw, t.win_to_loss, t.drawn, t.draw_to_loss);
  }
  return out;
}

std::string calibration(const Study& study) {
  std::string out = heading("Calibration: what was said in percent, and how often it happened");
  for (const std::string head : {"outcome", "policy"}) {
    std::vector<std::string> header = {"said"}, gaps = {"mean gap, points"};
    std::vector<std::vector<std::string>> rows(Calibration::kBins);
    for (int b = 0; b < Calibration::kBins; ++b) {
      rows[static_cast<std::size_t>(b)] = {fmt::format("{:>3} to {:>3}", 10 * b, 10 * (b + 1))};
    }
    for (const CalibrationRow& row : study.calibrations) {
      if (row.head != head) continue;
      header.push_back(row.set);
      gaps.push_back(percent(row.calibration.gap()));
      for (std::size_t b = 0; b < rows.size(); ++b)
        rows[b].push_back(with_interval(row.calibration.bins()[b].happened));
    }
    TextTable table(header);
    table.add_rule();
    for (const auto& row : rows) table.add(row);
    table.add_rule();
    table.add(gaps);
    out += (head == "outcome" ? "Outcome head: all three probabilities of every position\n\n"
                              : "\nPolicy: the probability of the chosen move, and how often it keeps the value\n\n") +
           table.str();
  }
  out += "\nOutcome head: the exact value, and the likeliest class\n\n";
  TextTable table({"set, exact value", "said win", "draw", "loss"});
  table.add_rule();
  for (const ConfusionRow& c : study.confusions) {
    for (const Value v : {Value::win, Value::draw, Value::loss}) {
      const auto& n = c.counts[static_cast<std::size_t>(static_cast<int>(v) + 1)];
      if (n[0] + n[1] + n[2] == 0) continue;
      table.add({c.set + ", " + to_string(v), std::to_string(n[2]), std::to_string(n[1]), std::to_string(n[0])});
    }
  }
  return out + table.str();
}

std::string openings(const Study& study) {
  std::string out =
      heading("The opening") +
      "The first plies (for --rules lines every position, up to symmetry): the exact value, what the outcome head "
      "says,\n"
      "and the likeliest moves (images of each other together), with their probability, their exact value and who "
      "chooses them.\n";
  for (const Opening& o : study.openings) {
    out += fmt::format("\n{}: {}\n  {}; said: win {}, draw {}, loss {}\n", o.name, to_string(o.position),
                       o.value ? "exactly a " + to_string(*o.value) : "exact value unknown", percent(o.opinion.win),
                       percent(o.opinion.draw), percent(o.opinion.loss));
    for (std::size_t i = 0; i < o.moves.size(); ++i) {
      const OpeningMoves& m = o.moves[i];
      if (i >= 2 && m.chosen_by.empty()) continue;
      std::string chosen;
      for (const int n : m.chosen_by) chosen += " " + player(n);
      out += fmt::format("  {:<2} {:<13} {:>5}%  {}{}\n", to_string(m.moves.front()),
                         m.moves.size() > 1 ? fmt::format("and {} alike", m.moves.size() - 1) : "",
                         percent(m.probability), exact_text(m.value), chosen.empty() ? "" : "  <-" + chosen);
    }
  }
  return out;
}

std::string choices(const Study& study, const HardPosition& h) {
  std::string out;
  for (std::size_t k = 0; k < h.choices.size(); ++k) {
    const auto value = h.entry.moves[h.choices[k].index];
    out += fmt::format("{}{} {} ({})", k == 0 ? "" : ", ", player(study.simulations[k]), to_string(h.choices[k]),
                       exact_text(value));
  }
  return out;
}

// The board, and beside it the moves by descending probability.
std::string draw(const HardPosition& h, const DrawStyle& style) {
  const Position& p = h.entry.position;
  std::vector<Move> moves;
  for (const Move m : p.moves()) moves.push_back(m);
  const auto prior = [&](Move m) { return h.opinion.prior[m.index]; };
  std::stable_sort(moves.begin(), moves.end(), [&](Move a, Move b) { return prior(a) > prior(b); });
  std::vector<std::string> beside;
  for (const Move move : moves) {
    const auto value = h.entry.moves[move.index];
    beside.push_back(fmt::format("{:<2} {:>5}%  {}{}", to_string(move), percent(prior(move)), exact_text(value),
                                 value == h.entry.value ? "  keeps" : ""));
  }
  std::string out;
  const std::vector<std::string> rows = draw_board(p, std::nullopt, style);
  // The moves stand beside the board from its second row.
  for (std::size_t r = 0; r < std::max(rows.size(), beside.size() + 1); ++r) {
    const std::string note = r >= 1 && r <= beside.size() ? beside[r - 1] : "";
    std::string line = r < rows.size() ? rows[r] : std::string(37, ' ');
    if (!note.empty()) line += "   " + note;
    out += line + "\n";
  }
  return out;
}

std::string hard_list(const Study& study, const std::vector<HardPosition>& list, int pictures, const DrawStyle& style) {
  std::string out;
  int shown = 0;
  for (const HardPosition& h : list) {
    const Position& p = h.entry.position;
    out += fmt::format("{}  {}: {}, exactly a {}; right moves: {}% of the probability; {}\n", to_string(p),
                       p.has_hand() ? "to place" : "to give", h.suite, to_string(h.entry.value), percent(h.kept),
                       choices(study, h));
    if (shown++ < pictures) {
      if (p.has_hand()) out += fmt::format("in hand {}: {}\n", to_string(p.hand()), describe(p.hand()));
      out += draw(h, style) + "\n";
    }
  }
  return out;
}

std::string hardest(const Study& study, int pictures, const DrawStyle& style) {
  if (study.hardest.empty()) return "";
  std::string out = heading("The hardest positions") +
                    "Decisive positions in which the network gives the moves that keep the value the least "
                    "probability.\n\n" +
                    hard_list(study, study.hardest, pictures, style);
  if (!study.hardest_searched.empty()) {
    out += fmt::format("\nOthers that the search with {} simulations gets wrong\n\n", study.simulations.back()) +
           hard_list(study, study.hardest_searched, pictures, style);
  }
  return out;
}

// The main figures.
std::string in_short(const Study& study) {
  std::string out = "What did it learn?\n\n";
  const auto interval = [](const Share& s) {
    return fmt::format("{}% [{}, {}]", percent(s), percent(s.interval().low), percent(s.interval().high));
  };
  const std::string& set = study.sets.back().name;
  const ValueRuleRow *best = nullptr, *pure = nullptr, *one_ply = nullptr;
  for (const ValueRuleRow& r : study.value_rules) {
    if (r.set != set || !r.open || r.rule_right.n == 0) continue;
    if (!best || r.rule_right.value() > best->rule_right.value()) best = &r;
    if (r.rule == "pure parity") pure = &r;
    if (r.rule == "one ply") one_ply = &r;
  }
  if (best && pure && one_ply) {
    out += fmt::format(
        "Values of {} open positions, {}: outcome head right {};\n"
        "  the best rule, '{}', {}; the pure parity rule {}%; the most frequent value {}%.\n"
        "  Where the best rule is wrong, the head is right in {}%.\n",
        best->net_right.n, set, interval(best->net_right), best->rule, interval(best->rule_right),
        percent(pure->rule_right), percent(one_ply->rule_right), percent(best->net_where_rule_wrong));
  }
  for (const Study::Set& s : study.sets) {
    for (const Phase phase : {Phase::place, Phase::give}) {
      const MoveRuleRow *top = nullptr, *base = nullptr;
      for (const MoveRuleRow& r : study.move_rules) {
        if (r.suite != s.name || r.phase != phase) continue;
        if (r.rule == "one ply") base = &r;
        if (!top || r.rule_right.value() > top->rule_right.value()) top = &r;
      }
      if (!top || !base) continue;
      out += fmt::format("{}, {}: network {}; one ply {}%; the best rule, '{}', {}%\n", s.name,
                         phase == Phase::place ? "placing" : "giving", interval(top->net_right),
                         percent(base->rule_right), top->rule, percent(top->rule_right));
    }
  }
  return out;
}

}  // namespace

std::string study_text(const Study& study, int pictures, const DrawStyle& style) {
  return in_short(study) + value_rules(study) + safe_pieces(study) + move_rules(study) + errors(study) +
         calibration(study) + openings(study) + hardest(study, pictures, style);
}

}  // namespace quarto::app
