//===- NestsToLoops.cpp - Conversion of nests to vector loops ------------===//
//
// Each public tt.func becomes one func.func on raw pointers. PlanReader reads the decisions; RegionEmitter emits the
// plan through LoopNestEmitter, MatmulEmitter and Scan, which emit loops, ElementEmitter, which emits their bodies, and
// LaneEmitter, which emits scalar ops for all lanes.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"
#include "LoopHints.h"
#include "PlanReader.h"
#include "RegionEmitter.h"

#include "blockdsl/Analysis/InputVerifier.h"
#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace blockdsl {
#define GEN_PASS_DEF_CONVERTNESTSTOLOOPS
#include "blockdsl/Conversion/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

struct ConvertNestsToLoops : impl::ConvertNestsToLoopsBase<ConvertNestsToLoops> {
  using ConvertNestsToLoopsBase::ConvertNestsToLoopsBase;

  void runOnOperation() override {
    if (alias != "disjoint" && alias != "unknown") {
      getOperation().emitError("option 'alias' expects 'disjoint' or 'unknown', got '") << alias << "'";
      return signalPassFailure();
    }
    for (FuncOp function : llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (failed(convert(function)))
        return signalPassFailure();
  }

  LogicalResult convert(FuncOp source);
  func::FuncOp createFunction(OpBuilder &builder, FuncOp source);
};

/// Creates the function of a kernel. Attributes hold the alignment and aliasing of its raw pointers; the last argument
/// is scratch memory.
func::FuncOp ConvertNestsToLoops::createFunction(OpBuilder &builder, FuncOp source) {
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  SmallVector<Type> types;
  for (Type type : source.getArgumentTypes())
    types.push_back(LaneEmitter::registerType(type));
  types.push_back(pointer);
  auto function = func::FuncOp::create(builder, source.getLoc(), source.getName(), builder.getFunctionType(types, {}));
  function->setAttr("blockdsl.kernel", builder.getUnitAttr());
  for (auto [index, type] : llvm::enumerate(source.getArgumentTypes())) {
    auto divisibility = source.getArgAttrOfType<IntegerAttr>(index, "tt.divisibility");
    if (!isa<PtrType>(type)) {
      if (divisibility)
        function.setArgAttr(index, "tt.divisibility", divisibility);
      continue;
    }
    if (alias == "disjoint")
      function.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    if (divisibility && llvm::isPowerOf2_64(divisibility.getInt()))
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(divisibility.getInt()));
  }
  function.setArgAttr(types.size() - 1, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  function.setArgAttr(types.size() - 1, "blockdsl.scratch", builder.getUnitAttr());
  return function;
}

LogicalResult ConvertNestsToLoops::convert(FuncOp source) {
  if (failed(verifyEmitterInput(source)))
    return failure();
  OpBuilder builder(source);
  func::FuncOp function = createFunction(builder, source);
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  auto end = func::ReturnOp::create(builder, source.getLoc());
  builder.setInsertionPoint(end);

  VectorOptions options{vectorBits, features, sequential};
  EmissionContext context(builder, function, options);
  FailureOr<Schedule> plan = readPlan(source, options, context.hints, context.pointers);
  if (failed(plan))
    return failure();
  for (auto [from, to] : llvm::zip(source.getArguments(), entry->getArguments()))
    context.setScalar(from, to);
  if (failed(RegionEmitter(context).emit(*plan)))
    return failure();
  keepExchangesRolled(function);
  source.erase();
  return success();
}

} // namespace
} // namespace blockdsl
