// The choice of the number format in which a network computes.
#pragma once

#include "base/names.h"

namespace quarto {

// automatic: bfloat16 on a GPU, float32 elsewhere.
enum class PrecisionChoice { automatic, float32, bfloat16 };
constexpr auto names_of(PrecisionChoice) {
  return std::to_array<Name<PrecisionChoice>>({{PrecisionChoice::automatic, "auto"},
                                               {PrecisionChoice::float32, "float32"},
                                               {PrecisionChoice::bfloat16, "bfloat16"}});
}

}  // namespace quarto
