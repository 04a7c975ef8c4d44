//===- LikelyRuns.cpp - Vectors whose lanes are likely consecutive ----------===//
//
// Indices of reflected, clamped or wrapped elements are piecewise linear: most vectors are consecutive numbers, but the
// ends of the pieces are not known. A load from such addresses tests if all lanes are consecutive, and gathers them
// only if they are not.
//
//===----------------------------------------------------------------------===//

#include "LaneEmitter.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

/// Pieces of fewer vectors are gathered: the test would fail too often.
static constexpr int64_t kVectorsOfPiece = 4;

/// Returns the distance of neighboring lanes, without its sign; -1 if it is unknown.
static int64_t runOf(const LaneValue &value) {
  return value.isUniform() ? 0 : value.isStrided() && value.exchange == 0 ? std::abs(value.stride) : value.run;
}

/// Returns the run of a choice between two values in each lane.
static int64_t runOfEither(int64_t lhs, int64_t rhs) { return lhs == rhs || rhs == 0 ? lhs : lhs == 0 ? rhs : -1; }

/// Returns the run of a remainder or quotient by a uniform divisor.
static int64_t runOfDivision(Operation *op, int64_t run, const LaneValue &divisor, int64_t lanes) {
  APInt constant;
  if (!divisor.isUniform() || (matchPattern(divisor.value, m_ConstantInt(&constant)) &&
                               constant.slt(std::max<int64_t>(run, 1) * lanes * kVectorsOfPiece)))
    return -1;
  return isa<arith::RemSIOp, arith::RemUIOp>(op) ? run : 0;
}

int64_t getLikelyRun(Operation *op, ArrayRef<LaneValue> operands, int64_t lanes) {
  SmallVector<int64_t> runs = llvm::map_to_vector(operands, runOf);
  if (llvm::is_contained(runs, -1))
    return -1;
  if (isa<math::AbsIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return runs[0];
  if (isa<arith::SelectOp>(op))
    return runOfEither(runs[1], runs[2]);
  if (isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    return runOfEither(runs[0], runs[1]);
  if (isa<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(op))
    return runOfDivision(op, runs[0], operands[1], lanes);
  bool isConstant = llvm::all_of(runs, [](int64_t run) { return run == 0; });
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return runs[0] == 0 || runs[1] == 0 ? runs[0] + runs[1] : -1;
  if (auto add = dyn_cast<AddPtrOp>(op)) {
    int64_t size = getByteSize(cast<PtrType>(getElementTypeOrSelf(add.getPtr().getType())).getPointeeType());
    return runs[0] == 0 && runs[1] <= 1 ? runs[1] * size : -1;
  }
  if (isa<arith::MulIOp>(op))
    for (unsigned side : {0, 1}) {
      APInt factor;
      if (operands[side].isUniform() && matchPattern(operands[side].value, m_ConstantInt(&factor)) &&
          factor.abs().ule(1))
        return runs[1 - side] * factor.abs().getZExtValue();
    }
  return isConstant && isa<arith::MulIOp>(op) ? 0 : -1;
}

/// Returns the scalar base and the vector of indices of `pointers`, which count elements of `size` bytes.
static std::optional<std::pair<Value, Value>> getIndices(Value pointers, int64_t size) {
  auto gep = pointers.getDefiningOp<LLVM::GEPOp>();
  if (!gep || isa<VectorType>(gep.getBase().getType()) || gep.getDynamicIndices().size() != 1 ||
      gep.getRawConstantIndices().size() != 1 || getByteSize(gep.getElemType()) != size)
    return std::nullopt;
  Value indices = gep.getDynamicIndices()[0];
  return isa<VectorType>(indices.getType()) ? std::optional(std::pair(gep.getBase(), indices)) : std::nullopt;
}

/// Emits a test that `indices` are consecutive.
static Value areConsecutive(OpBuilder &b, Location loc, Value indices, Value first) {
  auto type = cast<VectorType>(indices.getType());
  unsigned width = type.getElementTypeBitWidth();
  int64_t lanes = type.getNumElements();
  auto steps = llvm::map_to_vector(llvm::seq(lanes), [&](int64_t lane) { return APInt(width, lane); });
  Value distances = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, steps));
  Value start = vector::BroadcastOp::create(b, loc, type, first);
  Value expected = arith::AddIOp::create(b, loc, start, distances);
  Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, indices, expected);
  Value all = vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, equal);
  // Indices that wrap to negative numbers are not consecutive.
  auto most = IntegerAttr::get(type.getElementType(), APInt::getSignedMaxValue(width) - (lanes - 1));
  Value last = arith::ConstantOp::create(b, loc, most);
  Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, first, last);
  return arith::AndIOp::create(b, loc, all, fits);
}

Value LaneEmitter::gather(LaneValue pointer, Type memory, Value mask, Value fill, bool isMasked, unsigned level) {
  Type type = vectorOf(memory);
  int64_t size = getByteSize(memory);
  auto align = static_cast<uint32_t>(size);
  Value pointers = vector(pointer);
  auto gatherAll = [&](OpBuilder &b) -> Value {
    return LLVM::masked_gather::create(b, loc, type, pointers, mask, fill, align);
  };
  OpBuilder &b = at(level);
  auto found = pointer.run == size ? getIndices(pointers, size) : std::nullopt;
  if (!found)
    return gatherAll(b);
  Value base = found->first, indices = found->second;
  Value first = vector::ExtractOp::create(b, loc, indices, 0);
  auto readAtOnce = [&](OpBuilder &inner) -> Value {
    Value address = LLVM::GEPOp::create(inner, loc, base.getType(), memory, base, ArrayRef<LLVM::GEPArg>{first});
    if (isMasked)
      return LLVM::MaskedLoadOp::create(inner, loc, type, address, mask, fill, align);
    return LLVM::LoadOp::create(inner, loc, type, address, align);
  };
  auto branch = scf::IfOp::create(
      b, loc, areConsecutive(b, loc, indices, first),
      [&](OpBuilder &inner, Location l) { scf::YieldOp::create(inner, l, readAtOnce(inner)); },
      [&](OpBuilder &inner, Location l) { scf::YieldOp::create(inner, l, gatherAll(inner)); });
  return branch.getResult(0);
}

} // namespace blockdsl
