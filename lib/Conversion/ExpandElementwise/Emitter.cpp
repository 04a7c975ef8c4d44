//===- Emitter.cpp - Expressions on lanes ---------------------------------===//
//
// The operators of Lanes and the functions of Emitter that emit one or two ops. Longer ones (scaling by powers of two,
// branches on any lane, libm lane by lane) are in EmitterControl.cpp.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

int64_t Lanes::count() const {
  auto vector = dyn_cast<VectorType>(type());
  return vector ? vector.getNumElements() : 1;
}

Lanes Lanes::like(double number) const { return emitter->constant(type(), number); }

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

template <typename FloatOp, typename IntegerOp> static Lanes arithmetic(Lanes a, Lanes b) {
  return a.isFloat() ? a.owner().make<FloatOp>(a, b) : a.owner().make<IntegerOp>(a, b);
}

Lanes operator+(Lanes a, Lanes b) { return arithmetic<arith::AddFOp, arith::AddIOp>(a, b); }
Lanes operator-(Lanes a, Lanes b) { return arithmetic<arith::SubFOp, arith::SubIOp>(a, b); }
Lanes operator*(Lanes a, Lanes b) { return arithmetic<arith::MulFOp, arith::MulIOp>(a, b); }
Lanes operator/(Lanes a, Lanes b) { return a.owner().make<arith::DivFOp>(a, b); }
Lanes operator-(Lanes a) { return Lanes(a.owner(), arith::NegFOp::create(a.owner().ops(), a)); }
Lanes operator&(Lanes a, Lanes b) { return a.owner().make<arith::AndIOp>(a, b); }
Lanes operator|(Lanes a, Lanes b) { return a.owner().make<arith::OrIOp>(a, b); }
Lanes operator^(Lanes a, Lanes b) { return a.owner().make<arith::XOrIOp>(a, b); }
Lanes operator!(Lanes a) { return a ^ a.owner().integer(a.type(), 1); }
Lanes operator<<(Lanes a, int64_t distance) {
  return a.owner().make<arith::ShLIOp>(a, a.owner().integer(a.type(), distance));
}
Lanes operator>>(Lanes a, int64_t distance) {
  return a.owner().make<arith::ShRUIOp>(a, a.owner().integer(a.type(), distance));
}

static Lanes compare(Lanes a, Lanes b, arith::CmpFPredicate floats, arith::CmpIPredicate integers) {
  Emitter &e = a.owner();
  return a.isFloat() ? Lanes(e, arith::CmpFOp::create(e.ops(), floats, a, b))
                     : Lanes(e, arith::CmpIOp::create(e.ops(), integers, a, b));
}

Lanes operator<(Lanes a, Lanes b) { return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt); }
Lanes operator<=(Lanes a, Lanes b) { return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle); }
Lanes operator>(Lanes a, Lanes b) { return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt); }
Lanes operator>=(Lanes a, Lanes b) { return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge); }
Lanes operator==(Lanes a, Lanes b) { return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq); }
Lanes operator!=(Lanes a, Lanes b) { return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne); }

//===----------------------------------------------------------------------===//
// Constants and types
//===----------------------------------------------------------------------===//

Type Emitter::withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

Type Emitter::bitsType(Type type) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return withElement(type, IntegerType::get(type.getContext(), width));
}

Lanes Emitter::constant(Type type, Attribute elementValue) {
  auto vector = dyn_cast<VectorType>(type);
  return constant(vector ? DenseElementsAttr::get(vector, elementValue) : cast<TypedAttr>(elementValue));
}

Lanes Emitter::constant(TypedAttr value) {
  auto function = builder.getInsertionBlock()->getParent()->getParentOfType<func::FuncOp>();
  Value &known = constants[{function, value}];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.getBody().front());
    known = arith::ConstantOp::create(builder, value);
  }
  return Lanes(*this, known);
}

Lanes Emitter::constant(Type type, double number) {
  Type element = getElementTypeOrSelf(type);
  if (auto floating = dyn_cast<FloatType>(element))
    return constant(type, Attribute(FloatAttr::get(floating, number)));
  return integer(type, static_cast<int64_t>(number));
}

