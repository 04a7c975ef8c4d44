//===- LaunchArguments.h - Conversion of a launch's arguments -----------------------------------------------------===//
//
// Conversion of a Python object to the properties that a launch needs: its attributes (on which kernels are
// specialized), its value, and the bytes it spans. Independent of kernels.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHARGUMENTS_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHARGUMENTS_H

#include "Guarded.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace blockdsl::python {

/// Attributes of an argument, on which kernels are specialized, as 32 bits. launcher/arguments.py has the same layout.
namespace attribute {
enum Kind : uint32_t {
  None = 0,
  Int32 = 1,
  Int64 = 2,
  UInt64 = 3,
  Bool = 4,
  Float = 5,
  Tensor = 6,
  /// A compile-time constant: the argument of a constexpr parameter, or a constexpr or jit function for any other.
  Constexpr = 7,
  /// A tensor descriptor. The other attributes are those of its base.
  Descriptor = 8,
  /// A tuple, whose elements are arguments of their own.
  Tuple = 9,
};
constexpr uint32_t kKindMask = 0xf;
constexpr uint32_t kDtypeShift = 4;
constexpr uint32_t kDtypeMask = 0x1f << kDtypeShift;
constexpr uint32_t kDivisibleBy16 = 1 << 9;
constexpr uint32_t kEqualToOne = 1 << 10;
constexpr uint32_t kReadOnly = 1 << 11;
constexpr uint32_t kPaddedWithNaN = 1 << 12;
/// The elements of a tensor are not contiguous in the order of its dimensions. Does not affect code: as a part of the
/// key it makes Python code see the first such tensor.
constexpr uint32_t kStrided = 1 << 13;
/// The offsets of the elements do not fit in 32 bits. Part of the key for the same reason.
constexpr uint32_t kFar = 1 << 14;
} // namespace attribute

struct Descriptor;

/// Kind of memory of a tensor. Only device memory must be on the device that runs the kernel.
enum class Memory : uint8_t {
  Host,
  /// Host memory that GPUs may access.
  Pinned,
  /// Migrates between the host and GPUs.
  Managed,
  Device,
};

/// A converted argument.
struct Argument {
  uint32_t attributes;
  /// Whether torch has a version counter for it: a tensor of torch's, or a descriptor or view of one.
  bool isTorch;
  /// Kind of memory of a tensor.
  Memory memory;
  /// Number of the GPU of a tensor; 0 for host memory.
  int16_t device;
  /// Address, integer, or bits of a double.
  uint64_t value;
  /// Set for descriptors only.
  const Descriptor *descriptor;
  /// The bytes that a tensor in host memory spans, `begin <= address < end`; both 0 for anything else.
  uint64_t begin, end;
};

/// The end of an object that has an address and unknown extents: it may span all host memory.
constexpr uint64_t kAnywhere = UINT64_MAX;

/// Device number of the CPU. GPUs have theirs.
constexpr int kCPU = -1;
/// Largest supported number of GPUs.
constexpr int kMaxGPUs = 64;

/// Reason for refusing an argument. `Traced` has the error message of `Nothing`. `Lazy` is a parameter of torch without
/// a shape yet, `Shrunk` a tensor whose storage has become smaller than its span.
enum class Refusal { Accepted, Type, Device, Dtype, Range, Unreadable, Nothing, Negated, Masked, Traced, Lazy, Shrunk };
constexpr int kRefusals = 12;

/// Names of refusals in Python code.
extern const char *const kRefusalNames[kRefusals];

/// Objects and buffers of arguments that are kept alive until the launch has ended.
class Borrowed {
public:
  Borrowed();
  Borrowed(const Borrowed &) = delete;
  Borrowed &operator=(const Borrowed &) = delete;
  ~Borrowed();

  std::vector<Py_buffer> buffers;
  std::vector<OwnedRef> objects;
  std::vector<std::unique_ptr<const Descriptor>> descriptors;
};

/// Converts a fake tensor, for which `readArgument` returns `Traced`. Kernels can be compiled for empty ones.
Refusal readStandIn(PyObject *object, Argument &argument, Borrowed &borrowed);

/// Returns the size of an element of a tensor in bytes.
int64_t itemSize(const Argument &argument);

/// Converts an argument, regardless of annotations. `Unreadable` is returned with a Python exception set.
Refusal readArgument(PyObject *object, Argument &argument, Borrowed &borrowed);

/// Returns the tensor of torch's that an argument is, or that is the `base` of an object with an address; null if there
/// is none. A borrowed reference.
PyObject *tensorBehind(PyObject *object, Borrowed &borrowed);

/// Returns true if a tensor's library has a C function for its current stream.
bool tellsStream(PyObject *tensor);

/// Gets the current stream of a tensor's library on a GPU, or else torch's. Returns false with an exception set on
/// failure.
bool currentStream(PyObject *tensor, int device, void *&stream);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHARGUMENTS_H
