//===- CUDADevice.cpp - Context and properties of each GPU --------------------------------------------------------===//

#include "CUDADevice.h"

#include <mutex>

using namespace blockdsl::runtime::cuda;

namespace {

std::mutex preparing;
std::atomic<Device *> devices[kMaxDevices];

Failure attribute(const Driver &driver, DeviceAttribute kind, int ordinal, int &value) {
  Result result = driver.deviceAttribute(&value, kind, ordinal);
  return result == 0 ? Failure{} : failed("cuDeviceGetAttribute", result);
}

Failure readLimits(Device &device) {
  constexpr DeviceAttribute kGrid[] = {DeviceAttribute::MaxGridX, DeviceAttribute::MaxGridY, DeviceAttribute::MaxGridZ};
  for (int d = 0; d < 3; ++d) {
    int size = 0;
    if (Failure failure = attribute(*device.driver, kGrid[d], device.ordinal, size))
      return failure;
    device.maxGrid[d] = size;
  }
  return attribute(*device.driver, DeviceAttribute::MaxSharedMemoryOptIn, device.ordinal, device.maxSharedBytes);
}

} // namespace

Failure blockdsl::runtime::cuda::findDevice(int ordinal, Device *&device) {
  NoDriver none;
  const Driver *here = driver(&none);
  if (!here)
    return {Failure::NoDriver, none.why, none.result};
  if (ordinal < 0 || ordinal >= kMaxDevices)
    return failed("cuDeviceGet", kInvalidDevice);
  std::atomic<Device *> &entry = devices[ordinal];
  device = entry.load(std::memory_order_acquire);
  if (device)
    return {};
  std::lock_guard<std::mutex> lock(preparing);
  device = entry.load(std::memory_order_acquire);
  if (device)
    return {};
  auto fresh = std::make_unique<Device>();
  fresh->driver = here;
  fresh->ordinal = ordinal;
  if (Failure failure = readLimits(*fresh))
    return failure;
  OutsideOfCapture outside(*here);
  if (Result result = here->retainPrimaryContext(&fresh->context, ordinal))
    return failed("cuDevicePrimaryCtxRetain", result);
  device = fresh.release();
  entry.store(device, std::memory_order_release);
  return {};
}

Failure blockdsl::runtime::cuda::preparePool(Device &device) {
  std::lock_guard<std::mutex> lock(preparing);
  if (device.pool.load())
    return {};
  // A separate pool: the device's default pool releases memory to the system at every synchronization, and changing
  // that would affect other users of it.
  PoolProperties properties;
  properties.device = device.ordinal;
  MemoryPool pool;
  if (Result result = device.driver->createPool(&pool, &properties))
    return failed("cuMemPoolCreate", result);
  uint64_t keep = UINT64_MAX;
  if (Result result = device.driver->setPoolAttribute(pool, PoolAttribute::ReleaseThreshold, &keep)) {
    device.driver->destroyPool(pool);
    return failed("cuMemPoolSetAttribute", result);
  }
  device.pool.store(pool);
  return {};
}

int blockdsl::runtime::cuda::deviceCount() {
  const Driver *here = driver();
  int count = 0;
  return here && here->deviceCount(&count) == 0 ? count : 0;
}

Failure blockdsl::runtime::cuda::computeCapability(int device, int &capability) {
  NoDriver none;
  const Driver *here = driver(&none);
  if (!here)
    return {Failure::NoDriver, none.why, none.result};
  int major = 0, minor = 0;
  if (Failure failure = attribute(*here, DeviceAttribute::ComputeCapabilityMajor, device, major))
    return failure;
  Failure failure = attribute(*here, DeviceAttribute::ComputeCapabilityMinor, device, minor);
  capability = 10 * major + minor;
  return failure;
}

Failure blockdsl::runtime::cuda::mapHostMemory(int ordinal, uint64_t hostAddress, uint64_t &deviceAddress,
                                               bool &isReached) {
  Device *device;
  if (Failure failure = findDevice(ordinal, device))
    return failure;
  CurrentContext current(*device);
  if (Failure failure = current.failure())
    return failure;
  Result result = device->driver->pointerAttribute(&deviceAddress, PointerAttribute::DevicePointer, hostAddress);
  isReached = result == 0;
  // The driver returns this for memory that is not registered with it.
  return result == 0 || result == kInvalidValue ? Failure{} : failed("cuPointerGetAttribute", result);
}
