//===- AtomicOps.td - Atomic accesses ----------------------*- tablegen -*-===//
// Atomic reads, writes and updates of global memory, by which the programs of a launch communicate.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_ATOMICOPS
#define BLOCKDSL_DIALECT_TT_IR_ATOMICOPS

include "blockdsl/Dialect/TT/IR/TTTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Constraints between pointers and the values and masks of the same shape.
class TT_PointsTo<string value> :
    TypesMatchWith<value # " has the type that ptr points to", "ptr", value, "::blockdsl::getPointeeType($_self)">;
class TT_MaskHasShapeOfPtr<int valueOperands> :
    TypesMatchWith<"mask has the shape of ptr", "ptr", "mask",
                   "::blockdsl::getSameShape($_self, ::mlir::IntegerType::get($_self.getContext(), 1))",
                   "($_op.getOperands().size() <= " # !add(valueOperands, 1) # ") || std::equal_to<>()">;

// Other programs access the same memory: no access may be dropped, repeated, or moved past another one.
def TT_AtomicPtr : Arg<TT_PtrLike, "address", [MemRead, MemWrite]>;

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [TT_InferType, TT_PointsTo<"val">, TT_MaskHasShapeOfPtr<1>]> {
  let summary = "An atomic update that returns the old value";
  let description = [{
    For every pointer whose `mask` is true, combines the value in memory with `val` by `atomic_rmw_op`, and returns the
    old value. If two pointers are equal, both updates happen, in an undefined order. Where `mask` is false the result
    is zero; in Triton it is undefined.

    `max` and `min` compare signed integers, or floats, where they ignore NaN; `umax` and `umin` compare unsigned
    integers; `exch` takes any type. `inc` adds one, and replaces `val` and larger values by 0; `dec` subtracts one, and
    replaces 0 and values above `val` by `val`. On a CPU `scope` has no effect: every update is atomic for all programs.

    Example:

    ```mlir
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_AtomicPtr:$ptr, TT_AnyType:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_AnyType:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [TT_InferType, TT_PointsTo<"cmp">, TT_PointsTo<"val">]> {
  let summary = "An atomic compare-and-swap that returns the old value";
  let description = [{
    For every pointer, writes `val` if the value in memory has the bits of `cmp`, and returns the old value.

    Example:

    ```mlir
    %old = tt.atomic_cas acq_rel, gpu, %lock, %zero, %one : (!tt.ptr<i32>, i32, i32) -> i32
    ```
  }];
  let arguments = (ins TT_AtomicPtr:$ptr, TT_AnyType:$cmp, TT_AnyType:$val, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs TT_AnyType:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicLoadOp : TT_Op<"atomic_load", [TT_InferType, TT_MaskHasShapeOfPtr<0>]> {
  let summary = "An atomic read";
  let description = [{
    Reads one element for every pointer whose `mask` is true. Elsewhere the result is zero; in Triton it is undefined.
    Triton has it from 3.9 on.

    Example:

    ```mlir
    %x = tt.atomic_load acquire, gpu, %p, %m : (tensor<64x!tt.ptr<i32>>, tensor<64xi1>) -> tensor<64xi32>
    ```
  }];
  let arguments = (ins TT_AtomicPtr:$ptr, Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_AnyType:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicStoreOp : TT_Op<"atomic_store", [TT_PointsTo<"value">, TT_MaskHasShapeOfPtr<1>]> {
  let summary = "An atomic write";
  let description = [{
    Writes one element for every pointer whose `mask` is true. Triton has it from 3.9 on.

    Example:

    ```mlir
    tt.atomic_store release, gpu, %p, %x, %m : tensor<64x!tt.ptr<i32>>
    ```
  }];
  let arguments = (ins Arg<TT_PtrLike, "address", [MemWrite]>:$ptr, TT_AnyType:$value, Optional<TT_BoolLike>:$mask,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let assemblyFormat = "$sem `,` $scope `,` $ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def TT_AtomicPollOp : TT_Op<"atomic_poll", [TT_InferType, TT_PointsTo<"expected">]> {
  let summary = "Waits until memory has an expected value";
  let description = [{
    Reads through each pointer until the value is `expected`, or until `timeout` nanoseconds have passed for all
    elements together. Each element is read at least once. Returns for each element whether it was equal. Triton has it
    from 3.9 on.

    Example:

    ```mlir
    %ok = tt.atomic_poll acquire, gpu, %p, %one timeout %ns : !tt.ptr<i32>, i32 -> i1
    ```
  }];
  let arguments = (ins TT_AtomicPtr:$ptr, TT_IntLike:$expected, Optional<I64>:$timeout, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs TT_BoolLike:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict `:`
    qualified(type($ptr)) `,` type($expected) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BLOCKDSL_DIALECT_TT_IR_ATOMICOPS
