//===- CUDAKernel.h - Loading and launching kernels on GPUs -----*- C++ -*-===//
//
// The first launch on a device loads the cubin, which stays loaded; a launch is one driver call. Nothing synchronizes,
// and only scratch memory is allocated, in stream order, so that all launches can be captured in a graph.
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

/// Largest supported number of devices.
constexpr int kMaxDevices = 64;

/// Reason for a failure.
struct Failure {
  enum Kind {
    None,
    NoDriver,
    Driver,       ///< A call of the driver failed: `call` and `result`.
    SharedMemory, ///< `wanted` bytes per block; the device has `allowed`.
    Threads,      ///< `wanted` threads per block; the kernel's registers allow `allowed`.
    GridX,        ///< `wanted` blocks; the device allows `allowed`. Likewise for the next two.
    GridY,
    GridZ,
    ScratchMemory, ///< `wanted` bytes for all programs; the device has fewer.
    TensorMap,     ///< A descriptor of `wanted` dimensions; the kernel has `allowed`.
  };

  explicit operator bool() const { return kind != None; }

  Kind kind = None;
  const char *call = nullptr;
  Result result = 0;
  int64_t wanted = 0, allowed = 0;
};

/// Scratch memory of a kernel, per block of the grid as in Triton's compiler.
struct ScratchRequest {
  int64_t bytes = 0;
  int64_t alignment = 1;
};

/// A compiled kernel and the properties of its launches.
struct KernelImage {
  std::string cubin, name;
  uint32_t threads = 0;
  /// Blocks per program; more than one form a cluster.
  uint32_t blocksPerProgram = 1;
  uint32_t sharedBytes = 0;
  ScratchRequest globalScratch, profileScratch;
  /// Whether it may start before the previous kernel of the stream has ended, for which it waits itself.
  bool startsEarly = false;
  /// Whether all blocks run concurrently and may wait for each other.
  bool isCooperative = false;
};

struct Device;

/// A kernel on one device.
struct LoadedKernel {
  const Device *device = nullptr;
  Module module = nullptr;
  Function function = nullptr;
  /// Registers per thread, and bytes of local memory for spills.
  int registers = 0, localBytes = 0;
  /// Largest number of threads per block with that many registers.
  int maxThreads = 0;
  /// Whether a graph may launch it.
  std::atomic<bool> isInGraph{false};
};

class Kernel {
public:
  explicit Kernel(KernelImage image);
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  /// Returns the kernel on a device; null before `load`.
  LoadedKernel *on(int device) const { return loaded[static_cast<size_t>(device)].load(std::memory_order_acquire); }
  /// Loads the kernel on a device, which is slow. Thread-safe. `stream` is the stream of the launch.
  Failure load(int device, Stream stream);

  /// Launches over a grid. `parameters` has `count` pointers to the kernel's parameters and room for two more.
  Failure launch(LoadedKernel &kernel, const int64_t *grid, void **parameters, size_t count, Stream stream) const;

private:
  KernelImage image;
  LaunchAttribute attributes[4] = {};
  uint32_t attributeCount = 0;
  std::array<std::atomic<LoadedKernel *>, kMaxDevices> loaded = {};
};

/// Returns the number of devices; 0 without a driver.
int deviceCount();

/// Gets the compute capability, 10 * major + minor.
Failure computeCapability(int device, int &capability);

/// Sets whether a device can access host memory, such as pinned memory, and the device's address of it.
Failure mapHostMemory(int device, uint64_t hostAddress, uint64_t &deviceAddress, bool &isReached);

} // namespace blockdsl::runtime::cuda

#endif // BLOCKDSL_RUNTIME_CUDAKERNEL_H
