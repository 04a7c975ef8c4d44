//===- Register.h - Dialects and passes of blockdsl -------------*- C++ -*-===//
// Registration of the dialects and passes of the tools and the extension module.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_PIPELINES_REGISTER_H
#define BLOCKDSL_PIPELINES_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace blockdsl {

/// Registers all dialects of the compilation stages, with the interfaces that the passes use.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes, named pipelines and upstream passes with the pass pipeline parser. May be called repeatedly.
void registerAllPasses();

/// Registers Triton's flags for passes that have another name here. Called by registerAllPasses.
void registerTritonPipelines();

} // namespace blockdsl

#endif // BLOCKDSL_PIPELINES_REGISTER_H
