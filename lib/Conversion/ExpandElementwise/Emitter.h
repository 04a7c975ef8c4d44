//===- Emitter.h - Arithmetic on lanes, written as expressions ------------===//
//
// Expansions of math functions are formulas. `Lanes` is a scalar or a rank-1 vector on which the usual operators emit
// arith ops, and `Emitter` makes the rest: constants, selects, bit casts, calls of libm lane by lane. Nothing here
// knows a math function, and no fast-math flag is set: the formulas rely on exact steps.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_EMITTER_H
#define BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace blockdsl {

class Emitter;

/// A float, integer or boolean scalar or rank-1 vector. Comparisons of integers are signed, `>>` shifts zeros in.
class Lanes {
public:
  Lanes(Emitter &emitter, mlir::Value value) : emitter(&emitter), value(value) {}

  operator mlir::Value() const { return value; }
  mlir::Type type() const { return value.getType(); }
  mlir::Type element() const { return mlir::getElementTypeOrSelf(value.getType()); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element()); }
  bool isF64() const { return element().isF64(); }
  unsigned width() const { return element().getIntOrFloatBitWidth(); }
  /// Number of lanes, 1 for a scalar.
  int64_t count() const;
  /// The constant `number` in this value's type.
  Lanes like(double number) const;
  Emitter &owner() const { return *emitter; }

private:
  Emitter *emitter;
  mlir::Value value;
};

/// What the expansions need to know about the machine.
struct LaneTarget {
  /// AVX-512 has one instruction for `x * 2^n` with overflow and denormals right, and one for 16 numbers of 16 in a
  /// register.
  bool hasAVX512 = false;
  /// x86 wants minimum and maximum as compare and select, others have instructions with the wanted meaning.
  bool isX86 = false;
};

class Emitter {
public:
  Emitter(mlir::ModuleOp module, LaneTarget target)
      : target(target), builder(module.getLoc(), module.getContext()), module(module), symbols(module) {}

  /// New ops go before `op` and take its location.
  void setInsertionPoint(mlir::Operation *op) {
    builder.setInsertionPoint(op);
    builder.setLoc(op->getLoc());
  }
  mlir::ImplicitLocOpBuilder &ops() { return builder; }

  /// Constants stand at the start of the function, once each.
  Lanes constant(mlir::Type type, double number);
  Lanes integer(mlir::Type type, int64_t number);

  /// `type` with its element replaced.
  static mlir::Type withElement(mlir::Type type, mlir::Type element);
  /// The integer type of the same shape and width.
  static mlir::Type bitsType(mlir::Type type);

  Lanes bitsOf(Lanes number);
  Lanes floatOf(Lanes bits, mlir::Type floatElement);
  /// Some integer where the number does not fit.
  Lanes convertToInteger(Lanes number, unsigned width);
  /// The nearest integer where the number does not fit, zero for NaN. Rounds toward zero.
  Lanes saturate(Lanes number, unsigned width, bool isSigned);
  Lanes convertToFloat(Lanes integer, mlir::Type element);
  Lanes fma(Lanes a, Lanes b, Lanes c);
  Lanes select(Lanes condition, Lanes yes, Lanes no);
  Lanes abs(Lanes number);
  Lanes sqrt(Lanes number);
  Lanes floor(Lanes number);
  Lanes trunc(Lanes number);
  Lanes roundEven(Lanes number);
  Lanes copySign(Lanes magnitude, Lanes sign);
  Lanes isNaN(Lanes number);
  /// The smaller (larger) of `number` and a bound that is not NaN; NaN stays NaN. One instruction on x86.
  Lanes atMost(Lanes number, double bound);
  Lanes atLeast(Lanes number, double bound);
  /// c[0] + x (c[1] + x (c[2] ...)).
  Lanes polynomial(Lanes x, llvm::ArrayRef<double> coefficients);
  /// Whether `lookUp` takes one instruction for each register of such numbers.
  bool looksUp(Lanes number) const { return target.hasAVX512 && number.element().isF32(); }
  /// table[index mod 16] in f32, of 16 numbers.
  Lanes lookUp(llvm::ArrayRef<float> table, Lanes index);
  /// f32 as f64 and back.
  Lanes widen(Lanes number);
  Lanes narrow(Lanes number);
  Lanes truncateInteger(Lanes integer, unsigned width);
  Lanes extendInteger(Lanes integer, unsigned width, bool isSigned);
  Lanes shiftRightSigned(Lanes integer, int64_t distance);
  Lanes unsignedMin(Lanes a, Lanes b);
  /// Number times 2^exponent, exponent a float with an integral value in (-4e6, 4e6), rounded once.
  Lanes scale(Lanes number, Lanes exponent);
  /// Whether `scale` also takes infinities, NaN and any other number for the exponent: one instruction of AVX-512 does.
  bool scalesByAnything(Lanes number) const;
  /// The number, or the bound with its sign where it lies outside +-bound or is NaN. Where `scalesByAnything` only.
  Lanes within(Lanes number, double bound);
  /// True in a scalar i1 when any lane is.
  mlir::Value any(Lanes condition);
  /// `slow(...)` when any lane of `condition` is true, else `fast`.
  Lanes whenAny(Lanes condition, llvm::function_ref<Lanes()> slow, Lanes fast);
  /// Calls a function of the runtime that takes nothing.
  mlir::Value ask(llvm::StringRef name, mlir::Type result);
  /// Calls the C function `name` (with the suffix f for f32) on each lane. The loop over lanes is a function of its
  /// own, so that the calls spill registers there and not in the kernel's loop.
  Lanes libm(llvm::StringRef name, llvm::ArrayRef<Lanes> arguments, mlir::Type resultElement = {});

