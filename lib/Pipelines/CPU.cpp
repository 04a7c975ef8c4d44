//===- CPU.cpp - the named stretches to the CPU ---------------------------===//
// Ordered lists of passes, and the reason where a position matters. No patterns live here.
//===----------------------------------------------------------------------===//
#include "blockdsl/Pipelines/CPU.h"
#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Dialect/CPU/Transforms/Passes.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace blockdsl {

void buildFlattenPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  // First: passes behind may abort on ops that no pass lowers.
  pm.addPass(createVerifySupportedOpsPass());
  pm.addPass(createCollectFunctionsPass());
  // Before anything that folds.
  pm.addPass(createDropAssumptionsPass());
  // Before calls are inlined, which these then are.
  pm.addPass(createCallExternsPass());
  // Then, because a callee of several blocks could not be inlined into a loop.
  pm.addPass(createMakeInlinablePass());
  // Without the canonicalizer that comes with it: constants of the caller's may be bounds of a callee's loop.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  // Before its groups of elements are taken apart.
  pm.addPass(createReadAssemblyPass());
  // After assembly, which may come to constants, and before the canonicalizer, which takes such loops away.
  pm.addPass(createCountLongLoopsPass());
  pm.addPass(createUnpackMapElementwisePass());
  pm.addPass(createUnpackScaledProductsPass());
  // After inlining, so that block pointers and descriptors are in one function with their uses.
  pm.addPass(createRewriteBlockPointersPass());
  // Before it: what a kernel's descriptors become are pointers and numbers, which say less.
  pm.addPass(createVerifyKernelsPass());
  pm.addPass(createRewriteTensorDescriptorsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After descriptors, whose offsets are wide, and before loops carry offsets in place of pointers.
  pm.addPass(createMarkNarrowOffsetsPass());
  pm.addPass(createMarkAccessesPass());
  pm.addPass(createMarkWrittenArguments());
}

static void buildFlatToLinalgPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  // Before products are linalg's, whose destination is the accumulator.
  pm.addPass(createAccumulateDotsPass());
  // After CSE: an exchange is a block and sums of the same block.
  pm.addPass(createFoldFlipsPass());
  pm.addPass(createFoldPickedHalvesPass());
  // After canonicalization: it recognizes splats and constants only in their plain form.
  pm.addPass(createScalarizeInductionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After CSE, which finds that loops share what they load; a turn on its own has constants to be folded.
  pm.addPass(createVersionSingleIterationLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createConvertTTToLinalg());
  // Equal masks have to be one value: the vectorizer compares them as such.
  pm.addPass(createTensorCSE());
}

void buildToLinalgPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  buildFlattenPipeline(pm, options);
  buildFlatToLinalgPipeline(pm, options);
}

static std::string getAliasName(const CPUPipelineOptions &options) {
  return options.alias == AliasClass::Disjoint ? "disjoint" : "unknown";
}

void buildToNestsPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  if (!options.merged.empty()) {
    pm.addPass(createMergeArguments({llvm::to_vector(ArrayRef<int64_t>(options.merged))}));
    // Addresses that were computed from two arguments have to be one value: the vectorizer compares them as such.
    pm.addPass(createCSEPass());
  }
  pm.addPass(createConvertLinalgToNests({getAliasName(options)}));
  unsigned bits = options.vectorBits;
  pm.addPass(createSelectNestConfig({bits, options.features}));
  pm.addPass(createSelectMatmul({bits, options.features}));
  pm.addPass(createMergeIterations({bits, options.features, getAliasName(options)}));
  // Last: a nest runs on tiles only if its vectors run along their columns.
  pm.addPass(createFuseEpilogue({bits, options.features, getAliasName(options)}));
}

void buildToLoopsPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  ConvertNestsToLoopsOptions loops;
  loops.vectorBits = options.vectorBits;
  loops.alias = getAliasName(options);
  loops.streamingStores = options.streamingStores;
  loops.sequential = options.sequential;
  loops.features = options.features;
  pm.addPass(createConvertNestsToLoops(loops));
  pm.addPass(createCanonicalizerPass());
  // After canonicalization, which drops buffers that nobody uses.
  pm.addPass(createPlaceBuffers());
  pm.addPass(createCSEPass());
}

void buildLinalgToLoopsPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  buildToNestsPipeline(pm, options);
  buildToLoopsPipeline(pm, options);
}

static void buildCPUPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  buildToLinalgPipeline(pm, options);
  buildLinalgToLoopsPipeline(pm, options);
  buildToLLVMPipeline(pm, options);
}

void registerCPUPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-flatten", "tt without calls, block pointers and descriptors",
                                               buildFlattenPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-flat-to-linalg", "flattened tt to linalg on tensors",
                                               buildFlatToLinalgPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-to-linalg", "tt to linalg on tensors", buildToLinalgPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-to-nests", "linalg to loop nests and the decisions about them",
                                               buildToNestsPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-to-loops", "loop nests to loops and vectors",
                                               buildToLoopsPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-linalg-to-loops", "linalg to loops and vectors",
                                               buildLinalgToLoopsPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-to-llvm", "loops and vectors to the LLVM dialect",
                                               buildToLLVMPipeline);
  PassPipelineRegistration<CPUPipelineOptions>("blockdsl-cpu", "tt to the LLVM dialect", buildCPUPipeline);
}

} // namespace blockdsl
