//===- TTDialect.td - The tt dialect -----------------------*- tablegen -*-===//
// The record of the dialect, and the base class of its ops.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_TTDIALECT
#define BLOCKDSL_DIALECT_TT_IR_TTDIALECT

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/OpBase.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::blockdsl";
  let summary = "Programs over blocks of data";
  let description = [{
    A kernel is a function that runs once for every point of a grid. Its values are scalars, pointers (`!tt.ptr<f32>`)
    and blocks: builtin tensors of static shape whose size is a power of two, of at most 2^20 elements.

    The text of the dialect is that of Triton IR, versions 3.6 to 3.9: Triton's text can be parsed, and printed text can
    be compiled by Triton. The parser accepts the spellings of all versions, and `--tt-version` of `blockdsl-opt` (in
    C++: `printForTriton`) selects one for the printer. Arithmetic comes from `arith` and `math`, control flow from
    `scf` and `cf`.
  }];

  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // For patterns whose root is an op of another dialect, such as arith.select.
  let hasCanonicalizer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect"];

  // One function per family, in the file of its ops: no other file instantiates their templates.
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    void registerProgramOps();
    void registerMemoryOps();
    void registerAtomicOps();
    void registerDescriptorOps();
    void registerElementwiseOps();
    void registerShapeOps();
    void registerReduceOps();
    void registerDotOps();
    void registerDebugOps();
    void registerControlOps();
  }];
}

// Blocks have a static shape, a power of two of elements, and no more than 2^20 of them.
def TT_BoundedBlocks : NativeOpTrait<"BoundedBlocks"> {
  let cppNamespace = "::blockdsl::OpTrait";
}

// Result types are inferred from operands and attributes. For an invalid op the inference returns an arbitrary type
// without an error, so that the verifier emits the only one.
def TT_InferType : InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange, ::mlir::TypeRange) { return true; }
}]>;

class TT_Op<string mnemonic, list<Trait> traits = []> : Op<TT_Dialect, mnemonic, !listconcat(traits, [TT_BoundedBlocks])>;

#endif // BLOCKDSL_DIALECT_TT_IR_TTDIALECT
