//===- RewriteBlockPointers.cpp - Lowering of block pointers --------------===//
//
// Block pointers exist in Triton 3.6 and 3.7. Each is a base, sizes, strides and offsets. Loops carry only the offsets,
// since `tt.advance` changes nothing else.
//
//===----------------------------------------------------------------------===//

#include "StridedBlock.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace blockdsl {
#define GEN_PASS_DEF_REWRITEBLOCKPOINTERSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

/// The op that creates a block pointer, and the pointer's offsets after all advances.
struct BlockPointer {
  MakeTensorPtrOp origin;
  SmallVector<Value> offsets;
};

bool isBlockPointer(Type type) {
  auto pointer = dyn_cast<PtrType>(type);
  return pointer && pointer.isBlockPointer();
}

/// Follows `tt.advance` ops back to `tt.make_tensor_ptr`, and emits the sums of their offsets. Returns nothing if the
/// pointer has another origin.
std::optional<BlockPointer> resolve(OpBuilder &b, Value pointer) {
  if (auto make = pointer.getDefiningOp<MakeTensorPtrOp>())
    return BlockPointer{make, SmallVector<Value>(make.getOffsets())};
  auto advance = pointer.getDefiningOp<AdvanceOp>();
  if (!advance)
    return std::nullopt;
  std::optional<BlockPointer> from = resolve(b, advance.getPtr());
  if (!from)
    return std::nullopt;
  for (auto [offset, by] : llvm::zip(from->offsets, advance.getOffsets()))
    offset = arith::AddIOp::create(b, advance.getLoc(), offset, by);
  return from;
}

/// Replaces a carried block pointer by its offsets. Returns the new loop, or null if the pointer cannot be resolved.
scf::ForOp carryOffsets(IRRewriter &rewriter, scf::ForOp loop, unsigned index) {
  rewriter.setInsertionPoint(loop);
  std::optional<BlockPointer> init = resolve(rewriter, loop.getInitArgs()[index]);
  if (!init)
    return {};
  unsigned first = loop.getNumRegionIterArgs();
  auto unchanged = [](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
    return llvm::to_vector_of<Value>(added);
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(rewriter, init->offsets,
                                                            /*replaceInitOperandUsesInLoop=*/false, unchanged));
  BlockArgument carried = loop.getRegionIterArg(index);
  MakeTensorPtrOp origin = init->origin;
  auto remake = [&](ValueRange offsets) -> Value {
    return MakeTensorPtrOp::create(rewriter, loop.getLoc(), carried.getType(), origin.getBase(), origin.getShape(),
                                   origin.getStrides(), offsets, origin.getOrder());
  };
  rewriter.setInsertionPointToStart(loop.getBody());
  rewriter.replaceAllUsesWith(carried, remake(loop.getRegionIterArgs().drop_front(first)));
  Operation *yield = loop.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  std::optional<BlockPointer> next = resolve(rewriter, yield->getOperand(index));
  if (!next)
    return {};
  for (auto [position, offset] : llvm::enumerate(next->offsets))
    yield->setOperand(first + position, offset);
  yield->setOperand(index, carried);
  rewriter.setInsertionPointAfter(loop);
  rewriter.replaceAllUsesWith(loop.getResult(index), remake(loop.getResults().drop_front(first)));
  return loop;
}

/// Returns the addresses of the block's elements, and the mask of those in the checked bounds.
Addresses createAddresses(IRRewriter &rewriter, Location loc, const BlockPointer &pointer,
                          std::optional<ArrayRef<int32_t>> checked) {
  MakeTensorPtrOp origin = pointer.origin;
  StridedBlock block;
  block.base = origin.getBase();
  block.type = cast<RankedTensorType>(cast<PtrType>(origin.getType()).getPointeeType());
  for (auto [offset, size] : llvm::zip(pointer.offsets, block.type.getShape()))
    block.indices.push_back(createRange(rewriter, loc, offset, size));
  llvm::append_range(block.extents, origin.getShape());
  llvm::append_range(block.strides, origin.getStrides());
  return blockdsl::createAddresses(rewriter, loc, block, checked.value_or(ArrayRef<int32_t>()));
}

void rewriteLoad(IRRewriter &rewriter, LoadOp load, const BlockPointer &pointer) {
  Addresses at = createAddresses(rewriter, load.getLoc(), pointer, load.getBoundaryCheck());
  Value other;
  auto type = cast<RankedTensorType>(load.getType());
  if (at.mask) {
    TypedAttr fill = getPadding(type.getElementType(), load.getPadding().value_or(PaddingOption::Zero));
    other = arith::ConstantOp::create(rewriter, load.getLoc(), DenseElementsAttr::get(type, fill));
  }
  Value value = LoadOp::create(rewriter, load.getLoc(), type, at.pointers, at.mask, other, DenseI32ArrayAttr(),
                               PaddingOptionAttr(), load.getCachePolicyAttr(), load.getIsVolatileAttr());
  rewriter.replaceOp(load, value);
}

void rewriteStore(IRRewriter &rewriter, StoreOp store, const BlockPointer &pointer) {
  Addresses at = createAddresses(rewriter, store.getLoc(), pointer, store.getBoundaryCheck());
  StoreOp::create(rewriter, store.getLoc(), at.pointers, store.getValue(), at.mask, DenseI32ArrayAttr(),
                  store.getCachePolicyAttr());
  rewriter.eraseOp(store);
}

struct RewriteBlockPointersPass : impl::RewriteBlockPointersPassBase<RewriteBlockPointersPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    // Outer loops first, so that the initial pointers of inner loops can be resolved.
    getOperation()->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned index = 0, count = loop.getNumRegionIterArgs(); index < count; ++index) {
        if (!isBlockPointer(loop.getRegionIterArg(index).getType()))
          continue;
        scf::ForOp next = carryOffsets(rewriter, loop, index);
        if (!next)
          return fail(loop);
        loop = next;
      }
    SmallVector<Operation *> accesses;
    getOperation()->walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp>(op) && isBlockPointer(op->getOperand(0).getType()))
        accesses.push_back(op);
    });
    for (Operation *op : accesses) {
      rewriter.setInsertionPoint(op);
      std::optional<BlockPointer> pointer = resolve(rewriter, op->getOperand(0));
      if (!pointer)
        return fail(op);
      if (auto load = dyn_cast<LoadOp>(op))
        rewriteLoad(rewriter, load, *pointer);
      else
        rewriteStore(rewriter, cast<StoreOp>(op), *pointer);
    }
    if (failed(dropUnused()))
      signalPassFailure();
  }

  /// Removes block pointers without accesses, and the loop results and arguments that carry them.
  LogicalResult dropUnused() {
    auto hasBlockPointer = [](Operation *op) {
      return isa<MakeTensorPtrOp, AdvanceOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!getOperation()->walk(hasBlockPointer).wasInterrupted())
      return success();
    RewritePatternSet patterns(&getContext());
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  void fail(Operation *op) {
    op->emitOpError(
        "expects a block pointer that comes from one tt.make_tensor_ptr, through loops and tt.advance only");
    signalPassFailure();
  }
};

} // namespace
} // namespace blockdsl
