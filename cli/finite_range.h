// For the options of a command that are decimal numbers. CLI::Range lets "nan" through, which is below no limit and
// above none.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace quarto {

class FiniteRange : public CLI::Validator {
 public:
  FiniteRange(double least, double most) : CLI::Validator(CLI::Range(least, most)) {
    const CLI::Range range(least, most);
    func_ = [range](std::string& text) {
      double value = 0;
      if (CLI::detail::lexical_cast(text, value) && std::isnan(value)) return "'" + text + "' is no number";
      return range(text);
    };
  }
};

}  // namespace quarto
