//===- CUDADevice.h - What is kept of each GPU --------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_CUDADEVICE_H
#define BLOCKDSL_LIB_RUNTIME_CUDADEVICE_H

#include "blockdsl/Runtime/CUDAKernel.h"

namespace blockdsl::runtime::cuda {

struct Device {
  const Driver *driver;
  int ordinal;
  /// The one that torch and everybody else who uses CUDA's runtime works in. Held until the process ends: giving it
  /// back could end it under them.
  Context context;
  int64_t maxGrid[3];
  int maxSharedBytes;
  std::atomic<MemoryPool> pool{nullptr};
};

/// A device, made ready by the first call. Takes its time.
Failure findDevice(int ordinal, Device *&device);

/// Makes sure that a device has a pool for scratch memory.
Failure preparePool(Device &device);

/// A call of the driver that failed, as a Failure.
inline Failure failed(const char *call, Result result) { return {Failure::Driver, call, result}; }

/// Makes a device's context current, and puts back what was. Mostly it is current already.
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

/// While it lives, this thread may do what would break a capture of a graph: what it does is no part of any graph.
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

/// Whether a stream is being captured. The legacy stream never is, and asking about it disturbs who does capture.
inline bool isCapturing(const Driver &driver, Stream stream) {
  CaptureStatus status = CaptureStatus::None;
  return stream && driver.isCapturing(stream, &status) == 0 && status != CaptureStatus::None;
}

} // namespace blockdsl::runtime::cuda

#endif // BLOCKDSL_LIB_RUNTIME_CUDADEVICE_H
