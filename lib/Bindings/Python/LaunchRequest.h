//===- LaunchRequest.h - A launch from its Python call to the kernel ----------------------------------------------===//
//
// The state that LaunchBinding.cpp (arguments and grid), LaunchDevice.cpp (device) and Launcher.cpp (lookup and
// compilation) fill in, one after the other. The part that running programs see is runtime::LaunchContext.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHREQUEST_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHREQUEST_H

#include "Launcher.h"

#include "blockdsl/Runtime/ThreadOwned.h"

#include <memory>
#include <utility>

namespace blockdsl::runtime::cuda {
struct Failure;
}

namespace blockdsl::python {

/// Overlap of an argument's memory with other arguments'.
enum class Overlap {
  None,
  /// Only with arguments that are the same pointer.
  Same,
  Partial,
};

/// Arrays with an element for each possible argument. Not cleared, because most elements are never used.
struct RequestBuffers {
  PyObject *values[kMaxArguments];
  Argument arguments[kMaxArguments];
  uint32_t specializations[kMaxArguments];
  uint16_t tensors[kMaxArguments];
  /// A descriptor has the most elements: its attributes, its rank, the extents of its block, and its base's type. A
  /// tuple has three, the device one.
  uint64_t key[8 * kMaxArguments + 3 * kMaxParameters + 1];
  /// The arguments in the kernel's layout. On a CPU the grid and the context follow; on a GPU `pointers` has pointers
  /// to them and to two buffers.
  uint64_t packed[kMaxParameters + 4];
  void *pointers[kMaxParameters + 2];
};

/// Buffers of one launch, which are too large for the stack of a small thread. Each thread has one, and nested
/// launches, which compilations may start, allocate their own. Throws std::bad_alloc.
class LeasedBuffers {
public:
  LeasedBuffers() : spare(runtime::ThreadOwned<Spare>::get()) {
    if (!spare)
      throw std::bad_alloc();
    buffers = *spare ? std::move(*spare) : Spare(new RequestBuffers);
  }
  ~LeasedBuffers() { *spare = std::move(buffers); }
  LeasedBuffers(const LeasedBuffers &) = delete;
  LeasedBuffers &operator=(const LeasedBuffers &) = delete;
  RequestBuffers *operator->() const { return buffers.get(); }

private:
  using Spare = std::unique_ptr<RequestBuffers>;
  Spare *const spare;
  Spare buffers;
};

/// One launch.
struct LaunchRequest {
  explicit LaunchRequest(LauncherObject *self) : self(self), state(*self->state) {}

  LauncherObject *self;
  LauncherState &state;
  LeasedBuffers buffers;
  PyObject **const values = buffers->values;
  Argument *const arguments = buffers->arguments;
  /// The arguments' attributes, without those that their parameters are not specialized on.
  uint32_t *const specializations = buffers->specializations;
  uint16_t *const tensors = buffers->tensors;
  size_t tensorCount = 0;
  /// Number of tuples, nested ones included, and of elements that are not tuples.
  size_t tupleCount = 0;
  size_t elementCount = 0;
  /// kCPU, or the number of the GPU that holds the tensors.
  int device = kCPU;
  uint64_t *const key = buffers->key;
  size_t keySize = 0;
  int64_t grid[3];
  int64_t programs = 0;
  Borrowed borrowed;
  /// Whether the launch can be recorded in a graph of torch's.
  bool isRecordable = false;
  /// Whether an argument is a fake tensor, which stands for one while torch records a graph.
  bool isTraced = false;
  /// False for launches of stock Triton, which runs its hooks itself.
  bool callsHooks = true;

  bool checkGlobals();
  bool bind(PyObject *const *args, size_t count, PyObject *keywords);
  bool bindKeywords(PyObject *const *args, PyObject *keywords);
  bool read();
  bool readOne(size_t index);
  bool readAt(size_t index, uint32_t attributeMask);
  bool readConstant(size_t index);
  bool readTuple(PyObject *tuple, uint32_t attributeMask);
  PyObject *attributesOf(PyObject *tuple, size_t &element) const;
  PyObject *argumentName(size_t argument) const;
  void keepAlive(Entry &entry, PyObject *tuple, size_t &element) const;
  bool isTuple(size_t parameter) const;
  bool chooseDevice();
  bool reach(uint16_t tensor, uint16_t first);
  PyObject *givenStream() const;
  bool currentStream(void *&stream);
  bool refuseDevices(uint16_t tensor, uint16_t other);
  void addConstexpr(PyObject *value);
  void addBlock(const Descriptor &descriptor);
  uint64_t typeBits(PyObject *object) const;
  void keepTypesAlive(Entry &entry) const;
  bool readGrid(PyObject *object);
  bool readGridTuple(PyObject *object);
  bool readGridSizes(PyObject *const *items, Py_ssize_t count);
  bool readGridSize(PyObject *object, int64_t &size);
  PyObject *metaArguments();
  void explainGrid(PyObject *meta);
  uint64_t hash() const;
  Entry *addEntry(uint64_t hash);
  PyObject *&kernelIn(Entry &entry, const KernelObject *kernel) const;
  unsigned streaming() const;
  bool isSame(uint16_t one, uint16_t other) const;
  Overlap overlapOf(uint16_t tensor) const;
  uint16_t leaderOf(size_t number) const;
  PyObject *overlaps() const;
  PyObject *described() const;
  PyObject *compile();
  PyObject *callAsGiven(const char *method, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords);
  bool callPreRunHooks(PyObject *const *args, size_t count, PyObject *keywords);
  bool run(PyObject *kernel);
  bool runPrograms(PyObject *kernel);
  bool incrementVersions(const KernelState &kernel);
  bool runWithHooks(PyObject *kernel);
  PyObject *finish(bool isRun, PyObject *grid = nullptr);
  bool checkWritable(PyObject *kernel);
  PyObject *launcher() const { return reinterpret_cast<PyObject *>(self); }
  bool isInKey(size_t index) const;

  bool refuse(const char *reason, PyObject *name, PyObject *value);
  bool refuseArgument(const char *reason, size_t argument, PyObject *value);
  bool refuseFailure(const runtime::cuda::Failure &failure);
  bool refuseUnreadable(size_t argument);
};

/// Returns the fields of the error in errors/gpu_errors.py: (kind, (device, function of the driver, message, wanted,
/// allowed)).
PyObject *describeFailure(const runtime::cuda::Failure &failure, int device);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHREQUEST_H
