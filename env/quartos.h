// The attributes in words, and the quartos on a board: what ways in tell a person.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "env/position.h"

namespace quarto {

// By attribute; the second word is that of a set bit.
inline constexpr std::array<std::array<std::string_view, 2>, kAttributes> kAttributeWords = {
    {{"light", "dark"}, {"short", "tall"}, {"square", "round"}, {"hollow", "solid"}}};

// Of a piece, by attribute: {"dark", "short", "round", "hollow"}.
std::array<std::string_view, kAttributes> words_of(Piece piece);

struct Quarto {
  Mask squares = 0;
  std::vector<std::string_view> shared;  // the words that hold for all four pieces, by attribute
};
// All of them: the placement that wins may complete several. Empty unless position.is_won().
std::vector<Quarto> quartos(const Position& position);

}  // namespace quarto
