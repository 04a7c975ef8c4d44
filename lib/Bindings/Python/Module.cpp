//===- Module.cpp - The extension module blockdsl._native -------*- C++ -*-===//
// It only calls what the other files of this room bind.
//===----------------------------------------------------------------------===//
#include "Bindings.h"

NB_MODULE(_native, module) {
  module.doc() = "MLIR contexts, the IR builder and pass managers of blockdsl";
  blockdsl::bindIR(module);
  blockdsl::bindBuilder(module);
  blockdsl::bindPasses(module);
  blockdsl::bindKernelSignature(module);
}
