//===- InputVerifier.cpp - Verifier of the loop emitter's input -------------===//
//
// The loop emitter reads the output of `convert-tt-to-linalg`, but a user may run it on any module. Each op is verified
// once, before code is emitted.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Analysis/InputVerifier.h"

#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace blockdsl {
namespace {

bool isScalar(Type type) {
  if (auto pointer = dyn_cast<PtrType>(type))
    return !pointer.isBlockPointer();
  return type.isIntOrFloat() || isa<IndexType>(type);
}

bool isBlock(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block && block.hasStaticShape() && isScalar(block.getElementType());
}

bool isValue(Type type) { return isScalar(type) || isBlock(type); }

/// Returns true if `isOne` holds for the types of all operands and results of `op` and all arguments of its regions.
bool allTypes(Operation *op, function_ref<bool(Type)> isOne) {
  auto areOnes = [&](auto types) { return llvm::all_of(types, isOne); };
  return areOnes(op->getOperandTypes()) && areOnes(op->getResultTypes()) &&
         llvm::all_of(op->getRegions(), [&](Region &region) {
           return llvm::all_of(region, [&](Block &block) { return areOnes(block.getArgumentTypes()); });
         });
}

/// Emits the error for an op in an unsupported form.
LogicalResult refuse(Operation *op) { return op->emitOpError("has no form on the CPU yet"); }

/// Verifies an elementwise body, or the combine region of a reduction or scan: ops on scalars, in loops and branches of
/// scalars. If `mayGather`, `tensor.extract` may read an element of a block at a computed index.
LogicalResult verifyBody(Region &region, bool mayGather) {
  if (!region.hasOneBlock())
    return refuse(region.getParentOp());
  for (Operation &op : region.front()) {
    bool reads = mayGather && isa<tensor::ExtractOp>(op);
    bool takesScalars = allTypes(&op, reads ? isValue : isScalar);
    bool isStructured = isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op);
    if (!takesScalars || op.getNumSuccessors() != 0 || (op.getNumRegions() != 0 && !isStructured))
      return refuse(&op);
    for (Region &inner : op.getRegions())
      if (!inner.empty() && failed(verifyBody(inner, mayGather)))
        return failure();
  }
  return success();
}

/// Returns true if each dimension of an input follows one loop or has a constant index.
bool isInputMap(AffineMap map) {
  return map.getNumSymbols() == 0 && llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr, AffineConstantExpr>);
}

LogicalResult verifyLinalg(linalg::LinalgOp op) {
  bool isParallel = op.getNumReductionLoops() == 0;
  bool isProduct = isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op);
  // The maps of `matmul` may also transpose or broadcast an operand.
  if (isProduct && op.hasUserDefinedMaps())
    return refuse(op);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isInit = op.isDpsInit(&operand);
    if (isParallel ? !(isInit ? map.isIdentity() : isInputMap(map)) : !isProduct)
      return refuse(op);
    if (isInit && !isBlock(operand.get().getType()))
      return refuse(op);
  }
  return verifyBody(op->getRegion(0), /*mayGather=*/true);
}

LogicalResult verifyOp(Operation &op);

LogicalResult verifyBlock(Block &block) {
  for (Operation &op : block)
    if (failed(verifyOp(op)))
      return failure();
  return success();
}

LogicalResult verifyOp(Operation &op) {
  if (!allTypes(&op, isValue))
    return refuse(&op);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return verifyLinalg(linalgOp);
  if (auto nest = dyn_cast<cpu::NestOp>(op))
    return verifyBlock(nest.getBody().front());
  if (isa<ReduceOp, ScanOp>(op))
    return verifyBody(op.getRegion(0), /*mayGather=*/false);
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
    for (Region &region : op.getRegions())
      if (!region.empty() && (!region.hasOneBlock() || failed(verifyBlock(region.front()))))
        return region.hasOneBlock() ? failure() : refuse(&op);
    return success();
  }
  if (isa<scf::YieldOp, scf::ConditionOp, cpu::YieldOp, ReturnOp, HistogramOp, ub::PoisonOp>(op) || isAtomic(&op) ||
      isa<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractOp>(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isScalar(constant.getType()) || isa<DenseElementsAttr>(constant.getValue()) ? success() : refuse(&op);
  // The emitter clones any other op on scalars unchanged.
  if (!allTypes(&op, isScalar) || op.getNumRegions() != 0 || op.getNumSuccessors() != 0 || isa<CallOp>(op))
    return refuse(&op);
  return success();
}

} // namespace

LogicalResult verifyEmitterInput(FuncOp kernel) {
  if (failed(verifyKernel(kernel)))
    return failure();
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("expects a body with structured control flow");
  return verifyBlock(kernel.getBody().front());
}

} // namespace blockdsl
