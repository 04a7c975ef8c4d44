//===- AtomicElement.cpp - Atomic accesses of single elements --------------===//
//
// Floats are updated by compare-and-exchange of their bits: the supported CPUs have no atomic addition of floats, and
// the sum has to be rounded like other arithmetic.
//
//===----------------------------------------------------------------------===//

#include "AtomicElement.h"

#include "ElementEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace blockdsl {
namespace {

constexpr StringLiteral retryAttribute = "blockdsl.retries";
constexpr StringLiteral clockName = "blockdsl_nanoseconds";

LLVM::AtomicOrdering orderingOf(MemSemantic semantic) {
  switch (semantic) {
  case MemSemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case MemSemantic::AcquireRelease:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("every semantic has an ordering");
}

/// Returns the ordering of a failed comparison, which only reads.
LLVM::AtomicOrdering orderingOfFailure(LLVM::AtomicOrdering ordering) {
  bool acquires = ordering == LLVM::AtomicOrdering::acquire || ordering == LLVM::AtomicOrdering::acq_rel;
  return acquires ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic;
}

/// Returns the instruction for an update of integers or an exchange; nullopt for arithmetic on floats.
std::optional<LLVM::AtomicBinOp> integerUpdate(RMWOp kind, Type type) {
  if (isa<FloatType>(type) && kind != RMWOp::Exchange)
    return std::nullopt;
  switch (kind) {
  case RMWOp::And:
    return LLVM::AtomicBinOp::_and;
  case RMWOp::Or:
    return LLVM::AtomicBinOp::_or;
  case RMWOp::Xor:
    return LLVM::AtomicBinOp::_xor;
  case RMWOp::Add:
    return LLVM::AtomicBinOp::add;
  case RMWOp::Max:
    return LLVM::AtomicBinOp::max;
  case RMWOp::Min:
    return LLVM::AtomicBinOp::min;
  case RMWOp::UMax:
    return LLVM::AtomicBinOp::umax;
  case RMWOp::UMin:
    return LLVM::AtomicBinOp::umin;
  case RMWOp::Exchange:
    return LLVM::AtomicBinOp::xchg;
  case RMWOp::Inc:
    return LLVM::AtomicBinOp::uinc_wrap;
  case RMWOp::Dec:
    return LLVM::AtomicBinOp::udec_wrap;
  case RMWOp::FAdd:
    break;
  }
  llvm_unreachable("every update of integers is known");
}

/// Emits the access of one element. `operands`: the operands of the op as scalars.
class ElementWriter {
public:
  ElementWriter(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value update(AtomicRMWOp op, ValueRange operands) {
    LLVM::AtomicOrdering ordering = orderingOf(op.getSem());
    Type type = operands[1].getType();
    std::optional<LLVM::AtomicBinOp> kind = integerUpdate(op.getAtomicRmwOp(), type);
    if (!kind)
      return updateFloat(op.getAtomicRmwOp(), operands[0], operands[1], ordering);
    return fromBits(LLVM::AtomicRMWOp::create(b, loc, *kind, operands[0], toBits(operands[1]), ordering), type);
  }

  Value compareAndExchange(AtomicCASOp op, ValueRange operands) {
    Type type = operands[1].getType();
    Value found = exchange(operands[0], toBits(operands[1]), toBits(operands[2]), orderingOf(op.getSem())).first;
    return fromBits(found, type);
  }

  Value load(Value pointer, Type type, MemSemantic semantic) {
    return fromBits(loadBits(pointer, bitsOf(type), orderingOf(semantic)), type);
  }

  void store(Value pointer, Value value, MemSemantic semantic) {
    Value bits = toBits(value);
    LLVM::StoreOp::create(b, loc, bits, pointer, bytesOf(bits.getType()), /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false, orderingOf(semantic));
  }

  /// Emits a loop that polls until memory holds the expected value or the timeout expires. Returns whether it does.
  Value poll(AtomicPollOp op, ValueRange operands, const Timer &timer) {
    Value pointer = operands[0], expected = operands[1];
    OpBuilder::InsertionGuard guard(b);
    auto loop = scf::WhileOp::create(
        b, loc, TypeRange{b.getI1Type()}, ValueRange{},
        [&](OpBuilder &, Location, ValueRange) {
          Value found = load(pointer, expected.getType(), op.getSem());
          Value differs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, found, expected);
          Value again = differs;
          if (op.getTimeout()) {
            Value passed = arith::SubIOp::create(b, loc, timer.readClock(b, loc), timer.start);
            Value left = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, passed, operands[2]);
            again = arith::AndIOp::create(b, loc, differs, left);
          }
          Value one = arith::ConstantIntOp::create(b, loc, 1, 1);
          Value isEqual = arith::XOrIOp::create(b, loc, differs, one);
          scf::ConditionOp::create(b, loc, again, isEqual);
        },
        [&](OpBuilder &, Location, ValueRange) { scf::YieldOp::create(b, loc); });
    b.setInsertionPointAfter(loop);
    return loop.getResult(0);
  }

private:
  static int64_t bytesOf(Type bits) { return bits.getIntOrFloatBitWidth() / 8; }
  Type bitsOf(Type type) { return b.getIntegerType(type.getIntOrFloatBitWidth()); }
  Value toBits(Value value) {
    Type bits = bitsOf(value.getType());
    return bits == value.getType() ? value : Value(arith::BitcastOp::create(b, loc, bits, value));
  }
  Value fromBits(Value bits, Type type) {
    return bits.getType() == type ? bits : Value(arith::BitcastOp::create(b, loc, type, bits));
  }
  Value loadBits(Value pointer, Type bits, LLVM::AtomicOrdering ordering) {
    return LLVM::LoadOp::create(b, loc, bits, pointer, bytesOf(bits), /*isVolatile=*/false, /*isNonTemporal=*/false,
                                /*isInvariant=*/false, /*isInvariantGroup=*/false, ordering);
  }

  /// Emits a compare-and-exchange. Returns the previous value, and whether it was equal to `expected`.
  std::pair<Value, Value> exchange(Value pointer, Value expected, Value next, LLVM::AtomicOrdering ordering) {
    Value both = LLVM::AtomicCmpXchgOp::create(b, loc, pointer, expected, next, ordering, orderingOfFailure(ordering));
    return {LLVM::ExtractValueOp::create(b, loc, both, 0), LLVM::ExtractValueOp::create(b, loc, both, 1)};
  }

  Value combine(RMWOp kind, Value here, Value value) {
    if (kind == RMWOp::Max)
      return arith::MaxNumFOp::create(b, loc, here, value);
    if (kind == RMWOp::Min)
      return arith::MinNumFOp::create(b, loc, here, value);
    return arith::AddFOp::create(b, loc, here, value);
  }

  Value updateFloat(RMWOp kind, Value pointer, Value value, LLVM::AtomicOrdering ordering) {
    Type type = value.getType(), bits = bitsOf(type);
    Value first = loadBits(pointer, bits, LLVM::AtomicOrdering::monotonic);
    OpBuilder::InsertionGuard guard(b);
    auto retries = scf::WhileOp::create(
        b, loc, bits, first,
        [&](OpBuilder &, Location, ValueRange expected) {
          Value next = combine(kind, fromBits(expected[0], type), value);
          auto [found, isDone] = exchange(pointer, expected[0], toBits(next), ordering);
          Value one = arith::ConstantIntOp::create(b, loc, 1, 1);
          Value again = arith::XOrIOp::create(b, loc, isDone, one);
          scf::ConditionOp::create(b, loc, again, found);
        },
        [&](OpBuilder &, Location, ValueRange found) { scf::YieldOp::create(b, loc, found); });
    // Lock-free: if an exchange fails, another thread has made progress. The loop needs no poll for interruption.
    retries->setAttr(retryAttribute, b.getUnitAttr());
    b.setInsertionPointAfter(retries);
    return fromBits(retries.getResult(0), type);
  }

  OpBuilder &b;
  Location loc;
};

} // namespace

