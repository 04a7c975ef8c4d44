//===- NestConfig.cpp - Vector dimension and loop order of a nest --------===//
//
// Lanes run along the dimension in which memory is contiguous. In a reduction along another dimension each lane then
// accumulates its own result, without a transposition.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Plan/NestConfig.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Analysis/MemoryTypes.h"
#include "blockdsl/Plan/Plan.h"
#include "blockdsl/Plan/TransposedAccess.h"

#include "blockdsl/Analysis/CombineRegions.h"
#include "blockdsl/Dialect/TT/IR/TT.h"

using namespace mlir;

namespace blockdsl {
namespace {

/// With fewer rows or lanes a gather takes no longer than a transposition.
constexpr int64_t kNarrow = 4;
/// The weight of an access that depends on every loop; other accesses, of weight 1, are hoisted out of some loop.
constexpr int64_t kWholeAccess = 64;
/// Bytes of a cache line.
constexpr int64_t kLine = 64;

/// Preferences for each dimension of a nest, from the memory accesses that a set of blocks is computed from.
struct AccessSurvey {
  NestContext &context;
  int64_t dims; ///< number of dimensions with loops
  SmallVector<int64_t, 4> scores;
  /// The number of accesses that are contiguous along each dimension.
  SmallVector<int64_t, 4> loadsAlong, storesAlong;
  /// The number of contiguous elements along each dimension in blocks that are read through a reshape; 0 for all.
  SmallVector<int64_t, 4> runs;
  int64_t stores = 0, cost = 0;
  unsigned widest = 32;
  bool scalarOnly = false, isLong = false;
  llvm::DenseSet<Value> seen;

