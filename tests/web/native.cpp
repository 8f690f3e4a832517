// The page's engine for this machine, to compare its WebAssembly twin with. A question a line, an answer a line:
//
//     network NAME FILE
//     think NETWORK RULES SIMULATIONS POSITION
//     planes POSITION                     the network's input, as an array of 34 * 16 numbers
#include <fmt/format.h>

#include <iostream>
#include <sstream>
#include <string>

#include "base/file.h"
#include "env/encoding.h"
#include "env/notation.h"
#include "web/engine.h"
#include "web/json.h"

namespace {

std::string rest_of(std::istream& in) {
  std::string rest;
  std::getline(in >> std::ws, rest);
  return rest;
}

std::string planes(const quarto::Position& position) {
  quarto::web::Json json;
  return json.values(quarto::encode(position)).text();
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
        std::cout << engine.add_network(name, quarto::read_file(rest_of(in)));
      } else if (what == "think") {
        in >> name >> rules >> simulations;
        std::cout << engine.think(name, rules, rest_of(in), simulations);
      } else if (what == "planes") {
        std::cout << planes(quarto::parse_position(rest_of(in)));
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
