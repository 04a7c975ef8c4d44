//===- LaunchCall.h - One call of a kernel, on its way ------------------------------------------------------------===//
//
// What is known of a call as it runs through LaunchBinding.cpp (arguments and grid) and Launcher.cpp (look-up and run).
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHCALL_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHCALL_H

#include "Launcher.h"

namespace blockdsl::python {

/// Everything about one call. On the stack; not cleared, because most of it is never used.
struct Call {
  explicit Call(LauncherObject *self) : self(self), state(*self->state) {}

  LauncherObject *self;
  LauncherState &state;
  PyObject *values[kMaxParameters];
  Argument arguments[kMaxParameters];
  /// The arguments' facts, less what their parameters are not specialised on.
  uint32_t specializations[kMaxParameters];
  uint16_t tensors[kMaxParameters];
  size_t tensorCount = 0;
  uint64_t key[2 * kMaxParameters];
  size_t keySize = 0;
  int64_t grid[3];
  int64_t programs = 0;
  Borrowed borrowed;

  bool checkBindings();
  bool bind(PyObject *const *args, size_t count, PyObject *keywords);
  bool bindKeywords(PyObject *const *args, PyObject *keywords);
  bool read();
  bool readOne(size_t index);
  void addConstexpr(PyObject *value);
  bool readGrid(PyObject *given);
  bool readGridTuple(PyObject *given);
  bool readGridSize(PyObject *given, int64_t &size);
  PyObject *metaArguments();
  uint64_t hash() const;
  Entry *addEntry(uint64_t hash);
  unsigned variant(KernelObject *kernel) const;
  unsigned streaming() const;
  bool overlapsAnother(uint16_t tensor) const;
  PyObject *overlapping() const;
  PyObject *compile(unsigned variant, bool isDecided);
  bool checkWritable(PyObject *kernel);
  bool run(KernelObject *kernel);

  bool refuse(const char *reason, PyObject *name, PyObject *value);
  bool refuseUnreadable(PyObject *name, PyObject *value);
};

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHCALL_H
