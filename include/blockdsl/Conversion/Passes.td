//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//
//
// One record per conversion pass: what holds before, what holds after, options.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_CONVERSION_PASSES_TD
#define BLOCKDSL_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTTToLinalg : Pass<"convert-tt-to-linalg"> {
  let summary = "Turns ops on blocks into linalg ops on tensors";
  let description = [{
    Before: functions whose calls are inlined and whose control flow is structured.
    After: elementwise ops are `linalg.map`, shape ops are index maps, `tt.dot` is `linalg.matmul`; loads and stores
    are scalar `tt.load` and `tt.store` inside linalg bodies. Reductions, scans, histograms and prints stay, for
    linalg cannot say them. No data is moved: whether a block is ever in memory is decided by `linalg-to-vector`.

    Example:

    ```mlir
    %sum = arith.addf %x, %y : tensor<64xf32>
    // becomes
    %sum = linalg.map { arith.addf } ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>)
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def ConvertLinalgToVector : Pass<"convert-linalg-to-vector", "mlir::ModuleOp"> {
  let summary = "Fuses block computations into loops over vectors";
  let description = [{
    Before: what `convert-tt-to-linalg` leaves. After: one `func.func` per kernel whose body is scalar code and loops
    over rank-1 vectors of the machine's width; no tensor is left.

    Every block that is not needed in memory is evaluated inside the loop of its consumer; consumers over the same
    domain share a loop; masks become loop bounds; what has to be kept (an expensive value with several consumers, a
    loop-carried block, the result of a product) lives in a stack slot.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect"];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "512", "Width of the machine's vector registers in bits">,
    Option<"alias", "alias", "std::string", "\"disjoint\"",
           "What is known of pointer arguments: `disjoint` or `unknown`">,
    Option<"streamingStores", "streaming-stores", "bool", "false", "Write past the caches where alignment allows">,
  ];
}

#endif // BLOCKDSL_CONVERSION_PASSES_TD
