// CUDA's driver and its compiler at run time (NVRTC), loaded when they are first needed: a program that was built
// without CUDA uses a GPU where there is one, and runs where there is none. Only the calls that gpu/ makes are
// here. Their C interface is stable across releases (CUDA 12 and 13: docs.nvidia.com/cuda/cuda-driver-api,
// .../nvrtc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quarto::gpu {

// There is no driver, no device or no compiler, or one of them failed. The message says which and what to do.
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The libraries are those that the system finds as libcuda.so.1, and as what LibTorch's libcaffe2_nvrtc.so brings along
// or as libnvrtc.so.N. QUARTOZERO_CUDA_DRIVER and QUARTOZERO_NVRTC name other files.

// Opens a library by its name, as dlopen() does with RTLD_NOW | RTLD_LOCAL.
using Opener = void* (*)(const char* name);
// What opens them from now on, instead of this program: a library that was linked with LibTorch finds what a release of
// it brings along by its own run path. Thread-safe.
void open_libraries_with(Opener opener);

// True if the system has CUDA's driver: without it nothing can use a GPU.
bool driver_installed();

// A program compiled for one architecture, "sm_90" for example.
struct Compiled {
  std::string cubin;  // or PTX, which the driver compiles, for an architecture that is newer than the compiler
  std::string log;    // warnings, and registers, spills and shared memory of each kernel
};
struct SourceFile {
  std::string name, text;
};
// Compiles the first file; the others are what it may include, by name. Takes seconds. Throws CudaError, with the
// compiler's messages.
Compiled compile(std::span<const SourceFile> files, const std::string& architecture,
                 const std::vector<std::string>& options);

using DevicePointer = std::uint64_t;

// A device and its primary context, which LibTorch uses too. Thread-safe. Lives as long as anything that was made with
// it.
class Device {
 public:
  // The same object for the same number, for as long as someone holds it. Throws CudaError.
  static std::shared_ptr<Device> open(int number);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return name_; }
  const std::string& architecture() const { return architecture_; }  // "sm_90"
  int processors() const { return processors_; }
  std::size_t most_shared_memory() const { return most_shared_memory_; }  // of a block, in bytes

 private:
  friend class Current;
  explicit Device(int number);
  int device_ = 0;
  void* context_ = nullptr;
  std::string name_, architecture_;
  int processors_ = 0;
  std::size_t most_shared_memory_ = 0;
};

// Memory on the device.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes);
  DeviceMemory(DeviceMemory&& other) noexcept
      : device_(std::move(other.device_)), pointer_(std::exchange(other.pointer_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();
  DevicePointer pointer() const { return pointer_; }
  // Sets so many bytes to zero, and waits.
  void clear(std::size_t bytes);
  // Copies and waits.
  void fill(std::span<const std::byte> from);

 private:
  std::shared_ptr<Device> device_;
  DevicePointer pointer_ = 0;
};

// Page-locked memory of the host, which the device reads and writes directly.
class HostMemory {
 public:
  HostMemory() = default;
  HostMemory(std::shared_ptr<Device> device, std::size_t bytes);
  HostMemory(HostMemory&& other) noexcept
      : device_(std::move(other.device_)), pointer_(std::exchange(other.pointer_, nullptr)) {}
  HostMemory& operator=(HostMemory&& other) noexcept;
  ~HostMemory();
  void* pointer() const { return pointer_; }

 private:
  std::shared_ptr<Device> device_;
  void* pointer_ = nullptr;
};

// A kernel of a loaded program.
struct Kernel {
  void* function = nullptr;
  unsigned threads = 0;       // of a block
  std::size_t shared = 0;     // bytes of shared memory of a block
  unsigned side_by_side = 0;  // blocks that the whole device runs at the same time
};

class Module {
 public:
  Module(std::shared_ptr<Device> device, const std::string& cubin);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  // Throws CudaError if the device cannot run such a block.
  Kernel kernel(const char* name, unsigned threads, std::size_t shared) const;
  const std::shared_ptr<Device>& device() const { return device_; }

 private:
  std::shared_ptr<Device> device_;
  void* module_ = nullptr;
};

// Work in order on the device, and an event at its end. wait() sleeps. Not thread-safe.
class Stream {
 public:
  explicit Stream(std::shared_ptr<Device> device);
  ~Stream();  // waits
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  // `from` and `to` on the host must be HostMemory, and must live until the work is done.
  void copy_in(DevicePointer to, const void* from, std::size_t bytes);
  void copy_out(void* to, DevicePointer from, std::size_t bytes);
  // `arguments` are pointers to the kernel's arguments, which are read before this returns.
  void launch(const Kernel& kernel, unsigned blocks, void** arguments);
  // Marks what has been put in so far, for wait().
  void mark();
  void wait();

 private:
  std::shared_ptr<Device> device_;
  void* stream_ = nullptr;
  void* event_ = nullptr;
};

// Puts a kernel on the default stream of the device's context, which other users of the context share.
void launch_by_default(const Device& device, const Kernel& kernel, unsigned blocks, void** arguments);
// Waits for what was put there.
void wait_by_default(const Device& device);

}  // namespace quarto::gpu
