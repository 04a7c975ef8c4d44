//===- stub_libcuda.cpp - A CUDA driver without a GPU -------------------------------------------------------------===//
//
// Exports what the launch path looks for in libcuda.so.1. It keeps the books a driver keeps (stub_books.h), refuses
// what a driver refuses, and fails where a test tells it to (stub_controls.cpp).
//
// An image is a cubin, or text: "<kernel> <static shared bytes> <most threads> <size of each parameter>...".
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "cubin.h"
#include "stub_books.h"

#include <cstring>
#include <sstream>

using namespace stub;

namespace {

std::string hex(const void *bytes, int size) {
  std::string text;
  char two[3];
  for (int i = 0; i < size; ++i) {
    std::snprintf(two, sizeof(two), "%02x", static_cast<const unsigned char *>(bytes)[i]);
    text += two;
  }
  return text;
}

std::string listed(const LaunchConfig &config) {
  std::ostringstream text;
  for (uint32_t i = 0; i < config.attributeCount; ++i) {
    const LaunchAttribute &attribute = config.attributes[i];
    text << (i ? ", " : "") << "[" << static_cast<int>(attribute.id);
    for (int v = 0; v < 3; ++v)
      text << ", " << attribute.value[v];
    text << "]";
  }
  return text.str();
}

} // namespace

STUB Result cuInit(unsigned) {
  Lock lock(books.mutex);
  if (Result planned = fault("cuInit"))
    return planned;
  books.isInitialized = true;
  return books.devices == 0 ? kNoDevice : 0;
}

STUB Result cuGetErrorString(Result result, const char **text) {
  static const std::map<Result, const char *> texts = {
      {2, "out of memory"},
      {100, "no CUDA-capable device is detected"},
      {200, "device kernel image is invalid"},
      {400, "invalid resource handle"},
      {500, "named symbol not found"},
      {700, "an illegal memory access was encountered"},
      {900, "operation not permitted when stream is capturing"},
  };
  auto found = texts.find(result);
  *text = found == texts.end() ? nullptr : found->second;
  return found == texts.end() ? kInvalidValue : 0;
}

STUB Result cuDeviceGetCount(int *count) {
  BEGIN("cuDeviceGetCount");
  *count = books.devices;
  return 0;
}

STUB Result cuDeviceGetAttribute(int *value, DeviceAttribute which, int device) {
  BEGIN("cuDeviceGetAttribute");
  if (device < 0 || device >= books.devices)
    return kInvalidDevice;
  static const std::map<DeviceAttribute, int> values = {
      {DeviceAttribute::MaxGridX, 2147483647},      {DeviceAttribute::MaxGridY, 65535},
      {DeviceAttribute::MaxGridZ, 65535},           {DeviceAttribute::ComputeCapabilityMajor, 9},
      {DeviceAttribute::ComputeCapabilityMinor, 0}, {DeviceAttribute::MaxSharedMemoryOptIn, 232448},
  };
  auto found = values.find(which);
  if (found == values.end())
    return kInvalidValue;
  *value = found->second;
  return 0;
}

STUB Result cuDevicePrimaryCtxRetain(Context *context, int device) {
  BEGIN("cuDevicePrimaryCtxRetain");
  record("\"call\": \"cuDevicePrimaryCtxRetain\", \"device\": %d", device);
  if (breaksCapture())
    return kCaptureUnsupported;
  *context = handle<Context>(kFirstContext + static_cast<uint64_t>(device));
  return 0;
}

STUB Result cuCtxGetCurrent(Context *context) {
  BEGIN("cuCtxGetCurrent");
  *context = current();
  return 0;
}

STUB Result cuCtxPushCurrent_v2(Context context) {
  BEGIN("cuCtxPushCurrent");
  record("\"call\": \"cuCtxPushCurrent\", \"context\": %lu", number(context));
  contexts.push_back(context);
  return 0;
}

STUB Result cuCtxPopCurrent_v2(Context *context) {
  BEGIN("cuCtxPopCurrent");
  record("\"call\": \"cuCtxPopCurrent\"");
  if (contexts.empty())
    return kInvalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}