  void visit(const View &view);
  void cutRuns(int loop, RankedTensorType source, ArrayRef<int64_t> group);
  TransposedAccess chooseTransposed(ArrayRef<int64_t> shape, ArrayRef<View> blocks, int &laneDim) const;
  void visitBody(linalg::LinalgOp op, ArrayRef<int> loops);
  void countStore(ArrayRef<std::optional<int64_t>> strides, ArrayRef<int> loops);
  void score(ArrayRef<std::optional<int64_t>> strides, ArrayRef<int> loops, int64_t contiguous, bool isStore = false);
};

/// Contiguous stores score more than contiguous loads: a scatter costs more than a gather, and writes to as many cache
/// lines as it has lanes.
void AccessSurvey::score(ArrayRef<std::optional<int64_t>> strides, ArrayRef<int> loops, int64_t contiguous,
                         bool isStore) {
  stores += isStore;
  auto moves = [](auto access) { return std::get<1>(access) != -1 && std::get<0>(access) != 0; };
  bool isWhole = llvm::count_if(llvm::zip(strides, loops), moves) == dims;
  int64_t weight = isWhole ? kWholeAccess : 1;
  for (auto [stride, loop] : llvm::zip(strides, loops)) {
    if (loop == -1)
      continue;
    if (stride == contiguous) {
      scores[loop] += weight * (isStore ? 5 : 4);
      ++(isStore ? storesAlong : loadsAlong)[loop];
    } else if (stride == 0)
      scores[loop] += weight;
    else
      scores[loop] -= weight * 2;
  }
}

/// Counts a write to a buffer. In a nest without stores it only affects the choice of transposed accesses.
void AccessSurvey::countStore(ArrayRef<std::optional<int64_t>> strides, ArrayRef<int> loops) {
  ++stores;
  for (auto [stride, loop] : llvm::zip(strides, loops))
    if (loop != -1 && stride == 1)
      ++storesAlong[loop];
}

void AccessSurvey::visitBody(linalg::LinalgOp op, ArrayRef<int> loops) {
  for (Operation &inner : op.getBlock()->without_terminator()) {
    for (Type type : inner.getResultTypes())
      if (isa<FloatType>(type))
        widest = std::max(widest, type.getIntOrFloatBitWidth());
    scalarOnly |= inner.getNumRegions() != 0;
    isLong |= isTranscendental(&inner);
    Value pointer;
    if (auto load = dyn_cast<LoadOp>(inner)) {
      pointer = load.getPtr();
      // LLVM has no masked load and no gather that is volatile.
      scalarOnly |= load.getIsVolatile();
    } else if (auto store = dyn_cast<StoreOp>(inner))
      pointer = store.getPtr();
    if (pointer)
      score(context.hints.getBodyStrides(op, pointer), loops,
            getByteSize(cast<PtrType>(pointer.getType()).getPointeeType()), isa<StoreOp>(inner));
  }
}

/// Notes that `loop` runs over a group of merged dimensions of `source`: only its innermost dimension is contiguous.
void AccessSurvey::cutRuns(int loop, RankedTensorType source, ArrayRef<int64_t> group) {
  SmallVector<int64_t> sizes;
  for (int64_t dim : group)
    if (source.getDimSize(dim) != 1)
      sizes.push_back(source.getDimSize(dim));
  if (loop != -1 && sizes.size() > 1)
    runs[loop] = runs[loop] == 0 ? sizes.back() : std::min(runs[loop], sizes.back());
}

void AccessSurvey::visit(const View &view) {
  if (!seen.insert(view.block).second)
    return;
  Operation *op = view.block.getDefiningOp();
  auto type = cast<RankedTensorType>(view.block.getType());
  if (isa<FloatType>(type.getElementType()))
    widest = std::max(widest, type.getElementTypeBitWidth());
  if (context.isInMemory(view.block) || !op) {
    return score(getBufferStrides(type), view.loops, 1);
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return visit(viewOfSource(expand, view));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    // A block in memory is contiguous across merged dimensions.
    if (!context.isInMemory(collapse.getSrc()))
      for (auto [loop, group] : llvm::zip(view.loops, collapse.getReassociationIndices()))
        cutRuns(loop, collapse.getSrcType(), group);
    return visit(viewOfSource(collapse, view));
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !isFusible(op))
    return;
  SmallVector<int, 4> loops = getLoops(linalgOp, view);
  visitBody(linalgOp, loops);
  for (OpOperand *input : linalgOp.getDpsInputOperands())
    if (isa<RankedTensorType>(input->get().getType()))
      visit(viewOfOperand(linalgOp, input, loops));
}

/// Returns loads that are contiguous along another dimension than the lanes. If all stores are contiguous along one
/// dimension, `laneDim` becomes that dimension, because loads can be transposed and stores cannot.
TransposedAccess AccessSurvey::chooseTransposed(ArrayRef<int64_t> shape, ArrayRef<View> blocks, int &laneDim) const {
  auto isInMemory = [&](Value block) { return context.isInMemory(block); };
  int stored = laneDim;
  for (auto [dim, count] : llvm::enumerate(storesAlong))
    if (stores != 0 && count == stores)
      stored = dim;
  for (int lanes : {stored, laneDim})
    for (auto [dim, count] : llvm::enumerate(loadsAlong)) {
      if (count == 0 || lanes == -1 || lanes == static_cast<int>(dim) || std::min(shape[dim], shape[lanes]) < kNarrow)
        continue;
      if (SmallVector<View> across = findTransposed(context.hints, isInMemory, blocks, lanes, dim); !across.empty()) {
        laneDim = lanes;
        return {static_cast<int>(dim), 1, 1, std::move(across)};
      }
    }
  return {};
}

/// Sets the sizes of transposed squares, which have as many rows and lanes as a register holds elements of the widest
/// block. Several squares cover a cache line of the narrowest block in both directions, so that whole lines are read
/// and written.
void fitSquares(NestContext &context, ArrayRef<int64_t> shape, NestConfig &nest) {
  TransposedAccess &transposed = nest.transposed;
  if (transposed.dim == -1)
    return;
  int64_t widest = 4, narrowest = 8;
  for (const View &view : transposed.blocks) {
    int64_t bytes = getByteSize(cast<RankedTensorType>(view.block.getType()).getElementType());
    widest = std::max(widest, bytes);
    narrowest = std::min(narrowest, bytes);
  }
  int64_t rows = llvm::bit_floor<uint64_t>(shape[transposed.dim]);
  int64_t lanes = llvm::bit_floor<uint64_t>(shape[nest.laneDim]);
  transposed.square = std::min({context.options.vectorBits / 8 / widest, rows, lanes});
  transposed.rows = std::max(transposed.square, std::min(kLine / narrowest, rows));
  nest.lanes = nest.machineLanes = std::min(std::max(nest.machineLanes, kLine / narrowest), lanes);
}

/// Visits the accesses of the blocks that a nest uses, and of the blocks `written` that it writes to buffers.
AccessSurvey surveyAccesses(NestContext &context, ArrayRef<int64_t> shape, ArrayRef<View> blocks,
                            ArrayRef<View> written) {
  SmallVector<int64_t, 4> zeros(shape.size(), 0);
  int64_t dims = llvm::count_if(shape, [](int64_t size) { return size != 1; });
  AccessSurvey survey{context, dims, zeros, zeros, zeros, zeros};
  for (const View &view : blocks) {
    survey.visit(view);
    survey.cost += context.costs.getCost(view.block);
  }
  // Blocks of pointers are the addresses of stores.
  for (const View &view : blocks) {
    auto pointee = dyn_cast<PtrType>(cast<RankedTensorType>(view.block.getType()).getElementType());
    if (pointee && !context.isInMemory(view.block) && view.block.getDefiningOp())
      survey.score(context.hints.getStrides(view.block), view.loops, getByteSize(pointee.getPointeeType()),
                   /*isStore=*/true);
  }
  for (const View &view : survey.stores == 0 ? written : ArrayRef<View>())
    survey.countStore(getBufferStrides(cast<RankedTensorType>(view.block.getType())), view.loops);
  return survey;
}

/// Returns the dimension in which most accesses are contiguous; -1 if all have one element.
int chooseLaneDim(const AccessSurvey &survey, ArrayRef<int64_t> shape) {
  int laneDim = -1;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 1)
      continue;
    bool better = laneDim == -1 || survey.scores[dim] >= survey.scores[laneDim];
    // At equal scores a dimension of few elements is not preferred to a longer one.
    if (better && laneDim != -1 && size < 8 && shape[laneDim] > size && survey.scores[dim] == survey.scores[laneDim])
      better = false;
    if (better)
      laneDim = dim;
  }
  return laneDim;
}

