//===- GlobalsGuard.h - Guards on the values of global names ------------------------------------------------------===//
//
// Compiled code depends on the values of names at compile time: globals of the kernel's module, settings of torch. A
// guard is a tuple of triples: a namespace (a dict), a name in it, and the object that it must be bound to.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_GLOBALSGUARD_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_GLOBALSGUARD_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace blockdsl::python {

/// Returns true if an object is a guard. Otherwise sets a TypeError.
bool isGlobalsGuard(PyObject *object);

/// Returns true if each name is bound to the object that the guard has for it, or if the guard is null.
bool areGlobalsUnchanged(PyObject *guard);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_GLOBALSGUARD_H
