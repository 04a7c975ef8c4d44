//===- CPUOps.td - Ops of the cpu dialect ------------------*- tablegen -*-===//

#ifndef BLOCKDSL_DIALECT_CPU_IR_CPUOPS
#define BLOCKDSL_DIALECT_CPU_IR_CPUOPS

include "blockdsl/Dialect/CPU/IR/CPUAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CPU_NestOp : Op<CPU_Dialect, "nest", [RecursiveMemoryEffects,
                                          SingleBlockImplicitTerminator<"::blockdsl::cpu::YieldOp">]> {
  let summary = "One loop nest over the elements of a block";
  let description = [{
    The region has the consumers that share the loops (`linalg.generic` without results, `tt.reduce`), or one matmul,
    `tt.scan`, `tt.histogram` or atomic access, and the elementwise ops that only they use. Stores of what is computed
    from the results of a scan share its nest. `cpu.yield` returns the blocks that are stored in memory, and the results
    of the consumers.

    Elements where `mask` is false need not be computed, and `bounds` names the loops that it bounds. With `mask_dim`
    this holds for elements along this dimension only, and each row of the other dimensions has a result.

    A nest with `epilogue` runs on the tiles of the matmul before it. One with `when_empty` gives the initial value of a
    block that a loop carries, and runs only if the loop has no iteration: the first iteration starts with zero.

    Example:

    ```mlir
    %e, %sum = cpu.nest config #cpu.nest<order = [0], vector = 0, lanes = 16> {
      %0 = linalg.generic ... // the exponential
      %1 = "tt.reduce"(%0) ...
      cpu.yield %0 : tensor<1024xf32> in buffer, %1 : f32 in register
    } : tensor<1024xf32>, f32
    ```
  }];
  let arguments = (ins Optional<RankedTensorOf<[I1]>>:$mask, OptionalAttr<I64Attr>:$mask_dim, OptionalAttr<CPU_NestAttr>:$config,
                       OptionalAttr<CPU_MatmulAttr>:$matmul, OptionalAttr<CPU_BoundsAttr>:$bounds,
                       OptionalAttr<CPU_VersionsAttr>:$versions, OptionalAttr<CPU_StoresAttr>:$stores,
                       OptionalAttr<CPU_PrefetchAttr>:$prefetch,
                       UnitAttr:$epilogue, UnitAttr:$when_empty);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`config` $config^)? (`matmul` $matmul^)? (`mask` `(` $mask^ `:` type($mask) (`along` $mask_dim^)? `)`)? (`bounds` $bounds^)? (`versions` $versions^)?
    (`stores` $stores^)? (`prefetch` $prefetch^)? (`epilogue` $epilogue^)?
    (`when_empty` $when_empty^)? attr-dict-with-keyword $body (`:` type($results)^)?
  }];
  let extraClassDeclaration = [{
    YieldOp getYield();
    /// Returns the value in the region that becomes `result`.
    ::mlir::Value getYielded(::mlir::OpResult result);
    Storage getStorage(::mlir::OpResult result);
  }];
  let hasVerifier = 1;
}

def CPU_YieldOp : Op<CPU_Dialect, "yield", [HasParent<"::blockdsl::cpu::NestOp">, Pure, Terminator]> {
  let summary = "The results of a nest and their storage";
  let arguments = (ins Variadic<AnyType>:$values, CPU_StorageArrayAttr:$storage);
  let hasCustomAssemblyFormat = 1;
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}, $_builder.getArrayAttr({})); }]>];
}

#endif // BLOCKDSL_DIALECT_CPU_IR_CPUOPS
