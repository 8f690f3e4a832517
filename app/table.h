// A plain text table. Each column is as wide as its widest cell; the first is aligned left, the others right.
#pragma once

#include <string>
#include <vector>

namespace quarto::app {

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
