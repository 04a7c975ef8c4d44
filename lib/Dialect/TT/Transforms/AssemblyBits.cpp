//===- AssemblyBits.cpp - Bit manipulation in PTX ---------------*- C++ -*-===//
// Shifts, bit fields, byte permutations, and functions of three bits.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace blockdsl;

using Words = ArrayRef<StringRef>;

/// Clamps a number of bits to `width`, and returns it as an integer of that width.
static Value clamped(ImplicitLocOpBuilder &b, Value amount, unsigned width) {
  amount = arith::MinUIOp::create(b, amount, makeBits(b, amount.getType().getIntOrFloatBitWidth(), width));
  return resizeBits(b, amount, width);
}

/// Shifts by the width or more give zero or the sign, as in the language.
static Value shift(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, bool isLeft) {
  if (type.isFloat() || type.width == 1)
    return {};
  Value amount = clamped(b, x[1], type.width);
  if (isLeft)
    return arith::ShLIOp::create(b, x[0], amount);
  return type.isSigned() ? arith::ShRSIOp::create(b, x[0], amount).getResult()
                         : arith::ShRUIOp::create(b, x[0], amount);
}

Value blockdsl::shiftLeft(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return shift(b, type, x, /*isLeft=*/true);
}

Value blockdsl::shiftRight(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return shift(b, type, x, /*isLeft=*/false);
}

/// Returns the low eight bits, clamped to `width`: the length or the position of a bit field.
static Value fieldOperand(ImplicitLocOpBuilder &b, Value number, unsigned width) {
  return clamped(b, arith::AndIOp::create(b, number, makeBits(b, 32, 255)), width);
}

/// Emits `bfe`: extracts `x[2]` bits at position `x[1]`, extended with zeros or the sign.
Value blockdsl::extractField(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if ((type.kind != LaneType::Kind::Unsigned && !type.isSigned()) || type.width < 32)
    return {};
  Value position = fieldOperand(b, x[1], type.width), length = fieldOperand(b, x[2], type.width);
  Value above = arith::SubIOp::create(b, makeBits(b, type.width, type.width), length);
  if (type.isSigned()) {
    Value field = arith::ShLIOp::create(b, arith::ShRSIOp::create(b, x[0], position), above);
    return arith::ShRSIOp::create(b, field, above);
  }
  Value mask = arith::ShRUIOp::create(b, makeBits(b, type.width, ~uint64_t(0)), above);
  return arith::AndIOp::create(b, arith::ShRUIOp::create(b, x[0], position), mask);
}

/// Emits `bfi`: inserts the low `x[3]` bits of `x[0]` at position `x[2]` of `x[1]`.
Value blockdsl::insertField(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.kind != LaneType::Kind::Bits || type.width < 32)
    return {};
  Value position = fieldOperand(b, x[2], type.width), length = fieldOperand(b, x[3], type.width);
  Value ones = makeBits(b, type.width, ~uint64_t(0));
  Value above = arith::SubIOp::create(b, makeBits(b, type.width, type.width), length);
  Value mask = arith::ShLIOp::create(b, arith::ShRUIOp::create(b, ones, above), position);
  Value field = arith::AndIOp::create(b, arith::ShLIOp::create(b, x[0], position), mask);
  return arith::OrIOp::create(b, field, arith::AndIOp::create(b, x[1], arith::XOrIOp::create(b, mask, ones)));
}

/// Returns true for `clamp`, which limits a position or a number of bits to 32, and false for `wrap`, which takes it
/// modulo 32. Returns nothing for other types or modifiers.
static std::optional<bool> isClamped(LaneType type, Words words) {
  bool isWord = !type.isFloat() && type.width == 32 && type.count == 1;
  if (!isWord || words.size() != 1)
    return std::nullopt;
  return words.front() == "clamp";
}

/// Emits `bmsk`: a mask of `x[1]` ones at position `x[0]`.
Value blockdsl::makeMask(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  std::optional<bool> isClamp = isClamped(type, words);
  if (!isClamp || type.kind != LaneType::Kind::Bits)
    return {};
  auto toAmount = [&](Value number) -> Value {
    return *isClamp ? clamped(b, number, 32) : arith::AndIOp::create(b, number, makeBits(b, 32, 31)).getResult();
  };
  Value above = arith::SubIOp::create(b, makeBits(b, 32, 32), toAmount(x[1]));
  return arith::ShLIOp::create(b, arith::ShRUIOp::create(b, makeBits(b, 32, ~uint64_t(0)), above), toAmount(x[0]));
}

