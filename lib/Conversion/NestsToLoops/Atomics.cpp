//===- Atomics.cpp - Atomic accesses, one element after the other ----------===//
//
// A machine has no atomic access to several elements, and two of a block may meet the same address. So each element has
// a turn of a loop, in row-major order, and the value that it found goes to the result's buffer.
//
// Elements that meet at one address are added to each other first, lanes at a time, where nobody asks what each found:
// a locked instruction takes as long as twenty additions.
//
// SequentialAtomics.cpp has the accesses of kernels that need no lock.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"

#include "AtomicElement.h"
#include "ElementEmitter.h"
#include "SequentialAtomics.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {
namespace {

/// Null for an op that has none.
Value getMask(Operation *op) {
  if (auto update = dyn_cast<AtomicRMWOp>(op))
    return update.getMask();
  if (auto load = dyn_cast<AtomicLoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<AtomicStoreOp>(op))
    return store.getMask();
  return {};
}

/// Writes an op on blocks, or on scalars, element by element.
class AtomicWriter {
public:
  AtomicWriter(EmissionContext &context, Operation *op)
      : context(context), op(op), lanes(context.builder, op->getLoc(), /*lanes=*/1), elementEmitter(context, lanes) {}

  void write() {
    if (auto poll = dyn_cast<AtomicPollOp>(op); poll && poll.getTimeout())
      timer = Timer(lanes.here(), op->getLoc(), context.function->getParentOfType<ModuleOp>());
    auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (type)
      shape = type.getShape();
    else if (Value found = emitElement())
      return context.setScalar(op->getResult(0), found);
    else
      return;
    if (op->getNumResults() != 0 && !op->use_empty())
      result = context.getOrAllocate(op->getResult(0));
    emitFrom(0);
    lanes.at(0);
  }

private:
  /// Whether elements may be added up before they are added to memory.
  bool mayAddUp() const {
    auto update = dyn_cast<AtomicRMWOp>(op);
    if (!update || result || shape.empty() || shape.back() % kLanes != 0)
      return false;
    Type type = getElementTypeOrSelf(update.getVal().getType());
    bool isFloat = type.isF32() || type.isF64(); // Sums of halves are rounded to their type each time.
    return update.getAtomicRmwOp() == RMWOp::Add || (update.getAtomicRmwOp() == RMWOp::FAdd && isFloat);
  }

  LaneValue getOperand(Value operand) {
    bool isBlock = isa<RankedTensorType>(operand.getType());
    return isBlock ? elementEmitter.get(operand, position) : lanes.uniform(context.getScalar(operand));
  }

