#include "gpu/cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <mutex>
#include <system_error>

namespace quarto::gpu {
namespace {

void* open_here(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
std::atomic<Opener> opener = open_here;

// A shared library that stays loaded until the process ends: at that time its own data may be gone already.
class Library {
 public:
  Library(const char* variable, std::initializer_list<const char*> names) {
    if (const char* named = std::getenv(variable); named && *named) {
      handle_ = opener.load()(named);
    } else {
      for (const char* name : names) {
        if ((handle_ = opener.load()(name))) break;
      }
    }
    if (!handle_) {
      const char* why = dlerror();
      error_ = why ? why : "not found";
    }
  }
  const std::string& error() const { return error_; }
  template <class F>
  void find(F*& function, const char* name) {
    if (!handle_) return;
    function = reinterpret_cast<F*>(dlsym(handle_, name));
    if (!function && error_.empty()) error_ = fmt::format("it has no {}", name);
  }

 private:
  void* handle_ = nullptr;
  std::string error_;
};

// The numbers are those of cuda.h.
enum Attribute { kProcessors = 16, kMajor = 75, kMinor = 76, kMostShared = 97 };
enum FunctionAttribute { kDynamicShared = 8 };
constexpr unsigned kNonBlockingStream = 1, kSleepingEvent = 1 | 2;  // 2: without times

struct Driver {
  Library library{"QUARTOZERO_CUDA_DRIVER", {"libcuda.so.1"}};
  int (*init)(unsigned) = nullptr;
  int (*error_string)(int, const char**) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*retain)(void**, int) = nullptr;
  int (*release)(int) = nullptr;
  int (*push)(void*) = nullptr;
  int (*pop)(void**) = nullptr;
  int (*module_load)(void**, const void*) = nullptr;
  int (*module_unload)(void*) = nullptr;
  int (*module_function)(void**, void*, const char*) = nullptr;
  int (*function_attribute)(void*, int, int) = nullptr;
  int (*most_blocks)(int*, void*, int, std::size_t) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**) = nullptr;
  int (*allocate)(DevicePointer*, std::size_t) = nullptr;
  int (*free)(DevicePointer) = nullptr;
  int (*allocate_host)(void**, std::size_t) = nullptr;
  int (*free_host)(void*) = nullptr;
  int (*copy_in)(DevicePointer, const void*, std::size_t, void*) = nullptr;
  int (*set_bytes)(DevicePointer, unsigned char, std::size_t, void*) = nullptr;
  int (*copy_out)(void*, DevicePointer, std::size_t, void*) = nullptr;
  int (*stream_create)(void**, unsigned) = nullptr;
  int (*stream_destroy)(void*) = nullptr;
  int (*stream_synchronize)(void*) = nullptr;
  int (*event_create)(void**, unsigned) = nullptr;
  int (*event_record)(void*, void*) = nullptr;
  int (*event_synchronize)(void*) = nullptr;
  int (*event_destroy)(void*) = nullptr;

