//===- CUDA.cpp - Pipeline for kernels that Triton compiles -----*- C++ -*-===//
// The result is a kernel like those of Triton's front end, which Triton's own pipeline compiles.
//===----------------------------------------------------------------------===//
#include "blockdsl/Pipelines/CUDA.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace blockdsl {

void buildToHandoffPipeline(OpPassManager &pm, const HandoffPipelineOptions &options) {
  pm.addPass(createCollectFunctionsPass());
  MakeInlinablePassOptions inlinable;
  inlinable.calleesOnly = true;
  pm.addPass(createMakeInlinablePass(inlinable));
  // Without canonicalization, which Triton's pipeline includes.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  // After inlining, so that a block pointer and its uses are in one function.
  pm.addPass(createRewriteBlockPointersPass());
  if (!options.gathersRows) {
    RewriteTensorDescriptorsPassOptions rows;
    rows.onlyForRows = true;
    pm.addPass(createRewriteTensorDescriptorsPass(rows));
  }
  if (!options.debug)
    pm.addPass(createDropAssertionsPass());
  PadProductsPassOptions products;
  products.version = options.version;
  pm.addPass(createPadProductsPass(products));
  AnchorReductionsPassOptions anchors;
  anchors.version = options.version;
  pm.addPass(createAnchorReductionsPass(anchors));
  SpellForVersionPassOptions spell;
  spell.version = options.version;
  pm.addPass(createSpellForVersionPass(spell));
  VerifySingleKernelPassOptions verify;
  verify.version = options.version;
  pm.addPass(createVerifySingleKernelPass(verify));
}

void registerCUDAPipelines() {
  PassPipelineRegistration<HandoffPipelineOptions>("blockdsl-to-handoff", "tt to the one kernel that Triton is given",
                                                   buildToHandoffPipeline);
}

} // namespace blockdsl
