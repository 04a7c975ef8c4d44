//===- ModuleExecution.h - One execution of an extension module for all imports -----------------------------------===//
//
// Python drops a module whose import an exception ends. KeyboardInterrupt can do that after the module was executed,
// and the next import executes it again, in a process that has its types and handlers already.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_MODULEEXECUTION_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_MODULEEXECUTION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace blockdsl::python {

/// Calls `fill` with the first module that is executed, and copies the contents of that one to each further module.
/// Returns false, with an exception set, on failure. One call site for each extension.
template <typename Fill> bool executeOnce(PyObject *module, Fill fill) {
  static PyObject *contents = nullptr;
  if (contents)
    return PyDict_Merge(PyModule_GetDict(module), contents, /*override=*/0) == 0;
  if (!fill(module))
    return false;
  contents = Py_NewRef(PyModule_GetDict(module));
  return true;
}

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_MODULEEXECUTION_H
