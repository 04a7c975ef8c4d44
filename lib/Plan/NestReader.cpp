//===- NestReader.cpp - Decisions about a nest, read from its attributes -----===//

#include "blockdsl/Plan/NestReader.h"

#include "blockdsl/Analysis/CombineRegions.h"
#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "blockdsl/Plan/TransposedAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

using cpu::NestOp;
using cpu::Storage;

static ArrayRef<int64_t> shapeOf(Value block) { return cast<RankedTensorType>(block.getType()).getShape(); }

//===-- Storage of results --------------------------------------------------===//

Value getDestination(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return index < loop.getNumControlOperands() ? Value() : loop.getRegionIterArg(index - loop.getNumControlOperands());
  if (auto loop = dyn_cast<scf::WhileOp>(user))
    return loop.getBeforeArguments()[index];
  if (auto condition = dyn_cast<scf::ConditionOp>(user))
    return index == 0 ? Value() : Value(cast<scf::WhileOp>(user->getParentOp()).getAfterArguments()[index - 1]);
  if (!isa<scf::YieldOp>(user))
    return {};
  if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp()))
    return loop.getRegionIterArg(index);
  if (auto loop = dyn_cast<scf::WhileOp>(user->getParentOp()))
    return loop.getBeforeArguments()[index];
  return user->getParentOp()->getResult(index);
}

/// Returns the result of the enclosing loop whose carried block receives a copy of `spare` at the end of an iteration;
/// null if there is none.
static Value getSpare(OpResult spare) {
  OpOperand &use = *spare.use_begin();
  auto yield = dyn_cast<cpu::YieldOp>(use.getOwner());
  auto loop = dyn_cast<scf::ForOp>(spare.getOwner()->getParentOp());
  if (!yield || !loop || use.getOperandNumber() >= yield.getValues().size())
    return {};
  OpResult copy = yield->getParentOp()->getResult(use.getOperandNumber());
  Value carried = copy.hasOneUse() ? getDestination(*copy.use_begin()) : Value();
  auto argument = dyn_cast_or_null<BlockArgument>(carried);
  return argument && argument.getOwner() == loop.getBody() ? loop.getTiedLoopResult(argument) : Value();
}

Value getTarget(OpResult result) {
  switch (cast<NestOp>(result.getOwner()).getStorage(result)) {
  case Storage::Register:
  case Storage::Buffer:
    return result;
  case Storage::Destination:
    return result.hasOneUse() ? getDestination(*result.use_begin()) : Value();
  case Storage::Spare:
    return result.hasOneUse() ? getSpare(result) : Value();
  }
  llvm_unreachable("every storage has a target");
}

//===-- Consumers -----------------------------------------------------------===//

/// Returns true for a reduction or an op with side effects, which a nest runs for each element.
static bool isRoot(Operation *op) {
  return isa<ReduceOp>(op) || (isa<linalg::GenericOp>(op) && op->getNumResults() == 0);
}

namespace {

/// Adds the consumers of a nest to its group, all over one shape.
class ConsumerReader {
public:
  ConsumerReader(NestOp nest, FusionGroup &group) : nest(nest), group(group) {}

  LogicalResult run();

private:
  LogicalResult add(Operation *op);
  LogicalResult addKept(OpResult result);
  LogicalResult setShape(Value block);

  NestOp nest;
  FusionGroup &group;
};

} // namespace

LogicalResult ConsumerReader::setShape(Value block) {
  if (!isa<RankedTensorType>(block.getType()))
    return nest.emitOpError("expects to yield blocks, or results of the ops in it");
  if (group.roots.size() == 1)
    group.shape.assign(shapeOf(block).begin(), shapeOf(block).end());
  else if (shapeOf(block) != ArrayRef<int64_t>(group.shape))
    return nest.emitOpError("expects consumers over one shape, got (")
           << shapeOf(block) << ") beside (" << group.shape << ")";
  return success();
}

