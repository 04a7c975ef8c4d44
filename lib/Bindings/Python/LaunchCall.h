//===- LaunchCall.h - One call of a kernel, on its way ------------------------------------------------------------===//
//
// What is known of a call as it runs through LaunchBinding.cpp (arguments and grid), LaunchDevice.cpp (where it runs)
// and Launcher.cpp (look-up).
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHCALL_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHCALL_H

#include "Launcher.h"

#include "blockdsl/Runtime/ThreadOwned.h"

#include <memory>
#include <utility>

namespace blockdsl::runtime::cuda {
struct Failure;
}

namespace blockdsl::python {

/// How an argument overlaps others.
enum class Overlap {
  None,
  /// Only such that are the same pointer.
  Same,
  Partial,
};

/// What a call knows of each argument, for as many as there can be. Not cleared, because most of it is never used.
struct CallSpace {
  PyObject *values[kMaxArguments];
  Argument arguments[kMaxArguments];
  uint32_t specializations[kMaxArguments];
  uint16_t tensors[kMaxArguments];
  /// A descriptor takes the most: its fact, its rank, the extents of its block, and its base's type. A tuple takes
  /// three, the device one.
  uint64_t key[8 * kMaxArguments + 3 * kMaxParameters + 1];
  /// The arguments as a kernel takes them; on a CPU the grid and the context follow, on a GPU there are pointers to
  /// them and to two buffers.
  uint64_t packed[kMaxParameters + 4];
  void *pointers[kMaxParameters + 2];
};

/// Space for a call, which is too much for the stack of a small thread: the thread's own, or another one while that is
/// taken, because a launch may compile, and so launch. Throws std::bad_alloc where there is none.
class LeasedSpace {
public:
  LeasedSpace() : spare(runtime::ThreadOwned<Spare>::get()) {
    if (!spare)
      throw std::bad_alloc();
    space = *spare ? std::move(*spare) : Spare(new CallSpace);
  }
  ~LeasedSpace() { *spare = std::move(space); }
  LeasedSpace(const LeasedSpace &) = delete;
  LeasedSpace &operator=(const LeasedSpace &) = delete;
  CallSpace *operator->() const { return space.get(); }

private:
  using Spare = std::unique_ptr<CallSpace>;
  Spare *const spare;
  Spare space;
};

/// Everything about one call.
struct Call {
  explicit Call(LauncherObject *self) : self(self), state(*self->state) {}

  LauncherObject *self;
  LauncherState &state;
  LeasedSpace space;
  PyObject **const values = space->values;
  Argument *const arguments = space->arguments;
  /// The arguments' facts, less what their parameters are not specialised on.
  uint32_t *const specializations = space->specializations;
  uint16_t *const tensors = space->tensors;
  size_t tensorCount = 0;
  /// Tuples, those within others included, and their other elements.
  size_t tupleCount = 0;
  size_t elementCount = 0;
  /// Where the call runs: kCPU, or the number of the GPU that its tensors lie on.
  int device = kCPU;
  uint64_t *const key = space->key;
  size_t keySize = 0;
  int64_t grid[3];
  int64_t programs = 0;
  Borrowed borrowed;
  /// A tensor only stands for one, while torch records a graph: the launch is to be recorded, too, where
  /// `isRecordable`.
  bool isRecordable = false;
  bool isTraced = false;
  /// Launches of stock Triton's have Triton's hooks around them already.
  bool isWatchable = true;

  bool checkWatched();
  bool bind(PyObject *const *args, size_t count, PyObject *keywords);
  bool bindKeywords(PyObject *const *args, PyObject *keywords);
  bool read();
  bool readOne(size_t index);
  bool readAt(size_t index, uint32_t factMask);
  bool readConstant(size_t index);
  bool readTuple(PyObject *tuple, uint32_t factMask);
  PyObject *factsOf(PyObject *tuple, size_t &element) const;
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
  bool readGrid(PyObject *given);
  bool readGridTuple(PyObject *given);
  bool readGridSizes(PyObject *const *items, Py_ssize_t count);
  bool readGridSize(PyObject *given, int64_t &size);
  PyObject *metaArguments();
  void explainGrid(PyObject *meta);
  uint64_t hash() const;
  Entry *addEntry(uint64_t hash);
  PyObject *&kernelIn(Entry &entry, const KernelObject *kernel) const;
  unsigned streaming() const;
  bool isSame(uint16_t one, uint16_t other) const;
  Overlap overlapOf(uint16_t tensor) const;
  uint16_t leaderOf(size_t which) const;
  PyObject *overlaps() const;
  PyObject *described() const;
  PyObject *compile();
  PyObject *callAsGiven(const char *method, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords);
  bool callPreRunHooks(PyObject *const *args, size_t count, PyObject *keywords);
  bool run(PyObject *kernel);
  bool runPrograms(PyObject *kernel);
  bool incrementVersions(const KernelState &kernel);
  bool runWatched(PyObject *kernel);
  PyObject *finish(bool isRun, PyObject *given = nullptr);
  bool checkWritable(PyObject *kernel);
  PyObject *launcher() const { return reinterpret_cast<PyObject *>(self); }
  bool isInKey(size_t index) const;

  bool refuse(const char *reason, PyObject *name, PyObject *value);
  bool refuseArgument(const char *reason, size_t argument, PyObject *value);
  bool refuseFailure(const runtime::cuda::Failure &failure);
  bool refuseUnreadable(size_t argument);
};

/// What compiler/gpus.py makes an error of: (kind, (device, function of the driver, its words, wanted, allowed)).
PyObject *describeFailure(const runtime::cuda::Failure &failure, int device);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHCALL_H
