//===- MaskBounds.cpp - Loop bounds in a mask ------------------------------===//

#include "blockdsl/Plan/MaskBounds.h"

#include "blockdsl/Analysis/BlockRanges.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Plan/MatmulPlan.h"

using namespace mlir;

namespace blockdsl {
namespace {

class MaskBoundsFinder {
public:
  using AddFn = llvm::function_ref<bool(const MaskBound &bound)>;
  MaskBoundsFinder(PointerAnalysis &pointers, ArrayRef<int64_t> shape, ArrayRef<bool> allowed, IsInMemoryFn isInMemory,
                   NeverWrapsFn neverWraps, AddFn add)
      : pointers(pointers), shape(shape), allowed(allowed), isInMemory(isInMemory), neverWraps(neverWraps), add(add) {}

  SmallVector<MaskPart> run(Value mask) {
    visit(viewOf(mask, shape));
    return std::move(parts);
  }

private:
  std::optional<MaskLoops> visit(const View &view);
  std::optional<MaskLoops> visitBody(linalg::LinalgOp op, Value scalar, ArrayRef<int> loops);
  std::optional<MaskLoops> visitCompare(linalg::LinalgOp op, arith::CmpIOp compare, ArrayRef<int> loops);
  std::optional<MaskLoops> visitInvariant(linalg::LinalgOp op, arith::CmpIOp compare);
  MaskLoops none() const {
    SmallVector<bool, 4> no(shape.size(), false);
    return {no, no};
  }

  PointerAnalysis &pointers;
  ArrayRef<int64_t> shape;
  ArrayRef<bool> allowed;
  IsInMemoryFn isInMemory;
  NeverWrapsFn neverWraps;
  AddFn add;
  SmallVector<MaskPart> parts;
};

/// Returns true if a nest writes `block` to a buffer.
bool isKept(Value block) {
  return llvm::any_of(block.getUses(), [](OpOperand &use) {
    auto nest = dyn_cast<cpu::NestOp>(use.getOwner()->getParentOp());
    return nest && use.getOwner() == nest.getYield() && use.getOperandNumber() < nest->getNumResults() &&
           nest.getStorage(nest->getResult(use.getOperandNumber())) == cpu::Storage::Buffer;
  });
}

/// Returns the loops of `view` if it is true within the bounds; nullopt if a part of it may still be false.
std::optional<MaskLoops> MaskBoundsFinder::visit(const View &view) {
  Operation *op = view.block.getDefiningOp();
  std::optional<MaskLoops> result;
  // A mask that will be in a buffer must not bound a nest: later nests find no bounds in it, and would read elements
  // that were not computed.
  if (!op || isInMemory(view.block) || isKept(view.block))
    return std::nullopt;
  if (getConstantElement(view.block) == -1 || getConstantElement(view.block) == 1)
    return none();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    View source{expand.getSrc(), {}};
    ArrayRef<int64_t> sizes = expand.getResultType().getShape();
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      int loop = -1;
      for (int64_t dim : group) {
        if (sizes[dim] == 1)
          continue;
        if (loop != -1)
          return std::nullopt;
        loop = view.loops[dim];
      }
      source.loops.push_back(loop);
    }
    result = visit(source);
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    unsigned number = cast<OpResult>(view.block).getResultNumber();
    result = visitBody(linalgOp, linalgOp.getBlock()->getTerminator()->getOperand(number), getLoops(linalgOp, view));
  }
  if (result)
    parts.push_back({view, *result});
  return result;
}

std::optional<MaskLoops> MaskBoundsFinder::visitBody(linalg::LinalgOp op, Value scalar, ArrayRef<int> loops) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (argument.getOwner() != op.getBlock())
      return std::nullopt;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType()) || !startsAtZero(op, operand))
      return std::nullopt;
    return visit(viewOfOperand(op, operand, loops));
  }
  Operation *def = scalar.getDefiningOp();
  if (def->getBlock() != op.getBlock())
    return std::nullopt;
  if (isa<arith::AndIOp>(def)) {
    auto lhs = visitBody(op, def->getOperand(0), loops);
    auto rhs = visitBody(op, def->getOperand(1), loops);
    if (!lhs || !rhs)
      return std::nullopt;
    for (unsigned loop = 0; loop != shape.size(); ++loop) {
      lhs->dependsOn[loop] |= rhs->dependsOn[loop];
      lhs->heldBy[loop] |= rhs->heldBy[loop];
    }
    return lhs;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(def))
    return visitCompare(op, compare, loops);
  return std::nullopt;
}

/// Finds the bound of a comparison that is the same for the whole nest: an allowed loop runs completely or not at all.
std::optional<MaskLoops> MaskBoundsFinder::visitInvariant(linalg::LinalgOp op, arith::CmpIOp compare) {
  int along = -1;
  for (unsigned loop = 0; loop != shape.size() && along == -1; ++loop)
    if (allowed[loop] && shape[loop] != 1)
      along = loop;
  if (along == -1)
    return std::nullopt;
  if (!add({MaskBound::Kind::Whole, static_cast<unsigned>(along), op, compare}))
    return std::nullopt;
  MaskLoops found = none();
  found.heldBy[along] = true;
  return found;
}

