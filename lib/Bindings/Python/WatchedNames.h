//===- WatchedNames.h - Names that must mean what they did --------------------------------------------------------===//
//
// Compiled code follows from what names meant when it was compiled: globals of a kernel's module, switches of torch's.
// They are kept in a tuple of triples: a namespace (a dict), a name in it, and the object that it has to be.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_WATCHEDNAMES_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_WATCHEDNAMES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace blockdsl::python {

/// Whether an object is such a tuple; where not, a TypeError is set.
bool areWatchedNames(PyObject *names);

/// Whether each name is the object that it was. True of null.
bool areUnchanged(PyObject *names);

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_WATCHEDNAMES_H
