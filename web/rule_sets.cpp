// Prints the rule sets as a module for the page: env/rules.h is their only source.
#include <cstdio>

#include "env/rules.h"

int main() {
  std::puts(
      "// The rule sets in their order: names, and what wins besides a line. Made from env/rules.h.\nexport const "
      "kRuleSetRows = [");
  for (const quarto::RuleSet& rules : quarto::kRuleSets) {
    std::printf("  {name: '%.*s', more: '%.*s'},\n", static_cast<int>(rules.name().size()), rules.name().data(),
                static_cast<int>(rules.more().size()), rules.more().data());
  }
  std::puts("];");
  return std::fflush(stdout) == 0 ? 0 : 1;
}
