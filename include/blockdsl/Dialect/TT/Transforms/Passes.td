//===- Passes.td - Transformations of the tt dialect -------*- tablegen -*-===//
// One record per pass that begins and ends in the tt dialect.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES
#define BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES

include "blockdsl/Dialect/TT/Transforms/TritonPasses.td"
include "mlir/Pass/PassBase.td"

def VerifySupportedOpsPass : Pass<"tt-verify-supported-ops", "::mlir::ModuleOp"> {
  let summary = "Refuses ops that the CPU pipeline does not lower";
  let description = [{
    Before: a text of any registered dialects. After: `tt`, `arith`, `math`, `scf`, `cf`, `index` and `func` ops,
    barriers, `llvm.intr.assume`, `llvm.mlir.constant` of a number and `ub.poison`, and calls to functions with a body
    in the module. Other ops are errors at their location, because LLVM ends the process for some of them: inline
    assembly and intrinsics of other machines, assembly of a module, foreign functions.

    Example:

    ```mlir
    llvm.inline_asm has_side_effects "syscall", "" : () -> ()   // error: 'llvm.inline_asm' op has no form on the CPU
    ```
  }];
}

def CollectFunctionsPass : Pass<"tt-collect-functions", "::mlir::ModuleOp"> {
  let summary = "Moves all functions into one module, as `tt.func`";
  let description = [{
    Before: functions may be `func.func`, with `func.call` and `func.return`, and may be in nested modules. After: they
    are `tt.func` in one module. A function that is called and has results becomes private, because it is no kernel. If
    a private function has the name of another function, one of the private ones is renamed. Two public functions of one
    name are an error.

    Example:

    ```mlir
    module { func.func @f(%p: !tt.ptr<f32>) { func.return } }
    module { tt.func @g() { tt.return } }
    // becomes
    module {
      tt.func @f(%p: !tt.ptr<f32>) { tt.return }
      tt.func @g() { tt.return }
    }
    ```
  }];
  let dependentDialects = ["::blockdsl::TTDialect"];
}

