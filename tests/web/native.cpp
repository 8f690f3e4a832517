// The page's engine for this machine, to compare its WebAssembly twin with. A question a line, an answer a line:
//
//     network NAME FILE
//     think NETWORK RULES SIMULATIONS POSITION
//     counts RULES POSITION               what an exported pairs network takes, as an array of numbers (light/counts.h)
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "env/notation.h"
#include "light/counts.h"
#include "light/network_file.h"
#include "web/engine.h"
#include "web/json.h"

namespace {

std::string rest_of(std::istream& in) {
  std::string rest;
  std::getline(in >> std::ws, rest);
  return rest;
}

std::string counts(const quarto::Position& position) {
  std::vector<float> numbers(static_cast<std::size_t>(quarto::light::counts_size(position.rules())));
  quarto::light::encode_counts(position, numbers);
  quarto::web::Json json;
  return json.values(numbers).text();
}

}  // namespace

int main() {
  quarto::web::Engine engine;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string what, name, rules;
    int simulations = 0;
    in >> what;
    try {
      if (what == "network") {
        in >> name;
        const std::string bytes = quarto::read_file(rest_of(in));
        std::cout << engine.add_network(name, bytes);
      } else if (what == "think") {
        in >> name >> rules >> simulations;
        std::cout << engine.think(name, rules, rest_of(in), simulations);
      } else if (what == "counts") {
        in >> rules;
        std::cout << counts(quarto::parse_position(rest_of(in), quarto::parse_rules(rules)));
      } else {
        std::cout << R"({"error": "no such question"})";
      }
    } catch (const std::exception& e) {
      std::cerr << "error: " << line << ": " << e.what() << '\n';
      return 1;
    }
    std::cout << '\n';
  }
}
