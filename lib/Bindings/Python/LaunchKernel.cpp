//===- LaunchKernel.cpp - Common part of compiled kernels ---------------------------------------------------------===//

#include "LaunchDescriptor.h"
#include "Launcher.h"

#include "blockdsl/Runtime/FloatConversions.h"

#include <cstring>

using namespace blockdsl::python;

namespace {

/// Letters of the encodings, in the order of the enumeration.
constexpr char kEncodingLetters[] = "nhbfdesmpt";

void deallocateKernel(PyObject *self) {
  delete reinterpret_cast<KernelObject *>(self)->state;
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot kernelSlots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel for some device.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateKernel)},
    {0, nullptr},
};

PyType_Spec kernelSpec = {"blockdsl._runtime.AnyKernel", sizeof(KernelObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, kernelSlots};

bool parseEncoding(const char *text, Slot &slot) {
  const char *found = *text ? std::strchr(kEncodingLetters, *text) : nullptr;
  if (!found)
    return false;
  slot.encoding = static_cast<Encoding>(found - kEncodingLetters);
  if (slot.encoding != Encoding::Extent && slot.encoding != Encoding::Stride)
    return text[1] == 0;
  slot.dimension = static_cast<uint8_t>(text[1] - '0');
  return slot.dimension < Descriptor::kMaxRank && text[2] == 0;
}

template <typename Value> uint64_t bitsOf(Value value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

} // namespace

PyTypeObject *blockdsl::python::anyKernelType() {
  static PyObject *type = PyType_FromSpec(&kernelSpec);
  return reinterpret_cast<PyTypeObject *>(type);
}

bool blockdsl::python::parseSlots(PyObject *sequence, std::vector<Slot> &slots) {
  OwnedRef owned(PySequence_Fast(sequence, "slots is a sequence of (parameter, encoding)"));
  PyObject *items = owned.get();
  if (!items)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
    unsigned short parameter;
    const char *text;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items, i), "Hs", &parameter, &text))
      break;
    Slot slot{parameter, Encoding::Bits, 0};
    if (!parseEncoding(text, slot)) {
      PyErr_SetString(PyExc_ValueError,
                      "an encoding is one of n, h, b, f, d, m, p, t, and e or s with a dimension below 5");
      break;
    }
    if (parameter >= kMaxArguments || slots.size() == kMaxParameters) {
      PyErr_Format(PyExc_ValueError, "a kernel has at most %d parameters, those from tuples included", kMaxParameters);
      break;
    }
    slots.push_back(slot);
  }
  return !PyErr_Occurred();
}

int blockdsl::python::adopt(PyObject *self, std::unique_ptr<KernelState> state) {
  auto *kernel = reinterpret_cast<KernelObject *>(self);
  if (kernel->state) {
    // Another thread may be running the code that would be freed.
    PyErr_SetString(PyExc_RuntimeError, "a kernel is initialized once");
    return -1;
  }
  kernel->state = state.release();
  return 0;
}

uint64_t blockdsl::python::encode(Slot slot, const Argument &argument) {
  switch (slot.encoding) {
  case Encoding::Bits:
    return argument.value;
  case Encoding::Extent:
    return static_cast<uint64_t>(argument.descriptor->shape[slot.dimension]);
  case Encoding::Stride:
    return static_cast<uint64_t>(argument.descriptor->strides[slot.dimension]);
  case Encoding::IsPaddedWithNaN:
    return argument.descriptor->isPaddedWithNaN;
  case Encoding::IsRounded:
    return argument.descriptor->isRounded;
  default:
    break;
  }
  // A parameter annotated as a float accepts integers too.
  double value;
  uint32_t kind = argument.attributes & attribute::kKindMask;
  if (kind == attribute::Float)
    std::memcpy(&value, &argument.value, sizeof(value));
  else
    value = kind == attribute::UInt64 ? static_cast<double>(argument.value)
                                      : static_cast<double>(static_cast<int64_t>(argument.value));
  switch (slot.encoding) {
  case Encoding::Float16:
    return runtime::doubleToHalfBits(value);
  case Encoding::BFloat16:
    return runtime::doubleToBFloatBits(value);
  case Encoding::Float32:
    return bitsOf(static_cast<float>(value));
  default:
    return bitsOf(value);
  }
}
