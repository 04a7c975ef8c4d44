//===- IR.cpp - Contexts, modules, operations, attributes -------*- C++ -*-===//
// The part of MLIR's Python bindings that this package uses, with the same names.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "GIL.h"
#include "blockdsl/Pipelines/Register.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
namespace nb = nanobind;

namespace blockdsl {

PyContext::PyContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  // Modules of kernels are small, so a thread pool for each context would cost more than it saves.
  context = std::make_shared<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
}

static std::string printAttribute(const PyAttribute &self) {
  std::string text;
  llvm::raw_string_ostream(text) << self.attribute;
  return text;
}

/// Converts an integer, bool, float, string or location attribute, or an array of these, to a Python value. Returns the
/// text of any other attribute.
static nb::object attributeValue(const PyAttribute &self) {
  if (auto integer = dyn_cast<IntegerAttr>(self.attribute))
    return integer.getType().isInteger(1) ? nb::cast(integer.getValue().isOne())
                                          : nb::cast(integer.getValue().getSExtValue());
  if (auto number = dyn_cast<FloatAttr>(self.attribute))
    return nb::cast(number.getValueAsDouble());
  if (auto text = dyn_cast<StringAttr>(self.attribute))
    return nb::cast(text.getValue().str());
  if (auto location = dyn_cast<LocationAttr>(self.attribute))
    return placeOf(location);
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(self.attribute))
    return nb::cast(integers.asArrayRef().vec());
  if (auto array = dyn_cast<ArrayAttr>(self.attribute)) {
    nb::list values;
    for (Attribute each : array)
      values.append(attributeValue({each, self.owner}));
    return values;
  }
  return nb::cast(printAttribute(self));
}

static std::string printOperation(Operation *op, bool debugInfo) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().enableDebugInfo(debugInfo));
  return text;
}

static PyModule parseModule(const std::string &text, PyContext &context, const std::string &name, bool fromFrontend) {
  DiagnosticCapture capture(context.context.get());
  context.hasUntrustedText |= !fromFrontend;
  OwningOpRef<ModuleOp> module;
  {
    ScopedGILRelease released;
    module = parseSourceString<ModuleOp>(text, ParserConfig(context.context.get()), name);
  }
  if (!module)
    capture.raise("parse");
  return PyModule(context.context, module.release());
}

static bool verifyOperation(const PyOperation &self) {
  DiagnosticCapture capture(self.op->getContext());
  if (failed(verify(self.op)))
    capture.raise("verify");
  return true;
}

void bindIR(nb::module_ &module) {
  nb::class_<PyContext>(module, "Context").def(nb::init<>());

  nb::class_<PyAttribute>(module, "Attribute").def("__str__", printAttribute).def_prop_ro("value", attributeValue);

  nb::class_<PyOperation>(module, "Operation")
      .def("verify", verifyOperation)
      .def_prop_ro("name", [](const PyOperation &self) { return self.op->getName().getStringRef().str(); })
      .def_prop_ro("attributes",
                   [](const PyOperation &self) {
                     nb::dict attributes;
                     for (NamedAttribute named : self.op->getAttrs())
                       attributes[named.getName().str().c_str()] = nb::cast(PyAttribute{named.getValue(), self.owner});
                     return attributes;
                   })
      .def_prop_ro("operations",
                   [](const PyOperation &self) {
                     std::vector<PyOperation> nested;
                     for (Region &region : self.op->getRegions())
                       for (Operation &op : region.getOps())
                         nested.push_back({&op, self.owner});
                     return nested;
                   })
      .def(
          "get_asm", [](const PyOperation &self, bool info) { return printOperation(self.op, info); },
          nb::arg("enable_debug_info") = false)
      .def("__str__", [](const PyOperation &self) { return printOperation(self.op, false); });

  nb::class_<PyModule>(module, "Module")
      .def_static("parse", parseModule, nb::arg("text"), nb::arg("context"), nb::arg("source_name") = "-",
                  nb::arg("from_frontend") = false)
      .def_prop_ro("operation", [](PyModule &self) { return PyOperation{self.module->getOperation(), self.module}; })
      .def("take_attribute",
           [](PyModule &self, const std::string &name) -> std::optional<PyAttribute> {
             Attribute removed = (*self.module)->removeAttr(name);
             return removed ? std::optional(PyAttribute{removed, self.module}) : std::nullopt;
           })
      .def("clone", [](PyModule &self) { return PyModule(self.context, self.module->clone()); })
      .def("__str__", [](PyModule &self) { return printOperation(self.module->getOperation(), false); });
}

} // namespace blockdsl