LogicalResult ConsumerReader::add(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (reduce && group.axis != -1 && group.axis != static_cast<int>(reduce.getAxis()))
    return op->emitOpError("cannot share a nest that reduces dimension ") << group.axis;
  if (reduce)
    group.axis = reduce.getAxis();
  group.roots.push_back({reduce ? FusionRoot::Kind::Reduce : FusionRoot::Kind::Effects, op, {}, {}});
  return setShape(op->getOperand(0));
}

LogicalResult ConsumerReader::addKept(OpResult result) {
  Value value = nest.getYielded(result), target = getTarget(result);
  if (!target)
    return nest.emitOpError("expects result #")
           << result.getResultNumber()
           << " to have one use, by the loop or branch whose block it becomes, because it is in '"
           << stringifyStorage(nest.getStorage(result)) << "'";
  group.roots.push_back({FusionRoot::Kind::Write, nullptr, value, target});
  return setShape(value);
}

LogicalResult ConsumerReader::run() {
  // Blocks that are computed outside of the nest are written last, like the yielded blocks of an iteration.
  SmallVector<OpResult> outside;
  llvm::DenseMap<Operation *, SmallVector<OpResult, 1>> kept;
  for (OpResult result : nest.getResults()) {
    Operation *op = nest.getYielded(result).getDefiningOp();
    if (op && op->getParentOp() == nest)
      kept[op].push_back(result);
    else
      outside.push_back(result);
  }
  for (Operation &op : nest.getBody().front().without_terminator()) {
    if (isRoot(&op) && failed(add(&op)))
      return failure();
    if (isFusible(&op))
      for (OpResult result : kept.lookup(&op))
        if (failed(addKept(result)))
          return failure();
  }
  for (OpResult result : outside)
    if (failed(addKept(result)))
      return failure();
  if (group.roots.empty())
    return nest.emitOpError("expects to store, reduce or keep something");
  return success();
}

/// Reads the stores in the nest of a scan, which run over its shape.
static LogicalResult readStoresOfScan(NestOp nest, FusionGroup &group) {
  for (Operation &op : nest.getBody().front().without_terminator()) {
    if (!isRoot(&op))
      continue;
    if (isa<ReduceOp>(op) || shapeOf(op.getOperand(0)) != ArrayRef<int64_t>(group.shape))
      return op.emitOpError("cannot share a nest with ") << group.op->getName();
    group.roots.push_back({FusionRoot::Kind::Effects, &op, {}, {}});
  }
  return success();
}

LogicalResult readConsumers(NestOp nest, FusionGroup &group) {
  group.nest = nest;
  for (Operation &op : nest.getBody().front().without_terminator()) {
    if (isRoot(&op) || isFusible(&op))
      continue;
    if (group.op)
      return op.emitOpError("cannot share a nest with ") << group.op->getName();
    group.op = &op;
  }
  if (!group.op)
    return ConsumerReader(nest, group).run();
  if (isa<linalg::MatmulOp, linalg::BatchMatmulOp>(group.op)) {
    group.kind = FusionGroup::Kind::Matmul;
  } else if (auto scan = dyn_cast<ScanOp>(group.op)) {
    group.kind = FusionGroup::Kind::Scan;
    ArrayRef<int64_t> shape = shapeOf(scan->getOperand(0));
    group.shape.assign(shape.begin(), shape.end());
    return readStoresOfScan(nest, group);
  } else if (isa<HistogramOp>(group.op) || isAtomic(group.op)) {
    group.kind = isa<HistogramOp>(group.op) ? FusionGroup::Kind::Histogram : FusionGroup::Kind::Atomic;
  } else {
    return group.op->emitOpError("is not computed by a nest");
  }
  return success();
}

//===-- Loops and masks -----------------------------------------------------===//

