//===- EpilogueFusion.cpp - Fusion of a matmul with the nest that stores it ---===//

#include "blockdsl/Plan/EpilogueFusion.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Plan/AccumulatedMatmuls.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace blockdsl {

using cpu::NestOp;

/// Returns the blocks that `sums` computes as matmuls, each with the nest of its matmul.
static SmallVector<std::pair<Value, NestOp>> findMatmuls(Operation *sums) {
  SmallVector<std::pair<Value, NestOp>> found;
  auto add = [&](Value block, Operation *nest) {
    if (auto matmul = dyn_cast_or_null<NestOp>(nest); matmul && matmul.getMatmulAttr())
      found.push_back({block, matmul});
  };
  if (isa<NestOp>(sums) && sums->getNumResults() == 1)
    add(sums->getResult(0), sums);
  auto loop = dyn_cast<scf::ForOp>(sums);
  for (unsigned index = 0; loop && index < loop.getNumResults(); ++index)
    if (linalg::LinalgOp matmul = getAccumulated(loop, index))
      add(loop.getResult(index), matmul->getParentOp());
  return found;
}

/// Returns true if `op` has no effects but reads of memory that are not volatile.
static bool onlyReads(Operation *op) {
  return !op->walk([](Operation *inner) {
              auto load = dyn_cast<LoadOp>(inner);
              bool fine =
                  load ? !load.getIsVolatile()
                       : inner->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(inner);
              return fine ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

static bool onlyStores(const FusionRoot &root) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(root.op);
  return root.kind == FusionRoot::Kind::Effects && generic &&
         llvm::all_of(generic.getBody()->without_terminator(),
                      [](Operation &op) { return isa<StoreOp>(op) || isMemoryEffectFree(&op); });
}

/// Returns true if all values that `stores` uses are available before `sums`, except for the result `given` of `sums`.
static bool usesOnly(const NestContext &context, const FusionGroup &stores, Operation *sums, Value given) {
  DominanceInfo dominance;
  auto isKept = [&](Value block) { return context.isInMemory(block); };
  auto isAvailable = [&](Value scalar) { return dominance.properlyDominates(scalar, sums); };
  return llvm::all_of(stores.roots, [&](const FusionRoot &root) {
    llvm::SetVector<Value> used(root.op->operand_begin(), root.op->operand_end());
    getUsedValuesDefinedAbove(root.op->getRegions(), used);
    return llvm::all_of(used, [&](Value value) {
      return isa<RankedTensorType>(value.getType()) ? canEvaluate(value, isKept, isAvailable, given, /*mayRead=*/true)
                                                    : isAvailable(value);
    });
  });
}

/// Adds the accesses of `op` and of the blocks that it uses.
static void collectAll(const MemoryAccesses &accesses, Operation *op, SmallVectorImpl<MemoryAccess> &reads,
                       SmallVectorImpl<MemoryAccess> &writes) {
  accesses.collectAccesses(op, reads, writes);
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  for (Value value : used) {
    // Only operands with the identity map are read at the op's own index.
    bool isInPlace = !generic || llvm::all_of(generic.getDpsInputOperands(), [&](OpOperand *operand) {
      return operand->get() != value || generic.getMatchingIndexingMap(operand).isIdentity();
    });
    if (isa<RankedTensorType>(value.getType()))
      accesses.collectReads(value, reads, isInPlace);
  }
}

FailureOr<NestOp> findStoredMatmul(NestContext &context, const MemoryAccesses &accesses, Operation *sums,
                                   NestOp stores) {
  auto matmuls = findMatmuls(sums);
  if (matmuls.empty() || !onlyReads(sums))
    return NestOp();
  FusionGroup group(FusionGroup::Kind::Nest);
  if (failed(readConsumers(stores, group)))
    return failure();
  if (group.op || group.shape.size() != 2 || !llvm::all_of(group.roots, onlyStores))
    return NestOp();
  // A tile has more columns than rows: blocks that are contiguous along rows are better stored by a separate nest.
  context.inRegisters = sums;
  bool isAlongColumns = chooseNestConfig(context, group).laneDim == 1;
  context.inRegisters = nullptr;
  if (!isAlongColumns)
    return NestOp();
  SmallVector<MemoryAccess> read, written, before, none;
  collectAll(accesses, sums, before, none);
  for (const FusionRoot &root : group.roots)
    collectAll(accesses, root.op, read, written);
  for (const MemoryAccess &write : written)
    for (const MemoryAccess &other : before)
      if (accesses.mayConflict(write, other))
        return NestOp();
  for (auto [block, matmul] : matmuls) {
    if (cast<RankedTensorType>(block.getType()).getShape() != ArrayRef(group.shape))
      continue;
    // A transposed or reshaped read needs elements of tiles that are not complete yet.
    auto moves = [sum = block](const MemoryAccess &access) { return access.object == sum && access.isElsewhere(); };
    if (llvm::any_of(read, moves))
      continue;
    // Tiles outside of the matmul's mask are not computed, so the stores must have the same mask.
    if ((!matmul.getMask() || matmul.getMask() == stores.getMask()) && usesOnly(context, group, sums, block))
      return matmul;
  }
  return NestOp();
}

} // namespace blockdsl