/// Chooses the lanes along the vector dimension.
void chooseLanes(const AccessSurvey &survey, ArrayRef<int64_t> shape, NestConfig &nest) {
  if (nest.laneDim == -1)
    return;
  // Several machine vectors are independent dependency chains. Two are enough for a polynomial, which has parallelism
  // of its own, and leave fewer lanes of the last step unused.
  int64_t unroll = survey.cost <= 12 ? 4 : survey.cost <= 160 ? 2 : 1;
  int64_t machineLanes = std::max<int64_t>(1, survey.context.options.vectorBits / survey.widest);
  nest.lanes = std::min(machineLanes * unroll, shape[nest.laneDim]);
  // Lanes that span several contiguous runs are gathered, with 64-bit divisions for the addresses. Fewer lanes are
  // faster, unless they fill less than a quarter of a register and a polynomial is computed in it.
  if (int64_t run = survey.runs[nest.laneDim]; run != 0 && (!survey.isLong || 4 * run >= machineLanes))
    nest.lanes = std::min(nest.lanes, run);
  nest.machineLanes = std::min(machineLanes, nest.lanes);
}

/// Orders the loops: the transposed dimension, the lanes, and a reduced dimension other than the lanes are innermost.
void chooseOrder(ArrayRef<int64_t> shape, int axis, NestConfig &nest) {
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1 && !llvm::is_contained({nest.laneDim, axis, nest.transposed.dim}, static_cast<int>(dim)))
      nest.order.push_back(dim);
  if (nest.transposed.dim != -1)
    nest.order.push_back(nest.transposed.dim);
  if (nest.laneDim != -1)
    nest.order.push_back(nest.laneDim);
  if (axis != -1 && axis != nest.laneDim && shape[axis] != 1)
    nest.order.push_back(axis);
}

} // namespace

NestConfig chooseNestConfig(NestContext &context, ArrayRef<int64_t> shape, ArrayRef<View> blocks, int axis,
                            ArrayRef<View> written) {
  AccessSurvey survey = surveyAccesses(context, shape, blocks, written);
  NestConfig result;
  if (!survey.scalarOnly)
    result.laneDim = chooseLaneDim(survey, shape);
  if (!survey.scalarOnly && axis == -1)
    result.transposed = survey.chooseTransposed(shape, blocks, result.laneDim);
  chooseLanes(survey, shape, result);
  fitSquares(context, shape, result);
  chooseOrder(shape, axis, result);
  return result;
}

SmallVector<View> getUsedBlocks(const FusionGroup &unit) {
  SmallVector<View> blocks;
  if (unit.kind == FusionGroup::Kind::Scan)
    for (Value block : unit.op->getOperands())
      blocks.push_back(viewOf(block, unit.shape));
  for (const FusionRoot &root : unit.kind == FusionGroup::Kind::Scan ? ArrayRef<FusionRoot>() : unit.roots)
    for (Value block : root.op ? ValueRange(root.op->getOperands()) : ValueRange(root.block))
      if (isa<RankedTensorType>(block.getType()))
        blocks.push_back(viewOf(block, unit.shape));
  return blocks;
}

