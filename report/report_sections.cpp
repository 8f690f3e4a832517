#include "report/report_sections.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "report/page.h"
#include "report/plot.h"

namespace quarto {

using nlohmann::json;
using plot::escape;

std::string exploit_section(const json& exploit) {
  const bool complete = exploit.at("complete").get<bool>();
  const auto lost = exploit.at("losing_lines").get<std::uint64_t>();
  std::string verdict;
  if (exploit.at("unbeatable").get<bool>()) {
    verdict = "proven unbeatable: nobody can win a game against it, from either seat";
  } else if (complete) {
    verdict = fmt::format("can be beaten: {} losing lines", lost);
  } else {
    verdict =
        fmt::format("the walk was stopped: {} losing lines is a lower bound, and proves nothing if it is zero", lost);
  }
  std::string out = fmt::format(
      "<h2>Exploitability</h2><p>Every line that an opponent can force against <code>{}</code>, images of a position "
      "counted once: <strong>{}</strong>.</p>",
      escape(exploit.at("player").get<std::string>()), escape(verdict));
  std::vector<std::vector<std::string>> rows;
  for (const json& seat : exploit.at("seats")) {
    rows.push_back({escape(seat.at("seat").get<std::string>()), seat.at("positions").dump(),
                    seat.at("decisions").dump(), seat.at("losing_lines").dump(),
                    seat.at("complete").get<bool>() ? "all" : fmt::format("{} plies", seat.at("whole_plies").dump())});
  }
  out += html_table({"seat", "positions", "decisions", "losing lines", "walked"}, rows);
  for (const json& seat : exploit.at("seats")) {
    if (!seat.contains("shortest")) continue;
    out += fmt::format(
        "<p>The shortest losing line when it {}: <code>{}</code>, played on to the end: <code>{}</code>.</p>",
        escape(seat.at("seat").get<std::string>()), escape(seat.at("shortest").get<std::string>()),
        escape(seat.at("shortest_to_the_end").get<std::string>()));
  }
  return out;
}

std::string ladder_section(const json& ladder) {
  std::vector<std::vector<std::string>> rows;
  for (const json& p : ladder.at("players")) {
    rows.push_back({escape(p.at("name").get<std::string>()), fmt::format("{:+.0f}", p.at("elo").get<double>()),
                    fmt::format("{:+.0f} to {:+.0f}", p.at("low").get<double>(), p.at("high").get<double>()),
                    html_percent(p.at("score").get<double>()), p.at("wins").dump(), p.at("draws").dump(),
                    p.at("losses").dump()});
  }
  const json& anchor = ladder.at("anchor");
  return fmt::format(
             "<h2>The ladder</h2><p>A round robin, {} games a pairing, openings of {} random plies; Elo relative to "
             "{}, with 95% intervals{}.</p>",
             ladder.at("games").dump(), ladder.at("opening_plies").dump(),
             anchor.is_string() ? "<code>" + escape(anchor.get<std::string>()) + "</code>" : "the mean",
             ladder.at("complete").get<bool>() ? "" : "; not all pairings have been played") +
         html_table({"player", "Elo", "interval", "score", "won", "drawn", "lost"}, rows);
}

}  // namespace quarto
