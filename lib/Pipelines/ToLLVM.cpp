//===- ToLLVM.cpp - Pipeline from vectors to the LLVM dialect --------------------===//
// The ordered list of passes, with reasons for their positions.
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
  // Before ConvertLaunchABI, which inserts polls into its `scf.while` loops.
  pm.addNestedPass<func::FuncOp>(createStripMineScalarLoops());
  // Before ExpandElementwise: lowered asserts and prints may contain elementwise ops, and the constants of the formulas
  // are then placed before the loop over programs.
  pm.addPass(createConvertLaunchABI());
  pm.addPass(createPrefetchNextProgram());
  pm.addPass(createExpandElementwise({options.features, options.fpFusion}));
  // After the last arithmetic on small floats, and before the conversion of control flow.
  pm.addPass(createFloatsToIntegerStorage());

  // Before the conversions: afterwards canonicalization would turn vector.insert chains into from_elements.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After CSE: equal bounds and constants have to be the same value.
  pm.addPass(createOutlineRepeatedLoops());
  // As late as structured control flow permits, because by now formulas have their final length.
  pm.addPass(createSplitKernels());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  // One conversion for all dialects but vector, whose ops are lowered to smaller vector ops first.
  ConvertVectorToLLVMPassOptions vectorOptions;
  vectorOptions.reassociateFPReductions = false;
  pm.addPass(createConvertVectorToLLVMPass(vectorOptions));
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createAnnotateBranches());
  // After structured control flow is lowered: structured loops have no early exits.
  pm.addPass(createLowerPolls());
  // Late, because no later pass may simplify the workarounds.
  pm.addPass(createAvoidLLVMFaults({options.features}));
  // After the last pass that adds uses of arguments or loops.
  pm.addPass(createDropUnusedArguments());
  pm.addPass(createAnnotateFunctions());
  pm.addPass(createVerifyNoHeap());
}

} // namespace blockdsl
