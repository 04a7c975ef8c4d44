//===- ExpandElementwise.cpp - Expansion of elementwise ops to arithmetic --===//
//
// The pass: selects the rule or formula of each op, and widens small floats around it. One walk without a pattern
// driver, because formulas emit final ops.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Rules.h"
#include "SmallFloats.h"
#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_EXPANDELEMENTWISE
#include "blockdsl/Conversion/Passes.h.inc"

static FunctionTable makeFunctionTable() {
  FunctionTable table;
  addExponentials(table);
  addLogarithms(table);
  addTrigonometry(table);
  addInverseTrigonometry(table);
  addHyperbolics(table);
  addErrorFunctions(table);
  addPowers(table);
  addBesselFunctions(table);
  addFloatingPointParts(table);
  addIntegerFunctions(table);
  addDeviceCasts(table);
  return table;
}

/// Returns the C name of the function that a math op computes; empty if LLVM has an instruction for it.
static StringRef functionOfMathOp(Operation *op) {
  if (isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp, math::FmaOp, math::RoundOp, math::RoundEvenOp,
          math::SqrtOp, math::TruncOp>(op))
    return "";
  if (isa<math::PowFOp>(op))
    return "pow";
  if (isa<math::FPowIOp>(op))
    return "powi";
  return op->getName().stripDialect();
}

/// Finds the function of a symbol: `__nv_fast_sinf` is looked up as fast_sinf, fast_sin, sinf, sin.
static const Function *findDeviceFunction(const FunctionTable &table, StringRef symbol) {
  if (!symbol.consume_front("__nv_"))
    return nullptr;
  for (StringRef name : {symbol, symbol.starts_with("fast_") ? symbol.drop_front(5) : symbol}) {
    for (StringRef spelling : {name, name.ends_with("f") ? name.drop_back() : name})
      if (auto found = table.find(spelling); found != table.end())
        return &found->second;
  }
  return nullptr;
}

static bool takes(const Function &function, ValueRange operands) {
  if (function.operands.size() != operands.size())
    return false;
  Type floating;
  for (auto [letter, operand] : llvm::zip(function.operands, operands)) {
    Type element = getElementTypeOrSelf(operand.getType());
    if ((letter == 'f') != isa<FloatType>(element))
      return false;
    if (letter != 'f')
      continue;
    if (floating && floating != element)
      return false;
    floating = element;
  }
  return true;
}

namespace {

class Expansion {
public:
  Expansion(ModuleOp module, LaneTarget target) : e(module, target), table(makeFunctionTable()) {}

  /// Replaces `op` if there is a rule for it.
  LogicalResult rewrite(Operation *op) {
    e.setInsertionPoint(op);
    FailureOr<Value> value = expand(op);
    if (failed(value))
      return failure();
    if (!*value)
      return success();
    op->getResult(0).replaceAllUsesWith(*value);
    op->erase();
    return success();
  }

private:
  FailureOr<Value> expand(Operation *op);
  FailureOr<Value> expandExtern(ExternElementwiseOp op);
  FailureOr<Value> expandWidened(Operation *op);
  Value expandConversion(Operation *op);
  Value call(const Function &function, ValueRange operands);

  Emitter e;
  FunctionTable table;
};

} // namespace

/// Calls a function's formula. Small floats are widened for it, and a float result is rounded back.
Value Expansion::call(const Function &function, ValueRange operands) {
  SmallVector<Lanes> arguments;
  Type small;
  for (Value operand : operands) {
    Lanes x(e, operand);
    if (isSmallFloat(x.element())) {
      small = x.element();
      x = convertFloat(e, x, e.ops().getF32Type());
    }
    arguments.push_back(x);
  }
  Lanes result = function.formula(e, arguments);
  return small && result.isFloat() ? convertFloat(e, result, small) : result;
}

/// Returns the result type of a runtime function without arguments that kernels may call; null for other symbols.
static Type answerOf(StringRef symbol, OpBuilder &b) {
  return llvm::StringSwitch<Type>(symbol)
      .Case("blockdsl_nanoseconds", b.getI64Type())
      .Cases({"blockdsl_processor", "blockdsl_processor_count"}, b.getI32Type())
      .Default({});
}

