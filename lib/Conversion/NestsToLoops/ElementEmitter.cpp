//===- ElementEmitter.cpp - Code of the elements of blocks in a loop nest -------===//

#include "ElementEmitter.h"

#include "LoopBounds.h"
#include "blockdsl/Analysis/KnownBits.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include <numeric>

using namespace mlir;

namespace blockdsl {

//===-- Cache of values -----------------------------------------------------===//

unsigned ElementEmitter::idOf(Position position) {
  SmallVector<std::tuple<void *, int64_t, int64_t>> key;
  for (const LaneValue &index : position) {
    // Equal constants have the same key, even if they are different ops.
    APInt constant;
    if (index.isUniform() && matchPattern(index.value, m_ConstantInt(&constant)))
      key.push_back({nullptr, constant.getSExtValue(), 0});
    else
      key.push_back({index.value.getAsOpaquePointer(), index.isStrided() ? index.stride : 0, index.exchange});
  }
  return positions.try_emplace(std::move(key), positions.size()).first->second;
}

std::optional<LaneValue> ElementEmitter::find(Key key) const {
  for (const auto &scope : llvm::reverse(scopes))
    if (auto found = scope.find(key); found != scope.end())
      return found->second;
  return std::nullopt;
}

void ElementEmitter::remember(Key key, LaneValue value, unsigned level) { scopes[level][key] = value; }

void ElementEmitter::assume(Value block, Position position, LaneValue value) {
  remember({block.getAsOpaquePointer(), idOf(position)}, value, lanes.depth());
}

void ElementEmitter::enter(Block *body) {
  lanes.enter(body);
  scopes.emplace_back();
}

void ElementEmitter::leave() {
  lanes.leave();
  scopes.pop_back();
}

//===-- Blocks --------------------------------------------------------------===//

LaneValue ElementEmitter::get(Value block, Position position) {
  Key key = {block.getAsOpaquePointer(), idOf(position)};
  if (auto known = find(key))
    return *known;
  LaneValue value = compute(block, position);
  // The result may depend on a mask that is only assumed in an inner level, so it is cached in its own level.
  remember(key, value, value.level);
  return value;
}

LaneValue ElementEmitter::divide(LaneValue index, int64_t by, bool remainder) {
  bool whole =
      index.isStrided() && index.stride == 1 && std::gcd(knownDivisor(index.value), by) % lanes.getLanes() == 0;
  if (index.isStrided() && !whole)
    index = lanes.wrap(lanes.vector(index), index.level);
  OpBuilder &b = lanes.at(index.level);
  TypedAttr divisor = b.getIndexAttr(by);
  if (index.isVector())
    divisor = DenseElementsAttr::get(cast<VectorType>(index.value.getType()), Attribute(divisor));
  Value by_ = arith::ConstantOp::create(b, lanes.getLoc(), divisor);
  Value result = remainder ? Value(arith::RemUIOp::create(b, lanes.getLoc(), index.value, by_))
                           : Value(arith::DivUIOp::create(b, lanes.getLoc(), index.value, by_));
  if (index.isStrided() && remainder)
    return {LaneValue::Kind::Strided, result, 1, index.level, index.exchange};
  return lanes.wrap(result, index.level);
}

static bool isMany(int64_t size) { return size != 1; }

/// Returns the index in the source of the element at `position` of a reshaped block.
static SmallVector<LaneValue> getPositionInSource(LaneEmitter &lanes, tensor::ExpandShapeOp expand, Position position) {
  SmallVector<LaneValue> source;
  ArrayRef<int64_t> shape = expand.getResultType().getShape();
  for (const ReassociationIndices &group : expand.getReassociationIndices()) {
    std::optional<LaneValue> index;
    int64_t extent = 1;
    for (int64_t dim : llvm::reverse(group)) {
      if (shape[dim] == 1)
        continue;
      LaneValue part = lanes.scale(position[dim], extent);
      index = index ? lanes.add(part, *index) : part;
      extent *= shape[dim];
    }
    source.push_back(index ? *index : lanes.constantIndex(0));
  }
  return source;
}

LaneValue ElementEmitter::compute(Value block, Position position) {
  Operation *op = block.getDefiningOp();
  if (const Buffer *buffer = context.getBuffer(block))
    return readBuffer(*buffer, position);
  assert(op && "a block argument has a buffer");
  auto type = cast<RankedTensorType>(block.getType());
  DenseElementsAttr elements;
  if (matchPattern(block, m_Constant(&elements))) {
    if (!elements.isSplat()) {
      context.setBuffer(block, context.getConstantTable(lanes.getLoc(), elements));
      return readBuffer(*context.getBuffer(block), position);
    }
    OpBuilder &b = lanes.at(0);
    return lanes.uniform(arith::ConstantOp::create(b, lanes.getLoc(), elements.getSplatValue<TypedAttr>()));
  }
  if (isa<tensor::EmptyOp, ub::PoisonOp>(op))
    return zero(type.getElementType());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return get(expand.getSrc(), getPositionInSource(lanes, expand, position));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    // A buffer can be read in any shape without divisions.
    const Buffer *buffer = context.getBuffer(collapse.getSrc());
    if (buffer && buffer->padding == 0 &&
        llvm::count_if(type.getShape(), isMany) != llvm::count_if(collapse.getSrcType().getShape(), isMany)) {
      Buffer reshaped = *buffer;
      reshaped.shape.assign(type.getShape().begin(), type.getShape().end());
      return readBuffer(reshaped, position);
    }
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    SmallVector<LaneValue> source(shape.size());
    for (auto [index, group] : llvm::enumerate(collapse.getReassociationIndices())) {
      LaneValue rest = position[index];
      int64_t left = type.getDimSize(index);
      // From the innermost dimension outwards; the outermost one gets the remaining quotient.
      for (int64_t dim : llvm::reverse(group)) {
        if (shape[dim] == 1) {
          source[dim] = lanes.constantIndex(0);
        } else if (shape[dim] == left) {
          source[dim] = rest;
        } else {
          source[dim] = divide(rest, shape[dim], /*remainder=*/true);
          rest = divide(rest, shape[dim], /*remainder=*/false);
        }
        left /= shape[dim];
      }
    }
    return get(collapse.getSrc(), source);
  }
  auto linalgOp = cast<linalg::LinalgOp>(op);
  auto result = cast<OpResult>(block);
  SmallVector<LaneValue> loops(linalgOp.getNumLoops());
  for (auto [index, expr] : llvm::zip(position, linalgOp.getIndexingMapMatchingResult(result).getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = index;
  Location outer = lanes.getLoc();
  lanes.setLoc(op->getLoc());
  LaneValue value =
      getInBody(linalgOp, linalgOp.getBlock()->getTerminator()->getOperand(result.getResultNumber()), loops);
  lanes.setLoc(outer);
  return value;
}

//===-- Bodies --------------------------------------------------------------===//

LaneValue ElementEmitter::getInBody(linalg::LinalgOp op, Value scalar, Position loops) {
  if (auto argument = dyn_cast<BlockArgument>(scalar); argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType()))
      return lanes.uniform(context.getScalar(operand->get()));
    SmallVector<LaneValue> position;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        position.push_back(loops[dim.getPosition()]);
      else
        position.push_back(lanes.constantIndex(cast<AffineConstantExpr>(expr).getValue()));
    }
    return get(operand->get(), position);
  }
  Operation *def = scalar.getDefiningOp();
  if (!def || def->getBlock() != op.getBlock())
    return lanes.uniform(context.getScalar(scalar));
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    return loops[index.getDim()];
  Key key = {scalar.getAsOpaquePointer(), idOf(loops)};
  if (auto known = find(key))
    return *known;
  LaneValue value = computeInBody(op, def, scalar, loops);
  remember(key, value, value.level);
  return value;
}

