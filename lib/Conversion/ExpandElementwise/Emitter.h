//===- Emitter.h - Expressions on lanes -----------------------------------===//
//
// Expansions of math functions are formulas. `Lanes` is a scalar or a rank-1 vector whose operators emit arith ops;
// `Emitter` emits constants, selects, bit casts, and calls of libm lane by lane. No fast-math flag is set: the formulas
// rely on exact steps.
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

/// Properties of the target CPU that the expansions depend on.
struct LaneTarget {
  /// AVX-512 has an instruction for `x * 2^n` that handles overflow and denormals, and one that looks up 16 numbers in
  /// a table of 16 in a register.
  bool hasAVX512 = false;
  /// x86 needs minimum and maximum as compare and select; other CPUs have instructions for them.
  bool isX86 = false;
};

class Emitter {
public:
  Emitter(mlir::ModuleOp module, LaneTarget target)
      : target(target), builder(module.getLoc(), module.getContext()), module(module), symbols(module) {}

  /// New ops are inserted before `op`, with its location.
  void setInsertionPoint(mlir::Operation *op) {
    builder.setInsertionPoint(op);
    builder.setLoc(op->getLoc());
  }
  mlir::ImplicitLocOpBuilder &ops() { return builder; }

  /// Constants are placed at the start of the function, without duplicates.
  Lanes constant(mlir::Type type, double number);
  Lanes integer(mlir::Type type, int64_t number);

  /// `type` with its element replaced.
  static mlir::Type withElement(mlir::Type type, mlir::Type element);
  /// The integer type of the same shape and width.
  static mlir::Type bitsType(mlir::Type type);

  Lanes bitsOf(Lanes number);
  Lanes floatOf(Lanes bits, mlir::Type floatElement);
  /// The result is an arbitrary integer if the number does not fit.
  Lanes convertToInteger(Lanes number, unsigned width);
  /// Rounds toward zero; the nearest integer if the number does not fit, zero for NaN.
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
  /// Returns true if `lookUp` takes one instruction per register.
  bool looksUp(Lanes number) const { return target.hasAVX512 && number.element().isF32(); }
  /// Returns table[index mod 16], from a table of 16 numbers.
  Lanes lookUp(llvm::ArrayRef<float> table, Lanes index);
  /// Convert f32 to f64 and back.
  Lanes widen(Lanes number);
  Lanes narrow(Lanes number);
  Lanes truncateInteger(Lanes integer, unsigned width);
  Lanes extendInteger(Lanes integer, unsigned width, bool isSigned);
  Lanes shiftRightSigned(Lanes integer, int64_t distance);
  Lanes unsignedMin(Lanes a, Lanes b);
  /// Returns number * 2^exponent, rounded once. The exponent is a float with an integral value in (-4e6, 4e6).
  Lanes scale(Lanes number, Lanes exponent);
  /// Returns true if `scale` accepts any exponent, including infinities and NaN: with AVX-512 it is one instruction.
  bool scalesByAnything(Lanes number) const;
  /// Clamps a number to +-bound; NaN becomes a bound. Only available if `scalesByAnything`.
  Lanes within(Lanes number, double bound);
  /// Returns a scalar i1 that is true if any lane is.
  mlir::Value any(Lanes condition);
  /// Returns `slow()` if any lane of `condition` is true, else `fast`.
  Lanes whenAny(Lanes condition, llvm::function_ref<Lanes()> slow, Lanes fast);
  /// Calls a function of the runtime without arguments.
  mlir::Value ask(llvm::StringRef name, mlir::Type result);
  /// Calls the C function `name` (with the suffix f for f32) on each lane. The loop over lanes is a separate function,
  /// so that registers are spilled there and not in the kernel's loop.
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