std::optional<MaskLoops> MaskBoundsFinder::visitCompare(linalg::LinalgOp op, arith::CmpIOp compare,
                                                        ArrayRef<int> loops) {
  using P = arith::CmpIPredicate;
  Strides lhs = pointers.getBodyStrides(op, compare.getLhs());
  Strides rhs = pointers.getBodyStrides(op, compare.getRhs());
  int along = -1;
  int64_t step = 0;
  for (auto [loop, left, right] : llvm::zip(loops, lhs, rhs)) {
    if (loop == -1)
      continue; // a dimension of one element
    if (!left || !right)
      return std::nullopt;
    if (*left == *right)
      continue;
    if (along != -1)
      return std::nullopt;
    along = loop;
    step = *left - *right;
  }
  P predicate = compare.getPredicate();
  bool isSigned = predicate == P::slt || predicate == P::sle || predicate == P::sgt || predicate == P::sge;
  bool isOrder = predicate != P::eq && predicate != P::ne, moves = false;
  for (auto [loop, left] : llvm::zip(loops, lhs))
    moves |= loop != -1 && left != 0;
  // Numbers that wrap are not ordered.
  if (isOrder && (moves || along != -1) &&
      (!neverWraps(op, compare.getLhs(), isSigned) || !neverWraps(op, compare.getRhs(), isSigned)))
    return std::nullopt;
  if (along == -1)
    return visitInvariant(op, compare);
  if (!allowed[along] || (step != 1 && step != -1) || !isOrder)
    return std::nullopt;
  bool less = predicate == P::slt || predicate == P::ult || predicate == P::sle || predicate == P::ule;
  bool orEqual = predicate == P::sle || predicate == P::ule || predicate == P::sge || predicate == P::uge;
  MaskBound bound{{}, static_cast<unsigned>(along), op, compare};
  bound.growsRight = step == -1;
  bound.kind = less != bound.growsRight ? MaskBound::Kind::Below : MaskBound::Kind::From;
  bound.orEqual = orEqual;
  bound.isSigned = isSigned;
  if (!add(bound))
    return std::nullopt;
  MaskLoops found = none();
  found.dependsOn[along] = found.heldBy[along] = true;
  return found;
}

} // namespace

SmallVector<MaskPart> findMaskBounds(PointerAnalysis &pointers, Value mask, ArrayRef<int64_t> shape,
                                     ArrayRef<bool> allowed, IsInMemoryFn isInMemory, NeverWrapsFn neverWraps,
                                     llvm::function_ref<bool(const MaskBound &bound)> add) {
  return MaskBoundsFinder(pointers, shape, allowed, isInMemory, neverWraps, add).run(mask);
}

/// Adds the bounds of a matmul's common dimension: the steps that do not add zero. For floats both factors have to be
/// zero, because zero times infinity is NaN.
static void addCommonBounds(PointerAnalysis &pointers, const MatmulPlan &matmul, BoundedDims &found) {
  BlockRanges ranges(isInMemory);
  auto neverWraps = [&](linalg::LinalgOp op, Value scalar, bool isSigned) {
    auto signs = isSigned ? BlockRanges::Signs::Signed : BlockRanges::Signs::Unsigned;
    return ranges.neverWraps(op, scalar, signs, /*conditions=*/nullptr);
  };
  unsigned below = 0, from = 0;
  for (const MatmulOperand *operand : {&matmul.lhs, &matmul.rhs}) {
    if (!operand->zeros)
      continue;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(operand->zeros->mask.getType()).getShape();
    SmallVector<bool> allowed(shape.size(), false);
    allowed[operand->zeros->common] = true;
    BoundedDims dims;
    findMaskBounds(pointers, operand->zeros->mask, shape, allowed, isInMemory, neverWraps, [&](const MaskBound &bound) {
      dims.get(bound.kind).push_back(bound.loop);
      return true;
    });
    below += !dims.below.empty();
    from += !dims.from.empty();
  }
  unsigned needed = isa<FloatType>(matmul.element) ? 2 : 1;
  if (below >= needed)
    found.below.push_back(matmul.commonDim());
  if (from >= needed)
    found.from.push_back(matmul.commonDim());
}

/// Returns the loops that the mask of the elements which a nest has to compute can bound.
static BoundedDims findDemandedDims(PointerAnalysis &pointers, const FusionGroup &group) {
  BoundedDims found;
  const DemandedMask &demand = group.demand;
  if (!demand)
    return found;
  bool isMatmul = group.kind == FusionGroup::Kind::Matmul;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(demand.mask.getType()).getShape();
  int rank = shape.size();
  SmallVector<bool> allowed(rank, false);
  for (int dim = isMatmul ? rank - 2 : 0; dim < rank; ++dim)
    allowed[dim] = demand.axis == -1 || demand.axis == dim;
  BlockRanges ranges(isInMemory);
  auto neverWraps = [&](linalg::LinalgOp op, Value scalar, bool isSigned) {
    // Before a matmul nothing is tested.
    RangeScalars tests;
    auto signs = isSigned ? BlockRanges::Signs::Signed : BlockRanges::Signs::Unsigned;
    return ranges.neverWraps(op, scalar, signs, isMatmul ? nullptr : &tests);
  };
  findMaskBounds(pointers, demand.mask, shape, allowed, isInMemory, neverWraps, [&](const MaskBound &bound) {
    if (!found.contains(bound))
      found.get(bound.kind).push_back(bound.loop);
    return true;
  });
  // Tiles and scans start at the first row and column. Only stores may skip the first elements; a buffer, and the first
  // vector of a reduction, need them.
  if (isMatmul || group.kind == FusionGroup::Kind::Scan)
    found.from.clear();
  else if (!found.from.empty() &&
           !llvm::all_of(group.roots, [](const FusionRoot &root) { return root.kind == FusionRoot::Kind::Effects; }))
    return {};
  llvm::sort(found.below);
  llvm::sort(found.from);
  return found;
}

BoundedDims findBoundedDims(PointerAnalysis &pointers, const FusionGroup &group) {
  BoundedDims found = findDemandedDims(pointers, group);
  if (group.matmul)
    addCommonBounds(pointers, *group.matmul, found);
  return found;
}

} // namespace blockdsl
