//===- AssemblyInstructions.cpp - Elementwise instructions of PTX ---------===//
// The table of instructions that compute lane by lane, and those for arithmetic. Conversions are in
// AssemblyConversions.cpp, other integer instructions in AssemblyBits.cpp and AssemblyIntegers.cpp, directed roundings
// in AssemblyRounding.cpp.
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

/// Adds or subtracts signed 32-bit integers in 64 bits, and saturates the result.
template <typename Integer> static Value saturated(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x) {
  if (!type.isSigned() || type.width != 32 || std::is_same_v<Integer, arith::MulIOp>)
    return {};
  Value wide = Integer::create(b, resizeBits(b, x[0], 64, true), resizeBits(b, x[1], 64, true));
  wide = arith::MaxSIOp::create(b, wide, makeBits(b, 64, llvm::minIntN(32)));
  return resizeBits(b, arith::MinSIOp::create(b, wide, makeBits(b, 64, llvm::maxIntN(32))), 32);
}

/// Emits a binary operation. With `rn`, calls a function of libdevice, because `rn` forbids contraction to an fma.
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

/// Emits a product. Integers require `lo`, `hi` or `wide`.
static Value multiply(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (llvm::is_contained(words, "hi") || llvm::is_contained(words, "wide"))
    return multiplyWide(b, type, x, words);
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

/// Emits an integer quotient or remainder, of signed or unsigned types of at least 16 bits.
template <typename Signed, typename Unsigned>
static Value divideIntegers(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (type.isFloat() || type.kind == LaneType::Kind::Bits || type.width < 16 || !words.empty())
    return {};
  return type.isSigned() ? Signed::create(b, x[0], x[1]).getResult() : Unsigned::create(b, x[0], x[1]).getResult();
}

static Value divide(ImplicitLocOpBuilder &b, LaneType type, ArrayRef<Value> x, Words words) {
  if (!type.isFloat())
    return divideIntegers<arith::DivSIOp, arith::DivUIOp>(b, type, x, words);
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
  bool isXorSign = llvm::is_contained(words, "xorsign");
  if (isXorSign != llvm::is_contained(words, "abs") || type.kind == LaneType::Kind::Bits)
    return {};
  if (type.isFloat() && isXorSign) {
    Value magnitudes[] = {math::AbsFOp::create(b, x[0]), math::AbsFOp::create(b, x[1])};
    SmallVector<StringRef> rest;
    llvm::copy_if(words, std::back_inserter(rest), [](StringRef word) { return word == "NaN"; });
    Value magnitude = extremum<NotNaN, NaN, Signed, Unsigned>(b, type, magnitudes, rest);
    Type integer = b.getIntegerType(type.width);
    auto bits = [&](Value number) { return arith::BitcastOp::create(b, integer, number).getResult(); };
    Value signs = arith::XOrIOp::create(b, bits(x[0]), bits(x[1]));
    Value one = makeBits(b, type.width, uint64_t(1) << (type.width - 1));
    Value whole = arith::OrIOp::create(b, bits(magnitude), arith::AndIOp::create(b, signs, one));
    return arith::BitcastOp::create(b, type.element, whole);
  }
  if (type.isFloat())
    return llvm::is_contained(words, "NaN") ? NaN::create(b, x[0], x[1]).getResult()
                                            : NotNaN::create(b, x[0], x[1]).getResult();
  if (!words.empty())
    return {};
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
      {"add", {"xx", "rn rz rm rp ftz sat", add}},
      {"and", {"xx", "", bitwise<arith::AndIOp>}},
      {"bfe", {"xnn", "", extractField}},
      {"bfi", {"xxnn", "", insertField}},
      {"bfind", {"x", "shiftamt", findHighestBit}},
      {"bmsk", {"xx", "clamp wrap", makeMask}},
      {"brev", {"x", "", reverseBits}},
      {"clz", {"x", "", countLeadingZeros}},
      {"cnot", {"x", "", invertLogically}},
      {"copysign", {"xx", "", copySign}},
      {"cos", {"x", "approx ftz", unaryFloat<math::CosOp>}},
      {"div", {"xx", "rn rz rm rp approx full ftz", divide}},
      {"ex2", {"x", "approx ftz", unaryFloat<math::Exp2Op>}},
      {"fma", {"xxx", "rn rz rm rp ftz sat relu", multiplyAdd}},
      {"lg2", {"x", "approx ftz", unaryFloat<math::Log2Op>}},
      {"lop3", {"xxxx", "", lookUp}},
      {"mad", {"xxz", "lo hi wide", multiplyAdd}},
      {"mad24", {"xxx", "lo hi", multiply24}},
      {"max",
       {"xx", "ftz NaN xorsign abs", extremum<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>}},
      {"min",
       {"xx", "ftz NaN xorsign abs", extremum<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>}},
      {"mul", {"xx", "lo hi wide rn rz rm rp ftz sat", multiply}},
      {"mul24", {"xx", "lo hi", multiply24}},
      {"neg", {"x", "ftz", negate}},
      {"not", {"x", "", invert}},
      {"or", {"xx", "", bitwise<arith::OrIOp>}},
      {"popc", {"x", "", countOnes}},
      {"prmt", {"xxx", "f4e b4e rc8 ecl ecr rc16", permute}},
      {"rcp", {"x", "rn rz rm rp approx ftz", reciprocal}},
      {"rem", {"xx", "", divideIntegers<arith::RemSIOp, arith::RemUIOp>}},
      {"rsqrt", {"x", "approx ftz", unaryFloat<math::RsqrtOp>}},
      {"sad", {"xxx", "", sumOfDifference}},
      {"selp", {"xxp", "", choose}},
      {"shf", {"xxn", "l r clamp wrap", funnelShift}},
      {"shl", {"xn", "", shiftLeft}},
      {"shr", {"xn", "", shiftRight}},
      {"sin", {"x", "approx ftz", unaryFloat<math::SinOp>}},
      {"sqrt", {"x", "rn rz rm rp approx ftz", squareRoot}},
      {"sub", {"xx", "rn rz rm rp ftz sat", subtract}},
      {"szext", {"xx", "clamp wrap", extendBits}},
      {"tanh", {"x", "approx", unaryFloat<math::TanhOp>}},
      {"xor", {"xx", "", bitwise<arith::XOrIOp>}},
  };
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}
