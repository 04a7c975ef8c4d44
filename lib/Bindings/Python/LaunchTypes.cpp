//===- LaunchTypes.cpp - Conversion methods by Python type --------------------------------------------------------===//

#include "LaunchTypes.h"

#include "TorchTensor.h"

using namespace blockdsl::python;

namespace {

/// Number of cached types. They are kept alive, so that no other type gets their address.
constexpr size_t kKnownTypes = 64;
KnownType knownTypes[kKnownTypes];

/// Created when the module is loaded, so that no launch fails for lack of memory here.
PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }
PyObject *const kExchange = name("__dlpack_c_exchange_api__"), *const kCapsule = name("__dlpack__"),
                *const kIsCompileTime = name("_is_compile_time"), *const kDataPointer = name("data_ptr"),
                *const kTorchC = name("torch._C"), *const kRawStream = name("_cuda_getCurrentRawStream");

/// A class of a module, by name.
struct ClassName {
  PyObject *const module, *const name;
};
const ClassName kTensor{name("torch"), name("Tensor")},
    kUninitialized{name("torch.nn.parameter"), name("UninitializedTensorMixin")},
    kFakeTensor{name("torch._subclasses.fake_tensor"), name("FakeTensor")},
    kFunctionalTensor{name("torch._subclasses.functional_tensor"), name("FunctionalTensor")},
    kMaskedArray{name("numpy.ma"), name("MaskedArray")}, kGeneric{name("numpy"), name("generic")};

/// Returns a module that is imported already, or null.
PyObject *findModule(PyObject *name) {
  PyObject *module = name ? PyDict_GetItemWithError(PyImport_GetModuleDict(), name) : nullptr;
  if (!module && !clearError())
    throw Raised();
  return module;
}

PyObject *asObject(PyTypeObject *type) { return reinterpret_cast<PyObject *>(type); }

/// Returns true if the module of a class is imported and a type derives from the class.
bool isFrom(PyTypeObject *type, const ClassName &name) {
  PyObject *module = findModule(name.module);
  OwnedRef base = module ? findAttribute(module, name.name) : nullptr;
  return base && PyType_Check(base.get()) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(base.get()));
}

/// Returns DLPack's table of C functions for a type, which the protocol stores on the type.
const dlpack::ExchangeAPI *exchangeTable(PyTypeObject *type) {
  OwnedRef capsule = findAttribute(asObject(type), kExchange);
  if (!capsule || !PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api"))
    return nullptr;
  auto *api = static_cast<dlpack::ExchangeAPI *>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  // The table is static data of the library.
  return api->header.version.major == 1 && api->tensorFromObject ? api : nullptr;
}

/// Returns true if objects of a type are compile-time constants.
bool isConstant(PyTypeObject *type) { return findAttribute(asObject(type), kIsCompileTime).get() == Py_True; }

/// Returns true if a type is one of torch's lazy parameters and buffers, which get a shape in a module's first call.
bool isLazy(PyTypeObject *type) { return isFrom(type, kUninitialized); }

Protocol protocolOf(PyTypeObject *type, bool isTorch, bool hasExchange) {
  if (PyType_IsSubtype(type, &PyTuple_Type))
    return Protocol::Tuple;
  if (isConstant(type))
    return Protocol::Constant;
  if (isFrom(type, kFakeTensor) || isFrom(type, kFunctionalTensor))
    return Protocol::Traced;
  if (isTorch && isLazy(type))
    return Protocol::Lazy;
  if (hasExchange)
    return Protocol::Exchange;
  // Includes scalars of masked arrays.
  if (isFrom(type, kMaskedArray))
    return Protocol::Masked;
  if (isFrom(type, kGeneric))
    return Protocol::NumPyScalar;
  // Bytes have a buffer too, but are not meant as arrays.
  bool isText = PyType_IsSubtype(type, &PyBytes_Type) || PyType_IsSubtype(type, &PyByteArray_Type);
  if (!isText && type->tp_as_buffer && type->tp_as_buffer->bf_getbuffer)
    return Protocol::Buffer;
  if (findAttribute(asObject(type), kCapsule))
    return Protocol::Capsule;
  if (findAttribute(asObject(type), kDataPointer))
    return Protocol::Pointer;
  if (type->tp_as_number && type->tp_as_number->nb_index)
    return Protocol::Index;
  return Protocol::Refused;
}

/// Determines how to convert objects of a type. Throws `Raised` on an error of the process, which must not count as a
/// missing attribute.
KnownType classify(PyTypeObject *type) {
  bool isTorch = isFrom(type, kTensor);
  const dlpack::ExchangeAPI *exchange = exchangeTable(type);
  Protocol protocol = protocolOf(type, isTorch, exchange != nullptr);
  bool isRead = protocol == Protocol::Exchange || protocol == Protocol::Capsule;
  if (isTorch && isRead)
    measureTorchLayout();
  return {type, protocol, isRead || protocol == Protocol::Traced ? exchange : nullptr, isTorch};
}

/// Returns `torch._C._cuda_getCurrentRawStream`; null if torch is not loaded or was built without CUDA.
PyObject *torchStreamFunction() {
  static PyObject *function = nullptr;
  if (function)
    return function;
  if (PyObject *module = findModule(kTorchC))
    function = findAttribute(module, kRawStream).release();
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
