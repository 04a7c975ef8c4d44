//===- stub_libcuda.cpp - A CUDA driver without a GPU -------------------------------------------------------------===//
//
// Exports what the launch path looks for in libcuda.so.1. It keeps the books a driver keeps (contexts, modules,
// captures, allocations), refuses what a driver refuses, fails where a test tells it to, and records every call as a
// line of JSON. Functions whose names start with `stub_` are for the tests.
//
// An image is a cubin, or text: "<kernel> <static shared bytes> <most threads> <size of each parameter>...".
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "cubin.h"

#include "blockdsl/Runtime/CUDADriver.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace blockdsl::runtime::cuda;

#define STUB extern "C" __attribute__((visibility("default")))

namespace {

constexpr Result kNotInitialized = 3, kNoDevice = 100, kInvalidImage = 200, kInvalidContext = 201, kInvalidHandle = 400,
                 kNotFound = 500, kCaptureUnsupported = 900;
constexpr uint64_t kFirstContext = 0x1000;

struct LoadedModule {
  Context context;
  std::string kernel;
  int staticShared, mostThreads;
  std::vector<int> parameters;
};

struct Fault {
  Result result;
  /// Calls that still go well, and then calls that fail.
  int before, times;
};

struct Books {
  std::mutex mutex;
  bool isInitialized = false, isQuiet = false, isFatal = false;
  int devices = 2;
  std::map<uint64_t, LoadedModule> modules;
  uint64_t nextHandle = 0x10000;
  std::map<uint64_t, size_t> allocations;
  std::set<Stream> capturing;
  std::set<uint64_t> pinned;
  std::set<MemoryPool> pools;
  std::map<std::string, Fault> faults;
  std::string log, taken, image;
} books;

std::atomic<bool> holds{false}, isHeld{false};
thread_local std::vector<Context> contexts;
thread_local CaptureMode captureMode = CaptureMode::Global;
std::atomic<int> threads{0};
thread_local const int thread = threads++;

using Lock = std::lock_guard<std::mutex>;

void record(const char *format, ...) {
  if (books.isQuiet)
    return;
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  books.log += std::string("{\"thread\": ") + std::to_string(thread) + ", " + line + "}\n";
}

/// The fault a test has planned for this call, or 0.
Result fault(const char *call) {
  if (books.isFatal) {
    std::fprintf(stderr, "%s was called\n", call);
    std::abort();
  }
  if (books.faults.empty())
    return 0;
  auto found = books.faults.find(call);
  if (found == books.faults.end())
    return 0;
  Fault &planned = found->second;
  if (planned.before-- > 0)
    return 0;
  Result result = planned.result;
  if (--planned.times == 0)
    books.faults.erase(found);
  return result;
}

#define BEGIN(call)                                                                                                    \
  Lock lock(books.mutex);                                                                                              \
  if (Result planned = fault(call))                                                                                    \
    return planned;                                                                                                    \
  if (!books.isInitialized)                                                                                            \
  return kNotInitialized

/// What a driver refuses while any stream of any thread is captured, unless the thread has said it knows better.
bool breaksCapture() { return !books.capturing.empty() && captureMode != CaptureMode::Relaxed; }

template <typename Handle> uint64_t number(Handle handle) { return reinterpret_cast<uint64_t>(handle); }
template <typename Handle> Handle handle(uint64_t number) { return reinterpret_cast<Handle>(number); }
Context current() { return contexts.empty() ? nullptr : contexts.back(); }

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

//===--------------------------------------------------------------------------------------------------------------===//
// For tests
//===--------------------------------------------------------------------------------------------------------------===//

STUB void stub_devices(int count) { books.devices = count; }
STUB void stub_quiet(int isQuiet) { books.isQuiet = isQuiet; }
STUB void stub_fatal() { books.isFatal = true; }
STUB void stub_pin(uint64_t address) { books.pinned.insert(address); }
STUB void stub_hold(int on) { holds = on; }
STUB int stub_held() { return isHeld; }
STUB int stub_modules() { return static_cast<int>(books.modules.size()); }
STUB int stub_pools() { return static_cast<int>(books.pools.size()); }
STUB int stub_allocations() { return static_cast<int>(books.allocations.size()); }
STUB uint64_t stub_current() { return number(current()); }
STUB int stub_capture_mode() { return static_cast<int>(captureMode); }

STUB void stub_enter(int device) { contexts.push_back(handle<Context>(kFirstContext + static_cast<uint64_t>(device))); }
STUB void stub_leave() { contexts.pop_back(); }

STUB void stub_capture(uint64_t stream, int isCapturing) {
  Lock lock(books.mutex);
  if (isCapturing)
    books.capturing.insert(handle<Stream>(stream));
  else
    books.capturing.erase(handle<Stream>(stream));
}

STUB void stub_fail(const char *call, Result result, int before, int times) {
  Lock lock(books.mutex);
  books.faults[call] = {result, before, times};
}

STUB void stub_forget_faults() {
  Lock lock(books.mutex);
  books.faults.clear();
}

/// The cubin that was loaded last.
STUB const char *stub_image(size_t *size) {
  *size = books.image.size();
  return books.image.data();
}

/// The calls since the last time, a line each.
STUB const char *stub_take() {
  Lock lock(books.mutex);
  books.taken.swap(books.log);
  books.log.clear();
  return books.taken.c_str();
}

//===--------------------------------------------------------------------------------------------------------------===//
// The driver
//===--------------------------------------------------------------------------------------------------------------===//

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
  *value = which == FunctionAttribute::StaticSharedBytes ? module.staticShared : module.mostThreads;
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
