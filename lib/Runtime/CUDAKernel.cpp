//===- CUDAKernel.cpp - Loads kernels for GPUs, and launches them -------------------------------------------------===//

#include "blockdsl/Runtime/CUDAKernel.h"

#include "CUDADevice.h"

#include <mutex>
#include <vector>

using namespace blockdsl::runtime::cuda;

namespace {

/// What every kernel gets of shared memory without asking.
constexpr int kSharedBytesForAll = 48 << 10;
/// The largest cluster that every GPU with clusters runs.
constexpr uint32_t kPortableCluster = 8;

std::mutex loading;

//===--------------------------------------------------------------------------------------------------------------===//
// Modules of dead kernels
//===--------------------------------------------------------------------------------------------------------------===//

// A kernel dies when Python says so: in the middle of a capture, with a destructor of torch above us, or while the
// process ends. Unloading waits for the next time that a module is loaded, which is a time to call the driver. Who
// loads no more kernels leaves no more dead ones than there were then.
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

Failure readAttribute(const Driver &driver, FunctionAttribute which, Function function, int &value) {
  Result result = driver.functionAttribute(&value, which, function);
  return result == 0 ? Failure{} : failed("cuFuncGetAttribute", result);
}

/// Asks for as much shared memory as the kernel needs, if that is more than a kernel has by itself.
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

/// Sets what is set once for a function, and checks what can be known before any launch.
Failure configure(const Device &device, const KernelImage &image, LoadedKernel &kernel) {
  const Driver &driver = *device.driver;
  Function function = kernel.function;
  const std::pair<FunctionAttribute, int *> wanted[] = {{FunctionAttribute::MaxThreadsPerBlock, &kernel.maxThreads},
                                                        {FunctionAttribute::Registers, &kernel.registers},
                                                        {FunctionAttribute::LocalBytes, &kernel.localBytes}};
  for (auto [attribute, value] : wanted)
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

Kernel::Kernel(KernelImage given) : image(std::move(given)) {
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
    // A graph that it was captured into may outlive us, and does not keep it.
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

/// Scratch memory of one launch: allocated before it and freed after it, both in the order of the stream.
class Scratch {
public:
  Scratch(const Device &device, Stream stream) : device(device), stream(stream) {}
  ~Scratch() {
    if (memory)
      device.driver->free(memory, stream);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// Sets `address`; it stays 0 for a kernel that wants none.
  Failure allocate(const ScratchRequest &request, const int64_t *grid, int64_t blocksPerProgram) {
    if (request.bytes == 0)
      return {};
    // The pool's addresses are aligned so far by themselves.
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
