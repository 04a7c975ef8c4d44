//===- AssemblyInstructions.cpp - what instructions of PTX mean -*- C++ -*-===//
// A table of those that move, convert and compute lane by lane, with the words that each may be given.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace blockdsl;

using Words = ArrayRef<StringRef>;

template <typename Float> static Value unaryFloat(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return type.isFloat() ? Float::create(b, x[0]).getResult() : Value();
}

Value blockdsl::saturate(ImplicitLocOpBuilder &b, Value number) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(number.getType(), value));
  };
  Value isAbove = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, number, constant(0));
  number = arith::SelectOp::create(b, isAbove, number, constant(0));
  Value isBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, number, constant(1));
  return arith::SelectOp::create(b, isBelow, number, constant(1));
}

Value blockdsl::rectify(ImplicitLocOpBuilder &b, Value number) {
  Value zero = arith::ConstantOp::create(b, b.getFloatAttr(number.getType(), 0));
  Value isKept = arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, number, zero);
  return arith::SelectOp::create(b, isKept, number, zero);
}

/// Signed numbers of 32 bits stay at the ends of their range: in 64 bits nothing is lost.
template <typename Integer> static Value saturated(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x) {
  if (!type.isSigned() || type.width != 32 || std::is_same_v<Integer, arith::MulIOp>)
    return {};
  Value wide = Integer::create(b, resizeBits(b, x[0], 64, true), resizeBits(b, x[1], 64, true));
  wide = arith::MaxSIOp::create(b, wide, makeBits(b, 64, llvm::minIntN(32)));
  return resizeBits(b, arith::MinSIOp::create(b, wide, makeBits(b, 64, llvm::maxIntN(32))), 32);
}

/// Rounded by itself where it says how; otherwise a product and a sum may become one.
template <typename Float, typename Integer>
static Value binary(ImplicitLocOpBuilder &b, StringRef symbol, LaneType type, ArrayRef<Value> x, Words words) {
  bool isSaturated = llvm::is_contained(words, "sat");
  if (!type.isFloat()) {
    if (type.kind == LaneType::Kind::Bits)
      return {};
    return isSaturated ? saturated<Integer>(b, type, x) : Integer::create(b, x[0], x[1]).getResult();
  }
  if (isSaturated && type.element.isF64())
    return {};
  Value result;
  if (llvm::is_contained(words, "rn"))
    result = ExternElementwiseOp::create(b, x[0].getType(), x, /*libname=*/"", /*libpath=*/"", symbol, /*pure=*/true);
  else
    result = Float::create(b, x[0], x[1]);
  return isSaturated ? saturate(b, result) : result;
}

static Value add(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  return binary<arith::AddFOp, arith::AddIOp>(b, type.width == 64 ? "__nv_dadd_rn" : "__nv_fadd_rn", type, x, words);
}

static Value subtract(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  return binary<arith::SubFOp, arith::SubIOp>(b, type.width == 64 ? "__nv_dsub_rn" : "__nv_fsub_rn", type, x, words);
}

/// Integers have to say which half of the product is meant.
static Value multiply(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat() == llvm::is_contained(words, "lo"))
    return {};
  return binary<arith::MulFOp, arith::MulIOp>(b, type.width == 64 ? "__nv_dmul_rn" : "__nv_fmul_rn", type, x, words);
}

static Value multiplyAdd(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  bool isSaturated = llvm::is_contained(words, "sat"), isRectified = llvm::is_contained(words, "relu");
  if (type.isFloat()) {
    if (!llvm::is_contained(words, "rn") || (isSaturated && (isRectified || type.width > 32)) ||
        (isRectified && type.width != 16))
      return {};
    Value result = math::FmaOp::create(b, x[0], x[1], x[2]);
    return isSaturated ? saturate(b, result) : isRectified ? rectify(b, result) : result;
  }
  if (isSaturated || isRectified)
    return {};
  Value product = multiply(b, type, x, words);
  return product ? arith::AddIOp::create(b, product, x[2]).getResult() : Value();
}

static Value divide(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (!type.isFloat())
    return {};
  if (llvm::is_contained(words, "rn"))
    return PreciseDivFOp::create(b, x[0].getType(), x[0], x[1]);
  return arith::DivFOp::create(b, x[0], x[1]);
}

static Value reciprocal(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (!type.isFloat())
    return {};
  Value one = arith::ConstantOp::create(b, b.getFloatAttr(type.element, 1));
  return divide(b, type, {one, x[0]}, words);
}

static Value squareRoot(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat() && llvm::is_contained(words, "rn"))
    return PreciseSqrtOp::create(b, x[0].getType(), x[0]);
  return unaryFloat<math::SqrtOp>(b, type, x, words);
}

template <typename NotNaN, typename NaN, typename Signed, typename Unsigned>
static Value extremum(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat())
    return llvm::is_contained(words, "NaN") ? NaN::create(b, x[0], x[1]).getResult()
                                            : NotNaN::create(b, x[0], x[1]).getResult();
  return type.isSigned() ? Signed::create(b, x[0], x[1]).getResult() : Unsigned::create(b, x[0], x[1]).getResult();
}

