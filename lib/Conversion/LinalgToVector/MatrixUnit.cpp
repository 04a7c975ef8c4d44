//===- MatrixUnit.cpp - Products of tiles of words --------------------------===//

#include "MatrixUnit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace blockdsl {

constexpr int64_t kWordBytes = 4;
constexpr int64_t kRowBytes = MatrixUnit::kExtent * kWordBytes;

std::optional<MatrixUnit> MatrixUnit::find(const VectorOptions &options, Type operand, Type accumulator) {
  if (!options.has("amx-tile"))
    return std::nullopt;
  if (operand.isBF16() && accumulator.isF32() && options.has("amx-bf16"))
    return MatrixUnit(/*ofFloats=*/true);
  if (operand.isInteger(8) && accumulator.isInteger(32) && options.has("amx-int8"))
    return MatrixUnit(/*ofFloats=*/false);
  return std::nullopt;
}

int64_t MatrixUnit::group() const { return ofFloats ? 2 : 4; }

/// An extent of a tile, as the intrinsics take it: rows, or bytes of a row.
static Value extent(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 16);
}

static Value call(OpBuilder &b, Location loc, StringRef intrinsic, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, LLVM::LLVMX86AMXType::get(b.getContext()), b.getStringAttr(intrinsic),
                                       operands)
      .getResult(0);
}

Value MatrixUnit::zero(OpBuilder &b, Location loc) const {
  return call(b, loc, "llvm.x86.tilezero.internal", {extent(b, loc, kExtent), extent(b, loc, kRowBytes)});
}

Value MatrixUnit::load(OpBuilder &b, Location loc, TileInMemory from, int64_t rows, int64_t words) const {
  Value pitch = arith::ConstantIntOp::create(b, loc, from.pitch, 64);
  return call(b, loc, "llvm.x86.tileloadd64.internal",
              {extent(b, loc, rows), extent(b, loc, words * kWordBytes), from.pointer, pitch});
}

void MatrixUnit::store(OpBuilder &b, Location loc, TileInMemory to, Value tile) const {
  Value pitch = arith::ConstantIntOp::create(b, loc, to.pitch, 64);
  Value operands[] = {extent(b, loc, kExtent), extent(b, loc, kRowBytes), to.pointer, pitch, tile};
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.tilestored64.internal"), operands);
}

Value MatrixUnit::multiply(OpBuilder &b, Location loc, Value accumulator, Value left, Value right,
                           int64_t words) const {
  return call(b, loc, ofFloats ? "llvm.x86.tdpbf16ps.internal" : "llvm.x86.tdpbssd.internal",
              {extent(b, loc, kExtent), extent(b, loc, kRowBytes), extent(b, loc, words * kWordBytes), accumulator,
               left, right});
}

} // namespace blockdsl
