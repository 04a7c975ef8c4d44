//===- PlanReader.cpp - Reads the plan of a kernel from its nests ----------===//
//
// The attributes of the `cpu` dialect give every decision. A plan may have been edited: each decision is checked
// against the op that it is about.
//
//===----------------------------------------------------------------------===//

#include "PlanReader.h"

#include "blockdsl/Analysis/CombineRegions.h"
#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "blockdsl/Plan/MatmulPlan.h"
#include "blockdsl/Plan/TransposedAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

using cpu::NestOp;
using cpu::Storage;

//===-- Where results are kept ----------------------------------------------===//

/// Returns the block that `use` gives its value to: an argument of a loop's body, or the result of a branch.
static Value getDestination(OpOperand &use) {
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

/// Returns the result of the loop around that becomes, at the iteration's end, what `spare` holds.
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

//===-- Nests ---------------------------------------------------------------===//

namespace {

/// A block is in memory unless its consumers compute it.
bool isInMemory(Value block) {
  Operation *op = block.getDefiningOp();
  DenseElementsAttr elements;
  return !op || !isFusible(op) || (matchPattern(block, m_Constant(&elements)) && !elements.isSplat());
}

class PlanReader {
public:
  PlanReader(const VectorOptions &options, PointerAnalysis &hints) : options(options), hints(hints) {}

  FailureOr<Schedule> readBlock(Block &block);

private:
  LogicalResult readNest(NestOp nest, FusionGroup &group);
  LogicalResult readRoots(NestOp nest, FusionGroup &group);
  LogicalResult readMask(NestOp nest, FusionGroup &group);
  LogicalResult readMatmul(NestOp nest, FusionGroup &group);
  LogicalResult readWords(NestOp nest, cpu::OperandAttr attribute, const MatmulPlan &matmul,
                          const MatmulOperand &operand, OperandPlan &plan);
  LogicalResult readOperand(NestOp nest, cpu::OperandAttr attribute, const MatmulPlan &matmul,
                            const MatmulOperand &operand, OperandPlan &plan);
  LogicalResult readConfig(NestOp nest, cpu::NestAttr attribute, FusionGroup &group);
  LogicalResult readRegion(FusionGroup &group);
  LogicalResult readFor(scf::ForOp loop, RegionPlan &plan);
  LogicalResult readBodies(Operation *op, RegionPlan &plan);

  const VectorOptions &options;
  PointerAnalysis &hints;
  /// The matmul that the next nest with `epilogue` runs on the tiles of, and the loop that adds it up.
  FusionGroup *stored = nullptr;
  AccumulatedMatmul *storedByLoop = nullptr;
};

LogicalResult PlanReader::readConfig(NestOp nest, cpu::NestAttr attribute, FusionGroup &group) {
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
  if (!transpose)
    return success();
  int64_t square = transpose.getSquare(), rows = transpose.getRows();
  if (!llvm::isPowerOf2_64(square) || config.lanes % square != 0 || rows % square != 0 ||
      rows > shape[transpose.getDim()] || config.laneDim == transpose.getDim() || group.axis != -1)
    return nest.emitOpError("expects squares of a power of two that divides ")
           << config.lanes << " lanes and " << rows << " rows, of at most " << shape[transpose.getDim()]
           << ", in a nest without reductions, got " << square;
  SmallVector<View> blocks =
      findTransposed(hints, isInMemory, getUsedBlocks(group), config.laneDim, transpose.getDim());
  if (blocks.empty())
    return nest.emitOpError("expects a block that is contiguous along dimension ")
           << transpose.getDim() << ", which 'transpose' names";
  config.transposed = {static_cast<int>(transpose.getDim()), transpose.getSquare(), transpose.getRows(),
                       std::move(blocks)};
  return success();
}

/// Returns true for an op that a nest runs for each element.
bool isRoot(Operation *op) { return isa<ReduceOp>(op) || (isa<linalg::GenericOp>(op) && op->getNumResults() == 0); }

ArrayRef<int64_t> shapeOf(Value block) { return cast<RankedTensorType>(block.getType()).getShape(); }

/// Reads the consumers of a nest in the order in which their elements are computed.
LogicalResult PlanReader::readRoots(NestOp nest, FusionGroup &group) {
  auto setShape = [&](Value block) -> LogicalResult {
    if (!isa<RankedTensorType>(block.getType()))
      return nest.emitOpError("expects to yield blocks, or results of the ops in it");
    if (group.roots.size() == 1)
      group.shape.assign(shapeOf(block).begin(), shapeOf(block).end());
    else if (shapeOf(block) != ArrayRef<int64_t>(group.shape))
      return nest.emitOpError("expects consumers over one shape, got (")
             << shapeOf(block) << ") beside (" << group.shape << ")";
    return success();
  };
  auto add = [&](Operation *op) -> LogicalResult {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && group.axis != -1 && group.axis != static_cast<int>(reduce.getAxis()))
      return op->emitOpError("cannot share a nest that reduces dimension ") << group.axis;
    if (reduce)
      group.axis = reduce.getAxis();
    group.roots.push_back({reduce ? FusionRoot::Kind::Reduce : FusionRoot::Kind::Effects, op, {}, {}});
    return setShape(op->getOperand(0));
  };
  auto addKept = [&](OpResult result) -> LogicalResult {
    Value value = nest.getYielded(result), target = getTarget(result);
    if (!target)
      return nest.emitOpError("expects result #")
             << result.getResultNumber()
             << " to have one use, by the loop or branch whose block it becomes, because it is in '"
             << stringifyStorage(nest.getStorage(result)) << "'";
    group.roots.push_back({FusionRoot::Kind::Write, nullptr, value, target});
    return setShape(value);
  };
  // A block that is computed outside is kept last, as the end of an iteration does.
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

/// Reads the mask that bounds the loops. A reduction needs to know what its elements are where the mask is false.
LogicalResult PlanReader::readMask(NestOp nest, FusionGroup &group) {
  group.demand = {nest.getMask(), static_cast<int>(nest.getMaskDim().value_or(-1))};
  if (!group.demand)
    return success();
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

/// Reads the words that an operand is packed in.
LogicalResult PlanReader::readWords(NestOp nest, cpu::OperandAttr attribute, const MatmulPlan &matmul,
                                    const MatmulOperand &operand, OperandPlan &plan) {
  bool isRight = &operand == &matmul.rhs;
  bool isBiased = !isRight && !matmul.amx && matmul.instruction.isLeftUnsigned();
  ArrayRef<int64_t> shape = shapeOf(operand.block);
  int64_t group = matmul.amx ? matmul.amx->group() : matmul.instruction.group();
  plan.words = {attribute.getGroup(),        static_cast<WordOrder>(attribute.getOrder()),
                isBiased ? 0x80808080u : 0u, attribute.getMinWords(),
                attribute.getPanel(),        attribute.getAlongCommon(),
                attribute.getInBuffer()};
  const WordFormat &words = plan.words;
  if (words.group != group)
    return nest.emitOpError("expects words of ") << group << " elements for its instruction, got " << words.group;
  if (!llvm::all_of(shape, [](int64_t size) { return llvm::isPowerOf2_64(size); }) || shape[operand.common] < group)
    return nest.emitOpError("packs blocks whose dimensions are powers of two, got (") << shape << ")";
  WordOrder order = isRight ? WordOrder::CommonFirst : matmul.amx ? WordOrder::CommonLast : WordOrder::AsItLies;
  if (words.order != order)
    return nest.emitOpError("expects the order '")
           << stringifyWordOrder(static_cast<cpu::WordOrder>(order)) << "' of an operand for its instruction, got '"
           << stringifyWordOrder(attribute.getOrder()) << "'";
  if (words.panel != 0 && (!isRight || matmul.amx || words.panel != matmul.tileColumns()))
    return nest.emitOpError("expects panels of the right-hand side as wide as the tile, ")
           << matmul.tileColumns() << ", got " << words.panel;
  int64_t least = matmul.amx ? std::max(shape[operand.common] / group, AMXTiles::kExtent) : 0;
  if (words.least != least)
    return nest.emitOpError("expects 'min_words' to be ") << least << " for its instruction, got " << words.least;
  bool holdsWords = isInMemory(operand.block) && operand.common == static_cast<int64_t>(shape.size()) - 1 && !isRight &&
                    !isBiased && shape[operand.common] >= least * group;
  if (words.isBuffer && !holdsWords)
    return nest.emitOpError("expects 'in_buffer' only if the buffer of the left-hand side holds its words");
  bool isByRows = !isRight && !matmul.amx && operand.load && shape.size() == 2 && words.alongCommon;
  if (plan.layout == OperandPlan::Layout::RowsPerTile && !isByRows)
    return nest.emitOpError("packs rows for a tile only from the left-hand side, which is loaded along its rows");
  return success();
}

LogicalResult PlanReader::readOperand(NestOp nest, cpu::OperandAttr attribute, const MatmulPlan &matmul,
                                      const MatmulOperand &operand, OperandPlan &plan) {
  bool isGrouped = matmul.amx || matmul.instruction.group() > 1;
  bool isOfType = getElementTypeOrSelf(operand.block.getType()) == matmul.element;
  int64_t kept = attribute.getKept();
  if (kept != 0 && (&operand != &matmul.rhs || matmul.iterations == 1 || attribute.getLayout() == cpu::Layout::InPlace))
    return nest.emitOpError("keeps only the right-hand side for the next programs, packed for several 'iterations'");
  switch (attribute.getLayout()) {
  case cpu::Layout::InPlace:
    if (isGrouped || !isOfType)
      return nest.emitOpError("expects an operand of type ") << matmul.element << " in place, and 'fma'";
    plan.layout = OperandPlan::Layout::InPlace;
    return success();
  case cpu::Layout::Copied:
    if (isGrouped)
      return nest.emitOpError("expects 'packed' operands for its instruction, got 'copied'");
    plan = makeCopy(operand);
    plan.kept = kept;
    return readConfig(nest, attribute.getCopy(), *plan.copy);
  case cpu::Layout::Packed:
    plan.layout = OperandPlan::Layout::Words;
    break;
  case cpu::Layout::PackedRows:
    plan.layout = OperandPlan::Layout::RowsPerTile;
    break;
  }
  if (!isGrouped && !isOfType)
    return nest.emitOpError("expects an operand of type ") << matmul.element << " to be packed for 'fma'";
  plan.kept = kept;
  return readWords(nest, attribute, matmul, operand, plan);
}

LogicalResult PlanReader::readMatmul(NestOp nest, FusionGroup &group) {
  auto op = cast<linalg::LinalgOp>(group.op);
  cpu::MatmulAttr attribute = nest.getMatmulAttr();
  if (!attribute)
    return nest.emitOpError("expects 'matmul', which says how the product is computed");
  group.matmul = std::make_unique<MatmulPlan>(op, attribute.getLanes(), isInMemory);
  MatmulPlan &plan = *group.matmul;
  plan.iterations = attribute.getIterations();
  if (plan.iterations != 1 && !isa<scf::ForOp>(nest->getParentOp()))
    return nest.emitOpError("expects 'iterations' only in a loop");
  plan.tileRows = attribute.getTile()[0];
  plan.tileVectors = attribute.getTile()[1] / attribute.getLanes();
  if (plan.tileRows > plan.rows || plan.columns % plan.tileColumns() != 0)
    return nest.emitOpError("expects a tile of at most ")
           << plan.rows << " rows and of columns that divide " << plan.columns << ", got " << plan.tileRows << " by "
           << plan.tileColumns();
  if (plan.width != getMatmulLanes(op, options.vectorBits))
    return nest.emitOpError("expects vectors of ")
           << getMatmulLanes(op, options.vectorBits) << " lanes on this CPU, got " << plan.width;
  Type operand = getElementTypeOrSelf(plan.lhs.block.getType());
  if (attribute.getInstruction() == cpu::Instruction::AMX)
    plan.amx = AMXTiles::find(options, operand, plan.element);
  else if (attribute.getInstruction() == cpu::Instruction::Dot)
    plan.instruction = DotInstruction::choose(options, operand, plan.element, plan.width);
  bool isGrouped = plan.amx || plan.instruction.group() > 1;
  if (isGrouped != (attribute.getInstruction() != cpu::Instruction::MultiplyAdd))
    return nest.emitOpError("expects a CPU with '")
           << stringifyInstruction(attribute.getInstruction()) << "' for vectors of " << plan.width << " "
           << plan.element << " and operands of " << operand;
  bool isWhole = plan.rows % plan.tileRows == 0 && plan.tileRows % AMXTiles::kExtent == 0 &&
                 plan.tileColumns() % AMXTiles::kExtent == 0;
  if (plan.amx && !isWhole)
    return nest.emitOpError("expects whole tiles of 16 by 16 for 'amx', got ")
           << plan.tileRows << " by " << plan.tileColumns();
  if (isGrouped)
    plan.depth = std::max(plan.depth / (plan.amx ? plan.amx->group() : plan.instruction.group()),
                          attribute.getRhs().getMinWords());
  else
    findZeros(plan, isInMemory);
  if (failed(readOperand(nest, attribute.getLhs(), plan, plan.lhs, plan.lhs.plan)) ||
      failed(readOperand(nest, attribute.getRhs(), plan, plan.rhs, plan.rhs.plan)))
    return failure();
  plan.lhs.plan.tryInPlace = attribute.getLhs().getTryInPlace();
  if ((plan.lhs.plan.tryInPlace &&
       (plan.iterations == 1 || plan.lhs.plan.layout != OperandPlan::Layout::Words || !canReadRowsInPlace(plan))) ||
      attribute.getRhs().getTryInPlace())
    return nest.emitOpError("expects 'try_in_place' only of the left-hand side of several 'iterations', packed and "
                            "loaded along its rows");
  if (cpu::OperandAttr wrapping = attribute.getRhsWrapping()) {
    if (attribute.getRhs().getLayout() != cpu::Layout::InPlace || wrapping.getLayout() == cpu::Layout::InPlace)
      return nest.emitOpError("expects 'rhs_wrapping' to copy or pack an operand that is otherwise read in place");
    plan.rhs.whenWrapping = std::make_unique<OperandPlan>();
    if (failed(readOperand(nest, wrapping, plan, plan.rhs, *plan.rhs.whenWrapping)))
      return failure();
  }
  if (nest.getMask() && shapeOf(nest.getMask()) != shapeOf(op->getResult(0)))
    return nest.emitOpError("expects a mask of the shape of its result, got ") << nest.getMask().getType();
  if (nest.getMask())
    plan.demand.mask = nest.getMask();
  if (attribute.getEpilogue())
    stored = &group;
  return success();
}

LogicalResult PlanReader::readNest(NestOp nest, FusionGroup &group) {
  group.nest = nest;
  for (Operation &op : nest.getBody().front().without_terminator()) {
    if (isRoot(&op) || isFusible(&op))
      continue;
    if (group.op)
      return op.emitOpError("cannot share a nest with ") << group.op->getName();
    group.op = &op;
  }
  if (!group.op) {
    if (failed(readRoots(nest, group)))
      return failure();
    if (failed(readConfig(nest, nest.getConfigAttr(), group)))
      return failure();
    if (failed(readMask(nest, group)))
      return failure();
    group.isEpilogue = nest.getEpilogue();
    if (group.isEpilogue && !stored)
      return nest.emitOpError("expects a matmul with 'epilogue' before it");
    if (group.isEpilogue) {
      std::exchange(stored, nullptr)->matmul->epilogue = &group;
      if (AccumulatedMatmul *accumulated = std::exchange(storedByLoop, nullptr))
        accumulated->epilogue = &group;
    }
    return success();
  }
  if (isa<linalg::MatmulOp, linalg::BatchMatmulOp>(group.op)) {
    group.kind = FusionGroup::Kind::Matmul;
    return readMatmul(nest, group);
  }
  if (auto scan = dyn_cast<ScanOp>(group.op)) {
    group.kind = FusionGroup::Kind::Scan;
    ArrayRef<int64_t> shape = shapeOf(scan->getOperand(0));
    group.shape.assign(shape.begin(), shape.end());
    return readConfig(nest, nest.getConfigAttr(), group);
  }
  if (!isa<HistogramOp>(group.op) && !isAtomic(group.op))
    return group.op->emitOpError("is not computed by a nest");
  group.kind = isa<HistogramOp>(group.op) ? FusionGroup::Kind::Histogram : FusionGroup::Kind::Atomic;
  return success();
}

//===-- Loops and branches around nests -------------------------------------===//

/// Returns the matmul that a nest in the body of `loop` adds to the block that is carried at `index`, and nothing else
/// uses.
linalg::LinalgOp getAccumulatedIn(scf::ForOp loop, unsigned index) {
  BlockArgument carried = loop.getRegionIterArg(index);
  auto nest = loop.getYieldedValues()[index].getDefiningOp<NestOp>();
  if (!nest || !nest.getMatmulAttr() || nest->getNumResults() != 1 || nest->getBlock() != loop.getBody())
    return {};
  auto matmul = nest.getYielded(nest->getResult(0)).getDefiningOp<linalg::LinalgOp>();
  bool adds = matmul && isa<linalg::MatmulOp, linalg::BatchMatmulOp>(matmul.getOperation()) &&
              matmul.getDpsInitOperand(0)->get() == carried;
  return adds && carried.hasOneUse() && nest->hasOneUse() ? matmul : linalg::LinalgOp();
}

LogicalResult PlanReader::readFor(scf::ForOp loop, RegionPlan &plan) {
  for (auto [index, init, carried] : llvm::enumerate(loop.getInitArgs(), loop.getRegionIterArgs())) {
    if (!isa<RankedTensorType>(init.getType()))
      continue;
    auto nest = init.getDefiningOp<NestOp>();
    bool isCopied = nest && !nest.getWhenEmpty();
    bool isDestination = nest && getTarget(cast<OpResult>(init)) == carried;
    if (nest && !isDestination)
      return loop.emitOpError("expects the initial value of a block in the storage 'destination'");
    Value start = nest ? nest.getYielded(cast<OpResult>(init)) : init;
    linalg::LinalgOp matmul = getAccumulatedIn(loop, index);
    bool isZero = matchPattern(start, m_Zero()) || matchPattern(start, m_PosZeroFloat());
    if (!isCopied && !(matmul && isZero))
      return loop.emitOpError("expects a nest that writes the initial value of block #")
             << index << ", unless it is zero and a matmul adds to it";
    if (matmul)
      plan.accumulated.push_back({static_cast<unsigned>(index), matmul, !isCopied, nullptr});
  }
  for (auto [index, value] : llvm::enumerate(loop.getYieldedValues()))
    if (auto nest = value.getDefiningOp<NestOp>(); nest && nest.getMatmulAttr())
      plan.inPlace.push_back({nest.getYielded(cast<OpResult>(value)), loop.getRegionIterArg(index)});
  for (NestOp nest : loop.getOps<NestOp>())
    for (OpResult result : nest.getResults())
      if (nest.getStorage(result) == Storage::Spare)
        plan.spares.push_back(getTarget(result));
  if (llvm::is_contained(plan.spares, Value()))
    return loop.emitOpError("expects a result in the storage 'spare' to be copied to a block that the loop carries");
  if (failed(readBodies(loop, plan)))
    return failure();
  MatmulPlan *mergeable = findMergeableMatmul(plan);
  for (const auto &unit : plan.bodies.front().units)
    if (unit->matmul && unit->matmul->iterations != 1 && unit->matmul.get() != mergeable)
      return unit->nest->emitOpError("expects 'iterations' only for a matmul of packed matrices in a loop that adds it "
                                     "up and computes nothing else but scalars");
  for (AccumulatedMatmul &each : plan.accumulated)
    if (stored && each.matmul == stored->op)
      storedByLoop = &each;
  return success();
}

LogicalResult PlanReader::readBodies(Operation *op, RegionPlan &plan) {
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    for (OpOperand &use : region.front().getTerminator()->getOpOperands()) {
      if (!isa<RankedTensorType>(use.get().getType()) || use.get() == getDestination(use))
        continue;
      auto result = dyn_cast<OpResult>(use.get());
      if (!result || !isa<NestOp>(result.getOwner()) || getTarget(result) != getDestination(use))
        return use.getOwner()->emitOpError("expects operand #")
               << use.getOperandNumber() << " to be the result of a nest in the storage 'destination'";
    }
    FailureOr<Schedule> body = readBlock(region.front());
    if (failed(body))
      return failure();
    plan.bodies.push_back(std::move(*body));
  }
  return success();
}

LogicalResult PlanReader::readRegion(FusionGroup &group) {
  group.region = std::make_unique<RegionPlan>();
  if (auto loop = dyn_cast<scf::ForOp>(group.op))
    return readFor(loop, *group.region);
  return readBodies(group.op, *group.region);
}

FailureOr<Schedule> PlanReader::readBlock(Block &block) {
  Schedule schedule;
  // Copies that run only where the loop behind them has no iteration.
  CopyPlan whenEmpty;
  auto add = [&](FusionGroup::Kind kind, Operation *op) -> FusionGroup & {
    schedule.units.push_back(std::make_unique<FusionGroup>(kind, op));
    schedule.steps.push_back({schedule.units.back().get(), nullptr});
    return *schedule.units.back();
  };
  for (Operation &op : block.without_terminator()) {
    if (isFusible(&op))
      continue;
    if (auto nest = dyn_cast<NestOp>(op)) {
      if (failed(readNest(nest, add(FusionGroup::Kind::Nest, nullptr))))
        return failure();
      if (!nest.getWhenEmpty())
        continue;
      for (const FusionRoot &root : schedule.units.back()->roots)
        whenEmpty.copies.push_back({root.block, root.target});
      whenEmpty.nests.push_back(std::move(schedule.units.back()));
      schedule.units.pop_back();
      schedule.steps.pop_back();
    } else if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
      FusionGroup &group = add(FusionGroup::Kind::Structured, &op);
      if (failed(readRegion(group)))
        return failure();
      group.region->whenEmpty = std::exchange(whenEmpty, {});
      auto loop = dyn_cast<scf::ForOp>(op);
      std::optional<APInt> iterations = loop ? loop.getStaticTripCount() : std::nullopt;
      bool isFinished = !group.region->whenEmpty.nests.empty() || storedByLoop;
      group.region->mayBeEmpty = isFinished && (!iterations || iterations->isZero());
    } else if (isAtomic(&op)) {
      add(FusionGroup::Kind::Atomic, &op);
    } else {
      schedule.steps.push_back({nullptr, &op});
    }
  }
  if (!whenEmpty.nests.empty())
    return block.getParentOp()->emitOpError(
        "has an initial value for a loop without iterations, and no loop behind it");
  return schedule;
}

} // namespace

FailureOr<Schedule> readPlan(FuncOp function, const VectorOptions &options, PointerAnalysis &hints) {
  return PlanReader(options, hints).readBlock(function.getBody().front());
}

} // namespace blockdsl
