//===- DLPack.h - Part of DLPack's C interface --------------------------------------------------------------------===//
//
// Written from the public specification of DLPack 1.3 (https://dmlc.github.io/dlpack). The layout is frozen within a
// major version.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_DLPACK_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_DLPACK_H

#include <cstdint>

namespace blockdsl::python::dlpack {

struct Version {
  uint32_t major, minor;
};

enum DeviceType : int32_t { CPU = 1, CUDA = 2, CUDAHost = 3, CUDAManaged = 13 };

struct Device {
  DeviceType type;
  int32_t id;
};

enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  Opaque = 3,
  BFloat = 4,
  Complex = 5,
  Bool = 6,
  Float8E4M3FN = 10,
  Float8E4M3FNUZ = 11,
  Float8E5M2 = 12,
  Float8E5M2FNUZ = 13,
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t *shape;
  /// In elements; null for a dense tensor.
  int64_t *strides;
  uint64_t byteOffset;
};

/// The contents of a capsule named "dltensor".
struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *);
};

constexpr uint64_t kReadOnly = 1;

/// The contents of a capsule named "dltensor_versioned".
struct ManagedTensorVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedTensorVersioned *);
  uint64_t flags;
  Tensor tensor;
};

/// Describes an object without owning it. The description is valid until the object changes.
using TensorFromObject = int (*)(void *object, Tensor *out);

/// Gets the current stream of the object's library on a device. Returns 0 on success, else sets an exception.
using CurrentWorkStream = int (*)(DeviceType device, int32_t id, void **out);

struct ExchangeHeader {
  Version version;
  ExchangeHeader *previous;
};

/// The contents of the capsule `type.__dlpack_c_exchange_api__`.
struct ExchangeAPI {
  ExchangeHeader header;
  void *allocate;
  void *managedFromObject;
  void *managedToObject;
  TensorFromObject tensorFromObject;
  CurrentWorkStream currentWorkStream;
};

} // namespace blockdsl::python::dlpack

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_DLPACK_H
