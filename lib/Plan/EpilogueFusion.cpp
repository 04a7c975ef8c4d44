//===- EpilogueFusion.cpp - Fusion of a matmul with the nest that stores it ---===//

#include "blockdsl/Plan/EpilogueFusion.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace blockdsl {

linalg::LinalgOp getAccumulated(scf::ForOp loop, unsigned index) {
  BlockArgument carried = loop.getRegionIterArg(index);
  Value yielded = loop.getYieldedValues()[index];
  auto product = yielded.getDefiningOp<linalg::LinalgOp>();
  bool adds = product && isa<linalg::MatmulOp, linalg::BatchMatmulOp>(product.getOperation()) &&
              product->getBlock() == loop.getBody() && product.getDpsInitOperand(0)->get() == carried;
  return adds && carried.hasOneUse() && yielded.hasOneUse() ? product : linalg::LinalgOp();
}

bool startsWithZero(scf::ForOp loop, unsigned index) {
  Value start = loop.getInitArgs()[index];
  return matchPattern(start, m_Zero()) || matchPattern(start, m_PosZeroFloat());
}

bool canEvaluate(PlanContext &context, Value block, Value given, bool mayRead) {
  llvm::SetVector<Value> blocks;
  blocks.insert(block);
  auto isThere = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()))
      return blocks.insert(value), true;
    return context.isAvailable(value);
  };
  for (unsigned next = 0; next < blocks.size(); ++next) {
    if (blocks[next] == given)
      continue;
    Operation *def = blocks[next].getDefiningOp();
    if (!def || !isFusible(def) || context.isInMemory(blocks[next]) || context.storage.isMaterialized(blocks[next]))
      return false;
    llvm::SetVector<Value> used(def->operand_begin(), def->operand_end());
    getUsedValuesDefinedAbove(def->getRegions(), used);
    bool reads = def->walk([&](Operation *inner) {
                      bool isRead = isa<tensor::ExtractOp>(inner) || (isa<LoadOp>(inner) && !mayRead);
                      return isRead ? WalkResult::interrupt() : WalkResult::advance();
                    })
                     .wasInterrupted();
    if (reads || !llvm::all_of(used, isThere))
      return false;
  }
  return true;
}

DemandedMask getDemandedMaskOfProduct(linalg::LinalgOp product) {
  Value block = product->getResult(0), accumulator = product.getDpsInitOperand(0)->get();
  for (auto around = dyn_cast<scf::ForOp>(product->getParentOp()); around && block.hasOneUse();
       around = dyn_cast<scf::ForOp>(around->getParentOp())) {
    auto carried = dyn_cast<BlockArgument>(accumulator);
    OpOperand &use = *block.use_begin();
    if (!carried || carried.getOwner() != around.getBody() || !carried.hasOneUse() ||
        use.getOwner() != around.getBody()->getTerminator() ||
        carried != around.getRegionIterArg(use.getOperandNumber()))
      break;
    block = around.getResult(use.getOperandNumber());
    accumulator = around.getInitArgs()[use.getOperandNumber()];
  }
  return getDemandedMask(block);
}

/// The blocks that `sums` ends with and that products made, each with its product.
static SmallVector<std::pair<Value, linalg::LinalgOp>> findProducts(const FusionGroup &sums) {
  SmallVector<std::pair<Value, linalg::LinalgOp>> found;
  if (sums.kind == FusionGroup::Kind::Matmul)
    found.push_back({sums.op->getResult(0), cast<linalg::LinalgOp>(sums.op)});
  auto loop = sums.kind == FusionGroup::Kind::Structured ? dyn_cast<scf::ForOp>(sums.op) : scf::ForOp();
  for (unsigned index = 0; loop && index < loop.getNumResults(); ++index)
    if (linalg::LinalgOp product = getAccumulated(loop, index))
      found.push_back({loop.getResult(index), product});
  return found;
}

/// Whether nothing that happens in `op` could be told from its happening later, but for what memory it reads.
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

/// Whether all that `stores` uses is there before `given` is, but for `given` itself.
static bool usesOnly(PlanContext &context, const FusionGroup &stores, Value given) {
  return llvm::all_of(stores.roots, [&](const FusionRoot &root) {
    llvm::SetVector<Value> used(root.op->operand_begin(), root.op->operand_end());
    getUsedValuesDefinedAbove(root.op->getRegions(), used);
    return llvm::all_of(used, [&](Value value) {
      return isa<RankedTensorType>(value.getType()) ? canEvaluate(context, value, given, /*mayRead=*/true)
                                                    : context.isAvailable(value);
    });
  });
}

linalg::LinalgOp findStoredProduct(PlanContext &context, const FusionGroup &sums, const FusionGroup &stores) {
  if (stores.kind != FusionGroup::Kind::Nest || stores.shape.size() != 2 || !llvm::all_of(stores.roots, onlyStores))
    return {};
  auto products = findProducts(sums);
  // A tile has more columns than rows: what lies the other way is better stored by a nest of its own.
  if (products.empty() || !onlyReads(sums.op) || chooseNestConfig(context, stores).laneDim != 1)
    return {};
  for (const MemoryAccess &write : stores.writes)
    for (const MemoryAccess &read : sums.reads)
      if (context.storage.mayConflict(write, read))
        return {};
  for (auto [block, product] : products) {
    if (cast<RankedTensorType>(block.getType()).getShape() != ArrayRef(stores.shape))
      continue;
    // Turned or reshaped, it is looked at where its tile is not complete yet.
    auto moves = [sum = block](const MemoryAccess &read) { return read.object == sum && read.isElsewhere(); };
    if (llvm::any_of(stores.reads, moves))
      continue;
    // Tiles that nobody looks at are not computed, and what is stored with them is not stored.
    Value wanted = getDemandedMaskOfProduct(product).mask;
    if ((!wanted || wanted == stores.demand.mask) && usesOnly(context, stores, block))
      return product;
  }
  return {};
}

} // namespace blockdsl