NestConfig chooseNestConfig(NestContext &context, const FusionGroup &unit) {
  SmallVector<View> written;
  for (const FusionRoot &root : unit.roots)
    if (root.kind == FusionRoot::Kind::Write)
      written.push_back(viewOf(root.block, unit.shape));
  NestConfig config = chooseNestConfig(context, unit.shape, getUsedBlocks(unit), unit.axis, written);
  for (const FusionRoot &root : unit.roots)
    if (root.kind == FusionRoot::Kind::Reduce && needsScalarCombine(root.op->getRegion(0)))
      config.makeScalar();
  return config;
}

/// The rows of a square up to which a scan runs over two squares at once.
static constexpr int64_t kInterleavedSquare = 8;

/// Returns true if a scan in log2 steps within vectors costs less than transposing elements. Products of floats have no
/// such steps.
static bool isCheap(Region &region) {
  return llvm::range_size(region.front().without_terminator()) <= 2 && !isFloatProduct(region);
}

bool storesAlong(PointerAnalysis &pointers, linalg::GenericOp generic, int dim) {
  return llvm::all_of(generic.getBody()->getOps<StoreOp>(), [&](StoreOp store) {
    return pointers.getBodyStrides(generic, store.getPtr())[dim] == getByteSize(store.getValue().getType());
  });
}

/// Sets the squares of a scan whose lanes are rows: its buffers are contiguous along the last dimension, the axis, and
/// so may be the blocks that it reads and the memory that it stores to.
static void transposeRows(NestContext &context, const FusionGroup &unit, int axis, NestConfig &nest) {
  ArrayRef<int64_t> shape = unit.shape;
  int64_t square = nest.machineLanes;
  if (nest.laneDim == -1 || nest.laneDim == axis || axis != static_cast<int>(shape.size()) - 1 || shape[axis] < square)
    return;
  auto isInMemory = [&](Value block) { return context.isInMemory(block); };
  SmallVector<View> read = findTransposed(context.hints, isInMemory, getUsedBlocks(unit), nest.laneDim, axis);
  bool isWrittenAcross = unit.nest->getNumResults() == 0 && llvm::all_of(unit.roots, [&](const FusionRoot &root) {
                           return storesAlong(context.hints, cast<linalg::GenericOp>(root.op), nest.laneDim);
                         });
  if (read.empty() && isWrittenAcross)
    return;
  nest.transposed = {axis, square, square, std::move(read)};
  // Two independent chains of combinations, unless squares of one fill the registers.
  if (square <= kInterleavedSquare && shape[nest.laneDim] >= 2 * square)
    nest.lanes = 2 * square;
}

/// Chooses the configuration of a scan, which uses one machine vector at a time.
NestConfig chooseScanConfig(NestContext &context, const FusionGroup &unit) {
  auto op = cast<ScanOp>(unit.op);
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  int axis = op.getAxis();
  NestConfig shape;
  bool oneLane = needsScalarCombine(op->getRegion(0));
  // Along the last dimension lanes are contiguous; lanes across rows would be strided.
  bool alongRows = axis == type.getRank() - 1 && type.getDimSize(axis) >= 8 && isCheap(op->getRegion(0));
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (static_cast<int>(dim) != axis && size >= 8 && !oneLane && !alongRows)
      shape.laneDim = dim;
  if (shape.laneDim == -1 && type.getDimSize(axis) >= 8 && !oneLane)
    shape.laneDim = axis;
  unsigned widest = 32;
  for (Type operand : op->getOperandTypes())
    widest = std::max(widest, getElementTypeOrSelf(operand).getIntOrFloatBitWidth());
  if (shape.laneDim != -1)
    shape.lanes = shape.machineLanes =
        std::min<int64_t>(context.options.vectorBits / widest, type.getDimSize(shape.laneDim));
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size != 1 && static_cast<int>(dim) != shape.laneDim && static_cast<int>(dim) != axis)
      shape.order.push_back(dim);
  if (shape.laneDim != -1 && shape.laneDim != axis)
    shape.order.push_back(shape.laneDim);
  transposeRows(context, unit, axis, shape);
  return shape;
}

} // namespace blockdsl
