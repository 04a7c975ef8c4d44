//===- TTAttrs.td - Enums and attributes of the tt dialect -*- tablegen -*-===//
// Keywords and numbers are those of Triton. The generic form of ops has the numbers, the custom form the keywords.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_TTATTRS
#define BLOCKDSL_DIALECT_TT_IR_TTATTRS

include "blockdsl/Dialect/TT/IR/TTDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class TT_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::blockdsl";
}

def TT_AddressSpace : TT_Enum<"AddressSpace", "address space of a pointer", [
  I32EnumAttrCase<"Descriptor", 0, "descriptor">,
  I32EnumAttrCase<"Global", 1, "global">,
  I32EnumAttrCase<"Constant", 4, "constant">,
]>;

def TT_ProgramDim : TT_Enum<"ProgramDim", "axis of the grid", [
  I32EnumAttrCase<"X", 0, "x">,
  I32EnumAttrCase<"Y", 1, "y">,
  I32EnumAttrCase<"Z", 2, "z">,
]>;

def TT_CacheModifier : TT_Enum<"CacheModifier", "cache modifier of a memory access", [
  I32EnumAttrCase<"None", 1, "none">,
  I32EnumAttrCase<"CA", 2, "ca">,
  I32EnumAttrCase<"CG", 3, "cg">,
  I32EnumAttrCase<"WB", 4, "wb">,
  I32EnumAttrCase<"CS", 5, "cs">,
  I32EnumAttrCase<"WT", 6, "wt">,
  I32EnumAttrCase<"CV", 7, "cv">,
]>;

def TT_EvictionPolicy : TT_Enum<"EvictionPolicy", "eviction policy of a memory access", [
  I32EnumAttrCase<"Normal", 1, "evict_normal">,
  I32EnumAttrCase<"First", 2, "evict_first">,
  I32EnumAttrCase<"Last", 3, "evict_last">,
]>;

def TT_PaddingOption : TT_Enum<"PaddingOption", "value of elements that a load finds out of bounds", [
  I32EnumAttrCase<"Zero", 1, "zero">,
  I32EnumAttrCase<"NaN", 2, "nan">,
]>;

def TT_DescriptorReduceKind : TT_Enum<"DescriptorReduceKind", "operation of a descriptor reduction", [
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Inc", 4, "inc">,
  I32EnumAttrCase<"Dec", 5, "dec">,
  I32EnumAttrCase<"And", 6, "and">,
  I32EnumAttrCase<"Or", 7, "or">,
  I32EnumAttrCase<"Xor", 8, "xor">,
]>;

def TT_MemSemantic : TT_Enum<"MemSemantic", "memory order of an atomic access", [
  I32EnumAttrCase<"Relaxed", 1, "relaxed">,
  I32EnumAttrCase<"Acquire", 2, "acquire">,
  I32EnumAttrCase<"Release", 3, "release">,
  I32EnumAttrCase<"AcquireRelease", 4, "acq_rel">,
]>;

def TT_MemSyncScope : TT_Enum<"MemSyncScope", "scope of an atomic access", [
  I32EnumAttrCase<"GPU", 1, "gpu">,
  I32EnumAttrCase<"CTA", 2, "cta">,
  I32EnumAttrCase<"System", 3, "sys">,
]>;

def TT_RMWOp : TT_Enum<"RMWOp", "operation of an atomic access", [
  I32EnumAttrCase<"And", 1, "and">,
  I32EnumAttrCase<"Or", 2, "or">,
  I32EnumAttrCase<"Xor", 3, "xor">,
  I32EnumAttrCase<"Add", 4, "add">,
  I32EnumAttrCase<"FAdd", 5, "fadd">,
  I32EnumAttrCase<"Max", 6, "max">,
  I32EnumAttrCase<"Min", 7, "min">,
  I32EnumAttrCase<"UMax", 8, "umax">,
  I32EnumAttrCase<"UMin", 9, "umin">,
  I32EnumAttrCase<"Exchange", 10, "exch">,
  // Triton has these two only in descriptor reductions.
  I32EnumAttrCase<"Inc", 11, "inc">,
  I32EnumAttrCase<"Dec", 12, "dec">,
]>;

def TT_RoundingMode : TT_Enum<"RoundingMode", "rounding mode of a conversion", [
  I32EnumAttrCase<"TowardZero", 0, "rtz">,
  I32EnumAttrCase<"NearestEven", 1, "rtne">,
]>;

def TT_PropagateNan : TT_Enum<"PropagateNan", "propagation of NaN operands", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"All", 0xFFFF, "all">,
]>;

def TT_InputPrecision : TT_Enum<"InputPrecision", "precision of the f32 operands of a dot", [
  I32EnumAttrCase<"TF32", 0, "tf32">,
  I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
  I32EnumAttrCase<"IEEE", 2, "ieee">,
  I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">,
]>;

def TT_ScaleDotElemType : TT_Enum<"ScaleDotElemType", "element type of a scaled operand", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">,
  I32EnumAttrCase<"E5M2", 1, "e5m2">,
  I32EnumAttrCase<"E2M3", 2, "e2m3">,
  I32EnumAttrCase<"E3M2", 3, "e3m2">,
  I32EnumAttrCase<"E2M1", 4, "e2m1">,
  I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">,
]>;

def TT_CachePolicyAttr : AttrDef<TT_Dialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "Hints on how a memory access uses the caches";
  let description = [{
    A cache modifier and an eviction policy. They never change what is read or written.

    Example:

    ```mlir
    #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>
    ```
  }];
  let parameters = (ins EnumParameter<TT_CacheModifier>:$cache_modifier,
                        EnumParameter<TT_EvictionPolicy>:$eviction_policy);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // BLOCKDSL_DIALECT_TT_IR_TTATTRS
