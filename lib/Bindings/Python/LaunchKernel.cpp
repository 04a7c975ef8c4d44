//===- LaunchKernel.cpp - A compiled kernel, as the launcher sees it ----------------------------------------------===//

#include "LaunchKernel.h"

#include "blockdsl/Runtime/FloatConversions.h"

#include <cstring>
#include <new>

using namespace blockdsl::python;
using namespace blockdsl::runtime;

namespace {

/// One letter an encoding, in the order of the enumeration.
constexpr char kEncodingLetters[] = "nhbfd";

bool parseSlots(PyObject *sequence, std::vector<Slot> &slots) {
  PyObject *items = PySequence_Fast(sequence, "slots is a sequence of (parameter, encoding)");
  if (!items)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
    unsigned short parameter;
    int letter;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items, i), "HC", &parameter, &letter))
      break;
    const char *found = std::strchr(kEncodingLetters, letter);
    if (letter == 0 || !found) {
      PyErr_SetString(PyExc_ValueError, "an encoding is one of n, h, b, f, d");
      break;
    }
    slots.push_back({parameter, static_cast<Encoding>(found - kEncodingLetters)});
  }
  Py_DECREF(items);
  return !PyErr_Occurred();
}

bool parseWritten(PyObject *sequence, std::vector<uint16_t> &written) {
  PyObject *items = PySequence_Fast(sequence, "written is a sequence of parameters");
  if (!items)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items) && !PyErr_Occurred(); ++i)
    written.push_back(static_cast<uint16_t>(PyLong_AsLong(PySequence_Fast_GET_ITEM(items, i))));
  Py_DECREF(items);
  return !PyErr_Occurred();
}

/// Loads an object file; or takes the address of code that somebody else keeps loaded.
bool findFunction(PyObject *code, const char *name, KernelState &state) {
  if (PyLong_Check(code)) {
    state.function = reinterpret_cast<KernelFunction>(PyLong_AsVoidPtr(code));
    if (!state.function && !PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "there is no code at address 0");
    return state.function != nullptr;
  }
  char *bytes;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(code, &bytes, &size) < 0)
    return false;
  std::string error;
  state.code = ObjectCode::load(std::string_view(bytes, static_cast<size_t>(size)), error);
  if (!state.code) {
    PyErr_SetString(PyExc_ValueError, error.c_str());
    return false;
  }
  state.function = reinterpret_cast<KernelFunction>(state.code->lookup(name));
  if (!state.function)
    PyErr_Format(PyExc_ValueError, "the object defines no function '%s'", name);
  return state.function != nullptr;
}

int initKernel(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"code", "name", "slots", "written", "scratch_bytes", nullptr};
  const char *name;
  Py_ssize_t scratchBytes;
  PyObject *code, *slots, *written;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OsOOn:Kernel", const_cast<char **>(names), &code, &name, &slots,
                                   &written, &scratchBytes))
    return -1;
  auto state = std::make_unique<KernelState>();
  if (scratchBytes < 0 || !parseSlots(slots, state->slots) || !parseWritten(written, state->written)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "scratch_bytes is negative");
    return -1;
  }
  state->scratchBytes = static_cast<size_t>(scratchBytes);
  if (!findFunction(code, name, *state))
    return -1;
  auto *kernel = reinterpret_cast<KernelObject *>(self);
  if (kernel->state) {
    // Another thread may be running the code that would go away.
    PyErr_SetString(PyExc_RuntimeError, "a Kernel is initialised once");
    return -1;
  }
  kernel->state = state.release();
  return 0;
}

void deallocateKernel(PyObject *self) {
  delete reinterpret_cast<KernelObject *>(self)->state;
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot kernelSlots[] = {
    {Py_tp_doc, const_cast<char *>("Kernel(code, name, slots, written, scratch_bytes): compiled code, loaded.")},
    {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void *>(initKernel)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateKernel)},
    {0, nullptr},
};

PyType_Spec kernelSpec = {"blockdsl._runtime.Kernel", sizeof(KernelObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          kernelSlots};

template <typename Value> uint64_t bitsOf(Value value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

} // namespace

PyTypeObject *blockdsl::python::kernelType() {
  static PyObject *type = PyType_FromSpec(&kernelSpec);
  return reinterpret_cast<PyTypeObject *>(type);
}

uint64_t blockdsl::python::encode(Encoding encoding, const Argument &argument) {
  if (encoding == Encoding::Bits)
    return argument.value;
  // A parameter annotated as a float takes integers too.
  double value;
  uint32_t kind = argument.fact & fact::kKindMask;
  if (kind == fact::Float)
    std::memcpy(&value, &argument.value, sizeof(value));
  else
    value = kind == fact::UInt64 ? static_cast<double>(argument.value)
                                 : static_cast<double>(static_cast<int64_t>(argument.value));
  switch (encoding) {
  case Encoding::Float16:
    return doubleToHalfBits(value);
  case Encoding::BFloat16:
    return doubleToBFloatBits(value);
  case Encoding::Float32:
    return bitsOf(static_cast<float>(value));
  default:
    return bitsOf(value);
  }
}
