//===- IRBuilder.cpp - Construction of IR from Python -----------*- C++ -*-===//
// create(op name, operands, attributes as text, result types as text or inferred, regions). Independent of the ops.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
namespace nb = nanobind;

namespace blockdsl {
namespace {

struct PyValue {
  Value value;
};

struct PyBlock {
  Block *block;
};

/// A region under construction. The builder owns it until an op is created with it.
struct PyRegion {
  Region *region;
};

class PyBuilder {
public:
  explicit PyBuilder(const PyContext &context)
      : context(context.context), builder(context.context.get()), location(builder.getUnknownLoc()) {}

  void setLocation(const std::string &file, unsigned line, unsigned column, unsigned endColumn,
                   const std::string &function) {
    StringAttr name = builder.getStringAttr(file);
    Location range = FileLineColRange::get(name, line, column, endColumn);
    location = function.empty() ? range : NameLoc::get(builder.getStringAttr(function), range);
  }

  PyBuilder(const PyBuilder &) = delete;
  ~PyBuilder() { discardRegions(); }

  PyModule createModule() {
    PyModule module(context, ModuleOp::create(location));
    // Kept alive as long as regions whose ops use its values.
    modules.push_back(module.module);
    return module;
  }

  PyRegion createRegion() {
    detached.push_back(std::make_unique<Region>());
    return {detached.back().get()};
  }

  /// Deletes the regions that no op was created with. They may use each other's values, so all uses are dropped first.
  void discardRegions() {
    for (const auto &region : detached)
      region->dropAllReferences();
    detached.clear();
  }

  PyBlock appendBlock(PyRegion &region, const std::vector<std::string> &types) {
    region.region->push_back(createBlock(types));
    return {&region.region->back()};
  }

  /// Appends a block to the region of another block.
  PyBlock appendSibling(PyBlock sibling, const std::vector<std::string> &types) {
    Region *region = sibling.block->getParent();
    region->push_back(createBlock(types));
    return {&region->back()};
  }

  void setInsertionPointToEnd(PyBlock block) { builder.setInsertionPointToEnd(block.block); }
  void setInsertionPointToModule(PyModule &module) { builder.setInsertionPointToEnd(module.module->getBody()); }

  PyOperation create(const std::string &name, const std::vector<PyValue> &operands,
                     const std::vector<std::pair<std::string, std::string>> &attributes,
                     std::optional<std::vector<std::string>> types, const std::vector<PyRegion *> &regions,
                     const std::vector<PyBlock> &successors) {
    DiagnosticCapture capture(context.get());
    OperationState state(location, registeredName(name));
    for (PyValue operand : operands)
      state.operands.push_back(operand.value);
    for (const auto &[key, text] : attributes)
      state.addAttribute(key, parseAttribute(text));
    for (PyRegion *region : regions)
      state.addRegion(takeRegion(region->region));
    for (PyBlock block : successors)
      state.addSuccessors(block.block);
    if (types) {
      for (const std::string &type : *types)
        state.addTypes(parseType(type));
    } else if (failed(inferTypes(state))) {
      capture.raise("verify");
    }
    return {builder.create(state), nullptr};
  }

