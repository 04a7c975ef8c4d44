//===- LoopVersions.h - Versions of a nest for addresses that wrap ---------===//
//
// Addresses are contiguous only if the integers and remainders that they are computed from do not wrap within a block.
// If that is only known at run time, a nest has a version for it, and others for integers or remainders that wrap.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_LOOPVERSIONS_H
#define BLOCKDSL_PLAN_LOOPVERSIONS_H

namespace blockdsl {

struct FusionGroup;
class NestContext;

/// The versions of a nest besides the one in which nothing wraps.
struct LoopVersions {
  bool integersWrap = false;   ///< element by element
  bool remaindersWrap = false; ///< in vectors, with gathers for the addresses that are computed from remainders
};

/// Returns the versions that a nest, a scan or a matmul with a configuration needs.
LoopVersions chooseVersions(NestContext &context, const FusionGroup &group);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_LOOPVERSIONS_H
