#include "app/table.h"

#include <algorithm>

#include "base/utf8.h"

namespace quarto::app {

std::string TextTable::str() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], utf8_length(row[c]));
  }
  std::size_t total = 0;
  for (const std::size_t w : widths) total += w + 2;
  std::string out;
  for (const auto& row : rows_) {
    if (row.empty()) out += std::string(total > 2 ? total - 2 : 0, '-');
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string gap(widths[c] - utf8_length(row[c]), ' ');
      line += c == 0 ? row[c] + gap : "  " + gap + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string TextTable::markdown() const {
  std::string out;
  for (const auto& row : rows_) {
    if (row.empty()) continue;
    const bool header = out.empty();
    for (const std::string& cell : row) {
      out += "| ";
      for (const char c : cell) out += c == '|' ? std::string("\\|") : std::string(1, c);
      out += " ";
    }
    out += "|\n";
    if (!header) continue;
    for (std::size_t c = 0; c < row.size(); ++c) out += c == 0 ? "|---" : "|---:";
    out += "|\n";
  }
  return out;
}

}  // namespace quarto::app
