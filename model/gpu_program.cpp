// One network evaluation is about a hundred small kernels. Launching them one by one takes more processor time than the
// kernels take on the device. So the program records them once as a CUDA graph for each batch size (rounded up to a
// power of two) and then replays the graph with one call.
//
// Work goes through a few *queues*. A queue is a stream with an input buffer and the scratch memory of its graphs. Work
// on a queue runs strictly in order, so all its graphs share this memory, and so do successive programs of a training
// run: queues are made once per device and never freed. Batches are distributed over the queues. A batch holds a
// queue's lock only while it puts its three calls (copy, replay, copy) on the queue:
//
//   queue 0   [copy in  A][graph][copy out A]   [copy in  C][graph][copy out C]
//   queue 1     [copy in  B][  graph  ][copy out B]     [copy in  D] ...
//
// During a capture no other CUDA call may run that the capture would record or that would invalidate it. So a capture
// uses a stream that no other code uses, in thread-local mode (other threads may allocate meanwhile), and a lock that
// excludes this program's own launches: a capture marks LibTorch's random generator as being captured for all threads.
#include "model/gpu_program.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/tell.h"

namespace quarto {
namespace {

constexpr std::size_t kQueues = 4;
constexpr std::size_t kSmallestGraph = 64, kLargestGraph = 8192;  // rows; larger batches are split

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // clears the error; otherwise LibTorch reports it again in another call
  throw std::runtime_error(fmt::format("{} failed on the GPU: {}", what, cudaGetErrorString(error)));
}

// Shared for launches, exclusive for captures and for destroying graphs.
std::shared_mutex& capture_lock() {
  static std::shared_mutex lock;
  return lock;
}

std::atomic<bool>& graphs_wanted() {
  static std::atomic<bool> wanted = [] {
    const char* off = std::getenv("QUARTOZERO_CUDA_GRAPHS");
    return off == nullptr || std::string_view(off) != "0";
  }();
  return wanted;
}

// Without graphs the results are the same, at several times the processor time.
void give_up_graphs(const char* why) {
  static_cast<void>(cudaGetLastError());
  if (graphs_wanted().exchange(false)) {
    tell("CUDA graphs cannot be used, networks will run slower on the GPU: {}\n", why);
  }
}

struct Captured {
  std::unique_ptr<at::cuda::CUDAGraph> graph;
  torch::Tensor result;
};

using MemoryPool = decltype(std::declval<at::cuda::CUDAGraph&>().pool());

template <class Graph>
void begin_capture(Graph& graph, MemoryPool pool) {
  // Releases before 2.1 capture only in the global mode, which an allocation in any other thread invalidates.
  if constexpr (requires { graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal); }) {
    graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
  } else {
    throw std::runtime_error("this LibTorch is too old for them");
  }
}

// The current stream must not be the device's default stream. `work` must have run on it before. The caller holds the
// capture lock.
template <class Work>
Captured capture(MemoryPool pool, const Work& work) {
  Captured captured{std::make_unique<at::cuda::CUDAGraph>(), {}};
  at::cuda::CUDAGraph& graph = *captured.graph;
  begin_capture(graph, pool);
  try {
    captured.result = work();
  } catch (...) {
    try {
      graph.capture_end();  // otherwise the stream stays in capture mode
    } catch (const std::exception&) {
      static_cast<void>(cudaGetLastError());
    }
    throw;
  }
  graph.capture_end();
  return captured;
}

struct Queue {
  explicit Queue(c10::cuda::CUDAStream s) : stream(s) {}

  c10::cuda::CUDAStream stream;
  std::mutex mutex;  // guards all members below and the order of work on the stream
  torch::Tensor input;
  // Keeps the memory pool that all graphs of the queue share: a pool is freed with its last graph.
  Captured anchor;
};

