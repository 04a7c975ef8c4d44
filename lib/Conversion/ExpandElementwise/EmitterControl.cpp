//===- EmitterControl.cpp - Scaling, branches and libm lane by lane -------===//
//
// The functions of Emitter that emit more than two ops.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

/// Emits a masked instruction of AVX-512 with a full mask on one register of 128, 256 or 512 bits. The first operand is
/// also passed as the value of masked-off lanes.
static Value callOnRegister(ImplicitLocOpBuilder &b, StringRef name, ArrayRef<Value> operands) {
  auto type = cast<VectorType>(operands[0].getType());
  bool isF64 = type.getElementType().isF64();
  int64_t bits = type.getNumElements() * (isF64 ? 64 : 32);
  std::string full = ("llvm.x86.avx512.mask." + name + (isF64 ? ".pd." : ".ps.") + Twine(bits)).str();
  unsigned maskBits = std::max<int64_t>(type.getNumElements(), 8);
  SmallVector<Value> all(operands);
  all.append({operands[0], arith::ConstantIntOp::create(b, -1, maskBits)});
  constexpr int64_t currentRounding = 4;
  if (bits == 512)
    all.push_back(arith::ConstantIntOp::create(b, currentRounding, 32));
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(full), all).getResult(0);
}

/// Overload for vectors of several registers; scalar operands are passed to each.
static Value callOnRegisters(ImplicitLocOpBuilder &b, StringRef name, ArrayRef<Value> operands) {
  auto type = cast<VectorType>(operands[0].getType());
  int64_t lanes = 512 / type.getElementTypeBitWidth();
  if (type.getNumElements() <= lanes)
    return callOnRegister(b, name, operands);
  Value result = operands[0];
  for (int64_t first = 0; first != type.getNumElements(); first += lanes) {
    SmallVector<Value> slices;
    for (Value whole : operands)
      slices.push_back(
          isa<VectorType>(whole.getType())
              ? vector::ExtractStridedSliceOp::create(b, whole, ArrayRef{first}, ArrayRef{lanes}, ArrayRef<int64_t>{1})
              : whole);
    Value part = callOnRegister(b, name, slices);
    result = vector::InsertStridedSliceOp::create(b, part, result, ArrayRef{first}, ArrayRef<int64_t>{1});
  }
  return result;
}

/// Returns true if the vector fills one or several registers of AVX-512.
static bool fillsRegisters(Lanes number) {
  int64_t bits = number.width() * number.count();
  return isa<VectorType>(number.type()) && (bits == 128 || bits == 256 || (bits != 0 && bits % 512 == 0));
}

bool Emitter::scalesByAnything(Lanes number) const { return target.hasAVX512 && fillsRegisters(number); }

Lanes Emitter::within(Lanes number, double bound) {
  // The smaller magnitude, with the sign of the first operand.
  Value choice = arith::ConstantIntOp::create(builder, 0b0010, 32);
  return Lanes(*this, callOnRegisters(builder, "range", {number, number.like(bound), choice}));
}

Lanes Emitter::scale(Lanes number, Lanes exponent) {
  if (scalesByAnything(number))
    return Lanes(*this, callOnRegisters(builder, "scalef", {number, exponent}));
  // Two factors, each a normal power of two, so that only the second product rounds. Adding a number whose last bit has
  // the value 1 leaves the exponent in the low bits of the sum; a conversion would be poison for NaN.
  int mantissa = number.isF64() ? 52 : 23;
  int64_t bias = number.isF64() ? 1023 : 127;
  Lanes magic = exponent.like(number.isF64() ? 0x1.8p52 : 0x1.8p23);
  Lanes power = bitsOf(exponent + magic) - bitsOf(magic);
  Lanes half = shiftRightSigned(power, 1);
  Lanes rest = power - half;
  auto powerOfTwo = [&](Lanes n) { return floatOf((n + integer(n.type(), bias)) << mantissa, number.element()); };
  return number * powerOfTwo(half) * powerOfTwo(rest);
}

Lanes Emitter::lookUp(ArrayRef<float> table, Lanes index) {
  constexpr int64_t kInRegister = 16;
  auto inRegister = VectorType::get(kInRegister, builder.getF32Type());
  Value entries = constant(DenseElementsAttr::get(inRegister, table));
  auto permute = [&](Value indices) {
    return LLVM::CallIntrinsicOp::create(builder, inRegister, builder.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
                                         ValueRange{entries, indices})
        .getResult(0);
  };
  auto lanesOf = [&](Value vector, int64_t first, int64_t count) {
    SmallVector<int64_t> lanes;
    int64_t last = cast<VectorType>(vector.getType()).getNumElements() - 1;
    for (int64_t i = 0; i != count; ++i)
      lanes.push_back(std::min(first + i, last));
    return builder.createOrFold<vector::ShuffleOp>(vector, vector, lanes);
  };
  if (!isa<VectorType>(index.type())) {
    auto indices = VectorType::get(kInRegister, index.type());
    return Lanes(*this,
                 vector::ExtractOp::create(builder, permute(vector::BroadcastOp::create(builder, indices, index)),
                                           ArrayRef<int64_t>{0}));
  }
  Value result = constant(withElement(index.type(), builder.getF32Type()), 0);
  for (int64_t first = 0; first < index.count(); first += kInRegister) {
    int64_t count = std::min(kInRegister, index.count() - first);
    Value found = lanesOf(permute(lanesOf(index, first, kInRegister)), 0, count);
    result = builder.createOrFold<vector::InsertStridedSliceOp>(found, result, ArrayRef{first}, ArrayRef<int64_t>{1});
  }
  return Lanes(*this, result);
}

