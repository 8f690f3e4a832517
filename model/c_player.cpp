#include "model/c_player.h"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "env/lines.h"
#include "env/notation.h"
#include "env/symmetry.h"
#include "light/network_file.h"
#include "light/pairs_layout.h"
#include "model/c_player_source.h"

namespace quarto {
namespace {

// "static const TYPE NAME[] = {...};"
std::string array_text(const std::string& type, const std::string& name, std::span<const std::int16_t> numbers) {
  std::string text = fmt::format("static const {} {}[{}] = {{", type, name, numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "\n" : i % 32 == 0 ? ",\n" : ",", numbers[i]);
  return text + "};\n";
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

std::string c_player(const light::LightNetwork& network, const std::string& origin) {
  const light::NetworkInfo& info = network.info;
  const light::IntegerWeights& weights = *network.weights;
  const light::PairsShape& shape = weights.shape;
  const light::PairsLayout layout(shape);
  const std::span<const Mask> lines = winning_sets(info.rules);

  std::string head = fmt::format(
      "/* The network: {}, track {}, step {}; rules: {}. */\n"
      "#define QUARTO_WIDTH {}\n#define QUARTO_BLOCKS {}\n#define QUARTO_HEAD {}\n"
      "#define QUARTO_LINES {} /* rows, columns, diagonals{} */",
      in_comment(origin), in_comment(info.track), info.step, to_string(info.rules), shape.width, shape.blocks,
      shape.head, lines.size(),
      rule_set(info.rules).more().empty() ? "" : fmt::format("; {}", rule_set(info.rules).more()));
  const auto bits = [&](int entry) {
    return weights.hidden_bits(shape.blocks) +
           weights.shifts[static_cast<std::size_t>(light::pairs_entry::head(shape.blocks, entry))];
  };
  head += fmt::format("\n#define QUARTO_PLACE_BITS {}\n#define QUARTO_GIVE_BITS {}\n#define QUARTO_OUTCOME_BITS {}",
                      bits(light::pairs_entry::kPlaceOut), bits(light::pairs_entry::kGiveOut),
                      bits(light::pairs_entry::kOutcomeOut));
  for (const auto& [key, value] : info.extra) {
    if (key.rfind("agreement_", 0) == 0)
      head += fmt::format("\n/* {}: {}% of the moves of the raw network keep the value */", in_comment(key),
                          in_comment(value));
  }

  std::string data = fmt::format("static const uint16_t quarto_lines_[{}] = {{", lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) data += fmt::format("{}0x{:04X}", i ? ", " : "", lines[i]);
  data += "};\n";
  const std::span<const BoardSymmetry> symmetries = board_symmetries(info.rules);
  data += fmt::format("#define QUARTO_SYMMETRIES {}\nstatic const uint8_t quarto_symmetries_[{}][16] = {{",
                      symmetries.size(), symmetries.size());
  for (std::size_t i = 0; i < symmetries.size(); ++i)
    data += fmt::format("{}\n  {{{}}}", i > 0 ? "," : "", fmt::join(symmetries[i].to, ", "));
  data += "}; /* the piece on square s goes to [s] */\n";
  // Of each entry, where it begins in its array, and by how much its products are shifted.
  std::vector<std::int16_t> matrices, tables;
  std::string at_block, shift_block;
  for (std::size_t i = 0; i < layout.entries.size(); ++i) {
    const light::PairsLayout::Entry& e = layout.entries[i];
    const bool matrix = light::is_matrix(e);
    std::vector<std::int16_t>& array = matrix ? matrices : tables;
    const int shift =
        matrix && !light::gives_logits(e) ? light::product_shift(weights, static_cast<int>(i)) : weights.shifts[i];
    if (e.name.starts_with("block")) {
      const bool first = e.name.ends_with("_self");
      const char* between = !first ? ", " : at_block.empty() ? "\n  {" : "},\n  {";
      at_block += fmt::format("{}{}", between, array.size());
      shift_block += fmt::format("{}{}", between, shift);
    } else {
      data += fmt::format("#define QUARTO_AT_{} {}\n", e.name, array.size());
      if (matrix) data += fmt::format("#define QUARTO_SHIFT_{} {}\n", e.name, shift);
    }
    const auto from = weights.weights.begin() + e.offset;
    array.insert(array.end(), from, from + e.rows * e.cols);
  }
  const std::string blocks = fmt::format("{}][{}", shape.blocks, static_cast<int>(light::pairs_entry::kBlock));
  data += fmt::format("static const int quarto_block_at_[{}] = {{{}}}}};\n", blocks, at_block);
  data += fmt::format("static const int quarto_block_shift_[{}] = {{{}}}}};\n", blocks, shift_block);
  data += fmt::format("static const int quarto_lost_[{}] = {{", shape.blocks + 1);
  for (int b = 0; b <= shape.blocks; ++b)
    data += fmt::format("{}{}", b > 0 ? ", " : "", weights.pair_bits() - weights.input_bits(b));
  data += "}; /* fraction bits that the input of a block has less than the pairs */\n";
  data += array_text("int8_t", "quarto_matrices_", matrices) + array_text("int16_t", "quarto_tables_", tables);

  std::string text(c_player_source()[0].content);
  replace(text, "/*@shape@*/", head);
  replace(text, "/*@weights@*/", data);
  return text;
}

}  // namespace quarto