  /// So many elements of a row from `first` on: as one, if they have one address, or else by `each`.
  void emitLanes(Value first, function_ref<void()> each) {
    Location loc = op->getLoc();
    auto update = cast<AtomicRMWOp>(op);
    lanes.setLanes(kLanes);
    position.push_back({LaneValue::Kind::Strided, first, 1, lanes.depth()});
    LaneValue pointer = getOperand(update.getPtr());
    Value values = lanes.vector(getOperand(update.getVal()));
    Value mask = update.getMask() ? lanes.vector(getOperand(update.getMask())) : Value();
    position.pop_back();
    if (pointer.isStrided()) {
      lanes.setLanes(1);
      return each();
    }
    Value one = pointer.value, isOne;
    OpBuilder &b = lanes.here();
    if (pointer.isVector()) {
      auto type = VectorType::get({kLanes}, b.getI64Type());
      Value addresses = LLVM::PtrToIntOp::create(b, loc, type, pointer.value);
      Value address = vector::ExtractOp::create(b, loc, addresses, 0);
      Value all = vector::BroadcastOp::create(b, loc, type, address);
      Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, addresses, all);
      isOne = vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, equal);
      one = vector::ExtractOp::create(b, loc, pointer.value, 0);
    }
    lanes.setLanes(1);
    auto addUp = [&](OpBuilder &b) {
      auto type = cast<VectorType>(values.getType());
      Type element = type.getElementType();
      // What leaves any sum as it is, the sign of zero too.
      bool isFloat = isa<FloatType>(element);
      TypedAttr nothing = isFloat ? TypedAttr(b.getFloatAttr(element, -0.0)) : TypedAttr(b.getZeroAttr(element));
      auto write = [&](OpBuilder &b, Value values) {
        Value start = arith::ConstantOp::create(b, loc, nothing);
        Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, values, start,
                                                isFloat ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none);
        emitAtomicAccess(b, op, {one, sum}, timer);
      };
      if (!mask)
        return write(b, values);
      Value any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, mask);
      auto branch = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
      OpBuilder inner = branch.getThenBodyBuilder();
      Value nothings = arith::ConstantOp::create(inner, loc, DenseElementsAttr::get(type, Attribute(nothing)));
      write(inner, arith::SelectOp::create(inner, loc, mask, values, nothings));
    };
    if (!isOne)
      return addUp(b);
    auto branch = scf::IfOp::create(b, loc, isOne, /*withElseRegion=*/true);
    OpBuilder inner = branch.getThenBodyBuilder();
    addUp(inner);
    elementEmitter.enter(branch.elseBlock());
    each();
    elementEmitter.leave();
  }

  /// Returns true if all lanes are updated together, without locks.
  bool isUpdatedByVectors() const {
    return context.options.sequential && isa<AtomicRMWOp>(op) && !result && !shape.empty();
  }

  void emitVectors(Value first, int64_t count) {
    auto update = cast<AtomicRMWOp>(op);
    lanes.setLanes(count);
    position.push_back({LaneValue::Kind::Strided, first, 1, lanes.depth()});
    LaneValue pointer = getOperand(update.getPtr()), value = getOperand(update.getVal());
    std::optional<LaneValue> mask;
    if (update.getMask())
      mask = getOperand(update.getMask());
    position.pop_back();
    emitSequentialUpdates(lanes, update, pointer, value, mask);
    lanes.setLanes(1);
  }

  /// Emits the access of one element.
  Value emitAccess(OpBuilder &b, ValueRange operands) {
    Value found = context.options.sequential ? emitSequentialAccess(b, op, operands) : Value();
    return found ? found : emitAtomicAccess(b, op, operands, timer);
  }

  void emitRow(unsigned dim) {
    Location loc = op->getLoc();
    int64_t count = std::min<int64_t>(kLanes, shape[dim]);
    auto loopOver = [&](Value low, Value high, Value step, function_ref<void(Value)> body) {
      auto loop = scf::ForOp::create(lanes.here(), loc, low, high, step);
      elementEmitter.enter(loop.getBody());
      body(loop.getInductionVar());
      elementEmitter.leave();
    };
    OpBuilder &b = lanes.here();
    Value low = arith::ConstantIndexOp::create(b, loc, 0), high = arith::ConstantIndexOp::create(b, loc, shape[dim]);
    Value one = arith::ConstantIndexOp::create(b, loc, 1), many = arith::ConstantIndexOp::create(b, loc, count);
    loopOver(low, high, many, [&](Value first) {
      if (isUpdatedByVectors())
        return emitVectors(first, count);
      emitLanes(first, [&] {
        Value end = arith::AddIOp::create(lanes.here(), loc, first, many);
        loopOver(first, end, one, [&](Value index) {
          position.push_back(lanes.uniform(index, lanes.depth()));
          emitElement();
          position.pop_back();
        });
      });
    });
  }

  void emitFrom(unsigned dim) {
    if (dim + 1 == shape.size() && (isUpdatedByVectors() || mayAddUp()))
      return emitRow(dim);
    if (dim == shape.size()) {
      Value found = emitElement();
      if (result)
        elementEmitter.writeBuffer(*result, position, lanes.wrap(found, lanes.depth()), std::nullopt);
      return;
    }
    OpBuilder &b = lanes.here();
    Location loc = op->getLoc();
    Value low = arith::ConstantIndexOp::create(b, loc, 0), high = arith::ConstantIndexOp::create(b, loc, shape[dim]);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto loop = scf::ForOp::create(b, loc, low, high, one);
    elementEmitter.enter(loop.getBody());
    position.push_back(lanes.uniform(loop.getInductionVar(), lanes.depth()));
    emitFrom(dim + 1);
    position.pop_back();
    elementEmitter.leave();
  }

  /// The access of the element at `position`, if its mask holds; what it found, or zero.
  Value emitElement() {
    Values operands;
    Value mask;
    for (Value operand : op->getOperands()) {
      operands.push_back(getOperand(operand).value);
      if (operand == getMask(op))
        mask = operands.back();
    }
    OpBuilder &b = lanes.here();
    if (!mask)
      return emitAccess(b, operands);
    bool gives = op->getNumResults() != 0;
    SmallVector<Type, 1> types;
    if (gives)
      types.push_back(getElementTypeOrSelf(op->getResult(0).getType()));
    auto branch = scf::IfOp::create(b, op->getLoc(), types, mask, /*withElseRegion=*/gives);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value found = emitAccess(b, operands);
    if (!gives)
      return {};
    scf::YieldOp::create(b, op->getLoc(), found);
    b.setInsertionPointToStart(branch.elseBlock());
    Value zero = arith::ConstantOp::create(b, op->getLoc(), b.getZeroAttr(found.getType()));
    scf::YieldOp::create(b, op->getLoc(), zero);
    return branch.getResult(0);
  }

  static constexpr int64_t kLanes = 16;

  EmissionContext &context;
  Operation *op;
  LaneEmitter lanes;
  ElementEmitter elementEmitter;
  ArrayRef<int64_t> shape;
  SmallVector<LaneValue> position;
  std::optional<Buffer> result;
  Timer timer;
};

} // namespace

void emitAtomic(EmissionContext &context, Operation *op) { AtomicWriter(context, op).write(); }

} // namespace blockdsl
