//===- VectorMemory.cpp - Loads and stores for all lanes ------------------===//
//
// An access becomes a scalar access (uniform address), a vector access (a stride of one element, or exchanged
// neighbors), a few vector loads (a stride of a few elements), single stores (other constant strides), or a gather or
// scatter (all others). Masks are predicates of vector accesses; a scalar access with a uniform mask is guarded by
// `scf.if`.
//
//===----------------------------------------------------------------------===//

#include "LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

static std::optional<bool> constantMask(const std::optional<LaneValue> &mask) {
  if (!mask)
    return true;
  APInt constant;
  if (mask->isUniform() && matchPattern(mask->value, m_ConstantInt(&constant)))
    return constant.getBoolValue();
  return std::nullopt;
}

/// Converts to the types in memory: booleans and 8-bit floats are bytes, pointers are integers.
LaneValue LaneEmitter::toMemory(LaneValue value, Type element) {
  Type scalar = getMemoryType(element);
  Type held = getElementTypeOrSelf(value.value.getType());
  if (held == scalar)
    return value;
  if (value.isStrided())
    value = wrap(vector(value), value.level);
  Type type = value.isVector() ? vectorOf(scalar) : scalar;
  OpBuilder &b = at(value.level);
  Value converted;
  if (isa<LLVM::LLVMPointerType>(held))
    converted = LLVM::PtrToIntOp::create(b, loc, type, value.value);
  else if (isa<IndexType>(held))
    converted = arith::IndexCastOp::create(b, loc, type, value.value);
  else if (isa<FloatType>(held))
    converted = arith::BitcastOp::create(b, loc, type, value.value);
  else
    converted = arith::ExtUIOp::create(b, loc, type, value.value);
  return wrap(converted, value.level);
}

LaneValue LaneEmitter::fromMemory(LaneValue value, Type element) {
  Type held = registerType(element);
  Type scalar = getMemoryType(element);
  if (held == scalar)
    return value;
  Type type = value.isVector() ? vectorOf(held) : held;
  OpBuilder &b = at(value.level);
  Value converted;
  if (isa<LLVM::LLVMPointerType>(held))
    converted = LLVM::IntToPtrOp::create(b, loc, type, value.value);
  else if (isa<IndexType>(held))
    converted = arith::IndexCastOp::create(b, loc, type, value.value);
  else if (isa<FloatType>(held))
    converted = arith::BitcastOp::create(b, loc, type, value.value);
  else
    converted = arith::TruncIOp::create(b, loc, type, value.value);
  return wrap(converted, value.level);
}

Value LaneEmitter::emitScalarLoad(LaneValue pointer, Access access, std::optional<LaneValue> mask, LaneValue other,
                                  unsigned level) {
  Type memory = getMemoryType(access.element);
  OpBuilder &b = at(level);
  auto read = [&](OpBuilder &inner) -> Value {
    return LLVM::LoadOp::create(inner, loc, memory, pointer.value, getByteSize(access.element), access.isVolatile);
  };
  if (!mask)
    return read(b);
  auto guarded = scf::IfOp::create(
      b, loc, mask->value, [&](OpBuilder &inner, Location l) { scf::YieldOp::create(inner, l, read(inner)); },
      [&](OpBuilder &inner, Location l) { scf::YieldOp::create(inner, l, other.value); });
  return guarded.getResult(0);
}

/// Returns the mask of an access without the lanes outside of the nest's bounds. A uniform access keeps its mask: it is
/// made for the lanes inside.
std::optional<LaneValue> LaneEmitter::restrictMask(std::optional<LaneValue> mask, bool isUniform) {
  if (!inside || isUniform || (mask && mask->value == inside->value))
    return mask;
  std::optional<bool> known = constantMask(mask);
  if (known)
    return *known ? LaneValue{inside->kind, inside->value, 0, std::max(inside->level, mask ? mask->level : 0)} : *mask;
  unsigned level = std::max(inside->level, mask->level);
  Value both = vector(*mask);
  return wrap(arith::AndIOp::create(at(level), loc, both, inside->value), level);
}

/// Returns a vector whose lane `lane` is lane `lane ^ exchange` of `vector`.
Value LaneEmitter::exchangeLanes(Value vector, int64_t exchange, unsigned level) {
  if (exchange == 0)
    return vector;
  auto order = llvm::map_to_vector(llvm::seq<int64_t>(lanes), [&](int64_t lane) { return lane ^ exchange; });
  return vector::ShuffleOp::create(at(level), loc, vector, vector, order);
}

