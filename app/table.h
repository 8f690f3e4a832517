// Figures in text. A plain table: each column is as wide as its widest cell, in characters; the first is aligned left,
// the others right.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace quarto::app {

inline std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void add_rule() { rows_.emplace_back(); }
  std::string str() const;
  // The same as a table in Markdown, without rules.
  std::string markdown() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace quarto::app