Lanes Emitter::integer(Type type, int64_t number) {
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  APInt value(64, static_cast<uint64_t>(number));
  return constant(type, Attribute(IntegerAttr::get(element, value.trunc(element.getWidth()))));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Lanes Emitter::bitsOf(Lanes number) {
  return Lanes(*this, arith::BitcastOp::create(builder, bitsType(number.type()), number));
}

Lanes Emitter::floatOf(Lanes bits, Type floatElement) {
  return Lanes(*this, arith::BitcastOp::create(builder, withElement(bits.type(), floatElement), bits));
}

// A number that does not fit is poison in LLVM. Freeze makes it an arbitrary integer, so that LLVM cannot exploit it.
Lanes Emitter::convertToInteger(Lanes number, unsigned width) {
  Type type = withElement(number.type(), builder.getIntegerType(width));
  Value converted = arith::FPToSIOp::create(builder, type, number);
  return Lanes(*this, LLVM::FreezeOp::create(builder, converted));
}

Lanes Emitter::convertToFloat(Lanes integer, Type element) {
  return Lanes(*this, arith::SIToFPOp::create(builder, withElement(integer.type(), element), integer));
}

Lanes Emitter::fma(Lanes a, Lanes b, Lanes c) { return Lanes(*this, math::FmaOp::create(builder, a, b, c)); }

Lanes Emitter::select(Lanes condition, Lanes yes, Lanes no) {
  return Lanes(*this, arith::SelectOp::create(builder, condition, yes, no));
}

Lanes Emitter::abs(Lanes number) { return Lanes(*this, math::AbsFOp::create(builder, number)); }
Lanes Emitter::sqrt(Lanes number) { return Lanes(*this, math::SqrtOp::create(builder, number)); }
Lanes Emitter::floor(Lanes number) { return Lanes(*this, math::FloorOp::create(builder, number)); }
Lanes Emitter::trunc(Lanes number) { return Lanes(*this, math::TruncOp::create(builder, number)); }
Lanes Emitter::roundEven(Lanes number) { return Lanes(*this, math::RoundEvenOp::create(builder, number)); }

Lanes Emitter::copySign(Lanes magnitude, Lanes sign) {
  return Lanes(*this, math::CopySignOp::create(builder, magnitude, sign));
}

Lanes Emitter::isNaN(Lanes number) { return number != number; }

// For NaN the comparison is false and the select returns `number`, as minps and maxps of x86 do.
Lanes Emitter::atMost(Lanes number, double bound) {
  Lanes limit = number.like(bound);
  return select(limit < number, limit, number);
}

Lanes Emitter::atLeast(Lanes number, double bound) {
  Lanes limit = number.like(bound);
  return select(limit > number, limit, number);
}

// Long chains are split into even and odd powers: latency, and not the number of operations, limits short loops.
Lanes Emitter::polynomial(Lanes x, ArrayRef<double> coefficients) {
  auto horner = [&](Lanes at, size_t first, size_t step) {
    size_t last = first + (coefficients.size() - 1 - first) / step * step;
    Lanes sum = x.like(coefficients[last]);
    for (size_t i = last; i != first; i -= step)
      sum = fma(sum, at, x.like(coefficients[i - step]));
    return sum;
  };
  if (coefficients.size() <= 8)
    return horner(x, 0, 1);
  Lanes square = x * x;
  return fma(horner(square, 1, 2), x, horner(square, 0, 2));
}

Lanes Emitter::widen(Lanes number) {
  return make<arith::ExtFOp>(withElement(number.type(), builder.getF64Type()), {number});
}

Lanes Emitter::narrow(Lanes number) {
  return make<arith::TruncFOp>(withElement(number.type(), builder.getF32Type()), {number});
}

Lanes Emitter::truncateInteger(Lanes integer, unsigned width) {
  if (integer.width() == width)
    return integer;
  Type type = withElement(integer.type(), builder.getIntegerType(width));
  return Lanes(*this, arith::TruncIOp::create(builder, type, integer));
}

Lanes Emitter::extendInteger(Lanes integer, unsigned width, bool isSigned) {
  if (integer.width() == width)
    return integer;
  Type type = withElement(integer.type(), builder.getIntegerType(width));
  if (isSigned)
    return Lanes(*this, arith::ExtSIOp::create(builder, type, integer));
  return Lanes(*this, arith::ExtUIOp::create(builder, type, integer));
}

Lanes Emitter::shiftRightSigned(Lanes value, int64_t distance) {
  return make<arith::ShRSIOp>(value, integer(value.type(), distance));
}

Lanes Emitter::unsignedMin(Lanes a, Lanes b) { return make<arith::MinUIOp>(a, b); }

} // namespace blockdsl