// LLVM scalarizes its own saturating conversions on x86.
Lanes Emitter::saturate(Lanes number, unsigned width, bool isSigned) {
  unsigned bits = isSigned ? width - 1 : width;
  bool hasLargest = bits <= (number.isF64() ? 53 : 24);
  double beyond = std::ldexp(1.0, bits);
  Lanes none = number.like(0);
  // Clamped before the conversion if the bounds are floats. Unsigned conversions also map NaN to zero here.
  Lanes bounded = isSigned ? atLeast(number, -beyond) : select(number > none, number, none);
  if (hasLargest)
    bounded = atMost(bounded, beyond - 1);
  // CPUs convert to 32 and 64 bits, and some only to signed integers.
  Type type = withElement(number.type(), builder.getIntegerType(std::max(width, 32u)));
  Lanes result = isSigned || width < 32 ? Lanes(*this, arith::FPToSIOp::create(builder, type, bounded))
                                        : Lanes(*this, arith::FPToUIOp::create(builder, type, bounded));
  if (!hasLargest)
    result = select(bounded < beyond, result, integer(type, isSigned ? int64_t(~uint64_t(0) >> (65 - width)) : -1));
  if (isSigned)
    result = select(number == number, result, integer(type, 0));
  return truncateInteger(result, width);
}

Value Emitter::any(Lanes condition) {
  if (!isa<VectorType>(condition.type()))
    return condition;
  return vector::ReductionOp::create(builder, vector::CombiningKind::OR, condition);
}

Lanes Emitter::whenAny(Lanes condition, function_ref<Lanes()> slow, Lanes fast) {
  auto branch = scf::IfOp::create(builder, TypeRange{fast.type()}, any(condition), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, ValueRange{slow()});
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, ValueRange{fast});
  return Lanes(*this, branch.getResult(0));
}

func::FuncOp Emitter::declare(StringRef name, FunctionType type) {
  auto known = symbols.lookup<func::FuncOp>(name);
  if (known && known.isExternal())
    return known;
  // A kernel may have the name of a function of libm that it calls. The loader also knows libm's functions by this
  // prefix.
  if (known)
    return declare(("blockdsl_libm_" + name).str(), type);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(builder, name, type);
  function.setPrivate();
  symbols.insert(function);
  return function;
}

Value Emitter::ask(StringRef name, Type result) {
  return func::CallOp::create(builder, declare(name, builder.getFunctionType({}, result))).getResult(0);
}

func::FuncOp Emitter::lanesFunction(StringRef libmName, FunctionType type) {
  int64_t count = cast<VectorType>(type.getResult(0)).getNumElements();
  std::string name = ("blockdsl.lanes." + libmName + "." + Twine(count)).str();
  if (auto known = symbols.lookup<func::FuncOp>(name))
    return known;
  SmallVector<Type> scalars;
  for (Type input : type.getInputs())
    scalars.push_back(getElementTypeOrSelf(input));
  func::FuncOp callee = declare(libmName, builder.getFunctionType(scalars, getElementTypeOrSelf(type.getResult(0))));

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(builder, name, type);
  function.setPrivate();
  // The func dialect's own no_inline does not reach LLVM.
  function->setAttr("passthrough", builder.getStrArrayAttr({"noinline", "cold"}));
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(builder.getContext(), LLVM::Linkage::Internal));
  symbols.insert(function);
  builder.setInsertionPointToStart(function.addEntryBlock());

  Value zero = arith::ConstantIndexOp::create(builder, 0);
  auto slotFor = [&](Type vector) {
    auto type = MemRefType::get({count}, getElementTypeOrSelf(vector));
    return memref::AllocaOp::create(builder, type, builder.getI64IntegerAttr(64)).getResult();
  };
  SmallVector<Value> slots;
  for (Value argument : function.getArguments()) {
    slots.push_back(slotFor(argument.getType()));
    vector::StoreOp::create(builder, argument, slots.back(), ValueRange{zero});
  }
  Value results = slotFor(type.getResult(0));
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value end = arith::ConstantIndexOp::create(builder, count);
  scf::ForOp::create(builder, zero, end, one, ValueRange{}, [&](OpBuilder &, Location, Value lane, ValueRange) {
    // The constructor of scf.for has moved the builder into the body.
    SmallVector<Value> scalarArguments;
    for (Value slot : slots)
      scalarArguments.push_back(memref::LoadOp::create(builder, slot, ValueRange{lane}));
    Value result = func::CallOp::create(builder, callee, scalarArguments).getResult(0);
    memref::StoreOp::create(builder, result, results, ValueRange{lane});
    scf::YieldOp::create(builder);
  });
  Value vector = vector::LoadOp::create(builder, type.getResult(0), results, ValueRange{zero});
  func::ReturnOp::create(builder, vector);
  return function;
}

Lanes Emitter::libm(StringRef name, ArrayRef<Lanes> arguments, Type resultElement) {
  Lanes first = arguments.front();
  Type result = resultElement ? withElement(first.type(), resultElement) : first.type();
  SmallVector<Value> operands(arguments.begin(), arguments.end());
  // The first argument may be an integer order.
  bool isDouble = llvm::any_of(arguments, [](Lanes each) { return each.isF64(); });
  std::string symbol = (name + (isDouble ? "" : "f")).str();
  FunctionType type = builder.getFunctionType(ValueRange(operands).getTypes(), result);
  func::FuncOp callee = isa<VectorType>(first.type()) ? lanesFunction(symbol, type) : declare(symbol, type);
  return Lanes(*this, func::CallOp::create(builder, callee, operands).getResult(0));
}

} // namespace blockdsl
