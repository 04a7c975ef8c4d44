// RUN: blockdsl-opt %s -split-input-file -tt-collect-functions | FileCheck %s

// Functions of several modules are moved to one; a private function is renamed if its name is taken.
// CHECK-LABEL: module
// CHECK-NOT: module
// CHECK: tt.func private @helper(
// CHECK: tt.func public @first(
// CHECK: tt.call @helper(
// CHECK: tt.func private @helper_(
// CHECK: tt.func public @second(
// CHECK: tt.call @helper_(
module {
  tt.func private @helper(%x: f32) -> f32 {
    tt.return %x : f32
  }
  tt.func public @first(%p: !tt.ptr<f32>, %x: f32) {
    %0 = tt.call @helper(%x) : (f32) -> f32
    tt.store %p, %0 : !tt.ptr<f32>
    tt.return
  }
}
module {
  tt.func private @helper(%x: f32) -> f32 {
    %0 = math.absf %x : f32
    tt.return %0 : f32
  }
  tt.func public @second(%p: !tt.ptr<f32>, %x: f32) {
    %0 = tt.call @helper(%x) : (f32) -> f32
    tt.store %p, %0 : !tt.ptr<f32>
    tt.return
  }
}

// -----

// A public function keeps its name, in any order.
// CHECK-LABEL: tt.func private @f_(
// CHECK: tt.func public @user(
// CHECK: tt.call @f_(
// CHECK: tt.func public @f(
module {
  tt.func private @f(%x: f32) -> f32 {
    tt.return %x : f32
  }
  tt.func public @user(%p: !tt.ptr<f32>, %x: f32) {
    %0 = tt.call @f(%x) : (f32) -> f32
    tt.store %p, %0 : !tt.ptr<f32>
    tt.return
  }
}
module {
  tt.func public @f() {
    tt.return
  }
}

// -----

// Functions of the func dialect are converted; a called function with a result is not a kernel.
// CHECK-LABEL: tt.func private @scaled(%{{.*}}: tensor<64xf32>, %{{.*}}: f32 {tt.hint}) -> tensor<64xf32>
// CHECK: tt.return %{{.*}} : tensor<64xf32>
// CHECK: tt.func @kernel(%{{.*}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.*}}: f32)
// CHECK: tt.call @scaled(%{{.*}}, %{{.*}}) : (tensor<64xf32>, f32) -> tensor<64xf32>
// CHECK: tt.return{{$}}
func.func @scaled(%x: tensor<64xf32>, %s: f32 {tt.hint}) -> tensor<64xf32> {
  %0 = tt.splat %s : f32 -> tensor<64xf32>
  %1 = arith.mulf %x, %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}
func.func @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s: f32) {
  %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %1 = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %2 = tt.addptr %1, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %3 = tt.load %2 : tensor<64x!tt.ptr<f32>>
  %4 = func.call @scaled(%3, %s) : (tensor<64xf32>, f32) -> tensor<64xf32>
  tt.store %2, %4 : tensor<64x!tt.ptr<f32>>
  return
}

// -----

// So it is renamed, in any module.
// CHECK-LABEL: tt.func private @part(%{{.*}}: f32) -> f32
// CHECK: tt.func @one(
// CHECK: tt.call @part(
// CHECK: tt.func private @part_(%{{.*}}: f32) -> f32
// CHECK: tt.func @two(
// CHECK: tt.call @part_(
// CHECK: tt.func private @part__(%{{.*}}: f32) -> f32
// CHECK: tt.func @three(
// CHECK: tt.call @part__(
module {
  func.func @part(%x: f32) -> f32 {
    return %x : f32
  }
  func.func @one(%p: !tt.ptr<f32>, %x: f32) {
    %0 = func.call @part(%x) : (f32) -> f32
    tt.store %p, %0 : !tt.ptr<f32>
    return
  }
  module {
    tt.func @part(%x: f32) -> f32 {
      %0 = math.absf %x : f32
      tt.return %0 : f32
    }
    tt.func @two(%p: !tt.ptr<f32>, %x: f32) {
      %0 = tt.call @part(%x) : (f32) -> f32
      tt.store %p, %0 : !tt.ptr<f32>
      tt.return
    }
  }
}
module {
  func.func @part(%x: f32) -> f32 {
    %0 = math.exp %x : f32
    return %0 : f32
  }
  func.func @three(%p: !tt.ptr<f32>, %x: f32) {
    %0 = func.call @part(%x) : (f32) -> f32
    tt.store %p, %0 : !tt.ptr<f32>
    return
  }
}

// -----

// A module without ops and types of the tt dialect.
// CHECK-LABEL: tt.func @number(
// CHECK-NEXT:    tt.return
func.func @number(%x: f32) {
  return
}

// -----

// CHECK-LABEL: tt.func @splat_of_no_dimensions
tt.func @splat_of_no_dimensions(%x: tensor<f32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[SCALAR:.*]] = tt.unsplat %{{.*}} : tensor<f32>
  // CHECK-NEXT: tt.splat %[[SCALAR]] : f32 -> tensor<8xf32>
  %0 = tt.splat %x : tensor<f32> -> tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}
