//===- StorePlan.cpp - Alignment and streaming of a nest's stores ----------===//

#include "blockdsl/Plan/StorePlan.h"

#include "blockdsl/Analysis/BlockDivisors.h"
#include "blockdsl/Analysis/MemoryTypes.h"
#include "blockdsl/Plan/NestContext.h"
#include "blockdsl/Plan/Plan.h"

using namespace mlir;

namespace blockdsl {

/// Shorter rows gain less from aligned stores than the additional step costs.
constexpr int64_t kVectorsWorthAligning = 16;
/// Bytes. Rows that are known to have this alignment, as in most allocated matrices, are not aligned further.
constexpr int64_t kAlignedEnough = 16;

/// Returns the store that a consumer begins with; null if there is none.
static StoreOp getStore(const FusionRoot &root) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(root.op);
  return generic ? dyn_cast<StoreOp>(generic.getBody()->front()) : StoreOp();
}

StorePlan findPossibleStores(PointerAnalysis &hints, const FusionGroup &group, unsigned vectorBits) {
  const NestConfig &config = group.config;
  if (group.kind != FusionGroup::Kind::Nest || config.laneDim == -1 || group.roots.empty())
    return {};
  bool hasBounds =
      llvm::is_contained(group.bounds.below, config.laneDim) || llvm::is_contained(group.bounds.from, config.laneDim);
  bool isTransposed = config.transposed.dim != -1, hasSteps = group.shape[config.laneDim] > config.lanes;
  StorePlan possible{hasBounds && hasSteps && !isTransposed, hasSteps || isTransposed};
  for (const FusionRoot &root : group.roots) {
    StoreOp store = getStore(root);
    if (!store)
      return {};
    int64_t size = getByteSize(store.getValue().getType());
    auto generic = cast<linalg::GenericOp>(root.op);
    if (hints.getBodyStrides(generic, store.getPtr())[config.laneDim] != size)
      return {};
    possible.stream &= (size * config.lanes) % (vectorBits / 8) == 0;
  }
  return possible;
}

/// Returns true if the address of the first element of each row is known to be aligned.
static bool isAligned(const FusionGroup &group) {
  const FusionRoot &root = group.roots.front();
  SmallVector<int64_t> loops;
  for (auto [dim, size] : llvm::enumerate(group.shape)) {
    bool isZero = size == 1 || (static_cast<int>(dim) == group.config.laneDim &&
                                !llvm::is_contained(group.bounds.from, static_cast<int64_t>(dim)));
    loops.push_back(isZero ? kMostDivisor : 1);
  }
  return BlockDivisors(isInMemory).ofBody(cast<linalg::LinalgOp>(root.op), getStore(root).getPtr(), loops) >=
         kAlignedEnough;
}

StorePlan chooseStores(const FusionGroup &group, StorePlan possible, bool mayStream) {
  bool isLong =
      possible.align && group.shape[group.config.laneDim] >= kVectorsWorthAligning * group.config.machineLanes;
  return {isLong && !isAligned(group), possible.stream && mayStream};
}

} // namespace blockdsl
