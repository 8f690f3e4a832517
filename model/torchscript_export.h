// Writes a checkpoint as a TorchScript file, for programs that have LibTorch (or torch.jit in Python) but not this
// code.
//
//   forward(planes [N, 34, 4, 4] or counts [N, C] float32, as model/input.h says) -> (place [N, 16], give [N, 16], outcome [N, 3]): logits, as in
//   model/onnx_export.h; N is free. Runs on the device that the module is moved to.
//   Extra file "metadata.json": format, network, rules, track, step, as in model/checkpoint.h.
//
// The exporter writes the module as TorchScript source from the recorded program (model/program.h), one line per step.
// So it needs neither tracing nor Python. This header does not include LibTorch.
#pragma once

#include <filesystem>

#include "model/safetensors_header.h"

namespace quarto {

// Writes `out` whole or not at all. `notes` are added to the metadata. Throws CheckpointError, FileError.
void export_torchscript(const std::filesystem::path& checkpoint, const std::filesystem::path& out,
                        const Metadata& notes = {});

// Loads the file in LibTorch and compares it with the checkpoint on random positions. Returns the largest difference of
// a logit, relative to the largest logit of the head if that is above one; infinity if a value is not a number. Throws
// CheckpointError when the file cannot be run.
double check_torchscript(const std::filesystem::path& checkpoint, const std::filesystem::path& file, int positions,
                         std::uint64_t seed);

}  // namespace quarto
