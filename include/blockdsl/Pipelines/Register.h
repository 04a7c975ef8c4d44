//===- Register.h - dialects and passes of blockdsl -------------*- C++ -*-===//
// The dialects and passes that the tools and the extension module know.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_PIPELINES_REGISTER_H
#define BLOCKDSL_PIPELINES_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace blockdsl {

/// Adds every dialect a module of ours can hold at some stage, with the interfaces our passes ask for.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Makes our passes, our named pipelines and the upstream passes we use known to the pass pipeline parser.
/// Calling it again does no harm.
void registerAllPasses();

/// Triton's flags for passes of ours that have another name. For registerAllPasses.
void registerTritonPipelines();

} // namespace blockdsl

#endif // BLOCKDSL_PIPELINES_REGISTER_H
