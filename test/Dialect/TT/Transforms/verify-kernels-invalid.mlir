// RUN: blockdsl-opt %s -tt-verify-kernels -split-input-file -verify-diagnostics
// RUN: blockdsl-opt %s --blockdsl-cpu -split-input-file -verify-diagnostics

// expected-error @below {{'tt.func' op expects the kernel to have a body}}
tt.func public @declared(%x: i32)

// -----

// expected-error @below {{'tt.func' op expects a kernel to return nothing, got 'i32'}}
tt.func public @returns(%x: i32) -> i32 { tt.return %x : i32 }

// -----

// expected-error @below {{'tt.func' op expects a kernel's arguments to be numbers, pointers and tensor descriptors, got 'tensor<1024x!tt.ptr<f32>>' for argument 1}}
tt.func @block_of_pointers(%x: f32, %p: tensor<1024x!tt.ptr<f32>>) {
  %0 = tt.splat %x : f32 -> tensor<1024xf32>
  tt.store %p, %0 : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// expected-error @below {{'tt.func' op expects a kernel's arguments to be numbers, pointers and tensor descriptors, got 'tensor<64xf32>' for argument 0}}
tt.func @unused_block(%x: tensor<64xf32>) { tt.return }

// -----

// expected-error @below {{got '!tt.ptr<tensor<64xf32>>' for argument 0}}
tt.func @block_pointer(%p: !tt.ptr<tensor<64xf32>>) { tt.return }

// -----

// expected-error @below {{got 'index' for argument 0}}
tt.func @index(%i: index) { tt.return }

// -----

// expected-error @below {{got 'complex<f32>' for argument 0}}
tt.func @complex(%i: complex<f32>) { tt.return }

// -----

// expected-error @below {{got 'vector<4xf32>' for argument 0}}
tt.func @vector(%i: vector<4xf32>) { tt.return }

// -----

// expected-error @below {{got 'memref<4xf32>' for argument 0}}
tt.func @memref(%i: memref<4xf32>) { tt.return }

// -----

// expected-error @below {{got 'none' for argument 0}}
tt.func @none(%i: none) { tt.return }

// -----

// expected-error @below {{got 'i128' for argument 0}}
tt.func @wide(%i: i128) { tt.return }

// -----

// expected-error @below {{got 'tuple<i32>' for argument 0}}
tt.func @tuple(%i: tuple<i32>) { tt.return }

// -----

tt.func public @recursive(%x: i32) {
  // expected-error @below {{'tt.call' op expects every call to be inlined, got one of 'recursive'}}
  tt.call @recursive(%x) : (i32) -> ()
  tt.return
}

// -----

// expected-error @below {{'tt.func' op expects parameter 1 ('!tt.tensordesc<4x64xf32>') to be followed by 2 sizes (i32) and 2 strides (i64)}}
tt.func @descriptor_alone(%n: i32, %d: !tt.tensordesc<4x64xf32>, %m: i32, %k: i32, %s: i64) { tt.return }

// -----

// expected-error @below {{'tt.func' op expects parameter 0 ('!tt.tensordesc<64xf32>') to be followed by 1 sizes (i32) and 1 strides (i64)}}
tt.func @descriptor_with_a_wide_size(%d: !tt.tensordesc<64xf32>, %m: i64, %s: i64) { tt.return }
