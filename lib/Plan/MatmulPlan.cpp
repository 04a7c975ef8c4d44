//===- MatmulPlan.cpp - Tile, instruction and packing of a matmul --------===//
//
// A tile of rows by vectors of columns stays in registers while the common dimension runs. Operands are read in place
// where that is a plain load; others are packed before: in words where the CPU multiplies groups of narrow numbers
// (DotInstruction.h) or tiles of them (AMX), and else in the accumulator's type.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Plan/MatmulPlan.h"

#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Analysis/MemoryTypes.h"
#include "blockdsl/Plan/EpilogueFusion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace blockdsl {

/// Up to this cost an operand is worth computing anew for each tile.
constexpr int64_t kCheap = 8;

/// From this many rows on, the right side is packed once for all tiles: its rows lie a row of the whole matrix apart,
/// and for powers of two they evict one another from the first cache.
constexpr int64_t kRowsWorthPacking = 32;

/// Vectors beside one another in a tile: each broadcast of a number of the left side serves as many multiply-adds, and
/// that leaves time to another thread on the same core. With 16 registers only a few rows leave room.
constexpr int64_t kTileVectors = 4, kTileVectorsOfFewRegisters = 2, kFewRows = 4;

static Type computeType(Type type) {
  return isa<Float16Type, BFloat16Type>(type) ? Float32Type::get(type.getContext()) : type;
}

static RankedTensorType typeOf(const MatmulOperand &operand) { return cast<RankedTensorType>(operand.block.getType()); }

namespace {

class MatmulPlanner {
public:
  MatmulPlanner(PlanContext &context, linalg::LinalgOp op, MatmulPlan &plan) : context(context), op(op), plan(plan) {}

  void run() {
    chooseTile();
    findDemand();
    for (MatmulOperand *operand : {&plan.lhs, &plan.rhs}) {
      operand->load = getLoad(operand->block);
      if (operand->load)
        operand->map = operand->block.getDefiningOp<linalg::LinalgOp>();
    }
    chooseInstruction();
    if (plan.unit || plan.step.group() > 1)
      return packGroups();
    for (MatmulOperand *operand : {&plan.lhs, &plan.rhs}) {
      findZeros(*operand);
      chooseLayout(*operand);
    }
  }

private:
  void chooseTile();
  void findDemand();
  LoadOp getLoad(Value block);
  void findZeros(MatmulOperand &operand);
  void chooseInstruction();
  void packGroups();
  void chooseLayout(MatmulOperand &operand);
  OperandPlan pack(const MatmulOperand &operand);
  OperandPlan packWords(const MatmulOperand &operand, WordFormat format);
  bool isRight(const MatmulOperand &operand) const { return &operand == &plan.rhs; }

  PlanContext &context;
  linalg::LinalgOp op;
  MatmulPlan &plan;
};

} // namespace

void MatmulPlanner::chooseTile() {
  // As many accumulators as registers allow beside the operands.
  bool fewRegisters = context.options.vectorRegisters() == 16;
  int64_t accumulators = fewRegisters ? 12 : 24;
  plan.tileVectors = std::min(plan.columns / plan.width,
                              fewRegisters && plan.rows >= kFewRows ? kTileVectorsOfFewRegisters : kTileVectors);
  // Even tiles where they take no more of them, and else one of fewer rows at the end.
  int64_t most = std::min(plan.rows, accumulators / plan.tileVectors);
  int64_t even = llvm::divideCeil(plan.rows, llvm::divideCeil(plan.rows, most));
  plan.tileRows = plan.rows % even == 0 ? even : most;
}

/// A kernel whose tiles reach past the end of a matrix stores under a mask. Elements that are not stored need not be
/// computed.
void MatmulPlanner::findDemand() {
  DemandedMask demand = getDemandedMaskOfProduct(op);
  if (demand && canEvaluate(context, demand.mask))
    plan.demand = demand;
}

