//===- DotStep.cpp - The instruction a product is made of ------------------===//

#include "DotStep.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

/// An instruction for groups of narrow numbers, and the CPUs that have it.
struct PackedDot {
  bool ofFloats; ///< bf16 to f32, or else signed bytes to i32
  StringLiteral feature;
  int64_t bits; ///< of the vectors it works on
  StringLiteral intrinsic;
  bool leftUnsigned = false;
};

/// The first row that fits is taken. None of the integer forms saturates: sums wrap as additions of i32 do.
static constexpr PackedDot kPackedDots[] = {
    {true, "avx512bf16", 512, "llvm.x86.avx512bf16.dpbf16ps.512"},
    {true, "avx512bf16", 256, "llvm.x86.avx512bf16.dpbf16ps.256"},
    {true, "avx512bf16", 128, "llvm.x86.avx512bf16.dpbf16ps.128"},
    {true, "bf16", 128, "llvm.aarch64.neon.bfdot.v4f32.v8bf16"},
    {false, "avxvnniint8", 256, "llvm.x86.avx2.vpdpbssd.256"},
    {false, "avxvnniint8", 128, "llvm.x86.avx2.vpdpbssd.128"},
    {false, "avx512vnni", 512, "llvm.x86.avx512.vpdpbusd.512", true},
    {false, "avx512vnni", 256, "llvm.x86.avx512.vpdpbusd.256", true},
    {false, "avx512vnni", 128, "llvm.x86.avx512.vpdpbusd.128", true},
    {false, "avxvnni", 256, "llvm.x86.avx512.vpdpbusd.256", true},
    {false, "avxvnni", 128, "llvm.x86.avx512.vpdpbusd.128", true},
    {false, "dotprod", 128, "llvm.aarch64.neon.sdot.v4i32.v16i8"},
};

DotStep DotStep::choose(const VectorOptions &options, Type operand, Type accumulator, int64_t lanes) {
  DotStep step(accumulator);
  bool ofFloats = operand.isBF16() && accumulator.isF32();
  if (!ofFloats && !(operand.isInteger(8) && accumulator.isInteger(32)))
    return step;
  const auto *found = llvm::find_if(kPackedDots, [&](const PackedDot &row) {
    return row.ofFloats == ofFloats && row.bits == lanes * 32 && options.has(row.feature);
  });
  if (found != std::end(kPackedDots))
    step.packed = found;
  return step;
}

int64_t DotStep::group() const { return !packed ? 1 : packed->ofFloats ? 2 : 4; }

Type DotStep::word() const { return packed ? IntegerType::get(element.getContext(), 32) : element; }

bool DotStep::isLeftUnsigned() const { return packed && packed->leftUnsigned; }

Value DotStep::emit(OpBuilder &builder, Location loc, Value left, Value right, Value accumulator) const {
  if (!packed) {
    if (isa<FloatType>(element))
      return math::FmaOp::create(builder, loc, left, right, accumulator);
    Value product = arith::MulIOp::create(builder, loc, left, right);
    return arith::AddIOp::create(builder, loc, product, accumulator);
  }
  Type narrow = packed->ofFloats ? Type(builder.getBF16Type()) : Type(builder.getI8Type());
  auto type = VectorType::get({cast<VectorType>(left.getType()).getNumElements() * group()}, narrow);
  Value operands[] = {accumulator, vector::BitCastOp::create(builder, loc, type, left),
                      vector::BitCastOp::create(builder, loc, type, right)};
  return LLVM::CallIntrinsicOp::create(builder, loc, accumulator.getType(), builder.getStringAttr(packed->intrinsic),
                                       operands)
      .getResult(0);
}

} // namespace blockdsl
