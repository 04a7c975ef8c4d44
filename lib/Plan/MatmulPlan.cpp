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

//===-- Facts ---------------------------------------------------------------===//

/// Returns the load that computes `block`, if one does.
static LoadOp getLoad(Value block, IsInMemoryFn isInMemory) {
  auto map = block.getDefiningOp<linalg::LinalgOp>();
  return map && !isInMemory(block) ? dyn_cast<LoadOp>(map.getBlock()->front()) : LoadOp();
}

MatmulPlan::MatmulPlan(linalg::LinalgOp op, int64_t width, IsInMemoryFn isInMemory)
    : element(computeType(getElementTypeOrSelf(op->getResult(0).getType()))), width(width), instruction(element) {
  ArrayRef<int64_t> shape = cast<ShapedType>(op->getResult(0).getType()).getShape();
  int64_t rank = shape.size();
  rows = shape[rank - 2];
  columns = shape[rank - 1];
  lhs.block = op.getDpsInputOperand(0)->get();
  lhs.common = rank - 1;
  rhs.block = op.getDpsInputOperand(1)->get();
  rhs.common = rank - 2;
  depth = typeOf(lhs).getShape().back();
  for (MatmulOperand *operand : {&lhs, &rhs}) {
    operand->load = getLoad(operand->block, isInMemory);
    if (operand->load)
      operand->map = operand->block.getDefiningOp<linalg::LinalgOp>();
  }
}

int64_t getMatmulLanes(linalg::LinalgOp op, unsigned vectorBits) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  int64_t bits = computeType(type.getElementType()).getIntOrFloatBitWidth();
  return std::min<int64_t>(type.getShape().back(), std::max<int64_t>(1, vectorBits / bits));
}

static void findZeros(MatmulOperand &operand, Type element, IsInMemoryFn isInMemory) {
  Value block = operand.block;
  int64_t common = operand.common;
  auto transpose = block.getDefiningOp<linalg::TransposeOp>();
  if (transpose && !isInMemory(block)) {
    block = transpose.getInput();
    common = transpose.getPermutation()[common];
  }
  auto map = block.getDefiningOp<linalg::LinalgOp>();
  LoadOp load = getLoad(block, isInMemory);
  if (!load || !load.getMask() || getElementTypeOrSelf(block.getType()) != element)
    return;
  auto argument = dyn_cast<BlockArgument>(load.getMask());
  Value mask = argument ? getBodyOperand(map, argument) : Value();
  TypedAttr outside = mask ? getMaskedOffValue(block, mask) : TypedAttr();
  if (outside && outside == Builder(block.getContext()).getZeroAttr(element))
    operand.zeros = {mask, common};
}

void findZeros(MatmulPlan &plan, IsInMemoryFn isInMemory) {
  findZeros(plan.lhs, plan.element, isInMemory);
  findZeros(plan.rhs, plan.element, isInMemory);
}

OperandPlan makeCopy(const MatmulOperand &operand) {
  OperandPlan plan;
  plan.layout = OperandPlan::Layout::Copied;
  plan.copy = std::make_unique<FusionGroup>(FusionGroup::Kind::Nest);
  ArrayRef<int64_t> shape = typeOf(operand).getShape();
  plan.copy->shape.assign(shape.begin(), shape.end());
  plan.copy->roots.push_back({FusionRoot::Kind::Write, nullptr, operand.block, Value()});
  return plan;
}

//===-- Decisions -----------------------------------------------------------===//

namespace {

class MatmulPlanner {
public:
  MatmulPlanner(NestContext &context, linalg::LinalgOp op, MatmulPlan &plan) : context(context), op(op), plan(plan) {}

  void run() {
    chooseTile();
    chooseInstruction();
    if (plan.amx || plan.instruction.group() > 1)
      return packGroups();
    findZeros(plan, [&](Value block) { return context.isInMemory(block); });
    for (MatmulOperand *operand : {&plan.lhs, &plan.rhs})
      chooseLayout(*operand);
  }

private:
  void chooseTile();
  void chooseInstruction();
  void packGroups();
  void chooseLayout(MatmulOperand &operand);
  OperandPlan pack(const MatmulOperand &operand);
  OperandPlan packWords(const MatmulOperand &operand, WordFormat format);
  bool isRight(const MatmulOperand &operand) const { return &operand == &plan.rhs; }

  NestContext &context;
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
    plan.amx = matrix;
    // Two by two accumulators, and the four tiles they are made of: all eight registers.
    plan.tileRows = std::min(plan.rows, 2 * AMXTiles::kExtent);
    plan.tileVectors = std::min(plan.columns, 2 * AMXTiles::kExtent) / plan.width;
    return;
  }
  DotInstruction packed = DotInstruction::choose(context.options, left, plan.element, plan.width);
  if (packed.group() > 1 && canPack(packed.group()))
    plan.instruction = packed;
}

/// Packs both sides in words. In vectors a word of the left side goes to all lanes, so either order of them does.
void MatmulPlanner::packGroups() {
  int64_t group = plan.amx ? plan.amx->group() : plan.instruction.group();
  bool bias = !plan.amx && plan.instruction.isLeftUnsigned();
  WordFormat left{group, plan.amx ? WordOrder::CommonLast : WordOrder::AsItLies, /*flip=*/bias ? 0x80808080u : 0u};
  WordFormat right{group, WordOrder::CommonFirst};
  plan.depth /= group;
  if (plan.amx)
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
    inPlace = isRight(operand) && plan.rows < kRowsWorthPacking && context.costs.getCost(operand.block) <= kCheap &&
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
  OperandPlan packing = makeCopy(operand);
  packing.copy->config = chooseNestConfig(context, *packing.copy);
  return packing;
}

OperandPlan MatmulPlanner::packWords(const MatmulOperand &operand, WordFormat format) {
  OperandPlan packing;
  int64_t rank = typeOf(operand).getRank(), extent = typeOf(operand).getDimSize(operand.common);
  format.alongCommon = runsAlong(context, operand.block, operand.common);
  // Rows that are packed just before they are multiplied stay in the first cache, which takes a fraction of the time
  // that writing all of them to the second does. Memory has not changed since the matmul began; buffers may have.
  if (!isRight(operand) && !plan.amx && operand.load && rank == 2 && plan.rows > plan.tileRows && format.alongCommon) {
    packing.layout = OperandPlan::Layout::RowsPerTile;
  } else {
    packing.layout = OperandPlan::Layout::Words;
    if (isRight(operand) && !plan.amx && plan.columns > plan.tileColumns())
      format.panel = plan.tileColumns();
    // A buffer whose rows run along the common dimension holds words already.
    format.isBuffer = context.isInMemory(operand.block) && extent >= format.least * format.group &&
                      operand.common == rank - 1 && format.order != WordOrder::CommonFirst && format.flip == 0;
  }
  packing.words = format;
  return packing;
}

std::unique_ptr<MatmulPlan> planMatmul(NestContext &context, linalg::LinalgOp op) {
  auto plan = std::make_unique<MatmulPlan>(op, getMatmulLanes(op, context.options.vectorBits),
                                           [&](Value block) { return context.isInMemory(block); });
  MatmulPlanner(context, op, *plan).run();
  return plan;
}

} // namespace blockdsl
