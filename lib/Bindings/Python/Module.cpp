//===- Module.cpp - Extension module blockdsl._native -----------*- C++ -*-===//
// Registers the bindings of the other files in this directory and two functions of lib/Tools.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "GIL.h"
#include "ModuleExecution.h"
#include "blockdsl/Tools/DeepStack.h"
#include "blockdsl/Tools/Opt.h"

/// Runs the program blockdsl-opt with arguments and returns its exit status.
static int runOpt(std::vector<std::string> arguments) {
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  return blockdsl::runOpt(static_cast<int>(arguments.size()), argv.data());
}

/// Calls `function` on a stack for deep recursion. C++ exceptions must not leave that stack.
static nanobind::object callDeep(nanobind::callable function) {
  PyObject *result = nullptr;
  blockdsl::callOnDeepStack(
      [&] { result = blockdsl::callPython([&] { return PyObject_CallNoArgs(function.ptr()); }); });
  if (!result)
    throw nanobind::python_error();
  return nanobind::steal(result);
}

/// Adds the contents of the module: once a process, because nanobind registers each type once.
static bool fill(nanobind::module_ module) {
  blockdsl::bindIR(module);
  blockdsl::bindDiagnostics(module);
  blockdsl::bindBuilder(module);
  blockdsl::bindPasses(module);
  blockdsl::bindKernelSignature(module);
  blockdsl::bindCrashReport(module);
  module.def("call_deep", callDeep, nanobind::arg("function"));
  module.def("opt", runOpt, nanobind::arg("arguments"));
  return true;
}

NB_MODULE(_native, module) {
  module.doc() = "MLIR contexts, the IR builder and pass managers of blockdsl";
  // Threads that compile while the interpreter exits keep their objects.
  nanobind::set_leak_warnings(false);
  auto fillOnce = [](PyObject *first) { return fill(nanobind::borrow<nanobind::module_>(first)); };
  if (!blockdsl::python::executeOnce(module.ptr(), fillOnce))
    throw nanobind::python_error();
}
