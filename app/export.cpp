// quartozero export: writes a checkpoint as a file that other programs run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/measure.h"
#include "app/onnx_check_script.h"
#include "app/output_file.h"
#include "app/paste.h"
#include "app/torch_library.h"
#include "base/atomic_file.h"
#include "base/file.h"
#include "base/manifest.h"
#include "base/replacement.h"
#include "data/suites.h"
#include "env/encoding.h"
#include "env/notation.h"
#include "eval/agreement.h"
#include "light/evaluator.h"
#include "model/c_player.h"
#include "model/checkpoint.h"
#include "model/evaluators.h"
#include "model/input.h"
#include "model/light_export.h"
#include "model/onnx_export.h"
#include "model/runtime.h"
#include "model/torchscript_export.h"
#include "play/player.h"

namespace quarto::app {
namespace {

struct ExportOptions {
  std::string checkpoint, onnx, light, torchscript, c, folder;
  int positions = 1000;
  std::uint64_t seed = 1;
  bool check = false, no_check = false, no_measure = false;
};

constexpr double kMostTorchScriptDifference = 1e-4;
constexpr const char *kConfigFile = "config.yaml", *kCard = "README.md", *kUnfinished = "unfinished.txt";
// The allowed mean difference of a probability: on a few boards numbers exceed their range. A wrong weight or order
// changes the first digit.
constexpr double kMostMeanDifference = 0.02;

std::filesystem::path weights_of(const ExportOptions& o) {
  return find_weights(o.checkpoint, Weights::Kind::checkpoint).file;
}

// An output must not overwrite the checkpoint or another output.
void require_files_of_their_own(const ExportOptions& o) {
  std::vector<std::pair<std::string, std::filesystem::path>> files = {{"CHECKPOINT", weights_of(o)},
                                                                      {"--onnx", o.onnx},
                                                                      {"--light", o.light},
                                                                      {"--torchscript", o.torchscript},
                                                                      {"--c", o.c}};
  if (!o.folder.empty()) {
    for (const char* name : {kWeightsFile, kConfigFile, kLightFile, kManifestFile})
      files.emplace_back("--folder", std::filesystem::path(o.folder) / name);
  }
  require_different_files(files);
}

// Agreement of the raw network with exact play, in percent, by suite.
std::map<std::string, double> agreement_of(Evaluator& evaluator, Rules rules) {
  AgreementOptions options;
  options.baselines = false;
  const std::vector<Suite> suites = read_suites(default_suites(rules), rules);
  std::map<std::string, double> percent;
  for (const AgreementMean& mean : measure_agreement(evaluator, suites, options).means)
    percent[mean.suite] = 100 * mean.agreement;
  return percent;
}

std::string text_of(const std::map<std::string, double>& agreement) {
  std::string text;
  for (const auto& [suite, percent] : agreement)
    text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", suite, percent);
  return text;
}

// What the exported network takes, which depends on its kind.
std::string input_text(const std::string& checkpoint) {
  const NetworkInput input = input_of(read_weights_info(checkpoint).network);
  return fmt::format("input '{}' [N, {}]", input.name, fmt::join(input.sizes, ", "));
}

void write_onnx(const ExportOptions& o, const Metadata& notes) {
  export_onnx(o.checkpoint, o.onnx, notes);
  fmt::print("{}: ONNX, opset {}, {} bytes, {}\n", o.onnx, kOnnxOpset, std::filesystem::file_size(o.onnx),
             input_text(o.checkpoint));
  if (o.no_check) return;
  const std::string script = onnx_check_script();
  if (const std::string missing = missing_for_onnx_check(script); !missing.empty()) {
    if (o.check) throw OnnxError("the check cannot be run: " + missing);
    fmt::print("not checked against ONNX Runtime: {}\n", missing);
    return;
  }
  const OnnxParity parity = check_onnx(o.checkpoint, o.onnx, script, o.positions, o.seed);
  fmt::print("checked on {} random positions: largest difference {:.1e}, same move {}, same outcome {}\n",
             parity.positions, parity.largest_difference, parity.same_move, parity.same_outcome);
  if (!parity.passed())
    throw Failed(
        fmt::format("the exported file does not compute what the checkpoint does (a difference of {:g} is allowed); "
                    "it is left at '{}' to be looked at",
                    OnnxParity::kMostDifference, o.onnx));
}

void write_torchscript(const ExportOptions& o, const Metadata& notes) {
  export_torchscript(o.checkpoint, o.torchscript, notes);
  fmt::print("{}: TorchScript, {} bytes, {}\n", o.torchscript, std::filesystem::file_size(o.torchscript),
             input_text(o.checkpoint));
  if (o.no_check) return;
  const double difference = check_torchscript(o.checkpoint, o.torchscript, o.positions, o.seed);
  fmt::print("checked on {} random positions: largest difference {:.1e}\n", o.positions, difference);
  if (!(difference < kMostTorchScriptDifference))
    throw Failed(
        fmt::format("the exported file does not compute what the checkpoint does (a difference of {:g} is allowed); "
                    "it is left at '{}' to be looked at",
                    kMostTorchScriptDifference, o.torchscript));
}

void note(const std::map<std::string, double>& agreement, Metadata& notes) {
  for (const auto& [suite, percent] : agreement) notes["agreement_" + suite] = fmt::format("{:.1f}", percent);
}

// The light file's network, noting its own agreement in the place of the checkpoint's.
light::LightNetwork measured_light(const ExportOptions& o, const Metadata& notes) {
  light::LightNetwork network = to_light(o.checkpoint, notes);
  if (o.no_measure) return network;
  PairsEvaluator integers(network.kernel);
  const auto agreement = agreement_of(integers, network.info.rules);
  note(agreement, network.info.extra);
  if (!agreement.empty()) fmt::print("the light file's, in integers: {}\n", text_of(agreement));
  return network;
}

void write_light(const ExportOptions& o, const Metadata& notes, Rules rules) {
  const light::LightNetwork network = measured_light(o, notes);
  const std::string bytes = light::network_file_bytes(network.info, *network.weights);
  write_file_atomic(o.light, bytes);
  fmt::print("{}: light file, {} bytes; play against it:  {} play --opponent light:{}{}\n", o.light, bytes.size(),
             this_program(), shell_word(o.light), rules == Rules::lines ? "" : " --rules " + to_string(rules));
  if (o.no_check) return;
  const double difference = check_light_network(o.checkpoint, o.light, o.positions, o.seed);
  fmt::print(
      "checked on {} random positions: probabilities differ from those in floats by {:.1e} on average ({:g} is allowed)\n",
      o.positions, difference, kMostMeanDifference);
  if (!(difference < kMostMeanDifference))
    throw Failed(fmt::format(
        "the exported file does not compute what the checkpoint does (a mean difference of {:g} is allowed); "
        "it is left at '{}' to be looked at",
        kMostMeanDifference, o.light));
}

// The configuration of these weights: beside them, or above a run's best/, as `distill` has it.
std::optional<std::filesystem::path> config_of(const std::filesystem::path& weights) {
  const std::filesystem::path folder = std::filesystem::absolute(weights).parent_path();
  if (std::filesystem::exists(folder / kConfigFile)) return folder / kConfigFile;
  if (folder.filename() == "best" && std::filesystem::exists(folder.parent_path() / kConfigFile))
    return folder.parent_path() / kConfigFile;
  return std::nullopt;
}

// The folder is new or empty but for a card, or one that was written here before: nothing else is replaced.
void require_folder(const ExportOptions& o) {
  const std::filesystem::path folder = o.folder;
  const auto refuse = [&](const std::string& why) {
    throw CLI::ValidationError("--folder", fmt::format("'{}' {}: name a new folder", o.folder, why));
  };
  if (!std::filesystem::exists(folder)) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw FileError(fmt::format("--folder: '{}' cannot be made: {}", o.folder, failed.message()));
    return;
  }
  if (!std::filesystem::is_directory(folder)) refuse("is no folder");
  if (std::filesystem::equivalent(folder, std::filesystem::absolute(weights_of(o)).parent_path()))
    refuse("holds the checkpoint itself");
  const bool listed = std::filesystem::exists(folder / kManifestFile) || std::filesystem::exists(folder / kUnfinished);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    name.resize(std::min(name.size(), name.rfind(".tmp")));  // one that was being written
    // These are made before anything that says that the folder is ours.
    if (name == kUnfinished || name == std::string(kUnfinished) + ".lock") continue;
    const bool ours = name == kWeightsFile || name == kConfigFile || name == kLightFile || name == kManifestFile;
    if (name != kCard && !(ours && listed)) refuse(fmt::format("holds '{}', which was not written here", name));
  }
  const bool finished = !std::filesystem::exists(folder / kUnfinished);
  if (finished && std::filesystem::exists(folder / kWeightsFile) &&
      read_file(folder / kWeightsFile) != read_file(weights_of(o)))
    refuse("holds another checkpoint");
}