static Value negate(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.isFloat())
    return arith::NegFOp::create(b, x[0]);
  return arith::SubIOp::create(b, makeBits(b, type.width, 0), x[0]);
}

static Value absolute(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  if (type.isFloat())
    return math::AbsFOp::create(b, x[0]);
  return math::AbsIOp::create(b, x[0]);
}

template <typename Op> static Value bitwise(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words) {
  return type.kind == LaneType::Kind::Bits ? Op::create(b, x[0], x[1]).getResult() : Value();
}

static Value invert(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  return bitwise<arith::XOrIOp>(b, type, {x[0], makeBits(b, type.width, ~uint64_t(0))}, words);
}

static Value choose(ImplicitLocOpBuilder &b, LaneType, ArrayRef<Value> x, Words) {
  return arith::SelectOp::create(b, x[2], x[0], x[1]);
}

const LaneInstruction *blockdsl::findLaneInstruction(StringRef name) {
  static const llvm::StringMap<LaneInstruction> table{
      {"abs", {"x", "ftz", absolute}},
      {"add", {"xx", "rn ftz sat", add}},
      {"and", {"xx", "", bitwise<arith::AndIOp>}},
      {"bfe", {"xnn", "", extractField}},
      {"bfi", {"xxnn", "", insertField}},
      {"cos", {"x", "approx ftz", unaryFloat<math::CosOp>}},
      {"div", {"xx", "rn approx full ftz", divide}},
      {"ex2", {"x", "approx ftz", unaryFloat<math::Exp2Op>}},
      {"fma", {"xxx", "rn ftz sat relu", multiplyAdd}},
      {"lg2", {"x", "approx ftz", unaryFloat<math::Log2Op>}},
      {"lop3", {"xxxx", "", lookUp}},
      {"mad", {"xxx", "lo", multiplyAdd}},
      {"max", {"xx", "ftz NaN", extremum<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>}},
      {"min", {"xx", "ftz NaN", extremum<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>}},
      {"mul", {"xx", "lo rn ftz sat", multiply}},
      {"neg", {"x", "ftz", negate}},
      {"not", {"x", "", invert}},
      {"or", {"xx", "", bitwise<arith::OrIOp>}},
      {"prmt", {"xxx", "f4e b4e rc8 ecl ecr rc16", permute}},
      {"rcp", {"x", "rn approx ftz", reciprocal}},
      {"rsqrt", {"x", "approx ftz", unaryFloat<math::RsqrtOp>}},
      {"selp", {"xxp", "", choose}},
      {"shl", {"xn", "", shiftLeft}},
      {"shr", {"xn", "", shiftRight}},
      {"sin", {"x", "approx ftz", unaryFloat<math::SinOp>}},
      {"sqrt", {"x", "rn approx ftz", squareRoot}},
      {"sub", {"xx", "rn ftz sat", subtract}},
      {"tanh", {"x", "approx", unaryFloat<math::TanhOp>}},
      {"xor", {"xx", "", bitwise<arith::XOrIOp>}},
  };
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

static Value number(ImplicitLocOpBuilder &b, double value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

/// An f32 as a sign, two bits of exponent and one of mantissa: 0, 0.5, 1, 1.5, 2, 3, 4 and 6. From 2 and from 4 on the
/// steps are twice as large; the code's last bit is the mantissa's, so ties go to even everywhere. NaN becomes 6.
static Value encodeE2M1(ImplicitLocOpBuilder &b, Value x) {
  Value size = arith::MinNumFOp::create(b, math::AbsFOp::create(b, x), number(b, 6));
  auto codes = [&](double scale, double first) -> Value {
    Value steps = math::RoundEvenOp::create(b, arith::MulFOp::create(b, size, number(b, scale)));
    return arith::AddFOp::create(b, steps, number(b, first));
  };
  auto isBelow = [&](double bound) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, size, number(b, bound));
  };
  Value upper = arith::SelectOp::create(b, isBelow(4), codes(1, 2), codes(0.5, 4));
  Value code = arith::SelectOp::create(b, isBelow(2), codes(2, 0), upper);
  Value sign = arith::ShRUIOp::create(b, arith::BitcastOp::create(b, b.getI32Type(), x), makeBits(b, 32, 31));
  Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, x, x);
  sign = arith::AndIOp::create(b, sign, arith::ExtUIOp::create(b, b.getI32Type(), isNumber));
  Value bits = arith::FPToUIOp::create(b, b.getI32Type(), code);
  bits = arith::OrIOp::create(b, bits, arith::ShLIOp::create(b, sign, makeBits(b, 32, 3)));
  return resizeBits(b, bits, 4);
}