/// Reads the accesses that a nest transposes in registers.
static LogicalResult readTransposed(NestOp nest, cpu::TransposeAttr transpose, PointerAnalysis &hints,
                                    FusionGroup &group) {
  ArrayRef<int64_t> shape = group.shape;
  NestConfig &config = group.config;
  int64_t square = transpose.getSquare(), rows = transpose.getRows();
  if (transpose.getDim() < 0 || transpose.getDim() >= static_cast<int64_t>(shape.size()))
    return nest.emitOpError("expects a dimension of a block of rank ")
           << shape.size() << " in 'transpose', got " << transpose.getDim();
  if (!llvm::isPowerOf2_64(square) || config.lanes % square != 0 || rows % square != 0 ||
      rows > shape[transpose.getDim()] || config.laneDim == transpose.getDim() || group.axis != -1)
    return nest.emitOpError("expects squares of a power of two that divides ")
           << config.lanes << " lanes and " << rows << " rows, of at most " << shape[transpose.getDim()]
           << ", in a nest without reductions, got " << square;
  auto scan = dyn_cast_or_null<ScanOp>(group.op);
  if (scan && (transpose.getDim() != scan.getAxis() || transpose.getDim() + 1 != static_cast<int64_t>(shape.size()) ||
               square != config.machineLanes))
    return nest.emitOpError("expects squares of ")
           << config.machineLanes << " along the last dimension, which the scan runs along, got " << square
           << " along dimension " << transpose.getDim();
  SmallVector<View> blocks =
      findTransposed(hints, isInMemory, getUsedBlocks(group), config.laneDim, transpose.getDim());
  // The results of a scan are contiguous along the last dimension.
  if (blocks.empty() && !scan)
    return nest.emitOpError("expects a block that is contiguous along dimension ")
           << transpose.getDim() << ", which 'transpose' names";
  config.transposed = {static_cast<int>(transpose.getDim()), transpose.getSquare(), transpose.getRows(),
                       std::move(blocks)};
  return success();
}

LogicalResult readConfig(NestOp nest, cpu::NestAttr attribute, PointerAnalysis &hints, FusionGroup &group) {
  if (!attribute)
    return nest.emitOpError("expects a 'config', which says how its loops run");
  ArrayRef<int64_t> shape = group.shape;
  int64_t rank = shape.size();
  NestConfig &config = group.config;
  config.laneDim = attribute.getVector();
  config.machineLanes = attribute.getLanes();
  config.lanes = attribute.getLanes() * attribute.getInterleave();
  config.order.assign(attribute.getOrder().asArrayRef().begin(), attribute.getOrder().asArrayRef().end());
  for (int dim : config.order)
    if (dim >= rank)
      return nest.emitOpError("expects dimensions of a block of rank ") << rank << " in 'order', got " << dim;
  for (int dim = 0; dim < rank; ++dim)
    if (shape[dim] != 1 && !llvm::is_contained(config.order, dim) && group.kind == FusionGroup::Kind::Nest)
      return nest.emitOpError("expects a loop along dimension ") << dim << " of (" << shape << ") in 'order'";
  if (config.laneDim >= rank || (config.laneDim != -1 && config.lanes > shape[config.laneDim]))
    return nest.emitOpError("expects a vector dimension with at least ")
           << config.lanes << " elements, got dimension " << config.laneDim << " of (" << shape << ")";
  cpu::TransposeAttr transpose = attribute.getTranspose();
  return transpose ? readTransposed(nest, transpose, hints, group) : success();
}

LogicalResult readMask(NestOp nest, FusionGroup &group) {
  group.demand = {nest.getMask(), static_cast<int>(nest.getMaskDim().value_or(-1))};
  if (!group.demand)
    return success();
  if (auto scan = dyn_cast_or_null<ScanOp>(group.op); scan && scan.getReverse())
    return nest.emitOpError("expects no mask, because its scan begins with the last elements");
  if (shapeOf(group.demand.mask) != ArrayRef<int64_t>(group.shape))
    return nest.emitOpError("expects a mask of shape (") << group.shape << "), got " << group.demand.mask.getType();
  for (const FusionRoot &root : group.roots) {
    if (root.kind != FusionRoot::Kind::Reduce)
      continue;
    if (group.demand.axis != group.axis)
      return nest.emitOpError("expects a mask along dimension ") << group.axis << ", which it reduces";
    Operation *combiner = getSimpleCombiner(root.op->getRegion(0));
    if (!combiner || !getMaskedOffInReduction(combiner, root.op->getOperand(0), group.axis, group.demand.mask))
      return root.op->emitOpError("reduces elements that its nest's mask leaves out and that are not neutral");
  }
  return success();
}

