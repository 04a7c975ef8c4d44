//===- CollectFunctions.cpp - Collection of functions in one module -------===//
// Moves the functions of nested modules to the outermost module and rewrites ops of the func dialect to tt ops, because
// later passes handle nothing else.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_COLLECTFUNCTIONSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// Moves the functions of `inner` to the end of `outer`, which has the symbol table `symbols`.
static LogicalResult moveFunctions(ModuleOp inner, ModuleOp outer, SymbolTable &symbols) {
  for (Operation &op : llvm::make_early_inc_range(*inner.getBody())) {
    if (auto module = dyn_cast<ModuleOp>(op)) {
      if (failed(moveFunctions(module, outer, symbols)))
        return failure();
      continue;
    }
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return op.emitOpError("expects a module to hold functions");
    if (Operation *other = symbols.lookup(function.getName())) {
      auto known = cast<SymbolOpInterface>(other);
      if (function.isPublic() && known.isPublic()) {
        // Callers find a kernel by its name, so no public function can be renamed.
        InFlightDiagnostic error = op.emitOpError("expects one public function '")
                                   << function.getName() << "' in all modules, which are lowered as one";
        error.attachNote(other->getLoc()) << "another is here: rename one of them, or lower each module for itself, "
                                             "with -split-input-file and '// -----' between the modules";
        return error;
      }
      // The public one keeps its name.
      bool isInnerRenamed = !function.isPublic();
      Operation *renamed = isInnerRenamed ? function.getOperation() : other;
      std::string name = function.getName().str();
      do
        name += "_";
      while (symbols.lookup(name) || SymbolTable::lookupSymbolIn(inner, name));
      auto attribute = StringAttr::get(op.getContext(), name);
      if (!isInnerRenamed)
        symbols.remove(other);
      [[maybe_unused]] LogicalResult isKnown =
          SymbolTable::replaceAllSymbolUses(renamed, attribute, isInnerRenamed ? inner : outer);
      assert(succeeded(isKnown) && "nothing but a call names a function");
      SymbolTable::setSymbolName(renamed, attribute);
      if (!isInnerRenamed)
        symbols.insert(other);
    }
    op.remove();
    symbols.insert(&op, outer.getBody()->end());
  }
  inner.erase();
  return success();
}

static void convertToTT(func::FuncOp function) {
  OpBuilder b(function);
  OperationState state(function.getLoc(), FuncOp::getOperationName());
  for (NamedAttribute attribute : function->getAttrDictionary())
    if (attribute.getName() != "no_inline")
      state.addAttribute(attribute.getName(), attribute.getValue());
  state.addRegion()->takeBody(function.getBody());
  b.create(state);
  function.erase();
}

namespace {
struct CollectFunctions : blockdsl::impl::CollectFunctionsPassBase<CollectFunctions> {
  void runOnOperation() override {
    // Functions with results are no kernels. As private functions they may be renamed below.
    getOperation().walk([](CallOpInterface call) {
      auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
      if (callee && callee.getNumResults() != 0)
        callee.setPrivate();
    });
    SymbolTable symbols(getOperation());
    for (ModuleOp inner : llvm::make_early_inc_range(getOperation().getOps<ModuleOp>()))
      if (failed(moveFunctions(inner, getOperation(), symbols)))
        return signalPassFailure();
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      convertToTT(function);
    getOperation().walk([](Operation *op) {
      OpBuilder b(op);
      if (auto end = dyn_cast<func::ReturnOp>(op)) {
        ReturnOp::create(b, op->getLoc(), end.getOperands());
        op->erase();
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        auto ours = CallOp::create(b, op->getLoc(), call.getResultTypes(), call.getCalleeAttr(), call.getOperands(),
                                   call.getArgAttrsAttr(), call.getResAttrsAttr());
        op->replaceAllUsesWith(ours);
        op->erase();
      } else if (auto splat = dyn_cast<SplatOp>(op); splat && isa<RankedTensorType>(splat.getSrc().getType())) {
        splat.getSrcMutable().assign(UnsplatOp::create(b, op->getLoc(), splat.getSrc()));
      }
    });
  }
};
} // namespace
