// RUN: blockdsl-opt %s -expand-elementwise -split-input-file | FileCheck %s

// Functions without a formula call libm for each lane, in one function for each name and number of lanes.

// CHECK:       func.func private @blockdsl.lanes.lgammaf.16(%[[X:.*]]: vector<16xf32>) -> vector<16xf32>
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline", "cold"]
// CHECK:         %[[FROM:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK:         vector.store %[[X]], %[[FROM]]
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %[[LANE:.*]] = memref.load %[[FROM]][%[[I]]]
// CHECK-NEXT:      %[[RESULT:.*]] = func.call @lgammaf(%[[LANE]]) : (f32) -> f32
// CHECK-NEXT:      memref.store %[[RESULT]], %[[TO:.*]][%[[I]]]
// CHECK:         vector.load %[[TO]]
// CHECK:       func.func private @lgammaf(f32) -> f32
// CHECK-NOT:   func.func private

// CHECK-LABEL: func.func @twice
// CHECK:         call @blockdsl.lanes.lgammaf.16
// CHECK:         call @blockdsl.lanes.lgammaf.16
func.func @twice(%x: vector<16xf32>) -> vector<16xf32> {
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} : (vector<16xf32>) -> vector<16xf32>
  %z = tt.extern_elementwise %y {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} : (vector<16xf32>) -> vector<16xf32>
  return %z : vector<16xf32>
}

// CHECK-LABEL: func.func @scalar
// CHECK:         call @lgammaf(%{{.*}}) : (f32) -> f32
func.func @scalar(%x: f32) -> f32 {
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} : (f32) -> f32
  return %y : f32
}

// libdevice, unlike C, has no Bessel functions of negative orders.

// CHECK-LABEL: func.func @of_an_order
// CHECK:         %[[Y:.*]] = call @jnf(%[[N:.*]], %{{.*}}) : (i32, f32) -> f32
// CHECK-NEXT:    %[[IS_NEGATIVE:.*]] = arith.cmpi slt, %[[N]], %{{.*}} : i32
// CHECK-NEXT:    arith.select %[[IS_NEGATIVE]], %{{.*}}, %[[Y]] : f32
func.func @of_an_order(%n: i32, %x: f32) -> f32 {
  %y = tt.extern_elementwise %n, %x {libname = "", libpath = "", pure = true, symbol = "__nv_jnf"} : (i32, f32) -> f32
  return %y : f32
}

// sin reduces arguments up to 2^16 itself; if any lane is beyond, libm computes the vector.

// CHECK-LABEL: func.func @sine
// CHECK:         %[[IS_ZERO:.*]] = arith.cmpf oeq
// CHECK-NEXT:    %[[FAST:.*]] = arith.select %[[IS_ZERO]]
// CHECK:         %[[LARGE:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-NEXT:    %[[ANY:.*]] = vector.reduction <or>, %[[LARGE]]
// CHECK-NEXT:    scf.if %[[ANY]]
// CHECK-NEXT:      func.call @blockdsl.lanes.sinf.8
// CHECK:         else
// CHECK-NEXT:      scf.yield %[[FAST]]
func.func @sine(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.sin %x : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// A kernel with the name of a function that it calls does not call itself.

// CHECK:       func.func private @blockdsl_libm_pow(f64, f64) -> f64
// CHECK-LABEL: func.func @pow(
// CHECK:         call @blockdsl_libm_pow
func.func @pow(%p: !llvm.ptr) {
  %x = llvm.load %p : !llvm.ptr -> f64
  %y = math.powf %x, %x : f64
  llvm.store %y, %p : f64, !llvm.ptr
  return
}
