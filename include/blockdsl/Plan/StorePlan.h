//===- StorePlan.h - Alignment and streaming of a nest's stores ------------===//
//
// A store that crosses a cache line is slow. In rows whose length is not a multiple of a cache line many stores do,
// unless a shorter first step aligns the vectors. Streaming stores, which bypass the caches, have to be aligned.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_STOREPLAN_H
#define BLOCKDSL_PLAN_STOREPLAN_H

namespace blockdsl {

struct FusionGroup;
class PointerAnalysis;

/// How a nest that does nothing but store writes its vectors.
struct StorePlan {
  bool align = false;  ///< a shorter first step aligns the steps behind it to machine vectors
  bool stream = false; ///< steps that are aligned bypass the caches, which is tested before the loop
};

/// Returns what is possible for the stores of a nest with a configuration and bounds. `hints` are strides under the
/// assumption that no remainder wraps.
StorePlan findPossibleStores(PointerAnalysis &hints, const FusionGroup &group, unsigned vectorBits);

/// Decides if a shorter first step is worth its cost, among the `possible` ones, and returns the decisions.
StorePlan chooseStores(const FusionGroup &group, StorePlan possible, bool mayStream);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_STOREPLAN_H
