//===- Passes.td - tt to tt --------------------------------*- tablegen -*-===//
// One record per pass that begins and ends in the tt dialect.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES
#define BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES

include "blockdsl/Dialect/TT/Transforms/TritonPasses.td"
include "mlir/Pass/PassBase.td"

def VerifySupportedOpsPass : Pass<"tt-verify-supported-ops", "::mlir::ModuleOp"> {
  let summary = "Refuses what a text may hold and the CPU pipeline does not lower";
  let description = [{
    Before: a text of any registered dialects. After: `tt`, `arith`, `math`, `scf`, `cf`, `index` and `func` ops, barriers,
    `llvm.intr.assume`, `llvm.mlir.constant` of a number and `ub.poison`, and calls to functions whose bodies the module
    has. Others are refused at their line, because LLVM ends the process for some of them: inline assembly and intrinsics
    of other machines, assembly of a module, foreign functions.

    Example:

    ```mlir
    llvm.inline_asm has_side_effects "syscall", "" : () -> ()   // error: 'llvm.inline_asm' op has no form on the CPU
    ```
  }];
}

def CollectFunctionsPass : Pass<"tt-collect-functions", "::mlir::ModuleOp"> {
  let summary = "Makes one module of `tt.func` of all functions of a text";
  let description = [{
    Before: functions may be `func.func`, with `func.call` and `func.return`, and lie in modules inside of the module. After:
    they are `tt.func`, and all in one module. A function that gives results and is called is private: it is no kernel. A
    private function whose name another module has too gets a new one; two public ones of a name are refused.

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

    After: each of them is one block, with `scf` in place of branches and ifs in place of switches, and none is marked. A callee of several blocks could
    not be inlined into a loop or a reduction, and a call that stays has no place in a kernel for the CPU.

    With `callees-only`, public functions keep their branches: Triton takes a kernel of several blocks as it is.

    Example:

    ```mlir
    cf.cond_br %c, ^early, ^late    // becomes scf.if %c
    ```
  }];
  let options = [Option<"calleesOnly", "callees-only", "bool", "false", "Leave public functions as they are">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect"];
}

def ReadAssemblyPass : Pass<"tt-read-assembly"> {
  let summary = "Turns inline assembly that a CPU can run into scalar ops";
  let description = [{
    Before: `tt.elementwise_inline_asm` with PTX. After: none. A text is read if it is a list of instructions without
    branches, which move bits (`mov` with its braces, `and`, `shl`, `bfe`, `prmt`, `lop3` and their like), convert (`cvt`,
    packed, with `satfinite`, `sat` and `relu`), compute lane by lane (`add`, `fma`, `ex2`, ...), or compare and choose
    (`setp`, `selp`, `@p`); anything else is an error at the op, which names the instruction. Barriers and hints
    (`bar.sync`, `griddepcontrol.wait`, `nanosleep`, `prefetch`, ...) do nothing, because a program is one thread; fences
    between programs become `llvm.fence`. An operand of constraint `n` or `i` has to be a constant. What PTX rounds only
    roughly is rounded better, and denormals are kept where it says `ftz`. `%globaltimer` and `%clock64` are nanoseconds,
    `%smid` is the processor.

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
  let summary = "Spells tt.dot_scaled with tt.dot";
  let description = [{
    Before: factors of products may be in microscaling formats. After: they are f32, which holds each product of an element
    and its scale, and the products are of `tt.dot`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UnpackMapElementwisePass : Pass<"tt-unpack-map-elementwise"> {
  let summary = "Lets tt.map_elementwise take one element of each block at a time";
  let description = [{
    Before: the region of `tt.map_elementwise` may take `pack` neighbors of each operand, a power of two.

    After: `pack` is 1. Each operand is `pack` blocks, of every `pack`-th element, and so is each result.

    Example:

    ```mlir
    %y = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({...})    // becomes
    %even, %odd = tt.split %pairs
    %y:2 = "tt.map_elementwise"(%even, %odd) <{pack = 1 : i32}> ({...})
    ```
  }];
}

def RewriteBlockPointersPass : Pass<"tt-rewrite-block-pointers"> {
  let summary = "Turns block pointers into blocks of pointers and masks";
  let description = [{
    Before: `tt.make_tensor_ptr`, `tt.advance`, and loads and stores through block pointers, as Triton 3.6 and 3.7 print
    them. After: loads and stores of blocks of pointers; `boundaryCheck` has become a mask and `padding` what the load
    gives outside of it. Loops carry offsets.

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
  let summary = "Turns tensor descriptors into pointers, shapes and strides";
  let description = [{
    Before: `tt.make_tensor_descriptor`, kernels with parameters of descriptors, and loads, stores, gathers and scatters
    through them; functions hold one block each. After: loads and stores of blocks of pointers under masks. Loops and ifs
    carry a descriptor's parts: base, shape, strides, and whether loads give NaN outside of the array. A kernel's descriptor
    has become the base; shape and strides are the parameters that follow it, as ever in Triton's text. A parameter that is
    marked `tt.padding = 2 : i32` is padded with NaN.

    The last stride is taken as 1, which is what descriptors promise.

    With `as-triton`, as under Triton's flag `triton-rewrite-tensor-descriptor-to-pointer`, a kernel is a function like any
    other: its descriptor becomes all of its parts, which are Triton's, and nothing is asked of the parameters that follow.

    Example:

    ```mlir
    %d = tt.make_tensor_descriptor %base, [%n], [%c1] : <f32>, <64xf32>
    %x = tt.descriptor_load %d[%start] : !tt.tensordesc<64xf32> -> tensor<64xf32>
    // becomes a load of splat(%base) + start + range under 0 <= start + range < n, with 0.0 elsewhere
    ```
  }];
  let options = [Option<"onlyForRows", "only-for-rows", "bool", "false",
                        "Leave a module alone that gathers and scatters no rows">,
                 Option<"asTriton", "as-triton", "bool", "false",
                        "Take descriptors apart as Triton's pass does: a kernel's parameters become base, shape and "
                        "strides (i64), whether loads give NaN outside of the array, and whether they round f32 to TF32">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ScalarizeInductionPass : Pass<"tt-scalarize-induction"> {
  let summary = "Carries scalar offsets through loops instead of blocks";
  let description = [{
    A loop that carries a block of pointers or integers and adds to it on every turn carries a scalar offset instead,
    and the block is `init + offset`, which is affine and is never in memory. Added may be the same for all elements
    (then the offsets are summed up) or a block that the loop does not change (then the turns are counted).

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
  let summary = "Writes the only turn of a loop without the loop, where its blocks are only reduced";
  let description = [{
    Rows are reduced in a loop over steps of a block, and mostly one block holds the row. What a loop carries is in memory
    from turn to turn, and so is what it leaves to a reduction; a single turn keeps it in registers. Which of both it is
    is asked when the kernel runs. Loops whose blocks are used otherwise, that hold products or other loops, or whose
    turns are known stay as they are.

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
    %total = scf.if %turns_once -> f32 {
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
    After: no `tt.assert`. What only computed its condition is dead, and left to canonicalization.
  }];
}

def DropAssumptionsPass : Pass<"tt-drop-assumptions"> {
  let summary = "Removes promises that would make a value undefined where a kernel breaks them";
  let description = [{
    After: no op says that integers do not overflow, that a quotient or a shift is exact, or that floats are neither NaN nor
    infinite; no `llvm.intr.assume`; and `ub.poison` of numbers, pointers and their blocks is zero. What a text computes is
    then defined, whatever it is given.

    Example:

    ```mlir
    %z = arith.addi %x, %y overflow<nsw> : tensor<64xi32>    // becomes
    %z = arith.addi %x, %y : tensor<64xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CallExternsPass : Pass<"tt-call-externs", "::mlir::ModuleOp"> {
  let summary = "Calls foreign functions that the module brings with it";
  let description = [{
    After: a `tt.extern_elementwise` for which the module has a private function of its type, named as its symbol is, or as its
    symbol and something after a dot, is a `tt.call` of that function.

    Example:

    ```mlir
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} : (i32) -> i32    // becomes
    %y = tt.call @__nv_clz.1(%x) : (i32) -> i32
    ```
  }];
  let dependentDialects = ["::blockdsl::TTDialect"];
}

def CountLongLoopsPass : Pass<"tt-count-long-loops"> {
  let summary = "Loops whose bounds are further apart than a signed number says count their turns";
  let description = [{
    Before: nothing has folded a loop. After: no `scf.for` has signed bounds that fold to constants whose distance wraps.
    MLIR's canonicalizer takes such a loop for one without turns.

    Example:

    ```mlir
    scf.for %i = %least to %largest step %c16 : i32              // becomes
    scf.for unsigned %turn = %c0 to %c268435456 step %c1 : i32   // with %i = %least + %turn * %c16
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PadProductsPass : Pass<"tt-pad-products"> {
  let summary = "Makes the common dimension of products as large as NVIDIA's matrix units need it";
  let description = [{
    Triton's front end refuses products of less depth, and its passes do not ask again: a product of 16 x 16 x 16 bytes
    gave wrong sums on an H200. Zeros are interleaved until the depth suffices, which changes no sum. Products of `f32`
    that must not be rounded use no matrix units, and stay.

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
  let summary = "Sums of dots become accumulators";
  let description = [{
    In a loop that carries `acc`, `acc + dot(a, b, 0)` becomes `dot(a, b, acc)`, as Triton's own `triton-combine` rewrites
    it everywhere: the sums then stay in registers. A dot with `maxNumImpreciseAcc`, and one that has other uses, stays.

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
  let summary = "Reversals that are spelled as exchanges of halves become gathers";
  let description = [{
    Triton's `flip` reshapes a dimension of 2^n elements to n of two and exchanges the halves of each: `x ^ xor_sum(x)`. A
    chain of exchanges of all of them, and of nothing else, is a `tt.gather` with the index counted down. It takes one
    buffer and one loop, not n of each within each other.

    Other ops on blocks of five dimensions or more, with exchanges among them (a sorting network, written out), take
    blocks of one dimension then: an exchange is a gather whose index differs in one bit, and the index of a dimension is
    bits of the flat index.

    Example:

    ```mlir
    %sum = "tt.reduce"(%bits) <{axis = 0 : i32}> ({ ... arith.xori ... }) : (tensor<2xi32>) -> i32
    // n exchanges, and the bits are an index again: becomes
    %r = tt.gather %x[%down] {axis = 0 : i32} : (tensor<1024xi32>, tensor<1024xi32>) -> tensor<1024xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FoldPickedHalvesPass : Pass<"tt-fold-picked-halves"> {
  let summary = "Sums that pick one of two blocks become splits";
  let description = [{
    Networks that sort, as users write them for Triton, take both elements of each pair by products: `sum(x * [1, 0])` and
    `sum(x * [0, 1])` along a dimension of two. For integers, each is a half of `tt.split`, which takes no loop and no
    buffer. Floats are left alone: 0 times infinity is no 0.

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
  let summary = "Marks the pointers whose offsets are computed in 32 bits, and may wrap";
  let description = [{
    After: a function's pointer argument carries `blockdsl.narrow`, for the launcher to read, if some load or store goes to an
    address that nothing but integers of 32 bits and less were added to, and a sum or product on the way to one of these may
    be more than 32 bits hold. The attribute is the place of that sum or product. Nothing else changes.

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
    After: the module carries `blockdsl.accesses` and `blockdsl.access_locations`, for the launcher to read: the formulas of the
    first public function's accesses, as Runtime/AccessCode.h says, and where each of them is. A module whose accesses all
    follow from data carries neither. Nothing else changes.

    Before: calls are inlined, and block pointers and tensor descriptors are pointers.
  }];
}

def AnchorReductionsPass : Pass<"tt-anchor-reductions"> {
  let summary = "Lets Triton begin anew with the layout of what it would reduce wrongly";
  let description = [{
    Before 3.9 Triton takes the lanes of a warp that hold a row to be an unbroken range of lanes. Those of a block that was
    permuted and reshaped need not be, as after `tl.sort` of a matrix, and sums of its rows were those of other rows. Such
    a block is gathered from itself before it is reduced, along its shortest dimension, because Triton chooses layouts of
    gathers by themselves.

    Example:

    ```mlir
    %s = "tt.reduce"(%permuted) <{axis = 1 : i32}> ({ ... }) : (tensor<8x16xi32>) -> tensor<8xi32>
    // becomes, where %i holds 0 to 7 in each column
    %g = tt.gather %permuted[%i] {axis = 0 : i32} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    %s = "tt.reduce"(%g) <{axis = 1 : i32}> ({ ... }) : (tensor<8x16xi32>) -> tensor<8xi32>
    ```
  }];
  let options = [Option<"version", "version", "std::string", "\"3.9\"", "The version of Triton that reads the module">];
}

def SpellForVersionPass : Pass<"tt-spell-for-version"> {
  let summary = "Says what a version of Triton lacks with what it has";
  let description = [{
    Before 3.9 Triton's pipeline takes no `arith.negf`, which becomes a subtraction from -0.0 and is as exact, and no
    conversion between `f16` and `bf16`, which goes through `f32` and is rounded once. A `tt.clampf` of `f64`, and before
    3.9 of `bf16`, becomes a maximum and a minimum: where its bounds are opposite numbers, Triton asks LLVM for an
    intrinsic that does not exist.
  }];
  let options = [Option<"version", "version", "std::string", "\"3.9\"", "The version of Triton that reads the module">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def VerifyKernelsPass : Pass<"tt-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "Refuses functions that are no kernels";
  let description = [{
    Changes nothing. Each function of the module has a body, takes numbers, pointers and tensor descriptors, which is what
    a launch can give it, and returns nothing; nothing is called, and there is no block pointer. Functions that kernels call
    have been inlined before.
  }];
}

def VerifySingleKernelPass : Pass<"tt-verify-single-kernel", "::mlir::ModuleOp"> {
  let summary = "Refuses modules that would end Triton's process instead of failing";
  let description = [{
    Changes nothing. The module holds one function, the kernel: it is public, has a body, takes numbers and pointers to
    numbers, and returns nothing; nothing is called and no block pointer is left. Triton stops with an assertion or a
    segmentation fault where some of this does not hold. Ops that the version of Triton does not have are refused by name.
  }];
  let options = [Option<"version", "version", "std::string", "\"3.9\"", "The version of Triton that reads the module">];
}

#endif // BLOCKDSL_DIALECT_TT_TRANSFORMS_PASSES
