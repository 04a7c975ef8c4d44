//===- PointerAnalysis.cpp - Strides and bases of blocks of addresses ------===//

#include "blockdsl/Analysis/PointerAnalysis.h"

#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

Strides getBufferStrides(RankedTensorType type) {
  Strides strides(type.getRank(), 0);
  int64_t extent = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    strides[axis] = type.getDimSize(axis) == 1 ? 0 : extent;
    extent *= type.getDimSize(axis);
  }
  return strides;
}

std::optional<int64_t> getConstantElement(Value value) {
  APInt scalar;
  if (matchPattern(value, m_ConstantInt(&scalar)))
    return scalar.getSExtValue();
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
      isa<IntegerType, IndexType>(elements.getElementType()))
    return elements.getSplatValue<APInt>().getSExtValue();
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return getConstantElement(fill.getInputs()[0]);
  return std::nullopt;
}

Value getBodyOperand(linalg::LinalgOp op, BlockArgument argument) { return op.getMatchingOpOperand(argument)->get(); }

//===-- Strides -------------------------------------------------------------===//

const Strides &PointerAnalysis::getStrides(Value block) {
  block = getDefinition(block);
  if (auto found = strides.find(block); found != strides.end())
    return found->second;
  Strides computed = compute(block);
  return strides[block] = std::move(computed);
}

static Strides scaleBy(Strides strides, int64_t factor) {
  for (std::optional<int64_t> &stride : strides)
    if (stride && llvm::MulOverflow(*stride, factor, *stride))
      stride.reset();
  return strides;
}

Strides PointerAnalysis::compute(Value block) {
  int64_t rank = cast<RankedTensorType>(block.getType()).getRank();
  Strides unknown(rank, std::nullopt);
  if (matchPattern(block, m_Constant())) {
    DenseElementsAttr elements;
    return matchPattern(block, m_Constant(&elements)) && elements.isSplat() ? Strides(rank, 0) : unknown;
  }
  if (auto expand = block.getDefiningOp<tensor::ExpandShapeOp>()) {
    const Strides &source = getStrides(expand.getSrc());
    Strides result(rank, 0);
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    for (auto [from, group] : llvm::enumerate(expand.getReassociationIndices())) {
      // Row-major order within the group.
      int64_t extent = 1;
      for (int64_t dim : llvm::reverse(group)) {
        result[dim] = shape[dim] == 1 ? std::optional<int64_t>(0) : scaleBy({source[from]}, extent)[0];
        extent *= shape[dim];
      }
    }
    return result;
  }
  if (auto collapse = block.getDefiningOp<tensor::CollapseShapeOp>()) {
    const Strides &source = getStrides(collapse.getSrc());
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    Strides result(rank, 0);
    for (auto [to, group] : llvm::enumerate(collapse.getReassociationIndices())) {
      SmallVector<int64_t> wide = llvm::filter_to_vector(group, [&](int64_t dim) { return shape[dim] != 1; });
      if (wide.size() == 1)
        result[to] = source[wide[0]];
      else if (!llvm::all_of(wide, [&](int64_t dim) { return source[dim] == 0; }))
        result[to] = std::nullopt;
    }
    return result;
  }
  auto op = block.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumReductionLoops() != 0)
    return unknown;
  unsigned index = cast<OpResult>(block).getResultNumber();
  Value yielded = op.getBlock()->getTerminator()->getOperand(index);
  Strides loops = getBodyStrides(op, yielded);
  AffineMap map = op.getIndexingMapMatchingResult(cast<OpResult>(block));
  Strides result;
  for (AffineExpr expr : map.getResults())
    result.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
  return result;
}

/// Returns `lhs + rhs * sign`, dimension by dimension.
static Strides combine(const Strides &lhs, const Strides &rhs, int64_t sign) {
  Strides result;
  for (auto [left, right] : llvm::zip(lhs, scaleBy(rhs, sign))) {
    int64_t sum = 0;
    bool isKnown = left && right && !llvm::AddOverflow(*left, *right, sum);
    result.push_back(isKnown ? std::optional<int64_t>(sum) : std::nullopt);
  }
  return result;
}