std::unique_ptr<Queue> make_queue(c10::DeviceIndex device) {
  const c10::cuda::CUDAGuard guard(device);
  // Not one of LibTorch's own streams: LibTorch hands these out repeatedly, and a capture would record the work of a
  // second user.
  cudaStream_t raw = nullptr;
  check(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking), "making a stream");
  auto queue = std::make_unique<Queue>(c10::cuda::getStreamFromExternal(raw, device));
  const c10::cuda::CUDAStreamGuard on(queue->stream);
  queue->input = torch::zeros({static_cast<std::int64_t>(kLargestGraph), kPlanes},
                              torch::TensorOptions().dtype(torch::kInt16).device(torch::kCUDA, device));
  torch::Tensor number = torch::zeros({1}, torch::TensorOptions().device(torch::kCUDA, device));
  if (graphs_wanted()) {
    const std::unique_lock exclusive(capture_lock());
    try {
      number.add_(1);
      check(cudaStreamSynchronize(raw), "waiting");
      queue->anchor = capture(MemoryPool{0, 0}, [&] { return number.add_(1); });
    } catch (const std::exception& e) {
      give_up_graphs(e.what());
    }
  }
  check(cudaStreamSynchronize(raw), "waiting");
  return queue;
}

// Never destroyed: when the process ends, CUDA may have shut down before static destructors run.
using Queues = std::array<std::unique_ptr<Queue>, kQueues>;
Queues& queues_of(c10::DeviceIndex device) {
  static std::mutex mutex;
  static auto& all = *new std::map<int, Queues>;
  const std::scoped_lock lock(mutex);
  const auto [at, fresh] = all.try_emplace(device);
  if (fresh) {
    try {
      for (auto& queue : at->second) queue = make_queue(device);
    } catch (...) {
      all.erase(at);
      throw;
    }
  }
  return at->second;
}

class CudaProgram final : public GpuProgram, public std::enable_shared_from_this<CudaProgram> {
 public:
  explicit CudaProgram(std::shared_ptr<const Program> program)
      : program_(std::move(program)),
        device_(program_->device().has_index() ? program_->device().index() : c10::cuda::current_device()),
        queues_(queues_of(device_)) {
    // This thread's stream wrote the weights. (Waiting for the whole device would invalidate a capture.)
    const std::shared_lock launching(capture_lock());
    check(cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream(device_).stream()), "copying the weights");
  }
  // Every Run holds the program, so no work of it is left on the device.
  ~CudaProgram() override {
    const std::unique_lock exclusive(capture_lock());
    for (auto& graphs : graphs_) graphs.clear();
  }

  std::unique_ptr<Run> new_run() override;

 private:
  class CudaRun;

  void launch(std::size_t queue, const Mask* bits, float* logits, std::size_t n, cudaEvent_t done);
  // The caller holds the queue's lock, and the queue's stream is current.
  torch::Tensor compute(std::size_t queue, std::size_t n);
  const Captured* graph(std::size_t queue, std::size_t rows);
  torch::Tensor plain(const Queue& queue, std::size_t rows) const {
    return program_->run_bits(queue.input.narrow(0, 0, static_cast<std::int64_t>(rows)));
  }

  std::shared_ptr<const Program> program_;
  c10::DeviceIndex device_;
  Queues& queues_;
  std::array<std::map<std::size_t, Captured>, kQueues> graphs_;  // by rows; guarded by their queue's lock
  std::atomic<std::size_t> runs_{0};
};

const Captured* CudaProgram::graph(std::size_t queue, std::size_t rows) {
  Queue& q = *queues_[queue];
  if (!graphs_wanted() || !q.anchor.graph) return nullptr;
  if (const auto known = graphs_[queue].find(rows); known != graphs_[queue].end()) return &known->second;
  const std::unique_lock exclusive(capture_lock());
  try {
    // The first runs load kernels, choose algorithms and allocate workspaces, which a capture does not allow.
    for (int i = 0; i < 2; ++i) plain(q, rows);
    check(cudaStreamSynchronize(q.stream.stream()), "waiting");
    return &graphs_[queue].emplace(rows, capture(q.anchor.graph->pool(), [&] { return plain(q, rows); })).first->second;
  } catch (const std::exception& e) {
    give_up_graphs(e.what());
    return nullptr;
  }
}

torch::Tensor CudaProgram::compute(std::size_t queue, std::size_t n) {
  const Captured* ready = graph(queue, std::max(kSmallestGraph, std::bit_ceil(n)));
  const std::shared_lock launching(capture_lock());
  if (!ready) return plain(*queues_[queue], n);
  ready->graph->replay();
  return ready->result;
}

