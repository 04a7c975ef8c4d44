//===- LaunchTypes.cpp - How objects of a Python type are read ----------------------------------------------------===//

#include "LaunchTypes.h"

#include "TorchTensor.h"

using namespace blockdsl::python;

namespace {

/// Types are few and live long; they are kept alive, so that an address never means another type.
constexpr size_t kKnownTypes = 64;
KnownType knownTypes[kKnownTypes];

/// Whether a type derives from a class of a module, if that is loaded.
bool isFrom(PyTypeObject *type, const char *moduleName, const char *className) {
  PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), moduleName);
  PyObject *base = module ? PyObject_GetAttrString(module, className) : nullptr;
  PyErr_Clear();
  bool result = base && PyType_Check(base) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(base));
  Py_XDECREF(base);
  return result;
}

/// DLPack's table of C functions for a type, looked up on the type as the protocol wants.
const dlpack::ExchangeAPI *exchangeTable(PyTypeObject *type) {
  PyObject *capsule = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__");
  PyErr_Clear();
  const dlpack::ExchangeAPI *result = nullptr;
  if (capsule && PyCapsule_IsValid(capsule, "dlpack_exchange_api")) {
    auto *api = static_cast<dlpack::ExchangeAPI *>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
    // The table is static data of its library.
    if (api->header.version.major == 1 && api->tensorFromObject)
      result = api;
  }
  Py_XDECREF(capsule);
  return result;
}

/// Whether a type says that kernels see its objects only while they are compiled.
bool isConstant(PyTypeObject *type) {
  PyObject *mark = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "_is_compile_time");
  PyErr_Clear();
  bool result = mark == Py_True;
  Py_XDECREF(mark);
  return result;
}

bool hasAttribute(PyTypeObject *type, const char *name) {
  PyObject *attribute = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), name);
  PyErr_Clear();
  Py_XDECREF(attribute);
  return attribute != nullptr;
}

/// Whether a type is one of torch's parameters and buffers that get their shape at a module's first call.
bool isLazy(PyTypeObject *type) { return isFrom(type, "torch.nn.parameter", "UninitializedTensorMixin"); }

Way wayOf(PyTypeObject *type, bool isTorch, bool hasExchange) {
  if (PyType_IsSubtype(type, &PyTuple_Type))
    return Way::Tuple;
  if (isConstant(type))
    return Way::Constant;
  if (isFrom(type, "torch._subclasses.fake_tensor", "FakeTensor") ||
      isFrom(type, "torch._subclasses.functional_tensor", "FunctionalTensor"))
    return Way::Traced;
  if (isTorch && isLazy(type))
    return Way::Lazy;
  if (hasExchange)
    return Way::Exchange;
  // Scalars of masked arrays, too.
  if (isFrom(type, "numpy.ma", "MaskedArray"))
    return Way::Masked;
  if (isFrom(type, "numpy", "generic"))
    return Way::NumPyScalar;
  // Text is memory too, but whoever passes it means something else.
  bool isText = PyType_IsSubtype(type, &PyBytes_Type) || PyType_IsSubtype(type, &PyByteArray_Type);
  if (!isText && type->tp_as_buffer && type->tp_as_buffer->bf_getbuffer)
    return Way::Buffer;
  if (hasAttribute(type, "__dlpack__"))
    return Way::Capsule;
  if (hasAttribute(type, "data_ptr"))
    return Way::Pointer;
  if (type->tp_as_number && type->tp_as_number->nb_index)
    return Way::Index;
  return Way::Refused;
}

KnownType classify(PyTypeObject *type) {
  bool isTorch = isFrom(type, "torch", "Tensor");
  const dlpack::ExchangeAPI *exchange = exchangeTable(type);
  Way way = wayOf(type, isTorch, exchange != nullptr);
  bool isRead = way == Way::Exchange || way == Way::Capsule;
  if (isTorch && isRead)
    measureTorchLayout();
  return {type, way, isRead || way == Way::Traced ? exchange : nullptr, isTorch};
}

/// `torch._C._cuda_getCurrentRawStream`, once torch is loaded; null until then, and where torch knows no GPUs.
PyObject *torchStreamFunction() {
  static PyObject *function = nullptr;
  if (function)
    return function;
  static PyObject *const name = PyUnicode_InternFromString("torch._C");
  PyObject *module = name ? PyDict_GetItem(PyImport_GetModuleDict(), name) : nullptr;
  if (module)
    function = PyObject_GetAttrString(module, "_cuda_getCurrentRawStream");
  PyErr_Clear();
  return function;
}

} // namespace

const KnownType &blockdsl::python::knownType(PyTypeObject *type) {
  KnownType &slot = knownTypes[(reinterpret_cast<uintptr_t>(type) >> 5) % kKnownTypes];
  if (slot.type != type) {
    KnownType fresh = classify(type);
    Py_INCREF(type);
    Py_XDECREF(slot.type);
    slot = fresh;
  }
  return slot;
}

bool blockdsl::python::tellsStream(PyObject *tensor) {
  const dlpack::ExchangeAPI *exchange = knownType(Py_TYPE(tensor)).exchange;
  return exchange && exchange->currentWorkStream;
}

bool blockdsl::python::currentStream(PyObject *tensor, int device, void *&stream) {
  if (tellsStream(tensor))
    return knownType(Py_TYPE(tensor)).exchange->currentWorkStream(dlpack::CUDA, device, &stream) == 0;
  stream = nullptr;
  PyObject *function = torchStreamFunction();
  if (!function)
    return true;
  PyObject *handle = PyObject_CallFunction(function, "i", device);
  stream = handle ? PyLong_AsVoidPtr(handle) : nullptr;
  Py_XDECREF(handle);
  return !PyErr_Occurred();
}
