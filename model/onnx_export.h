// A checkpoint as an ONNX file, and the proof that the file computes what the checkpoint does. No LibTorch here.
//
//   input    planes   [N, 34, 4, 4] float, as env/encoding.h writes them; N is free
//   outputs  place [N, 16], give [N, 16], outcome [N, 3] (win, draw, loss): logits, unmasked
//   opset    13, of the default operator set only
//   metadata_props: format ("quarto-network/1"), network, rules, track, step, as in model/checkpoint.h
//
// A build without the option QUARTOZERO_ONNX lacks these functions' work: they throw OnnxError saying so.
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

// The format allows later ones; this is the oldest with all the operations used, so that old runtimes can read it.
inline constexpr int kOnnxOpset = 13;

bool onnx_available();

// Writes `out` whole or not at all. `notes` (agreement with exact play, for one) join the metadata. Throws
// CheckpointError, FileError, OnnxError.
void export_onnx(const std::filesystem::path& checkpoint, const std::filesystem::path& out, const Metadata& notes = {});

struct OnnxParity {
  int positions = 0;
  // Of any logit that can matter (legal moves of the phase, and the outcome), as a share of the largest of them if that
  // is above one.
  double largest_difference = 0;
  int same_move = 0;     // positions with the same arg max over the legal moves
  int same_outcome = 0;  // positions with the same arg max of the outcome
  // A wrong weight or operation shows in the first digits; sums in another order show in the fourth or later, as far
  // as the terms exceed their sum.
  static constexpr double kMostDifference = 1e-3;
  bool passed() const {
    return largest_difference < kMostDifference && same_move == positions && same_outcome == positions;
  }
};

// Evaluates random positions with LibTorch and with ONNX Runtime, through `script` (scripts/onnx/check.js), which needs
// node and its packages installed beside it. Where several moves tie in LibTorch (within 1e-5 of that size: images of
// each other on a symmetric board), either counts as the same. Throws OnnxError when the script fails.
OnnxParity check_onnx(const std::filesystem::path& checkpoint, const std::filesystem::path& onnx,
                      const std::filesystem::path& script, int positions, std::uint64_t seed);

// Empty if check_onnx can run, else what is missing and how to get it.
std::string missing_for_onnx_check(const std::filesystem::path& script);

}  // namespace quarto