LaneValue ElementEmitter::zero(Type element) {
  OpBuilder &b = lanes.at(0);
  element = LaneEmitter::registerType(element);
  if (isa<LLVM::LLVMPointerType>(element))
    return lanes.uniform(LLVM::ZeroOp::create(b, lanes.getLoc(), element));
  return lanes.uniform(arith::ConstantOp::create(b, lanes.getLoc(), b.getZeroAttr(element)));
}

LaneValue ElementEmitter::computeInBody(linalg::LinalgOp op, Operation *def, Value scalar, Position loops) {
  if (isSpeculative && (isa<LoadOp>(def) || def->getNumRegions() != 0)) {
    needsNoReads = false;
    return zero(scalar.getType());
  }
  if (def->getNumRegions() != 0)
    return cloneRegionOp(op, def, scalar, loops);
  SmallVector<LaneValue> operands;
  for (Value operand : def->getOperands())
    if (!isa<RankedTensorType>(operand.getType()))
      operands.push_back(getInBody(op, operand, loops));
  if (auto load = dyn_cast<LoadOp>(def)) {
    LaneEmitter::Access access{load.getType(), load.getIsVolatile()};
    std::optional<LaneValue> mask, other;
    if (load.getMask())
      mask = operands[1];
    if (load.getOther())
      other = operands[2];
    return lanes.load(operands[0], access, mask, other);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(def))
    return get(extract.getTensor(), operands);
  if (isa<arith::AndIOp>(def))
    for (unsigned side : {0, 1})
      if (operands[side].isUniform() && matchPattern(operands[side].value, m_One()) &&
          def->getResult(0).getType().isInteger(1)) {
        LaneValue other = operands[1 - side];
        other.level = std::max(other.level, operands[side].level);
        return other;
      }
  if (auto remainder = remainderWithoutWrap(op, def, operands, loops))
    return *remainder;
  checkStrides(op, def, operands);
  FailureOr<LaneValue> value = lanes.apply(def, operands);
  assert(succeeded(value) && "ops without a vector form are kept to one lane");
  if (value->isVector())
    value->run = getLikelyRun(def, operands, lanes.getLanes());
  return *value;
}

