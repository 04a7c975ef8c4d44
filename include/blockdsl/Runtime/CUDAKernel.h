//===- CUDAKernel.h - A kernel for GPUs: loaded where it is launched, and launched -*- C++ -*-===//
//
// A cubin is loaded on a device by the first launch there and stays; a launch is one call of the driver. Nothing waits
// for a device, and nothing allocates but scratch memory, in the order of the stream: a launch may be captured into a
// graph, the first one too.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_CUDAKERNEL_H
#define BLOCKDSL_RUNTIME_CUDAKERNEL_H

#include "blockdsl/Runtime/CUDADriver.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>

namespace blockdsl::runtime::cuda {

/// The launcher takes no tensor on a device beyond.
constexpr int kMaxDevices = 64;

/// Why something did not happen.
struct Failure {
  enum Kind {
    None,
    NoDriver,
    Driver,       ///< A call of the driver failed: `call` and `result`.
    SharedMemory, ///< `wanted` bytes a block, where the device has `allowed`.
    Threads,      ///< `wanted` threads a block, where the kernel's registers leave room for `allowed`.
    GridX,        ///< `wanted` blocks, where the device takes `allowed`; so for the next two.
    GridY,
    GridZ,
    ScratchMemory, ///< `wanted` bytes for all programs, where the device had fewer.
    TensorMap,     ///< A descriptor of `wanted` dimensions, where the kernel takes `allowed`.
  };

  explicit operator bool() const { return kind != None; }

  Kind kind = None;
  const char *call = nullptr;
  Result result = 0;
  int64_t wanted = 0, allowed = 0;
};

/// Memory that a kernel wants of its launcher, as Triton's compiler counts it: for each block of the grid.
struct ScratchRequest {
  int64_t bytes = 0;
  int64_t alignment = 1;
};

/// A compiled kernel, and how it wants to be launched.
struct KernelImage {
  std::string cubin, name;
  uint32_t threads = 0;
  /// Blocks a program: more than one make a cluster.
  uint32_t blocksPerProgram = 1;
  uint32_t sharedBytes = 0;
  ScratchRequest globalScratch, profileScratch;
  /// May start before the stream's kernel before it has ended, and waits for it by itself.
  bool startsEarly = false;
  /// All blocks run at the same time, and may wait for one another.
  bool isCooperative = false;
};

struct Device;

/// A kernel on one device.
struct LoadedKernel {
  const Device *device = nullptr;
  Module module = nullptr;
  Function function = nullptr;
  /// What a thread has: registers, and bytes of memory for what they have no room for.
  int registers = 0, localBytes = 0;
  /// Threads a block may have with so many registers.
  int maxThreads = 0;
  /// A graph may launch it at any time from now on.
  std::atomic<bool> isInGraph{false};
};

class Kernel {
public:
  explicit Kernel(KernelImage image);
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  /// Null before `load`.
  LoadedKernel *on(int device) const { return loaded[static_cast<size_t>(device)].load(std::memory_order_acquire); }
  /// Takes its time, and may be called by several threads at once. `stream` is where the kernel will be launched.
  Failure load(int device, Stream stream);

  /// Launches over a grid. `parameters` point to the kernel's, `count` of them, and have room for two more.
  Failure launch(LoadedKernel &kernel, const int64_t *grid, void **parameters, size_t count, Stream stream) const;

private:
  KernelImage image;
  LaunchAttribute attributes[4] = {};
  uint32_t attributeCount = 0;
  std::array<std::atomic<LoadedKernel *>, kMaxDevices> loaded = {};
};

/// Devices the driver shows; 0 without a driver.
int deviceCount();

/// 10 * major + minor.
Failure computeCapability(int device, int &capability);

/// Whether a device reaches memory of the host, and at which address. Pinned memory it reaches.
Failure mapHostMemory(int device, uint64_t hostAddress, uint64_t &deviceAddress, bool &isReached);

} // namespace blockdsl::runtime::cuda

#endif // BLOCKDSL_RUNTIME_CUDAKERNEL_H
