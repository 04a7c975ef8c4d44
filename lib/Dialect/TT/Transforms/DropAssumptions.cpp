//===- DropAssumptions.cpp - Removal of assumptions about values ----------===//
//
// LLVM treats violated assumptions (no overflow, no NaN, an exact quotient, `llvm.intr.assume`) and poison as undefined
// behavior: stores vanish, and wrong branches are taken. Without them a kernel is well defined, and some optimizations
// are lost.
//
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_DROPASSUMPTIONSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// Returns zero of the op's type, or null if this is neither a number or pointer nor a block of either.
static Value createZero(OpBuilder &b, ub::PoisonOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  auto block = dyn_cast<RankedTensorType>(op.getType());
  if (isa<PtrType>(element)) {
    Type integers = block ? Type(block.clone(b.getI64Type())) : Type(b.getI64Type());
    Value zero = arith::ConstantOp::create(b, op.getLoc(), b.getZeroAttr(integers));
    return IntToPtrOp::create(b, op.getLoc(), op.getType(), zero);
  }
  if (!element.isIntOrIndexOrFloat())
    return {};
  return arith::ConstantOp::create(b, op.getLoc(), b.getZeroAttr(op.getType()));
}

static void dropFlags(Operation *op) {
  MLIRContext *context = op->getContext();
  if (auto integers = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    op->setAttr(integers.getIntegerOverflowAttrName(),
                arith::IntegerOverflowFlagsAttr::get(context, arith::IntegerOverflowFlags::none));
  if (auto floats = dyn_cast<arith::ArithFastMathInterface>(op); floats && floats.getFastMathFlagsAttr()) {
    auto kept = ~(arith::FastMathFlags::nnan | arith::FastMathFlags::ninf);
    arith::FastMathFlags flags = floats.getFastMathFlagsAttr().getValue() & kept;
    op->setAttr(floats.getFastMathAttrName(), arith::FastMathFlagsAttr::get(context, flags));
  }
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    op->removeAttr("isExact");
}

namespace {
struct DropAssumptions : blockdsl::impl::DropAssumptionsPassBase<DropAssumptions> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      dropFlags(op);
      OpBuilder b(op);
      if (isa<LLVM::AssumeOp>(op)) {
        op->erase();
      } else if (auto poison = dyn_cast<ub::PoisonOp>(op)) {
        if (Value zero = createZero(b, poison)) {
          poison.replaceAllUsesWith(zero);
          poison.erase();
        }
      }
    });
  }
};
} // namespace