/// Clones branches inside a body (`tt.map_elementwise`). They run one element at a time, so their operands are scalars.
LaneValue ElementEmitter::cloneRegionOp(linalg::LinalgOp op, Operation *def, Value scalar, Position loops) {
  IRMapping mapping;
  unsigned level = 0;
  llvm::SetVector<Value> captured(def->operand_begin(), def->operand_end());
  getUsedValuesDefinedAbove(def->getRegions(), captured);
  for (Value value : captured) {
    LaneValue lane = getInBody(op, value, loops);
    assert(lane.isUniform() && "a nest with branches has one lane");
    mapping.map(value, lane.value);
    level = std::max(level, lane.level);
  }
  Operation *clone = lanes.at(level).clone(*def, mapping);
  boundClonedLoops(clone);
  LaneValue value;
  for (auto [source, result] : llvm::zip(def->getResults(), clone->getResults())) {
    LaneValue each = lanes.wrap(result, level);
    remember({source.getAsOpaquePointer(), idOf(loops)}, each, level);
    if (source == scalar)
      value = each;
  }
  return value;
}

//===-- Buffers -------------------------------------------------------------===//

LaneValue ElementEmitter::addressOf(const Buffer &buffer, Position position) {
  std::optional<LaneValue> offset;
  int64_t extent = 1, padding = buffer.padding;
  for (auto [index, size] : llvm::reverse(llvm::zip(position, buffer.shape))) {
    if (size != 1) {
      LaneValue part = lanes.scale(index, extent);
      offset = offset ? lanes.add(part, *offset) : part;
    }
    extent *= size + std::exchange(padding, 0);
  }
  LaneValue base = lanes.uniform(buffer.pointer, buffer.level);
  return offset ? lanes.offsetPointer(base, *offset, buffer.element) : base;
}

LaneValue ElementEmitter::readBuffer(const Buffer &buffer, Position position) {
  if (isSpeculative) {
    needsNoReads = false;
    return zero(buffer.element);
  }
  return lanes.load(addressOf(buffer, position), LaneEmitter::Access{buffer.element}, std::nullopt, std::nullopt);
}

void ElementEmitter::writeBuffer(const Buffer &buffer, Position position, LaneValue value,
                                 std::optional<LaneValue> mask) {
  lanes.store(addressOf(buffer, position), value, LaneEmitter::Access{buffer.element}, mask);
}

} // namespace blockdsl