LogicalResult readStores(NestOp nest, PointerAnalysis &hints, unsigned vectorBits, FusionGroup &group) {
  cpu::StoresAttr stores = nest.getStoresAttr();
  if (!stores)
    return success();
  group.stores = {stores.getAlign(), stores.getStream()};
  StorePlan possible = findPossibleStores(hints, group, vectorBits);
  if (group.stores.align && !possible.align)
    return nest.emitOpError(
        "expects 'align' only if it does nothing but store, contiguously along several vectors that "
        "its mask bounds");
  if (group.stores.stream && !possible.stream)
    return nest.emitOpError(
               "expects 'stream' only if it does nothing but store, contiguously along several vectors of ")
           << vectorBits << " bits";
  if (group.stores.stream && hasAtomics(nest->getParentOfType<FuncOp>()))
    return nest.emitOpError(
        "expects 'stream' only in a kernel without atomic accesses, which are not in order with it");
  return success();
}

LoopVersions readVersions(NestOp nest) {
  cpu::VersionsAttr versions = nest.getVersionsAttr();
  return versions ? LoopVersions{versions.getIntegersWrap(), versions.getRemaindersWrap()} : LoopVersions();
}

/// Returns an error if the nest lacks one of its `possible` bounds under which another nest with the same mask computes
/// a block of its shape that it reads. Where a bound is not possible, as beside the axis of a reduction, the mask is
/// tested for each element.
static LogicalResult verifyReads(NestOp nest, const FusionGroup &group, const BoundedDims &possible) {
  SmallVector<Value> blocks;
  nest.getBody().walk([&](Operation *op) { llvm::append_range(blocks, op->getOperands()); });
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!blocks.empty()) {
    Value block = blocks.pop_back_val();
    Operation *op = block.getDefiningOp();
    if (!op || !isa<RankedTensorType>(block.getType()) || !seen.insert(op).second)
      continue;
    if (isFusible(op))
      llvm::append_range(blocks, op->getOperands());
    auto producer = dyn_cast<NestOp>(op);
    if (!producer || producer == nest || !producer.getBoundsAttr() || producer.getMask() != nest.getMask() ||
        shapeOf(block) != shapeOf(nest.getMask()))
      continue;
    if (DenseI64ArrayAttr below = producer.getBoundsAttr().getBelow())
      for (int64_t dim : below.asArrayRef())
        if (dim < producer.getMask().getType().getRank() && llvm::is_contained(possible.below, dim) &&
            !llvm::is_contained(group.bounds.below, dim))
          return nest.emitOpError("expects 'bounds' below the mask along dimension ")
                 << dim << ", because the nest of a block that it reads has them";
  }
  return success();
}

LogicalResult readBounds(NestOp nest, PointerAnalysis &pointers, FusionGroup &group) {
  BoundedDims possible = findBoundedDims(pointers, group);
  if (cpu::BoundsAttr bounds = nest.getBoundsAttr()) {
    auto read = [](DenseI64ArrayAttr dims, SmallVectorImpl<int64_t> &into) {
      if (dims)
        llvm::append_range(into, dims.asArrayRef());
    };
    read(bounds.getBelow(), group.bounds.below);
    read(bounds.getFrom(), group.bounds.from);
    for (auto [kind, dims, most] : {std::tuple("below", &group.bounds.below, &possible.below),
                                    std::tuple("from", &group.bounds.from, &possible.from)})
      for (int64_t dim : *dims)
        if (!llvm::is_contained(*most, dim))
          return nest.emitOpError("expects a mask that bounds its loops, got '")
                 << kind << "' for dimension " << dim << ", where it can have '" << kind << "' for [" << *most << "]";
  }
  return nest.getMask() ? verifyReads(nest, group, possible) : success();
}

} // namespace blockdsl
