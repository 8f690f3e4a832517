#include "report/report_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/json_library.h"
#include "base/progress.h"
#include "env/notation.h"
#include "play/player.h"
#include "report/board_picture.h"
#include "report/page.h"
#include "report/plot.h"

namespace quarto {

using nlohmann::json;
using plot::escape;

std::string checkpoint_named(const json& name) {
  try {
    const auto network = network_of(name.get<std::string>());
    return network ? network->path : "";
  } catch (const PlayerError&) {
    return "";
  }
}

namespace {

// A whole number, as text for the page. The files may come from others, so that nothing else may take its place.
std::string count_of(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_number_integer() || value < 0) throw std::invalid_argument(fmt::format("\"{}\" is no count", key));
  return value.dump();
}

// A board for every placement of the line, the last of them the opponent's quarto.
std::string line_boards(const json& seat, Rules rules) {
  std::vector<Move> moves;
  try {
    moves = parse_game(seat.at("shortest_to_the_end").get<std::string>(), rules);
  } catch (const NotationError&) {
    return "";  // the text above shows it
  }
  const bool gives_first = seat.at("seat").get<std::string>() == "gives first";
  std::string out = "<div class=\"lines\">";
  Position position(rules);
  int ply = 0;
  for (const Move m : moves) {
    ++ply;
    if (m.phase == Phase::place) {
      const bool own = (position.player_to_act() == 0) == gives_first;
      MoveNotes notes;
      notes.chosen = m;
      const std::string what = fmt::format("ply {}: {} places {} on {}", ply, own ? "it" : "the opponent",
                                           to_string(position.hand()), to_string(m));
      out += "<figure class=\"plot\">" + board_svg(position, notes, what) + "<div class=\"legend\">" + escape(what) +
             "</div></figure>";
    }
    position.play(m);
  }
  return out + "</div>";
}

// Names, intervals and dots, the best on top.
std::string ladder_picture(const json& players) {
  double low = 0, high = 0;
  for (const json& p : players) {
    low = std::min(low, p.at("low").get<double>());
    high = std::max(high, p.at("high").get<double>());
  }
  if (!(high - low >= 1) || !std::isfinite(high - low)) return "";
  constexpr int kRow = 26, kLeft = 236, kAcross = 720, kTop = 8;
  const int height = kTop + kRow * static_cast<int>(players.size()) + 30;
  const auto at_x = [&](double elo) { return kLeft + (elo - low) / (high - low) * (kAcross - kLeft - 16); };
  std::string out = fmt::format(
      "<figure class=\"plot wide\"><figcaption>Elo with 95% intervals</figcaption><svg viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" aria-label=\"Elo with 95% intervals\" style=\"min-width:560px;max-width:{0}px\">",
      kAcross, height);
  for (const double t : plot::ticks(low, high, 6)) {
    out += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", at_x(t), kTop,
                       height - 24);
    out += fmt::format("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{:+.0f}</text>", at_x(t),
                       height - 8, t);
  }
  int row = 0;
  for (const json& p : players) {
    const double y = kTop + kRow * (row++ + 0.5);
    const std::string whole = p.at("name").get<std::string>();
    constexpr std::size_t kLongest = 30;
    // The end of a path says more than its beginning.
    const std::string name =
        whole.size() <= kLongest ? whole : fmt::format("...{}", whole.substr(whole.size() - (kLongest - 3)));
    out += fmt::format("<text class=\"value\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>", kLeft - 12, y + 4,
                       escape(name));
    out += fmt::format(
        "<g style=\"--k:var(--c{})\"><line class=\"bar\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" "
        "y2=\"{:.1f}\"/><circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/></g>",
        checkpoint_named(p.at("name")).empty() ? 2 : 0, at_x(p.at("low").get<double>()),
        at_x(p.at("high").get<double>()), y, y, at_x(p.at("elo").get<double>()), y);
  }
  return out + "</svg></figure>";
}

}  // namespace

