//===- DeviceFunctions.cpp - Integer functions and casts of libdevice -----===//
//
// Functions of CUDA's device library beyond C's math functions: integer functions, arithmetic with explicit rounding
// (only the default rounding of CPUs), conversions and bit casts.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace blockdsl {

template <typename Op> static Lanes unary(Emitter &e, ArrayRef<Lanes> x) { return Lanes(e, Op::create(e.ops(), x[0])); }

template <typename Op> static Lanes binary(Emitter &e, ArrayRef<Lanes> x) { return e.make<Op>(x[0], x[1]); }

/// Counts are i32 in C, for operands of any width.
template <typename Op> static Lanes count(Emitter &e, ArrayRef<Lanes> x) {
  return e.truncateInteger(unary<Op>(e, x), 32);
}

/// The position of the lowest set bit plus 1; 0 if there is none.
static Lanes findFirstSet(Emitter &e, ArrayRef<Lanes> x) {
  Lanes position = unary<math::CountTrailingZerosOp>(e, x);
  Lanes result = e.select(x[0] == 0.0, x[0].like(0), position + e.integer(x[0].type(), 1));
  return e.truncateInteger(result, 32);
}

/// The upper half of the product.
template <bool isSigned> static Lanes multiplyHigh(Emitter &e, ArrayRef<Lanes> x) {
  unsigned width = x[0].width();
  Lanes product = e.extendInteger(x[0], 2 * width, isSigned) * e.extendInteger(x[1], 2 * width, isSigned);
  return e.truncateInteger(product >> width, width);
}

/// The product of the low 24 bits.
template <bool isSigned> static Lanes multiply24(Emitter &e, ArrayRef<Lanes> x) {
  auto low = [&](Lanes n) { return isSigned ? e.shiftRightSigned(n << 8, 8) : (n << 8) >> 8; };
  return low(x[0]) * low(x[1]);
}

/// (a + b + round) / 2 without overflow.
template <bool isSigned, int round> static Lanes average(Emitter &e, ArrayRef<Lanes> x) {
  unsigned width = x[0].width();
  Lanes sum = e.extendInteger(x[0], 2 * width, isSigned) + e.extendInteger(x[1], 2 * width, isSigned);
  return e.truncateInteger((sum + e.integer(sum.type(), round)) >> 1, width);
}

/// Rounds to nearest, up or down; conversions round towards zero by themselves.
template <char rounding> static Lanes rounded(Emitter &e, Lanes x) {
  if constexpr (rounding == 'n')
    return e.roundEven(x);
  else if constexpr (rounding == 'u')
    return Lanes(e, math::CeilOp::create(e.ops(), x));
  else if constexpr (rounding == 'd')
    return e.floor(x);
  else
    return x;
}

template <unsigned width, bool isSigned, char rounding> static Lanes toInteger(Emitter &e, ArrayRef<Lanes> x) {
  return e.saturate(rounded<rounding>(e, x[0]), width, isSigned);
}

template <bool isSigned, bool toDouble> static Lanes toFloat(Emitter &e, ArrayRef<Lanes> x) {
  FloatType element = toDouble ? e.ops().getF64Type() : e.ops().getF32Type();
  Type type = Emitter::withElement(x[0].type(), element);
  return isSigned ? Lanes(e, arith::SIToFPOp::create(e.ops(), type, x[0]))
                  : Lanes(e, arith::UIToFPOp::create(e.ops(), type, x[0]));
}

static Lanes add(Emitter &, ArrayRef<Lanes> x) { return x[0] + x[1]; }
static Lanes subtract(Emitter &, ArrayRef<Lanes> x) { return x[0] - x[1]; }
static Lanes multiply(Emitter &, ArrayRef<Lanes> x) { return x[0] * x[1]; }
static Lanes divide(Emitter &, ArrayRef<Lanes> x) { return x[0] / x[1]; }

template <char rounding> static void addConversions(FunctionTable &table, StringRef from) {
  auto named = [&](StringRef to) { return (from + "2" + to + "_r" + Twine(rounding)).str(); };
  table[named("int")] = {toInteger<32, true, rounding>};
  table[named("uint")] = {toInteger<32, false, rounding>};
  table[named("ll")] = {toInteger<64, true, rounding>};
  table[named("ull")] = {toInteger<64, false, rounding>};
}

