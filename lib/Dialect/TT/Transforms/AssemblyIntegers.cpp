//===- AssemblyIntegers.cpp - Integer instructions of PTX -------*- C++ -*-===//
// Wide products, products of 24 bits, counts and positions of bits, funnel shifts and dot products of bytes.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace blockdsl;

using Words = ArrayRef<StringRef>;

static bool isBits(LaneType type) { return type.kind == LaneType::Kind::Bits && type.width >= 32 && type.count == 1; }

/// Returns the upper half of a product, or all of it for `wide`.
Value blockdsl::multiplyWide(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat() || type.kind == LaneType::Kind::Bits || type.width > 32 || words.size() != 1)
    return {};
  unsigned whole = 2 * type.width;
  Value product = arith::MulIOp::create(b, resizeBits(b, x[0], whole, type.isSigned()),
                                        resizeBits(b, x[1], whole, type.isSigned()));
  if (words.front() == "wide")
    return product;
  return resizeBits(b, arith::ShRUIOp::create(b, product, makeBits(b, whole, type.width)), type.width);
}

Value blockdsl::countOnes(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return isBits(type) ? math::CtPopOp::create(b, x[0]).getResult() : Value();
}

Value blockdsl::countLeadingZeros(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return isBits(type) ? math::CountLeadingZerosOp::create(b, x[0]).getResult() : Value();
}

/// Emits `bfind`: the position of the highest bit that is no copy of the sign, or with `shiftamt` its distance from the
/// most significant bit; all ones if there is none.
Value blockdsl::findHighestBit(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat() || type.kind == LaneType::Kind::Bits || type.width < 32)
    return {};
  Value bits = x[0], last = makeBits(b, type.width, type.width - 1);
  if (type.isSigned())
    bits = arith::XOrIOp::create(b, bits, arith::ShRSIOp::create(b, bits, last));
  Value position = arith::SubIOp::create(b, last, math::CountLeadingZerosOp::create(b, bits));
  if (words.empty())
    return position;
  Value none = makeBits(b, type.width, ~uint64_t(0));
  Value isFound = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, position, none);
  return arith::SelectOp::create(b, isFound, arith::SubIOp::create(b, last, position), none);
}

Value blockdsl::multiply24(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat() || type.kind == LaneType::Kind::Bits || type.width != 32 || words.size() != 1)
    return {};
  auto low = [&](Value bits) -> Value {
    Value above = makeBits(b, 32, 8), moved = arith::ShLIOp::create(b, bits, above);
    Value number = type.isSigned() ? arith::ShRSIOp::create(b, moved, above).getResult()
                                   : arith::ShRUIOp::create(b, moved, above).getResult();
    return resizeBits(b, number, 64, type.isSigned());
  };
  Value product = arith::MulIOp::create(b, low(x[0]), low(x[1]));
  // The upper or the lower 32 bits of the 48-bit product.
  if (words.front() == "hi")
    product = arith::ShRUIOp::create(b, product, makeBits(b, 64, 16));
  product = resizeBits(b, product, 32);
  return x.size() == 3 ? arith::AddIOp::create(b, product, x[2]).getResult() : product;
}

/// Exchanges adjacent bits, then adjacent pairs of bits, and so on.
Value blockdsl::reverseBits(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (!isBits(type))
    return {};
  Value bits = x[0];
  for (unsigned distance = 1; distance < type.width; distance *= 2) {
    uint64_t ones = 0;
    for (unsigned bit = 0; bit < type.width; ++bit)
      ones |= uint64_t(bit / distance % 2 == 0) << bit;
    Value count = makeBits(b, type.width, distance), mask = makeBits(b, type.width, ones);
    Value up = arith::ShLIOp::create(b, arith::AndIOp::create(b, bits, mask), count);
    Value down = arith::AndIOp::create(b, arith::ShRUIOp::create(b, bits, count), mask);
    bits = arith::OrIOp::create(b, up, down);
  }
  return bits;
}