// Every file by itself, so that the card of a folder is kept; the list of checksums comes last. Until
// then a file says that the folder is not finished, so that the same command may go on with it.
void write_folder(ExportOptions o, const Metadata& notes, Rules rules) {
  const std::filesystem::path folder = o.folder, weights = weights_of(o);
  // A damaged file is found before anything is written.
  const std::string weight_bytes = read_checked_file(weights);
  std::optional<std::string> config_bytes;
  if (const auto config = config_of(weights)) {
    // A list of checksums, where there is one, lists it.
    const bool listed = std::filesystem::exists(config->parent_path() / kManifestFile);
    config_bytes = listed ? read_checked_file(*config) : read_file(*config);
  }
  const WorkLock lock(folder / kUnfinished);
  remove_temporary_files(folder);
  write_file_atomic(folder / kUnfinished, "quartozero export was interrupted here; the same command goes on\n");
  o.light = (folder / kLightFile).string();
  write_light(o, notes, rules);
  std::vector<std::string> names = {kLightFile, kWeightsFile};
  write_file_atomic(folder / kWeightsFile, weight_bytes);
  if (config_bytes) {
    write_file_atomic(folder / kConfigFile, *config_bytes);
    names.emplace_back(kConfigFile);
  } else {
    std::filesystem::remove(folder / kConfigFile);
  }
  write_manifest(folder, names);
  std::filesystem::remove(folder / kUnfinished);
  fmt::print("{}: a checkpoint to share: {}, {}\n", o.folder, fmt::join(names, ", "), kManifestFile);
}

