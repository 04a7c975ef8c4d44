//===- Untraced.h - Python that torch's Dynamo does not look at ---------------------------------------------------===//
//
// While a function of torch.compile's runs, Dynamo is shown every frame that Python is about to run, and compiles it.
// Where that function launches outside of a graph, Dynamo would compile our compiler, a piece at a time.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_UNTRACED_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_UNTRACED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace blockdsl::python {

/// For as long as it lives Dynamo is shown no frame of this thread.
class Untraced {
public:
  Untraced();
  Untraced(const Untraced &) = delete;
  Untraced &operator=(const Untraced &) = delete;
  ~Untraced();

private:
  PyObject *show = nullptr, *before = nullptr;
};

/// `untraced(function, *args, **kwargs)`.
PyObject *callUntraced(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *keywords);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_UNTRACED_H
