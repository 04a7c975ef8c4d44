// The extension module `blockdsl._native`: it only calls what the other files of this room bind.
#include <nanobind/nanobind.h>

NB_MODULE(_native, module) { module.doc() = "MLIR contexts, the IR builder and the launcher of blockdsl"; }
