//===- KernelSignature.cpp - Signature of the kernel in a module -*- C++ -*-===//
// The launcher reads from it how to pass arguments. Independent of the function's dialect.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
namespace nb = nanobind;

namespace blockdsl {
namespace {

/// Returns the kernel: the first public function with a body. Functions that it calls are private.
FunctionOpInterface findKernel(ModuleOp module) {
  for (auto function : module.getOps<FunctionOpInterface>())
    if (function.isPublic() && !function.isExternal())
      return function;
  return nullptr;
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Returns the name of an argument in the source, or an empty string if the module does not have it.
std::string nameOf(BlockArgument argument) {
  auto named = dyn_cast<NameLoc>(argument.getLoc());
  return named ? named.getName().str() : std::string();
}

/// Returns the kernel's name and, for each argument, the text of its type, its attributes and its name.
nb::object kernelSignature(PyModule &self) {
  FunctionOpInterface kernel = findKernel(*self.module);
  if (!kernel)
    return nb::none();
  nb::list arguments;
  for (unsigned index = 0; index < kernel.getNumArguments(); ++index) {
    nb::dict attributes;
    for (NamedAttribute named : kernel.getArgAttrs(index))
      attributes[named.getName().str().c_str()] = nb::cast(PyAttribute{named.getValue(), self.module});
    BlockArgument argument = kernel.getArgument(index);
    arguments.append(nb::make_tuple(textOf(argument.getType()), attributes, nameOf(argument)));
  }
  return nb::make_tuple(SymbolTable::getSymbolName(kernel).str(), arguments);
}

} // namespace

void bindKernelSignature(nb::module_ &module) { module.def("kernel_signature", kernelSignature, nb::arg("module")); }

} // namespace blockdsl
