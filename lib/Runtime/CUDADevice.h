//===- CUDADevice.h - Context and properties of each GPU ----------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_CUDADEVICE_H
#define BLOCKDSL_LIB_RUNTIME_CUDADEVICE_H

#include "blockdsl/Runtime/CUDAKernel.h"

namespace blockdsl::runtime::cuda {

struct Device {
  const Driver *driver;
  int ordinal;
  /// The primary context, which torch and other users of CUDA's runtime share. Retained until the process ends, because
  /// releasing it could destroy it for them.
  Context context;
  int64_t maxGrid[3];
  int maxSharedBytes;
  std::atomic<MemoryPool> pool{nullptr};
};

/// Finds a device. The first call initializes it, which is slow.
Failure findDevice(int ordinal, Device *&device);

/// Creates the pool for scratch memory of a device if it has none.
Failure preparePool(Device &device);

/// Converts a failed driver call to a Failure.
inline Failure failed(const char *call, Result result) { return {Failure::Driver, call, result}; }

/// Makes a device's context current in a scope. Usually it is current already.
class CurrentContext {
public:
  explicit CurrentContext(const Device &device) : driver(*device.driver) {
    Context current = nullptr;
    call = "cuCtxGetCurrent";
    result = driver.currentContext(&current);
    if (result != 0 || current == device.context)
      return;
    call = "cuCtxPushCurrent";
    result = driver.pushContext(device.context);
    isPushed = result == 0;
  }
  ~CurrentContext() {
    Context ours;
    if (isPushed)
      driver.popContext(&ours);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  Failure failure() const { return result == 0 ? Failure{} : failed(call, result); }

private:
  const Driver &driver;
  const char *call;
  Result result;
  bool isPushed = false;
};

/// Allows driver calls on this thread in a scope that would invalidate a capture of a graph. They are not captured.
class OutsideOfCapture {
public:
  explicit OutsideOfCapture(const Driver &driver) : driver(driver) { driver.exchangeCaptureMode(&mode); }
  ~OutsideOfCapture() { driver.exchangeCaptureMode(&mode); }
  OutsideOfCapture(const OutsideOfCapture &) = delete;
  OutsideOfCapture &operator=(const OutsideOfCapture &) = delete;

private:
  const Driver &driver;
  CaptureMode mode = CaptureMode::Relaxed;
};

/// Returns true if a stream is being captured. The legacy stream never is, and querying it would invalidate captures.
inline bool isCapturing(const Driver &driver, Stream stream) {
  CaptureStatus status = CaptureStatus::None;
  return stream && driver.isCapturing(stream, &status) == 0 && status != CaptureStatus::None;
}

} // namespace blockdsl::runtime::cuda

#endif // BLOCKDSL_LIB_RUNTIME_CUDADEVICE_H
