//===- fake_tensors.cpp - Tensors "on" devices that are not there -------------------------------------------------===//
//
// `Tensor` has DLPack's C exchange table, as torch's have; `capsule` makes what `__dlpack__` returns. Addresses are
// numbers, and nothing is behind them.
//
//===--------------------------------------------------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "DLPack.h"

#include <structmember.h>

using namespace blockdsl::python::dlpack;

namespace {

int64_t kShape[] = {64};
int64_t kStrides[] = {1};
/// A tensor at address 0 has no elements.
int64_t kNoElements[] = {0};
/// The stream that is current on each device.
void *streams[64];
bool tellsNoStream = false;

struct TensorObject {
  PyObject_HEAD Tensor tensor;
};

bool describe(PyObject *args, Tensor &tensor, int *isVersioned = nullptr) {
  unsigned long long address;
  int device, id, code, bits;
  if (!PyArg_ParseTuple(args, isVersioned ? "K(ii)(ii)p" : "K(ii)(ii)", &address, &device, &id, &code, &bits,
                        isVersioned))
    return false;
  tensor = {reinterpret_cast<void *>(address),
            {static_cast<DeviceType>(device), id},
            1,
            {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1},
            address ? kShape : kNoElements,
            kStrides,
            0};
  return true;
}

int initTensor(PyObject *self, PyObject *args, PyObject *) {
  return describe(args, reinterpret_cast<TensorObject *>(self)->tensor) ? 0 : -1;
}

void deallocateTensor(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

int tensorFromObject(void *object, Tensor *out) {
  *out = static_cast<TensorObject *>(object)->tensor;
  return 0;
}

int currentWorkStream(DeviceType, int32_t id, void **out) {
  if (tellsNoStream) {
    PyErr_SetString(PyExc_RuntimeError, "no stream today");
    return -1;
  }
  *out = streams[id];
  return 0;
}

ExchangeAPI table = {{{1, 3}, nullptr}, nullptr, nullptr, nullptr, tensorFromObject, currentWorkStream};

PyType_Slot tensorSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void *>(initTensor)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateTensor)},
    {0, nullptr},
};
PyType_Spec tensorSpec = {"fake_tensors.Tensor", sizeof(TensorObject), 0, Py_TPFLAGS_DEFAULT, tensorSlots};

template <typename Managed> void destroy(PyObject *capsule) {
  delete static_cast<Managed *>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
}

PyObject *makeCapsule(PyObject *, PyObject *args) {
  int isVersioned;
  Tensor tensor;
  if (!describe(args, tensor, &isVersioned))
    return nullptr;
  if (isVersioned)
    return PyCapsule_New(new ManagedTensorVersioned{{1, 0}, nullptr, nullptr, 0, tensor}, "dltensor_versioned",
                         destroy<ManagedTensorVersioned>);
  return PyCapsule_New(new ManagedTensor{tensor, nullptr, nullptr}, "dltensor", destroy<ManagedTensor>);
}

PyObject *setStream(PyObject *, PyObject *args) {
  int device;
  unsigned long long stream;
  if (!PyArg_ParseTuple(args, "iK", &device, &stream))
    return nullptr;
  streams[device] = reinterpret_cast<void *>(stream);
  Py_RETURN_NONE;
}

PyObject *setTellsNoStream(PyObject *, PyObject *value) {
  tellsNoStream = PyObject_IsTrue(value);
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"capsule", makeCapsule, METH_VARARGS, "capsule(address, device, dtype, versioned)"},
    {"set_stream", setStream, METH_VARARGS, "set_stream(device, handle)"},
    {"tells_no_stream", setTellsNoStream, METH_O, "Whether asking for the stream fails."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "fake_tensors", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_fake_tensors() {
  PyObject *module = PyModule_Create(&definition);
  PyObject *type = PyType_FromSpec(&tensorSpec);
  PyObject *capsule = PyCapsule_New(&table, "dlpack_exchange_api", nullptr);
  if (!module || !type || !capsule || PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", capsule) < 0)
    return nullptr;
  Py_DECREF(capsule);
  PyModule_AddObject(module, "Tensor", type);
  return module;
}
