//===- LaunchArguments.h - Reads a launch's arguments -------------------------------------------------------------===//
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

/// What a kernel is specialised on, of one argument, as 32 bits. compiler/arguments.py reads the same layout.
namespace attribute {
enum Kind : uint32_t {
  None = 0,
  Int32 = 1,
  Int64 = 2,
  UInt64 = 3,
  Bool = 4,
  Float = 5,
  Tensor = 6,
  /// Known when the kernel is compiled: a constexpr parameter, or a constexpr or a jit function passed for any other.
  Constexpr = 7,
  /// Of an array in memory: the other fields are those of its base.
  Descriptor = 8,
  /// Its elements are arguments of their own.
  Tuple = 9,
};
constexpr uint32_t kKindMask = 0xf;
constexpr uint32_t kDtypeShift = 4;
constexpr uint32_t kDtypeMask = 0x1f << kDtypeShift;
constexpr uint32_t kDivisibleBy16 = 1 << 9;
constexpr uint32_t kEqualToOne = 1 << 10;
constexpr uint32_t kReadOnly = 1 << 11;
constexpr uint32_t kPaddedWithNaN = 1 << 12;
/// The elements of a tensor do not follow each other in the order of its dimensions. Changes no code: it is there so
/// that Python sees such a tensor once a key.
constexpr uint32_t kStrided = 1 << 13;
/// The elements lie further apart than 32 bits count. There for the same reason.
constexpr uint32_t kFar = 1 << 14;
} // namespace attribute

struct Descriptor;

/// Where a tensor's elements lie. Only a device's own memory has to be on the device that runs the kernel.
enum class Memory : uint8_t {
  Host,
  /// The host's, and GPUs may reach it.
  Pinned,
  /// Moves between the host and GPUs by itself.
  Managed,
  Device,
};

/// One argument, read.
struct Argument {
  uint32_t attributes;
  /// Whether torch counts what is stored through it: a tensor of torch's, or a descriptor or a view of one.
  bool isTorch;
  /// The next two are a tensor's.
  Memory memory;
  /// Which GPU; 0 for memory of the host.
  int16_t device;
  /// Address, integer, or the bits of a double.
  uint64_t value;
  /// A descriptor's alone.
  const Descriptor *descriptor;
  /// The bytes a tensor spans, `begin <= address < end`, if it lies in the host's memory; both 0 for anything else.
  uint64_t begin, end;
};

/// The end of what is no tensor, but tells an address: it may span all of the host's memory.
constexpr uint64_t kAnywhere = UINT64_MAX;

/// The launch device of a CPU; a GPU's is its number.
constexpr int kCPU = -1;
/// Nothing has more.
constexpr int kMaxGPUs = 64;

/// Why an argument is refused. compiler/refusals.py words it; of `Traced`, what it says of `Nothing`. `Lazy` is a
/// parameter of torch's without a shape yet, `Shrunk` a tensor whose storage became smaller than what it spans.
enum class Refusal { Accepted, Type, Device, Dtype, Range, Unreadable, Nothing, Negated, Masked, Traced, Lazy, Shrunk };
constexpr int kRefusals = 12;

/// What compiler/refusals.py knows a refusal by.
extern const char *const kRefusalNames[kRefusals];

/// Keeps what was borrowed from arguments for as long as the launch.
class Borrowed {
public:
  Borrowed();
  Borrowed(const Borrowed &) = delete;
  Borrowed &operator=(const Borrowed &) = delete;
  ~Borrowed();

  std::vector<Py_buffer> buffers;
  std::vector<Held> objects;
  std::vector<std::unique_ptr<const Descriptor>> descriptors;
};

/// Reads what `readArgument` calls `Traced` for its type: kernels may be compiled for one that is empty.
Refusal readStandIn(PyObject *object, Argument &argument, Borrowed &borrowed);

/// The bytes of one element of a tensor.
int64_t itemSize(const Argument &argument);

/// Reads an argument of a parameter without annotation. `Unreadable` leaves a Python exception behind.
Refusal readArgument(PyObject *object, Argument &argument, Borrowed &borrowed);

/// The tensor of torch's that an argument is, or has as its `base` if it is a view with an address; null if there is
/// none. Borrowed from the object.
PyObject *tensorBehind(PyObject *object, Borrowed &borrowed);

/// Whether a tensor's library tells natively which stream it works on.
bool tellsStream(PyObject *tensor);

/// The stream that a tensor's library works on now, on a GPU; for libraries that do not tell, torch's. False with an
/// exception set on failure.
bool currentStream(PyObject *tensor, int device, void *&stream);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHARGUMENTS_H