def MakeInlinablePass : Pass<"tt-make-inlinable", "::mlir::ModuleOp"> {
  let summary = "Prepares functions so that every call can be inlined";
  let description = [{
    Before: functions and `tt.map_elementwise` regions may hold several blocks, as an early `return` in a kernel gives, and
    `scf.index_switch`; functions may be marked `noinline`.

    After: each of them is one block, with `scf` in place of branches and ifs in place of switches, and none is marked.
    A callee of several blocks could not be inlined into a loop or a reduction, and kernels for the CPU cannot call
    functions.

    With `callees-only`, public functions keep their branches, because Triton compiles kernels of several blocks.

    Example:

    ```mlir
    cf.cond_br %c, ^early, ^late    // becomes scf.if %c
    ```
  }];
  let options = [Option<"calleesOnly", "callees-only", "bool", "false", "Leave public functions unchanged">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect"];
}

def ReadAssemblyPass : Pass<"tt-read-assembly"> {
  let summary = "Translates inline assembly to scalar ops";
  let description = [{
    Before: `tt.elementwise_inline_asm` with PTX. After: none. The text is a list of instructions without branches that
    move bits (`mov` with its braces, `and`, `shl`, `bfe`, `prmt`, `lop3` and the like), convert (`cvt`, packed, with
    `satfinite`, `sat` and `relu`), compute lane by lane (`add`, `fma`, `ex2`, ...), or compare and select (`setp`,
    `selp`, `@p`). Other instructions are an error at the op. Barriers and hints (`bar.sync`, `griddepcontrol.wait`,
    `nanosleep`, `prefetch`, ...) have no effect, because a program is one thread. Fences between programs become
    `llvm.fence`. An operand with constraint `n` or `i` is a constant. Approximate instructions are computed more
    accurately than in PTX, and `ftz` does not flush denormals. `%globaltimer` and `%clock64` are nanoseconds, `%smid`
    is the processor.

    Example:

    ```mlir
    %y = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
        : tensor<64xi32> -> tensor<64xi32>
    // becomes
    %y = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%a: i32):
      %0 = arith.shli %a, %c3 : i32
      tt.map_elementwise.return %0 : i32
    }) : (tensor<64xi32>) -> tensor<64xi32>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def UnpackScaledProductsPass : Pass<"tt-unpack-scaled-products"> {
  let summary = "Rewrites tt.dot_scaled to tt.dot";
  let description = [{
    Before: the operands of dots may be in microscaling formats. After: every dot is a `tt.dot`, and these operands are
    f32, which represents each product of an element and its scale, unless it overflows or underflows.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UnpackMapElementwisePass : Pass<"tt-unpack-map-elementwise"> {
  let summary = "Rewrites tt.map_elementwise to take one element of each operand";
  let description = [{
    Before: the region of `tt.map_elementwise` may take `pack` neighbors of each operand, a power of two.

    After: `pack` is 1. Each operand and each result is split into `pack` blocks; block k has the elements whose index
    modulo `pack` is k.

    Example:

    ```mlir
    %y = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({...})    // becomes
    %even, %odd = tt.split %pairs
    %y:2 = "tt.map_elementwise"(%even, %odd) <{pack = 1 : i32}> ({...})
    ```
  }];
}

def RewriteBlockPointersPass : Pass<"tt-rewrite-block-pointers"> {
  let summary = "Rewrites block pointers to blocks of pointers and masks";
  let description = [{
    Before: `tt.make_tensor_ptr`, `tt.advance`, and loads and stores through block pointers, as Triton 3.6 and 3.7 print
    them. After: loads and stores through blocks of pointers. `boundaryCheck` becomes a mask, and `padding` the value of
    masked-off elements. Loops carry the offsets.

    Example:

    ```mlir
    %p = tt.make_tensor_ptr %base, [%n], [%c1], [%start] {order = array<i32: 0>} : <tensor<64xf32>>
    %x = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
    // becomes a load of splat(%base) + start + range under 0 <= start + range < n, with 0.0 elsewhere
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RewriteTensorDescriptorsPass : Pass<"tt-rewrite-tensor-descriptors", "::mlir::ModuleOp"> {
  let summary = "Rewrites tensor descriptors to pointers, shapes and strides";
  let description = [{
    Before: `tt.make_tensor_descriptor`, kernels with descriptor parameters, and loads, stores, gathers and scatters
    through descriptors; every function has one block. After: loads and stores through blocks of pointers with masks.
    Loops and ifs carry the parts of a descriptor: base, shape, strides, and whether loads return NaN outside of the
    array. A descriptor parameter of a kernel becomes the base; shape and strides are the parameters that follow it, as
    in Triton. Loads through a parameter with `tt.padding = 2 : i32` are padded with NaN.

    The last stride is assumed to be 1, as descriptors require.

    With `as-triton`, as with Triton's pass `triton-rewrite-tensor-descriptor-to-pointer`, a descriptor parameter of a
    kernel becomes all parts, as in any other function, and the parameters that follow it are not used.

    Example:

    ```mlir
    %d = tt.make_tensor_descriptor %base, [%n], [%c1] : <f32>, <64xf32>
    %x = tt.descriptor_load %d[%start] : !tt.tensordesc<64xf32> -> tensor<64xf32>
    // becomes a load of splat(%base) + start + range under 0 <= start + range < n, with 0.0 elsewhere
    ```
  }];
  let options = [Option<"onlyForRows", "only-for-rows", "bool", "false",
                        "Leave modules without gathers and scatters of rows unchanged">,
                 Option<"asTriton", "as-triton", "bool", "false",
                        "Rewrite descriptors like Triton's pass: a kernel's parameters become base, shape and strides "
                        "(i64), whether loads return NaN outside of the array, and whether they round f32 to TF32">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ScalarizeInductionPass : Pass<"tt-scalarize-induction"> {
  let summary = "Carries scalar offsets through loops instead of blocks";
  let description = [{
    A loop that carries a block of pointers or integers, and adds to it in every iteration, carries a scalar offset
    instead. The block is `init + offset`, which is affine and needs no memory. The addend is either a splat (the
    offsets are summed up) or a loop-invariant block (the iterations are counted).

    Example:

    ```mlir
    scf.for %i = %c0 to %n step %c1 iter_args(%p = %base) -> (tensor<64x!tt.ptr<f32>>) {
      %x = tt.load %p : tensor<64x!tt.ptr<f32>>
      %next = tt.addptr %p, %cst_64 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %next : tensor<64x!tt.ptr<f32>>
    }
    ```

    becomes a loop that carries an `i64` and loads from `tt.addptr %base, splat(offset)`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def VersionSingleIterationLoopsPass : Pass<"tt-version-single-iteration-loops"> {
  let summary = "Versions loops with a single iteration whose blocks are only reduced";
  let description = [{
    Kernels reduce rows in a loop over the blocks of a row, and often one block holds the row. Blocks that a loop
    carries, or that are reduced after it, are in memory; without the loop they stay in registers. The trip count is
    tested at run time. Loops whose blocks have other uses, that contain dots or control flow, or whose trip count is
    constant are unchanged.

    Example:

    ```mlir
    %sums = scf.for %i = %c0 to %n step %c1024 iter_args(%sum = %zeros) -> (tensor<1024xf32>) {
      %x = ...
      %next = arith.addf %sum, %x : tensor<1024xf32>
      scf.yield %next : tensor<1024xf32>
    }
    %total = "tt.reduce"(%sums) ...
    ```

    becomes

    ```mlir
    %total = scf.if %has_one_iteration -> f32 {
      %x = ...
      %next = arith.addf %zeros, %x : tensor<1024xf32>
      %0 = "tt.reduce"(%next) ...
      scf.yield %0 : f32
    } else {
      // the loop, and a reduction of its result
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def DropAssertionsPass : Pass<"tt-drop-assertions"> {
  let summary = "Removes assertions, for code that does not check them";
  let description = [{
    After: no `tt.assert`. Ops that only compute a condition are dead, and canonicalization removes them.
  }];
}

def DropAssumptionsPass : Pass<"tt-drop-assumptions"> {
  let summary = "Removes assumptions that lead to undefined behavior if they do not hold";
  let description = [{
    After: no op has a flag that integers do not overflow, that a quotient or a shift is exact, or that floats are
    neither NaN nor infinite; there is no `llvm.intr.assume`; and `ub.poison` of numbers, pointers and blocks of them is
    zero. The results of a kernel are then defined for all inputs.

    Example:

    ```mlir
    %z = arith.addi %x, %y overflow<nsw> : tensor<64xi32>    // becomes
    %z = arith.addi %x, %y : tensor<64xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CallExternsPass : Pass<"tt-call-externs", "::mlir::ModuleOp"> {
  let summary = "Calls foreign functions that the module defines";
  let description = [{
    After: a `tt.extern_elementwise` is a `tt.call` if the module has a private function of the same type whose name, up
    to the first dot, is the symbol.

    Example:

    ```mlir
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} : (i32) -> i32    // becomes
    %y = tt.call @__nv_clz.1(%x) : (i32) -> i32
    ```
  }];
  let dependentDialects = ["::blockdsl::TTDialect"];
}

def CountLongLoopsPass : Pass<"tt-count-long-loops"> {
  let summary = "Rewrites loops with very distant bounds to count their iterations";
  let description = [{
    Before: no pass has folded loops. After: no `scf.for` has signed bounds that fold to constants whose difference
    overflows. MLIR's canonicalizer would erase such a loop, because its trip count seems negative.

    Example:

    ```mlir
    scf.for %i = %least to %largest step %c16 : i32              // becomes
    scf.for unsigned %k = %c0 to %c268435456 step %c1 : i32      // with %i = %least + %k * %c16
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PadProductsPass : Pass<"tt-pad-products"> {
  let summary = "Pads the inner dimension of dots to the minimum of NVIDIA's tensor cores";
  let description = [{
    Triton's front end refuses dots with a smaller inner dimension, and its passes do not check it again: on an H200, a
    dot of 16 x 16 x 16 bytes gave wrong sums. Interleaved zeros increase the dimension and change no sum. Dots of `f32`
    with precision `ieee` use no tensor cores, and are unchanged.

    Example:

    ```mlir
    %d = tt.dot %a, %b, %c : tensor<16x8xf16> * tensor<8x16xf16> -> tensor<16x16xf32>
    // becomes
    %wide = tt.join %a, %zeros : tensor<16x8xf16> -> tensor<16x8x2xf16>
    %a16 = tt.reshape %wide : tensor<16x8x2xf16> -> tensor<16x16xf16>
    // ... and the same for %b, transposed before and after
    ```
  }];
  let options = [Option<"version", "version", "std::string", "\"3.9\"", "The version of Triton that reads the module">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AccumulateDotsPass : Pass<"tt-accumulate-dots"> {
  let summary = "Moves additions in loops into the accumulators of dots";
  let description = [{
    In a loop that carries `acc`, `acc + dot(a, b, 0)` becomes `dot(a, b, acc)`, so that sums stay in registers.
    Triton's `triton-combine` does this everywhere. Dots with `maxNumImpreciseAcc` or with other uses are unchanged.

    Example:

    ```mlir
    %dot = tt.dot %a, %b, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %sum = arith.addf %acc, %dot : tensor<16x16xf32>
    // becomes
    %sum = tt.dot %a, %b, %acc : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    ```
  }];
}

def FoldFlipsPass : Pass<"tt-fold-flips"> {
  let summary = "Folds reversals by exchanges of halves to gathers";
  let description = [{
    Triton's `flip` reshapes a dimension of 2^n elements to n dimensions of two, and exchanges the halves of each
    (`x ^ xor_sum(x)`). A chain of these exchanges alone becomes a `tt.gather` with a decreasing index: one buffer and
    one loop, in place of n buffers and n nested loops.

    Other ops on blocks of five or more dimensions that contain exchanges (an unrolled sorting network) are rewritten to
    one-dimensional blocks: an exchange becomes a gather whose index differs in one bit, and the index of a dimension
    becomes bits of the flat index.

    Example:

    ```mlir
    %sum = "tt.reduce"(%bits) <{axis = 0 : i32}> ({ ... arith.xori ... }) : (tensor<2xi32>) -> i32
    // n exchanges, and a reshape to one dimension, become
    %r = tt.gather %x[%down] {axis = 0 : i32} : (tensor<1024xi32>, tensor<1024xi32>) -> tensor<1024xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FoldPickedHalvesPass : Pass<"tt-fold-picked-halves"> {
  let summary = "Folds sums with weights 0 and 1 to splits";
  let description = [{
    Sorting networks written for Triton extract the elements of each pair by multiplication: `sum(x * [1, 0])` and
    `sum(x * [0, 1])` along a dimension of two. For integers, each sum is one result of `tt.split`, which needs no loop
    and no buffer. Floats are unchanged, because 0 times infinity is not 0.

    Example:

    ```mlir
    %product = arith.muli %x, %is_second : tensor<64x2x4xi32>
    %second = "tt.reduce"(%product) <{axis = 1 : i32}> ({ ... arith.addi ... }) : (tensor<64x2x4xi32>) -> tensor<64x4xi32>
    // becomes
    %pairs = tt.trans %x {order = array<i32: 0, 2, 1>} : tensor<64x2x4xi32> -> tensor<64x4x2xi32>
    %first, %second = tt.split %pairs : tensor<64x4x2xi32> -> tensor<64x4xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MarkNarrowOffsetsPass : Pass<"tt-mark-narrow-offsets", "::mlir::ModuleOp"> {
  let summary = "Marks pointers whose offsets are computed in 32 bits and may overflow";
  let description = [{
    After: a pointer argument has the attribute `blockdsl.narrow`, which the launcher reads, if a load or store adds
    only integers of at most 32 bits to it, and a sum or product among their operands may overflow 32 bits. The
    attribute is the location of that sum or product. Nothing else changes.

    Example:

    ```mlir
    %first = arith.muli %pid, %c1024 : i32
    %p = tt.addptr %x, %first : !tt.ptr<f32>, i32
    tt.store %p, %v : !tt.ptr<f32>      // marks %x: {blockdsl.narrow = "kernel.py:7"}
    ```
  }];
}

def MarkAccessesPass : Pass<"tt-mark-accesses", "::mlir::ModuleOp"> {
  let summary = "Attaches formulas of the offsets of loads, stores and atomics";
  let description = [{
    After: the module has the attributes `blockdsl.accesses` and `blockdsl.access_locations`, which the launcher reads:
    the formulas of the first public function's accesses, in the format of Runtime/AccessCode.h, and the locations of
    the accesses. A module whose accesses all depend on loaded data has neither. Nothing else changes.

    Before: calls are inlined, and block pointers and tensor descriptors are rewritten to pointers.
  }];
}

def AnchorReductionsPass : Pass<"tt-anchor-reductions"> {
  let summary = "Resets the layout of blocks that Triton would reduce wrongly";
  let description = [{
    Before 3.9 Triton assumes that the lanes of a warp that hold a row are consecutive. This need not hold for a block
    that was permuted and reshaped, for example by `tl.sort` of a matrix, and sums of its rows are wrong. Such a block
    is gathered from itself along its shortest dimension before it is reduced, because Triton chooses the layout of a
    gather independently of its operand.

    Example:

    ```mlir
    %s = "tt.reduce"(%permuted) <{axis = 1 : i32}> ({ ... }) : (tensor<8x16xi32>) -> tensor<8xi32>
    // becomes, with 0 to 7 in each column of %i
    %g = tt.gather %permuted[%i] {axis = 0 : i32} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %s = "tt.reduce"(%g) <{axis = 1 : i32}> ({ ... }) : (tensor<8x16xi32>) -> tensor<8xi32>
    ```
  }];
  let options = [Option<"version", "version", "std::string", "\"3.9\"", "The version of Triton that reads the module">];
}

def SpellForVersionPass : Pass<"tt-spell-for-version"> {
  let summary = "Expands ops that a version of Triton lacks";
  let description = [{
    Before 3.9 Triton's pipeline supports no `arith.negf`, which becomes an (exact) subtraction from -0.0, and no
    conversion between `f16` and `bf16`, which becomes two conversions through `f32` with one rounding. A `tt.clampf` of
    `f64`, and before 3.9 of `bf16`, becomes a maximum and a minimum: if its bounds are opposite numbers, Triton emits
    an LLVM intrinsic that does not exist.
  }];
  let options = [Option<"version", "version", "std::string", "\"3.9\"", "The version of Triton that reads the module">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def VerifyKernelsPass : Pass<"tt-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "Refuses functions that cannot be launched";
  let description = [{
    Changes nothing. Each function of the module has a body, takes numbers, pointers and tensor descriptors, which a
    launch can pass, and returns nothing. Calls have been inlined, and there are no block pointers.
  }];
}

def VerifySingleKernelPass : Pass<"tt-verify-single-kernel", "::mlir::ModuleOp"> {
  let summary = "Refuses modules that would crash Triton";
  let description = [{
    Changes nothing. The module has one function, the kernel: it is public, has a body, takes numbers and pointers to
    numbers, and returns nothing. There are no calls and no block pointers. Triton fails an assertion or a memory access
    for some other modules. Ops that the version of Triton lacks are errors as well.
  }];
  let options = [Option<"version", "version", "std::string", "\"3.9\"", "The version of Triton that reads the module">];
}

#endif // BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES
