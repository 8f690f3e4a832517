#include "model/c_player.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "env/lines.h"
#include "env/notation.h"
#include "light/float16.h"
#include "light/network_file.h"
#include "light/pairs_layout.h"
#include "model/c_player_source.h"

namespace quarto {
namespace {

std::vector<std::uint16_t> half_weights(std::span<const float> weights) {
  std::vector<std::uint16_t> halves;
  for (const float weight : weights) {
    halves.push_back(light::to_float16(weight));
    if (!std::isfinite(light::from_float16(halves.back())))
      throw std::invalid_argument(fmt::format("the weight {:g} is too large for half precision", weight));
  }
  return halves;
}

void replace(std::string& text, const std::string& mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw std::logic_error("the source of the C player has no " + mark);
  text.replace(at, mark.size(), by);
}

// A comment cannot be left by what a file says of itself.
std::string in_comment(std::string text) {
  for (char& c : text) {
    if (c == '*' || c == '\\' || c < ' ' || c > '~') c = '_';
  }
  return text;
}

}  // namespace

std::string c_player(std::string_view light_file, const std::string& origin) {
  const light::LightNetwork network = light::parse_network_file(light_file, origin);
  const light::NetworkInfo& info = network.info;
  const light::PairsShape& shape = info.shape;
  const light::PairsLayout layout(shape);
  const std::vector<std::uint16_t> weights = half_weights(*network.weights);
  const std::span<const Mask> lines = winning_sets(info.rules);

  std::string head = fmt::format(
      "/* The network: {}, track {}, step {}; rules: {}. */\n"
      "#define QUARTO_WIDTH {}\n#define QUARTO_BLOCKS {}\n#define QUARTO_HEAD {}\n"
      "#define QUARTO_LINES {} /* rows, columns, diagonals{} */",
      in_comment(origin), in_comment(info.track), info.step, to_string(info.rules), shape.width, shape.blocks,
      shape.head, lines.size(),
      rule_set(info.rules).more().empty() ? "" : fmt::format("; {}", rule_set(info.rules).more()));
  for (const auto& [key, value] : info.extra) {
    if (key.rfind("agreement_", 0) == 0)
      head += fmt::format("\n/* {}: {}% of the moves of the raw network keep the value */", in_comment(key),
                          in_comment(value));
  }

  std::string data = fmt::format("static const uint16_t quarto_lines_[{}] = {{", lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) data += fmt::format("{}0x{:04X}", i ? ", " : "", lines[i]);
  data += "};\n";
  std::string blocks;
  for (std::size_t i = 0; i < layout.entries.size(); ++i) {
    const light::PairsLayout::Entry& entry = layout.entries[i];
    if (entry.name.rfind("block", 0) != 0) {
      data += fmt::format("#define QUARTO_AT_{} {}\n", entry.name, entry.offset);
    } else {
      const bool first = entry.name.find("_self") != std::string::npos;
      blocks += fmt::format("{}{}", first ? (blocks.empty() ? "\n  {" : "},\n  {") : ", ", entry.offset);
    }
  }
  data += fmt::format("static const int quarto_at_block_[{}][{}] = {{{}}}}};\n", shape.blocks,
                      static_cast<int>(light::pairs_entry::kBlock), blocks);
  data += fmt::format("static const uint16_t quarto_weights_[{}] = {{", weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    data += fmt::format("{}{}", i == 0 ? "\n" : i % 24 == 0 ? ",\n" : ",", weights[i]);
  data += "};";

  std::string text(c_player_source()[0].content);
  replace(text, "/*@shape@*/", head);
  replace(text, "/*@weights@*/", data);
  return text;
}

}  // namespace quarto
