// Files of weights, down to the kernel that would compute with them.
#include "model/checkpoint.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  try {
    const StoredWeights weights = parse_weights(std::string(fuzz::text_of(data, size)), "input");
    if (weights.info.network.kind != NetworkKind::pairs) return 0;
    const light::PairsShape shape = pairs_shape(weights.info.network);
    const light::Floats flat = pairs_weights(weights);
    fuzz::require(flat.size() == static_cast<std::size_t>(light::PairsLayout(shape).size));
  } catch (const CheckpointError&) {
  }
  return 0;
}