FailureOr<Value> Expansion::expandExtern(ExternElementwiseOp op) {
  if (op.getSrcs().empty() && op.getType() == answerOf(op.getSymbol(), e.ops()))
    return Value(e.ask(op.getSymbol(), op.getType()));
  const Function *function = findDeviceFunction(table, op.getSymbol());
  if (!function) {
    op.emitOpError("calls '") << op.getSymbol() << "', which has no meaning on a CPU";
    return failure();
  }
  if (!takes(*function, op.getSrcs())) {
    op.emitOpError("calls '") << op.getSymbol() << "' with operands it does not take";
    return failure();
  }
  Value result = call(*function, op.getSrcs());
  if (result.getType() == op.getType())
    return result;
  // A boolean may be declared as an integer of any width.
  auto from = dyn_cast<IntegerType>(getElementTypeOrSelf(result.getType()));
  auto to = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getType()));
  if (!from || !to) {
    op.emitOpError("expects '") << op.getSymbol() << "' to give " << result.getType() << ", but it is declared to give "
                                << op.getType();
    return failure();
  }
  Lanes integer(e, result);
  if (to.getWidth() == 1)
    return Value(integer != e.integer(integer.type(), 0));
  return Value(to.getWidth() < from.getWidth() ? e.truncateInteger(integer, to.getWidth())
                                               : e.extendInteger(integer, to.getWidth(), /*isSigned=*/true));
}

/// Returns an integer that converts to f64 exactly and rounds to the same small float as `x`.
static Lanes withinDouble(Emitter &e, Lanes x, bool isSigned) {
  if (x.width() != 64)
    return x;
  // Of the lowest bits of large numbers, only whether any is set matters.
  Lanes upper = isSigned ? x ^ e.shiftRightSigned(x, 63) : x;
  Lanes zero = e.integer(x.type(), 0);
  Lanes isSmall = (upper >> 52) == zero, isEven = (x & int64_t(0xFFF)) == zero;
  Lanes even = x & ~int64_t(0xFFF);
  return e.select(isSmall | isEven, x, even | int64_t(0x800));
}

/// Converts an integer to a small float, rounded once.
static Value convertInteger(Emitter &e, Operation *op) {
  bool isSigned = isa<arith::SIToFPOp>(op);
  Lanes x = withinDouble(e, Lanes(e, op->getOperand(0)), isSigned);
  Type wide = Emitter::withElement(x.type(), e.ops().getF64Type());
  Lanes exact = isSigned ? Lanes(e, arith::SIToFPOp::create(e.ops(), wide, x))
                         : Lanes(e, arith::UIToFPOp::create(e.ops(), wide, x));
  return convertFloat(e, exact, getElementTypeOrSelf(op->getResult(0).getType()));
}

/// Emits an fma of small floats, rounded once. In f64 the product is exact; the sum is rounded to odd, so that the
/// second rounding has the result of a single one (Boldo and Melquiond 2008, "Emulation of FMA and correctly rounded
/// sums: proved algorithms using rounding to odd").
static Value fuseSmallFloats(Emitter &e, math::FmaOp op) {
  auto wide = [&](Value value) { return convertFloat(e, Lanes(e, value), e.ops().getF64Type()); };
  Lanes z(e, wide(op.getC()));
  Lanes product = Lanes(e, wide(op.getA())) * Lanes(e, wide(op.getB()));
  Lanes near = product + z;
  Lanes back = near - product;
  Lanes missing = (product - (near - back)) + (z - back);
  Lanes bits = e.bitsOf(near), one = e.integer(bits.type(), 1);
  Lanes away = e.select((missing > 0.0) == (near > 0.0), one, e.integer(bits.type(), -1));
  Lanes isEven = (bits & int64_t(1)) == e.integer(bits.type(), 0);
  Lanes odd = e.select((e.abs(missing) > 0.0) & isEven, bits + away, bits);
  return convertFloat(e, e.floatOf(odd, e.ops().getF64Type()), getElementTypeOrSelf(op.getType()));
}

/// Clones the op with f32 instead of small floats, expands the clone, and rounds its result.
FailureOr<Value> Expansion::expandWidened(Operation *op) {
  Type result = op->getResult(0).getType();
  IRMapping wideOperands;
  for (Value operand : op->getOperands()) {
    Lanes x(e, operand);
    if (isSmallFloat(x.element()))
      wideOperands.map(operand, convertFloat(e, x, e.ops().getF32Type()));
  }
  Operation *wide = e.ops().clone(*op, wideOperands);
  bool isRounded = isSmallFloat(getElementTypeOrSelf(result));
  if (isRounded)
    wide->getResult(0).setType(Emitter::withElement(result, e.ops().getF32Type()));
  FailureOr<Value> value = expand(wide);
  if (failed(value))
    return failure();
  Value computed = *value ? *value : wide->getResult(0);
  if (*value)
    wide->erase();
  return isRounded ? Value(convertFloat(e, Lanes(e, computed), getElementTypeOrSelf(result))) : computed;
}

Value Expansion::expandConversion(Operation *op) {
  Lanes x(e, op->getOperand(0));
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto convert = dyn_cast<FpToFpOp>(op)) {
    bool isTowardZero = convert.getRounding() == RoundingMode::TowardZero;
    return convertFloat(e, x, element, isTowardZero ? Rounding::TowardZero : Rounding::NearestEven);
  }
  // LLVM converts between f32 and f64, and f16 to f32.
  bool isNative = !isSmallFloat(element) && (!isSmallFloat(x.element()) || (element.isF32() && x.element().isF16()));
  if (isNative || (element.isF16() && x.element().isF32()))
    return {};
  return convertFloat(e, x, element);
}