// "night" for runs/night, its best weights and their file alike: the file is for others, to whom folders here mean
// nothing.
std::string name_of_checkpoint(const std::string& checkpoint) {
  std::filesystem::path path = std::filesystem::absolute(checkpoint).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  for (const char* unnamed : {kWeightsFile, "best"}) {
    if (path.filename() == unnamed) path = path.parent_path();
  }
  return path.filename().string();
}

void write_c(const ExportOptions& o, const Metadata& notes) {
  const std::string text = c_player(measured_light(o, notes), name_of_checkpoint(o.checkpoint));
  write_file_atomic(o.c, text);
  fmt::print("{}: a player in one header of C99, {} bytes of source; docs/export.md shows how to use it\n", o.c,
             text.size());
}

// Before anything is measured or written.
void require_torch(const ExportOptions& o) {
  const bool by_torch = !o.onnx.empty() || !o.torchscript.empty();
  if (!by_torch && (o.no_check || (o.light.empty() && o.folder.empty()))) return;
  try {
    configure_torch(1);
  } catch (const TorchLibraryError& e) {
    if (by_torch) throw;
    throw Failed(fmt::format(
        "quartozero: error: {}; with --no-check the file is written, and not compared with what LibTorch computes",
        e.what()));
  }
}

void run_export(ExportOptions o) {
  if (o.onnx.empty() && o.light.empty() && o.torchscript.empty() && o.c.empty() && o.folder.empty())
    throw CLI::RequiredError("one of --light, --onnx, --torchscript, --c and --folder");
  if (!o.folder.empty()) require_folder(o);
  require_files_of_their_own(o);
  require_output("--onnx", o.onnx, FileKind::onnx);
  require_output("--light", o.light, FileKind::light);
  require_output("--torchscript", o.torchscript, FileKind::torchscript);
  require_output("--c", o.c, FileKind::c_header);
  for (const std::string& file : {o.onnx, o.light, o.torchscript}) {
    if (!o.no_check && is_device(file)) {
      throw FileError(
          fmt::format("'{}' is a pipe or a device, and what is written is read again to check it: name a file, or add "
                      "--no-check",
                      file));
    }
  }
  const WeightsInfo info = read_weights_info(o.checkpoint);
  require_torch(o);
  fmt::print("{}: {} network, step {}, track {}\n", o.checkpoint, name_of(info.network.kind), info.step,
             name_of(info.track));
  Metadata notes;
  if (!o.no_measure && !has_suites_or_says_so(info.rules)) o.no_measure = true;
  if (!o.no_measure) {
    const auto agreement = agreement_of(*load_evaluator(o.checkpoint, {"cpu", 1}), info.rules);
    note(agreement, notes);
    if (!agreement.empty()) fmt::print("agreement with exact play, without search: {}\n", text_of(agreement));
  }
  if (!o.onnx.empty()) write_onnx(o, notes);
  if (!o.torchscript.empty()) write_torchscript(o, notes);
  if (!o.light.empty()) write_light(o, notes, info.rules);
  if (!o.c.empty()) write_c(o, notes);
  if (!o.folder.empty()) write_folder(o, notes, info.rules);
}

}  // namespace

