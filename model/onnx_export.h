// Writes a checkpoint as an ONNX file, and checks that the file computes the same outputs. This header does not include
// LibTorch.
//
//   input    planes [N, 34, 4, 4] or counts [N, C] float, as model/input.h says; N is free
//   outputs  place [N, 16], give [N, 16], outcome [N, 3] (win, draw, loss): logits, unmasked
//   opset    13, of the default operator set only
//   metadata_props: format ("quarto-network/1"), network, rules, track, step, as in model/checkpoint.h
//
// In a build without the option QUARTOZERO_ONNX these functions throw OnnxError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "model/safetensors_header.h"

namespace quarto {

class OnnxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The oldest opset with all operations that are used, so that old runtimes can read the file.
inline constexpr int kOnnxOpset = 13;

bool onnx_available();

// Writes `out` whole or not at all. `notes` (for example agreement with exact play) are added to the metadata. Throws
// CheckpointError, FileError, OnnxError.
void export_onnx(const std::filesystem::path& checkpoint, const std::filesystem::path& out, const Metadata& notes = {});

struct OnnxParity {
  int positions = 0;
  // Over the logits of legal moves and of the outcome. Relative to the largest of them if that is above one.
  double largest_difference = 0;
  int same_move = 0;     // positions with the same arg max over the legal moves
  int same_outcome = 0;  // positions with the same arg max of the outcome
  // A wrong weight or operation changes the first digits. Sums in another order change the fourth digit or later ones,
  // depending on how far the terms exceed their sum.
  static constexpr double kMostDifference = 1e-3;
  bool passed() const {
    return largest_difference < kMostDifference && same_move == positions && same_outcome == positions;
  }
};

// Evaluates random positions with LibTorch and with ONNX Runtime through `script` (scripts/onnx/check.js), which needs
// node and its packages beside it. Where several moves tie in LibTorch (within 1e-5 of the size above: images of each
// other on a symmetric board), each of them counts as the same move. Throws OnnxError when the script fails.
OnnxParity check_onnx(const std::filesystem::path& checkpoint, const std::filesystem::path& onnx,
                      const std::filesystem::path& script, int positions, std::uint64_t seed);

// "" if check_onnx() can run; otherwise what is missing and how to install it.
std::string missing_for_onnx_check(const std::filesystem::path& script);

}  // namespace quarto
