// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s

// CHECK-LABEL: tt.func @casts
tt.func @casts(%i: tensor<64xi64>, %x: tensor<64xf32>, %h: bf16, %s: !tt.ptr<i1>) {
  // CHECK-NEXT: %[[P:.*]] = tt.int_to_ptr %{{.*}} : tensor<64xi64> -> tensor<64x!tt.ptr<f32>>
  %0 = tt.int_to_ptr %i : tensor<64xi64> -> tensor<64x!tt.ptr<f32>>
  // CHECK-NEXT: tt.ptr_to_int %[[P]] : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
  %1 = tt.ptr_to_int %0 : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
  // CHECK-NEXT: tt.bitcast %{{.*}} : tensor<64xf32> -> tensor<64xi32>
  %2 = tt.bitcast %x : tensor<64xf32> -> tensor<64xi32>
  // CHECK-NEXT: tt.bitcast %{{.*}} : !tt.ptr<i1> -> !tt.ptr<i8>
  %3 = tt.bitcast %s : !tt.ptr<i1> -> !tt.ptr<i8>
  // CHECK-NEXT: %[[Q:.*]] = tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<64xf32> -> tensor<64xf8E4M3FN>
  %4 = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E4M3FN>
  // CHECK-NEXT: tt.fp_to_fp %[[Q]] : tensor<64xf8E4M3FN> -> tensor<64xf16>
  %5 = tt.fp_to_fp %4 : tensor<64xf8E4M3FN> -> tensor<64xf16>
  // CHECK-NEXT: tt.fp_to_fp %{{.*}}, rounding = rtz : bf16 -> f8E5M2
  %6 = tt.fp_to_fp %h, rounding = rtz : bf16 -> f8E5M2
  tt.return
}

// CHECK-LABEL: tt.func @arithmetic
tt.func @arithmetic(%x: tensor<64xf32>, %n: tensor<64xi32>) {
  // CHECK-NEXT: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : tensor<64xf32>
  %0 = tt.clampf %x, %x, %x, propagateNan = none : tensor<64xf32>
  // CHECK-NEXT: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all : tensor<64xf32>
  %1 = tt.clampf %x, %x, %x, propagateNan = all : tensor<64xf32>
  // CHECK-NEXT: tt.precise_sqrt %{{.*}} : tensor<64xf32>
  %2 = tt.precise_sqrt %x : tensor<64xf32>
  // CHECK-NEXT: tt.precise_divf %{{.*}}, %{{.*}} : tensor<64xf32>
  %3 = tt.precise_divf %x, %x : tensor<64xf32>
  // CHECK-NEXT: tt.approx_divf %{{.*}}, %{{.*}} : tensor<64xf32>
  %4 = tt.approx_divf %x, %x : tensor<64xf32>
  // CHECK-NEXT: tt.mulhiui %{{.*}}, %{{.*}} : tensor<64xi32>
  %5 = tt.mulhiui %n, %n : tensor<64xi32>
  tt.return
}

// After the conversion of blocks to loops, the same ops work on scalars and vectors of any length.
// CHECK-LABEL: func.func @vectors_and_scalars
func.func @vectors_and_scalars(%x: vector<16xf32>, %n: vector<24xi64>, %s: f64, %b: vector<8xbf16>) {
  // CHECK-NEXT: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all : vector<16xf32>
  %0 = tt.clampf %x, %x, %x, propagateNan = all : vector<16xf32>
  // CHECK-NEXT: tt.mulhiui %{{.*}}, %{{.*}} : vector<24xi64>
  %1 = tt.mulhiui %n, %n : vector<24xi64>
  // CHECK-NEXT: tt.precise_sqrt %{{.*}} : f64
  %2 = tt.precise_sqrt %s : f64
  // CHECK-NEXT: tt.precise_divf %{{.*}}, %{{.*}} : vector<16xf32>
  %3 = tt.precise_divf %x, %x : vector<16xf32>
  // CHECK-NEXT: tt.approx_divf %{{.*}}, %{{.*}} : f64
  %4 = tt.approx_divf %s, %s : f64
  // CHECK-NEXT: tt.fp_to_fp %{{.*}}, rounding = rtz : vector<16xf32> -> vector<16xbf16>
  %5 = tt.fp_to_fp %x, rounding = rtz : vector<16xf32> -> vector<16xbf16>
  // CHECK-NEXT: tt.bitcast %{{.*}} : vector<8xbf16> -> vector<8xi16>
  %6 = tt.bitcast %b : vector<8xbf16> -> vector<8xi16>
  // CHECK-NEXT: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (vector<16xf32>) -> vector<16xf32>
  %7 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (vector<16xf32>) -> vector<16xf32>
  return
}

// CHECK-LABEL: tt.func @foreign_functions
tt.func @foreign_functions(%x: tensor<64xf32>, %n: tensor<64xi32>) {
  // CHECK-NEXT: tt.extern_elementwise %{{.*}}, %{{.*}} {libname = "m", libpath = "/m.bc", pure = false, symbol = "ldexp"} : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %0 = tt.extern_elementwise %x, %n {libname = "m", libpath = "/m.bc", pure = false, symbol = "ldexp"} : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  tt.return
}

// CHECK-LABEL: tt.func @map_with_branches
tt.func @map_with_branches(%x: tensor<64xi32>, %y: tensor<64xi16>) {
  // CHECK-NEXT: "tt.map_elementwise"(%{{.*}}, %{{.*}}) <{pack = 2 : i32}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i16, %{{.*}}: i16):
  %0 = "tt.map_elementwise"(%x, %y) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i16, %d: i16):
    %less = arith.cmpi slt, %a, %b : i32
    cf.cond_br %less, ^end(%a : i32), ^end(%b : i32)
  ^end(%e: i32):
    // CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}} : i32, i32
    tt.map_elementwise.return %e, %e : i32, i32
  // CHECK-NEXT: }) : (tensor<64xi32>, tensor<64xi16>) -> tensor<64xi32>
  }) : (tensor<64xi32>, tensor<64xi16>) -> tensor<64xi32>
  tt.return
}

// CHECK-LABEL: tt.func @inline_assembly
tt.func @inline_assembly(%x: tensor<64xi32>, %y: tensor<64xbf16>, %p: tensor<64x!tt.ptr<f32>>) {
  // CHECK-NEXT: tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %{{.*}} : tensor<64xi32> -> tensor<64xi32>
  %0 = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  // CHECK-NEXT: %{{.*}}:2 = tt.elementwise_inline_asm "anything" {constraints = "=r,=l,r,l", packed_element = 2 : i32, pure = false} %{{.*}}, %{{.*}} : tensor<64xbf16>, tensor<64x!tt.ptr<f32>> -> tensor<64xbf16>, tensor<64xi64>
  %1:2 = tt.elementwise_inline_asm "anything" {constraints = "=r,=l,r,l", packed_element = 2 : i32, pure = false} %y, %p : tensor<64xbf16>, tensor<64x!tt.ptr<f32>> -> tensor<64xbf16>, tensor<64xi64>
  // CHECK-NEXT: tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  %2 = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  tt.return
}

// An op without operands.
// CHECK-LABEL: tt.func @foreign_function_of_nothing
tt.func @foreign_function_of_nothing() {
  // CHECK-NEXT: tt.extern_elementwise {libname = "", libpath = "", pure = false, symbol = "blockdsl_nanoseconds"} : () -> i64
  %0 = tt.extern_elementwise {libname = "", libpath = "", pure = false, symbol = "blockdsl_nanoseconds"} : () -> i64
  tt.return
}
