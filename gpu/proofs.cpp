#include "gpu/proofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <vector>

#include "env/evaluator.h"
#include "gpu/arguments.h"
#include "gpu/program.h"
#include "gpu/prove.h"

namespace quarto::gpu {

struct ProofsOnGpu::Program {
  Module module;
  Kernel kernel;
  Network network;

  Program(const std::shared_ptr<Device>& device, Rules rules)
      : module(device, compile_proofs(rules, device->architecture()).cubin),
        kernel(module.kernel("prove", 64, 0)),  // as in the source
        network(network_of(rules)) {}
};

Compiled compile_proofs(Rules rules, const std::string& architecture, bool verbose) {
  return compile_embedded("gpu/prove.cu", architecture,
                          {verbose ? "--ptxas-options=-v" : "--ptxas-options=-O3",
                           fmt::format("-DQUARTO_LINES={}", rule_set(rules).size())});
}

namespace {

constexpr Byte byte_of(Value v) { return static_cast<Byte>(static_cast<int>(v) + 1); }
constexpr Value value_of(Byte b) { return static_cast<Value>(static_cast<int>(b) - 1); }

class Batch final : public ProofBatch {
 public:
  explicit Batch(std::shared_ptr<const ProofsOnGpu::Program> program)
      : program_(std::move(program)), stream_(program_->module.device()) {}

  void add(const Position& position, std::uint64_t nodes, ValueBounds known, ValueBounds& out) override {
    submitted_.refuse_addition();
    constexpr std::uint64_t kMostNodes = ~0U;
    waiting_.push_back({{board_of(position), static_cast<unsigned>(std::min(nodes, kMostNodes)), byte_of(known.low),
                         byte_of(known.high)},
                        &out});
  }
  std::size_t size() const override { return waiting_.size(); }

  void submit() override {
    if (waiting_.empty() || submitted_) return;
    if (working_) {  // a submit() failed half way
      stream_.mark();
      stream_.wait();
    }
    make_room();
    working_ = true;
    // Neighbours ask for similar numbers of nodes; those of one size are a launch.
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Waiting& a, const Waiting& b) { return size_of(a) < size_of(b); });
    auto* questions = static_cast<ProofQuestion*>(host_questions_.pointer());
    for (std::size_t i = 0; i < waiting_.size(); ++i) questions[i] = waiting_[i].question;
    stream_.copy_in(questions_.pointer(), questions, waiting_.size() * sizeof(ProofQuestion));
    Network network = program_->network;
    for (std::size_t first = 0, end = 0; first < waiting_.size(); first = end) {
      while (end < waiting_.size() && size_of(waiting_[end]) == size_of(waiting_[first])) ++end;
      DevicePointer from = questions_.pointer() + first * sizeof(ProofQuestion);
      DevicePointer to = answers_.pointer() + first * sizeof(ProofAnswer);
      int count = static_cast<int>(end - first);
      std::array<void*, 4> arguments = {&network, &from, &count, &to};
      stream_.launch(program_->kernel,
                     (static_cast<unsigned>(count) + program_->kernel.threads - 1) / program_->kernel.threads,
                     arguments.data());
    }
    stream_.copy_out(host_answers_.pointer(), answers_.pointer(), waiting_.size() * sizeof(ProofAnswer));
    stream_.mark();
    submitted_.set();
  }

  void compute() override {
    submit();
    if (waiting_.empty()) return;
    submitted_.clear();
    stream_.wait();
    working_ = false;
    const auto* answers = static_cast<const ProofAnswer*>(host_answers_.pointer());
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      *waiting_[i].out = {value_of(answers[i].low), value_of(answers[i].high)};
    waiting_.clear();
  }

 private:
  struct Waiting {
    ProofQuestion question;
    ValueBounds* out;
  };
  static int size_of(const Waiting& w) { return std::bit_width(w.question.nodes); }

  void make_room() {
    if (waiting_.size() <= room_) return;
    const std::size_t rows = std::max<std::size_t>(64, 2 * waiting_.size());
    const std::shared_ptr<Device>& device = program_->module.device();
    host_questions_ = HostMemory(device, rows * sizeof(ProofQuestion));
    host_answers_ = HostMemory(device, rows * sizeof(ProofAnswer));
    questions_ = DeviceMemory(device, rows * sizeof(ProofQuestion));
    answers_ = DeviceMemory(device, rows * sizeof(ProofAnswer));
    room_ = rows;
  }

  std::shared_ptr<const ProofsOnGpu::Program> program_;
  HostMemory host_questions_, host_answers_;
  DeviceMemory questions_, answers_;
  Stream stream_;  // last, so that its work has ended before the memory goes
  std::vector<Waiting> waiting_;
  std::size_t room_ = 0;
  bool working_ = false;  // the device may still use the buffers
  Submitted submitted_;
};

}  // namespace

ProofsOnGpu::ProofsOnGpu(Rules rules, int device)
    : program_(made_once(std::tuple{device, rules},
                         [&] { return std::make_shared<const Program>(Device::open(device), rules); })) {}

std::unique_ptr<ProofBatch> ProofsOnGpu::new_batch() const { return std::make_unique<Batch>(program_); }

}  // namespace quarto::gpu
