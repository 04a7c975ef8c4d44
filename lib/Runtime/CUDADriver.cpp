//===- CUDADriver.cpp - Access to CUDA's driver -------------------------------------------------------------------===//

#include "blockdsl/Runtime/CUDADriver.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <string>

using namespace blockdsl::runtime::cuda;

namespace {

struct Search {
  void *library;
  const char *missing = nullptr;

  template <typename Pointer> void find(const char *name, Pointer &function) {
    function = reinterpret_cast<Pointer>(dlsym(library, name));
    if (!function && !missing)
      missing = name;
  }
};

/// Resolves the functions of libcuda. A suffix of a name selects a signature. Returns the first missing name, or null.
const char *findAll(void *library, Driver &driver) {
  Search search{library};
  search.find("cuInit", driver.init);
  search.find("cuGetErrorString", driver.getErrorString);
  search.find("cuDeviceGetCount", driver.deviceCount);
  search.find("cuDeviceGetAttribute", driver.deviceAttribute);
  search.find("cuDevicePrimaryCtxRetain", driver.retainPrimaryContext);
  search.find("cuCtxGetCurrent", driver.currentContext);
  search.find("cuCtxPushCurrent_v2", driver.pushContext);
  search.find("cuCtxPopCurrent_v2", driver.popContext);
  search.find("cuThreadExchangeStreamCaptureMode", driver.exchangeCaptureMode);
  search.find("cuStreamIsCapturing", driver.isCapturing);
  search.find("cuModuleLoadData", driver.loadModule);
  search.find("cuModuleUnload", driver.unloadModule);
  search.find("cuModuleGetFunction", driver.getFunction);
  search.find("cuFuncGetAttribute", driver.functionAttribute);
  search.find("cuFuncSetAttribute", driver.setFunctionAttribute);
  search.find("cuFuncSetCacheConfig", driver.setCacheConfig);
  search.find("cuLaunchKernelEx", driver.launch);
  search.find("cuPointerGetAttribute", driver.pointerAttribute);
  search.find("cuMemPoolCreate", driver.createPool);
  search.find("cuMemPoolDestroy", driver.destroyPool);
  search.find("cuMemPoolSetAttribute", driver.setPoolAttribute);
  search.find("cuMemAllocFromPoolAsync", driver.allocate);
  search.find("cuMemFreeAsync", driver.free);
  driver.encodeTiled = reinterpret_cast<decltype(driver.encodeTiled)>(dlsym(library, "cuTensorMapEncodeTiled"));
  return search.missing;
}

struct Found {
  Driver driver = {};
  std::string why;
  Result result = 0;

  Found() {
    // With local symbols, because other users load the driver themselves.
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *error = dlerror();
      why = error ? error : "libcuda.so.1 was not found";
      return;
    }
    if (const char *missing = findAll(library, driver)) {
      why = std::string("libcuda.so.1 is too old, it has no ") + missing;
      return;
    }
    result = driver.init(0);
    if (result == 0)
      return;
    const char *text = nullptr;
    driver.getErrorString(result, &text);
    why = std::string("cuInit says '") + (text ? text : "unknown error") + "'";
  }
};

const Found &found() {
  static const Found once;
  return once;
}

} // namespace

const Driver *blockdsl::runtime::cuda::driver(NoDriver *why) {
  const Found &it = found();
  if (it.why.empty())
    return &it.driver;
  if (why)
    *why = {it.why.c_str(), it.result};
  return nullptr;
}

const char *blockdsl::runtime::cuda::errorText(Result result) {
  const char *text = nullptr;
  if (const Driver *here = driver())
    here->getErrorString(result, &text);
  return text ? text : "unknown error";
}

bool blockdsl::runtime::cuda::isOfEarlierKernel(Result result) {
  // Illegal address, timeout, failed assertion, stack, instruction, alignment, address space, program counter, others.
  constexpr Result kKnown[] = {700, 702, 710, 714, 715, 716, 717, 718, 719};
  return std::find(std::begin(kKnown), std::end(kKnown), result) != std::end(kKnown);
}

bool blockdsl::runtime::cuda::isTooLarge(Result result) {
  // Too many resources per block, too many concurrent blocks, too large a cluster.
  return result == 701 || result == 720 || result == 912;
}