/// Expands sign ops on bf16 as integer ops, because LLVM converts bf16 through f32.
static Value expandSign(Emitter &e, Operation *op) {
  Lanes bits = e.bitsOf(Lanes(e, op->getOperand(0)));
  Lanes sign = e.integer(bits.type(), 0x8000);
  Lanes magnitude = bits & int64_t(0x7FFF);
  if (isa<arith::NegFOp>(op))
    bits = bits ^ sign;
  else if (isa<math::AbsFOp>(op))
    bits = magnitude;
  else
    bits = magnitude | (e.bitsOf(Lanes(e, op->getOperand(1))) & sign);
  return e.floatOf(bits, e.ops().getBF16Type());
}

FailureOr<Value> Expansion::expand(Operation *op) {
  if (auto call = dyn_cast<ExternElementwiseOp>(op))
    return expandExtern(call);
  if (isa<FpToFpOp, arith::ExtFOp, arith::TruncFOp>(op))
    return expandConversion(op);
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return expandIntegerDivision(e, op);
  auto isSmall = [](Type type) { return isSmallFloat(getElementTypeOrSelf(type)); };
  bool hasSmall = llvm::any_of(op->getOperandTypes(), isSmall) || llvm::any_of(op->getResultTypes(), isSmall);
  if (hasSmall && isa<arith::SIToFPOp, arith::UIToFPOp>(op) && Lanes(e, op->getOperand(0)).width() > 16)
    return convertInteger(e, op);
  // Ops on signs are not arithmetic: they need no widening.
  if (isa<math::AbsFOp, math::CopySignOp, arith::NegFOp>(op)) {
    Type element = getElementTypeOrSelf(op->getResult(0));
    if (element.isBF16())
      return expandSign(e, op);
    if (element.getIntOrFloatBitWidth() > 8)
      return Value();
  }
  if (auto fused = dyn_cast<math::FmaOp>(op); fused && hasSmall)
    return fuseSmallFloats(e, fused);
  if (hasSmall)
    return expandWidened(op);
  if (isa<math::MathDialect>(op->getDialect())) {
    auto found = table.find(functionOfMathOp(op));
    bool isKnown = found != table.end() && takes(found->second, op->getOperands());
    return isKnown && op->getNumResults() == 1 ? call(found->second, op->getOperands()) : Value();
  }
  if (isa<arith::RemFOp>(op))
    return call(table.find("fmod")->second, op->getOperands());
  if (Value value = expandMinMax(e, op))
    return value;
  return expandArithmetic(e, op);
}

/// Returns true for scalars and rank-1 vectors of numbers that the formulas support.
static bool isLanes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type); vector && (vector.getRank() != 1 || vector.isScalable()))
    return false;
  if (isa<ShapedType>(type) && !isa<VectorType>(type))
    return false;
  Type element = getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.getWidth() <= 64;
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType, Float16Type, BFloat16Type,
             Float32Type, Float64Type>(element);
}

/// Returns true for elementwise ops on these types, the only ops that are expanded.
static bool isElementwise(Operation *op) {
  if (op->getNumResults() != 1 || isa<arith::SelectOp, arith::BitcastOp, arith::ConstantOp>(op))
    return false;
  if (!llvm::all_of(op->getOperandTypes(), isLanes) || !llvm::all_of(op->getResultTypes(), isLanes))
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<ExternElementwiseOp, FpToFpOp, ClampFOp, PreciseDivFOp, ApproxDivFOp, PreciseSqrtOp, MulhiUIOp>(op);
}

static void allowContraction(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    return;
  auto arithmetic = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = arithmetic.getFastMathFlagsAttr().getValue() | arith::FastMathFlags::contract;
  op->setAttr(arithmetic.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

namespace {

struct ExpandElementwisePass : impl::ExpandElementwiseBase<ExpandElementwisePass> {
  using ExpandElementwiseBase::ExpandElementwiseBase;

  void runOnOperation() override {
    StringRef names = features;
    LaneTarget target{names.contains("+avx512f") && names.contains("+avx512dq"), names.contains("+avx")};
    SmallVector<Operation *> ops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        if (isElementwise(op))
          ops.push_back(op);
      });
    Expansion expansion(getOperation(), target);
    for (Operation *op : ops) {
      // Before formulas emit products and sums, which must not be contracted.
      if (fpFusion)
        allowContraction(op);
      if (failed(expansion.rewrite(op)))
        return signalPassFailure();
    }
  }
};

} // namespace

} // namespace blockdsl
