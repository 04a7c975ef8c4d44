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
    linalg cannot say them. No data is moved: whether a block is ever in memory is decided by `convert-linalg-to-nests`.

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
           "What is known of pointer arguments: `disjoint` or `unknown`">,
  ];
}

def ConvertLinalgToNests : Pass<"convert-linalg-to-nests", "mlir::ModuleOp">, CPU_AliasOption {
  let summary = "Fuses block computations into loop nests and decides which blocks they keep";
  let description = [{
    Before: what `convert-tt-to-linalg` leaves. After: a `cpu.nest` for each loop nest, matmul, scan, histogram and atomic
    access, in the order of execution, with the storage of its results. How each of them runs is decided by the passes of the
    `cpu` dialect.

    Every block that is not needed in memory is computed in the nests of its consumers; consumers over the same domain
    share a nest; a nest keeps a block in memory where it is too expensive to compute twice, or where a loop carries it.
  }];
  let dependentDialects = ["::blockdsl::cpu::CPUDialect"];
  let options = aliasOption;
}

def ConvertNestsToLoops : Pass<"convert-nests-to-loops", "mlir::ModuleOp">, CPU_AliasOption {
  let summary = "Writes loop nests as loops over vectors";
  let description = [{
    Before: what `blockdsl-to-nests` leaves, or an edited plan; an error says which part of one cannot be written.
    After: one `func.func` per kernel whose body is scalar code and loops over rank-1 vectors of the machine's width; no
    tensor is left. A block that is kept lives in a stack slot, and masks become bounds of loops.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect", "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect"];
  let options = !listconcat(aliasOption, [
    Option<"vectorBits", "vector-bits", "unsigned", "512", "Width of the machine's vector registers in bits">,
    Option<"features", "features", "std::string", "\"\"", "CPU features as LLVM spells them">,
    Option<"streamingStores", "streaming-stores", "bool", "false", "Write past the caches where alignment allows">,
    Option<"sequential", "sequential", "bool", "false",
           "One thread runs all programs, and no other accesses their memory: atomic updates need no lock">,
  ]);
}

def PlaceBuffers : Pass<"place-buffers", "::mlir::ModuleOp"> {
  let summary = "Buffers that never live at one time share memory, and the stack has a bound";
  let description = [{
    Before: `llvm.alloca` of a constant number of elements, in the block whose turn the buffer lives in: what is in it at
    the block's end is never read again. The kernel's last argument is marked `blockdsl.scratch`.

    After: every buffer is made at the entry: on the stack, if it has at most 64 KiB and all there have at most `stack-bytes`
    together, the smallest first; or in scratch memory, and the module's `blockdsl.scratch_bytes` says how much of it is
    needed. If the buffers are more than the stack takes, those that never live at one time share their memory.
  }];
  let options = [Option<"stackBytes", "stack-bytes", "int64_t", "160 * 1024", "Bytes of stack for all buffers together">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def ExpandElementwise : Pass<"expand-elementwise", "::mlir::ModuleOp"> {
  let summary = "Elementwise functions become arithmetic that every CPU does well";
  let description = [{
    Before: functions of scalars and rank-1 vectors, with `math` ops, elementwise `tt` ops and `arith` ops of any type.

    After: no elementwise `tt` op is left, and no `math` op that LLVM would turn into a call it cannot vectorize.
    Arithmetic on floats narrower than f32 is done in f32. Integer division does not trap. What has no formula (the gamma
    and Bessel functions, most of f64) calls libm for each lane from a function of its own.

    `tt.extern_elementwise` with a symbol of NVIDIA's device library (`__nv_expf`) means the function of that name; other
    symbols are refused.
  }];
  let options = [
    Option<"features", "features", "std::string", /*default=*/"\"\"", "CPU features as LLVM spells them">,
    Option<"fpFusion", "fp-fusion", "bool", /*default=*/"true", "Allow a product and a sum to become one operation">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def FloatsToIntegerStorage : Pass<"floats-to-integer-storage", "::mlir::ModuleOp"> {
  let summary = "Floats that are only moved are integers";
  let description = [{
    Before: bf16 and 8-bit floats are loaded, stored, chosen, shuffled, and seen as integers, but not computed with. After:
    they are integers of their width, everywhere but in the operands of an intrinsic.

    LLVM takes each lane of a bf16 that it moves under a mask through f32 where the CPU has no bf16, and where it has, some
    through an instruction that makes denormals zero. What is moved as an integer keeps its bits.

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
  let summary = "Long loops over scalars run in strips, between which they can be interrupted";
  let description = [{
    Before: `scf.for` of the kernel's own that compute no blocks are marked `blockdsl.scalar_loop`. After: the mark is gone.
    A loop that is not known to end within 65536 turns is one of strips of that many, inside of an `scf.while`, in which
    `convert-launch-abi` asks whether to stop. A loop with another one of unknown length in it is marked
    `blockdsl.source_loop` instead: it asks in every turn.

    A loop of no more turns than a strip pays a few instructions: its only strip is followed by no question.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ConvertLaunchABI : Pass<"convert-launch-abi", "::mlir::ModuleOp"> {
  let summary = "A kernel becomes a function over a range of programs";
  let description = [{
    Before: `func.func @k(...) attributes {blockdsl.kernel}` computes one program.

    After: `@k(ptr args, i64 first, i64 last, ptr scratch)` reads the arguments from 8-byte slots and calls an internal
    function, which runs the programs with first <= id < last in a loop. id = x + gx * (y + gy * z) is taken apart once and
    then counted on. Buffers are at the entry, before the loop. `tt.assert` and `tt.print` are calls of the runtime.

    The slots hold the parameters in order, then the grid's x, y and z, then the launch context. The inner function is not
    inlined, because `noalias` of its arguments would be lost. Its argument `first` is marked `blockdsl.first_program`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def OutlineRepeatedLoops : Pass<"outline-repeated-loops", "::mlir::ModuleOp"> {
  let summary = "Loops that repeat become calls of one function";
  let description = [{
    Before: structured control flow. After: loops of one block, more than two, that have the same range and body and
    differ in values from outside only are calls of an internal function `<function>.loops.<number>`, which is not
    inlined. It makes constants that are the same in all of them for itself; other values from outside are its
    arguments. Loops with results, with calls, or of more than 512 instructions stay, and so do those that LLVM
    unrolls. Divisors do not differ.

    LLVM compiles such a loop once, not as often as it is written.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def SplitKernels : Pass<"split-kernels", "::mlir::ModuleOp"> {
  let summary = "Long stretches of code become functions of their own";
  let description = [{
    Before: functions whose last argument is marked `blockdsl.scratch`, with structured control flow. After: the mark is
    gone. A function that was longer than `longest` is cut, where the fewest values cross, into functions of about
    `piece-length`, which are not inlined; bodies of loops may be four times as long. What crosses is kept in scratch
    memory, of which `blockdsl.scratch_bytes` then says more. A piece is called `<function>.<depth>.<number>`, where depth
    counts the ops around what was cut.

    What takes LLVM time in the square of a function's length, or stack for each value alive, has a bound by that. A piece
    without loops has the attribute `tune-cpu` of LLVM's, by which it is not scheduled twice. Pointers
    of the pieces are not `noalias`: some of them are read from memory.
  }];
  let options = [
    Option<"longest", "longest", "int64_t", "4096",
           "Length of a function that stays whole; an op counts once for each 512 bits it handles">,
    Option<"pieceLength", "piece-length", "int64_t", "512", "Length of a piece">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def PrefetchNextProgram : Pass<"prefetch-next-program", "::mlir::ModuleOp"> {
  let summary = "A second reading of memory fetches what the next program reads";
  let description = [{
    Before: the loop over programs, marked `blockdsl.programs`, carries the ids; loops of the kernel's own are marked
    `blockdsl.source_loop`. After: neither mark is left.

    A loop that reads vectors from where another loop of the program has read before prefetches the same vectors of the
    next program, if their addresses follow from its ids without a load. The first reading of the next program then
    finds them in cache, and memory works while the second reading computes.

    What is read in loops of the kernel's own is left alone: it is longer than a block, and the next program's would drive
    it out of the first cache.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AnnotateBranches : Pass<"annotate-branches", "::mlir::ModuleOp"> {
  let summary = "Lets LLVM know what is said of loops";
  let description = [{
    Before: branches to the heads of loops have the `llvm.loop_annotation` of the `scf.for` they were. After: it is their
    `loop_annotation`, which is translated to LLVM's metadata.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AnnotateFunctions : Pass<"annotate-functions", "::mlir::ModuleOp"> {
  let summary = "Lets LLVM know what holds for functions";
  let description = [{
    Before: functions in the LLVM dialect. After: those with a body are `nounwind`, and those have the attribute
    `blockdsl-vectorized` in which no loop is left that LLVM might vectorize: each has vectors, is annotated, or has
    atomic or volatile accesses.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def DropUnusedArguments : Pass<"drop-unused-arguments", "::mlir::ModuleOp"> {
  let summary = "Removes arguments that internal functions do not use";
  let description = [{
    Before: functions in the LLVM dialect. After: internal ones that are only called have the arguments that they use,
    and so have their calls.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerPolls : Pass<"lower-polls", "::mlir::ModuleOp"> {
  let summary = "Lets loops be interrupted";
  let description = [{
    Before: the calls `llvm.call @blockdsl_poll(%context)`, in functions without results, that `convert-launch-abi` put
    into the loops of the kernel's source. After: each reads the word whose address stands first in the context. Where it
    is not zero, the runtime's `blockdsl_should_stop` is asked, and if that says so, the function returns. In loops that may
    wait for another program the call is `@blockdsl_poll_waiting`, and the runtime's `blockdsl_wait` is asked in every turn.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AvoidLLVMFaults : Pass<"avoid-llvm-faults", "::mlir::ModuleOp"> {
  let summary = "Does not make what LLVM 22 gets wrong";
  let description = [{
    Before: functions of the LLVM dialect; the number of the first program, which is not negative, is the argument marked
    `blockdsl.first_program`. After: the mark is gone. Each buffer has a beginning of its life, which keeps LLVM from merging
    what is stored into it. Masks of stores of integers hold a lane that LLVM does not know, where the CPU can narrow
    integers while it stores them. The upper half of an unsigned product is picked out of its bits, not shifted down. On x86
    a sum of integers by halves goes through assembly of no instruction once it has 128 bits, and an index of which only
    the three highest bits can be set is joined with zeros out of such. So is a bound of floats in a function that bounds
    others so that NaN stays NaN.

    Nothing of that changes what is computed.
  }];
  let options = [Option<"features", "features", "std::string", "\"\"", "CPU features as LLVM spells them">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyNoHeap : Pass<"verify-no-heap", "::mlir::ModuleOp"> {
  let summary = "Refuses what should be gone at the end of the pipeline";
  let description = [{
    After this pass only ops of the LLVM dialect are left, and no call allocates, frees or copies through the runtime of
    MLIR (malloc, free, memrefCopy and their kin): kernels run with the memory they are given.
  }];
}

def VerifyStandalone : Pass<"verify-standalone", "::mlir::ModuleOp"> {
  let summary = "Refuses what needs the runtime, for kernels that go without it";
  let description = [{
    After: nothing prints, waits for another program, or reads the clock or the processor's number. The other functions of
    the runtime that a kernel may call, about assertions and interruption, have a plain meaning without it, which who
    makes the object file gives them. Nothing changes. What is refused is named at its place in the kernel.
  }];
}

def MarkWrittenArguments : Pass<"mark-written-arguments", "mlir::ModuleOp"> {
  let summary = "Marks the pointers a kernel stores through";
  let description = [{
    After: a function's pointer arguments through which it may store carry `blockdsl.written`, for the launcher to read.
    A store through an address of unknown origin marks them all. Nothing else changes.

    Example:

    ```mlir
    tt.func public @fill(%x: !tt.ptr<f32> {blockdsl.written}, %value: f32)
    ```
  }];
}

def TensorCSE : Pass<"tensor-cse"> {
  let summary = "Makes equal ops one, in time";
  let description = [{
    MLIR's `cse`, but `linalg.generic` ops are compared only if they capture the same blocks. What captures different ones
    is never equal here, because equal blocks were one value before they became linalg.
  }];
}

def MergeArguments : Pass<"merge-arguments", "mlir::ModuleOp"> {
  let summary = "Makes arguments that are equal at the launch one value";
  let description = [{
    Before: for the launch at hand, argument `i` is the same pointer as argument `leaders[i]`, to the same type, for each
    number of the option. An argument beyond the list, or that leads itself, is on its own.

    After: the other arguments of a leader have no uses, and what is known of any of them is known of the leader. If they
    were in another address space, as `tl.const` pointers are, all pointers of the function are to global memory. What
    `alias` says of two different pointers holds for those that are left.

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
