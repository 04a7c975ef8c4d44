//===- MatmulReader.cpp - Matmul of a nest, read from its attribute -----------===//

#include "blockdsl/Plan/NestReader.h"
#include "blockdsl/Plan/PlanAttributes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace blockdsl {
namespace {

using cpu::NestOp;

ArrayRef<int64_t> shapeOf(Value block) { return cast<RankedTensorType>(block.getType()).getShape(); }

/// Reads the attribute `matmul` of a nest and verifies each part against the op and the CPU.
class MatmulReader {
public:
  MatmulReader(NestOp nest, linalg::LinalgOp op, const VectorOptions &options, PointerAnalysis &hints, MatmulPlan &plan)
      : nest(nest), op(op), attribute(nest.getMatmulAttr()), options(options), hints(hints), plan(plan) {}

  LogicalResult run();

private:
  LogicalResult readTile();
  LogicalResult readInstruction();
  LogicalResult readOperands();
  LogicalResult readOperand(cpu::OperandAttr attribute, const MatmulOperand &operand, OperandPlan &packing);
  LogicalResult readPrefetch();
  LogicalResult readWords(cpu::OperandAttr attribute, const MatmulOperand &operand, OperandPlan &packing);
  bool isGrouped() const { return plan.amx || plan.instruction.group() > 1; }

