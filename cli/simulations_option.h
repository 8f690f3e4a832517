// The word that every interface shows is `simulations`; `sims` is accepted for it.
#pragma once

namespace quarto {

inline constexpr const char* kSimulationsOption = "--simulations,--sims";

}  // namespace quarto
