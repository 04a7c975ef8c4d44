//===- TorchTensor.h - Fields of torch's tensors that DLPack lacks ------------------------------------------------===//
//
// Dispatch keys, bounds of the storage, and version counters are neither in DLPack nor in a stable C interface of
// torch. They are read from torch's C++ objects, at offsets that launcher/torch_fields.py measures once per process.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_TORCHTENSOR_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_TORCHTENSOR_H

#include "LaunchArguments.h"

namespace blockdsl::python {

/// Byte offsets of fields, and masks of dispatch keys.
struct TorchLayout {
  /// Whether the offsets are known. If not, Python functions of torch are called for each tensor.
  bool isMeasured = false;
  /// Offsets of the TensorImpl in the Python object, of two fields in the TensorImpl, and of two in its storage.
  unsigned impl = 0, keys = 0, storage = 0, address = 0, size = 0;
  /// Dispatch keys of tensors whose elements are negated in memory, and of tensors with a version counter.
  uint64_t negative = 0, counted = 0;
  /// torch::autograd::impl::bump_version(const at::Tensor &), which torch's in-place operators call; null if torch does
  /// not export it.
  void (*bumpVersion)(const void *tensor) = nullptr;
};
extern TorchLayout torchLayout;

struct TorchFields {
  uint64_t keys;
  /// Address of the storage, and its size in bytes, negative if unknown.
  uint64_t address;
  int64_t size;
};

/// Measures the layout once, before the first tensor is converted. Throws `Raised` on an error of the process.
void measureTorchLayout();

/// Reads the fields through torch's Python functions. Returns false with an exception set on failure.
bool askTorch(PyObject *tensor, TorchFields &fields);

/// Reads the fields of a tensor. Returns false with an exception set on failure.
inline bool readTorchFields(PyObject *tensor, TorchFields &fields) {
  const TorchLayout &layout = torchLayout;
  if (__builtin_expect(!layout.isMeasured, false))
    return askTorch(tensor, fields);
  auto at = [](const void *object, unsigned offset) {
    return *reinterpret_cast<const uint64_t *>(static_cast<const char *>(object) + offset);
  };
  auto *impl = reinterpret_cast<const void *>(at(tensor, layout.impl));
  auto *storage = reinterpret_cast<const void *>(at(impl, layout.storage));
  fields.keys = at(impl, layout.keys);
  fields.address = storage ? at(storage, layout.address) : 0;
  fields.size = storage ? static_cast<int64_t>(at(storage, layout.size)) : -1;
  return true;
}

/// Refuses a converted tensor whose memory does not have its elements: it is negated, or its storage has become smaller
/// than its span.
inline Refusal checkTorchTensor(PyObject *tensor, const Argument &argument) {
  TorchFields fields;
  if (!readTorchFields(tensor, fields))
    return Refusal::Unreadable;
  if (__builtin_expect((fields.keys & torchLayout.negative) != 0, false))
    return Refusal::Negated;
  bool isShrunk = argument.begin < argument.end && fields.size >= 0 &&
                  argument.end > fields.address + static_cast<uint64_t>(fields.size);
  return __builtin_expect(isShrunk, false) ? Refusal::Shrunk : Refusal::Accepted;
}

/// Increments the version counter through Python. Returns false with an exception set on failure.
bool incrementVersionInPython(PyObject *tensor);

/// Increments the version counter, if any, of a tensor after stores to it: autograd then refuses a backward pass that
/// needs the earlier elements. Returns false with an exception set on failure.
inline bool incrementVersion(PyObject *tensor) {
  const TorchLayout &layout = torchLayout;
  if (!layout.isMeasured || !layout.bumpVersion)
    return incrementVersionInPython(tensor);
  // An at::Tensor is a single pointer in the Python object. Tensors of inference mode have no counter.
  const char *pointer = reinterpret_cast<const char *>(tensor) + layout.impl;
  const char *impl = *reinterpret_cast<const char *const *>(pointer);
  if (*reinterpret_cast<const uint64_t *>(impl + layout.keys) & layout.counted)
    layout.bumpVersion(pointer);
  return true;
}

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_TORCHTENSOR_H
