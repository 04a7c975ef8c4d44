//===- CPU.cpp - the named stretches to the CPU -----------------*- C++ -*-===//
// Ordered lists of passes, and the reason where a position matters. No patterns live here.
//===----------------------------------------------------------------------===//
#include "blockdsl/Pipelines/CPU.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace blockdsl {

void buildToLinalgPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {}

void buildToVectorPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {}

void buildToLLVMPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {}

static void buildCPUPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  buildToLinalgPipeline(pm, options);
  buildToVectorPipeline(pm, options);
  buildToLLVMPipeline(pm, options);
}

void registerCPUPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-to-linalg", "tt to linalg on tensors", buildToLinalgPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-to-vector", "linalg to loops and vectors",
                                               buildToVectorPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-to-llvm", "loops and vectors to the LLVM dialect",
                                               buildToLLVMPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-cpu", "tt to the LLVM dialect", buildCPUPipeline);
}

} // namespace blockdsl