/// Shifts the 64 bits of two registers, the lower one first, and returns the upper half for `l`, the lower for `r`.
Value blockdsl::funnelShift(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  bool isLeft = llvm::is_contained(words, "l"), isWrapped = llvm::is_contained(words, "wrap");
  if (type.kind != LaneType::Kind::Bits || type.bits() != 32 || words.size() != 2 ||
      isLeft == llvm::is_contained(words, "r") || isWrapped == llvm::is_contained(words, "clamp"))
    return {};
  Value amount = isWrapped ? arith::AndIOp::create(b, x[2], makeBits(b, 32, 31)).getResult()
                           : arith::MinUIOp::create(b, x[2], makeBits(b, 32, 32)).getResult();
  LaneType pair{LaneType::Kind::Bits, 32, 2, {}};
  Value both = bitsOf(b, {x[0], x[1]}, pair, 64), wide = resizeBits(b, amount, 64);
  if (!isLeft)
    return resizeBits(b, arith::ShRUIOp::create(b, both, wide), 32);
  Value moved = arith::ShLIOp::create(b, both, wide);
  return resizeBits(b, arith::ShRUIOp::create(b, moved, makeBits(b, 64, 32)), 32);
}

/// Returns |x0 - x1| + x2.
Value blockdsl::sumOfDifference(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.isFloat() || type.kind == LaneType::Kind::Bits)
    return {};
  auto extremes = [&](auto most, auto least) -> Value {
    return arith::SubIOp::create(b, decltype(most)::create(b, x[0], x[1]), decltype(least)::create(b, x[0], x[1]));
  };
  Value distance =
      type.isSigned() ? extremes(arith::MaxSIOp(), arith::MinSIOp()) : extremes(arith::MaxUIOp(), arith::MinUIOp());
  return arith::AddIOp::create(b, distance, x[2]);
}

/// Returns the second source with the sign of the first.
Value blockdsl::copySign(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return type.isFloat() && type.width >= 32 ? math::CopySignOp::create(b, x[1], x[0]).getResult() : Value();
}

/// Emits `dp4a.s32.u32 d, a, b, c`: the dot product of the bytes of a and b, plus c. `dp2a.lo.s32.u32` multiplies the
/// halves of a by the bytes of b's lower half, or of its upper half with `hi`.
LogicalResult AssemblyWriter::writeByteProducts(const AssemblyInstruction &instruction, LaneType left, LaneType right,
                                                ArrayRef<StringRef> words) {
  auto isWord = [](LaneType type) { return !type.isFloat() && type.kind != LaneType::Kind::Bits && type.bits() == 32; };
  bool isOfHalves = instruction.name == "dp2a", isUpper = isOfHalves && words == ArrayRef<StringRef>{"hi"};
  bool areWordsKnown = isOfHalves ? isUpper || words == ArrayRef<StringRef>{"lo"} : words.empty();
  if (instruction.operands.size() != 4 || !isWord(left) || !isWord(right) || !areWordsKnown)
    return refuse(instruction);
  Value sources[3];
  for (auto [index, source] : llvm::enumerate(sources))
    if (!(source = read(instruction.operands[index + 1].text, left)))
      return failure();
  LaneType bytes{LaneType::Kind::Bits, 8, 4, {}}, halves{LaneType::Kind::Bits, 16, 2, {}};
  SmallVector<Value> xs = lanesOf(b, sources[0], isOfHalves ? halves : bytes), ys = lanesOf(b, sources[1], bytes);
  Value sum = sources[2];
  for (auto [x, y] : llvm::zip(xs, ArrayRef(ys).drop_front(isUpper ? 2 : 0)))
    sum = arith::AddIOp::create(
        b, sum,
        arith::MulIOp::create(b, resizeBits(b, x, 32, left.isSigned()), resizeBits(b, y, 32, right.isSigned())));
  return assign(instruction.operands.front().text, sum);
}
