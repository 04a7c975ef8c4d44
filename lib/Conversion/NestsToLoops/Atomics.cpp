//===- Atomics.cpp - Atomic accesses of blocks -----------------------------===//
//
// CPUs have no atomic access to several elements, and elements of a block may have the same address. A loop accesses
// the elements one by one, in row-major order, and writes the previous values to the result's buffer.
//
// Additions whose result is not used are combined first if all lanes have the same address: an atomic instruction takes
// as long as twenty additions.
//
// Accesses that need no atomic instruction are in SequentialAtomics.cpp.
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

/// Returns the mask of an atomic access; null if there is none.
Value getMask(Operation *op) {
  if (auto update = dyn_cast<AtomicRMWOp>(op))
    return update.getMask();
  if (auto load = dyn_cast<AtomicLoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<AtomicStoreOp>(op))
    return store.getMask();
  return {};
}

/// Emits an atomic access to blocks or scalars.
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
  /// Returns true if lanes may be added to each other before they are added to memory.
  bool mayCombineLanes() const {
    auto update = dyn_cast<AtomicRMWOp>(op);
    if (!update || result || shape.empty() || shape.back() % kLanes != 0)
      return false;
    Type type = getElementTypeOrSelf(update.getVal().getType());
    bool isFloat = type.isF32() || type.isF64(); // each addition of 16-bit floats is rounded
    return update.getAtomicRmwOp() == RMWOp::Add || (update.getAtomicRmwOp() == RMWOp::FAdd && isFloat);
  }

  LaneValue getOperand(Value operand) {
    bool isBlock = isa<RankedTensorType>(operand.getType());
    return isBlock ? elementEmitter.get(operand, position) : lanes.uniform(context.getScalar(operand));
  }

  /// Emits the update of the `kLanes` elements of a row from `first` on: their sum at once if they have the same
  /// address, otherwise `each`.
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
      // The identity of addition: -0.0 for floats.
      bool isFloat = isa<FloatType>(element);
      TypedAttr identity = isFloat ? TypedAttr(b.getFloatAttr(element, -0.0)) : TypedAttr(b.getZeroAttr(element));
      auto write = [&](OpBuilder &b, Value values) {
        Value start = arith::ConstantOp::create(b, loc, identity);
        Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, values, start,
                                                isFloat ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none);
        emitAtomicAccess(b, op, {one, sum}, timer);
      };
      if (!mask)
        return write(b, values);
      Value any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, mask);
      auto branch = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
      OpBuilder inner = branch.getThenBodyBuilder();
      Value identities = arith::ConstantOp::create(inner, loc, DenseElementsAttr::get(type, Attribute(identity)));
      write(inner, arith::SelectOp::create(inner, loc, mask, values, identities));
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

  /// Returns true if all lanes are updated together, without atomic instructions.
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
    if (dim + 1 == shape.size() && (isUpdatedByVectors() || mayCombineLanes()))
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

  /// Emits the access of the element at `position` if its mask is true. Returns the result, zero where it is false.
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