LoadOp MatmulPlanner::getLoad(Value block) {
  auto map = block.getDefiningOp<linalg::LinalgOp>();
  return map && !context.isInMemory(block) ? dyn_cast<LoadOp>(map.getBlock()->front()) : LoadOp();
}

/// Finds the mask outside of which a loaded operand is zero.
void MatmulPlanner::findZeros(MatmulOperand &operand) {
  Value block = operand.block;
  int64_t common = operand.common;
  auto transpose = block.getDefiningOp<linalg::TransposeOp>();
  if (transpose && !context.isInMemory(block)) {
    block = transpose.getInput();
    common = transpose.getPermutation()[common];
  }
  auto map = block.getDefiningOp<linalg::LinalgOp>();
  LoadOp load = getLoad(block);
  if (!load || !load.getMask() || getElementTypeOrSelf(block.getType()) != plan.element)
    return;
  auto argument = dyn_cast<BlockArgument>(load.getMask());
  Value mask = argument ? getBodyOperand(map, argument) : Value();
  TypedAttr outside = mask ? getMaskedOffValue(block, mask) : TypedAttr();
  if (outside && outside == Builder(op->getContext()).getZeroAttr(plan.element))
    operand.zeros = {mask, common};
}

/// Chooses groups of factors a step, where the CPU and the extents allow.
void MatmulPlanner::chooseInstruction() {
  Type left = typeOf(plan.lhs).getElementType(), right = typeOf(plan.rhs).getElementType();
  if (left != right || plan.columns % plan.width != 0)
    return;
  auto canPack = [&](int64_t group) {
    return canPackWords(context, plan.lhs.block, plan.lhs.common, group) &&
           canPackWords(context, plan.rhs.block, plan.rhs.common, group);
  };
  std::optional<AMXTiles> matrix = AMXTiles::find(context.options, left, plan.element);
  // Half a tile of words, padded to a whole one, is still worth the unit; less is not, and neither are rows or columns
  // that leave it empty.
  if (matrix && std::min(plan.rows, plan.columns) >= AMXTiles::kExtent &&
      plan.depth / matrix->group() >= AMXTiles::kExtent / 2 &&
      getElementTypeOrSelf(op->getResult(0).getType()) == plan.element && canPack(matrix->group())) {
    plan.unit = matrix;
    // Two by two accumulators, and the four tiles they are made of: all eight registers.
    plan.tileRows = std::min(plan.rows, 2 * AMXTiles::kExtent);
    plan.tileVectors = std::min(plan.columns, 2 * AMXTiles::kExtent) / plan.width;
    return;
  }
  DotInstruction packed = DotInstruction::choose(context.options, left, plan.element, plan.width);
  if (packed.group() > 1 && canPack(packed.group()))
    plan.step = packed;
}

/// Packs both sides in words. In vectors a word of the left side goes to all lanes, so either order of them does.
void MatmulPlanner::packGroups() {
  int64_t group = plan.unit ? plan.unit->group() : plan.step.group();
  bool bias = !plan.unit && plan.step.isLeftUnsigned();
  WordFormat left{group, plan.unit ? WordOrder::CommonLast : WordOrder::AsItLies, /*flip=*/bias ? 0x80808080u : 0u};
  WordFormat right{group, WordOrder::CommonFirst};
  plan.depth /= group;
  if (plan.unit)
    left.least = right.least = plan.depth = std::max(plan.depth, AMXTiles::kExtent);
  plan.lhs.plan = packWords(plan.lhs, left);
  plan.rhs.plan = packWords(plan.rhs, right);
}

