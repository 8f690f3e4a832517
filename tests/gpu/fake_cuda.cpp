// A library in the place of CUDA's driver and of its compiler, so that the host's side of gpu/ is tested where there is
// no GPU: "device memory" is the host's, and a kernel is the same source, run by one thread. Work on a stream is done
// when somebody waits for it and not before, so that a result read too early is wrong. FAKE_CUDA_FAILS makes one call
// fail: its name, or NAME:N for the Nth time.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gpu/pairs_gradient.h"
#include "gpu/pairs_position.h"
#include "gpu/prove.h"

namespace {

using namespace quarto::gpu;  // NOLINT

constexpr int kFailure = 2;  // the driver's number for "out of memory"

bool fails(const char* name) {
  const char* wanted = std::getenv("FAKE_CUDA_FAILS");
  return wanted && std::string(wanted) == name;
}

template <class T, class V>
int put(T* where, V value) {
  *where = value;
  return 0;
}

struct Alone {
  static constexpr int kParts = 1;
  template <class F>
  void each(int count, const F& f) {
    for (int i = 0; i < count; ++i) f(i);
  }
  void meet(int, int) {}
};

// What the program was compiled for, and one of its kernels.
enum class Source { forward, gradient, prove };
struct Options {
  Source source = Source::forward;
  int width = 0, lines = 0, most = 0, fewest = 0, threads = 0;
};
struct Kernel {
  Options options;
  int most_empty = 0;
  int shared = 0;
};
struct Module {
  Options options;
  std::map<std::string, Kernel> kernels;
};
struct Stream {
  std::deque<std::function<void()>> work;
  void finish() {
    for (; !work.empty(); work.pop_front()) work.front()();
  }
};
struct Event {
  Stream* stream = nullptr;
};

// What a block does: `arguments` are those of the kernels of kernel.cu or of gradient.cu.
template <int LINES>
std::function<void(int block, int blocks)> boards_of(const Kernel& kernel, void** arguments) {
  const Network network = *static_cast<Network*>(arguments[0]);
  const int n = *static_cast<int*>(arguments[2]);
  const auto with_size = [&](const auto& of) -> std::function<void(int, int)> {
    if (kernel.most_empty == 8) return of.template operator()<8, 1>();
    if (kernel.most_empty == 12) return of.template operator()<12, 9>();
    return of.template operator()<16, 13>();
  };
  if (kernel.options.source == Source::forward) {
    const auto* boards = *static_cast<const Board**>(arguments[1]);
    auto* logits = *static_cast<float**>(arguments[3]);
    return with_size([&]<int N, int FEWEST>() {
      return [=](int block, int blocks) {
        Alone alone;
        const auto shared = std::make_unique<Shared<16, N, LINES>>();
        forward<16, N, FEWEST, LINES>(network, *shared, alone, boards, n, block, blocks, logits);
      };
    });
  }
  const auto* samples = *static_cast<const Sample**>(arguments[1]);
  const Loss loss = *static_cast<Loss*>(arguments[3]);
  auto* scratch = *static_cast<unsigned char**>(arguments[4]);
  const long long scratch_size = *static_cast<long long*>(arguments[5]);
  auto* sums = *static_cast<float**>(arguments[6]);
  const int size = *static_cast<int*>(arguments[7]);
  return with_size([&]<int N, int FEWEST>() {
    return [=](int block, int blocks) {
      Alone alone;
      const auto shared = std::make_unique<Shared<16, N, LINES>>();
      auto& own = *reinterpret_cast<GradientScratch<16, N, LINES>*>(scratch + block * scratch_size);
      add_gradient<16, N, FEWEST, LINES>(network, *shared, alone, samples, n, block, blocks, loss, own,
                                         sums + static_cast<long long>(block) * (size + kFigures), size);
    };
  });
}

// The arguments of add_up().
std::function<void(int, int)> sum_of(void** arguments, unsigned threads) {
  auto* sums = *static_cast<float**>(arguments[0]);
  const int rows = *static_cast<int*>(arguments[1]), size = *static_cast<int*>(arguments[2]);
  auto* out = *static_cast<float**>(arguments[3]);
  return [=](int block, int) {
    const int from = block * static_cast<int>(threads);
    for (int i = from; i < std::min(from + static_cast<int>(threads), size); ++i)
      out[i] = take_sum(sums, rows, size, i);
  };
}

template <int LINES>
void prove(const Network& network, const ProofQuestion* questions, int count, ProofAnswer* answers) {
  ProofTables<LINES> tables;
  Alone alone;
  tables.fill(network, alone);
  const auto proof = std::make_unique<Proof<LINES>>(tables, network);
  for (int i = 0; i < count; ++i) answers[i] = proof->answer(questions[i]);
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return fails("cuInit") ? kFailure : 0; }
int cuGetErrorString(int, const char** text) { return put(text, "as the test wants it"); }
int cuDeviceGetCount(int* count) { return put(count, 1); }
int cuDeviceGet(int* device, int number) { return put(device, number); }
int cuDeviceGetName(char* name, int size, int) {
  std::strncpy(name, "a processor that plays the part", static_cast<std::size_t>(size));
  return 0;
}
int cuDeviceGetAttribute(int* value, int which, int) {
  *value = which == 16 ? 2 : which == 75 ? 9 : which == 76 ? 0 : which == 97 ? 101'376 : -1;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  static int it;
  return put(context, &it);
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxPushCurrent_v2(void*) { return 0; }
int cuCtxPopCurrent_v2(void**) { return 0; }

int cuModuleLoadData(void** module, const void* cubin) {
  if (fails("cuModuleLoadData")) return kFailure;
  auto* made = new Module;
  std::memcpy(&made->options, cubin, sizeof made->options);
  if (made->options.source == Source::prove) {
    made->kernels["prove"] = {made->options, 0, 0};
  } else {
    const bool gradient = made->options.source == Source::gradient;
    made->kernels[gradient ? "gradient" : "forward"] = {made->options, made->options.most, 0};
    if (gradient) made->kernels["add_up"] = {made->options, 0, 0};
  }
  *module = made;
  return 0;
}
int cuModuleUnload(void* module) {
  delete static_cast<Module*>(module);
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (fails("cuModuleGetFunction")) return kFailure;
  auto& kernels = static_cast<Module*>(module)->kernels;
  const auto at = kernels.find(name);
  if (at == kernels.end()) return kFailure;
  *function = &at->second;
  return 0;
}
int cuFuncSetAttribute(void* function, int which, int value) {
  if (which != 8 || fails("cuFuncSetAttribute")) return kFailure;
  static_cast<Kernel*>(function)->shared = value;
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, std::size_t) { return put(blocks, 3); }
int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned shared, void* stream, void** arguments, void**) {
  if (fails("cuLaunchKernel")) return kFailure;
  const Kernel kernel = *static_cast<Kernel*>(function);
  if (threads == 0 || blocks == 0 || static_cast<int>(shared) != kernel.shared) return kFailure;
  const bool lines = kernel.options.lines == 10;
  std::function<void(int, int)> work_of;
  const auto& given = kernel.options;
  const int fewest = given.most == 8 ? 1 : given.most - 3;
  if (kernel.most_empty && (given.fewest != fewest || static_cast<int>(threads) != given.threads)) return kFailure;
  if (kernel.options.source == Source::prove) {
    const Network network = *static_cast<Network*>(arguments[0]);
    const auto* questions = *static_cast<const ProofQuestion**>(arguments[1]);
    const int n = *static_cast<int*>(arguments[2]);
    auto* answers = *static_cast<ProofAnswer**>(arguments[3]);
    if (blocks * threads < static_cast<unsigned>(n)) std::abort();
    work_of = [=](int block, int) {
      if (block == 0) lines ? prove<10>(network, questions, n, answers) : prove<19>(network, questions, n, answers);
    };
  } else if (kernel.most_empty == 0) {
    work_of = sum_of(arguments, threads);
  } else {
    work_of = lines ? boards_of<10>(kernel, arguments) : boards_of<19>(kernel, arguments);
  }
  const auto work = [=] {
    for (int block = 0; block < static_cast<int>(blocks); ++block) work_of(block, static_cast<int>(blocks));
  };
  // The default stream is nobody's here: its work is done at once.
  if (stream)
    static_cast<Stream*>(stream)->work.emplace_back(work);
  else
    work();
  return 0;
}

int cuMemAlloc_v2(std::uint64_t* pointer, std::size_t bytes) {
  if (fails("cuMemAlloc_v2")) return kFailure;
  *pointer = reinterpret_cast<std::uint64_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return 0;
}
int cuMemFree_v2(std::uint64_t pointer) {
  std::free(reinterpret_cast<void*>(pointer));
  return 0;
}
int cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
  if (fails("cuMemAllocHost_v2")) return kFailure;
  *pointer = std::malloc(bytes);
  return 0;
}
int cuMemFreeHost(void* pointer) {
  std::free(pointer);
  return 0;
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  if (fails("cuMemcpyHtoDAsync_v2")) return kFailure;
  static_cast<Stream*>(stream)->work.emplace_back([=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
  return 0;
}
int cuMemsetD8Async(std::uint64_t pointer, unsigned char value, std::size_t bytes, void*) {
  std::memset(reinterpret_cast<void*>(pointer), value, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  if (fails("cuMemcpyDtoHAsync_v2")) return kFailure;
  static_cast<Stream*>(stream)->work.emplace_back([=] { std::memcpy(to, reinterpret_cast<void*>(from), bytes); });
  return 0;
}

int cuStreamCreate(void** stream, unsigned) { return fails("cuStreamCreate") ? kFailure : put(stream, new Stream); }
int cuStreamDestroy_v2(void* stream) {
  delete static_cast<Stream*>(stream);
  return 0;
}
int cuStreamSynchronize(void* stream) {
  if (stream) static_cast<Stream*>(stream)->finish();
  return 0;
}
int cuEventCreate(void** event, unsigned) { return put(event, new Event); }
int cuEventRecord(void* event, void* stream) {
  static_cast<Event*>(event)->stream = static_cast<Stream*>(stream);
  return 0;
}
int cuEventSynchronize(void* event) {
  if (fails("cuEventSynchronize")) return kFailure;
  if (Stream* stream = static_cast<Event*>(event)->stream) stream->finish();
  return 0;
}
int cuEventDestroy_v2(void* event) {
  delete static_cast<Event*>(event);
  return 0;
}

// The compiler: its program is what it was asked for.
int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*, const char* const*) {
  auto options = std::make_unique<Options>();
  if (std::strstr(source, "    gradient("))
    options->source = Source::gradient;
  else if (std::strstr(source, "    prove("))
    options->source = Source::prove;
  else if (!std::strstr(source, "    forward("))
    return kFailure;
  *program = options.release();
  return 0;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Options*>(*program);
  return 0;
}
int nvrtcCompileProgram(void* program, int count, const char* const* words) {
  auto& options = *static_cast<Options*>(program);
  bool architecture = false;
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    const auto number = [&](const char* key) {
      return word.rfind(key, 0) == 0 ? std::atoi(word.c_str() + std::strlen(key)) : 0;
    };
    options.width += number("-DQUARTO_WIDTH=");
    options.lines += number("-DQUARTO_LINES=");
    options.most += number("-DQUARTO_MOST=");
    options.fewest += number("-DQUARTO_FEWEST=");
    options.threads += number("-DQUARTO_THREADS=");
    architecture = architecture || word == "--gpu-architecture=sm_90" || word == "--gpu-architecture=compute_90";
  }
  // Found because the program has loaded it, not by the system.
  const bool builtins = dlopen("libnvrtc-builtins.so.0", RTLD_NOW);
  return architecture && builtins && !fails("nvrtcCompileProgram") ? 0 : kFailure;
}
int nvrtcGetProgramLogSize(void*, std::size_t* size) { return put(size, sizeof "what the compiler says"); }
int nvrtcGetProgramLog(void*, char* log) {
  std::strcpy(log, "what the compiler says");
  return 0;
}
int nvrtcGetCUBINSize(void*, std::size_t* size) { return put(size, sizeof(Options)); }
int nvrtcGetCUBIN(void* program, char* cubin) {
  std::memcpy(cubin, program, sizeof(Options));
  return 0;
}
int nvrtcGetPTXSize(void*, std::size_t* size) { return put(size, sizeof(Options)); }
int nvrtcGetPTX(void* program, char* ptx) {
  std::memcpy(ptx, program, sizeof(Options));
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) { return put(count, 2); }
int nvrtcGetSupportedArchs(int* known) {
  known[0] = 80;
  known[1] = 90;
  return 0;
}
const char* nvrtcGetErrorString(int) { return "as the test wants it"; }

}  // extern "C"
