//===- AssemblyBits.cpp - instructions of PTX that move bits ----*- C++ -*-===//
// Shifts, fields, bytes that are chosen, and functions of three bits.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace blockdsl;

using Words = ArrayRef<StringRef>;

/// A number of bits in a register of another width. Of the width and more is as many as there are.
static Value limited(ImplicitLocOpBuilder &b, Value amount, unsigned width) {
  amount = arith::MinUIOp::create(b, amount, makeBits(b, amount.getType().getIntOrFloatBitWidth(), width));
  return resizeBits(b, amount, width);
}

/// Amounts of the width and more push everything out, as in the language.
static Value shift(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, bool isLeft) {
  if (type.isFloat() || type.width == 1)
    return {};
  Value amount = limited(b, x[1], type.width);
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

/// The low eight bits say how many, or from where.
static Value count(ImplicitLocOpBuilder &b, Value number, unsigned width) {
  return limited(b, arith::AndIOp::create(b, number, makeBits(b, 32, 255)), width);
}

/// So many bits from a place on; beyond the last are zeros, or signs.
Value blockdsl::extractField(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if ((type.kind != LaneType::Kind::Unsigned && !type.isSigned()) || type.width < 32)
    return {};
  Value place = count(b, x[1], type.width), length = count(b, x[2], type.width);
  Value above = arith::SubIOp::create(b, makeBits(b, type.width, type.width), length);
  if (type.isSigned()) {
    Value field = arith::ShLIOp::create(b, arith::ShRSIOp::create(b, x[0], place), above);
    return arith::ShRSIOp::create(b, field, above);
  }
  Value mask = arith::ShRUIOp::create(b, makeBits(b, type.width, ~uint64_t(0)), above);
  return arith::AndIOp::create(b, arith::ShRUIOp::create(b, x[0], place), mask);
}

/// The first source's low bits, so many, at a place in the second.
Value blockdsl::insertField(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.kind != LaneType::Kind::Bits || type.width < 32)
    return {};
  Value place = count(b, x[2], type.width), length = count(b, x[3], type.width);
  Value ones = makeBits(b, type.width, ~uint64_t(0));
  Value above = arith::SubIOp::create(b, makeBits(b, type.width, type.width), length);
  Value mask = arith::ShLIOp::create(b, arith::ShRUIOp::create(b, ones, above), place);
  Value field = arith::AndIOp::create(b, arith::ShLIOp::create(b, x[0], place), mask);
  return arith::OrIOp::create(b, field, arith::AndIOp::create(b, x[1], arith::XOrIOp::create(b, mask, ones)));
}

/// Whether a place or number of bits is taken as it is, up to the width, and not by its low five bits; nothing if
/// neither is said.
static std::optional<bool> isClamped(LaneType type, Words words) {
  bool isWord = !type.isFloat() && type.width == 32 && type.count == 1;
  if (!isWord || words.size() != 1)
    return std::nullopt;
  return words.front() == "clamp";
}

/// So many ones from a place on, up to the end.
Value blockdsl::makeMask(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  std::optional<bool> isClamp = isClamped(type, words);
  if (!isClamp || type.kind != LaneType::Kind::Bits)
    return {};
  auto taken = [&](Value number) -> Value {
    return *isClamp ? limited(b, number, 32) : arith::AndIOp::create(b, number, makeBits(b, 32, 31)).getResult();
  };
  Value above = arith::SubIOp::create(b, makeBits(b, 32, 32), taken(x[1]));
  return arith::ShLIOp::create(b, arith::ShRUIOp::create(b, makeBits(b, 32, ~uint64_t(0)), above), taken(x[0]));
}

/// So many low bits, with zeros or their sign before them.
Value blockdsl::extendBits(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  std::optional<bool> isClamp = isClamped(type, words);
  if (!isClamp || type.kind == LaneType::Kind::Bits)
    return {};
  Value length = *isClamp ? limited(b, x[1], 32) : arith::AndIOp::create(b, x[1], makeBits(b, 32, 31)).getResult();
  Value above = arith::SubIOp::create(b, makeBits(b, 32, 32), length);
  Value field = arith::ShLIOp::create(b, x[0], above);
  return type.isSigned() ? arith::ShRSIOp::create(b, field, above).getResult()
                         : arith::ShRUIOp::create(b, field, above).getResult();
}

/// One where all bits are zero, and zero elsewhere.
Value blockdsl::invertLogically(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.kind != LaneType::Kind::Bits || type.width < 16)
    return {};
  Value bit = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[0], makeBits(b, type.width, 0));
  return resizeBits(b, bit, type.width);
}

/// Which of eight bytes, or of four in the modes that take one register, a byte of the result is.
static Value placeOfByte(ImplicitLocOpBuilder &b, StringRef mode, unsigned byte, Value selector) {
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

/// Four bytes chosen out of the eight of two registers. Without a mode, four bits of the selector choose each, of which
/// the last asks for the byte's sign.
Value blockdsl::permute(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.kind != LaneType::Kind::Bits || type.bits() != 32 || words.size() > 1)
    return {};
  LaneType pair{LaneType::Kind::Bits, 32, 2, {}}, bytes{LaneType::Kind::Bits, 8, 4, {}};
  Value both = bitsOf(b, {x[0], x[1]}, pair, 64);
  StringRef mode = words.empty() ? StringRef() : words.front();
  SmallVector<Value> chosen;
  for (unsigned i = 0; i < 4; ++i) {
    Value place = placeOfByte(b, mode, i, x[2]);
    Value distance = arith::ShLIOp::create(b, resizeBits(b, place, 64), makeBits(b, 64, 3));
    Value byte = resizeBits(b, arith::ShRUIOp::create(b, both, distance), 8);
    chosen.push_back(byte);
    if (!mode.empty())
      continue;
    Value sign = arith::ShRSIOp::create(b, byte, makeBits(b, 8, 7));
    Value wanted = arith::AndIOp::create(b, x[2], makeBits(b, 32, uint64_t(8) << 4 * i));
    Value isSign = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, wanted, makeBits(b, 32, 0));
    chosen.back() = arith::SelectOp::create(b, isSign, sign, byte);
  }
  return bitsOf(b, chosen, bytes, 32);
}

/// Any function of three bits: the last source is its table.
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
