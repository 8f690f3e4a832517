#include "gpu/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "gpu/arguments.h"
#include "gpu/source.h"
#include "light/pairs_weights.h"
#include "light/softmax.h"

namespace quarto::gpu {
namespace {

// The kernels of kernel.cu, by the most empty squares of the boards that they take.
struct Size {
  int most_empty;
  const char* name;
  unsigned threads;
};
constexpr std::array<Size, 3> kSizes = {{{8, "forward_8", 64}, {12, "forward_12", 128}, {16, "forward_16", 256}}};
constexpr std::size_t kSmallestBuffer = 64;  // positions

template <int W>
std::size_t shared_bytes(int most_empty, Rules rules) {
  const auto pick = [&]<int LINES>() {
    return most_empty == 8    ? sizeof(Shared<W, 8, LINES>)
           : most_empty == 12 ? sizeof(Shared<W, 12, LINES>)
                              : sizeof(Shared<W, 16, LINES>);
  };
  return with_rules(rules, [&](auto constant) { return pick.template operator()<rule_set(constant()).size()>(); });
}

}  // namespace

std::size_t shared_memory(int width, int most_empty, Rules rules) {
  switch (width) {
    case 16:
      return shared_bytes<16>(most_empty, rules);
    case 32:
      return shared_bytes<32>(most_empty, rules);
    case 48:
      return shared_bytes<48>(most_empty, rules);
    case 64:
      return shared_bytes<64>(most_empty, rules);
    default:
      throw CudaError(fmt::format("the GPU kernels take widths of 16, 32, 48 and 64, not {}", width));
  }
}

Compiled compile_kernels(int width, int placements, Rules rules, const std::string& architecture, bool verbose) {
  std::vector<SourceFile> files;
  for (const auto& [name, text] : source()) files.push_back({name, text});
  return compile(files, architecture,
                 {"--std=c++17", "-default-device", verbose ? "--ptxas-options=-v" : "--ptxas-options=-O3",
                  fmt::format("-DQUARTO_WIDTH={}", width), fmt::format("-DQUARTO_LINES={}", rule_set(rules).size()),
                  fmt::format("-DQUARTO_PLACEMENTS={}", placements)});
}

// The kernels on a device, for all networks of a width, a number of placements and a rule set.
struct PairsOnGpu::Program {
  Module module;
  std::array<Kernel, kSizes.size()> kernels;

  Program(const std::shared_ptr<Device>& device, const light::PairsShape& shape, Rules rules)
      : module(device, compile_kernels(shape.width, shape.placements, rules, device->architecture()).cubin) {
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      const std::size_t shared = shared_memory(shape.width, kSizes[i].most_empty, rules);
      if (shared > device->most_shared_memory()) {
        throw CudaError(fmt::format("a network of width {} needs {} bytes of shared memory, {} has {}", shape.width,
                                    shared, device->name(), device->most_shared_memory()));
      }
      kernels[i] = module.kernel(kSizes[i].name, kSizes[i].threads, shared);
    }
  }

  static std::shared_ptr<const Program> of(int number, const light::PairsShape& shape, Rules rules) {
    using Key = std::tuple<int, int, int, Rules>;
    static std::mutex mutex;
    // Never destroyed: when the process ends, the driver may have ended before.
    static auto& known = *new std::map<Key, std::shared_ptr<const Program>>;
    const std::scoped_lock lock(mutex);
    std::shared_ptr<const Program>& program = known[{number, shape.width, shape.placements, rules}];
    if (!program) program = std::make_shared<const Program>(Device::open(number), shape, rules);
    return program;
  }
};

struct PairsOnGpu::Weights {
  std::shared_ptr<const Program> program;
  DeviceMemory memory;
  Network network;

  const std::shared_ptr<Device>& device() const { return program->module.device(); }
};

namespace {

class Batch final : public EvaluationBatch {
 public:
  explicit Batch(std::shared_ptr<const PairsOnGpu::Weights> weights)
      : weights_(std::move(weights)), stream_(weights_->device()) {}

