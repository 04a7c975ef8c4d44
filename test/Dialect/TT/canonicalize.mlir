// RUN: blockdsl-opt %s --canonicalize --split-input-file | FileCheck %s

//===----------------------------------------------------------------------===//
// Splats stay splats
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tt.func @shapes_of_splat_constants
tt.func @shapes_of_splat_constants() -> (tensor<16xi32>, tensor<1x16xi32>, tensor<4x16xi32>, tensor<16x4xi32>, tensor<64xi32>, tensor<16x4x2xi32>, tensor<16x4xi32>, i32) {
  // CHECK-DAG: %[[A:.*]] = arith.constant dense<7> : tensor<16xi32>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<7> : tensor<1x16xi32>
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<7> : tensor<4x16xi32>
  // CHECK-DAG: %[[D:.*]] = arith.constant dense<7> : tensor<16x4xi32>
  // CHECK-DAG: %[[E:.*]] = arith.constant dense<7> : tensor<64xi32>
  // CHECK-DAG: %[[F:.*]] = arith.constant dense<7> : tensor<16x4x2xi32>
  // CHECK-DAG: %[[S:.*]] = arith.constant 7 : i32
  // CHECK-NOT: tt.{{(splat|expand|broadcast|trans|reshape|join|split|unsplat)}}
  // CHECK: tt.return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]], %[[D]], %[[S]]
  %s = arith.constant 7 : i32
  %a = tt.splat %s : i32 -> tensor<16xi32>
  %b = tt.expand_dims %a {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c = tt.broadcast %b : tensor<1x16xi32> -> tensor<4x16xi32>
  %d = tt.trans %c {order = array<i32: 1, 0>} : tensor<4x16xi32> -> tensor<16x4xi32>
  %e = tt.reshape %d allow_reorder : tensor<16x4xi32> -> tensor<64xi32>
  %f = tt.join %d, %d : tensor<16x4xi32> -> tensor<16x4x2xi32>
  %g, %h = tt.split %f : tensor<16x4x2xi32> -> tensor<16x4xi32>
  %one = tt.splat %s : i32 -> tensor<1xi32>
  %u = tt.unsplat %one : tensor<1xi32>
  tt.return %a, %b, %c, %d, %e, %f, %h, %u : tensor<16xi32>, tensor<1x16xi32>, tensor<4x16xi32>, tensor<16x4xi32>, tensor<64xi32>, tensor<16x4x2xi32>, tensor<16x4xi32>, i32
}

// -----

// CHECK-LABEL: tt.func @shapes_of_splats
// CHECK-SAME:    (%[[P:.*]]: !tt.ptr<f32>)
tt.func @shapes_of_splats(%p: !tt.ptr<f32>) -> (tensor<64x!tt.ptr<f32>>, !tt.ptr<f32>) {
  // CHECK-NEXT: %[[R:.*]] = tt.splat %[[P]] : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  // CHECK-NEXT: tt.return %[[R]], %[[P]]
  %a = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %b = tt.expand_dims %a {axis = 0 : i32} : tensor<16x!tt.ptr<f32>> -> tensor<1x16x!tt.ptr<f32>>
  %c = tt.broadcast %b : tensor<1x16x!tt.ptr<f32>> -> tensor<4x16x!tt.ptr<f32>>
  %d = tt.trans %c {order = array<i32: 1, 0>} : tensor<4x16x!tt.ptr<f32>> -> tensor<16x4x!tt.ptr<f32>>
  %e = tt.reshape %d : tensor<16x4x!tt.ptr<f32>> -> tensor<64x!tt.ptr<f32>>
  %one = tt.splat %p : !tt.ptr<f32> -> tensor<1x1x!tt.ptr<f32>>
  %u = tt.unsplat %one : tensor<1x1x!tt.ptr<f32>>
  tt.return %e, %u : tensor<64x!tt.ptr<f32>>, !tt.ptr<f32>
}

// -----

// CHECK-LABEL: tt.func @range_of_one
tt.func @range_of_one() -> tensor<1xi32> {
  // CHECK: arith.constant dense<5> : tensor<1xi32>
  %0 = tt.make_range {end = 6 : i32, start = 5 : i32} : tensor<1xi32>
  tt.return %0 : tensor<1xi32>
}

// -----

//===----------------------------------------------------------------------===//
// Chains and identities of shape ops
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tt.func @identities
// CHECK-SAME:    (%[[A:.*]]: tensor<16x4xf32>)
tt.func @identities(%a: tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) {
  // CHECK-NEXT: tt.return %[[A]], %[[A]], %[[A]]
  %0 = tt.broadcast %a : tensor<16x4xf32> -> tensor<16x4xf32>
  %1 = tt.reshape %a : tensor<16x4xf32> -> tensor<16x4xf32>
  %2 = tt.trans %a {order = array<i32: 0, 1>} : tensor<16x4xf32> -> tensor<16x4xf32>
  tt.return %0, %1, %2 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
}

// -----

// CHECK-LABEL: tt.func @chains
// CHECK-SAME:    (%[[A:.*]]: tensor<1x4xf32>, %[[B:.*]]: tensor<2x4x8xf32>, %[[C:.*]]: tensor<64xf32>)
tt.func @chains(%a: tensor<1x4xf32>, %b: tensor<2x4x8xf32>, %c: tensor<64xf32>) -> (tensor<16x4xf32>, tensor<4x8x2xf32>, tensor<2x4x8xf32>, tensor<4x16xf32>, tensor<8x8xf32>) {
  // CHECK-DAG: %[[R0:.*]] = tt.broadcast %[[A]] : tensor<1x4xf32> -> tensor<16x4xf32>
  %0 = tt.broadcast %a : tensor<1x4xf32> -> tensor<1x4xf32>
  %1 = tt.broadcast %0 : tensor<1x4xf32> -> tensor<16x4xf32>
  // Dimension i of the result is dimension [1, 0, 2][[0, 2, 1][i]].
  // CHECK-DAG: %[[R1:.*]] = tt.trans %[[B]] {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %2 = tt.trans %b {order = array<i32: 1, 0, 2>} : tensor<2x4x8xf32> -> tensor<4x2x8xf32>
  %3 = tt.trans %2 {order = array<i32: 0, 2, 1>} : tensor<4x2x8xf32> -> tensor<4x8x2xf32>
  %4 = tt.trans %2 {order = array<i32: 1, 0, 2>} : tensor<4x2x8xf32> -> tensor<2x4x8xf32>
  // CHECK-DAG: %[[R3:.*]] = tt.reshape %[[C]] : tensor<64xf32> -> tensor<4x16xf32>
  %5 = tt.reshape %c : tensor<64xf32> -> tensor<2x32xf32>
  %6 = tt.reshape %5 : tensor<2x32xf32> -> tensor<4x16xf32>
  // If one of two reshapes allows reordering, so does their combination.
  // CHECK-DAG: %[[R4:.*]] = tt.reshape %[[C]] allow_reorder : tensor<64xf32> -> tensor<8x8xf32>
  %7 = tt.reshape %c allow_reorder : tensor<64xf32> -> tensor<2x32xf32>
  %8 = tt.expand_dims %7 {axis = 2 : i32} : tensor<2x32xf32> -> tensor<2x32x1xf32>
  %9 = tt.reshape %8 : tensor<2x32x1xf32> -> tensor<8x8xf32>
  // CHECK: tt.return %[[R0]], %[[R1]], %[[B]], %[[R3]], %[[R4]]
  tt.return %1, %3, %4, %6, %9 : tensor<16x4xf32>, tensor<4x8x2xf32>, tensor<2x4x8xf32>, tensor<4x16xf32>, tensor<8x8xf32>
}

// -----

// CHECK-LABEL: tt.func @expanded_before_it_is_repeated
// CHECK-NEXT: %[[X:.*]] = tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<1x4xf32> -> tensor<1x1x4xf32>
// CHECK-NEXT: %[[Y:.*]] = tt.broadcast %[[X]] : tensor<1x1x4xf32> -> tensor<16x1x4xf32>
// CHECK-NEXT: tt.return %[[Y]]
tt.func @expanded_before_it_is_repeated(%a: tensor<1x4xf32>) -> tensor<16x1x4xf32> {
  %0 = tt.broadcast %a : tensor<1x4xf32> -> tensor<16x4xf32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<16x4xf32> -> tensor<16x1x4xf32>
  tt.return %1 : tensor<16x1x4xf32>
}

// -----

// CHECK-LABEL: tt.func @join_and_split
// CHECK-SAME:    (%[[A:.*]]: tensor<16xf32>, %[[B:.*]]: tensor<16xf32>, %[[C:.*]]: tensor<16x2xf32>)
tt.func @join_and_split(%a: tensor<16xf32>, %b: tensor<16xf32>, %c: tensor<16x2xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x2xf32>, tensor<16x2xf32>) {
  %0 = tt.join %a, %b : tensor<16xf32> -> tensor<16x2xf32>
  %1, %2 = tt.split %0 : tensor<16x2xf32> -> tensor<16xf32>
  %3, %4 = tt.split %c : tensor<16x2xf32> -> tensor<16xf32>
  %5 = tt.join %3, %4 : tensor<16xf32> -> tensor<16x2xf32>
  // With swapped dimensions it is another block.
  // CHECK: %[[S:.*]] = tt.join
  %6 = tt.join %4, %3 : tensor<16xf32> -> tensor<16x2xf32>
  // CHECK: tt.return %[[A]], %[[B]], %[[C]], %[[S]]
  tt.return %1, %2, %5, %6 : tensor<16xf32>, tensor<16xf32>, tensor<16x2xf32>, tensor<16x2xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tt.func @addptr_of_zero
// CHECK-SAME:    (%[[P:.*]]: tensor<64x!tt.ptr<f32>>, %[[I:.*]]: tensor<64xi32>)
tt.func @addptr_of_zero(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<64xi32>) -> tensor<64x!tt.ptr<f32>> {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %0 = tt.addptr %p, %zero : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // Two offsets are not merged, because their sum could wrap.
  // CHECK-NEXT: %[[Q:.*]] = tt.addptr %[[P]], %[[I]]
  // CHECK-NEXT: %[[R:.*]] = tt.addptr %[[Q]], %[[I]]
  // CHECK-NEXT: tt.return %[[R]]
  %1 = tt.addptr %0, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %2 = tt.addptr %1, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.return %2 : tensor<64x!tt.ptr<f32>>
}

// -----

// CHECK-LABEL: tt.func @loads_under_constant_masks
// CHECK-SAME:    (%[[P:.*]]: tensor<64x!tt.ptr<f32>>, %[[O:.*]]: tensor<64xf32>)
tt.func @loads_under_constant_masks(%p: tensor<64x!tt.ptr<f32>>, %o: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
  %true = arith.constant dense<true> : tensor<64xi1>
  %false = arith.constant dense<false> : tensor<64xi1>
  // CHECK-DAG: %[[L:.*]] = tt.load %[[P]] : tensor<64x!tt.ptr<f32>>
  %0 = tt.load %p, %true, %o : tensor<64x!tt.ptr<f32>>
  %1 = tt.load %p, %false, %o : tensor<64x!tt.ptr<f32>>
  %2 = tt.load %p, %false : tensor<64x!tt.ptr<f32>>
  // CHECK: tt.return %[[L]], %[[O]], %[[ZERO]]
  tt.return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// CHECK-LABEL: tt.func @loads_that_stay
tt.func @loads_that_stay(%p: tensor<64x!tt.ptr<f32>>, %q: tensor<64x!tt.ptr<!tt.ptr<f32>>>, %m: tensor<64xi1>) -> tensor<64x!tt.ptr<f32>> {
  %false = arith.constant dense<false> : tensor<64xi1>
  // An unused volatile load stays unless its mask is false.
  // CHECK: tt.load %{{.*}}, %{{.*}} {isVolatile = true}
  // CHECK-NOT: isVolatile
  %0 = tt.load %p, %m {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  %3 = tt.load %p, %false {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  // CHECK-NOT: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>>
  %1 = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  // A null pointer is not a constant.
  // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<64x!tt.ptr<!tt.ptr<f32>>>
  %2 = tt.load %q, %false : tensor<64x!tt.ptr<!tt.ptr<f32>>>
  tt.return %2 : tensor<64x!tt.ptr<f32>>
}

// -----

// CHECK-LABEL: tt.func @atomic_store_of_nothing
// CHECK-NEXT: tt.atomic_store
// CHECK-NEXT: tt.return
tt.func @atomic_store_of_nothing(%p: tensor<64x!tt.ptr<i32>>, %v: tensor<64xi32>, %m: tensor<64xi1>) {
  %false = arith.constant dense<false> : tensor<64xi1>
  tt.atomic_store release, gpu, %p, %v, %false : tensor<64x!tt.ptr<i32>>
  tt.atomic_store release, gpu, %p, %v, %m : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// CHECK-LABEL: tt.func @stores_under_constant_masks
// CHECK-SAME:    (%[[P:.*]]: tensor<64x!tt.ptr<f32>>, %[[V:.*]]: tensor<64xf32>)
tt.func @stores_under_constant_masks(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>) {
  %true = arith.constant dense<true> : tensor<64xi1>
  %false = arith.constant dense<false> : tensor<64xi1>
  // CHECK-NEXT: tt.store %[[P]], %[[V]] : tensor<64x!tt.ptr<f32>>
  // CHECK-NEXT: tt.return
  tt.store %p, %v, %true : tensor<64x!tt.ptr<f32>>
  tt.store %p, %v, %false : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// where(mask, load(p, mask), 1.0) is the load with 1.0 for other.
// CHECK-LABEL: tt.func @select_of_masked_load
// CHECK-SAME:    (%[[P:.*]]: tensor<64x!tt.ptr<f32>>, %[[M:.*]]: tensor<64xi1>, %[[N:.*]]: tensor<64xi1>)
tt.func @select_of_masked_load(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %n: tensor<64xi1>) -> (tensor<64xf32>, tensor<64xf32>) {
  // CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  // CHECK: %[[X:.*]] = tt.load %[[P]], %[[M]], %[[ONE]]
  %0 = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  %1 = arith.select %m, %0, %one : tensor<64xi1>, tensor<64xf32>
  // Not with another mask.
  // CHECK: tt.load %[[P]], %[[M]] :
  // CHECK: %[[Y:.*]] = arith.select %[[N]]
  %2 = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  %3 = arith.select %n, %2, %one : tensor<64xi1>, tensor<64xf32>
  // CHECK: tt.return %[[X]], %[[Y]]
  tt.return %1, %3 : tensor<64xf32>, tensor<64xf32>
}

// -----

// CHECK-LABEL: tt.func @select_under_splat_condition
// CHECK-SAME:    (%[[C:.*]]: i1, %[[X:.*]]: tensor<64xf32>, %[[Y:.*]]: tensor<64xf32>)
tt.func @select_under_splat_condition(%c: i1, %x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK-NEXT: %[[R:.*]] = arith.select %[[C]], %[[X]], %[[Y]] : tensor<64xf32>
  // CHECK-NEXT: tt.return %[[R]]
  %0 = tt.splat %c : i1 -> tensor<64xi1>
  %1 = arith.select %0, %x, %y : tensor<64xi1>, tensor<64xf32>
  tt.return %1 : tensor<64xf32>
}

// -----

// CHECK-LABEL: tt.func @advance_of_zero
// CHECK-SAME:    (%[[B:.*]]: !tt.ptr<tensor<16x64xf16>>, %[[I:.*]]: i32)
tt.func @advance_of_zero(%b: !tt.ptr<tensor<16x64xf16>>, %i: i32) -> (!tt.ptr<tensor<16x64xf16>>, !tt.ptr<tensor<16x64xf16>>) {
  %zero = arith.constant 0 : i32
  %0 = tt.advance %b, [%zero, %zero] : <tensor<16x64xf16>>
  // CHECK: %[[C:.*]] = tt.advance
  %1 = tt.advance %b, [%zero, %i] : <tensor<16x64xf16>>
  // CHECK: tt.return %[[B]], %[[C]]
  tt.return %0, %1 : !tt.ptr<tensor<16x64xf16>>, !tt.ptr<tensor<16x64xf16>>
}

// -----

//===----------------------------------------------------------------------===//
// Casts and arithmetic
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tt.func @cast_chains
// CHECK-SAME:    (%[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i64, %[[X:.*]]: f32)
tt.func @cast_chains(%p: !tt.ptr<f32>, %i: i64, %x: f32) -> (!tt.ptr<f32>, i64, f32, f32, !tt.ptr<i8>, !tt.ptr<i8>) {
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32>
  %2 = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  %3 = tt.ptr_to_int %2 : !tt.ptr<f32> -> i64
  %4 = tt.bitcast %x : f32 -> i32
  %5 = tt.bitcast %4 : i32 -> f32
  %6 = tt.fp_to_fp %x : f32 -> f32
  // CHECK-DAG: %[[Q:.*]] = tt.bitcast %[[P]] : !tt.ptr<f32> -> !tt.ptr<i8>
  %7 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i16>
  %8 = tt.bitcast %7 : !tt.ptr<i16> -> !tt.ptr<i8>
  // The same address, as a pointer to another type.
  // CHECK-DAG: %[[R:.*]] = tt.bitcast %[[P]] : !tt.ptr<f32> -> !tt.ptr<i8>
  %9 = tt.int_to_ptr %0 : i64 -> !tt.ptr<i8>
  // CHECK: tt.return %[[P]], %[[I]], %[[X]], %[[X]], %[[Q]], %[[R]]
  tt.return %1, %3, %5, %6, %8, %9 : !tt.ptr<f32>, i64, f32, f32, !tt.ptr<i8>, !tt.ptr<i8>
}

// -----

// A bitcast keeps the address space.
// CHECK-LABEL: tt.func @pointers_into_other_memory
// CHECK: tt.int_to_ptr
tt.func @pointers_into_other_memory(%p: !tt.ptr<f32>) -> !tt.ptr<f32, "constant"> {
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32, "constant">
  tt.return %1 : !tt.ptr<f32, "constant">
}

// -----

// CHECK-LABEL: tt.func @mulhiui_of_constants
tt.func @mulhiui_of_constants(%x: i32) -> (i32, tensor<64xi32>, i32) {
  // CHECK-DAG: %[[A:.*]] = arith.constant 2 : i32
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<-2> : tensor<64xi32>
  // CHECK-DAG: %[[Z:.*]] = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %half = arith.constant -2147483648 : i32
  %zero = arith.constant 0 : i32
  %ones = arith.constant dense<-1> : tensor<64xi32>
  %0 = tt.mulhiui %four, %half : i32
  %1 = tt.mulhiui %ones, %ones : tensor<64xi32>
  %2 = tt.mulhiui %zero, %x : i32
  // CHECK: tt.return %[[A]], %[[B]], %[[Z]]
  tt.return %0, %1, %2 : i32, tensor<64xi32>, i32
}

// -----

// CHECK-LABEL: tt.func @pure_extern_is_removed
tt.func @pure_extern_is_removed(%x: f32) {
  // CHECK-NOT: symbol = "pure"
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "pure"} : (f32) -> f32
  // CHECK: symbol = "impure"
  %1 = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "impure"} : (f32) -> f32
  tt.return
}

// -----

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: tt.func @reduce_and_scan_of_one
// CHECK-SAME:    (%[[A:.*]]: tensor<16x1xf32>, %[[B:.*]]: tensor<1xi32>)
tt.func @reduce_and_scan_of_one(%a: tensor<16x1xf32>, %b: tensor<1xi32>) -> (tensor<16xf32>, i32, tensor<16x1xf32>) {
  // CHECK-DAG: %[[R:.*]] = tt.reshape %[[A]] : tensor<16x1xf32> -> tensor<16xf32>
  %0 = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<16x1xf32>) -> tensor<16xf32>
  // CHECK-DAG: %[[U:.*]] = tt.unsplat %[[B]] : tensor<1xi32>
  %1 = "tt.reduce"(%b) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %y : i32
    tt.reduce.return %z : i32
  }) : (tensor<1xi32>) -> i32
  %2 = "tt.scan"(%a) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.scan.return %z : f32
  }) : (tensor<16x1xf32>) -> tensor<16x1xf32>
  // CHECK: tt.return %[[R]], %[[U]], %[[A]]
  tt.return %0, %1, %2 : tensor<16xf32>, i32, tensor<16x1xf32>
}

