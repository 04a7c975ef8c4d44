//===- Passes.td - Decisions about loop nests --------------*- tablegen -*-===//
//
// One record per decision. Each pass writes one attribute of `cpu.nest`, and leaves nests that have it as they are.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_DIALECT_CPU_TRANSFORMS_PASSES_TD
#define BLOCKDSL_DIALECT_CPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class CPU_TargetOptions {
  list<Option> target = [
    Option<"vectorBits", "vector-bits", "unsigned", "512", "Width of the machine's vector registers in bits">,
    Option<"features", "features", "std::string", "\"\"", "CPU features as LLVM spells them">,
  ];
}

def SelectNestConfig : Pass<"cpu-select-nest-config", "mlir::ModuleOp">, CPU_TargetOptions {
  let summary = "Selects the vector dimension, the lanes and the order of loops of each nest";
  let description = [{
    Before: nests without `config`, as `convert-linalg-to-nests` leaves them. After: each nest of elementwise ops, reductions
    and stores, and each scan, has one.

    Vectors run along the dimension in which most accesses are contiguous. A nest with a branch or a volatile load is scalar.
    Blocks that are contiguous along another dimension than the one that is stored are transposed in registers. Cheap bodies
    are interleaved.

    Example:

    ```mlir
    cpu.nest { ... }
    // becomes
    cpu.nest config <order = [0, 1], vector = 1, lanes = 16, interleave = 4> { ... }
    ```
  }];
  let options = target;
}

def SelectMatmul : Pass<"cpu-select-matmul", "mlir::ModuleOp">, CPU_TargetOptions {
  let summary = "Selects the tile, the instruction and the packing of each matmul";
  let description = [{
    Before: nests of a matmul without `matmul`. After: each has it. The tile fills the vector registers with sums. Groups of
    narrow numbers are multiplied by a dot instruction or AMX if the CPU has one and the extents are powers of two. Operands
    are read in place where each tile reads contiguous memory, and are packed before otherwise.

    Example:

    ```mlir
    cpu.nest { linalg.matmul ... }
    // becomes
    cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = packed_rows, along_common = true>,
                     rhs = <layout = in_place>> { linalg.matmul ... }
    ```
  }];
  let options = target;
}

class CPU_AliasedTargetOptions : CPU_TargetOptions {
  list<Option> aliased = !listconcat(target, [
    Option<"alias", "alias", "std::string", "\"disjoint\"",
           "Aliasing of pointer arguments: `disjoint` or `unknown`">,
  ]);
}

def MergeIterations : Pass<"cpu-merge-iterations", "mlir::ModuleOp">, CPU_AliasedTargetOptions {
  let summary = "Multiplies several iterations of a loop together";
  let description = [{
    Before: nests with `matmul`. After: if a matmul is added to a carried block in a loop with scalar ops alone, its
    `iterations` are the number of iterations whose packed operands fit into the L2 cache. The right-hand side is `kept`
    for later programs if its memory is never written. Matmuls with an operand that is not packed are unchanged.
  }];
  let options = aliased;
}

def FuseEpilogue : Pass<"cpu-fuse-epilogue", "mlir::ModuleOp">, CPU_AliasedTargetOptions {
  let summary = "Runs the nest that stores a matmul on each tile of it";
  let description = [{
    Before: nests with `config` and `matmul`. After: a nest of stores after a matmul, or after a loop that adds a matmul
    to a block, has `epilogue`, and so has the matmul: the nest runs on each tile as soon as it is complete. A nest is
    not fused if a store may change memory that the matmul reads, if the nest uses a value that does not dominate the
    matmul, if it reads the matmul at other elements than it stores, or if its vectors do not run along the columns.

    Example:

    ```mlir
    %c = cpu.nest matmul <...> { ... }
    cpu.nest config <...> { tt.store ... }
    // becomes
    %c = cpu.nest matmul <..., epilogue = true> { ... }
    cpu.nest config <...> epilogue { tt.store ... }
    ```
  }];
  let options = aliased;
}

def SelectBounds : Pass<"cpu-select-bounds", "mlir::ModuleOp"> {
  let summary = "Selects the loops that the mask of each nest bounds";
  let description = [{
    Before: nests with a mask or with `matmul`. After: a nest whose mask compares indices with numbers that are known
    before its loops has `bounds`, and does not run iterations in which the mask is false. Only stores may skip the first
    iterations: a buffer, and the first vector of a reduction, need them. Masks of other forms stay conditions of single
    elements.

    The common dimension of a matmul by multiply-adds has bounds where the masks of both loaded operands do, or of one
    operand for integers.

    Example:

    ```mlir
    cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) { ... }
    // becomes
    cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) bounds <below = [0]> { ... }
    ```
  }];
}

def SelectStores : Pass<"cpu-select-stores", "mlir::ModuleOp"> {
  let summary = "Selects the nests whose stores are aligned, and those whose stores bypass the caches";
  let description = [{
    Before: nests with `config` and with `bounds`. After: a nest has `stores` if it does nothing but store, contiguously
    along its vectors. It aligns them if its mask bounds long rows whose addresses are not known to be aligned, and
    streams them with `streaming-stores`, unless the kernel has an atomic access: streaming stores are not in order with
    a later store that signals their completion.

    Example:

    ```mlir
    cpu.nest config <order = [0], vector = 0, lanes = 16> mask(...) bounds <below = [0]> { ... }
    // becomes
    cpu.nest config <order = [0], vector = 0, lanes = 16> mask(...) bounds <below = [0]> stores <align = true> { ... }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "512", "Width of the machine's vector registers in bits">,
    Option<"streamingStores", "streaming-stores", "bool", "false", "Bypass the caches if the alignment allows it">,
  ];
}

def SelectVersions : Pass<"cpu-select-versions", "mlir::ModuleOp"> {
  let summary = "Selects the versions of each nest for addresses that wrap";
  let description = [{
    Before: nests with `config` or `matmul`, and with `bounds`. After: a nest has `versions` if its vectors are contiguous,
    or its mask is an interval, only if an integer does not wrap in its type or a remainder is consecutive, and if that is
    known only at run time, before its loops. Integers that are known to stay within their type need no test, and strides
    of more than four elements are not worth one.

    Example:

    ```mlir
    cpu.nest config <order = [0], vector = 0, lanes = 16> { ... }
    // becomes
    cpu.nest config <order = [0], vector = 0, lanes = 16> versions <integers_wrap = true> { ... }
    ```
  }];
}

def SelectPrefetches : Pass<"cpu-select-prefetches", "mlir::ModuleOp">, CPU_TargetOptions {
  let summary = "Selects what the tiles of each matmul prefetch";
  let description = [{
    Before: nests with `matmul`. After: a matmul has `prefetch` if its operands are packed from memory, if its right-hand
    side is in panels, or if tiles to the right read their accumulators from memory. Operands of several merged
    `iterations` and of AMX are not prefetched: their packed parts are long enough for the hardware to prefetch.

    Example:

    ```mlir
    cpu.nest matmul <..., lhs = <layout = packed_rows, along_common = true>, ...> { ... }
    // becomes
    cpu.nest matmul <...> prefetch <lhs = next_tile, lines = 4> { ... }
    ```
  }];
  let options = target;
}

#endif // BLOCKDSL_DIALECT_CPU_TRANSFORMS_PASSES_TD
