//===- TTDialect.cpp - The tt dialect ---------------------------*- C++ -*-===//
// Registration of the dialect, its constants, inlining, and the verifier of block sizes. Each family of ops has its own
// file.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace blockdsl;

#include "blockdsl/Dialect/TT/IR/TTDialect.cpp.inc"
#include "blockdsl/Dialect/TT/IR/TTEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "blockdsl/Dialect/TT/IR/TTAttrs.cpp.inc"

namespace {
struct TTInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    auto noinline = callable->getAttrOfType<BoolAttr>("noinline");
    return !noinline || !noinline.getValue();
  }

  /// A callee of several blocks cannot be inlined into a region of a single block, such as a loop's body.
  bool isLegalToInline(Region *destination, Region *source, bool, IRMapping &) const final {
    if (source->hasOneBlock())
      return true;
    Operation *parent = destination->getParentOp();
    return !parent->mightHaveTrait<mlir::OpTrait::SingleBlock>();
  }

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

  void handleTerminator(Operation *op, Block *destination) const final {
    auto returnOp = dyn_cast<ReturnOp>(op);
    if (!returnOp)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), destination, returnOp.getOperands());
    op->erase();
  }

  void handleTerminator(Operation *op, ValueRange results) const final {
    for (auto [result, operand] : llvm::zip(results, op->getOperands()))
      result.replaceAllUsesWith(operand);
  }
};
} // namespace

void TTDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "blockdsl/Dialect/TT/IR/TTAttrs.cpp.inc"
      >();
}

void TTDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerProgramOps();
  registerMemoryOps();
  registerAtomicOps();
  registerDescriptorOps();
  registerElementwiseOps();
  registerShapeOps();
  registerReduceOps();
  registerDotOps();
  registerDebugOps();
  registerControlOps();
  addInterfaces<TTInlinerInterface>();
}

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult blockdsl::verifyBlockSize(Operation *op, Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return success(!block || succeeded(verifyBlockSize([op] { return op->emitOpError(); }, block)));
}

LogicalResult blockdsl::verifyBlockSize(function_ref<InFlightDiagnostic()> emitError, RankedTensorType block) {
  if (!block.hasStaticShape())
    return emitError() << "expects block (" << block << ") to have a static shape";
  int64_t count = 1;
  for (int64_t size : block.getShape()) {
    if (!llvm::isPowerOf2_64(size))
      return emitError() << "expects sizes of block (" << block << ") to be powers of two, not " << size;
    // A division, because the product of sizes may overflow.
    if (size > maxBlockElements / count)
      return emitError() << "expects block (" << block << ") to have at most " << maxBlockElements << " elements";
    count *= size;
  }
  return success();
}
