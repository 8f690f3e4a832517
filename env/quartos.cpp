#include "env/quartos.h"

#include <utility>

namespace quarto {

std::array<std::string_view, kAttributes> words_of(Piece piece) {
  std::array<std::string_view, kAttributes> words{};
  for (int a = 0; a < kAttributes; ++a)
    words[static_cast<std::size_t>(a)] =
        kAttributeWords[static_cast<std::size_t>(a)][static_cast<std::size_t>(index(piece) >> a & 1)];
  return words;
}

std::vector<Quarto> quartos(const Position& position) {
  std::vector<Quarto> found;
  for (const Mask set : winning_sets(position.rules())) {
    if ((position.occupied() & set) != set) continue;
    Quarto quarto{set, {}};
    for (int a = 0; a < kAttributes; ++a) {
      const auto with = static_cast<Mask>(bitboard(position.attributes(), a) & set);
      if (with == set || with == 0)
        quarto.shared.push_back(kAttributeWords[static_cast<std::size_t>(a)][with == set ? 1 : 0]);
    }
    if (!quarto.shared.empty()) found.push_back(std::move(quarto));
  }
  return found;
}

}  // namespace quarto