void add_export(CLI::App& app) {
  const auto o = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "write a checkpoint for other programs, and check what was written");
  command->add_option("CHECKPOINT", o->checkpoint, "a checkpoint directory or a .safetensors file")->required();
  command->add_option("--light", o->light,
                      "write a light file: the network in integers, which plays alike on every machine");
  CLI::Option* onnx = command->add_option("--onnx", o->onnx, "write an ONNX file, for ONNX Runtime and its like");
  command->add_option("--torchscript", o->torchscript, "write a TorchScript file, for LibTorch and PyTorch");
  command->add_option("--c", o->c, "write a header of C99 that is a whole player: no library, no allocation");
  command->add_option("--folder", o->folder,
                      "write a folder to share, as checkpoints/zero is one: weights, configuration, light file, "
                      "checksums");
  CLI::Option* check = command
                           ->add_flag("--check", o->check,
                                      "compare the ONNX file with ONNX Runtime, and fail if that is not installed "
                                      "(without this option: compare if it is)")
                           ->needs(onnx);
  command->add_flag("--no-check", o->no_check, "do not check the written file")->excludes(check);
  command->add_flag("--no-measure", o->no_measure,
                    "do not measure agreement with exact play, which is otherwise noted in the files (a second for a "
                    "small network)");
  command->add_option("--positions", o->positions, "random positions to compare")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", o->seed, "seed of the random positions")->capture_default_str();
  command->footer(
      "ONNX and TorchScript files take 'counts' (pairs) or 'planes' (residual) and give logits: 'place' [N, 16], 'give'\n"
      "[N, 16] and 'outcome' [N, 3] (win, draw, loss for the player to act). docs/export.md has the encoding; quartozero.counts() in Python and\n"
      "counts() in JavaScript write it.\n"
      "\n"
      "Examples:\n"
      "  quartozero export runs/first/best --light first.light\n"
      "  quartozero export runs/first/best --c quarto_player.h\n"
      "  quartozero export runs/first/best --onnx first.onnx --torchscript first.pt\n"
      "  quartozero export runs/first/best --folder checkpoints/first");
  command->callback([o] { run_export(*o); });
}

}  // namespace quarto::app
