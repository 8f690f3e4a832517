#include "gpu/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "gpu/arguments.h"
#include "gpu/program.h"
#include "gpu/proofs.h"
#include "light/pairs_weights.h"
#include "light/softmax.h"

namespace quarto::gpu {
namespace {

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

int widest_network(const Device& device, Rules rules) {
  int widest = 0;
  for (const int width : {16, 32, 48, 64}) {
    if (shared_memory(width, kMostEmpty.back(), rules) <= device.most_shared_memory()) widest = width;
  }
  return widest;
}

std::array<std::size_t, 3> shared_memory_on(const Device& device, int width, Rules rules) {
  std::array<std::size_t, 3> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = shared_memory(width, kMostEmpty[i], rules);
  if (bytes.back() > device.most_shared_memory()) {
    throw CudaError(
        fmt::format("a network of width {} needs {} bytes of shared memory, {} has {}: network.width={} fits", width,
                    bytes.back(), device.name(), device.most_shared_memory(), widest_network(device, rules)));
  }
  return bytes;
}

namespace {

// The threads that share the channels of a pair (gpu/pairs_position.h). For narrow networks one has registers enough.
constexpr int parts_of(int width) { return width >= 48 ? 4 : 1; }

}  // namespace

BoardPrograms compile_kernels(int width, Rules rules, const std::string& architecture, bool verbose) {
  return compile_for_boards(
      "gpu/kernel.cu", architecture,
      {verbose ? "--ptxas-options=-v" : "--ptxas-options=-O3", fmt::format("-DQUARTO_WIDTH={}", width),
       fmt::format("-DQUARTO_LINES={}", rule_set(rules).size())},
      parts_of(width));
}

namespace {

// What a batch needs on the device and of the host. The driver makes one at a time, and may wait for the device.
struct Buffers {
  explicit Buffers(const std::shared_ptr<Device>& device) : stream(device) {}

  // Makes room for more rows and keeps the first `used` boards.
  void grow(const std::shared_ptr<Device>& device, std::size_t used) {
    const std::size_t rows = std::max(kSmallestBuffer, 2 * room);
    HostMemory grown(device, rows * sizeof(Board));
    std::copy_n(boards(), used, static_cast<Board*>(grown.pointer()));
    host_logits = HostMemory(device, rows * kLogits * sizeof(float));
    device_boards = DeviceMemory(device, rows * sizeof(Board));
    device_logits = DeviceMemory(device, rows * kLogits * sizeof(float));
    host_boards = std::move(grown);
    room = rows;
  }
  Board* boards() { return static_cast<Board*>(host_boards.pointer()); }

  std::size_t room = 0;  // positions
  HostMemory host_boards, host_logits;
  DeviceMemory device_boards, device_logits;
  Stream stream;  // last: it waits for its work before the buffers go
};

// Buffers that no batch has. Training makes a new evaluator for each set of weights, every few seconds, and its batches
// take those of the one before. Thread-safe.
class SpareBuffers {
 public:
  std::unique_ptr<Buffers> take(const std::shared_ptr<Device>& device) {
    {
      const std::scoped_lock lock(mutex_);
      if (!spare_.empty()) {
        auto last = std::move(spare_.back());
        spare_.pop_back();
        return last;
      }
    }
    return std::make_unique<Buffers>(device);
  }
  void give_back(std::unique_ptr<Buffers> buffers) noexcept {
    try {
      const std::scoped_lock lock(mutex_);
      spare_.push_back(std::move(buffers));
    } catch (const std::exception&) {
      return;  // no memory for one more: they go
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffers>> spare_;
};

}  // namespace

// The kernels on a device, for all networks of a width and a rule set.
struct PairsOnGpu::Program : BoardKernels {
  mutable SpareBuffers spare;

  using BoardKernels::BoardKernels;

  static std::shared_ptr<const Program> of(int number, const light::PairsShape& shape, Rules rules) {
    return made_once(std::tuple{number, shape.width, rules}, [&] {
      const auto device = Device::open(number);
      const auto shared = shared_memory_on(*device, shape.width, rules);  // before the compiler takes its time
      return std::make_shared<const Program>(device, compile_kernels(shape.width, rules, device->architecture()),
                                             "forward", shared);
    });
  }
};

struct PairsOnGpu::Weights {
  std::shared_ptr<const Program> program;
  DeviceMemory memory;
  Network network;

  const std::shared_ptr<Device>& device() const { return program->device(); }
};

namespace {

class Batch final : public EvaluationBatch {
 public:
  explicit Batch(std::shared_ptr<const PairsOnGpu::Weights> weights)
      : weights_(std::move(weights)), buffers_(weights_->program->spare.take(weights_->device())) {}
  ~Batch() override {
    // Work that nobody waited for may still use them: then they go, which waits, instead of to the next batch.
    if (!working_) weights_->program->spare.give_back(std::move(buffers_));
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  Status add(const Position& position, Evaluation& out) override {
    submitted_.refuse_addition();
    if (position.is_terminal()) throw std::invalid_argument("a finished game was sent to the network");
    if (waiting_.size() == buffers_->room) {
      if (working_) {  // a submit() failed half way
        buffers_->stream.mark();
        buffers_->stream.wait();
      }
      buffers_->grow(weights_->device(), waiting_.size());
    }
    buffers_->boards()[waiting_.size()] = board_of(position);
    ++counts_[kernel_for(std::popcount(position.empty()))];
    waiting_.push_back({position.phase(), position.legal_moves(), &out});
    return Status::queued;
  }
  std::size_t size() const override { return waiting_.size(); }

  void submit() override {
    if (waiting_.empty() || submitted_) return;
    const std::size_t n = waiting_.size();
    Buffers& b = *buffers_;
    working_ = true;
    b.stream.copy_in(b.device_boards.pointer(), b.boards(), n * sizeof(Board));
    Network network = weights_->network;
    DevicePointer boards = b.device_boards.pointer(), logits = b.device_logits.pointer();
    int count = static_cast<int>(n);
    std::array<void*, 4> arguments = {&network, &boards, &count, &logits};
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0) continue;
      const Kernel& kernel = weights_->program->kernels[i];
      b.stream.launch(kernel, std::min(static_cast<unsigned>(n), kernel.side_by_side), arguments.data());
    }
    b.stream.copy_out(b.host_logits.pointer(), b.device_logits.pointer(), n * kLogits * sizeof(float));
    b.stream.mark();
    submitted_.set();
  }

  void compute() override {
    if (waiting_.empty()) return;
    submit();
    submitted_.clear();
    buffers_->stream.wait();
    working_ = false;
    results_.resize(waiting_.size());
    const auto* row = static_cast<const float*>(buffers_->host_logits.pointer());
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

  std::shared_ptr<const PairsOnGpu::Weights> weights_;
  Submitted submitted_;
  std::vector<Waiting> waiting_;
  std::vector<Evaluation> results_;
  std::array<std::size_t, kMostEmpty.size()> counts_{};  // of the waiting positions, by kernel
  bool working_ = false;                                 // something was put on the stream since the last wait
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace

PairsOnGpu::PairsOnGpu(const light::PairsShape& shape, std::span<const float> weights, Rules rules, int device)
    : rules_(rules), device_(device) {
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
std::unique_ptr<ProofBatch> PairsOnGpu::new_proofs() { return ProofsOnGpu(rules_, device_).new_batch(); }

}  // namespace quarto::gpu
