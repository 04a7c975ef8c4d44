//===- DotEmitter.cpp - Code of the instructions of a matmul -----------------===//

#include "DotEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

Value emitDot(OpBuilder &b, Location loc, const DotInstruction &instruction, Value left, Value right,
              Value accumulator) {
  if (instruction.getIntrinsic().empty()) {
    if (isa<FloatType>(instruction.getAccumulatorType()))
      return math::FmaOp::create(b, loc, left, right, accumulator);
    Value product = arith::MulIOp::create(b, loc, left, right);
    return arith::AddIOp::create(b, loc, product, accumulator);
  }
  Type narrow = instruction.isOfFloats() ? Type(b.getBF16Type()) : Type(b.getI8Type());
  auto type = VectorType::get({cast<VectorType>(left.getType()).getNumElements() * instruction.group()}, narrow);
  Value operands[] = {accumulator, vector::BitCastOp::create(b, loc, type, left),
                      vector::BitCastOp::create(b, loc, type, right)};
  return LLVM::CallIntrinsicOp::create(b, loc, accumulator.getType(), b.getStringAttr(instruction.getIntrinsic()),
                                       operands)
      .getResult(0);
}

//===-- AMX -----------------------------------------------------------------===//

constexpr int64_t kWordBytes = 4;
constexpr int64_t kRowBytes = AMXTiles::kExtent * kWordBytes;

/// Returns the extent of a tile as operands of the intrinsics: rows, and bytes of a row.
static SmallVector<Value> extent(OpBuilder &b, Location loc) {
  return {arith::ConstantIntOp::create(b, loc, AMXTiles::kExtent, 16),
          arith::ConstantIntOp::create(b, loc, kRowBytes, 16)};
}

static Value call(OpBuilder &b, Location loc, StringRef intrinsic, ValueRange further) {
  SmallVector<Value> operands = extent(b, loc);
  llvm::append_range(operands, further);
  return LLVM::CallIntrinsicOp::create(b, loc, LLVM::LLVMX86AMXType::get(b.getContext()), b.getStringAttr(intrinsic),
                                       operands)
      .getResult(0);
}

Value emitZeroTile(OpBuilder &b, Location loc) { return call(b, loc, "llvm.x86.tilezero.internal", {}); }

Value emitTileLoad(OpBuilder &b, Location loc, TileInMemory from) {
  return call(b, loc, "llvm.x86.tileloadd64.internal", {from.pointer, from.pitch});
}

void emitTileStore(OpBuilder &b, Location loc, TileInMemory to, Value tile) {
  SmallVector<Value> operands = extent(b, loc);
  operands.append({to.pointer, to.pitch, tile});
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.tilestored64.internal"), operands);
}

Value emitTileDot(OpBuilder &b, Location loc, AMXTiles tiles, Value accumulator, Value left, Value right) {
  Value bytes = arith::ConstantIntOp::create(b, loc, kRowBytes, 16);
  return call(b, loc, tiles.isOfFloats() ? "llvm.x86.tdpbf16ps.internal" : "llvm.x86.tdpbssd.internal",
              {bytes, accumulator, left, right});
}

} // namespace blockdsl