  NestOp nest;
  linalg::LinalgOp op;
  cpu::MatmulAttr attribute;
  const VectorOptions &options;
  PointerAnalysis &hints;
  MatmulPlan &plan;
};

LogicalResult MatmulReader::readTile() {
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
  return success();
}

LogicalResult MatmulReader::readInstruction() {
  Type operand = getElementTypeOrSelf(plan.lhs.block.getType());
  if (attribute.getInstruction() == cpu::Instruction::AMX)
    plan.amx = AMXTiles::find(options, operand, plan.element);
  else if (attribute.getInstruction() == cpu::Instruction::Dot)
    plan.instruction = DotInstruction::choose(options, operand, plan.element, plan.width);
  if (isGrouped() != (attribute.getInstruction() != cpu::Instruction::MultiplyAdd))
    return nest.emitOpError("expects a CPU with '")
           << stringifyInstruction(attribute.getInstruction()) << "' for vectors of " << plan.width << " "
           << plan.element << " and operands of " << operand;
  bool isWhole = plan.rows % plan.tileRows == 0 && plan.tileRows % AMXTiles::kExtent == 0 &&
                 plan.tileColumns() % AMXTiles::kExtent == 0;
  if (plan.amx && !isWhole)
    return nest.emitOpError("expects whole tiles of 16 by 16 for 'amx', got ")
           << plan.tileRows << " by " << plan.tileColumns();
  return success();
}

/// Reads the words that an operand is packed in.
LogicalResult MatmulReader::readWords(cpu::OperandAttr attribute, const MatmulOperand &operand, OperandPlan &packing) {
  bool isRight = &operand == &plan.rhs;
  bool isBiased = !isRight && !plan.amx && plan.instruction.isLeftUnsigned();
  ArrayRef<int64_t> shape = shapeOf(operand.block);
  int64_t group = plan.amx ? plan.amx->group() : plan.instruction.group();
  packing.words = {attribute.getGroup(),        static_cast<WordOrder>(attribute.getOrder()),
                   isBiased ? 0x80808080u : 0u, attribute.getMinWords(),
                   attribute.getPanel(),        attribute.getAlongCommon(),
                   attribute.getInBuffer()};
  const WordFormat &words = packing.words;
  if (words.group != group)
    return nest.emitOpError("expects words of ") << group << " elements for its instruction, got " << words.group;
  if (!llvm::all_of(shape, [](int64_t size) { return llvm::isPowerOf2_64(size); }) || shape[operand.common] < group)
    return nest.emitOpError("packs blocks whose dimensions are powers of two, got (") << shape << ")";
  WordOrder order = isRight ? WordOrder::CommonFirst : plan.amx ? WordOrder::CommonLast : WordOrder::AsStored;
  if (words.order != order)
    return nest.emitOpError("expects the order '")
           << stringifyWordOrder(static_cast<cpu::WordOrder>(order)) << "' of an operand for its instruction, got '"
           << stringifyWordOrder(attribute.getOrder()) << "'";
  if (words.panel != 0 && (!isRight || plan.amx || words.panel != plan.tileColumns()))
    return nest.emitOpError("expects panels of the right-hand side as wide as the tile, ")
           << plan.tileColumns() << ", got " << words.panel;
  int64_t least = plan.amx ? std::max(shape[operand.common] / group, AMXTiles::kExtent) : 0;
  if (words.least != least)
    return nest.emitOpError("expects 'min_words' to be ") << least << " for its instruction, got " << words.least;
  bool holdsWords = isInMemory(operand.block) && operand.common == static_cast<int64_t>(shape.size()) - 1 && !isRight &&
                    !isBiased && shape[operand.common] >= least * group;
  if (words.isBuffer && !holdsWords)
    return nest.emitOpError("expects 'in_buffer' only if the buffer of the left-hand side holds its words");
  bool isByRows = !isRight && !plan.amx && operand.load && shape.size() == 2 && words.alongCommon;
  if (packing.layout == OperandPlan::Layout::RowsPerTile && !isByRows)
    return nest.emitOpError("packs rows for a tile only from the left-hand side, which is loaded along its rows");
  return success();
}

LogicalResult MatmulReader::readOperand(cpu::OperandAttr attribute, const MatmulOperand &operand,
                                        OperandPlan &packing) {
  bool isGrouped = plan.amx || plan.instruction.group() > 1;
  bool isOfType = getElementTypeOrSelf(operand.block.getType()) == plan.element;
  int64_t kept = attribute.getKept();
  if (kept != 0 && (&operand != &plan.rhs || plan.iterations == 1 || attribute.getLayout() == cpu::Layout::InPlace))
    return nest.emitOpError("keeps only the right-hand side for the next programs, packed for several 'iterations'");
  switch (attribute.getLayout()) {
  case cpu::Layout::InPlace:
    if (isGrouped || !isOfType)
      return nest.emitOpError("expects an operand of type ") << plan.element << " in place, and 'fma'";
    packing.layout = OperandPlan::Layout::InPlace;
    return success();
  case cpu::Layout::Copied:
    if (isGrouped)
      return nest.emitOpError("expects 'packed' operands for its instruction, got 'copied'");
    packing = makeCopy(operand);
    packing.kept = kept;
    return readConfig(nest, attribute.getCopy(), hints, *packing.copy);
  case cpu::Layout::Packed:
    packing.layout = OperandPlan::Layout::Words;
    break;
  case cpu::Layout::PackedRows:
    packing.layout = OperandPlan::Layout::RowsPerTile;
    break;
  }
  if (!isGrouped && !isOfType)
    return nest.emitOpError("expects an operand of type ") << plan.element << " to be packed for 'fma'";
  packing.kept = kept;
  return readWords(attribute, operand, packing);
}

LogicalResult MatmulReader::readOperands() {
  if (isGrouped())
    plan.depth = std::max(plan.depth / (plan.amx ? plan.amx->group() : plan.instruction.group()),
                          attribute.getRhs().getMinWords());
  else
    findZeros(plan, isInMemory);
  if (failed(readOperand(attribute.getLhs(), plan.lhs, plan.lhs.plan)) ||
      failed(readOperand(attribute.getRhs(), plan.rhs, plan.rhs.plan)))
    return failure();
  plan.lhs.plan.tryInPlace = attribute.getLhs().getTryInPlace();
  bool mayTry = plan.iterations != 1 && plan.lhs.plan.layout == OperandPlan::Layout::Words && canReadRowsInPlace(plan);
  if ((plan.lhs.plan.tryInPlace && !mayTry) || attribute.getRhs().getTryInPlace())
    return nest.emitOpError("expects 'try_in_place' only of the left-hand side of several 'iterations', packed and "
                            "loaded along its rows");
  cpu::OperandAttr wrapping = attribute.getRhsWrapping();
  if (!wrapping)
    return success();
  if (attribute.getRhs().getLayout() != cpu::Layout::InPlace || wrapping.getLayout() == cpu::Layout::InPlace)
    return nest.emitOpError("expects 'rhs_wrapping' to copy or pack an operand that is otherwise read in place");
  plan.rhs.whenWrapping = std::make_unique<OperandPlan>();
  return readOperand(wrapping, plan.rhs, *plan.rhs.whenWrapping);
}

LogicalResult MatmulReader::readPrefetch() {
  cpu::PrefetchAttr prefetch = nest.getPrefetchAttr();
  if (!prefetch)
    return success();
  PrefetchPlan possible = findPrefetches(hints, op, plan);
  for (auto [name, given, most, part] : {std::tuple("lhs", prefetch.getLhs(), possible.lhs, &plan.prefetch.lhs),
                                         std::tuple("rhs", prefetch.getRhs(), possible.rhs, &plan.prefetch.rhs)}) {
    if (given == cpu::Prefetched::None)
      continue;
    if (given != getPrefetched(most))
      return nest.emitOpError("can prefetch '") << stringifyPrefetched(getPrefetched(most)) << "' of '" << name
                                                << "', got '" << stringifyPrefetched(given) << "'";
    *part = most;
  }
  if (prefetch.getPanelSteps() != 0 && possible.steps == 0)
    return nest.emitOpError("expects 'panel_steps' only for a right-hand side in panels, without merged iterations");
  if (prefetch.getSums() && !possible.sums)
    return nest.emitOpError("expects 'sums' only for vectors whose accumulators are in memory, in several tiles");
  plan.prefetch.lines = prefetch.getLines();
  plan.prefetch.steps = prefetch.getPanelSteps();
  plan.prefetch.sums = prefetch.getSums();
  return success();
}

LogicalResult MatmulReader::run() {
  if (failed(readTile()) || failed(readInstruction()) || failed(readOperands()) || failed(readPrefetch()))
    return failure();
  if (nest.getMask() && shapeOf(nest.getMask()) != shapeOf(op->getResult(0)))
    return nest.emitOpError("expects a mask of the shape of its result, got ") << nest.getMask().getType();
  plan.demand.mask = nest.getMask();
  plan.versions = readVersions(nest);
  for (OperandPlan *packing : {&plan.lhs.plan, &plan.rhs.plan, plan.rhs.whenWrapping.get()})
    if (packing && packing->copy)
      packing->copy->versions = plan.versions;
  return success();
}

} // namespace

FailureOr<std::unique_ptr<MatmulPlan>> readMatmul(NestOp nest, linalg::LinalgOp op, const VectorOptions &options,
                                                  PointerAnalysis &hints) {
  if (!nest.getMatmulAttr())
    return nest.emitOpError("expects 'matmul', which says how the product is computed");
  auto plan = std::make_unique<MatmulPlan>(op, nest.getMatmulAttr().getLanes(), isInMemory);
  if (failed(MatmulReader(nest, op, options, hints, *plan).run()))
    return failure();
  return plan;
}

} // namespace blockdsl
