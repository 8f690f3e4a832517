#include "report/study_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/text.h"
#include "env/notation.h"
#include "env/types.h"
#include "report/board_picture.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/report.h"

namespace quarto {
namespace {

using nlohmann::json;
using plot::escape;

std::string percent_of(const json& share) {
  return share.at("n") == 0 ? "–" : html_percent(share.at("share").get<double>());
}
std::string with_interval(const json& share) {
  if (share.at("n") == 0) return "–";
  return fmt::format("{:.1f}% <span class=\"soft\">[{:.1f}, {:.1f}]</span>", 100 * share.at("share").get<double>(),
                     100 * share.at("low").get<double>(), 100 * share.at("high").get<double>());
}
std::string text(const json& v) { return escape(v.get<std::string>()); }
std::string number(const json& v) { return std::to_string(v.get<long long>()); }

std::string value_text(const json& v) { return v.is_null() ? "?" : to_string(static_cast<Value>(v.get<int>())); }

plot::Point point(double x, const json& share) {
  return {x, share.at("share").get<double>(), share.at("low").get<double>(), share.at("high").get<double>()};
}

std::string paragraph(const std::string& plain) { return "<p class=\"soft\">" + escape(plain) + "</p>"; }

std::vector<std::string> names(const json& list, const char* key) {
  std::vector<std::string> found;
  for (const json& row : list) {
    const std::string name = row.at(key);
    if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
  }
  return found;
}

std::string player(const json& row) {
  const int sims = row.at("sims");
  return sims == 0 ? "policy" : fmt::format("@{}", sims);
}

// The figures that answer the question, large.
std::string tiles(const json& study) {
  std::string out;
  const json &sets = study.at("sets"), *best = nullptr, *pure = nullptr;
  for (const json& r : study.at("value_rules")) {
    if (sets.empty() || r.at("set") != sets.back().at("set") || !r.at("open").get<bool>()) continue;
    if (r.at("rule") == "pure parity") pure = &r;
    if (!best || r.at("rule_right").at("share").get<double>() > best->at("rule_right").at("share").get<double>())
      best = &r;
  }
  if (best && pure) {
    const std::string where = " (values, " + sets.back().at("set").get<std::string>() + ", open)";
    out += html_tile(percent_of(best->at("net_right")), "outcome head" + where);
    out += html_tile(percent_of(best->at("rule_right")), "best rule, " + best->at("rule").get<std::string>() + where);
    out += html_tile(percent_of(pure->at("rule_right")), "pure parity rule" + where);
  }
  for (const json& r : study.at("errors")) {
    if (r.at("by") != "all") continue;
    out += html_tile(percent_of(r.at("wrong")),
                     fmt::format("moves wrong: {}, {}", r.at("suite").get<std::string>(), player(r)));
  }
  return "<div class=\"tiles\">" + out + "</div>";
}

// ---- rules ----------------------------------------------------------------------------------------------------------

std::string stage_plots(const json& stages, const std::string& set) {
  std::string out;
  for (const std::string phase : {"place", "give"}) {
    plot::LinePlot p;
    p.title = phase == "place" ? "Values of open positions, placing" : "Values of open positions, giving";
    p.x_label = "empty squares";
    p.percent = p.whole_x = true;
    const std::pair<const char*, const char*> lines[] = {{"net", "outcome head"},
                                                         {"all_counts", "all counts"},
                                                         {"parity", "parity"},
                                                         {"constant", "most frequent value"}};
    int colour = 0;
    for (const auto& [key, label] : lines) {
      plot::Series s{label, {}, colour, colour > 0};
      for (const json& row : stages) {
        if (row.at("set") != set || row.at("phase") != phase || row.at("net").at("n").get<int>() < 10) continue;
        plot::Point at = point(row.at("empty").get<double>(), row.at(key));
        if (colour > 0) at.low = at.high = std::nullopt;
        s.points.push_back(at);
      }
      ++colour;
      p.series.push_back(s);
    }
    out += plot::svg(p);
  }
  return "<div class=\"plots\">" + out + "</div>";
}

std::string value_rules(const json& study) {
  std::string out =
      "<h2>Values: what can a rule explain?</h2>" +
      paragraph(
          "A rule predicts the exact value (win, draw, loss for the player to act); beside it the "
          "network's outcome head. Counted rules say the most frequent value of their class of positions, "
          "each half of the positions being predicted from the other; all images of a position are in "
          "one half. Open: the value is not seen at once, by a winning piece in hand or nothing safe "
          "left. Brackets are Wilson intervals of 95%.");
  for (const std::string& set : names(study.at("sets"), "set")) {
    out += "<h3>" + escape(set) + "</h3>" + stage_plots(study.at("stages"), set);
    std::vector<std::vector<std::string>> rows;
    const json* last = nullptr;
    for (const json& r : study.at("value_rules")) {
      if (r.at("set") != set || !r.at("open").get<bool>()) continue;
      last = &r;
      rows.push_back({text(r.at("rule")), text(r.at("meaning")), with_interval(r.at("rule_right")),
                      percent_of(r.at("same")), percent_of(r.at("net_where_rule_right")),
                      percent_of(r.at("net_where_rule_wrong"))});
    }
    if (last) {
      rows.push_back({"*outcome head", "", with_interval(last->at("net_right")), "", "", ""});
      out += paragraph(fmt::format("{} open positions:", last->at("net_right").at("n").get<long long>()));
    }
    out += html_table({"rule", "says", "right", "head agrees", "head right where the rule is", "and where it is wrong"},
                      rows, {1});
    std::string all;
    for (const json& r : study.at("value_rules")) {
      if (r.at("set") != set || r.at("open").get<bool>()) continue;
      all += fmt::format("{}{} {}", all.empty() ? "" : ", ", r.at("rule").get<std::string>(),
                         percent_of(r.at("rule_right")));
      last = &r;
    }
    if (last) {
      out += paragraph(fmt::format("Over all {} positions: outcome head {}; {}.",
                                   last->at("net_right").at("n").get<long long>(), percent_of(last->at("net_right")),
                                   all));
    }
  }
  return out;
}

std::string safe_table(const json& study) {
  std::string out = "<h3>Values by the number of safe pieces</h3>" +
                    paragraph("Open positions. If parity ruled, the shares would swing from row to row.");
  for (const std::string& set : names(study.at("safe_pieces"), "set")) {
    std::vector<std::vector<std::string>> rows;
    for (const json& r : study.at("safe_pieces")) {
      if (r.at("set") != set) continue;
      const double n = r.at("net_right").at("n").get<double>();
      const auto part = [&](const char* key) { return html_percent(r.at(key).get<double>() / n); };
      rows.push_back({text(r.at("phase")), number(r.at("safe_pieces")), number(r.at("net_right").at("n")), part("wins"),
                      part("draws"), part("losses"), with_interval(r.at("net_right"))});
    }
    out += "<details><summary>" + escape(set) + "</summary>" +
           html_table({"phase", "safe pieces", "positions", "won", "drawn", "lost", "outcome head right"}, rows) +
           "</details>";
  }
  return out;
}

std::string move_rules(const json& study) {
  std::string out =
      "<h2>Moves: what can a rule explain?</h2>" + paragraph(
                                                       "Decisive positions. A rule picks among the moves that one ply "
                                                       "leaves; where it leaves several, it is right to "
                                                       "the share of them that keeps the value. Explained: how far the "
                                                       "rule gets from one ply (0) to the raw network (100%).");
  for (const std::string& suite : names(study.at("move_rules"), "suite")) {
    for (const std::string phase : {"place", "give"}) {
      std::vector<std::vector<std::string>> rows;
      const json* last = nullptr;
      for (const json& r : study.at("move_rules")) {
        if (r.at("suite") != suite || r.at("phase") != phase) continue;
        last = &r;
        rows.push_back(
            {text(r.at("rule")), text(r.at("meaning")), with_interval(r.at("rule_right")),
             r.at("explained").is_null() ? "–" : fmt::format("{:.0f}%", 100 * r.at("explained").get<double>()),
             percent_of(r.at("net_follows")), percent_of(r.at("follows_by_chance")),
             percent_of(r.at("net_where_rule_right")), percent_of(r.at("net_where_rule_wrong"))});
      }
      if (!last) continue;
      rows.push_back({"*network, policy", "", with_interval(last->at("net_right")), "", "", "", "", ""});
      out += fmt::format("<h3>{}, {}: {} positions</h3>", escape(suite), phase == "place" ? "placing" : "giving",
                         last->at("net_right").at("n").get<long long>());
      out += html_table({"rule", "chooses", "right", "explained", "network follows", "by chance",
                         "network right where the rule is", "and where it is wrong"},
                        rows, {1});
    }
  }
  return out;
}

// ---- errors ---------------------------------------------------------------------------------------------------------

// A number of pieces, which has become a text where there are other kinds of groups.
int pieces_of(const std::string& group) {
  const auto n = number_from<int>(group);
  if (!n || *n < 0 || *n > kPieces)
    throw ReportError(fmt::format("the study is not as expected: '{}' is no number of pieces", printable(group, 40)));
  return *n;
}

std::string error_plots(const json& study, const std::string& suite) {
  std::string out = "<div class=\"plots\">";
  for (const std::string by : {"pieces", "safe pieces"}) {
    plot::LinePlot p;
    p.title = by == "pieces" ? "Errors by pieces on the board" : "Errors by safe pieces left";
    p.x_label = by == "pieces" ? "pieces on the board" : "safe pieces";
    p.percent = p.whole_x = true;
    for (const json& sims : study.at("sims")) {
      plot::Series s{
          sims == 0 ? "policy" : fmt::format("@{}", sims.get<int>()), {}, static_cast<int>(p.series.size()), false};
      for (const json& r : study.at("errors")) {
        if (r.at("suite") != suite || r.at("by") != by || r.at("sims") != sims) continue;
        if (r.at("wrong").at("n").get<int>() < 10) continue;
        s.points.push_back(point(pieces_of(r.at("group").get<std::string>()), r.at("wrong")));
      }
      std::sort(s.points.begin(), s.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
      p.series.push_back(s);
    }
    out += plot::svg(p);
  }
  return out + "</div>";
}

std::string calibration_plot(const json& study, const std::string& head) {
  plot::LinePlot p;
  p.title = head == "outcome" ? "Outcome head: said and happened" : "Policy: probability of its move, and share right";
  p.x_label = "probability said";
  p.percent = true;
  for (const json& r : study.at("calibrations")) {
    if (r.at("head") != head) continue;
    plot::Series s{fmt::format("{} (gap {:.1f}%)", r.at("set").get<std::string>(), 100 * r.at("gap").get<double>()),
                   {},
                   static_cast<int>(p.series.size()),
                   false};
    for (const json& bin : r.at("bins")) {
      if (bin.at("happened").at("n").get<int>() > 0) s.points.push_back(point(bin.at("said"), bin.at("happened")));
    }
    p.series.push_back(s);
  }
  p.series.push_back({"as said", {{0, 0, {}, {}}, {1, 1, {}, {}}}, 7, true});
  return plot::svg(p);
}

std::string errors(const json& study) {
  std::string out = "<h2>Where it errs</h2>" +
                    paragraph(
                        "The share of decisive positions in which the move does not keep the value. A lost "
                        "position is never decisive, since every move loses.");
  for (const std::string& suite : names(study.at("errors"), "suite")) {
    std::vector<std::vector<std::string>> rows;
    for (const json& r : study.at("errors")) {
      const std::string by = r.at("by");
      if (r.at("suite") != suite || by == "pieces" || by == "safe pieces") continue;
      rows.push_back({player(r), by == "value" ? "value: " + text(r.at("group")) : text(r.at("group")),
                      number(r.at("wrong").at("n")), with_interval(r.at("wrong"))});
    }
    out += "<h3>" + escape(suite) + "</h3>" + error_plots(study, suite) +
           html_table({"player", "positions", "how many", "wrong"}, rows, {1});
    rows.clear();
    for (const json& r : study.at("error_types")) {
      if (r.at("suite") != suite) continue;
      rows.push_back({player(r), number(r.at("won")), number(r.at("win_to_draw")), number(r.at("win_to_loss")),
                      number(r.at("drawn")), number(r.at("draw_to_loss"))});
    }
    out +=
        html_table({"player", "won positions", "win to draw", "win to loss", "drawn positions", "draw to loss"}, rows);
  }
  out += "<h3>Calibration</h3>" +
         paragraph(
             "Ten bins. Outcome: all three probabilities of every position. The suites decisive and deep were "
             "selected by their values, which no head can know; random play was not. Gap: the mean distance.") +
         "<div class=\"plots\">" + calibration_plot(study, "outcome") + calibration_plot(study, "policy") + "</div>";
  std::vector<std::vector<std::string>> rows;
  static const char* kNames[] = {"loss", "draw", "win"};
  for (const json& r : study.at("confusions")) {
    for (int exact = 2; exact >= 0; --exact) {
      const json& counts = r.at("counts").at(static_cast<std::size_t>(exact));
      rows.push_back(
          {text(r.at("set")), kNames[exact], number(counts.at(2)), number(counts.at(1)), number(counts.at(0))});
    }
  }
  return out + "<h3>Outcome head: exact value and likeliest class</h3>" +
         html_table({"set", "exactly a", "said win", "said draw", "said loss"}, rows, {1});
}

// ---- openings and pictures ------------------------------------------------------------------------------------------

std::string opening_table(const json& study) {
  std::vector<std::vector<std::string>> rows;
  for (const json& o : study.at("openings")) {
    std::string moves;
    for (std::size_t i = 0; i < o.at("moves").size() && i < 4; ++i) {
      const json& m = o.at("moves")[i];
      std::string chosen;
      for (const json& n : m.at("chosen_by")) chosen += n == 0 ? " policy" : fmt::format(" @{}", n.get<int>());
      moves += fmt::format("{}<b>{}</b>{} {} ({}){}", i == 0 ? "" : "; ", text(m.at("moves")[0]),
                           m.at("moves").size() > 1 ? fmt::format(" and {} alike", m.at("moves").size() - 1) : "",
                           html_percent(m.at("probability")), value_text(m.at("value")),
                           chosen.empty() ? "" : " <i>←" + chosen + "</i>");
    }
    const json& said = o.at("outcome");
    rows.push_back({text(o.at("name")), "<code>" + text(o.at("position")) + "</code>", value_text(o.at("value")),
                    fmt::format("{:.0f} / {:.0f} / {:.0f}", 100 * said.at("win").get<double>(),
                                100 * said.at("draw").get<double>(), 100 * said.at("loss").get<double>()),
                    moves});
  }
  return "<h2>The opening</h2>" +
         paragraph(
             "The first plies (where lines win, every position up to symmetry). Moves that are images of each other "
             "are taken "
             "together, with the probability of all of them and their exact value; arrows mark the choices.") +
         html_table({"position", "notation", "exact", "said: win / draw / loss, %", "likeliest moves"}, rows, {1, 4});
}

std::string picture(const json& hard) {
  const std::string notation = hard.at("position");
  const Position position = parse_position(notation);
  MoveNotes notes;
  for (const json& m : hard.at("moves")) {
    const Move move = parse_move(m.at("move").get<std::string>(), position.phase());
    if (!m.at("value").is_null()) notes.values[move.index] = static_cast<Value>(m.at("value").get<int>());
    notes.probabilities[move.index] = m.at("probability").get<double>();
  }
  std::string choices;
  for (const json& c : hard.at("choices")) {
    choices += fmt::format(", {} {}", player(c), c.at("move").get<std::string>());
    notes.chosen = parse_move(c.at("move").get<std::string>(), position.phase());
  }
  return "<figure class=\"plot\">" + board_svg(position, notes, notation) +
         fmt::format(
             "<div class=\"legend\"><code>{}</code></div><div class=\"legend\">{}, exactly a {}; right moves: {} "
             "of the probability{}</div></figure>",
             escape(notation), text(hard.at("suite")), value_text(hard.at("value")), html_percent(hard.at("kept")),
             escape(choices));
}

std::string pictures(const json& list) {
  std::string out = "<div class=\"plots small\">";
  for (const json& hard : list) out += picture(hard);
  return out + "</div>";
}

std::string hardest(const json& study) {
  std::string out =
      "<h2>The hardest positions</h2>" +
      paragraph(
          "The decisive positions in which the network gives the moves that keep the value the least "
          "probability. Each move has its probability and its exact value (W, D, L); those that keep "
          "the value are underlined, and the last choice, that of most simulations, is framed.") +
      "<div class=\"plots small\"><figure class=\"plot\"><figcaption>Dark or light fill; tall is large, short "
      "small; round or square; hollow has a ring</figcaption>" +
      pieces_svg() + "</figure></div>" + pictures(study.at("hardest"));
  if (!study.at("hardest_searched").empty()) {
    out += fmt::format("<h3>Others that the search of {} simulations gets wrong</h3>",
                       study.at("sims").back().get<int>()) +
           pictures(study.at("hardest_searched"));
  }
  return out;
}

}  // namespace

json read_study(const std::filesystem::path& path) {
  json value = json_or_null(read_text(path));
  if (!value.is_object() || !value.contains("value_rules")) {
    throw ReportError(
        fmt::format("{}: not what `quartozero study --json` writes: \"value_rules\" is missing", path.string()));
  }
  return value;
}

std::string study_section(const json& study) {
  return from_json_of("the study is", [&] {
    return "<h2>What did it learn?</h2>" + tiles(study) + value_rules(study) + safe_table(study) + move_rules(study) +
           errors(study) + opening_table(study) + hardest(study);
  });
}

std::string render_study(const json& study) {
  const std::string section = study_section(study);
  std::string subtitle = "A network's knowledge of Quarto, taken apart against exact values.";
  if (study.contains("checkpoint") && study.at("checkpoint").is_string()) {
    subtitle += " Checkpoint: " + study.at("checkpoint").get<std::string>() + ".";
  }
  for (const json& change : study.value("search", json::array())) subtitle += " " + change.get<std::string>() + ".";
  return html_page("A study of a network", subtitle, section);
}

}  // namespace quarto
