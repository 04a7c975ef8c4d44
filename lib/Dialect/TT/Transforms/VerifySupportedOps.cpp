//===- VerifySupportedOps.cpp - Allow-list of ops in kernels on the CPU ---===//
// Texts may come from any source. Types and forms of the allowed ops are verified by the passes that lower them.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_VERIFYSUPPORTEDOPSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

static bool isSupported(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "cf")
    return isa<cf::BranchOp, cf::CondBranchOp, cf::SwitchOp>(op);
  if (dialect == "func")
    return isa<func::FuncOp, func::CallOp, func::ReturnOp>(op);
  if (llvm::is_contained({"tt", "arith", "math", "scf", "index"}, dialect))
    return true;
  if (isa<LLVM::ConstantOp>(op))
    return op->getResult(0).getType().isIntOrFloat();
  // Barriers are `gpu.barrier` in Triton 3.6 and `ttg.barrier` in later versions.
  return isa<ModuleOp, LLVM::AssumeOp, ub::PoisonOp>(op) ||
         llvm::is_contained({"gpu.barrier", "ttg.barrier"}, op->getName().getStringRef());
}

/// Refuses module assembly and data layouts, because LLVM would parse them.
static LogicalResult verifyModule(ModuleOp module) {
  for (NamedAttribute attribute : module->getDiscardableAttrs()) {
    StringRef dialect = attribute.getName().getValue().split('.').first;
    if (dialect == "llvm" || dialect == "dlti")
      return module.emitOpError("has attribute '")
             << attribute.getName().getValue() << "', which has no form on the CPU";
  }
  return success();
}

static LogicalResult verifyCall(CallOpInterface call) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  if (!symbol || (callee && !callee.isExternal()))
    return success();
  InFlightDiagnostic error = call->emitOpError("calls '")
                             << symbol.getLeafReference().getValue() << "', whose body the module does not have";
  error.attachNote(call.getLoc()) << "kernels on the CPU call no foreign functions";
  return error;
}

namespace {
struct VerifySupportedOps : blockdsl::impl::VerifySupportedOpsPassBase<VerifySupportedOps> {
  void runOnOperation() override {
    // Pre-order, so that an unsupported function is reported itself, not an op in its body.
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
      if (!isSupported(op))
        return op->emitOpError("has no form on the CPU");
      if (auto module = dyn_cast<ModuleOp>(op))
        return verifyModule(module);
      if (auto call = dyn_cast<CallOpInterface>(op))
        return verifyCall(call);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
