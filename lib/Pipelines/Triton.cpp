//===- Triton.cpp - Triton's flags for passes -------------------*- C++ -*-===//
// Aliases of passes whose names differ from Triton's.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "blockdsl/Pipelines/Register.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void blockdsl::registerTritonPipelines() {
  PassPipelineRegistration<>("triton-rewrite-tensor-descriptor-to-pointer", "tt-rewrite-tensor-descriptors",
                             [](OpPassManager &pm) {
                               RewriteTensorDescriptorsPassOptions options;
                               options.asTriton = true;
                               pm.addPass(createRewriteTensorDescriptorsPass(options));
                             });
  PassPipelineRegistration<>("triton-rewrite-tensor-pointer", "tt-rewrite-block-pointers",
                             [](OpPassManager &pm) { pm.addPass(createRewriteBlockPointersPass()); });
}