/// Decides whether an operand is read tile by tile in place. Of the left side that is so for buffers alone: in a buffer
/// the rows of a tile are one address and constants, where in place each number's address is computed and extended to
/// 64 bits.
void MatmulPlanner::chooseLayout(MatmulOperand &operand) {
  bool isBuffer = context.isInMemory(operand.block);
  bool inPlace = false;
  if (typeOf(operand).getElementType() != plan.element)
    inPlace = false;
  else if (isBuffer)
    inPlace = true;
  else if (operand.load)
    inPlace = isRight(operand) && plan.rows < kRowsWorthPacking && context.storage.getCost(operand.block) <= kCheap &&
              context.hints.getBodyStrides(operand.map, operand.load.getPtr()).back() == getByteSize(plan.element) &&
              (!operand.load.getMask() || operand.zeros);
  if (!inPlace)
    operand.plan = pack(operand);
  else if (isRight(operand) && !isBuffer)
    // Columns that wrap around would be gathered once a tile of rows; packed, they are gathered once.
    operand.whenWrapping = std::make_unique<OperandPlan>(pack(operand));
}

/// Copies an operand to a buffer of the accumulator's type: in the order its tiles are read if it is made of words, and
/// else along the dimension it is contiguous in.
OperandPlan MatmulPlanner::pack(const MatmulOperand &operand) {
  RankedTensorType type = typeOf(operand);
  if (type.getElementType() == plan.element && plan.element.getIntOrFloatBitWidth() == 32 &&
      canPackWords(context, operand.block, operand.common, /*group=*/1))
    return packWords(operand, {/*group=*/1, isRight(operand) ? WordOrder::CommonFirst : WordOrder::AsItLies});
  OperandPlan packing;
  packing.layout = OperandPlan::Layout::Copied;
  packing.copy = std::make_unique<FusionGroup>(FusionGroup::Kind::Nest);
  packing.copy->shape.assign(type.getShape().begin(), type.getShape().end());
  packing.copy->roots.push_back({FusionRoot::Kind::Write, nullptr, operand.block, Value()});
  packing.copy->config = chooseNestConfig(context, *packing.copy);
  return packing;
}

OperandPlan MatmulPlanner::packWords(const MatmulOperand &operand, WordFormat format) {
  OperandPlan packing;
  int64_t rank = typeOf(operand).getRank(), extent = typeOf(operand).getDimSize(operand.common);
  format.alongCommon = runsAlong(context, operand.block, operand.common);
  // Rows that are packed just before they are multiplied stay in the first cache, which takes a fraction of the time
  // that writing all of them to the second does. Memory has not changed since the matmul began; buffers may have.
  if (!isRight(operand) && !plan.unit && operand.load && rank == 2 && plan.rows > plan.tileRows && format.alongCommon) {
    packing.layout = OperandPlan::Layout::RowsPerTile;
  } else {
    packing.layout = OperandPlan::Layout::Words;
    if (isRight(operand) && !plan.unit && plan.columns > plan.tileColumns())
      format.panel = plan.tileColumns();
    // A buffer whose rows run along the common dimension holds words already.
    format.isBuffer = context.isInMemory(operand.block) && extent >= format.least * format.group &&
                      operand.common == rank - 1 && format.order != WordOrder::CommonFirst && format.flip == 0;
  }
  packing.words = format;
  return packing;
}

std::unique_ptr<MatmulPlan> planMatmul(PlanContext &context, linalg::LinalgOp op, FusionGroup *epilogue) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  ArrayRef<int64_t> shape = type.getShape();
  Type element = computeType(type.getElementType());
  int64_t columns = shape.back();
  int64_t width =
      std::min<int64_t>(columns, std::max<int64_t>(1, context.options.vectorBits / element.getIntOrFloatBitWidth()));
  Value left = op.getDpsInputOperand(0)->get(), right = op.getDpsInputOperand(1)->get();
  int64_t rank = shape.size();
  std::unique_ptr<MatmulPlan> plan(new MatmulPlan{element, shape[rank - 2], columns,
                                                  cast<ShapedType>(left.getType()).getShape().back(), width, 0, 0,
                                                  DotInstruction(element)});
  plan->lhs.block = left;
  plan->lhs.common = rank - 1;
  plan->rhs.block = right;
  plan->rhs.common = rank - 2;
  plan->epilogue = epilogue;
  MatmulPlanner(context, op, *plan).run();
  return plan;
}

} // namespace blockdsl
