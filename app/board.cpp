#include "app/board.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/lower.h"
#include "base/progress.h"
#include "env/notation.h"
#include "env/quartos.h"

namespace quarto::app {
namespace {

constexpr const char* kReset = "\033[0m";
constexpr const char* kLight = "\033[1;33m";
constexpr const char* kDark = "\033[1;34m";
constexpr const char* kFaint = "\033[2m";
constexpr const char* kReverse = "\033[7m";

std::string paint(const std::string& text, const char* code, const DrawStyle& style) {
  return style.colour ? code + text + kReset : text;
}

bool has(Piece p, int attribute) { return ((index(p) >> attribute) & 1) == 1; }

std::string repeat(const std::string& text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

struct Outline {
  std::string top_left, top_right, bottom_left, bottom_right, horizontal, left, right;
};

Outline outline(bool dark, bool round, bool unicode) {
  const std::string left = round ? "(" : "[", right = round ? ")" : "]";
  if (!unicode) {
    const std::string top = round ? "." : "+", bottom = round ? "'" : "+";
    return {top, top, bottom, bottom, dark ? "=" : "-", left, right};
  }
  if (round) return {"╭", "╮", "╰", "╯", dark ? "━" : "─", left, right};
  if (dark) return {"┏", "┓", "┗", "┛", "━", left, right};
  return {"┌", "┐", "└", "┘", "─", left, right};
}

}  // namespace

DrawStyle default_style() {
  DrawStyle style{false, stdout_is_terminal()};
  if (const char* no = std::getenv("NO_COLOR"); no && *no) style.colour = false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string locale = lower(value);
    style.unicode = locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    break;
  }
  return style;
}

std::vector<std::string> draw_piece(Piece piece, const DrawStyle& style) {
  const bool dark = has(piece, 0), tall = has(piece, 1), round = has(piece, 2), solid = has(piece, 3);
  const Outline o = outline(dark, round, style.unicode);
  const std::string fill = solid ? (style.unicode ? "▓" : "#") : " ";
  std::vector<std::string> rows = {
      tall ? o.top_left + repeat(o.horizontal, 3) + o.top_right : std::string(kPieceWidth, ' '),
      o.left + fill + to_string(piece) + fill + o.right,
      o.bottom_left + repeat(o.horizontal, 3) + o.bottom_right,
  };
  for (std::string& row : rows) row = paint(row, dark ? kDark : kLight, style);
  return rows;
}

std::vector<std::string> draw_board(const Position& position, std::optional<Square> last, const DrawStyle& style) {
  Mask line = 0;
  for (const Quarto& quarto : quartos(position)) line |= quarto.squares;
  const std::string bar = style.unicode ? "│" : "|", dash = style.unicode ? "─" : "-";
  const auto rule = [&](const char* left, const char* middle, const char* right) {
    std::string out = "    ";
    for (int c = 0; c < kSide; ++c) {
      out += (style.unicode ? (c == 0 ? left : middle) : "+") + repeat(dash, kPieceWidth + 2);
    }
    return out + (style.unicode ? right : "+");
  };
  std::vector<std::string> rows = {"        a       b       c       d    "};
  rows.push_back(rule("┌", "┬", "┐"));
  for (int r = 0; r < kSide; ++r) {
    for (int h = 0; h < kPieceHeight; ++h) {
      std::string out = h == 1 ? fmt::format("  {} ", r + 1) : "    ";
      for (int c = 0; c < kSide; ++c) {
        const Square s = square(kSide * r + c);
        out += bar;
        if (!(position.occupied() & bit(s))) {
          out += h == 1 ? "  " + paint(to_string(s), kFaint, style) + "   " : std::string(kPieceWidth + 2, ' ');
          continue;
        }
        const bool won = (line & bit(s)) != 0;
        const std::string corner = won ? "*" : " ";
        std::string right = corner;
        if (h == 0 && last == s && !won) right = style.unicode ? "•" : "o";
        const std::string body = draw_piece(position.piece_at(s), style)[static_cast<std::size_t>(h)];
        out += won ? paint(corner, kReverse, style) + body + paint(right, kReverse, style) : corner + body + right;
      }
      rows.push_back(out + bar);
    }
    rows.push_back(r + 1 < kSide ? rule("├", "┼", "┤") : rule("└", "┴", "┘"));
  }
  return rows;
}

std::vector<std::string> draw_available(const Position& position, const DrawStyle& style) {
  std::vector<std::string> rows;
  for (int half = 0; half < 2; ++half) {
    std::vector<std::string> strip(kPieceHeight, "    ");
    for (int i = 0; i < kPieces / 2; ++i) {
      const Piece p = piece(half * kPieces / 2 + i);
      const bool here = (position.available() & bit(p)) != 0;
      const auto drawn = draw_piece(p, style);
      for (std::size_t h = 0; h < drawn.size(); ++h)
        strip[h] += (here ? drawn[h] : std::string(kPieceWidth, ' ')) + " ";
    }
    for (std::string& row : strip) rows.push_back(row);
  }
  return rows;
}

std::string describe(Piece piece) { return fmt::format("{}", fmt::join(words_of(piece), ", ")); }

}  // namespace quarto::app