std::string exploit_section(const json& exploit) {
  const bool complete = exploit.at("complete").get<bool>();
  const auto lost = exploit.at("losing_lines").get<std::uint64_t>();
  const std::string only = exploit.at("seat");
  std::string verdict;
  if (exploit.at("unbeatable").get<bool>()) {
    verdict = "proven unbeatable: nobody can win a game against it, from either seat";
  } else if (complete && only != "both") {
    verdict = fmt::format(
        "{} when it {} first; the other seat was not walked",
        lost == 0 ? "nobody can win a game against it" : fmt::format("can be beaten: {}", counted(lost, "losing line")),
        only);
  } else if (complete) {
    verdict = fmt::format("can be beaten: {}", counted(lost, "losing line"));
  } else {
    verdict = lost > 0 ? fmt::format("can be beaten: {} at least; the walk was stopped", counted(lost, "losing line"))
                       : "no losing line until the walk was stopped, which proves nothing";
  }
  std::string out = fmt::format(
      "<h2>Exploitability</h2><p>Every line that an opponent can force against <code>{}</code>, images of a position "
      "counted once: <strong>{}</strong>.</p>",
      escape(exploit.at("player").get<std::string>()), escape(verdict));
  // What is inside the player, of which its name may say less.
  out += fmt::format("<p>The player in full: <code>{}</code>.</p>", escape(exploit.at("identity").get<std::string>()));
  if (exploit.at("depends_on_batch").get<bool>()) {
    out +=
        "<p>This network's numbers depend in the last bit on what is computed together. Where two moves are that close "
        "the player may choose differently elsewhere, and nothing is proven about that.</p>";
  }
  if (exploit.at("asked_about_one_image").get<bool>()) {
    out +=
        "<p>This holds for the engine asked about one image of each position, and if it chooses the same move every "
        "time.</p>";
  }
  std::vector<std::vector<std::string>> rows;
  for (const json& seat : exploit.at("seats")) {
    if (only != "both" && seat.at("seat").get<std::string>() != only + " first") continue;
    rows.push_back({escape(seat.at("seat").get<std::string>()), count_of(seat, "positions"),
                    count_of(seat, "decisions"), count_of(seat, "losing_lines"),
                    seat.at("complete").get<bool>() ? "all" : fmt::format("{} plies", count_of(seat, "whole_plies"))});
  }
  out += html_table({"seat", "positions", "decisions", "losing lines", "walked"}, rows);
  const Rules rules = parse_rules(exploit.at("rules").get<std::string>());
  for (const json& seat : exploit.at("seats")) {
    if (!seat.contains("shortest")) continue;
    out += fmt::format(
        "<p>The shortest losing line when it {}: <code>{}</code>, played on to the end: <code>{}</code>.</p>",
        escape(seat.at("seat").get<std::string>()), escape(seat.at("shortest").get<std::string>()),
        escape(seat.at("shortest_to_the_end").get<std::string>()));
    out += line_boards(seat, rules);
  }
  return out;
}

std::string ladder_section(const json& ladder) {
  std::vector<std::vector<std::string>> rows;
  for (const json& p : ladder.at("players")) {
    rows.push_back({escape(p.at("name").get<std::string>()), fmt::format("{:+.0f}", p.at("elo").get<double>()),
                    fmt::format("{:+.0f} to {:+.0f}", p.at("low").get<double>(), p.at("high").get<double>()),
                    html_percent(p.at("score").get<double>()), count_of(p, "wins"), count_of(p, "draws"),
                    count_of(p, "losses")});
  }
  const json& anchor = ladder.at("anchor");
  return fmt::format(
             "<h2>The ladder</h2><p>A round robin, {} games a pairing, openings of {} random plies; Elo relative to "
             "{}, with 95% intervals{}.</p>",
             count_of(ladder, "games"), count_of(ladder, "opening_plies"),
             anchor.is_string() ? "<code>" + escape(anchor.get<std::string>()) + "</code>" : "the mean",
             ladder.at("complete").get<bool>() ? "" : "; not all pairings have been played") +
         ladder_picture(ladder.at("players")) +
         html_table({"player", "Elo", "interval", "score", "won", "drawn", "lost"}, rows);
}

}  // namespace quarto
