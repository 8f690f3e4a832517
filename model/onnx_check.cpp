#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <torch/torch.h>
#include <unistd.h>

#include <cstring>

#include "base/file.h"
#include "base/scratch_directory.h"
#include "env/encoding.h"
#include "env/random_play.h"
#include "model/checkpoint.h"
#include "model/input.h"
#include "model/network.h"
#include "model/onnx_export.h"
#include "model/program.h"

extern char** environ;

namespace quarto {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kOutcomes = 3;
constexpr std::size_t kOutputs = 2 * kMoves + kOutcomes;
constexpr float kTie = 1e-5F;

// Returns the exit status, or -1 if the program could not be started. Its output goes to `log`.
int run(std::vector<std::string> words, const fs::path& log) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Compares the entries of `mask` and updates the largest difference. Returns true if the arg max is the same, up to
// ties. Both are relative to the size of the logits if that is above one: float32 has about seven digits.
bool compare(std::span<const float> ours, std::span<const float> theirs, Mask mask, double& largest) {
  int best = -1;
  float highest = -std::numeric_limits<float>::infinity();
  double size = 1;
  for (const int m : BitsOf(mask))
    size = std::max(size, std::abs(static_cast<double>(ours[static_cast<std::size_t>(m)])));
  for (const int m : BitsOf(mask)) {
    const auto i = static_cast<std::size_t>(m);
    const double difference = std::abs(static_cast<double>(ours[i]) - static_cast<double>(theirs[i])) / size;
    largest = std::max(largest, std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity());
    highest = std::max(highest, ours[i]);
    if (best < 0 || theirs[i] > theirs[static_cast<std::size_t>(best)]) best = m;
  }
  return ours[static_cast<std::size_t>(best)] >= highest - kTie * static_cast<float>(size);
}

}  // namespace

std::string missing_for_onnx_check(const fs::path& script) {
  if (!fs::exists(script)) return fmt::format("the check script '{}' is not there", script.string());
  const ScratchDirectory temporary("onnx");
  if (run({"node", "--version"}, temporary / "log") != 0) {
    return "node is not installed (Debian: apt-get install nodejs npm)";
  }
  const fs::path folder = script.parent_path();
  if (!fs::exists(folder / "node_modules" / "onnxruntime-node")) {
    return fmt::format("onnxruntime-node is not installed: npm ci --ignore-scripts --prefix '{}'", folder.string());
  }
  return "";
}

OnnxParity check_onnx(const fs::path& checkpoint, const fs::path& onnx, const fs::path& script, int positions,
                      std::uint64_t seed) {
  if (positions < 1) throw OnnxError("at least one position is needed");
  if (const std::string missing = missing_for_onnx_check(script); !missing.empty()) throw OnnxError(missing);
  WeightsInfo info;
  const Program program(*load_network(checkpoint, &info), torch::kCPU);
  const std::vector<Position> sample = unfinished_positions(positions, info.rules, seed);
  const torch::Tensor input = encode_inputs(program.config(), sample);
  const torch::Tensor ours = program.run_in_parts(input);

  const ScratchDirectory temporary("onnx");
  write_file_atomic(temporary / "input", {static_cast<const char*>(input.data_ptr()), input.nbytes()});
  const int status = run({"node", script.string(), onnx.string(), (temporary / "input").string(),
                          (temporary / "logits").string(), std::to_string(positions)},
                         temporary / "log");
  if (status != 0) {
    throw OnnxError(
        fmt::format("'{}' could not be run in ONNX Runtime: {}", onnx.string(), read_file(temporary / "log")));
  }
  const std::string bytes = read_file(temporary / "logits");
  if (bytes.size() != sample.size() * kOutputs * sizeof(float)) {
    throw OnnxError(
        fmt::format("ONNX Runtime gave {} bytes, expected {}", bytes.size(), sample.size() * kOutputs * sizeof(float)));
  }
  std::vector<float> theirs(sample.size() * kOutputs);
  std::memcpy(theirs.data(), bytes.data(), bytes.size());

  OnnxParity parity;
  parity.positions = positions;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::span<const float> a(ours.data_ptr<float>() + i * kOutputs, kOutputs);
    const std::span<const float> b = std::span(theirs).subspan(i * kOutputs, kOutputs);
    const std::size_t head = sample[i].phase() == Phase::place ? 0 : kMoves;
    parity.same_move +=
        compare(a.subspan(head, kMoves), b.subspan(head, kMoves), sample[i].legal_moves(), parity.largest_difference);
    parity.same_outcome += compare(a.last(kOutcomes), b.last(kOutcomes), 0b111, parity.largest_difference);
  }
  return parity;
}

}  // namespace quarto