/// Loads every `step`-th element with vector loads. No load extends beyond the first and the last element, and elements
/// in between are on the same page as a neighboring element that is used, so that reading them cannot fault.
Value LaneEmitter::loadStrided(LaneValue pointer, Type memory, int64_t step, unsigned level) {
  OpBuilder &b = at(level);
  int64_t size = getByteSize(memory), last = step * (lanes - 1);
  Value result;
  for (int64_t part : llvm::seq<int64_t>(step)) {
    int64_t from = std::min(part * lanes, last + 1 - lanes);
    Value address = LLVM::GEPOp::create(b, loc, pointer.value.getType(), b.getI8Type(), pointer.value,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(from * size)});
    Value read = LLVM::LoadOp::create(b, loc, vectorOf(memory), address, size);
    if (part == 0) {
      result = read;
      continue;
    }
    // Keeps the lanes of earlier loads: in part 1 they are still at their distance, later already in place.
    SmallVector<int64_t> order;
    for (int64_t lane : llvm::seq(lanes)) {
      bool wasRead = lane * step < part * lanes;
      int64_t here = lanes + std::min(lane * step - from, lanes - 1);
      order.push_back(!wasRead ? here : part == 1 ? lane * step : lane);
    }
    result = vector::ShuffleOp::create(b, loc, result, read, order);
  }
  return result;
}

/// Loads `lanes` elements with a stride of minus one element.
static Value loadReversed(OpBuilder &b, Location loc, Type type, Value pointer, int64_t lanes, int64_t size,
                          bool isVolatile) {
  Value low = LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>((1 - lanes) * size)});
  Value read = LLVM::LoadOp::create(b, loc, type, low, size, isVolatile);
  auto order = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(lanes)));
  return vector::ShuffleOp::create(b, loc, read, read, order);
}

LaneValue LaneEmitter::load(LaneValue pointer, Access access, std::optional<LaneValue> mask,
                            std::optional<LaneValue> other) {
  mask = restrictMask(mask, pointer.isUniform() && (!mask || mask->isUniform()));
  Type memory = getMemoryType(access.element);
  LaneValue fill = other ? toMemory(*other, access.element) : zero(memory);
  unsigned level = pointer.level;
  // A mask that is only true inside a loop keeps the load there: before the loop it might fault.
  if (mask)
    level = std::max(level, mask->level);
  if (auto known = constantMask(mask)) {
    if (!*known)
      return other ? *other : fromMemory(fill, access.element);
    mask.reset();
  }
  if (mask)
    level = std::max(level, fill.level);

  bool uniformMask = !mask || mask->isUniform();
  if (pointer.isUniform() && uniformMask && (!mask || fill.isUniform()))
    return fromMemory(wrap(emitScalarLoad(pointer, access, mask, fill, level), level), access.element);
  if (pointer.isUniform()) {
    // One address with a mask per lane: load it once if the mask is true in any lane.
    LaneValue any = *mask;
    if (mask->isVector())
      any =
          wrap(vector::ReductionOp::create(at(mask->level), loc, vector::CombiningKind::OR, mask->value), mask->level);
    Value scalar = emitScalarLoad(pointer, access, any, zero(memory), level);
    Value lanesOf = vector(wrap(scalar, level)), maskVector = vector(*mask), fillVector = vector(fill);
    Value chosen = arith::SelectOp::create(at(level), loc, maskVector, lanesOf, fillVector);
    return fromMemory(wrap(chosen, level), access.element);
  }
  Type type = vectorOf(memory);
  int64_t size = getByteSize(access.element);
  if (pointer.isStrided() && pointer.stride == size) {
    Value read;
    if (mask) {
      Value maskVector = exchangeLanes(vector(*mask), pointer.exchange, level);
      Value fillVector = exchangeLanes(vector(fill), pointer.exchange, level);
      read = LLVM::MaskedLoadOp::create(at(level), loc, type, pointer.value, maskVector, fillVector,
                                        static_cast<uint32_t>(size));
    } else {
      read = LLVM::LoadOp::create(at(level), loc, type, pointer.value, size, access.isVolatile);
    }
    return fromMemory(wrap(exchangeLanes(read, pointer.exchange, level), level), access.element);
  }
  bool isInOrder = pointer.isStrided() && pointer.exchange == 0;
  if (isInOrder && pointer.stride == -size && !mask) {
    Value read = loadReversed(at(level), loc, type, pointer.value, lanes, size, access.isVolatile);
    return fromMemory(wrap(read, level), access.element);
  }
  bool isNearby = isInOrder && isLoadedStrided(pointer.stride, size) && lanes * size > pointer.stride;
  if (isNearby && !mask && !access.isVolatile)
    return fromMemory(wrap(loadStrided(pointer, memory, pointer.stride / size, level), level), access.element);
  Value maskVector = mask ? vector(*mask) : vector(uniform(arith::ConstantIntOp::create(at(0), loc, 1, 1)));
  Value read = gather(pointer, memory, maskVector, vector(fill), /*isMasked=*/mask.has_value(), level);
  return fromMemory(wrap(read, level), access.element);
}