Timer::Timer(OpBuilder &b, Location loc, ModuleOp module) : clock(module.lookupSymbol<func::FuncOp>(clockName)) {
  if (!clock) {
    OpBuilder inModule = OpBuilder::atBlockEnd(module.getBody());
    clock = func::FuncOp::create(inModule, loc, clockName, b.getFunctionType({}, b.getI64Type()));
    clock.setPrivate();
  }
  start = readClock(b, loc);
}

Value Timer::readClock(OpBuilder &b, Location loc) const { return func::CallOp::create(b, loc, clock).getResult(0); }

Value emitAtomicAccess(OpBuilder &b, Operation *op, ValueRange operands, const Timer &timer) {
  ElementWriter writer(b, op->getLoc());
  if (auto update = dyn_cast<AtomicRMWOp>(op))
    return writer.update(update, operands);
  if (auto exchange = dyn_cast<AtomicCASOp>(op))
    return writer.compareAndExchange(exchange, operands);
  if (auto load = dyn_cast<AtomicLoadOp>(op))
    return writer.load(operands[0], getElementTypeOrSelf(load.getType()), load.getSem());
  if (auto poll = dyn_cast<AtomicPollOp>(op))
    return writer.poll(poll, operands, timer);
  auto store = cast<AtomicStoreOp>(op);
  writer.store(operands[0], operands[1], store.getSem());
  return {};
}

} // namespace blockdsl
