//===- CUDA.cpp - the named stretch to Triton's text ------------*- C++ -*-===//
// Passes up to the kernel that Triton's own front end would have made; the rest is left to Triton's pipeline.
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
  // Nothing is canonicalized on the way: Triton does it again.
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
