//===- CPUAttrs.td - Decisions as attributes ---------------*- tablegen -*-===//

#ifndef BLOCKDSL_DIALECT_CPU_IR_CPUATTRS
#define BLOCKDSL_DIALECT_CPU_IR_CPUATTRS

include "blockdsl/Dialect/CPU/IR/CPUDialect.td"

class CPU_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::blockdsl::cpu";
  let genSpecializedAttr = 0;
}

class CPU_Attr<string name, string attrMnemonic> : AttrDef<CPU_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def CPU_Storage : CPU_Enum<"Storage", "where a result of a nest is kept", [
  I32EnumAttrCase<"Register", 0, "register">,
  I32EnumAttrCase<"Buffer", 1, "buffer">,
  I32EnumAttrCase<"Destination", 2, "destination">,
  I32EnumAttrCase<"Spare", 3, "spare">,
]>;

def CPU_StorageAttr : EnumAttr<CPU_Dialect, CPU_Storage, "storage"> {
  let summary = "Where a result of a nest is kept";
  let description = [{
    - `register`: a scalar.
    - `buffer`: memory of its own.
    - `destination`: the memory of the loop-carried block or branch result for which the result is an initial or yielded
      value.
    - `spare`: memory of its own, allocated outside of the surrounding loop, because the carried block is still read.
  }];
}
def CPU_StorageArrayAttr : TypedArrayAttrBase<CPU_StorageAttr, "one storage for each result">;

def CPU_Instruction : CPU_Enum<"Instruction", "how a matmul multiplies and adds", [
  I32EnumAttrCase<"MultiplyAdd", 0, "fma">,
  I32EnumAttrCase<"Dot", 1, "dot">,
  I32EnumAttrCase<"AMX", 2, "amx">,
]>;

def CPU_Layout : CPU_Enum<"Layout", "layout in which the tiles of a matmul read an operand", [
  I32EnumAttrCase<"InPlace", 0, "in_place">,
  I32EnumAttrCase<"Copied", 1, "copied">,
  I32EnumAttrCase<"Packed", 2, "packed">,
  I32EnumAttrCase<"PackedRows", 3, "packed_rows">,
]>;

def CPU_WordOrder : CPU_Enum<"WordOrder", "order of the words of a packed operand", [
  I32EnumAttrCase<"AsStored", 0, "as_stored">,
  I32EnumAttrCase<"CommonFirst", 1, "common_first">,
  I32EnumAttrCase<"CommonLast", 2, "common_last">,
]>;

def CPU_Prefetched : CPU_Enum<"Prefetched", "part of a matmul's operand that its tiles prefetch", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"NextTile", 1, "next_tile">,
  I32EnumAttrCase<"NextIteration", 2, "next_iteration">,
]>;

