//===- DotInstruction.cpp - Instruction of a matmul ----------------------===//

#include "blockdsl/Plan/DotInstruction.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace blockdsl {

/// An instruction for groups of narrow numbers, and the CPU feature that provides it.
struct PackedDot {
  bool ofFloats; ///< bf16 to f32, or else signed bytes to i32
  StringLiteral feature;
  int64_t bits; ///< width of its vectors
  StringLiteral intrinsic;
  bool leftUnsigned = false;
};

/// In order of preference. None of the integer instructions saturates: sums wrap as additions of i32 do.
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

DotInstruction DotInstruction::choose(const VectorOptions &options, Type operand, Type accumulator, int64_t lanes) {
  DotInstruction instruction(accumulator);
  bool ofFloats = operand.isBF16() && accumulator.isF32();
  if (!ofFloats && !(operand.isInteger(8) && accumulator.isInteger(32)))
    return instruction;
  const auto *found = llvm::find_if(kPackedDots, [&](const PackedDot &row) {
    return row.ofFloats == ofFloats && row.bits == lanes * 32 && options.has(row.feature);
  });
  if (found != std::end(kPackedDots))
    instruction.packed = found;
  return instruction;
}

int64_t DotInstruction::group() const { return !packed ? 1 : packed->ofFloats ? 2 : 4; }

bool DotInstruction::isLeftUnsigned() const { return packed && packed->leftUnsigned; }

bool DotInstruction::isOfFloats() const { return packed && packed->ofFloats; }

StringRef DotInstruction::getIntrinsic() const { return packed ? StringRef(packed->intrinsic) : ""; }

std::optional<AMXTiles> AMXTiles::find(const VectorOptions &options, Type operand, Type accumulator) {
  if (!options.has("amx-tile"))
    return std::nullopt;
  if (operand.isBF16() && accumulator.isF32() && options.has("amx-bf16"))
    return AMXTiles(/*ofFloats=*/true);
  if (operand.isInteger(8) && accumulator.isInteger(32) && options.has("amx-int8"))
    return AMXTiles(/*ofFloats=*/false);
  return std::nullopt;
}

} // namespace blockdsl
