//===- NestReader.h - Decisions about a nest, read from its attributes -------===//
//
// Converts the attributes of a `cpu.nest` to the structures of the plan. Since a user may edit a plan, each decision is
// verified against its op.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_PLAN_NESTREADER_H
#define BLOCKDSL_PLAN_NESTREADER_H

#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Plan/MatmulPlan.h"

namespace blockdsl {

/// Returns the block that receives the yielded value `use`: an argument of a loop's body, or the result of a branch.
mlir::Value getDestination(mlir::OpOperand &use);

/// Returns the block whose buffer holds a result of a nest; null if its storage needs one and there is none.
mlir::Value getTarget(mlir::OpResult result);

/// Reads the kind of a nest, and its consumers in the order in which their elements are computed.
mlir::LogicalResult readConsumers(cpu::NestOp nest, FusionGroup &group);

/// Reads the loop configuration of a nest, or of the copy of a matmul's operand.
mlir::LogicalResult readConfig(cpu::NestOp nest, cpu::NestAttr attribute, PointerAnalysis &hints, FusionGroup &group);

/// Reads the mask that bounds the loops. Fails for a reduction whose elements where the mask is false are unknown.
mlir::LogicalResult readMask(cpu::NestOp nest, FusionGroup &group);

/// Reads the loops that the mask bounds, after `readMask` or `readMatmul`.
mlir::LogicalResult readBounds(cpu::NestOp nest, PointerAnalysis &pointers, FusionGroup &group);

/// Reads how the stores of a nest are aligned, after `readConfig` and `readBounds`.
mlir::LogicalResult readStores(cpu::NestOp nest, PointerAnalysis &hints, unsigned vectorBits, FusionGroup &group);

/// Reads the versions of a nest for addresses that wrap.
LoopVersions readVersions(cpu::NestOp nest);

/// Reads how the matmul of a nest is computed.
mlir::FailureOr<std::unique_ptr<MatmulPlan>> readMatmul(cpu::NestOp nest, mlir::linalg::LinalgOp op,
                                                        const VectorOptions &options, PointerAnalysis &hints);

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_NESTREADER_H