STUB Result cuThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  std::swap(*mode, captureMode);
  return 0;
}

STUB Result cuStreamIsCapturing(Stream stream, CaptureStatus *status) {
  BEGIN("cuStreamIsCapturing");
  *status = books.capturing.count(stream) ? CaptureStatus::Active : CaptureStatus::None;
  return 0;
}

static bool describe(const char *image, LoadedModule &loaded) {
  Cubin cubin;
  if (readCubin(image, cubin)) {
    books.image.assign(image, cubin.size);
    loaded = {loaded.context, cubin.kernel, 0, cubin.threads, cubin.parameters};
    return true;
  }
  std::istringstream text(image);
  if (!(text >> loaded.kernel >> loaded.staticShared >> loaded.mostThreads))
    return false;
  for (int size; text >> size;)
    loaded.parameters.push_back(size);
  return true;
}

STUB Result cuModuleLoadData(Module *module, const void *image) {
  BEGIN("cuModuleLoadData");
  record("\"call\": \"cuModuleLoadData\", \"context\": %lu", number(current()));
  if (breaksCapture())
    return kCaptureUnsupported;
  if (!current())
    return kInvalidContext;
  LoadedModule loaded = {current(), "", 0, 0, {}};
  if (!describe(static_cast<const char *>(image), loaded))
    return kInvalidImage;
  *module = handle<Module>(books.nextHandle);
  books.modules[books.nextHandle++] = loaded;
  return 0;
}

STUB Result cuModuleUnload(Module module) {
  BEGIN("cuModuleUnload");
  record("\"call\": \"cuModuleUnload\", \"context\": %lu", number(current()));
  if (breaksCapture())
    return kCaptureUnsupported;
  auto found = books.modules.find(number(module));
  if (found == books.modules.end() || found->second.context != current())
    return kInvalidHandle;
  books.modules.erase(found);
  return 0;
}

STUB Result cuModuleGetFunction(Function *function, Module module, const char *name) {
  BEGIN("cuModuleGetFunction");
  auto found = books.modules.find(number(module));
  if (found == books.modules.end())
    return kInvalidHandle;
  // A module has one function here, and that is told by the module's handle.
  *function = handle<Function>(number(module));
  return found->second.kernel == name ? 0 : kNotFound;
}

STUB Result cuFuncGetAttribute(int *value, FunctionAttribute which, Function function) {
  BEGIN("cuFuncGetAttribute");
  const LoadedModule &module = books.modules.at(number(function));
  const std::map<FunctionAttribute, int> values = {
      {FunctionAttribute::StaticSharedBytes, module.staticShared},
      {FunctionAttribute::MaxThreadsPerBlock, module.mostThreads},
      // As many registers as leave room for so many threads, and two words beside them.
      {FunctionAttribute::Registers, module.mostThreads ? 65536 / module.mostThreads : 0},
      {FunctionAttribute::LocalBytes, 8},
  };
  *value = values.at(which);
  return 0;
}

STUB Result cuFuncSetAttribute(Function, FunctionAttribute which, int value) {
  BEGIN("cuFuncSetAttribute");
  record("\"call\": \"cuFuncSetAttribute\", \"attribute\": %d, \"value\": %d", static_cast<int>(which), value);
  return 0;
}

STUB Result cuFuncSetCacheConfig(Function, CacheConfig config) {
  BEGIN("cuFuncSetCacheConfig");
  record("\"call\": \"cuFuncSetCacheConfig\", \"value\": %d", static_cast<int>(config));
  return 0;
}

