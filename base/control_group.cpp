#include "base/control_group.h"

#include <fstream>

namespace quarto {
namespace fs = std::filesystem;

std::vector<std::string> control_group_values(const std::string& file, const fs::path& groups, const fs::path& own) {
  // "0::/system.slice/quartozero-serve.service"
  fs::path group;
  std::ifstream lines(own);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::/")) group = line.substr(4);
  }
  std::vector<std::string> values;
  while (true) {
    std::ifstream in(groups / group / file);
    if (std::string value; std::getline(in, value)) values.push_back(value);
    if (group.empty()) return values;
    group = group.parent_path();
  }
}

}  // namespace quarto
