//===- CUDAKernel.cpp - Loading and launching kernels on GPUs -----------------------------------------------------===//

#include "blockdsl/Runtime/CUDAKernel.h"

#include "CUDADevice.h"

#include <mutex>
#include <vector>

using namespace blockdsl::runtime::cuda;

namespace {

/// Shared memory that is available without setting an attribute.
constexpr int kSharedBytesForAll = 48 << 10;
/// Largest cluster that all GPUs with clusters support.
constexpr uint32_t kPortableCluster = 8;

std::mutex loading;

//===--------------------------------------------------------------------------------------------------------------===//
// Unloading modules of destroyed kernels
//===--------------------------------------------------------------------------------------------------------------===//

// Python may destroy a kernel during a capture, in a destructor of torch, or while the process exits. So its module is
// unloaded when the next module is loaded, at which point calling the driver is safe.
std::mutex burying;
std::vector<std::unique_ptr<LoadedKernel>> dead;

void unloadTheDead() {
  std::vector<std::unique_ptr<LoadedKernel>> now;
  {
    std::lock_guard<std::mutex> lock(burying);
    now.swap(dead);
  }
  for (const auto &kernel : now) {
    CurrentContext current(*kernel->device);
    if (!current.failure())
      kernel->device->driver->unloadModule(kernel->module);
  }
}

//===--------------------------------------------------------------------------------------------------------------===//
// Loading
//===--------------------------------------------------------------------------------------------------------------===//

Failure readAttribute(const Driver &driver, FunctionAttribute attribute, Function function, int &value) {
  Result result = driver.functionAttribute(&value, attribute, function);
  return result == 0 ? Failure{} : failed("cuFuncGetAttribute", result);
}

/// Sets the attribute for a kernel's shared memory if it needs more than is available without.
Failure allowSharedMemory(const Device &device, const KernelImage &image, Function function) {
  const Driver &driver = *device.driver;
  int bytes = static_cast<int>(image.sharedBytes), fixed;
  if (Failure failure = readAttribute(driver, FunctionAttribute::StaticSharedBytes, function, fixed))
    return failure;
  if (bytes + fixed <= kSharedBytesForAll)
    return {};
  if (bytes + fixed > device.maxSharedBytes)
    return {Failure::SharedMemory, nullptr, 0, bytes + fixed, device.maxSharedBytes};
  if (Result result = driver.setCacheConfig(function, CacheConfig::PreferShared))
    return failed("cuFuncSetCacheConfig", result);
  Result result = driver.setFunctionAttribute(function, FunctionAttribute::MaxDynamicSharedBytes, bytes);
  return result == 0 ? Failure{} : failed("cuFuncSetAttribute", result);
}

/// Sets the attributes of a function and checks its limits, once before all launches.
Failure configure(const Device &device, const KernelImage &image, LoadedKernel &kernel) {
  const Driver &driver = *device.driver;
  Function function = kernel.function;
  const std::pair<FunctionAttribute, int *> attributes[] = {{FunctionAttribute::MaxThreadsPerBlock, &kernel.maxThreads},
                                                            {FunctionAttribute::Registers, &kernel.registers},
                                                            {FunctionAttribute::LocalBytes, &kernel.localBytes}};
  for (auto [attribute, value] : attributes)
    if (Failure failure = readAttribute(driver, attribute, function, *value))
      return failure;
  if (static_cast<int>(image.threads) > kernel.maxThreads)
    return {Failure::Threads, nullptr, 0, image.threads, kernel.maxThreads};
  if (image.blocksPerProgram > kPortableCluster)
    if (Result result = driver.setFunctionAttribute(function, FunctionAttribute::NonPortableClusterAllowed, 1))
      return failed("cuFuncSetAttribute", result);
  return allowSharedMemory(device, image, function);
}

Failure loadOn(Device &device, const KernelImage &image, LoadedKernel &kernel) {
  const Driver &driver = *device.driver;
  CurrentContext current(device);
  if (Failure failure = current.failure())
    return failure;
  if (image.globalScratch.bytes > 0 || image.profileScratch.bytes > 0)
    if (Failure failure = preparePool(device))
      return failure;
  if (Result result = driver.loadModule(&kernel.module, image.cubin.data()))
    return failed("cuModuleLoadData", result);
  Failure failure;
  if (Result result = driver.getFunction(&kernel.function, kernel.module, image.name.c_str()))
    failure = failed("cuModuleGetFunction", result);
  else
    failure = configure(device, image, kernel);
  if (failure)
    driver.unloadModule(kernel.module);
  return failure;
}

} // namespace

