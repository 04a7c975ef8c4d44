//===- CUDA.h - Pipeline for kernels that Triton compiles -------*- C++ -*-===//
// Options and build function of the pipeline before Triton's own.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_PIPELINES_CUDA_H
#define BLOCKDSL_PIPELINES_CUDA_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace blockdsl {

struct HandoffPipelineOptions : mlir::PassPipelineOptions<HandoffPipelineOptions> {
  Option<bool> debug{*this, "debug", llvm::cl::desc("Keep assertions"), llvm::cl::init(false)};
  Option<std::string> version{*this, "version", llvm::cl::desc("The version of Triton that reads the module"),
                              llvm::cl::init("3.9")};
  Option<bool> gathersRows{*this, "gathers-rows",
                           llvm::cl::desc("Triton gathers rows through tensor descriptors for this target"),
                           llvm::cl::init(true)};
};

/// tt -> tt: one public function without calls and block pointers, and without assertions unless they are enabled.
void buildToHandoffPipeline(mlir::OpPassManager &pm, const HandoffPipelineOptions &options);

/// Registers `blockdsl-to-handoff`.
void registerCUDAPipelines();

} // namespace blockdsl

#endif // BLOCKDSL_PIPELINES_CUDA_H
