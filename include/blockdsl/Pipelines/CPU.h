//===- CPU.h - Pipelines of the CPU stages ----------------------*- C++ -*-===//
// Options and build functions of the pipelines from the tt dialect to the LLVM dialect.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_PIPELINES_CPU_H
#define BLOCKDSL_PIPELINES_CPU_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace blockdsl {

/// Aliasing of the memory of different pointer arguments.
enum class AliasClass {
  Disjoint, ///< they never overlap: pointers become `llvm.noalias`
  Unknown,  ///< they may overlap
};

/// Options of all stages. All pipelines accept all of them, so that one string configures a compilation.
struct CPUPipelineOptions : mlir::PassPipelineOptions<CPUPipelineOptions> {
  Option<int64_t> vectorBits{*this, "vector-bits", llvm::cl::desc("Width of the machine's vectors: 512, 256 or 128"),
                             llvm::cl::init(512)};
  Option<std::string> features{*this, "features",
                               llvm::cl::desc("CPU features as LLVM spells them, such as +avx512f,+avx512bf16"),
                               llvm::cl::init("")};
  Option<AliasClass> alias{*this, "alias", llvm::cl::desc("What is known about two different pointer arguments"),
                           llvm::cl::init(AliasClass::Disjoint),
                           llvm::cl::values(clEnumValN(AliasClass::Disjoint, "disjoint", "they never overlap"),
                                            clEnumValN(AliasClass::Unknown, "unknown", "nothing is assumed"))};
  ListOption<int64_t> merged{*this, "merged",
                             llvm::cl::desc("For each argument the first one that is the same pointer; none for none")};
  Option<bool> streamingStores{*this, "streaming-stores",
                               llvm::cl::desc("Store results past the cache, for outputs larger than it"),
                               llvm::cl::init(false)};
  Option<bool> sequential{*this, "sequential",
                          llvm::cl::desc("One thread runs all programs, and no other accesses their memory"),
                          llvm::cl::init(false)};
  Option<bool> fpFusion{*this, "fp-fusion", llvm::cl::desc("Allow a product and a sum to become one fused operation"),
                        llvm::cl::init(true)};
};

/// tt -> tt: one function without calls, block pointers and descriptors, with attributes for the launcher: arguments
/// that are stored through, and formulas of access offsets. A separate stage, because the variant of a kernel is chosen
/// by these attributes before lowering.
void buildFlattenPipeline(mlir::OpPassManager &pm, const CPUPipelineOptions &options);

/// tt -> linalg: inlines, canonicalizes, and turns block ops into linalg ops on tensors.
void buildToLinalgPipeline(mlir::OpPassManager &pm, const CPUPipelineOptions &options);

/// linalg -> nests: loop nests, with the decisions about them as attributes.
void buildToNestsPipeline(mlir::OpPassManager &pm, const CPUPipelineOptions &options);

/// nests -> loops: one function of loops, rank-1 vectors and raw pointers.
void buildToLoopsPipeline(mlir::OpPassManager &pm, const CPUPipelineOptions &options);

/// linalg -> nests -> loops.
void buildLinalgToLoopsPipeline(mlir::OpPassManager &pm, const CPUPipelineOptions &options);

/// loops -> LLVM dialect: adds the loop over program ids and lowers all ops to LLVM.
void buildToLLVMPipeline(mlir::OpPassManager &pm, const CPUPipelineOptions &options);

/// Registers the stages `blockdsl-flatten`, `blockdsl-flat-to-linalg`, `blockdsl-to-nests`, `blockdsl-to-loops` and
/// `blockdsl-to-llvm`, and their combinations: `blockdsl-to-linalg` (the first two), `blockdsl-linalg-to-loops` (nests
/// and loops), and `blockdsl-cpu` (all).
void registerCPUPipelines();

} // namespace blockdsl

#endif // BLOCKDSL_PIPELINES_CPU_H