  Driver() {
    library.find(init, "cuInit");
    library.find(error_string, "cuGetErrorString");
    library.find(device_count, "cuDeviceGetCount");
    library.find(device_get, "cuDeviceGet");
    library.find(device_name, "cuDeviceGetName");
    library.find(device_attribute, "cuDeviceGetAttribute");
    library.find(retain, "cuDevicePrimaryCtxRetain");
    library.find(release, "cuDevicePrimaryCtxRelease_v2");
    library.find(push, "cuCtxPushCurrent_v2");
    library.find(pop, "cuCtxPopCurrent_v2");
    library.find(module_load, "cuModuleLoadData");
    library.find(module_unload, "cuModuleUnload");
    library.find(module_function, "cuModuleGetFunction");
    library.find(function_attribute, "cuFuncSetAttribute");
    library.find(most_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    library.find(launch, "cuLaunchKernel");
    library.find(allocate, "cuMemAlloc_v2");
    library.find(free, "cuMemFree_v2");
    library.find(allocate_host, "cuMemAllocHost_v2");
    library.find(free_host, "cuMemFreeHost");
    library.find(copy_in, "cuMemcpyHtoDAsync_v2");
    library.find(set_bytes, "cuMemsetD8Async");
    library.find(copy_out, "cuMemcpyDtoHAsync_v2");
    library.find(stream_create, "cuStreamCreate");
    library.find(stream_destroy, "cuStreamDestroy_v2");
    library.find(stream_synchronize, "cuStreamSynchronize");
    library.find(event_create, "cuEventCreate");
    library.find(event_record, "cuEventRecord");
    library.find(event_synchronize, "cuEventSynchronize");
    library.find(event_destroy, "cuEventDestroy_v2");
  }
};

std::string text_of(const Driver& d, int error) {
  const char* text = nullptr;
  if (d.error_string(error, &text) != 0 || !text) return fmt::format("error {}", error);
  return text;
}

const Driver& driver() {
  static const Driver loaded;
  if (!loaded.library.error().empty()) {
    throw CudaError(
        fmt::format("CUDA's driver cannot be used: {}; without it there is no GPU", loaded.library.error()));
  }
  static const int started = loaded.init(0);
  if (started != 0) throw CudaError("CUDA's driver does not start: " + text_of(loaded, started));
  return loaded;
}

void check(int error, const char* what) {
  if (error != 0) throw CudaError(fmt::format("{} failed on the GPU: {}", what, text_of(driver(), error)));
}

struct Compiler {
  Library library{"QUARTOZERO_NVRTC",
                  {"libcaffe2_nvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}};
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy)(void**) = nullptr;
  int (*compile)(void*, int, const char* const*) = nullptr;
  int (*log_size)(void*, std::size_t*) = nullptr;
  int (*log)(void*, char*) = nullptr;
  int (*cubin_size)(void*, std::size_t*) = nullptr;
  int (*cubin)(void*, char*) = nullptr;
  int (*ptx_size)(void*, std::size_t*) = nullptr;
  int (*ptx)(void*, char*) = nullptr;
  int (*supported_count)(int*) = nullptr;
  int (*supported)(int*) = nullptr;
  const char* (*error_string)(int) = nullptr;

  Compiler() {
    library.find(create, "nvrtcCreateProgram");
    library.find(destroy, "nvrtcDestroyProgram");
    library.find(compile, "nvrtcCompileProgram");
    library.find(log_size, "nvrtcGetProgramLogSize");
    library.find(log, "nvrtcGetProgramLog");
    library.find(cubin_size, "nvrtcGetCUBINSize");
    library.find(cubin, "nvrtcGetCUBIN");
    library.find(ptx_size, "nvrtcGetPTXSize");
    library.find(ptx, "nvrtcGetPTX");
    library.find(supported_count, "nvrtcGetNumSupportedArchs");
    library.find(supported, "nvrtcGetSupportedArchs");
    library.find(error_string, "nvrtcGetErrorString");
    load_builtins();
  }

 private:
  // NVRTC opens libnvrtc-builtins by its bare name. The loader does not find it in Python's packages, so it is loaded
  // here from NVRTC's folder.
  void load_builtins() const {
    Dl_info own{};
    if (!compile || dladdr(reinterpret_cast<const void*>(compile), &own) == 0 || !own.dli_fname) return;
    std::error_code error;
    std::filesystem::directory_iterator file(std::filesystem::path(own.dli_fname).parent_path(), error);
    for (; !error && file != std::filesystem::directory_iterator(); file.increment(error)) {
      if (file->path().filename().string().starts_with("libnvrtc-builtins.so")) dlopen(file->path().c_str(), RTLD_NOW);
    }
  }
};

const Compiler& compiler() {
  static const Compiler loaded;
  if (!loaded.library.error().empty()) {
    throw CudaError(
        fmt::format("CUDA's compiler at run time cannot be used: {}; it comes with CUDA and with PyTorch, and "
                    "QUARTOZERO_NVRTC can name its file",
                    loaded.library.error()));
  }
  return loaded;
}

// "sm_90" for the device itself; for a newer one than the compiler knows the newest "compute_90" before it.
std::string target_of(const Compiler& c, const std::string& architecture) {
  const int wanted = std::atoi(architecture.c_str() + architecture.find('_') + 1);
  int count = 0;
  if (c.supported_count(&count) != 0 || count <= 0) return architecture;
  std::vector<int> known(static_cast<std::size_t>(count));
  if (c.supported(known.data()) != 0) return architecture;
  int newest = 0;
  for (const int each : known) {
    if (each == wanted) return architecture;
    if (each < wanted) newest = std::max(newest, each);
  }
  return newest == *std::max_element(known.begin(), known.end()) ? fmt::format("compute_{}", newest) : architecture;
}

}  // namespace

void open_libraries_with(Opener with) { opener = with; }

bool driver_installed() {
  static const bool found = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  return found;
}

// Makes the device's context current on this thread.
class Current {
 public:
  explicit Current(const Device& device) { check(driver().push(device.context_), "choosing the device"); }
  ~Current() {
    void* popped = nullptr;
    static_cast<void>(driver().pop(&popped));
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
};

namespace {

// For destructors: calls release() with the device's context, or not at all if the driver has ended already.
template <class F>
void let_go(const Device& device, const F& release) noexcept {
  try {
    const Current current(device);
    release();
  } catch (const CudaError&) {
    return;  // nothing is left to release
  }
}

}  // namespace

Compiled compile(std::span<const SourceFile> files, const std::string& architecture,
                 const std::vector<std::string>& options) {
  const Compiler& c = compiler();
  const std::string target = target_of(c, architecture);
  std::vector<const char*> texts, names;
  for (const SourceFile& file : files.subspan(1)) {
    texts.push_back(file.text.c_str());
    names.push_back(file.name.c_str());
  }
  std::vector<std::string> all = options;
  all.push_back("--gpu-architecture=" + target);
  std::vector<const char*> words;
  for (const std::string& word : all) words.push_back(word.c_str());

  void* program = nullptr;
  if (const int error = c.create(&program, files.front().text.c_str(), files.front().name.c_str(),
                                 static_cast<int>(texts.size()), texts.data(), names.data()))
    throw CudaError(fmt::format("CUDA's compiler does not start: {}", c.error_string(error)));
  const auto destroy = [&c](void* p) { static_cast<void>(c.destroy(&p)); };
  const std::unique_ptr<void, decltype(destroy)> owner(program, destroy);
  const int error = c.compile(program, static_cast<int>(words.size()), words.data());
  Compiled result;
  std::size_t size = 0;
  if (c.log_size(program, &size) == 0 && size > 1) {
    result.log.resize(size);
    static_cast<void>(c.log(program, result.log.data()));
    result.log.resize(size - 1);  // without the final zero
  }
  if (error != 0)
    throw CudaError(
        fmt::format("the GPU kernels do not compile for {}: {}\n{}", architecture, c.error_string(error), result.log));
  const bool for_driver = target != architecture;
  if ((for_driver ? c.ptx_size : c.cubin_size)(program, &size) != 0 || size == 0)
    throw CudaError(fmt::format("CUDA's compiler made no program for {}", architecture));
  result.cubin.resize(size);
  if (const int failed = (for_driver ? c.ptx : c.cubin)(program, result.cubin.data()))
    throw CudaError(fmt::format("CUDA's compiler made no program for {}: {}", architecture, c.error_string(failed)));
  return result;
}

std::shared_ptr<Device> Device::open(int number) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<Device>> open;
  const std::scoped_lock lock(mutex);
  std::weak_ptr<Device>& slot = open[number];
  if (auto known = slot.lock()) return known;
  const std::shared_ptr<Device> device(new Device(number));
  slot = device;
  return device;
}

Device::Device(int number) {
  const Driver& d = driver();
  int count = 0;
  check(d.device_count(&count), "counting the devices");
  if (number < 0 || number >= count)
    throw CudaError(fmt::format("CUDA device {} was asked for, but there are {}", number, count));
  check(d.device_get(&device_, number), "finding the device");
  const auto attribute = [&](int which) {
    int value = 0;
    check(d.device_attribute(&value, which, device_), "asking about the device");
    return value;
  };
  std::array<char, 256> name{};
  check(d.device_name(name.data(), static_cast<int>(name.size()) - 1, device_), "asking about the device");
  name_ = name.data();
  architecture_ = fmt::format("sm_{}{}", attribute(kMajor), attribute(kMinor));
  processors_ = attribute(kProcessors);
  most_shared_memory_ = static_cast<std::size_t>(attribute(kMostShared));
  check(d.retain(&context_, device_), "opening the device");
}

Device::~Device() { static_cast<void>(driver().release(device_)); }

DeviceMemory::DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes) : device_(std::move(device)) {
  const Current current(*device_);
  check(driver().allocate(&pointer_, bytes), "reserving memory");
}
DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(pointer_, other.pointer_);
  return *this;
}
DeviceMemory::~DeviceMemory() {
  if (pointer_) let_go(*device_, [this] { static_cast<void>(driver().free(pointer_)); });
}
void DeviceMemory::clear(std::size_t bytes) {
  const Current current(*device_);
  check(driver().set_bytes(pointer_, 0, bytes, nullptr), "clearing memory");
  check(driver().stream_synchronize(nullptr), "clearing memory");
}
void DeviceMemory::fill(std::span<const std::byte> from) {
  // Not by the driver's own synchronous copy: it may return before the last bytes are there, and streams of ours do not
  // wait for it.
  const HostMemory locked(device_, from.size());
  std::memcpy(locked.pointer(), from.data(), from.size());
  Stream stream(device_);
  stream.copy_in(pointer_, locked.pointer(), from.size());
  stream.mark();
  stream.wait();
}