/// Emits `szext`: extends the low `x[1]` bits with zeros or their sign.
Value blockdsl::extendBits(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  std::optional<bool> isClamp = isClamped(type, words);
  if (!isClamp || type.kind == LaneType::Kind::Bits)
    return {};
  Value length = *isClamp ? clamped(b, x[1], 32) : arith::AndIOp::create(b, x[1], makeBits(b, 32, 31)).getResult();
  Value above = arith::SubIOp::create(b, makeBits(b, 32, 32), length);
  Value field = arith::ShLIOp::create(b, x[0], above);
  return type.isSigned() ? arith::ShRSIOp::create(b, field, above).getResult()
                         : arith::ShRUIOp::create(b, field, above).getResult();
}

/// Emits `cnot`: 1 if all bits are zero, and 0 otherwise.
Value blockdsl::invertLogically(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.kind != LaneType::Kind::Bits || type.width < 16)
    return {};
  Value bit = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[0], makeBits(b, type.width, 0));
  return resizeBits(b, bit, type.width);
}

/// Returns the index of the source byte that is copied to `byte` of the result: one of eight, or of the low four in
/// some modes.
static Value sourceByteIndex(ImplicitLocOpBuilder &b, StringRef mode, unsigned byte, Value selector) {
  auto bits = [&](uint64_t value) { return makeBits(b, 32, value); };
  if (mode.empty())
    return arith::AndIOp::create(b, arith::ShRUIOp::create(b, selector, bits(4 * byte)), bits(7));
  Value first = arith::AndIOp::create(b, selector, bits(3));
  if (mode == "f4e")
    return arith::AddIOp::create(b, first, bits(byte));
  if (mode == "b4e")
    return arith::AndIOp::create(b, arith::SubIOp::create(b, first, bits(byte)), bits(7));
  if (mode == "rc8")
    return first;
  if (mode == "ecl")
    return arith::MaxUIOp::create(b, first, bits(byte));
  if (mode == "ecr")
    return arith::MinUIOp::create(b, first, bits(byte));
  // rc16: one of the two halves, twice.
  Value half = arith::ShLIOp::create(b, arith::AndIOp::create(b, selector, bits(1)), bits(1));
  return arith::AddIOp::create(b, half, bits(byte % 2));
}

/// Emits `prmt`: selects four of the eight bytes of two registers. Without a mode, four bits of the selector control
/// each byte of the result; the highest one replaces the byte by its sign.
Value blockdsl::permute(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.kind != LaneType::Kind::Bits || type.bits() != 32 || words.size() > 1)
    return {};
  LaneType pair{LaneType::Kind::Bits, 32, 2, {}}, bytes{LaneType::Kind::Bits, 8, 4, {}};
  Value both = bitsOf(b, {x[0], x[1]}, pair, 64);
  StringRef mode = words.empty() ? StringRef() : words.front();
  SmallVector<Value> chosen;
  for (unsigned i = 0; i < 4; ++i) {
    Value position = sourceByteIndex(b, mode, i, x[2]);
    Value distance = arith::ShLIOp::create(b, resizeBits(b, position, 64), makeBits(b, 64, 3));
    Value byte = resizeBits(b, arith::ShRUIOp::create(b, both, distance), 8);
    chosen.push_back(byte);
    if (!mode.empty())
      continue;
    Value sign = arith::ShRSIOp::create(b, byte, makeBits(b, 8, 7));
    Value signBit = arith::AndIOp::create(b, x[2], makeBits(b, 32, uint64_t(8) << 4 * i));
    Value isSign = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, signBit, makeBits(b, 32, 0));
    chosen.back() = arith::SelectOp::create(b, isSign, sign, byte);
  }
  return bitsOf(b, chosen, bytes, 32);
}

/// Emits `lop3`: a function of three bits, with the last source as its truth table.
Value blockdsl::lookUp(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  APInt table;
  if (type.kind != LaneType::Kind::Bits || type.width != 32 || !matchPattern(x[3], m_ConstantInt(&table)))
    return {};
  Value result = makeBits(b, 32, 0), ones = makeBits(b, 32, ~uint64_t(0));
  for (unsigned row = 0; row < 8; ++row) {
    if (!table[row])
      continue;
    Value term = ones;
    for (unsigned i = 0; i < 3; ++i) {
      bool isSet = row >> (2 - i) & 1;
      term = arith::AndIOp::create(b, term, isSet ? x[i] : arith::XOrIOp::create(b, x[i], ones).getResult());
    }
    result = arith::OrIOp::create(b, result, term);
  }
  return result;
}
