#include "report/analysis_page.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/json.h"
#include "env/notation.h"
#include "report/board_picture.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/report.h"

namespace quarto {
namespace {

using nlohmann::json;
using plot::escape;

// Chips: the value after the move for who made it. Colour is not the only sign: a mistake has a frame and a number.
constexpr const char* kGameStyle = R"css(<style>
.game{display:flex;flex-wrap:wrap;gap:4px;margin:8px 0 12px;font:13px/1.3 ui-monospace,Menlo,Consolas,monospace}
.game span{padding:3px 6px;border-radius:6px;background:var(--card);border:1px solid var(--rule)}
.game .b{border-style:dashed}.game .win{border-bottom:3px solid var(--c5)}.game .loss{border-bottom:3px solid var(--c1)}
.game .bad{border:2px solid var(--c1);font-weight:700}
.boards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));gap:14px;margin:12px 0}
</style>)css";

std::optional<Value> value_of(const json& value) {
  if (value.is_null()) return std::nullopt;
  const int v = value.get<int>();
  return v > 0 ? Value::win : v < 0 ? Value::loss : Value::draw;
}

std::string solved_text(const json& value) {
  const auto v = value_of(value);
  return v ? to_string(*v) : "not solved";
}

std::string player_text(const json& game, int player) {
  const std::string name = game.at("players").at(static_cast<std::size_t>(player)).get<std::string>();
  return name.empty() ? player == 0 ? "who gives first" : "who places first" : name;
}

bool mistaken(const json& move) { return !move.at("loss").is_null() && move.at("loss").get<int>() > 0; }

std::string result_text_of(const json& game) {
  const json& points = game.at("points_of_first");
  return result_text(points.is_null() ? std::nullopt : std::optional(points.get<double>()), value_of(game.at("result")),
                     {player_text(game, 0), player_text(game, 1)}, game.at("note").get<std::string>());
}

std::string chips(const json& game) {
  std::string out = "<div class=\"game\">";
  int number = 0;
  for (const json& move : game.at("moves")) {
    ++number;
    const auto after = value_of(move.at("after"));
    const int player = move.at("player").get<int>();
    std::string kind = player == 1 ? "b" : "a";
    if (after && *after != Value::draw) kind += *after == Value::win ? " win" : " loss";
    if (mistaken(move)) kind += " bad";
    out += fmt::format("<span class=\"{}\" title=\"move {}, {}: {}\">{}{}</span>", kind, number,
                       escape(player_text(game, player)), solved_text(move.at("after")),
                       escape(move.at("move").get<std::string>()),
                       mistaken(move) ? fmt::format("<sub>{}</sub>", number) : "");
  }
  return out + "</div>";
}

std::string board(const json& game, const json& move, int number, Rules rules) {
  const std::string notation = move.at("position").get<std::string>();
  const Position position = parse_position(notation, rules);
  MoveNotes notes;
  for (const auto& [text, value] : move.at("values").items())
    notes.values.at(parse_move(text, position.phase()).index) = value_of(value);
  notes.chosen = parse_move(move.at("move").get<std::string>(), position.phase());
  std::string better;
  for (const json& b : move.at("better")) better += (better.empty() ? "" : " ") + b.get<std::string>();
  const std::string what = fmt::format("move {}: {} {} {}", number, player_text(game, move.at("player").get<int>()),
                                       position.has_hand() ? "places on" : "gives", to_string(*notes.chosen));
  return "<figure class=\"plot\"><figcaption>" + escape(what) + "</figcaption>" +
         board_svg(position, notes, what + ", " + notation) +
         fmt::format("<div class=\"legend\">a {} becomes a {}; better: {}</div>", solved_text(move.at("value")),
                     solved_text(move.at("after")), escape(better)) +
         fmt::format("<div class=\"legend\"><code>{}</code></div></figure>", escape(notation));
}

std::string players_table(const json& players) {
  std::vector<std::vector<std::string>> rows;
  for (const json& p : players) {
    const double judged = p.at("judged").get<double>(), mistakes = p.at("mistakes").get<double>();
    rows.push_back({escape(p.at("name").get<std::string>()), std::to_string(p.at("games").get<int>()),
                    std::to_string(p.at("moves").get<int>()),
                    judged > 0 ? html_percent((judged - mistakes) / judged) : "",
                    std::to_string(p.at("mistakes").get<int>()), std::to_string(p.at("win_to_draw").get<int>()),
                    std::to_string(p.at("win_to_loss").get<int>()), std::to_string(p.at("draw_to_loss").get<int>())});
  }
  return html_table(
      {"player", "games", "moves", "right", "mistakes", "win &rarr; draw", "win &rarr; loss", "draw &rarr; loss"},
      rows);
}

std::string page(const json& analysis) {
  const Rules rules = parse_rules(analysis.at("rules").get<std::string>());
  std::size_t moves = 0, mistakes = 0;
  for (const json& game : analysis.at("games")) {
    for (const json& move : game.at("moves")) {
      ++moves;
      mistakes += mistaken(move) ? 1 : 0;
    }
  }
  std::string body = kGameStyle;
  body += "<div class=\"tiles\">" + html_tile(std::to_string(analysis.at("games").size()), "games") +
          html_tile(std::to_string(moves), "moves") + html_tile(std::to_string(mistakes), "mistakes") + "</div>";
  if (!analysis.value("complete", true))
    body += "<p>The analysis was stopped; the games after these were not looked at.</p>";
  body += "<h2>Players</h2>" + players_table(analysis.at("players"));
  body +=
      "<h2>Games</h2><p class=\"soft\">Every move in order; a dashed frame is a move of who places first. The line "
      "below "
      "a move says what it is worth for who made it: green a win, orange a loss, none a draw. Mistakes have an orange "
      "frame and their number, and a board each: the letters on it are the values of all moves (W, D, L), those that "
      "keep the best value are underlined, the frame is the move that was played.</p>";
  int boards = 0, left_out = 0;
  for (const json& game : analysis.at("games")) {
    body += fmt::format("<h3>{}: {} against {}, {}</h3>", escape(game.at("name").get<std::string>()),
                        escape(player_text(game, 0)), escape(player_text(game, 1)), escape(result_text_of(game)));
    body += chips(game);
    std::string drawn;
    int number = 0;
    for (const json& move : game.at("moves")) {
      ++number;
      if (!mistaken(move)) continue;
      if (boards >= kMostBoards) {
        ++left_out;
        continue;
      }
      drawn += board(game, move, number, rules);
      ++boards;
    }
    if (!drawn.empty()) body += "<div class=\"boards\">" + drawn + "</div>";
  }
  if (left_out > 0) {
    body +=
        fmt::format("<p class=\"soft\">{} more mistakes have no board here; the JSON has all of them.</p>", left_out);
  }
  body += "<details><summary>The pieces</summary>" + pieces_svg() + "</details>";
  return html_page("Games", "Analysed by exact values: what every move was worth.", body);
}

}  // namespace

std::string result_text(std::optional<double> points, std::optional<Value> by_rules,
                        const std::array<std::string, 2>& players, const std::string& note) {
  if (!points && by_rules) points = (static_cast<int>(*by_rules) + 1) / 2.0;
  const std::string text = !points ? "not over" : *points == 0.5 ? "draw" : players[*points == 1 ? 0 : 1] + " wins";
  return note.empty() ? text : fmt::format("{} ({})", text, note);
}

std::string render_analysis(const json& analysis) {
  return from_json_of("the analysis is", [&] { return page(analysis); });
}

}  // namespace quarto
