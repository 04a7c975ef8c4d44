//===- ToLLVM.cpp - the stretch from vectors to the LLVM dialect ----------===//
// Ordered passes, and the reason where a position matters. No patterns live here.
//===----------------------------------------------------------------------===//
#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Pipelines/CPU.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace blockdsl {

void buildToLLVMPipeline(OpPassManager &pm, const CPUPipelineOptions &options) {
  // Before loops without bounds are given a way out.
  pm.addNestedPass<func::FuncOp>(createStripMineScalarLoops());
  // First otherwise, because what asserts and prints become may hold elementwise ops, and because constants of the
  // formulas then stand before the loop over programs.
  pm.addPass(createConvertLaunchABI());
  pm.addPass(createPrefetchNextProgram());
  pm.addPass(createExpandElementwise({options.features, options.fpFusion}));
  // After the last arithmetic on them, and before the types of control flow are LLVM's.
  pm.addPass(createFloatsToIntegerStorage());

  // Canonical once, before the conversions: afterwards vector.insert chains would become from_elements.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After CSE: ranges and constants that are equal have to be one value.
  pm.addPass(createOutlineRepeatedLoops());
  // Last of what knows of structured control flow, because formulas have their length by now.
  pm.addPass(createSplitKernels());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  // One conversion for all dialects; vector needs its own before, which lowers ops to smaller vector ops first.
  ConvertVectorToLLVMPassOptions vectorOptions;
  vectorOptions.reassociateFPReductions = false;
  pm.addPass(createConvertVectorToLLVMPass(vectorOptions));
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createAnnotateBranches());
  // After the structured loops are gone: they cannot be left in the middle.
  pm.addPass(createLowerPolls());
  // Last, because nothing before it knows of them, and nothing after it may simplify.
  pm.addPass(createAvoidLLVMFaults({options.features}));
  // After the last op that uses an argument or makes a loop.
  pm.addPass(createDropUnusedArguments());
  pm.addPass(createAnnotateFunctions());
  pm.addPass(createVerifyNoHeap());
}

} // namespace blockdsl
