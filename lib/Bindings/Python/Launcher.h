//===- Launcher.h - From a call to running programs ---------------------------------------------------------------===//
//
// The Python type `_runtime.Launcher`, from which `JITFunction` derives. Launcher.cpp is the path of a call; the
// table of compiled kernels is in LaunchTable.cpp, the Python types are in LauncherType.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHER_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHER_H

#include "LaunchKernel.h"

#include <memory>
#include <vector>

namespace blockdsl::python {

/// Of a launcher, with its options. compiler/arguments.py says how many of them may be the kernel's own.
constexpr int kMaxParameters = 1024;
/// Elements of tuples have the numbers from kMaxParameters on, in the order of the parameters they are passed for, so
/// that they are the same whatever options a launcher has. compiler/arguments.py counts in the same way.
constexpr int kMaxArguments = 2 * kMaxParameters;

/// What a parameter's argument is for. compiler/arguments.py uses the same numbers.
enum class Role : int {
  /// Read, specialised on, and passed to the kernel.
  Runtime = 0,
  /// Part of the key, as it is.
  Constexpr = 1,
  /// As a constexpr, but not one of the kernel's parameters: by keyword only, and not passed to a callable grid.
  Option = 2,
  /// Accepted by keyword, without effect.
  Ignored = 3,
  /// An Option of launches on a GPU. On a CPU it is in the key where it is given, and so compiled for, without effect.
  GPUOption = 4,
  /// By keyword only, and the last: the stream of a GPU that this launch goes to, or None. No part of the key.
  Stream = 5,
};

struct Parameter {
  PyObject *name;
  Role role;
  /// Null when an argument has to be given.
  PyObject *fallback;
  /// Attributes that this parameter is not specialised on.
  uint32_t attributeMask;
  /// What an annotation wants: 'i', 'f' or 'p'; 'n' for no annotation.
  int wanted;
};

/// The kernels compiled for one key: one a variant.
struct Entry {
  enum Variant : unsigned { MayAlias = 1, Streaming = 2, Count = 4 };

  /// Those for launches that pass one pointer for several parameters. Few: most kernels work in place in one way only.
  struct Merged {
    /// For each tensor the first one that is the same pointer.
    std::vector<uint16_t> leaders;
    /// Without and with streaming stores.
    PyObject *kernels[2];
  };

  ~Entry() {
    for (PyObject *kernel : kernels)
      Py_XDECREF(kernel);
    for (const Merged &some : merged)
      for (PyObject *kernel : some.kernels)
        Py_XDECREF(kernel);
  }
  /// Any of them: they differ in code, not in what they read and write.
  KernelObject *any() const {
    for (PyObject *kernel : kernels)
      if (kernel)
        return reinterpret_cast<KernelObject *>(kernel);
    for (const Merged &some : merged)
      for (PyObject *kernel : some.kernels)
        if (kernel)
          return reinterpret_cast<KernelObject *>(kernel);
    return nullptr;
  }

  std::vector<uint64_t> key;
  uint64_t hash;
  PyObject *kernels[Count] = {nullptr, nullptr, nullptr, nullptr};
  std::vector<Merged> merged;
  /// Objects whose address is in the key: alive, so that the address stays theirs.
  std::vector<Held> constexprs;
};

/// From keys to entries. Small: when it would hold more than `kLargest`, it forgets and starts over.
class Table {
public:
  static constexpr size_t kLargest = 4096;

  Entry *find(const uint64_t *key, size_t size, uint64_t hash) const;
  Entry &insert(std::unique_ptr<Entry> entry);
  void clear();
  const std::vector<std::unique_ptr<Entry>> &all() const { return entries; }

private:
  void index(uint32_t which);

  std::vector<std::unique_ptr<Entry>> entries;
  /// Open addressing over indices into `entries` plus one; 0 is free.
  std::vector<uint32_t> slots;
};

struct LauncherState {
  std::vector<Parameter> parameters;
  /// The kernel's own parameters; the options follow them.
  size_t positional = 0;
  /// Whether the types of arguments are part of the key, for a launcher that takes only what another one has taken.
  bool isKeyedByType = false;
  /// The one that takes all further arguments as a tuple. Those after it are given by name.
  size_t variadic = SIZE_MAX;
  Table table;
  /// The guard of the compiled kernels, as in GlobalsGuard.h; null if there are none.
  PyObject *globalsGuard = nullptr;
  /// A list of what is called before each launch; null where nobody ever asked for it.
  PyObject *preRunHooks = nullptr;
};

struct LauncherObject {
  PyObject_HEAD LauncherState *state;
};

/// Binds, reads, looks up, compiles what is missing, and runs over the grid; without a grid it only compiles. Returns
/// the kernel.
PyObject *launch(LauncherObject *self, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords);

/// The same over a grid of three sizes. Nothing outside of the kernel is watched: what calls
/// this has looked.
PyObject *launchOver(LauncherObject *self, PyObject *const *sizes, PyObject *const *args, size_t count,
                     PyObject *keywords = nullptr);

/// Binds and reads only: what a launch with these arguments would be compiled for.
PyObject *describe(LauncherObject *self, PyObject *const *args, size_t count, PyObject *keywords);

/// Has `_entering` and `_leaving` called around launches while one of two lists is not empty.
bool watchLaunches(PyObject *entering, PyObject *leaving);

/// Threads that launches may use: 0 asks torch, or else the operating system.
void setThreads(int count);
int threadCount();

/// Adds Launcher to a module.
bool addLauncherType(PyObject *module);

/// Whether an object is a Launcher.
bool isLauncher(PyObject *object);

/// The type `TritonLaunch`, which Triton's runtime calls.
PyTypeObject *tritonLaunchType();

/// The type `Shortcuts`, which stock kernels are launched through.
PyTypeObject *shortcutsType();

/// Whether calling a hook of Triton's does nothing: Triton passes a chain of hooks also where it is empty.
bool isEmptyHook(PyObject *hook);

/// Returns the type `CachedLaunch`, which torch's compiled graphs call.
PyTypeObject *cachedLaunchType();

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHER_H
