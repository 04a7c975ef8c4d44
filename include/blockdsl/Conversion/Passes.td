//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//
//
// One record per conversion pass: form of its input and output, options.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_CONVERSION_PASSES_TD
#define BLOCKDSL_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTTToLinalg : Pass<"convert-tt-to-linalg"> {
  let summary = "Converts ops on blocks to linalg ops on tensors";
  let description = [{
    Before: functions whose calls are inlined and whose control flow is structured.
    After: elementwise ops are `linalg.map`, shape ops are index maps, `tt.dot` is `linalg.matmul`; loads and stores
    are scalar `tt.load` and `tt.store` inside linalg bodies. Reductions, scans, histograms and prints stay, because
    linalg cannot express them. `convert-linalg-to-nests` decides later which blocks are kept in memory.

    Example:

    ```mlir
    %sum = arith.addf %x, %y : tensor<64xf32>
    // becomes
    %sum = linalg.map { arith.addf } ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>)
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

class CPU_AliasOption {
  list<Option> aliasOption = [
    Option<"alias", "alias", "std::string", "\"disjoint\"",
           "Aliasing of pointer arguments: `disjoint` or `unknown`">,
  ];
}

def ConvertLinalgToNests : Pass<"convert-linalg-to-nests", "mlir::ModuleOp">, CPU_AliasOption {
  let summary = "Fuses block computations into loop nests and decides which blocks are kept in memory";
  let description = [{
    Before: the output of `convert-tt-to-linalg`. After: a `cpu.nest` for each loop nest, matmul, scan, histogram and
    atomic access, in the order of execution, with the storage of its results. The passes of the `cpu` dialect choose
    the configuration of each nest.

    Every block that is not needed in memory is computed in the nests of its consumers; consumers over the same domain
    share a nest. A nest keeps a block in memory if it is too expensive to compute twice, or if a loop carries it.
  }];
  let dependentDialects = ["::blockdsl::cpu::CPUDialect"];
  let options = aliasOption;
}

def ConvertNestsToLoops : Pass<"convert-nests-to-loops", "mlir::ModuleOp">, CPU_AliasOption {
  let summary = "Converts loop nests to loops over vectors";
  let description = [{
    Before: the output of `blockdsl-to-nests`, or an edited plan; parts of a plan that cannot be converted are errors.
    After: one `func.func` per kernel whose body is scalar code and loops over rank-1 vectors of the machine's width; no
    tensor is left. Blocks in memory are stack buffers, and masks become bounds of loops.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect"];
  let options = !listconcat(aliasOption, [
    Option<"vectorBits", "vector-bits", "unsigned", "512", "Width of the machine's vector registers in bits">,
    Option<"features", "features", "std::string", "\"\"", "CPU features as LLVM spells them">,
    Option<"sequential", "sequential", "bool", "false",
           "One thread runs all programs, and no other thread accesses their memory: atomic updates need no lock">,
  ]);
}

def PlaceBuffers : Pass<"place-buffers", "::mlir::ModuleOp"> {
  let summary = "Shares memory between buffers with disjoint live ranges, and bounds the stack";
  let description = [{
    Before: `llvm.alloca` of a constant number of elements, in the block that contains the buffer's live range: its
    contents are never read after the end of the block. The kernel's last argument is marked `blockdsl.scratch`.

    After: every buffer is allocated in the entry block. Buffers of at most 64 KiB are on the stack, the smallest first,
    up to `stack-bytes` in total. The others are in scratch memory, whose size is the module's `blockdsl.scratch_bytes`.
    If the buffers exceed the stack, buffers with disjoint live ranges share memory.
  }];
  let options = [Option<"stackBytes", "stack-bytes", "int64_t", "160 * 1024", "Bytes of stack for all buffers together">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def ExpandElementwise : Pass<"expand-elementwise", "::mlir::ModuleOp"> {
  let summary = "Expands elementwise functions to arithmetic that CPUs vectorize";
  let description = [{
    Before: functions of scalars and rank-1 vectors, with `math` ops, elementwise `tt` ops and `arith` ops of any type.

    After: no elementwise `tt` op is left, and no `math` op that LLVM would turn into a call it cannot vectorize.
    Arithmetic on floats narrower than f32 is done in f32. Integer division does not trap. Functions without a formula
    (the gamma and Bessel functions, most of f64) call libm for each lane, in a separate function.

    `tt.extern_elementwise` with a symbol of NVIDIA's device library (`__nv_expf`) is the function of that name; other
    symbols are errors.
  }];
  let options = [
    Option<"features", "features", "std::string", /*default=*/"\"\"", "CPU features as LLVM spells them">,
    Option<"fpFusion", "fp-fusion", "bool", /*default=*/"true", "Allow contraction of products and sums to fma">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def FloatsToIntegerStorage : Pass<"floats-to-integer-storage", "::mlir::ModuleOp"> {
  let summary = "Replaces floats that are only moved by integers";
  let description = [{
    Before: bf16 and 8-bit floats are loaded, stored, selected, shuffled and bitcast, but not computed with. After: they
    are integers of the same width, except as operands of intrinsics.

    For masked moves of bf16, LLVM converts each lane through f32 if the CPU has no bf16; otherwise it uses instructions
    that flush some denormals to zero. Integers keep their bits.

    Example:

    ```mlir
    %chosen = arith.select %condition, %x, %y : vector<8xi1>, vector<8xbf16>
    // becomes
    %chosen = arith.select %condition, %x, %y : vector<8xi1>, vector<8xi16>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def StripMineScalarLoops : Pass<"strip-mine-scalar-loops", "::mlir::func::FuncOp"> {
  let summary = "Strip-mines long loops over scalars, so that they can be interrupted";
  let description = [{
    Before: loops of the kernel's source that compute no blocks are `scf.for` marked `blockdsl.scalar_loop`. After: the
    mark is gone. A loop that may run more than 65536 iterations runs in strips of this number, inside of an
    `scf.while`, in which `convert-launch-abi` inserts a poll. A loop that contains another loop of unknown length is
    marked `blockdsl.source_loop` instead: it polls in each iteration.

    For a loop of at most one strip the overhead is a few instructions, without a poll.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ConvertLaunchABI : Pass<"convert-launch-abi", "::mlir::ModuleOp"> {
  let summary = "Converts a kernel to a function over a range of programs";
  let description = [{
    Before: `func.func @k(...) attributes {blockdsl.kernel}` computes one program.

    After: `@k(ptr args, i64 first, i64 last, ptr scratch)` reads the arguments from 8-byte slots and calls an internal
    function, which runs the programs with first <= id < last in a loop. id = x + gx * (y + gy * z) is decomposed once
    and then incremented. Buffers are allocated before the loop. `tt.assert` and `tt.print` are calls of the runtime.

    The slots hold the parameters in order, then the grid's x, y and z, then the launch context. The inner function is
    not inlined, because inlining would lose `noalias` of its arguments. Its argument `first` is marked
    `blockdsl.first_program`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def OutlineRepeatedLoops : Pass<"outline-repeated-loops", "::mlir::ModuleOp"> {
  let summary = "Outlines repeated loops";
  let description = [{
    Before: structured control flow. After: if more than two loops of a block have the same range, body and divisors,
    and only differ in values from outside, they are calls of an internal function `<function>.loops.<number>`, which is
    not inlined. Constants that are the same in all loops are cloned into the function; other values from outside are
    its arguments. Loops with results, with calls, or of more than 512 instructions are not outlined, nor are loops that
    LLVM unrolls.

    LLVM then compiles one loop instead of many copies.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def SplitKernels : Pass<"split-kernels", "::mlir::ModuleOp"> {
  let summary = "Outlines pieces of long functions";
  let description = [{
    Before: functions whose last argument is marked `blockdsl.scratch`, with structured control flow. After: the mark is
    gone. A function longer than `longest` is split, where the fewest values are live, into functions of about
    `piece-length`, which are not inlined; bodies of loops may be four times as long. Values that cross a cut are passed
    in scratch memory, which increases `blockdsl.scratch_bytes`. A piece is called `<function>.<depth>.<number>`, where
    depth counts the ops around it.

    This bounds the compile time of passes of LLVM that take time in the square of a function's length, and the stack
    for live values. A piece without loops has LLVM's attribute `tune-cpu`, which avoids a second scheduling. Pointers
    of the pieces are not `noalias`: some of them are loaded from memory.
  }];
  let options = [
    Option<"longest", "longest", "int64_t", "4096",
           "Length up to which a function is not split; an op counts once for each 512 bits of its values">,
    Option<"pieceLength", "piece-length", "int64_t", "512", "Length of a piece">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def PrefetchNextProgram : Pass<"prefetch-next-program", "::mlir::ModuleOp"> {
  let summary = "Prefetches the next program's loads during repeated loads";
  let description = [{
    Before: the loop over programs, marked `blockdsl.programs`, carries the ids; loops of the kernel's own are marked
    `blockdsl.source_loop`. After: neither mark is left.

    A loop that loads vectors that another loop of the program has loaded before prefetches the corresponding vectors of
    the next program, if their addresses can be computed from its ids without a load. The first loop of the next program
    then finds them in cache, and memory latency is hidden behind the second loop's computation.

    Loads in loops of the kernel's source are not prefetched: they cover more than a block, and the next program's data
    would evict theirs from the L1 cache.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AnnotateBranches : Pass<"annotate-branches", "::mlir::ModuleOp"> {
  let summary = "Passes annotations of loops to LLVM";
  let description = [{
    Before: branches to the heads of loops have the `llvm.loop_annotation` of the `scf.for` they were. After: it is
    their `loop_annotation`, which is translated to LLVM's metadata.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AnnotateFunctions : Pass<"annotate-functions", "::mlir::ModuleOp"> {
  let summary = "Adds function attributes for LLVM";
  let description = [{
    Before: functions in the LLVM dialect. After: functions with a body are `nounwind`. Functions without a loop that
    LLVM might vectorize have the attribute `blockdsl-vectorized`: each of their loops has vectors, is annotated, or has
    atomic or volatile accesses.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def DropUnusedArguments : Pass<"drop-unused-arguments", "::mlir::ModuleOp"> {
  let summary = "Removes unused arguments of internal functions";
  let description = [{
    Before: functions in the LLVM dialect. After: internal functions whose only uses are calls, and these calls, only
    have the arguments that are used.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerPolls : Pass<"lower-polls", "::mlir::ModuleOp"> {
  let summary = "Lowers polls for interruption";
  let description = [{
    Before: the calls `llvm.call @blockdsl_poll(%context)`, in functions without results, that `convert-launch-abi`
    inserts into the loops of the kernel's source. After: each poll loads the word whose address is the first member of
    the context. If it is not zero, the runtime's `blockdsl_should_stop` is called, and if the result is true, the
    function returns. In loops that may wait for another program the call is `@blockdsl_poll_waiting`, and the runtime's
    `blockdsl_wait` is called in each iteration.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AvoidLLVMFaults : Pass<"avoid-llvm-faults", "::mlir::ModuleOp"> {
  let summary = "Works around miscompilations of LLVM 22";
  let description = [{
    Before: functions of the LLVM dialect; the number of the first program, which is not negative, is the argument
    marked `blockdsl.first_program`. After: the mark is gone. Each buffer has a `lifetime.start`, which keeps LLVM from
    merging its stores. Masks of stores of integers have an opaque lane, if the CPU has truncating stores; so do masks
    of loads of several registers with AVX and AVX2. The upper half of an unsigned product is extracted by a shuffle, not
    shifted. On x86 a sum of integers by halves passes
    through an empty inline assembly at 128 bits, and an index of which only the three highest bits can be set is ORed
    with opaque zeros; so is a bound of floats in a function with another bound that keeps NaN.

    The results of the functions do not change.
  }];
  let options = [Option<"features", "features", "std::string", "\"\"", "CPU features as LLVM spells them">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyNoHeap : Pass<"verify-no-heap", "::mlir::ModuleOp"> {
  let summary = "Verifies that only LLVM ops without heap allocations are left";
  let description = [{
    After this pass only ops of the LLVM dialect are left, and no call allocates, frees or copies through the runtime of
    MLIR (malloc, free, memrefCopy and similar): kernels only use the memory that they are given.
  }];
}

def VerifyStandalone : Pass<"verify-standalone", "::mlir::ModuleOp"> {
  let summary = "Verifies that kernels do not need the runtime";
  let description = [{
    After: no op prints, waits for another program, or reads the clock or the processor's number. The other functions of
    the runtime that a kernel may call, for assertions and interruption, have simple replacements, which are defined
    when the object file is created. The pass changes nothing; errors are reported at their location in the kernel.
  }];
}

def MarkWrittenArguments : Pass<"mark-written-arguments", "mlir::ModuleOp"> {
  let summary = "Marks the pointers that a kernel stores through";
  let description = [{
    After: a function's pointer arguments through which it may store have the attribute `blockdsl.written`, which the
    launcher reads. A store through an address of unknown origin marks all of them.

    Example:

    ```mlir
    tt.func public @fill(%x: !tt.ptr<f32> {blockdsl.written}, %value: f32)
    ```
  }];
}

def TensorCSE : Pass<"tensor-cse"> {
  let summary = "Eliminates common subexpressions of linalg ops efficiently";
  let description = [{
    MLIR's `cse`, but `linalg.generic` ops are only compared if they capture the same blocks. Ops that capture different
    blocks are never equal here, because equal blocks were one value before the conversion to linalg.
  }];
}

def MergeArguments : Pass<"merge-arguments", "mlir::ModuleOp"> {
  let summary = "Merges arguments that are equal in a launch";
  let description = [{
    Before: in the launch, argument `i` is the same pointer as argument `leaders[i]`, to the same type, for each number
    of the option. An argument beyond the list, or with its own number, is not merged.

    After: merged arguments have no uses, and the leader has their attributes. If an argument was in another address
    space, like `tl.const` pointers, all pointers of the function are to global memory. The option `alias` of later
    passes applies to the remaining arguments.

    Example, with `leaders=0,1,0`:

    ```mlir
    tt.func public @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
      %a = tt.load %x : !tt.ptr<f32>
      %b = tt.load %y : !tt.ptr<f32>
      %c = arith.addf %a, %b : f32
      tt.store %x, %c : !tt.ptr<f32>  // was: %out
      tt.return
    }
    ```
  }];
  let options = [
    ListOption<"leaders", "leaders", "int64_t", "For each argument the first one that is the same pointer">
  ];
}

#endif // BLOCKDSL_CONVERSION_PASSES_TD
