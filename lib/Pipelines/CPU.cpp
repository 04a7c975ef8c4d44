//===- CPU.cpp - Pipelines of the CPU stages --------------------*- C++ -*-===//
// Ordered lists of passes, with reasons for their positions.
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
  // First: later passes may abort on unsupported ops.
  pm.addPass(createVerifySupportedOpsPass());
  pm.addPass(createCollectFunctionsPass());
  // Before any folding.
  pm.addPass(createDropAssumptionsPass());
  // Before the inliner, which inlines these calls too.
  pm.addPass(createCallExternsPass());
  // A callee of several blocks cannot be inlined into a loop.
  pm.addPass(createMakeInlinablePass());
  // Without canonicalization before CountLongLoops: constants of the caller may become bounds of a callee's loop.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  // Before UnpackMapElementwise splits groups of elements.
  pm.addPass(createReadAssemblyPass());
  // After ReadAssembly, which may produce constants, and before the canonicalizer, which removes such loops.
  pm.addPass(createCountLongLoopsPass());
  pm.addPass(createUnpackMapElementwisePass());
  pm.addPass(createUnpackScaledProductsPass());
  // After inlining, so that block pointers and descriptors are in one function with their uses.
  pm.addPass(createRewriteBlockPointersPass());
  // Before descriptors are rewritten to pointers and numbers, which have less information.
  pm.addPass(createVerifyKernelsPass());
  pm.addPass(createRewriteTensorDescriptorsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After descriptors are rewritten, whose offsets are wide, and before loops carry offsets instead of pointers.
  pm.addPass(createMarkNarrowOffsetsPass());
  pm.addPass(createMarkAccessesPass());
  pm.addPass(createMarkWrittenArguments());
}

static void buildFlatToLinalgPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  // Before the conversion to linalg.matmul, whose destination is the accumulator.
  pm.addPass(createAccumulateDotsPass());
  // After CSE: the pattern is a block and sums of the same block.
  pm.addPass(createFoldFlipsPass());
  pm.addPass(createFoldPickedHalvesPass());
  // After canonicalization: it only recognizes splats and constants in canonical form.
  pm.addPass(createScalarizeInductionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After CSE, which finds loads that loops share. A separate single iteration has constants to fold.
  pm.addPass(createVersionSingleIterationLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createConvertTTToLinalg());
  // The vectorizer requires equal masks to be the same value.
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
    // The vectorizer requires equal addresses, here of merged arguments, to be the same value.
    pm.addPass(createCSEPass());
  }
  pm.addPass(createConvertLinalgToNests({getAliasName(options)}));
  unsigned bits = options.vectorBits;
  pm.addPass(createSelectNestConfig({bits, options.features}));
  pm.addPass(createSelectMatmul({bits, options.features}));
  pm.addPass(createMergeIterations({bits, options.features, getAliasName(options)}));
  pm.addPass(createSelectBounds());
  // Before SelectVersions: a nest can only be an epilogue if its vectors run along the tile's columns.
  pm.addPass(createFuseEpilogue({bits, options.features, getAliasName(options)}));
  pm.addPass(createSelectStores({bits, options.streamingStores}));
  // After SelectStores: steps behind a shorter first one start at any index.
  pm.addPass(createSelectVersions());
  pm.addPass(createSelectPrefetches({bits, options.features}));
}

void buildToLoopsPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  ConvertNestsToLoopsOptions loops;
  loops.vectorBits = options.vectorBits;
  loops.alias = getAliasName(options);
  loops.sequential = options.sequential;
  loops.features = options.features;
  pm.addPass(createConvertNestsToLoops(loops));
  pm.addPass(createCanonicalizerPass());
  // After canonicalization, which removes unused buffers.
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