/// Returns an upper bound of the difference between two elements of a block with known strides.
static double spanOf(const Strides &strides, ArrayRef<int64_t> extents) {
  double span = 0;
  for (auto [stride, extent] : llvm::zip(strides, extents))
    if (stride && *stride % PointerAnalysis::kFactor != 0)
      span += std::abs(double(*stride)) * double(extent - 1);
  return span;
}

/// Returns the strides of a block of `width` bits after an extension: unknown if the block may wrap in the narrow type.
static Strides widen(Strides strides, ArrayRef<int64_t> extents, unsigned width) {
  if (width < 64 && spanOf(strides, extents) >= double(uint64_t(1) << width))
    for (std::optional<int64_t> &stride : strides)
      if (stride != 0)
        stride.reset();
  return strides;
}

static std::optional<int64_t> bodyConstant(linalg::LinalgOp op, Value scalar) {
  if (auto argument = dyn_cast<BlockArgument>(scalar); argument && argument.getOwner() == op.getBlock())
    return getConstantElement(getBodyOperand(op, argument));
  return getConstantElement(scalar);
}

/// Returns the strides of an argument of the body of `op`.
static Strides getArgumentStrides(PointerAnalysis &analysis, linalg::LinalgOp op, BlockArgument argument) {
  Strides result(op.getNumLoops(), 0);
  if (argument.getOwner() != op.getBlock())
    return result;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  if (!isa<RankedTensorType>(operand->get().getType()))
    return result;
  const Strides &source = analysis.getStrides(operand->get());
  for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(operand).getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      result[loop.getPosition()] = source[dim];
  return result;
}

Strides PointerAnalysis::getBodyStrides(linalg::LinalgOp op, Value scalar) {
  unsigned loops = op.getNumLoops();
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return getArgumentStrides(*this, op, argument);
  Operation *def = scalar.getDefiningOp();
  if (def->getBlock() != op.getBlock())
    return Strides(loops, 0);
  if (auto index = dyn_cast<linalg::IndexOp>(def)) {
    Strides result(loops, 0);
    result[index.getDim()] = 1;
    return result;
  }
  SmallVector<Strides> operands;
  for (Value operand : def->getOperands())
    operands.push_back(getBodyStrides(op, operand));
  if (isa<arith::AddIOp>(def))
    return combine(operands[0], operands[1], 1);
  if (isa<arith::SubIOp>(def))
    return combine(operands[0], operands[1], -1);
  if (isa<arith::MulIOp>(def)) {
    for (unsigned side : {0, 1})
      if (auto factor = bodyConstant(op, def->getOperand(side)))
        return scaleBy(operands[1 - side], *factor);
    for (unsigned side : {0, 1})
      if (assumeFactors && llvm::all_of(operands[side], [](const auto &stride) { return stride == 0; }))
        return scaleBy(operands[1 - side], kFactor);
  }
  auto widened = [&](unsigned index) {
    Type type = def->getOperand(index).getType();
    unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
    return widen(operands[index], op.getStaticLoopRanges(), width);
  };
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(def))
    return widened(0);
  if (isa<BitcastOp>(def) && isa<PtrType>(def->getResult(0).getType()))
    return operands[0];
  if (assumeNoWrap && isa<arith::RemSIOp, arith::RemUIOp>(def))
    return operands[0];
  // If the remainder does not wrap, the quotient is the same for all elements.
  if (assumeNoWrap && isa<arith::DivSIOp, arith::DivUIOp>(def))
    if (auto divisor = bodyConstant(op, def->getOperand(1));
        divisor && llvm::all_of(operands[0], [](const auto &stride) { return stride.has_value(); }) &&
        spanOf(operands[0], op.getStaticLoopRanges()) < double(*divisor))
      return Strides(loops, 0);
  if (auto addptr = dyn_cast<AddPtrOp>(def)) {
    Type pointee = cast<PtrType>(addptr.getPtr().getType()).getPointeeType();
    int64_t size = isa<PtrType>(pointee) ? 8 : std::max<int64_t>(1, pointee.getIntOrFloatBitWidth() / 8);
    return combine(operands[0], scaleBy(widened(1), size), 1);
  }
  // Any other op is uniform along the dimensions along which all its operands are.
  Strides result(loops, 0);
  for (const Strides &operand : operands)
    for (unsigned loop = 0; loop < loops; ++loop)
      if (operand[loop] != 0)
        result[loop] = std::nullopt;
  return result;
}