// -----

// CHECK-LABEL: tt.func @asserts_that_hold
tt.func @asserts_that_hold(%c: i1) {
  %true = arith.constant true
  %all = arith.constant dense<true> : tensor<64xi1>
  // CHECK-NOT: "holds"
  tt.assert %true, "holds" : i1
  tt.assert %all, "holds" : tensor<64xi1>
  // CHECK: tt.assert %{{.*}}, "may fail"
  tt.assert %c, "may fail" : i1
  tt.return
}

// -----

// CHECK-LABEL: tt.func @splat_of_no_dimensions
tt.func @splat_of_no_dimensions(%x: tensor<f32>, %c: tensor<i1>, %a: tensor<8xf32>, %b: tensor<8xf32>)
    -> (tensor<1x8xf32>, tensor<8xf32>, f32, tensor<8xf32>) {
  // CHECK-DAG: %[[FIVE:.*]] = arith.constant dense<5.000000e+00> : tensor<8xf32>
  %five = arith.constant dense<5.0> : tensor<f32>
  %constant = tt.splat %five : tensor<f32> -> tensor<8xf32>
  // CHECK-DAG: %[[ROW:.*]] = tt.splat %{{.*}} : tensor<f32> -> tensor<1x8xf32>
  %splat = tt.splat %x : tensor<f32> -> tensor<8xf32>
  %row = tt.expand_dims %splat {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  // A scalar is extracted from a block of one element, but not a block without dimensions.
  // CHECK-DAG: %[[ONE:.*]] = tt.splat %{{.*}} : tensor<f32> -> tensor<1xf32>
  // CHECK-DAG: %[[SCALAR:.*]] = tt.unsplat %[[ONE]] : tensor<1xf32>
  %one = tt.splat %x : tensor<f32> -> tensor<1xf32>
  %scalar = tt.unsplat %one : tensor<1xf32>
  // CHECK-DAG: %[[CONDITION:.*]] = tt.splat %{{.*}} : tensor<i1> -> tensor<8xi1>
  // CHECK-DAG: %[[CHOSEN:.*]] = arith.select %[[CONDITION]], %{{.*}}, %{{.*}} : tensor<8xi1>, tensor<8xf32>
  %condition = tt.splat %c : tensor<i1> -> tensor<8xi1>
  %chosen = arith.select %condition, %a, %b : tensor<8xi1>, tensor<8xf32>
  // CHECK: tt.return %[[ROW]], %[[FIVE]], %[[SCALAR]], %[[CHOSEN]]
  tt.return %row, %constant, %scalar, %chosen : tensor<1x8xf32>, tensor<8xf32>, f32, tensor<8xf32>
}
