//===- Module.cpp - The extension module blockdsl._native -------*- C++ -*-===//
// It calls what the other files of this room bind, and blockdsl-opt.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "blockdsl/Tools/Opt.h"

/// The program blockdsl-opt: arguments in, exit status out.
static int runOpt(std::vector<std::string> arguments) {
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  return blockdsl::runOpt(static_cast<int>(arguments.size()), argv.data());
}

NB_MODULE(_native, module) {
  module.doc() = "MLIR contexts, the IR builder and pass managers of blockdsl";
  blockdsl::bindIR(module);
  blockdsl::bindDiagnostics(module);
  blockdsl::bindBuilder(module);
  blockdsl::bindPasses(module);
  blockdsl::bindKernelSignature(module);
  module.def("opt", runOpt, nanobind::arg("arguments"));
}