def CPU_TransposeAttr : CPU_Attr<"Transpose", "transpose"> {
  let summary = "Accesses that are transposed in registers";
  let description = [{
    Blocks that are contiguous along `dim`, which is not the vector dimension of the nest, are read in squares of `square`
    by `square` elements, and each square is transposed in registers, for `rows` indices along `dim` at a time.
  }];
  let parameters = (ins "int64_t":$dim, "int64_t":$square, "int64_t":$rows);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CPU_NestAttr : CPU_Attr<"Nest", "nest"> {
  let summary = "Loops of a nest and its vectors";
  let description = [{
    `order` names the dimensions that have loops, outermost first; the others have one element. Dimension `vector` runs
    in vectors of `lanes` elements, `interleave` of them in one step; without it the nest is scalar.

    Example:

    ```mlir
    #cpu.nest<order = [0, 1], vector = 1, lanes = 16, interleave = 2>
    ```
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$order,
                        DefaultValuedParameter<"int64_t", "-1">:$vector,
                        DefaultValuedParameter<"int64_t", "1">:$lanes,
                        DefaultValuedParameter<"int64_t", "1">:$interleave,
                        OptionalParameter<"::blockdsl::cpu::TransposeAttr">:$transpose);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def CPU_BoundsAttr : CPU_Attr<"Bounds", "bounds"> {
  let summary = "Loops that a mask bounds";
  let description = [{
    The comparisons of indices in a nest's mask are the bounds of loops: along the dimensions `below` the loop ends
    where the mask ends, and along `from` it starts where the mask starts. A comparison that is the same for the whole
    nest ends its first loop `below`: it runs completely or not at all. Numbers that wrap are not in order, so a
    comparison of them bounds a loop only in the version in which they do not wrap.

    For a matmul the dimension behind those of its result is the common one, which the masks of the loaded operands
    bound: the other steps multiply zeros.

    Example:

    ```mlir
    #cpu.bounds<below = [0, 1], from = [1]>
    ```
  }];
  let parameters = (ins OptionalParameter<"::mlir::DenseI64ArrayAttr">:$below,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$from);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def CPU_VersionsAttr : CPU_Attr<"Versions", "versions"> {
  let summary = "Versions of a nest for addresses that wrap";
  let description = [{
    In the first version of the loops no integer and no remainder wraps within a block, so that addresses have constant
    strides and numbers are in order. A test before the loops selects it. `remainders_wrap` is a version for remainders
    that wrap while integers do not, with gathers, and `integers_wrap` is one for integers that wrap, element by element.
    A version is omitted from the loops if its test is always true.

    Without `versions`, integers and remainders that are not known to stay within their range have no strides.

    Example:

    ```mlir
    #cpu.versions<integers_wrap = true, remainders_wrap = true>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$integers_wrap,
                        DefaultValuedParameter<"bool", "false">:$remainders_wrap);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def CPU_StoresAttr : CPU_Attr<"Stores", "stores"> {
  let summary = "Alignment of the stores of a nest";
  let description = [{
    With `align` a shorter first step, masked, aligns the steps behind it to vectors, so that no store crosses a cache
    line. With `stream` stores bypass the caches in loops whose first step is aligned, which is tested before each loop.

    Example:

    ```mlir
    #cpu.stores<align = true, stream = true>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$align,
                        DefaultValuedParameter<"bool", "false">:$stream);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def CPU_OperandAttr : CPU_Attr<"Operand", "operand"> {
  let summary = "Layout of a matmul's operand";
  let description = [{
    - `in_place`: each tile reads the block's buffer, or computes the elements.
    - `copied`: the nest `copy` writes the elements to a buffer in the accumulator's type first.
    - `packed`: words of `group` neighbors along the common dimension are written to a buffer first, in `order`, and as
      panels of `panel` columns unless that is 0. The common dimension is padded with zeros to `min_words` words, of
      which merged iterations share as many as they fill. With `in_buffer` the block's own buffer already has this layout.
    - `packed_rows`: the same for the rows of one tile, before it runs.

    `along_common` says that the block is contiguous along the common dimension.

    With `kept` the packed operand is cached for later programs on the same thread, in `kept` parts, one for each group
    of merged iterations: programs that need the same memory do not pack it again.

    With `try_in_place` a test at run time avoids the packing of an iteration's rows if memory already has their layout:
    the distance between rows is constant, and no element is masked off.
  }];
  let parameters = (ins "::blockdsl::cpu::Layout":$layout,
                        OptionalParameter<"::blockdsl::cpu::NestAttr">:$copy,
                        DefaultValuedParameter<"int64_t", "1">:$group,
                        DefaultValuedParameter<"::blockdsl::cpu::WordOrder", "WordOrder::AsStored">:$order,
                        DefaultValuedParameter<"int64_t", "0">:$panel,
                        DefaultValuedParameter<"int64_t", "0">:$min_words,
                        DefaultValuedParameter<"bool", "false">:$along_common,
                        DefaultValuedParameter<"bool", "false">:$in_buffer,
                        DefaultValuedParameter<"int64_t", "0">:$kept,
                        DefaultValuedParameter<"bool", "false">:$try_in_place);
  let assemblyFormat = "`<` struct(params) `>`";
}

def CPU_MatmulAttr : CPU_Attr<"Matmul", "matmul"> {
  let summary = "Tile, instruction and operands of a matmul";
  let description = [{
    `tile` is the rows and columns whose sums stay in registers, in vectors of `lanes` sums. `lhs` and `rhs` are the
    layouts of the operands; `rhs_wrapping` is that of the right-hand side in the version of the loops for addresses
    that wrap. With `epilogue` the next nest runs on each tile as soon as it is complete.

    `iterations` iterations of the surrounding loop are multiplied together: their operands are packed, and each tile
    sums up all of them before the next tile starts.
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$tile, "int64_t":$lanes,
                        "::blockdsl::cpu::Instruction":$instruction,
                        "::blockdsl::cpu::OperandAttr":$lhs, "::blockdsl::cpu::OperandAttr":$rhs,
                        OptionalParameter<"::blockdsl::cpu::OperandAttr">:$rhs_wrapping,
                        DefaultValuedParameter<"bool", "false">:$epilogue,
                        DefaultValuedParameter<"int64_t", "1">:$iterations);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def CPU_PrefetchAttr : CPU_Attr<"Prefetch", "prefetch"> {
  let summary = "Prefetches of a matmul";
  let description = [{
    Each tile prefetches a share of what is packed later into the L2 cache: with `next_tile` the rows of the tile below,
    with `next_iteration` the operand in the next iteration of the surrounding loop; at most `lines` cache lines of each
    operand for a few steps of the common dimension. An operand is not prefetched if its addresses depend on memory.

    A step prefetches the vectors of the right-hand side's panel that are multiplied `panel_steps` later into the L1
    cache. With `sums` a tile prefetches the accumulators of the tile to the right.

    Example:

    ```mlir
    #cpu.prefetch<lhs = next_tile, rhs = next_iteration, lines = 4, panel_steps = 16, sums = true>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"::blockdsl::cpu::Prefetched", "Prefetched::None">:$lhs,
                        DefaultValuedParameter<"::blockdsl::cpu::Prefetched", "Prefetched::None">:$rhs,
                        DefaultValuedParameter<"int64_t", "0">:$lines,
                        DefaultValuedParameter<"int64_t", "0">:$panel_steps,
                        DefaultValuedParameter<"bool", "false">:$sums);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // BLOCKDSL_DIALECT_CPU_IR_CPUATTRS
