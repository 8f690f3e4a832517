#include "model/torchscript_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/script.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/json_library.h"
#include "env/encoding.h"
#include "env/random_play.h"
#include "model/checkpoint.h"
#include "model/input.h"
#include "model/network.h"
#include "model/program.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

// Writes a program as the source of forward(). The constants become buffers of the module.
class SourceWriter {
 public:
  explicit SourceWriter(torch::jit::Module& module) : module_(module) {}

  void write(const Program& program) {
    const NetworkInput input = input_of(program.config());
    const std::string sizes = fmt::format("{}", fmt::join(input.sizes, ", "));
    // Else an operation in the middle would complain.
    std::string source = fmt::format(
        "def forward(self, {0}):\n"
        "    assert {0}.size()[1:] == [{1}], '{0} must be of size [N, {1}], and these are ' + str({0}.size())\n"
        "    step0 = {0}.float()\n",
        input.name, sizes);
    const auto& steps = program.steps();
    for (std::size_t i = 1; i < steps.size(); ++i)
      source += fmt::format("    step{} = {}\n", i, expression(steps[i], i));
    const auto& heads = program.heads();
    source += fmt::format("    return (step{}, step{}, step{})\n", heads[0], heads[1], heads[2]);
    module_.define(source);
  }

 private:
  std::string expression(const Program::Step& step, std::size_t i) {
    using Op = Program::Op;
    const auto in = [&](std::size_t k) { return fmt::format("step{}", step.inputs[k]); };
    const auto weight = [&](std::size_t k) {
      std::string& known = written_[step.constants[k].unsafeGetTensorImpl()];
      if (known.empty()) {
        known = fmt::format("step{}_constant{}", i, k);
        module_.register_buffer(known, step.constants[k].contiguous());
      }
      return "self." + known;
    };
    const Sizes& n = step.numbers;
    switch (step.op) {
      case Op::input:
        break;
      case Op::linear:
        return fmt::format("torch.addmm({}, {}, {})", weight(1), in(0), weight(0));
      case Op::linear_onto:
        return fmt::format("torch.addmm({}, {}, {})", in(0), in(1), weight(0));
      case Op::mix:
        return fmt::format("torch.matmul({}, {})", weight(0), in(0));
      case Op::conv:
        return fmt::format("torch.conv2d({}, {}, {}, [1, 1], [{}, {}])", in(0), weight(0), weight(1), n[0], n[0]);
      case Op::add:
        return fmt::format("{} + {}", in(0), in(1));
      case Op::relu:
        return fmt::format("torch.relu({})", in(0));
      case Op::mean:
        return fmt::format("torch.mean({}, [{}])", in(0), n[0]);
      case Op::max:
        return fmt::format("torch.amax({}, [{}])", in(0), n[0]);
      case Op::reshape:
        return fmt::format("torch.reshape({}, [{}])", in(0), fmt::join(n, ", "));
      case Op::slice:
        return fmt::format("torch.narrow({}, {}, {}, {})", in(0), n[0], n[1], n[2] - n[1]);
      case Op::concat: {
        std::vector<std::string> parts;
        for (std::size_t k = 0; k < step.inputs.size(); ++k) parts.push_back(in(k));
        return fmt::format("torch.cat([{}], {})", fmt::join(parts, ", "), n[0]);
      }
    }
    throw std::logic_error("torchscript: an operation without a translation");
  }

  torch::jit::Module& module_;
  std::map<const void*, std::string> written_;  // constants by address, and their names
};

}  // namespace

void export_torchscript(const fs::path& checkpoint, const fs::path& out, const Metadata& notes) {
  WeightsInfo info;
  const std::shared_ptr<Network> network = load_network(checkpoint, &info);
  const Program program(*network, torch::kCPU);
  torch::jit::Module module("Quarto");
  SourceWriter(module).write(program);
  module.eval();

  // An object in an object here, not text.
  nlohmann::json metadata = metadata_of(network->config(), info, notes);
  metadata["network"] = nlohmann::json::parse(metadata["network"].get<std::string>());
  std::ostringstream bytes;
  module.save(bytes, {{"metadata.json", metadata.dump(1)}});
  write_file_atomic(out, bytes.str());
}

double check_torchscript(const fs::path& checkpoint, const fs::path& file, int positions, std::uint64_t seed) {
  WeightsInfo info;
  const Program program(*load_network(checkpoint, &info), torch::kCPU);
  const std::vector<Position> sample = unfinished_positions(positions, info.rules, seed);
  const torch::Tensor input = encode_inputs(program.config(), sample);
  torch::Tensor theirs;
  try {
    const torch::NoGradGuard no_gradients;
    auto module = torch::jit::load(file.string());
    std::vector<torch::Tensor> parts;
    for (const torch::Tensor& part : input.split(Program::kRowsAtATime)) {
      const auto heads = module.forward({part}).toTuple();
      std::vector<torch::Tensor> tensors;
      for (const auto& head : heads->elements()) tensors.push_back(head.toTensor());
      parts.push_back(torch::cat(tensors, 1));
    }
    theirs = torch::cat(parts);
  } catch (const std::exception& e) {
    throw CheckpointError(fmt::format("{}: it cannot be run: {}", file.string(), e.what()));
  }
  const torch::Tensor ours = program.run_in_parts(input);
  double largest = 0;
  std::int64_t begin = 0;
  for (const std::int64_t width : {std::int64_t{kMoves}, std::int64_t{kMoves}, std::int64_t{3}}) {
    const torch::Tensor a = ours.slice(1, begin, begin + width), b = theirs.slice(1, begin, begin + width);
    const double size = std::max(1.0, a.abs().max().item<double>());
    // A value that is not a number must not hide a difference.
    const double difference = (a - b).abs().max().item<double>() / size;
    largest = std::max(largest, std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity());
    begin += width;
  }
  return largest;
}

}  // namespace quarto