STUB Result cuLaunchKernelEx(const LaunchConfig *config, Function function, void **parameters, void **) {
  if (books.isQuiet)
    return 0;
  while (holds)
    isHeld = true;
  isHeld = false;
  BEGIN("cuLaunchKernelEx");
  auto found = books.modules.find(number(function));
  if (found == books.modules.end() || found->second.context != current())
    return kInvalidHandle;
  std::string packed;
  for (size_t i = 0; i < found->second.parameters.size(); ++i)
    packed += (i ? ", \"" : "\"") + hex(parameters[i], found->second.parameters[i]) + "\"";
  record("\"call\": \"cuLaunchKernelEx\", \"kernel\": \"%s\", \"context\": %lu, \"grid\": [%u, %u, %u], "
         "\"block\": [%u, %u, %u], \"shared\": %u, \"stream\": %lu, \"attributes\": [%s], \"parameters\": [%s]",
         found->second.kernel.c_str(), number(current()), config->grid[0], config->grid[1], config->grid[2],
         config->block[0], config->block[1], config->block[2], config->sharedBytes, number(config->stream),
         listed(*config).c_str(), packed.c_str());
  return 0;
}

STUB Result cuPointerGetAttribute(void *value, PointerAttribute, Address address) {
  BEGIN("cuPointerGetAttribute");
  if (!current())
    return kInvalidContext;
  if (!books.pinned.count(address))
    return kInvalidValue;
  std::memcpy(value, &address, sizeof(address));
  return 0;
}

STUB Result cuTensorMapEncodeTiled(TensorMap *map, int type, uint32_t rank, void *base, const uint64_t *sizes,
                                   const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                   Interleave interleave, int swizzle, L2Promotion promotion, OutOfBounds fill) {
  BEGIN("cuTensorMapEncodeTiled");
  std::string dimensions;
  for (uint32_t d = 0; d < rank; ++d)
    dimensions += std::string(d ? ", [" : "[") + std::to_string(sizes[d]) + ", " +
                  std::to_string(d ? strides[d - 1] : 0) + ", " + std::to_string(box[d]) + ", " +
                  std::to_string(steps[d]) + "]";
  record("\"call\": \"cuTensorMapEncodeTiled\", \"context\": %lu, \"type\": %d, \"base\": %lu, \"dimensions\": [%s], "
         "\"interleave\": %d, \"swizzle\": %d, \"promotion\": %d, \"fill\": %d",
         number(current()), type, number(base), dimensions.c_str(), static_cast<int>(interleave), swizzle,
         static_cast<int>(promotion), static_cast<int>(fill));
  if (number(base) % 16 != 0 || number(map) % 64 != 0)
    return kInvalidValue;
  // The kernel's parameter shows whose map it is, and that it is whole.
  for (uint64_t &word : map->opaque)
    word = number(base) + static_cast<uint64_t>(&word - map->opaque);
  return 0;
}

STUB Result cuMemPoolCreate(MemoryPool *pool, const PoolProperties *properties) {
  BEGIN("cuMemPoolCreate");
  record("\"call\": \"cuMemPoolCreate\", \"device\": %d", properties->device);
  if (breaksCapture())
    return kCaptureUnsupported;
  *pool = handle<MemoryPool>(books.nextHandle++);
  books.pools.insert(*pool);
  return 0;
}

STUB Result cuMemPoolDestroy(MemoryPool pool) {
  BEGIN("cuMemPoolDestroy");
  return books.pools.erase(pool) ? 0 : kInvalidHandle;
}

STUB Result cuMemPoolSetAttribute(MemoryPool, PoolAttribute, void *) {
  BEGIN("cuMemPoolSetAttribute");
  return 0;
}

STUB Result cuMemAllocFromPoolAsync(Address *address, size_t bytes, MemoryPool pool, Stream stream) {
  BEGIN("cuMemAllocFromPoolAsync");
  if (!books.pools.count(pool))
    return kInvalidValue;
  *address = books.nextHandle << 16;
  books.allocations[*address] = bytes;
  books.nextHandle++;
  record("\"call\": \"cuMemAllocFromPoolAsync\", \"address\": %lu, \"bytes\": %zu, \"pool\": %lu, \"stream\": %lu",
         *address, bytes, number(pool), number(stream));
  return 0;
}

STUB Result cuMemFreeAsync(Address address, Stream stream) {
  BEGIN("cuMemFreeAsync");
  record("\"call\": \"cuMemFreeAsync\", \"address\": %lu, \"stream\": %lu", address, number(stream));
  return books.allocations.erase(address) ? 0 : kInvalidValue;
}
