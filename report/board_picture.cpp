#include "report/board_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/notation.h"
#include "report/plot.h"

namespace quarto {
namespace {

// Luminance alone tells the two apart: the contrast between them is above 9 to 1.
constexpr const char* kDarkFill = "#23355c";
constexpr const char* kLightFill = "#f6e7bd";
constexpr const char* kOutline = "#10182b";
constexpr const char* kGround = "#dfe3e0";
constexpr const char* kCell = "#f7f8f6";
constexpr const char* kFrame = "#c2570c";
constexpr double kCellSize = 66, kMargin = 18, kWidth = 300;

bool has(Piece p, int attribute) { return ((index(p) >> attribute) & 1) == 1; }

// Centred at (x, y); `scale` 1 fits a cell of the board.
std::string piece_svg(Piece p, double x, double y, double scale) {
  const bool dark = has(p, 0), tall = has(p, 1), round = has(p, 2), solid = has(p, 3);
  const double r = (tall ? 24 : 15) * scale;
  std::string out =
      fmt::format("<g fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\">", dark ? kDarkFill : kLightFill, kOutline);
  out += round ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>", x, y, r)
               : fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", x - r, y - r,
                             2 * r, 2 * r);
  if (!solid) {
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"{}\"/>", x, y, 7 * scale,
                       kCell, dark ? kLightFill : kOutline);
  }
  return out + "</g>";
}

std::string text_svg(double x, double y, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\" {}>{}</text>", x, y, kOutline,
                     more, plot::escape(text));
}

std::optional<Value> best_value(const Position& p, const MoveNotes& notes) {
  std::optional<Value> best;
  for (const Move m : p.moves()) {
    const auto& v = notes.values[m.index];
    if (v && (!best || *v > *best)) best = v;
  }
  return best;
}

// The note of a move centred at x, its baseline at y; in two lines where one would be too wide.
std::string note_svg(const Position& p, const MoveNotes& notes, int move, double x, double y, bool two_lines) {
  const auto& value = notes.values[static_cast<std::size_t>(move)];
  const auto& probability = notes.probabilities[static_cast<std::size_t>(move)];
  const std::string share = probability ? fmt::format("{:.0f}%", 100 * *probability) : "";
  const std::string letter = !value ? "" : *value == Value::win ? "W" : *value == Value::draw ? "D" : "L";
  const bool keeps = value && value == best_value(p, notes);
  const char* more = keeps ? "font-weight=\"bold\" text-decoration=\"underline\"" : "";
  if (share.empty() && letter.empty()) return "";
  if (!two_lines) return text_svg(x, y, share + (share.empty() || letter.empty() ? "" : " ") + letter, more);
  return (share.empty() ? "" : text_svg(x, y, share)) + (letter.empty() ? "" : text_svg(x, y + 14, letter, more));
}

std::string frame_svg(double x, double y, double width, double height) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"{}\" "
      "stroke-width=\"2.5\" stroke-dasharray=\"5 3\"/>",
      x, y, width, height, kFrame);
}

std::string open_svg(double height, const std::string& title) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-label=\"{2}\" "
      "style=\"font:13px system-ui,sans-serif;max-width:{0:.0f}px\"><rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "rx=\"8\" fill=\"{3}\"/>",
      kWidth, height, plot::escape(title), kGround);
}

}  // namespace

std::string board_svg(const Position& position, const MoveNotes& notes, const std::string& title) {
  const auto is_chosen = [&](Phase phase, int m) { return notes.chosen == Move{phase, static_cast<std::uint8_t>(m)}; };
  const double below = kMargin + kSide * kCellSize;
  const int left = std::popcount(position.available());
  const int rows = position.has_hand() ? 1 : std::max(1, (left + 7) / 8);
  std::string out = open_svg(below + (position.has_hand() ? 64 : 12 + rows * 64), title);
  for (int s = 0; s < kSquares; ++s) {
    const double x = kMargin + s % kSide * kCellSize, y = kMargin + s / kSide * kCellSize;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\"/>", x, y,
                       kCellSize, kCellSize, kCell, kGround);
    if (position.occupied() & bit(square(s))) {
      out += piece_svg(position.piece_at(square(s)), x + kCellSize / 2, y + kCellSize / 2, 1);
    } else if (position.has_hand()) {
      out += note_svg(position, notes, s, x + kCellSize / 2, y + kCellSize / 2 + 4, false);
      if (is_chosen(Phase::place, s)) out += frame_svg(x + 3, y + 3, kCellSize - 6, kCellSize - 6);
    }
  }
  for (int i = 0; i < kSide; ++i) {
    const double at = kMargin + (i + 0.5) * kCellSize;
    out += text_svg(at, 13, std::string(1, static_cast<char>('a' + i)));
    out += text_svg(9, at + 4, std::string(1, static_cast<char>('1' + i)));
  }
  if (position.has_hand()) {
    out += text_svg(110, below + 36, "in hand: " + to_string(position.hand()));
    out += piece_svg(position.hand(), 190, below + 32, 1);
    return out + "</svg>";
  }
  int i = 0;
  for (const int p : BitsOf(position.available())) {
    const double x = 20 + i % 8 * 37.0, y = below + 22 + i / 8 * 64.0;
    out += piece_svg(piece(p), x, y, 0.55) + note_svg(position, notes, p, x, y + 28, true);
    if (is_chosen(Phase::give, p)) out += frame_svg(x - 17, y - 17, 34, 63);
    ++i;
  }
  return out + "</svg>";
}

std::string pieces_svg() {
  std::string out = open_svg(150, "the sixteen pieces with their digits");
  for (int p = 0; p < kPieces; ++p) {
    const double x = 20 + p % 8 * 37.0, y = 30 + p / 8 * 66.0;
    out += piece_svg(piece(p), x, y, 0.62) + text_svg(x, y + 34, to_string(piece(p)));
  }
  return out + "</svg>";
}

}  // namespace quarto
