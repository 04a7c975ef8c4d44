//===- KernelSignature.cpp - What a module says of its kernel's arguments -*- C++ -*-===//
// For the launcher, which has to know what to pass. Any function will do: no dialect is named here.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
namespace nb = nanobind;

namespace blockdsl {
namespace {

/// The first public function with a body: the kernel. The functions it calls are private.
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

/// What the source calls an argument, if the module says so.
std::string nameOf(BlockArgument argument) {
  auto named = dyn_cast<NameLoc>(argument.getLoc());
  return named ? named.getName().str() : std::string();
}

/// The kernel's name, and of each argument its type's text, its attributes and its name.
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
