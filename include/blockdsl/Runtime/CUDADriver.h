//===- CUDADriver.h - Part of CUDA's driver interface for launches -*- C++ -*-===//
//
// The driver is a library of the machine that is loaded when the first kernel runs on a GPU; building does not need
// CUDA. Written from the public reference of the driver interface. Types have the driver's layout and other names.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_CUDADRIVER_H
#define BLOCKDSL_RUNTIME_CUDADRIVER_H

#include <cstddef>
#include <cstdint>

namespace blockdsl::runtime::cuda {

using Result = int;
constexpr Result kInvalidValue = 1, kOutOfMemory = 2, kInvalidDevice = 101;

using Context = struct OpaqueContext *;
using Module = struct OpaqueModule *;
using Function = struct OpaqueFunction *;
using Stream = struct OpaqueStream *;
using MemoryPool = struct OpaqueMemoryPool *;
using Address = uint64_t;

enum class DeviceAttribute : int {
  MaxGridX = 5,
  MaxGridY = 6,
  MaxGridZ = 7,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryOptIn = 97,
};

enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  StaticSharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
  NonPortableClusterAllowed = 14,
};

enum class PointerAttribute : int { DevicePointer = 3 };
enum class CacheConfig : int { PreferShared = 1 };
enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };
enum class PoolAttribute : int { ReleaseThreshold = 4 };

enum class LaunchAttributeId : int {
  Cooperative = 2,
  ClusterDimension = 4,
  ClusterSchedulingPolicy = 5,
  ProgrammaticStreamSerialization = 6,
};
constexpr uint32_t kSpreadClusters = 1;

struct LaunchAttribute {
  LaunchAttributeId id;
  uint32_t padding;
  /// A number or the three sizes of a cluster.
  uint32_t value[16];
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  uint32_t attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56);

struct PoolProperties {
  int allocationType = 1; ///< Pinned, the only supported type.
  int handleTypes = 0;    ///< Not shared with other processes.
  int locationType = 1;   ///< On a device.
  int device = 0;
  void *security = nullptr;
  size_t maximum = 0; ///< The driver's choice.
  unsigned char reserved[56] = {};
};
static_assert(sizeof(PoolProperties) == 88);

/// Description of an array for the hardware that copies blocks. The driver fills it in.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};
static_assert(sizeof(TensorMap) == 128);

enum class Interleave : int { None = 0 };
enum class L2Promotion : int { Bytes128 = 2 };
enum class OutOfBounds : int { Zero = 0, NaN = 1 };

/// Functions of the driver.
struct Driver {
  Result (*init)(unsigned flags);
  Result (*getErrorString)(Result, const char **text);
  Result (*deviceCount)(int *count);
  Result (*deviceAttribute)(int *value, DeviceAttribute, int device);
  Result (*retainPrimaryContext)(Context *, int device);
  Result (*currentContext)(Context *);
  Result (*pushContext)(Context);
  Result (*popContext)(Context *);
  Result (*exchangeCaptureMode)(CaptureMode *);
  Result (*isCapturing)(Stream, CaptureStatus *);
  Result (*loadModule)(Module *, const void *image);
  Result (*unloadModule)(Module);
  Result (*getFunction)(Function *, Module, const char *name);
  Result (*functionAttribute)(int *value, FunctionAttribute, Function);
  Result (*setFunctionAttribute)(Function, FunctionAttribute, int value);
  Result (*setCacheConfig)(Function, CacheConfig);
  Result (*launch)(const LaunchConfig *, Function, void **parameters, void **extra);
  Result (*pointerAttribute)(void *value, PointerAttribute, Address);
  Result (*createPool)(MemoryPool *, const PoolProperties *);
  Result (*destroyPool)(MemoryPool);
  Result (*setPoolAttribute)(MemoryPool, PoolAttribute, void *value);
  Result (*allocate)(Address *, size_t bytes, MemoryPool, Stream);
  Result (*free)(Address, Stream);
  /// Null before CUDA 12, whose drivers support no GPU with this hardware.
  Result (*encodeTiled)(TensorMap *, int elementType, uint32_t rank, void *base, const uint64_t *sizes,
                        const uint64_t *strides, const uint32_t *box, const uint32_t *steps, Interleave, int swizzle,
                        L2Promotion, OutOfBounds);
};

/// Reason for the lack of a usable driver.
struct NoDriver {
  /// A sentence's end, such as "libcuda.so.1 is too old, it has no cuLaunchKernelEx".
  const char *why;
  Result result;
};

/// Returns the driver, which the first call loads and initializes; null with the reason if there is none.
const Driver *driver(NoDriver *why = nullptr);

/// Returns the driver's message for a result.
const char *errorText(Result result);

/// Returns true if a result is the failure of an earlier kernel, after which every call in the device's context fails.
bool isOfEarlierKernel(Result result);

/// Returns true if a result means that a launch is too large for the device.
bool isTooLarge(Result result);

} // namespace blockdsl::runtime::cuda

#endif // BLOCKDSL_RUNTIME_CUDADRIVER_H