  /// Sets an attribute on the op that defines a value, or on the function argument.
  void setAttribute(PyValue value, const std::string &name, const std::string &text) {
    if (Operation *op = value.value.getDefiningOp()) {
      op->setAttr(name, parseAttribute(text));
      return;
    }
    auto argument = cast<BlockArgument>(value.value);
    if (auto function = dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      function.setArgAttr(argument.getArgNumber(), name, parseAttribute(text));
  }

  void setOperationAttribute(PyOperation op, const std::string &name, const std::string &text) {
    op.op->setAttr(name, parseAttribute(text));
  }

private:
  std::unique_ptr<Region> takeRegion(Region *region) {
    auto found = llvm::find_if(detached, [&](const auto &one) { return one.get() == region; });
    if (found == detached.end())
      throw nb::value_error("a region becomes part of one op only");
    std::unique_ptr<Region> moved = std::move(*found);
    detached.erase(found);
    return moved;
  }

  Block *createBlock(const std::vector<std::string> &types) {
    Block *block = new Block();
    for (const std::string &type : types)
      block->addArgument(parseType(type), location);
    return block;
  }

  OperationName registeredName(const std::string &name) {
    StringRef dialect = StringRef(name).split('.').first;
    if (!context->getOrLoadDialect(dialect))
      throw nb::value_error(("no dialect is called '" + dialect.str() + "'").c_str());
    OperationName result(name, context.get());
    if (!result.isRegistered())
      throw nb::value_error(("no op is called '" + name + "'").c_str());
    return result;
  }

  LogicalResult inferTypes(OperationState &state) {
    auto *interface = state.name.getInterface<InferTypeOpInterface>();
    if (!interface)
      throw nb::value_error((state.name.getStringRef().str() + " does not infer its result types").c_str());
    DictionaryAttr attributes = state.attributes.getDictionary(context.get());
    std::vector<char> storage(state.name.getOpPropertyByteSize());
    OpaqueProperties properties = storage.empty() ? OpaqueProperties(nullptr) : OpaqueProperties(storage.data());
    if (!storage.empty()) {
      state.name.initOpProperties(properties, OpaqueProperties(nullptr));
      auto emit = [&] { return emitError(state.location) << "invalid attributes of " << state.name << ": "; };
      if (failed(state.name.setOpPropertiesFromAttribute(state.name, properties, attributes, emit)))
        return failure();
    }
    LogicalResult result = interface->inferReturnTypes(context.get(), state.location, state.operands, attributes,
                                                       properties, state.regions, state.types);
    if (!storage.empty())
      state.name.destroyOpProperties(properties);
    return result;
  }

  Type parseType(const std::string &text) {
    Type &type = types[text];
    if (!type) {
      DiagnosticCapture capture(context.get());
      loadDialectOf(text);
      type = mlir::parseType(text, context.get());
      if (!type)
        capture.raise("parse");
    }
    return type;
  }

  Attribute parseAttribute(const std::string &text) {
    Attribute &attribute = attributes[text];
    if (!attribute) {
      DiagnosticCapture capture(context.get());
      loadDialectOf(text);
      attribute = mlir::parseAttribute(text, context.get());
      if (!attribute)
        capture.raise("parse");
    }
    return attribute;
  }

  /// Loads the dialect of a type or attribute, such as `!tt.ptr<f32>` or `#llvm.x`, before it is parsed.
  void loadDialectOf(StringRef text) {
    for (size_t at = text.find_first_of("!#"); at != StringRef::npos; at = text.find_first_of("!#", at + 1))
      context->getOrLoadDialect(text.substr(at + 1).split('.').first);
  }

  std::shared_ptr<MLIRContext> context;
  std::vector<std::shared_ptr<ModuleOp>> modules;
  std::vector<std::unique_ptr<Region>> detached;
  OpBuilder builder;
  Location location;
  llvm::StringMap<Type> types;
  llvm::StringMap<Attribute> attributes;
};

std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

} // namespace

void bindBuilder(nb::module_ &module) {
  nb::class_<PyValue>(module, "Value")
      .def_prop_ro("type", [](PyValue self) { return printType(self.value.getType()); })
      .def_prop_ro("shape",
                   [](PyValue self) -> std::vector<int64_t> {
                     auto shaped = dyn_cast<RankedTensorType>(self.value.getType());
                     return shaped ? shaped.getShape().vec() : std::vector<int64_t>();
                   })
      .def_prop_ro("element_type", [](PyValue self) { return printType(getElementTypeOrSelf(self.value.getType())); })
      .def("__eq__", [](PyValue self, PyValue other) { return self.value == other.value; });

  nb::class_<PyBlock>(module, "Block").def_prop_ro("arguments", [](PyBlock self) {
    std::vector<PyValue> arguments;
    for (BlockArgument argument : self.block->getArguments())
      arguments.push_back({argument});
    return arguments;
  });

  nb::class_<PyRegion>(module, "Region");

  nb::class_<PyBuilder>(module, "IRBuilder")
      .def(nb::init<const PyContext &>())
      .def("set_location", &PyBuilder::setLocation)
      .def("create_module", &PyBuilder::createModule)
      .def("create_region", &PyBuilder::createRegion)
      .def("discard_regions", &PyBuilder::discardRegions)
      .def("append_block", &PyBuilder::appendBlock, nb::arg("region"), nb::arg("types"))
      .def("append_sibling", &PyBuilder::appendSibling)
      .def("set_insertion_point_to_end", &PyBuilder::setInsertionPointToEnd)
      .def("set_insertion_point_to_module", &PyBuilder::setInsertionPointToModule)
      .def("create", &PyBuilder::create, nb::arg("name"), nb::arg("operands"), nb::arg("attributes"),
           nb::arg("types").none(), nb::arg("regions"), nb::arg("successors"))
      .def("results",
           [](PyBuilder &, PyOperation op) {
             std::vector<PyValue> results;
             for (Value result : op.op->getResults())
               results.push_back({result});
             return results;
           })
      .def("set_value_attribute", &PyBuilder::setAttribute)
      .def("set_attribute", &PyBuilder::setOperationAttribute);
}

} // namespace blockdsl