void CudaProgram::launch(std::size_t queue, const Mask* bits, float* logits, std::size_t n, cudaEvent_t done) {
  Queue& q = *queues_[queue];
  const std::scoped_lock lock(q.mutex);
  const c10::cuda::CUDAStreamGuard on(q.stream);
  const cudaStream_t stream = q.stream.stream();
  for (std::size_t begin = 0; begin < n; begin += kLargestGraph) {
    const std::size_t rows = std::min(kLargestGraph, n - begin);
    check(cudaMemcpyAsync(q.input.data_ptr(), bits + begin * kPlanes, rows * kPlanes * sizeof(Mask),
                          cudaMemcpyHostToDevice, stream),
          "sending positions");
    // Also computes rows left from an earlier batch; their results are ignored.
    const torch::Tensor result = compute(queue, rows);
    check(cudaMemcpyAsync(logits + begin * Program::kOutputs, result.data_ptr(),
                          rows * Program::kOutputs * sizeof(float), cudaMemcpyDeviceToHost, stream),
          "fetching results");
  }
  check(cudaEventRecord(done, stream), "recording an event");
}

class CudaProgram::CudaRun final : public GpuProgram::Run {
 public:
  CudaRun(std::shared_ptr<CudaProgram> program, std::size_t queue) : program_(std::move(program)), queue_(queue) {
    const c10::cuda::CUDAGuard guard(program_->device_);
    // Waiting threads sleep instead of spinning: while the learner runs, there are more threads than cores.
    check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming | cudaEventBlockingSync), "making an event");
  }
  ~CudaRun() override {
    // Waits for the whole stream: after a start() that failed half way the event is not recorded, but the device may
    // still use the buffers.
    if (started_ > 0) static_cast<void>(cudaStreamSynchronize(program_->queues_[queue_]->stream.stream()));
    static_cast<void>(cudaEventDestroy(done_));
  }
  CudaRun(const CudaRun&) = delete;
  CudaRun& operator=(const CudaRun&) = delete;

  std::span<Mask> row(std::size_t i) override {
    if (i >= room_) grow(std::max(kSmallestGraph, std::bit_ceil(i + 1)));
    return {bits() + i * kPlanes, kPlanes};
  }
  void start(std::size_t n) override {
    started_ = n;
    program_->launch(queue_, bits(), logits(), n, done_);
  }
  std::span<const float> finish() override {
    check(cudaEventSynchronize(done_), "evaluating positions");
    return {logits(), std::exchange(started_, 0) * static_cast<std::size_t>(Program::kOutputs)};
  }

 private:
  Mask* bits() { return static_cast<Mask*>(bits_.data_ptr()); }
  float* logits() { return static_cast<float*>(logits_.data_ptr()); }
  // Page-locked memory, which the device can read and write directly.
  void grow(std::size_t rows) {
    const auto n = static_cast<std::int64_t>(rows);
    const auto locked = torch::TensorOptions().pinned_memory(true);
    torch::Tensor bits = torch::empty({n, kPlanes}, locked.dtype(torch::kInt16));
    if (room_ > 0) bits.narrow(0, 0, static_cast<std::int64_t>(room_)).copy_(bits_);
    bits_ = bits;
    logits_ = torch::empty({n, Program::kOutputs}, locked.dtype(torch::kFloat32));
    room_ = rows;
  }

  std::shared_ptr<CudaProgram> program_;
  std::size_t queue_, room_ = 0, started_ = 0;
  torch::Tensor bits_, logits_;
  cudaEvent_t done_ = nullptr;
};

std::unique_ptr<GpuProgram::Run> CudaProgram::new_run() {
  return std::make_unique<CudaRun>(shared_from_this(), runs_.fetch_add(1) % kQueues);
}

}  // namespace

bool gpu_program_available() { return true; }

std::string describe_gpu(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "asking for its name");
  const double gib = static_cast<double>(properties.totalGlobalMem) / (1024.0 * 1024.0 * 1024.0);
  return fmt::format("{}, {:.1f} GiB", properties.name, gib);
}

std::string why_no_gpu() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
}

std::shared_ptr<GpuProgram> make_gpu_program(std::shared_ptr<const Program> program) {
  return std::make_shared<CudaProgram>(std::move(program));
}

}  // namespace quarto