/// Stores each lane to its constant distance from the first address. A scatter would compute an address for each lane,
/// and takes longer than single stores even where the CPU has an instruction for it.
void LaneEmitter::storeApart(LaneValue pointer, Value values, int64_t size, bool isVolatile) {
  OpBuilder &b = here();
  for (int64_t lane : llvm::seq(lanes)) {
    int64_t offset = (lane ^ pointer.exchange) * pointer.stride;
    Value distance = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(offset));
    Value address = LLVM::GEPOp::create(b, loc, pointer.value.getType(), b.getI8Type(), pointer.value, distance);
    LLVM::StoreOp::create(b, loc, vector::ExtractOp::create(b, loc, values, lane), address, size, isVolatile);
  }
}

void LaneEmitter::store(LaneValue pointer, LaneValue value, Access access, std::optional<LaneValue> mask) {
  mask = restrictMask(mask, pointer.isUniform() && value.isUniform() && (!mask || mask->isUniform()));
  if (auto known = constantMask(mask)) {
    if (!*known)
      return;
    mask.reset();
  }
  value = toMemory(value, access.element);
  int64_t size = getByteSize(access.element);
  unsigned level = depth();
  if (pointer.isUniform()) {
    // All lanes store to one address: a scatter leaves the value of the last lane whose mask is true.
    if (!value.isUniform() || (mask && !mask->isUniform())) {
      Value pointers = vector(pointer), values = vector(value);
      Value maskVector = mask ? vector(*mask) : vector(uniform(arith::ConstantIntOp::create(at(0), loc, 1, 1)));
      LLVM::masked_scatter::create(at(level), loc, values, pointers, maskVector, static_cast<uint32_t>(size));
      return;
    }
    OpBuilder &b = at(level);
    auto write = [&](OpBuilder &inner) {
      LLVM::StoreOp::create(inner, loc, value.value, pointer.value, size, access.isVolatile);
    };
    if (!mask)
      return write(b);
    scf::IfOp::create(b, loc, mask->value, [&](OpBuilder &inner, Location l) {
      write(inner);
      scf::YieldOp::create(inner, l);
    });
    return;
  }
  Value values = vector(value);
  if (pointer.isStrided() && pointer.stride == size) {
    values = exchangeLanes(values, pointer.exchange, level);
    auto write = [&](OpBuilder &inner) {
      LLVM::StoreOp::create(inner, loc, values, pointer.value, access.streaming ? access.alignment : size,
                            access.isVolatile, access.streaming);
    };
    if (!mask)
      return write(at(level));
    if (mask->isUniform()) {
      // Masked stores are slow without AVX-512.
      scf::IfOp::create(at(level), loc, mask->value, [&](OpBuilder &inner, Location l) {
        write(inner);
        scf::YieldOp::create(inner, l);
      });
      return;
    }
    Value maskVector = exchangeLanes(vector(*mask), pointer.exchange, level);
    LLVM::MaskedStoreOp::create(at(level), loc, values, pointer.value, maskVector, static_cast<uint32_t>(size));
    return;
  }
  if (pointer.isStrided() && !mask)
    return storeApart(pointer, values, size, access.isVolatile);
  Value pointers = vector(pointer);
  Value maskVector = mask ? vector(*mask) : vector(uniform(arith::ConstantIntOp::create(at(0), loc, 1, 1)));
  LLVM::masked_scatter::create(at(level), loc, values, pointers, maskVector, static_cast<uint32_t>(size));
}

} // namespace blockdsl
