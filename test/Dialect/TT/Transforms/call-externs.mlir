// RUN: blockdsl-opt %s --tt-call-externs | FileCheck %s

// CHECK-LABEL: tt.func public @calls
// CHECK-SAME:    (%[[X:.*]]: i32, %[[B:.*]]: tensor<64xi32>, %[[F:.*]]: f32)
tt.func public @calls(%x: i32, %b: tensor<64xi32>, %f: f32) -> (i32, tensor<64xi32>, i64, f32, f32) {
  // CHECK: %[[ONE:.*]] = tt.call @__nv_clz(%[[X]]) : (i32) -> i32
  %one = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} : (i32) -> i32
  // CHECK: %[[BLOCK:.*]] = tt.call @__nv_clz.1(%[[B]]) : (tensor<64xi32>) -> tensor<64xi32>
  %block = tt.extern_elementwise %b {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} : (tensor<64xi32>) -> tensor<64xi32>
  // Functions of another type or name, and public ones, are unchanged.
  // CHECK: tt.extern_elementwise %[[X]] {{.*}}"__nv_clz"
  %other = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} : (i32) -> i64
  // CHECK: tt.extern_elementwise %[[F]] {{.*}}"__nv_tanhf"
  %tanh = tt.extern_elementwise %f {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (f32) -> f32
  // CHECK: tt.extern_elementwise %[[F]] {{.*}}"calls_nobody"
  %nobody = tt.extern_elementwise %f {libname = "", libpath = "", pure = true, symbol = "calls_nobody"} : (f32) -> f32
  // CHECK: tt.return %[[ONE]], %[[BLOCK]]
  tt.return %one, %block, %other, %tanh, %nobody : i32, tensor<64xi32>, i64, f32, f32
}

tt.func private @__nv_clz(%x: i32) -> i32 {
  tt.return %x : i32
}

tt.func private @__nv_clz.1(%x: tensor<64xi32>) -> tensor<64xi32> {
  tt.return %x : tensor<64xi32>
}

tt.func private @__nv_clz_of_another_name(%x: i32) -> i64 {
  %wide = arith.extsi %x : i32 to i64
  tt.return %wide : i64
}

tt.func public @calls_nobody(%f: f32) -> f32 {
  tt.return %f : f32
}
