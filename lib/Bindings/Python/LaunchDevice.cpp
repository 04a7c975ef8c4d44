//===- LaunchDevice.cpp - Where a call runs -----------------------------------------------------------------------===//
//
// A call runs where its tensors lie: on a GPU if any lies in the memory of one, else on the CPU. A GPU takes memory of
// the host that it can reach; a CPU takes nothing of a GPU's.
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

/// Finds the device, and refuses tensors that it cannot reach.
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

/// Refuses a tensor that the device does not reach; `first` is one that lies there. The address of one in the host's
/// memory becomes the device's for it. Only the driver knows that one: torch does not tell pinned memory from other
/// memory of the host.
bool LaunchRequest::reach(uint16_t tensor, uint16_t first) {
  Argument &argument = arguments[tensor];
  if (argument.memory == Memory::Device)
    return argument.device == device || refuseDevices(tensor, first);
  if (argument.memory == Memory::Managed || argument.value == 0)
    return true;
  // Who overlaps whom is asked on the CPU only.
  argument.begin = argument.end = 0;
  bool isReached = false;
  if (auto failure = cuda::mapHostMemory(device, argument.value, argument.value, isReached))
    return refuseFailure(failure);
  return isReached || refuseDevices(tensor, first);
}

bool LaunchRequest::refuseDevices(uint16_t tensor, uint16_t other) {
  char places[2][32];
  uint16_t both[] = {tensor, other};
  for (int i = 0; i < 2; ++i) {
    const Argument &argument = arguments[both[i]];
    if (argument.memory < Memory::Managed)
      std::snprintf(places[i], sizeof(places[i]), "cpu");
    else
      std::snprintf(places[i], sizeof(places[i]), "cuda:%d", argument.device);
  }
  PyObject *details = Py_BuildValue("(sNs)", places[0], argumentName(other), places[1]);
  if (details)
    refuseArgument("devices", tensor, details);
  Py_XDECREF(details);
  return false;
}

/// What a caller gives as the stream; null where nothing is given.
PyObject *LaunchRequest::givenStream() const {
  size_t last = state.parameters.size() - 1;
  bool isGiven = !state.parameters.empty() && state.parameters[last].role == Role::Stream && values[last] != Py_None;
  return isGiven ? values[last] : nullptr;
}

/// The stream to launch on: the one that is given, else of the first tensor whose library tells, else torch's.
bool LaunchRequest::currentStream(void *&stream) {
  if (PyObject *given = givenStream()) {
    stream = PyLong_Check(given) ? PyLong_AsVoidPtr(given) : nullptr;
    if (PyLong_Check(given) && !PyErr_Occurred())
      return true;
    PyErr_Clear();
    return refuse("stream", nullptr, given);
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

/// Has Python raise the error for a failure.
bool LaunchRequest::refuseFailure(const cuda::Failure &failure) {
  PyObject *described = describeFailure(failure, device);
  PyObject *reason = described ? PyUnicode_FromFormat("cuda: %U", PyTuple_GET_ITEM(described, 0)) : nullptr;
  if (reason)
    refuse(PyUnicode_AsUTF8(reason), nullptr, PyTuple_GET_ITEM(described, 1));
  Py_XDECREF(described);
  Py_XDECREF(reason);
  return false;
}