HostMemory::HostMemory(std::shared_ptr<Device> device, std::size_t bytes) : device_(std::move(device)) {
  const Current current(*device_);
  check(driver().allocate_host(&pointer_, bytes), "reserving page-locked memory");
}
HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(pointer_, other.pointer_);
  return *this;
}
HostMemory::~HostMemory() {
  if (pointer_) let_go(*device_, [this] { static_cast<void>(driver().free_host(pointer_)); });
}

Module::Module(std::shared_ptr<Device> device, const std::string& cubin) : device_(std::move(device)) {
  const Current current(*device_);
  check(driver().module_load(&module_, cubin.data()), "loading the kernels");
}
Module::~Module() {
  let_go(*device_, [this] { static_cast<void>(driver().module_unload(module_)); });
}
Kernel Module::kernel(const char* name, unsigned threads, std::size_t shared) const {
  const Current current(*device_);
  const Driver& d = driver();
  Kernel kernel{nullptr, threads, shared, 0};
  check(d.module_function(&kernel.function, module_, name), "finding a kernel");
  check(d.function_attribute(kernel.function, kDynamicShared, static_cast<int>(shared)), "reserving shared memory");
  int blocks = 0;
  check(d.most_blocks(&blocks, kernel.function, static_cast<int>(threads), shared), "asking about a kernel");
  if (blocks < 1) throw CudaError(fmt::format("{} cannot run a block of {}", device_->name(), name));
  kernel.side_by_side = static_cast<unsigned>(blocks * device_->processors());
  return kernel;
}