static void addArithmetic(FunctionTable &table) {
  for (StringRef prefix : {"", "f", "d"}) {
    table[(prefix + "add_rn").str()] = {add, "ff"};
    table[(prefix + "sub_rn").str()] = {subtract, "ff"};
    table[(prefix + "mul_rn").str()] = {multiply, "ff"};
    table[(prefix + "div_rn").str()] = {divide, "ff"};
    table[(prefix + "sqrt_rn").str()] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.sqrt(x[0]); }};
    table[(prefix + "rcp_rn").str()] = {[](Emitter &, ArrayRef<Lanes> x) { return 1.0 / x[0]; }};
    table[(prefix + "rsqrt_rn").str()] = {[](Emitter &e, ArrayRef<Lanes> x) { return 1.0 / e.sqrt(x[0]); }};
  }
  table["fdivide"] = {divide, "ff"};
  for (StringRef name : {"fma_rn", "fmaf_rn"})
    table[name] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.fma(x[0], x[1], x[2]); }, "fff"};
}

void addIntegerFunctions(FunctionTable &table) {
  for (StringRef name : {"abs", "llabs"})
    table[name] = {unary<math::AbsIOp>, "i"};
  for (StringRef name : {"min", "llmin"})
    table[name] = {binary<arith::MinSIOp>, "ii"};
  for (StringRef name : {"max", "llmax"})
    table[name] = {binary<arith::MaxSIOp>, "ii"};
  for (StringRef name : {"umin", "ullmin"})
    table[name] = {binary<arith::MinUIOp>, "ii"};
  for (StringRef name : {"umax", "ullmax"})
    table[name] = {binary<arith::MaxUIOp>, "ii"};
  for (StringRef name : {"mulhi", "mul64hi"})
    table[name] = {multiplyHigh<true>, "ii"};
  for (StringRef name : {"umulhi", "umul64hi"})
    table[name] = {multiplyHigh<false>, "ii"};
  table["mul24"] = {multiply24<true>, "ii"};
  table["umul24"] = {multiply24<false>, "ii"};
  table["hadd"] = {average<true, 0>, "ii"};
  table["rhadd"] = {average<true, 1>, "ii"};
  table["uhadd"] = {average<false, 0>, "ii"};
  table["urhadd"] = {average<false, 1>, "ii"};
  for (StringRef suffix : {"", "ll"}) {
    table[("clz" + suffix).str()] = {count<math::CountLeadingZerosOp>, "i"};
    table[("popc" + suffix).str()] = {count<math::CtPopOp>, "i"};
    table[("ffs" + suffix).str()] = {findFirstSet, "i"};
    table[("brev" + suffix).str()] = {unary<LLVM::BitReverseOp>, "i"};
  }
}

void addDeviceCasts(FunctionTable &table) {
  addArithmetic(table);
  for (StringRef from : {"float", "double"}) {
    addConversions<'n'>(table, from);
    addConversions<'z'>(table, from);
    addConversions<'u'>(table, from);
    addConversions<'d'>(table, from);
  }
  table["int2float_rn"] = table["ll2float_rn"] = {toFloat<true, false>, "i"};
  table["uint2float_rn"] = table["ull2float_rn"] = {toFloat<false, false>, "i"};
  table["int2double_rn"] = table["ll2double_rn"] = {toFloat<true, true>, "i"};
  table["uint2double_rn"] = table["ull2double_rn"] = {toFloat<false, true>, "i"};
  table["double2float_rn"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.narrow(x[0]); }};
  for (StringRef name : {"float_as_int", "float_as_uint", "double_as_longlong"})
    table[name] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.bitsOf(x[0]); }};
  for (StringRef name : {"int_as_float", "uint_as_float"})
    table[name] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.floatOf(x[0], e.ops().getF32Type()); }, "i"};
  table["longlong_as_double"] = {[](Emitter &e, ArrayRef<Lanes> x) { return e.floatOf(x[0], e.ops().getF64Type()); },
                                 "i"};
}

} // namespace blockdsl
