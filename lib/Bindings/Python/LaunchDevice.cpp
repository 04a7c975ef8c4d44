//===- LaunchDevice.cpp - Device and stream of a launch -----------------------------------------------------------===//
//
// A launch runs on the GPU whose memory has one of its tensors, else on the CPU. On a GPU it may also have tensors in
// host memory that the GPU can access; on a CPU it may not have tensors in GPU memory.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchDescriptor.h"
#include "LaunchRequest.h"

#include "blockdsl/Runtime/CUDAKernel.h"

#include <cstdio>

using namespace blockdsl::python;
using namespace blockdsl::runtime;

namespace {

const char *nameOf(const cuda::Failure &failure) {
  switch (failure.kind) {
  case cuda::Failure::NoDriver:
    return "no driver";
  case cuda::Failure::SharedMemory:
    return "shared memory";
  case cuda::Failure::Threads:
    return "threads";
  case cuda::Failure::GridX:
    return "grid 0";
  case cuda::Failure::GridY:
    return "grid 1";
  case cuda::Failure::GridZ:
    return "grid 2";
  case cuda::Failure::ScratchMemory:
    return "scratch memory";
  case cuda::Failure::TensorMap:
    return "tensor map";
  default:
    return cuda::isOfEarlierKernel(failure.result) ? "earlier kernel"
           : cuda::isTooLarge(failure.result)      ? "too large"
                                                   : "driver";
  }
}

} // namespace

/// Chooses the device and refuses tensors that it cannot access.
bool LaunchRequest::chooseDevice() {
  uint16_t first = 0;
  auto best = Memory::Pinned;
  for (size_t i = 0; i < tensorCount; ++i) {
    const Argument &argument = arguments[tensors[i]];
    if (argument.memory > best) {
      best = argument.memory;
      first = tensors[i];
      device = argument.device;
    }
  }
  if (device == kCPU)
    return true;
  for (size_t i = 0; i < tensorCount; ++i)
    if (!reach(tensors[i], first))
      return false;
  return true;
}

/// Refuses a tensor that the device cannot access; `first` is a tensor on the device. Replaces an address in host
/// memory by the device's address for it, which only the driver knows: torch does not distinguish pinned from other
/// host memory.
bool LaunchRequest::reach(uint16_t tensor, uint16_t first) {
  Argument &argument = arguments[tensor];
  if (argument.memory == Memory::Device)
    return argument.device == device || refuseDevices(tensor, first);
  if (argument.memory == Memory::Managed || argument.value == 0)
    return true;
  // Overlaps are computed on the CPU only.
  argument.begin = argument.end = 0;
  bool isReached = false;
  if (auto failure = cuda::mapHostMemory(device, argument.value, argument.value, isReached))
    return refuseFailure(failure);
  return isReached || refuseDevices(tensor, first);
}

bool LaunchRequest::refuseDevices(uint16_t tensor, uint16_t other) {
  char devices[2][32];
  uint16_t both[] = {tensor, other};
  for (int i = 0; i < 2; ++i) {
    const Argument &argument = arguments[both[i]];
    if (argument.memory < Memory::Managed)
      std::snprintf(devices[i], sizeof(devices[i]), "cpu");
    else
      std::snprintf(devices[i], sizeof(devices[i]), "cuda:%d", argument.device);
  }
  PyObject *details = Py_BuildValue("(sNs)", devices[0], argumentName(other), devices[1]);
  if (details)
    refuseArgument("devices", tensor, details);
  Py_XDECREF(details);
  return false;
}

/// Returns the stream that the caller passes, or null.
PyObject *LaunchRequest::givenStream() const {
  size_t last = state.parameters.size() - 1;
  bool isGiven = !state.parameters.empty() && state.parameters[last].role == Role::Stream && values[last] != Py_None;
  return isGiven ? values[last] : nullptr;
}

/// Gets the stream of the launch: the passed one, else that of the first tensor whose library has one, else torch's.
bool LaunchRequest::currentStream(void *&stream) {
  if (PyObject *object = givenStream()) {
    stream = PyLong_Check(object) ? PyLong_AsVoidPtr(object) : nullptr;
    if (PyLong_Check(object) && !PyErr_Occurred())
      return true;
    PyErr_Clear();
    return refuse("stream", nullptr, object);
  }
  PyObject *onDevice = nullptr;
  for (size_t i = 0; i < tensorCount; ++i) {
    if (arguments[tensors[i]].memory < Memory::Managed)
      continue;
    bool isDescriptor = (arguments[tensors[i]].attributes & attribute::kKindMask) == attribute::Descriptor;
    onDevice = isDescriptor ? arguments[tensors[i]].descriptor->base : values[tensors[i]];
    if (tellsStream(onDevice))
      break;
  }
  return python::currentStream(onDevice, device, stream);
}

PyObject *blockdsl::python::describeFailure(const cuda::Failure &failure, int device) {
  const char *text = failure.result == 0 || failure.kind == failure.NoDriver ? "" : cuda::errorText(failure.result);
  return Py_BuildValue("(s(iszLL))", nameOf(failure), device, failure.call ? failure.call : "", text,
                       static_cast<long long>(failure.wanted), static_cast<long long>(failure.allowed));
}

/// Calls the Python method that raises the error for a failure.
bool LaunchRequest::refuseFailure(const cuda::Failure &failure) {
  PyObject *described = describeFailure(failure, device);
  PyObject *reason = described ? PyUnicode_FromFormat("cuda: %U", PyTuple_GET_ITEM(described, 0)) : nullptr;
  if (reason)
    refuse(PyUnicode_AsUTF8(reason), nullptr, PyTuple_GET_ITEM(described, 1));
  Py_XDECREF(described);
  Py_XDECREF(reason);
  return false;
}
