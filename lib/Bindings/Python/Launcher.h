//===- Launcher.h - Launcher of compiled kernels ------------------------------------------------------------------===//
//
// The Python type `_runtime.Launcher`, from which `JITFunction` derives. Launcher.cpp has the path of a launch,
// LaunchTable.cpp the table of compiled kernels, and LauncherType.cpp the Python types.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHER_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHER_H

#include "LaunchKernel.h"

#include <memory>
#include <vector>

namespace blockdsl::python {

/// Largest number of a launcher's parameters, options included. launcher/arguments.py has the kernel's part of it.
constexpr int kMaxParameters = 1024;
/// Elements of tuples are numbered from kMaxParameters on, in the order of parameters, independent of the launcher's
/// options. compiler/signature.py uses the same numbers.
constexpr int kMaxArguments = 2 * kMaxParameters;

/// Role of a parameter. launcher/arguments.py uses the same numbers.
enum class Role : int {
  /// Converted, specialized on, and passed to the kernel.
  Runtime = 0,
  /// Part of the key by value.
  Constexpr = 1,
  /// Like Constexpr, but no parameter of the kernel: by keyword only, and not passed to a callable grid.
  Option = 2,
  /// Accepted by keyword, without effect.
  Ignored = 3,
  /// An Option of launches on a GPU. On a CPU it has no effect, but is in the key if it is passed.
  GPUOption = 4,
  /// The last parameter, by keyword only: the stream of a GPU for this launch, or None. Not in the key.
  Stream = 5,
};

struct Parameter {
  PyObject *name;
  Role role;
  /// The default; null if an argument is required.
  PyObject *fallback;
  /// Mask of the attributes that this parameter is specialized on.
  uint32_t attributeMask;
  /// The annotation's kind: 'i', 'f' or 'p'; 'n' for no annotation.
  int expected;
};

/// The kernels compiled for one key, one per variant.
struct Entry {
  enum Variant : unsigned { MayAlias = 1, Streaming = 2, Count = 4 };

  /// Kernels for launches that pass the same pointer for several parameters. Most kernels have few such combinations.
  struct Merged {
    /// For each tensor, the first one that is the same pointer.
    std::vector<uint16_t> leaders;
    /// Without and with streaming stores.
    PyObject *kernels[2];
  };

  ~Entry() {
    for (PyObject *kernel : kernels)
      Py_XDECREF(kernel);
    for (const Merged &group : merged)
      for (PyObject *kernel : group.kernels)
        Py_XDECREF(kernel);
  }
  /// Returns any of the kernels. They differ in code, not in the arguments that they read and write.
  KernelObject *any() const {
    for (PyObject *kernel : kernels)
      if (kernel)
        return reinterpret_cast<KernelObject *>(kernel);
    for (const Merged &group : merged)
      for (PyObject *kernel : group.kernels)
        if (kernel)
          return reinterpret_cast<KernelObject *>(kernel);
    return nullptr;
  }

  std::vector<uint64_t> key;
  uint64_t hash;
  PyObject *kernels[Count] = {nullptr, nullptr, nullptr, nullptr};
  std::vector<Merged> merged;
  /// Objects whose addresses are in the key, kept alive so that no other object gets their address.
  std::vector<OwnedRef> constexprs;
};

/// Hash table of entries. It is cleared when it would exceed `kLargest` entries.
class Table {
public:
  static constexpr size_t kLargest = 4096;

  Entry *find(const uint64_t *key, size_t size, uint64_t hash) const;
  Entry &insert(std::unique_ptr<Entry> entry);
  void clear();
  const std::vector<std::unique_ptr<Entry>> &all() const { return entries; }

private:
  void index(uint32_t number);

  std::vector<std::unique_ptr<Entry>> entries;
  /// Open addressing over indices into `entries` plus one; 0 is free.
  std::vector<uint32_t> slots;
};

struct LauncherState {
  std::vector<Parameter> parameters;
  /// The kernel's own parameters; the options follow them.
  size_t positional = 0;
  /// Whether the types of arguments are part of the key, for launchers of arguments that another launcher has accepted.
  bool isKeyedByType = false;
  /// The parameter that takes all further arguments as a tuple. Later parameters are passed by keyword.
  size_t variadic = SIZE_MAX;
  Table table;
  /// The guard of the compiled kernels, as in GlobalsGuard.h; null if there are none.
  PyObject *globalsGuard = nullptr;
  /// A list of the functions called before each launch; null before its first use.
  PyObject *preRunHooks = nullptr;
};

struct LauncherObject {
  PyObject_HEAD LauncherState *state;
};

/// Binds and converts the arguments, looks up or compiles the kernel, and runs it over the grid, if there is one.
/// Returns the kernel.
PyObject *launch(LauncherObject *self, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords);

/// Launches over a grid of three sizes. The caller has checked globals and hooks.
PyObject *launchOver(LauncherObject *self, PyObject *const *sizes, PyObject *const *args, size_t count,
                     PyObject *keywords = nullptr);

/// Returns the values and attributes for which a launch with these arguments would be compiled.
PyObject *describe(LauncherObject *self, PyObject *const *args, size_t count, PyObject *keywords);

/// Sets two lists of hooks. `_entering` and `_leaving` are called around launches while one of them is not empty.
bool watchLaunches(PyObject *entering, PyObject *leaving);

/// Sets the number of threads of launches. 0 uses torch's number, or else that of the operating system.
void setThreads(int count);
int threadCount();

/// Adds Launcher to a module.
bool addLauncherType(PyObject *module);

/// Returns true if an object is a Launcher.
bool isLauncher(PyObject *object);

/// Returns the type `TritonLaunch`, which Triton's runtime calls.
PyTypeObject *tritonLaunchType();

/// Returns the type `Shortcuts`, through which stock kernels are launched.
PyTypeObject *shortcutsType();

/// Returns true if calling a hook of Triton's does nothing. Triton also passes empty chains of hooks.
bool isEmptyHook(PyObject *hook);

/// Returns the type `CachedLaunch`, which torch's compiled graphs call.
PyTypeObject *cachedLaunchType();

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHER_H