Kernel::Kernel(KernelImage initialImage) : image(std::move(initialImage)) {
  auto add = [&](LaunchAttributeId id) -> LaunchAttribute & {
    attributes[attributeCount].id = id;
    return attributes[attributeCount++];
  };
  if (image.startsEarly)
    add(LaunchAttributeId::ProgrammaticStreamSerialization).value[0] = 1;
  if (image.isCooperative)
    add(LaunchAttributeId::Cooperative).value[0] = 1;
  if (image.blocksPerProgram > 1) {
    LaunchAttribute &size = add(LaunchAttributeId::ClusterDimension);
    size.value[0] = image.blocksPerProgram;
    size.value[1] = size.value[2] = 1;
    add(LaunchAttributeId::ClusterSchedulingPolicy).value[0] = kSpreadClusters;
  }
}

Kernel::~Kernel() {
  for (auto &entry : loaded) {
    std::unique_ptr<LoadedKernel> kernel(entry.load());
    // A graph that has captured the kernel may outlive it and does not keep the module loaded.
    if (!kernel || kernel->isInGraph)
      continue;
    std::lock_guard<std::mutex> lock(burying);
    dead.push_back(std::move(kernel));
  }
}

Failure Kernel::load(int ordinal, Stream stream) {
  Device *device;
  if (Failure failure = findDevice(ordinal, device))
    return failure;
  std::lock_guard<std::mutex> lock(loading);
  if (on(ordinal))
    return {};
  OutsideOfCapture outside(*device->driver);
  if (!isCapturing(*device->driver, stream))
    unloadTheDead();
  auto kernel = std::make_unique<LoadedKernel>();
  kernel->device = device;
  if (Failure failure = loadOn(*device, image, *kernel))
    return failure;
  loaded[static_cast<size_t>(ordinal)].store(kernel.release(), std::memory_order_release);
  return {};
}

//===--------------------------------------------------------------------------------------------------------------===//
// Launching
//===--------------------------------------------------------------------------------------------------------------===//

namespace {

/// Scratch memory of one launch, allocated before and freed after it in stream order.
class Scratch {
public:
  Scratch(const Device &device, Stream stream) : device(device), stream(stream) {}
  ~Scratch() {
    if (memory)
      device.driver->free(memory, stream);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// Allocates the memory and sets `address`, which stays 0 for kernels without scratch memory.
  Failure allocate(const ScratchRequest &request, const int64_t *grid, int64_t blocksPerProgram) {
    if (request.bytes == 0)
      return {};
    // Alignment of the pool's addresses.
    constexpr int64_t kAligned = 256;
    int64_t excess = request.alignment > kAligned ? request.alignment : 0;
    int64_t bytes = request.bytes;
    for (int64_t factor : {grid[0], grid[1], grid[2], blocksPerProgram})
      if (__builtin_mul_overflow(bytes, factor, &bytes))
        bytes = INT64_MAX - excess;
    Result result = device.driver->allocate(&memory, static_cast<size_t>(bytes + excess), device.pool.load(), stream);
    if (result == kOutOfMemory)
      return {Failure::ScratchMemory, nullptr, result, bytes};
    if (result != 0)
      return failed("cuMemAllocFromPoolAsync", result);
    uint64_t alignment = static_cast<uint64_t>(request.alignment);
    address = excess ? (memory + alignment - 1) / alignment * alignment : memory;
    return {};
  }

  Address address = 0;

private:
  const Device &device;
  Stream stream;
  Address memory = 0;
};

Failure checkGrid(const Device &device, const int64_t *grid, int64_t blocks) {
  int64_t sizes[] = {blocks, grid[1], grid[2]};
  for (int d = 0; d < 3; ++d)
    if (sizes[d] > device.maxGrid[d])
      return {static_cast<Failure::Kind>(Failure::GridX + d), nullptr, 0, sizes[d], device.maxGrid[d]};
  return {};
}

} // namespace

Failure Kernel::launch(LoadedKernel &kernel, const int64_t *grid, void **parameters, size_t count,
                       Stream stream) const {
  const Device &device = *kernel.device;
  int64_t blocks = grid[0] * image.blocksPerProgram;
  if (Failure failure = checkGrid(device, grid, blocks))
    return failure;
  CurrentContext current(device);
  if (Failure failure = current.failure())
    return failure;
  if (!kernel.isInGraph.load(std::memory_order_relaxed) && isCapturing(*device.driver, stream))
    kernel.isInGraph = true;

  Scratch global(device, stream), profile(device, stream);
  if (Failure failure = global.allocate(image.globalScratch, grid, image.blocksPerProgram))
    return failure;
  if (Failure failure = profile.allocate(image.profileScratch, grid, image.blocksPerProgram))
    return failure;
  parameters[count] = &global.address;
  parameters[count + 1] = &profile.address;

  LaunchConfig config = {
      {static_cast<uint32_t>(blocks), static_cast<uint32_t>(grid[1]), static_cast<uint32_t>(grid[2])},
      {image.threads, 1, 1},
      image.sharedBytes,
      stream,
      const_cast<LaunchAttribute *>(attributes),
      attributeCount};
  Result result = device.driver->launch(&config, kernel.function, parameters, nullptr);
  return result == 0 ? Failure{} : failed("cuLaunchKernelEx", result);
}
