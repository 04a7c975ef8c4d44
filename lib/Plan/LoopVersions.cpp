//===- LoopVersions.cpp - Versions of a nest for addresses that wrap -------===//
//
// Follows the blocks that a nest computes, as the emitter does, and lists the integers whose strides have to be tested
// at run time.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Plan/LoopVersions.h"

#include "blockdsl/Analysis/BlockDivisors.h"
#include "blockdsl/Analysis/BlockRanges.h"
#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Analysis/MemoryTypes.h"
#include "blockdsl/Plan/MatmulPlan.h"
#include "blockdsl/Plan/Plan.h"

#include <set>

using namespace mlir;

namespace blockdsl {
namespace {

using Signs = BlockRanges::Signs;

class VersionFinder {
public:
  explicit VersionFinder(NestContext &context) : context(context), ranges(isInMemory), divisors(isInMemory) {}

  /// Sets the lanes of the nest's vectors, each of which starts at a multiple of them.
  void setVectors(const NestConfig &config) { mostLanes = config.lanes; }

  /// Adds the tests of a block whose elements are computed in vectors along the loop `lanes`, or -1.
  void visit(const View &view, int lanes);
  void visitBody(linalg::LinalgOp op, ArrayRef<int> loops, int lanes);
  /// Adds the tests of the bounds that a mask gives.
  void visitMask(const FusionGroup &group);
  LoopVersions take() const { return found; }

private:
  void visitRemainder(linalg::LinalgOp op, Operation *def);
  void visitStrided(linalg::LinalgOp op, Operation *def, ArrayRef<int> loops, int lanes);
  bool isTested(linalg::LinalgOp op, Value scalar, Signs signs);
  int64_t divisorAtVectors(linalg::LinalgOp op, Value scalar, ArrayRef<int> loops, int lanes) const;

  NestContext &context;
  BlockRanges ranges;
  BlockDivisors divisors;
  int64_t mostLanes = 0; ///< elements of the longest vector, which starts at a multiple of them; 0 if it need not
  LoopVersions found;
  std::set<std::tuple<void *, SmallVector<int, 4>, int>> seen;
};

/// Returns true if it is known only at run time that an integer never wraps.
bool VersionFinder::isTested(linalg::LinalgOp op, Value scalar, Signs signs) {
  RangeScalars tests;
  return ranges.neverWraps(op, scalar, signs, &tests) && !tests.empty();
}

/// A remainder of consecutive numbers by one number is tested to be consecutive numbers, too.
void VersionFinder::visitRemainder(linalg::LinalgOp op, Operation *def) {
  auto isUniform = [](auto stride) { return stride == 0; };
  if (!context.pointers.getConsecutiveLoop(op, def->getOperand(0)) ||
      !llvm::all_of(context.pointers.getBodyStrides(op, def->getOperand(1)), isUniform))
    return;
  RangeScalars tests;
  auto signs = isa<arith::RemSIOp>(def) ? Signs::NonNegative : Signs::Unsigned;
  found.remaindersWrap |= ranges.neverWraps(op, def->getOperand(0), signs, &tests);
}

/// Returns the divisor of an integer at the start of each vector.
int64_t VersionFinder::divisorAtVectors(linalg::LinalgOp op, Value scalar, ArrayRef<int> loops, int lanes) const {
  SmallVector<int64_t> multiples;
  for (auto [loop, extent] : llvm::zip(loops, op.getStaticLoopRanges()))
    multiples.push_back(extent == 1 ? kMostDivisor : loop == lanes && extent % mostLanes == 0 ? mostLanes : 1);
  return divisors.ofBody(op, scalar, multiples);
}

/// A strided integer is tested where an extension, a division or an address needs its stride in a wider type.
void VersionFinder::visitStrided(linalg::LinalgOp op, Operation *def, ArrayRef<int> loops, int lanes) {
  bool divides = isa<arith::RemSIOp, arith::DivSIOp>(def), isOffset = isa<AddPtrOp>(def);
  bool casts = isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(def);
  if (!divides && !isOffset && !casts)
    return;
  Value scalar = def->getOperand(isOffset ? 1 : 0);
  if (isa<IndexType>(scalar.getType()) || (isOffset && scalar.getType().isInteger(64)))
    return;
  const int *loop = llvm::find(loops, lanes);
  if (lanes == -1 || loop == loops.end())
    return;
  std::optional<int64_t> stride = context.pointers.getBodyStrides(op, scalar)[loop - loops.begin()];
  if (!stride || *stride == 0 || (std::abs(*stride) != 1 && !isLoadedStrided(*stride, 1)))
    return;
  // The additions within a vector only fill zero bits, and do not carry.
  if (!divides && mostLanes != 0 && *stride > 0 &&
      *stride * (mostLanes - 1) < divisorAtVectors(op, scalar, loops, lanes))
    return;
  Signs signs = divides                                          ? Signs::NonNegative
                : isa<arith::ExtUIOp, arith::IndexCastUIOp>(def) ? Signs::Unsigned
                                                                 : Signs::Signed;
  found.integersWrap |= isTested(op, scalar, signs);
}

void VersionFinder::visitBody(linalg::LinalgOp op, ArrayRef<int> loops, int lanes) {
  for (Operation &def : op.getBlock()->without_terminator()) {
    if (def.getNumResults() != 1)
      continue;
    if (isa<arith::RemSIOp, arith::RemUIOp>(def))
      visitRemainder(op, &def);
    visitStrided(op, &def, loops, lanes);
  }
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<RankedTensorType>(input->get().getType()))
      visit(viewOfOperand(op, input, loops), lanes);
}

void VersionFinder::visit(const View &view, int lanes) {
  Operation *op = view.block.getDefiningOp();
  if (!seen.insert({view.block.getAsOpaquePointer(), view.loops, lanes}).second || !op || isInMemory(view.block))
    return;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return visit(viewOfSource(expand, view), lanes);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return visit(viewOfSource(collapse, view), lanes);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp && isFusible(op))
    visitBody(linalgOp, getLoops(linalgOp, view), lanes);
}

