// RUN: blockdsl-opt %s -tt-verify-single-kernel=version=3.6 -split-input-file -verify-diagnostics

// expected-error @below {{expects a kernel, a public function, got none}}
module {}

// -----

tt.func public @first() { tt.return }
// expected-error @below {{'tt.func' op expects one kernel in a module, got 'first' and 'second'}}
tt.func public @second() { tt.return }

// -----

tt.func public @kernel() { tt.return }
// expected-error @below {{'tt.func' op expects no function besides the kernel, got private 'callee'}}
tt.func private @callee() { tt.return }

// -----

// expected-error @below {{'tt.func' op expects the kernel to have a body}}
tt.func public @kernel()

// -----

// expected-error @below {{'tt.func' op expects a kernel to return nothing, got 'i32'}}
tt.func public @kernel(%x: i32) -> i32 { tt.return %x : i32 }

// -----

// expected-error @below {{'tt.func' op expects a kernel's arguments to be numbers, pointers and tensor descriptors, got 'tensor<8xf32>' for argument 1}}
tt.func public @kernel(%x: i32, %y: tensor<8xf32>) { tt.return }

// -----

tt.func public @kernel(%x: i32) {
  // expected-error @below {{'tt.call' op expects every call to be inlined, got one of 'kernel'}}
  tt.call @kernel(%x) : (i32) -> ()
  tt.return
}

// -----

tt.func public @kernel(%base: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @below {{'tt.make_tensor_ptr' op expects no block pointer}}
  %p = tt.make_tensor_ptr %base, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<64xf32>>
  tt.return
}

// -----

tt.func public @kernel() {
  // expected-error @below {{'tt.grid_dependency_wait' op expects Triton 3.9, got 3.6}}
  tt.grid_dependency_wait
  tt.return
}

// -----

tt.func public @polls(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_poll' op expects Triton 3.9, got 3.6}}
  %0 = tt.atomic_poll acquire, gpu, %p, %x : !tt.ptr<i32>, i32 -> i1
  tt.return
}

// -----

tt.func public @divides(%x: f32) {
  // expected-error @below {{'tt.approx_divf' op expects Triton 3.9, got 3.6}}
  %0 = tt.approx_divf %x, %x : f32
  tt.return
}
