//===- MatmulPlan.cpp - Tile, instruction and packing of a matmul --------===//
//
// A tile of rows by vectors of columns stays in registers during the loop over the common dimension. Operands are read
// in place if that takes a plain load. Others are packed before: in words if the CPU multiplies groups of narrow
// numbers (DotInstruction.h) or tiles of them (AMX), otherwise in the accumulator's type.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Plan/MatmulPlan.h"

#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Analysis/MemoryTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace blockdsl {

/// Up to this cost an operand is recomputed for each tile.
constexpr int64_t kCheap = 8;

/// From this many rows on, the right side is packed once for all tiles. In memory its rows have the stride of the whole
/// matrix, and strides that are powers of two cause conflict misses in the L1 cache.
constexpr int64_t kRowsWorthPacking = 32;

/// Vectors of a tile's row: the multiply-adds for each broadcast of a number of the left side. More of them leave issue
/// slots to the other hardware thread of the core. With 16 registers they only fit for a few rows.
constexpr int64_t kTileVectors = 4, kTileVectorsOfFewRegisters = 2, kFewRows = 4;

/// Rows of a tile of two vectors or more: their addresses have to stay in general registers, too.
constexpr int64_t kTileRows = 8;

static Type computeType(Type type) {
  return isa<Float16Type, BFloat16Type>(type) ? Float32Type::get(type.getContext()) : type;
}

static RankedTensorType typeOf(const MatmulOperand &operand) { return cast<RankedTensorType>(operand.block.getType()); }

//===-- Properties of operands ----------------------------------------------===//

/// Returns the load that computes `block`; null if there is none.
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

int64_t MatmulPlan::iterationsPerPart() const {
  int64_t group = amx ? amx->group() : instruction.group();
  return depth * group / typeOf(rhs).getDimSize(rhs.common);
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
  // The remaining registers hold operands.
  bool fewRegisters = context.options.vectorRegisters() == 16;
  int64_t accumulators = fewRegisters ? 12 : 24;
  plan.tileVectors = std::min(plan.columns / plan.width,
                              fewRegisters && plan.rows >= kFewRows ? kTileVectorsOfFewRegisters : kTileVectors);
  // Tiles of equal size if that does not increase their number; otherwise the last tile has fewer rows.
  int64_t most = std::min(plan.rows, accumulators / plan.tileVectors);
  if (plan.tileVectors > 1)
    most = std::min(most, kTileRows);
  int64_t even = llvm::divideCeil(plan.rows, llvm::divideCeil(plan.rows, most));
  plan.tileRows = plan.rows % even == 0 ? even : most;
}

/// Chooses AMX tiles or a dot instruction if the CPU and the extents allow it.
void MatmulPlanner::chooseInstruction() {
  Type left = typeOf(plan.lhs).getElementType(), right = typeOf(plan.rhs).getElementType();
  if (left != right || plan.columns % plan.width != 0)
    return;
  auto canPack = [&](int64_t group) {
    return canPackWords(context, plan.lhs.block, plan.lhs.common, group) &&
           canPackWords(context, plan.rhs.block, plan.rhs.common, group);
  };
  std::optional<AMXTiles> matrix = AMXTiles::find(context.options, left, plan.element);
  // AMX pays off for at least half a tile of words along the common dimension, padded to a whole one, and whole tiles
  // of rows and columns.
  if (matrix && std::min(plan.rows, plan.columns) >= AMXTiles::kExtent &&
      plan.depth / matrix->group() >= AMXTiles::kExtent / 2 &&
      getElementTypeOrSelf(op->getResult(0).getType()) == plan.element && canPack(matrix->group())) {
    plan.amx = matrix;
    // Two by two accumulators and four tiles of operands occupy all eight registers.
    plan.tileRows = std::min(plan.rows, 2 * AMXTiles::kExtent);
    plan.tileVectors = std::min(plan.columns, 2 * AMXTiles::kExtent) / plan.width;
    return;
  }
  DotInstruction packed = DotInstruction::choose(context.options, left, plan.element, plan.width);
  if (packed.group() > 1 && canPack(packed.group()))
    plan.instruction = packed;
}

/// Packs both sides in words. Vector instructions broadcast a word of the left side to all lanes, so that the order of
/// the left words does not matter for them.
void MatmulPlanner::packGroups() {
  int64_t group = plan.amx ? plan.amx->group() : plan.instruction.group();
  bool bias = !plan.amx && plan.instruction.isLeftUnsigned();
  WordFormat left{group, plan.amx ? WordOrder::CommonLast : WordOrder::AsStored, /*flip=*/bias ? 0x80808080u : 0u};
  WordFormat right{group, WordOrder::CommonFirst};
  plan.depth /= group;
  if (plan.amx)
    left.least = right.least = plan.depth = std::max(plan.depth, AMXTiles::kExtent);
  plan.lhs.plan = packWords(plan.lhs, left);
  plan.rhs.plan = packWords(plan.rhs, right);
}

/// Decides whether each tile reads an operand in place. The left side is read in place only from a buffer, where the
/// rows of a tile have constant offsets from one address; elsewhere each number's address would be computed and
/// extended to 64 bits.
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
    // Columns that wrap around would be gathered for each tile of rows; packing gathers them once.
    operand.whenWrapping = std::make_unique<OperandPlan>(pack(operand));
}

/// Copies an operand to a buffer of the accumulator's type: 32-bit elements in the order in which tiles read them,
/// others along the dimension in which the operand is contiguous.
OperandPlan MatmulPlanner::pack(const MatmulOperand &operand) {
  RankedTensorType type = typeOf(operand);
  if (type.getElementType() == plan.element && plan.element.getIntOrFloatBitWidth() == 32 &&
      canPackWords(context, operand.block, operand.common, /*group=*/1))
    return packWords(operand, {/*group=*/1, isRight(operand) ? WordOrder::CommonFirst : WordOrder::AsStored});
  OperandPlan packing = makeCopy(operand);
  packing.copy->config = chooseNestConfig(context, *packing.copy);
  return packing;
}

OperandPlan MatmulPlanner::packWords(const MatmulOperand &operand, WordFormat format) {
  OperandPlan packing;
  int64_t rank = typeOf(operand).getRank(), extent = typeOf(operand).getDimSize(operand.common);
  format.alongCommon = runsAlong(context, operand.block, operand.common);
  // The rows of one tile, packed just before they are multiplied, stay in the L1 cache; all rows would go to the L2
  // cache. Only for loads from memory, which does not change during the matmul; buffers may.
  if (!isRight(operand) && !plan.amx && operand.load && rank == 2 && plan.rows > plan.tileRows && format.alongCommon) {
    packing.layout = OperandPlan::Layout::RowsPerTile;
  } else {
    packing.layout = OperandPlan::Layout::Words;
    if (isRight(operand) && !plan.amx && plan.columns > plan.tileColumns())
      format.panel = plan.tileColumns();
    // A buffer that is contiguous along the common dimension already holds words.
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