  template <typename Op> Lanes make(mlir::TypeRange type, mlir::ValueRange operands) {
    return Lanes(*this, Op::create(builder, type, operands, llvm::ArrayRef<mlir::NamedAttribute>())->getResult(0));
  }
  template <typename Op> Lanes make(Lanes a, mlir::Value b) {
    return Lanes(*this, Op::create(builder, a, b)->getResult(0));
  }

  const LaneTarget target;

private:
  Lanes constant(mlir::Type type, mlir::Attribute elementValue);
  Lanes constant(mlir::TypedAttr value);
  mlir::func::FuncOp declare(llvm::StringRef name, mlir::FunctionType type);
  mlir::func::FuncOp lanesFunction(llvm::StringRef libmName, mlir::FunctionType type);

  mlir::ImplicitLocOpBuilder builder;
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>, mlir::Value> constants;
};

Lanes operator+(Lanes a, Lanes b);
Lanes operator-(Lanes a, Lanes b);
Lanes operator*(Lanes a, Lanes b);
Lanes operator/(Lanes a, Lanes b);
Lanes operator-(Lanes a);
Lanes operator&(Lanes a, Lanes b);
Lanes operator|(Lanes a, Lanes b);
Lanes operator^(Lanes a, Lanes b);
Lanes operator<<(Lanes a, int64_t distance);
Lanes operator>>(Lanes a, int64_t distance);
Lanes operator<(Lanes a, Lanes b);
Lanes operator<=(Lanes a, Lanes b);
Lanes operator>(Lanes a, Lanes b);
Lanes operator>=(Lanes a, Lanes b);
Lanes operator==(Lanes a, Lanes b);
Lanes operator!=(Lanes a, Lanes b);
Lanes operator!(Lanes a);

inline Lanes operator+(Lanes a, double b) { return a + a.like(b); }
inline Lanes operator-(Lanes a, double b) { return a - a.like(b); }
inline Lanes operator*(Lanes a, double b) { return a * a.like(b); }
inline Lanes operator/(Lanes a, double b) { return a / a.like(b); }
inline Lanes operator-(double a, Lanes b) { return b.like(a) - b; }
inline Lanes operator/(double a, Lanes b) { return b.like(a) / b; }
inline Lanes operator&(Lanes a, int64_t b) { return a & a.owner().integer(a.type(), b); }
inline Lanes operator|(Lanes a, int64_t b) { return a | a.owner().integer(a.type(), b); }
inline Lanes operator<(Lanes a, double b) { return a < a.like(b); }
inline Lanes operator<=(Lanes a, double b) { return a <= a.like(b); }
inline Lanes operator>(Lanes a, double b) { return a > a.like(b); }
inline Lanes operator>=(Lanes a, double b) { return a >= a.like(b); }
inline Lanes operator==(Lanes a, double b) { return a == a.like(b); }
inline Lanes operator!=(Lanes a, double b) { return a != a.like(b); }

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_EMITTER_H
