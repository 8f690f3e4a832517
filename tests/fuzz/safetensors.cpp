// The header of weights and checkpoints, with the ranges of all tensors.
#include "model/safetensors_header.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  const std::string_view bytes = fuzz::text_of(data, size);
  try {
    const SafetensorsHeader header = parse_safetensors_header(bytes, "input");
    for (const TensorEntry& entry : header.tensors)
      fuzz::require(entry.begin <= entry.end && entry.end <= bytes.size());
  } catch (const CheckpointError&) {
  }
  return 0;
}
