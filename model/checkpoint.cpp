#include "model/checkpoint.h"

namespace quarto {

StoredWeights read_weights(const Weights& weights) { return parse_weights(weights.read(), weights.file.string()); }

StoredWeights read_weights(const std::filesystem::path& checkpoint) {
  return read_weights(find_weights(checkpoint, Weights::Kind::checkpoint));
}

WeightsInfo read_weights_info(const std::filesystem::path& checkpoint) { return read_weights(checkpoint).info; }

}  // namespace quarto