Stream::Stream(std::shared_ptr<Device> device) : device_(std::move(device)) {
  const Current current(*device_);
  check(driver().stream_create(&stream_, kNonBlockingStream), "making a stream");
  if (const int error = driver().event_create(&event_, kSleepingEvent)) {
    static_cast<void>(driver().stream_destroy(stream_));
    check(error, "making an event");
  }
}
Stream::~Stream() {
  let_go(*device_, [this] {
    static_cast<void>(driver().stream_synchronize(stream_));
    static_cast<void>(driver().event_destroy(event_));
    static_cast<void>(driver().stream_destroy(stream_));
  });
}
void Stream::copy_in(DevicePointer to, const void* from, std::size_t bytes) {
  const Current current(*device_);
  check(driver().copy_in(to, from, bytes, stream_), "sending positions");
}
void Stream::copy_out(void* to, DevicePointer from, std::size_t bytes) {
  const Current current(*device_);
  check(driver().copy_out(to, from, bytes, stream_), "fetching results");
}
namespace {
void launch(const Device& device, const Kernel& kernel, unsigned blocks, void* stream, void** arguments) {
  const Current current(device);
  check(driver().launch(kernel.function, blocks, 1, 1, kernel.threads, 1, 1, static_cast<unsigned>(kernel.shared),
                        stream, arguments, nullptr),
        "starting a kernel");
}
}  // namespace
void Stream::launch(const Kernel& kernel, unsigned blocks, void** arguments) {
  gpu::launch(*device_, kernel, blocks, stream_, arguments);
}
void launch_by_default(const Device& device, const Kernel& kernel, unsigned blocks, void** arguments) {
  launch(device, kernel, blocks, nullptr, arguments);
}
void wait_by_default(const Device& device) {
  const Current current(device);
  check(driver().stream_synchronize(nullptr), "computing on the default stream");
}
void Stream::mark() {
  const Current current(*device_);
  check(driver().event_record(event_, stream_), "recording an event");
}
void Stream::wait() {
  const Current current(*device_);
  check(driver().event_synchronize(event_), "evaluating positions");
}

}  // namespace quarto::gpu
