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

/// The extent of a tile, as the intrinsics take it: rows, and bytes of a row.
static SmallVector<Value> extent(OpBuilder &b, Location loc) {
  return {arith::ConstantIntOp::create(b, loc, MatrixUnit::kExtent, 16),
          arith::ConstantIntOp::create(b, loc, kRowBytes, 16)};
}

static Value call(OpBuilder &b, Location loc, StringRef intrinsic, ValueRange further) {
  SmallVector<Value> operands = extent(b, loc);
  llvm::append_range(operands, further);
  return LLVM::CallIntrinsicOp::create(b, loc, LLVM::LLVMX86AMXType::get(b.getContext()), b.getStringAttr(intrinsic),
                                       operands)
      .getResult(0);
}

Value MatrixUnit::zero(OpBuilder &b, Location loc) const { return call(b, loc, "llvm.x86.tilezero.internal", {}); }

Value MatrixUnit::load(OpBuilder &b, Location loc, TileInMemory from) const {
  Value pitch = arith::ConstantIntOp::create(b, loc, from.pitch, 64);
  return call(b, loc, "llvm.x86.tileloadd64.internal", {from.pointer, pitch});
}

void MatrixUnit::store(OpBuilder &b, Location loc, TileInMemory to, Value tile) const {
  Value pitch = arith::ConstantIntOp::create(b, loc, to.pitch, 64);
  SmallVector<Value> operands = extent(b, loc);
  operands.append({to.pointer, pitch, tile});
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.tilestored64.internal"), operands);
}

Value MatrixUnit::multiply(OpBuilder &b, Location loc, Value accumulator, Value left, Value right) const {
  Value bytes = arith::ConstantIntOp::create(b, loc, kRowBytes, 16);
  return call(b, loc, ofFloats ? "llvm.x86.tdpbf16ps.internal" : "llvm.x86.tdpbssd.internal",
              {bytes, accumulator, left, right});
}

} // namespace blockdsl
