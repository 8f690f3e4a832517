// A checkpoint as a TorchScript file: for programs that have LibTorch (or torch.jit in Python) but none of our code.
//
//   forward(planes [N, 34, 4, 4] float32) -> (place [N, 16], give [N, 16], outcome [N, 3]): logits, as in
//   model/onnx_export.h; N is free. Runs on the device that the module is moved to.
//   Extra file "metadata.json": format, network, rules, track, step, as in model/checkpoint.h.
//
// The module is written as TorchScript source from the recorded program (model/program.h), one line a step, so nothing
// is traced and no Python is needed. No LibTorch here.
#pragma once

#include <filesystem>

#include "model/safetensors_header.h"

namespace quarto {

// Writes `out` whole or not at all. `notes` join the metadata. Throws CheckpointError, FileError.
void export_torchscript(const std::filesystem::path& checkpoint, const std::filesystem::path& out,
                        const Metadata& notes = {});

// Loads the file in LibTorch and compares with the checkpoint on random positions: the largest difference of a logit,
// as a share of the largest logit of the head if that is above one; infinite where one is not a number. Throws
// CheckpointError when the file cannot be run.
double check_torchscript(const std::filesystem::path& checkpoint, const std::filesystem::path& file, int positions,
                         std::uint64_t seed);

}  // namespace quarto