void VersionFinder::visitMask(const FusionGroup &group) {
  if (group.bounds.empty())
    return;
  SmallVector<bool> allowed(group.shape.size(), group.demand.axis == -1);
  if (group.demand.axis != -1)
    allowed[group.demand.axis] = true;
  auto neverWraps = [&](linalg::LinalgOp op, Value scalar, bool isSigned) {
    RangeScalars tests;
    bool holds = ranges.neverWraps(op, scalar, isSigned ? Signs::Signed : Signs::Unsigned, &tests);
    found.integersWrap |= holds && !tests.empty();
    return holds;
  };
  findMaskBounds(context.pointers, group.demand.mask, group.shape, allowed, isInMemory, neverWraps,
                 [&](const MaskBound &bound) { return group.bounds.contains(bound); });
}

/// Operands are read along either of the last two dimensions, depending on how they are packed.
void visitMatmul(VersionFinder &finder, const FusionGroup &group) {
  for (OpOperand &operand : group.op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (int64_t rank = type ? type.getRank() : 0, dim = std::max<int64_t>(rank - 2, 0); dim < rank; ++dim)
      finder.visit(viewOf(operand.get(), type.getShape()), dim);
  }
}

} // namespace

LoopVersions chooseVersions(NestContext &context, const FusionGroup &group) {
  VersionFinder finder(context);
  if (group.kind == FusionGroup::Kind::Matmul) {
    visitMatmul(finder, group);
    return finder.take();
  }
  // The tiles of a matmul run along its columns.
  int lanes = group.isEpilogue ? 1 : group.config.laneDim;
  bool isNest = group.kind == FusionGroup::Kind::Nest && !group.isEpilogue && group.config.transposed.dim == -1;
  if (isNest && !group.stores.align && !llvm::is_contained(group.bounds.from, lanes))
    finder.setVectors(group.config);
  if (group.kind == FusionGroup::Kind::Scan)
    for (Value operand : group.op->getOperands())
      finder.visit(viewOf(operand, group.shape), lanes);
  for (const View &view : getUsedBlocks(group))
    finder.visit(view, lanes);
  for (const View &view : group.config.transposed.blocks)
    finder.visit(view, group.config.transposed.dim);
  SmallVector<int, 4> loops(viewOf(Value(), group.shape).loops);
  for (const FusionRoot &root : group.roots)
    if (root.kind == FusionRoot::Kind::Effects) {
      finder.visitBody(cast<linalg::LinalgOp>(root.op), loops, lanes);
      // A scan in squares stores along the other dimension.
      if (group.kind == FusionGroup::Kind::Scan && group.config.transposed.dim != -1)
        finder.visitBody(cast<linalg::LinalgOp>(root.op), loops, group.config.transposed.dim);
    }
  finder.visitMask(group);
  return finder.take();
}

} // namespace blockdsl
