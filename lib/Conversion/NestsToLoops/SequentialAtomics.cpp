//===- SequentialAtomics.cpp - Atomic accesses on one thread ---------------===//
//
// In kernels whose programs run on one thread, in memory that no other thread accesses, an update is a load, an
// operation and a store. Contiguous lanes are updated as one vector.
//
//===----------------------------------------------------------------------===//

#include "SequentialAtomics.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

/// Returns the new value in memory of an update of scalars or vectors.
static Value combine(OpBuilder &b, Location loc, RMWOp kind, Value here, Value value) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  auto count = [&](Value isAtEnd, Value restart, bool up) -> Value {
    Value one = arith::ConstantOp::create(b, loc, b.getOneAttr(value.getType()));
    Value next = up ? arith::AddIOp::create(b, loc, here, one).getResult()
                    : arith::SubIOp::create(b, loc, here, one).getResult();
    return arith::SelectOp::create(b, loc, isAtEnd, restart, next);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value with) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, here, with);
  };
  switch (kind) {
  case RMWOp::FAdd:
    return arith::AddFOp::create(b, loc, here, value);
  case RMWOp::Add:
    return arith::AddIOp::create(b, loc, here, value);
  case RMWOp::And:
    return arith::AndIOp::create(b, loc, here, value);
  case RMWOp::Or:
    return arith::OrIOp::create(b, loc, here, value);
  case RMWOp::Xor:
    return arith::XOrIOp::create(b, loc, here, value);
  case RMWOp::Max:
    return isFloat ? arith::MaxNumFOp::create(b, loc, here, value).getResult()
                   : arith::MaxSIOp::create(b, loc, here, value).getResult();
  case RMWOp::Min:
    return isFloat ? arith::MinNumFOp::create(b, loc, here, value).getResult()
                   : arith::MinSIOp::create(b, loc, here, value).getResult();
  case RMWOp::UMax:
    return arith::MaxUIOp::create(b, loc, here, value);
  case RMWOp::UMin:
    return arith::MinUIOp::create(b, loc, here, value);
  case RMWOp::Exchange:
    return value;
  case RMWOp::Inc: {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
    return count(compare(arith::CmpIPredicate::uge, value), zero, /*up=*/true);
  }
  case RMWOp::Dec: {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
    Value isZero = compare(arith::CmpIPredicate::eq, zero), isMore = compare(arith::CmpIPredicate::ugt, value);
    return count(arith::OrIOp::create(b, loc, isZero, isMore), value, /*up=*/false);
  }
  }
  llvm_unreachable("every update is known");
}

static Value load(OpBuilder &b, Location loc, Value pointer, Type type) {
  return LLVM::LoadOp::create(b, loc, type, pointer, getByteSize(getElementTypeOrSelf(type)));
}

static void store(OpBuilder &b, Location loc, Value value, Value pointer) {
  LLVM::StoreOp::create(b, loc, value, pointer, getByteSize(getElementTypeOrSelf(value.getType())));
}

static Value update(OpBuilder &b, Location loc, RMWOp kind, Value pointer, Value value) {
  Value here = load(b, loc, pointer, value.getType());
  store(b, loc, combine(b, loc, kind, here, value), pointer);
  return here;
}

static Value compareAndExchange(OpBuilder &b, Location loc, Value pointer, Value expected, Value next) {
  Type type = expected.getType(), bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  auto toBits = [&](Value value) -> Value {
    return bits == type ? value : arith::BitcastOp::create(b, loc, bits, value).getResult();
  };
  Value here = load(b, loc, pointer, type);
  Value isEqual = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, toBits(here), toBits(expected));
  store(b, loc, arith::SelectOp::create(b, loc, isEqual, next, here), pointer);
  return here;
}

Value emitSequentialAccess(OpBuilder &b, Operation *op, ValueRange operands) {
  Location loc = op->getLoc();
  if (auto rmw = dyn_cast<AtomicRMWOp>(op))
    return update(b, loc, rmw.getAtomicRmwOp(), operands[0], operands[1]);
  if (isa<AtomicCASOp>(op))
    return compareAndExchange(b, loc, operands[0], operands[1], operands[2]);
  return {};
}

/// Updates the lanes one after the other, because several may have the same address.
static void updateOneByOne(LaneEmitter &lanes, AtomicRMWOp op, Value pointers, Value values, Value mask) {
  Location loc = op.getLoc();
  auto updateLane = [&](OpBuilder &b, int64_t lane) {
    Value pointer = vector::ExtractOp::create(b, loc, pointers, lane);
    update(b, loc, op.getAtomicRmwOp(), pointer, vector::ExtractOp::create(b, loc, values, lane));
  };
  auto updateAll = [&](OpBuilder &b) {
    for (int64_t lane : llvm::seq(lanes.getLanes()))
      updateLane(b, lane);
  };
  OpBuilder &b = lanes.here();
  if (!mask)
    return updateAll(b);
  Value all = vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, mask);
  auto branch = scf::IfOp::create(b, loc, all, /*withElseRegion=*/true);
  OpBuilder whole = branch.getThenBodyBuilder(), part = branch.getElseBodyBuilder();
  updateAll(whole);
  for (int64_t lane : llvm::seq(lanes.getLanes())) {
    Value isUpdated = vector::ExtractOp::create(part, loc, mask, lane);
    auto guarded = scf::IfOp::create(part, loc, isUpdated, /*withElseRegion=*/false);
    OpBuilder inner = guarded.getThenBodyBuilder();
    updateLane(inner, lane);
  }
}

void emitSequentialUpdates(LaneEmitter &lanes, AtomicRMWOp op, LaneValue pointer, const LaneValue &value,
                           const std::optional<LaneValue> &mask) {
  Type element = getElementTypeOrSelf(op.getVal().getType());
  if (!pointer.isStrided() || pointer.stride != getByteSize(element) || pointer.exchange != 0) {
    Value pointers = lanes.vector(pointer), values = lanes.vector(value);
    return updateOneByOne(lanes, op, pointers, values, mask ? lanes.vector(*mask) : Value());
  }
  // The load must stay in the innermost loop, even if the address is invariant.
  pointer.level = lanes.depth();
  LaneEmitter::Access access{element};
  Value here = lanes.vector(lanes.load(pointer, access, mask, std::nullopt)), values = lanes.vector(value);
  Value next = combine(lanes.here(), op.getLoc(), op.getAtomicRmwOp(), here, values);
  lanes.store(pointer, lanes.wrap(next, lanes.depth()), access, mask);
}

} // namespace blockdsl
