// quarto export: a checkpoint as a file that other programs run.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "model/checkpoint.h"
#include "model/onnx_export.h"

namespace quarto::app {
namespace {

struct ExportOptions {
  std::string checkpoint, onnx;
  std::string script = QUARTO_SOURCE_DIR "/scripts/onnx/check.js";
  int positions = 1000;
  std::uint64_t seed = 1;
  bool check = false, no_check = false;
};

void run_export(const ExportOptions& o) {
  export_onnx(o.checkpoint, o.onnx);
  const WeightsInfo info = read_weights_info(o.checkpoint);
  fmt::print("{}: {} network, step {}, track {}, {} bytes, opset {}\n", o.onnx, info.network.kind, info.step,
             info.track, std::filesystem::file_size(o.onnx), kOnnxOpset);
  if (o.no_check) return;
  if (const std::string missing = missing_for_onnx_check(o.script); !missing.empty()) {
    if (o.check) throw OnnxError("the check cannot be run: " + missing);
    fmt::print("not checked against ONNX Runtime: {}\n", missing);
    return;
  }
  const OnnxParity parity = check_onnx(o.checkpoint, o.onnx, o.script, o.positions, o.seed);
  fmt::print("checked on {} random positions: largest difference {:.1e}, same move {}, same outcome {}\n",
             parity.positions, parity.largest_difference, parity.same_move, parity.same_outcome);
  if (!parity.passed())
    throw Failed(
        fmt::format("the exported file does not compute what the checkpoint does (a difference of {:g} is allowed); "
                    "it is left at '{}' to be looked at",
                    OnnxParity::kMostDifference, o.onnx));
}

}  // namespace

void add_export(CLI::App& app) {
  const auto o = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "write a checkpoint as ONNX, and check the file by running it");
  command->add_option("checkpoint", o->checkpoint, "a checkpoint directory or a .safetensors file")->required();
  command->add_option("--onnx", o->onnx, "the file to write")->required();
  CLI::Option* check = command->add_flag("--check", o->check,
                                         "compare with ONNX Runtime, and fail if that is not installed (without this "
                                         "option: compare if it is)");
  command->add_flag("--no-check", o->no_check, "do not compare")->excludes(check);
  command->add_option("--check-script", o->script, "the script that runs the file in ONNX Runtime")
      ->capture_default_str();
  command->add_option("--positions", o->positions, "random positions to compare")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", o->seed, "of the random positions")->capture_default_str();
  command->footer(
      "The file takes 'planes' [N, 34, 4, 4] and gives the logits 'place' [N, 16], 'give' [N, 16] and 'outcome' [N, "
      "3].\n"
      "Example:\n"
      "  quarto export runs/first/checkpoint --onnx quarto.onnx");
  command->callback([o] { run_export(*o); });
}

}  // namespace quarto::app