  Status add(const Position& position, Evaluation& out) override {
    submitted_.refuse_addition();
    if (position.is_terminal()) throw std::invalid_argument("a finished game was sent to the network");
    if (waiting_.size() == room_) grow();
    boards()[waiting_.size()] = board_of(position);
    const int empty = std::popcount(position.empty());
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      if (empty > kSizes[i].most_empty) continue;
      ++counts_[i];
      break;
    }
    waiting_.push_back({position.phase(), position.legal_moves(), &out});
    return Status::queued;
  }
  std::size_t size() const override { return waiting_.size(); }

  void submit() override {
    if (waiting_.empty() || submitted_) return;
    const std::size_t n = waiting_.size();
    stream_.copy_in(device_boards_.pointer(), boards(), n * sizeof(Board));
    Network network = weights_->network;
    DevicePointer boards = device_boards_.pointer(), logits = device_logits_.pointer();
    int count = static_cast<int>(n);
    std::array<void*, 4> arguments = {&network, &boards, &count, &logits};
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      if (counts_[i] == 0) continue;
      const Kernel& kernel = weights_->program->kernels[i];
      stream_.launch(kernel, std::min(static_cast<unsigned>(n), kernel.side_by_side), arguments.data());
    }
    stream_.copy_out(host_logits_.pointer(), device_logits_.pointer(), n * kLogits * sizeof(float));
    stream_.mark();
    submitted_.set();
  }

  void compute() override {
    if (waiting_.empty()) return;
    submit();
    submitted_.clear();
    stream_.wait();
    results_.resize(waiting_.size());
    const auto* row = static_cast<const float*>(host_logits_.pointer());
    for (std::size_t i = 0; i < waiting_.size(); ++i, row += kLogits) {
      const std::size_t head = waiting_[i].phase == Phase::place ? 0 : kMoves;
      results_[i] = evaluation_of({row + head, kMoves}, waiting_[i].legal, {row + 2 * kMoves, 3});
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i) *waiting_[i].out = results_[i];
    waiting_.clear();
    counts_.fill(0);
  }

 private:
  struct Waiting {
    Phase phase;
    Mask legal;
    Evaluation* out;
  };

  Board* boards() { return static_cast<Board*>(host_boards_.pointer()); }

  void grow() {
    const std::size_t rows = std::max(kSmallestBuffer, 2 * room_);
    HostMemory grown(weights_->device(), rows * sizeof(Board));
    std::copy_n(boards(), waiting_.size(), static_cast<Board*>(grown.pointer()));
    host_logits_ = HostMemory(weights_->device(), rows * kLogits * sizeof(float));
    device_boards_ = DeviceMemory(weights_->device(), rows * sizeof(Board));
    device_logits_ = DeviceMemory(weights_->device(), rows * kLogits * sizeof(float));
    host_boards_ = std::move(grown);
    room_ = rows;
  }

  std::shared_ptr<const PairsOnGpu::Weights> weights_;
  Submitted submitted_;
  std::vector<Waiting> waiting_;
  std::vector<Evaluation> results_;
  std::array<std::size_t, kSizes.size()> counts_{};  // of the waiting positions, by kernel
  std::size_t room_ = 0;
  HostMemory host_boards_, host_logits_;
  DeviceMemory device_boards_, device_logits_;
  Stream stream_;  // last: it waits for its work before the buffers go
};

}  // namespace

PairsOnGpu::PairsOnGpu(const light::PairsShape& shape, std::span<const float> weights, Rules rules, int device) {
  light::require_usable(shape, weights);
  auto made = std::make_shared<Weights>(Weights{Program::of(device, shape, rules), {}, network_of(shape, rules)});
  made->memory = DeviceMemory(made->device(), weights.size_bytes());
  made->memory.fill(std::as_bytes(weights));
  made->network.weights = reinterpret_cast<const float*>(made->memory.pointer());
  weights_ = std::move(made);
}
PairsOnGpu::~PairsOnGpu() = default;

std::string PairsOnGpu::device_name() const {
  return fmt::format("{} ({})", weights_->device()->name(), weights_->device()->architecture());
}

std::unique_ptr<EvaluationBatch> PairsOnGpu::new_batch() { return std::make_unique<Batch>(weights_); }

}  // namespace quarto::gpu