/// In an f16 these bits are what they stand for, but for the exponent's bias, which is 15 there and 1 here.
static Value decodeE2M1(ImplicitLocOpBuilder &b, Value code) {
  Value bits = resizeBits(b, code, 16);
  Value sign = arith::ShLIOp::create(b, arith::AndIOp::create(b, bits, makeBits(b, 16, 8)), makeBits(b, 16, 12));
  Value rest = arith::ShLIOp::create(b, arith::AndIOp::create(b, bits, makeBits(b, 16, 7)), makeBits(b, 16, 9));
  Value half = arith::BitcastOp::create(b, b.getF16Type(), arith::OrIOp::create(b, sign, rest));
  Value scale = arith::ConstantOp::create(b, b.getF16FloatAttr(1 << 14));
  return arith::MulFOp::create(b, half, scale);
}

static Value roundToWhole(ImplicitLocOpBuilder &b, Value x, StringRef rounding) {
  if (rounding.empty())
    return x;
  if (rounding == "rni")
    return math::RoundEvenOp::create(b, x);
  if (rounding == "rmi")
    return math::FloorOp::create(b, x);
  if (rounding == "rpi")
    return math::CeilOp::create(b, x);
  return rounding == "rzi" ? math::TruncOp::create(b, x).getResult() : Value();
}

static Value floatToFloat(ImplicitLocOpBuilder &b, Value x, LaneType to, LaneType from, StringRef rounding) {
  if (to.width > from.width && to.width > 16)
    return rounding.empty() ? arith::ExtFOp::create(b, to.element, x).getResult() : Value();
  if (to.element == from.element)
    return roundToWhole(b, x, rounding);
  auto mode = llvm::StringSwitch<std::optional<RoundingMode>>(rounding)
                  .Case("rn", RoundingMode::NearestEven)
                  .Case("rz", RoundingMode::TowardZero)
                  .Default(std::nullopt);
  if (!mode)
    return {};
  return FpToFpOp::create(b, to.element, x, RoundingModeAttr::get(b.getContext(), *mode));
}

/// Whole numbers beyond the result's, and NaN, become what the language says.
static Value floatToInteger(ImplicitLocOpBuilder &b, Value x, LaneType to, StringRef rounding) {
  x = rounding.empty() ? Value() : roundToWhole(b, x, rounding);
  if (!x)
    return {};
  Type type = b.getIntegerType(to.width);
  return to.isSigned() ? arith::FPToSIOp::create(b, type, x).getResult() : arith::FPToUIOp::create(b, type, x);
}

/// The nearest number that the other type has.
static Value limitInteger(ImplicitLocOpBuilder &b, Value x, LaneType to, LaneType from) {
  if (from.isSigned() && (!to.isSigned() || to.width < from.width))
    x = arith::MaxSIOp::create(b, x, makeBits(b, from.width, to.isSigned() ? llvm::minIntN(to.width) : 0));
  unsigned digits = to.width - to.isSigned();
  if (digits >= from.width - from.isSigned())
    return x;
  Value most = makeBits(b, from.width, llvm::maskTrailingOnes<uint64_t>(digits));
  return from.isSigned() ? arith::MinSIOp::create(b, x, most).getResult() : arith::MinUIOp::create(b, x, most);
}

Value blockdsl::convertLane(ImplicitLocOpBuilder &b, Value lane, LaneType to, LaneType from, Words words) {
  using Kind = LaneType::Kind;
  StringRef rounding;
  bool isFinite = false, isSaturated = false, isRectified = false;
  for (StringRef word : words) {
    if (word == "satfinite" || word == "sat" || word == "relu")
      (word == "sat" ? isSaturated : word == "relu" ? isRectified : isFinite) = true;
    else if (word != "ftz" && !rounding.empty())
      return {};
    else if (word != "ftz")
      rounding = word;
  }
  // 8-bit floats are cut off at the largest in any case.
  bool isSmall = to.kind == Kind::E2M1 || (to.isFloat() && to.width == 8);
  if (isFinite != isSmall || (isSmall && isSaturated))
    return {};
  if (isRectified) {
    if (!from.isFloat() || from.width != 32 || !(isSmall || (to.isFloat() && to.width == 16)) || isSaturated)
      return {};
    lane = rectify(b, lane);
  }
  if (to.kind == Kind::E2M1)
    return from.isFloat() && from.width == 32 && rounding == "rn" ? encodeE2M1(b, lane) : Value();
  if (from.kind == Kind::E2M1)
    return to.isFloat() && to.element.isF16() && rounding == "rn" ? decodeE2M1(b, lane) : Value();
  if (from.kind == Kind::Bits || to.kind == Kind::Bits)
    return {};
  if (!from.isFloat() && !to.isFloat())
    return rounding.empty()
               ? resizeBits(b, isSaturated ? limitInteger(b, lane, to, from) : lane, to.width, from.isSigned())
               : Value();
  if (from.isFloat() && !to.isFloat())
    return floatToInteger(b, lane, to, rounding);
  Value result;
  if (from.isFloat())
    result = floatToFloat(b, lane, to, from, rounding);
  else if (rounding == "rn")
    result = from.isSigned() ? arith::SIToFPOp::create(b, to.element, lane).getResult()
                             : arith::UIToFPOp::create(b, to.element, lane);
  return isSaturated && result ? saturate(b, result) : result;
}