std::optional<unsigned> PointerAnalysis::getConsecutiveLoop(linalg::LinalgOp op, Value scalar) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  std::optional<unsigned> along;
  for (auto [loop, stride] : llvm::enumerate(getBodyStrides(op, scalar))) {
    if (stride == 0 || extents[loop] == 1)
      continue;
    if (stride != 1 || along)
      return std::nullopt;
    along = loop;
  }
  return along;
}

bool mayRepeat(Value pointers) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type)
    return false;
  PointerAnalysis analysis(/*assumeNoWrap=*/false, /*assumeFactors=*/true);
  SmallVector<std::pair<int64_t, int64_t>> known;
  for (auto [stride, size] : llvm::zip(analysis.getStrides(pointers), type.getShape())) {
    if (size == 1)
      continue;
    if (!stride || stride == 0 || *stride == INT64_MIN)
      return true;
    if (*stride % PointerAnalysis::kFactor != 0)
      known.push_back({std::abs(*stride), size});
  }
  // Elements are distinct if each stride is at least the extent of the dimensions with smaller strides.
  llvm::sort(known);
  for (size_t i = 1; i < known.size(); ++i)
    if (known[i].first < known[i - 1].first * known[i - 1].second)
      return true;
  return false;
}

//===-- Bases ---------------------------------------------------------------===//

Value PointerAnalysis::getBase(Value pointer) {
  if (auto found = bases.find(pointer); found != bases.end())
    return found->second;
  Value base = computeBase(pointer, /*depth=*/64);
  return bases[pointer] = base;
}

Value PointerAnalysis::computeBase(Value pointer, unsigned depth) {
  if (depth == 0)
    return {};
  pointer = getDefinition(pointer);
  // A loop-carried pointer reaches itself while its yielded value is checked below, so the cache comes first.
  if (auto found = bases.find(pointer); found != bases.end())
    return found->second;
  auto follow = [&](Value next) { return computeBase(next, depth - 1); };
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<FunctionOpInterface>(parent))
      return pointer;
    if (auto op = dyn_cast<linalg::LinalgOp>(parent))
      return follow(getBodyOperand(op, argument));
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      // Assume the base of the initial value, then check that the yielded pointer has the same.
      OpOperand *init = loop.getTiedLoopInit(argument);
      if (!init)
        return {};
      Value base = follow(init->get());
      bases[pointer] = base;
      Value yielded = loop.getYieldedValues()[init->getOperandNumber() - loop.getNumControlOperands()];
      if (base && follow(yielded) != base)
        bases[pointer] = base = Value();
      return base;
    }
    return {};
  }
  Operation *op = pointer.getDefiningOp();
  if (auto addptr = dyn_cast<AddPtrOp>(op))
    return follow(addptr.getPtr());
  if (auto bitcast = dyn_cast<BitcastOp>(op); bitcast && isa<PtrType>(getElementTypeOrSelf(bitcast.getSrc().getType())))
    return follow(bitcast.getSrc());
  if (isa<SplatOp, ExpandDimsOp, BroadcastOp, ReshapeOp, TransOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractOp>(op))
    return follow(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value base = follow(select.getTrueValue());
    return base && base == follow(select.getFalseValue()) ? base : Value();
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return follow(linalgOp.getBlock()->getTerminator()->getOperand(cast<OpResult>(pointer).getResultNumber()));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return follow(loop.getRegionIterArg(cast<OpResult>(pointer).getResultNumber()));
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(pointer).getResultNumber();
    Value base = follow(branch.thenYield().getOperand(index));
    return base && base == follow(branch.elseYield().getOperand(index)) ? base : Value();
  }
  return {};
}

} // namespace blockdsl
