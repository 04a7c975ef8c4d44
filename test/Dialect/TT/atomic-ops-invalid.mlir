// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

tt.func @sum_of_floats_as_integers(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{'tt.atomic_rmw' op expects elements of add ('f32') to be integers}}
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @sum_of_integers_as_floats(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_rmw' op expects elements of fadd ('i32') to be floats}}
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @update_of_bools(%p: !tt.ptr<i1>, %x: i1) {
  // expected-error @below {{'tt.atomic_rmw' op expects elements in memory ('i1') to be integers of 8 to 64 bits, or f16, bf16, f32 or f64}}
  %0 = tt.atomic_rmw or, acq_rel, gpu, %p, %x : (!tt.ptr<i1>, i1) -> i1
  tt.return
}

// -----

tt.func @value_of_another_type(%p: !tt.ptr<i32>, %x: i64) {
  // expected-error @below {{'tt.atomic_rmw' op failed to verify that val has the type that ptr points to}}
  %0 = tt.atomic_rmw or, acq_rel, gpu, %p, %x : (!tt.ptr<i32>, i64) -> i32
  tt.return
}

// -----

tt.func @mask_of_another_shape(%p: tensor<64x!tt.ptr<i32>>, %x: tensor<64xi32>, %m: tensor<32xi1>) {
  // expected-error @below {{'tt.atomic_rmw' op failed to verify that mask has the shape of ptr}}
  %0 = tt.atomic_rmw or, acq_rel, gpu, %p, %x, %m : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<32xi1>) -> tensor<64xi32>
  tt.return
}

// -----

tt.func @result_of_another_type(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_rmw' op expects result type ('i64') to be 'i32'}}
  %0 = tt.atomic_rmw or, acq_rel, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i64
  tt.return
}

// -----

tt.func @exchange_of_8_bit_floats(%p: !tt.ptr<f8E5M2>, %x: f8E5M2) {
  // expected-error @below {{'tt.atomic_cas' op expects elements in memory ('f8E5M2') to be integers of 8 to 64 bits, or f16, bf16, f32 or f64}}
  %0 = tt.atomic_cas acq_rel, gpu, %p, %x, %x : (!tt.ptr<f8E5M2>, f8E5M2, f8E5M2) -> f8E5M2
  tt.return
}

// -----

tt.func @load_that_releases(%p: !tt.ptr<i32>) {
  // expected-error @below {{'tt.atomic_load' op expects its semantic (release) to be relaxed or acquire}}
  %0 = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

tt.func @store_that_acquires(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_store' op expects its semantic (acq_rel) to be relaxed or release}}
  tt.atomic_store acq_rel, gpu, %p, %x : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @poll_of_floats(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{'tt.atomic_poll' op expects its semantic (acq_rel) to be relaxed or acquire}}
  %0 = tt.atomic_poll acq_rel, gpu, %p, %x : !tt.ptr<i32>, i32 -> i1
  tt.return
}

// -----

tt.func @poll_of_single_bits(%p: !tt.ptr<i1>, %x: i1) {
  // expected-error @below {{'tt.atomic_poll' op expects elements in memory ('i1') to be integers of 8 to 64 bits}}
  %0 = tt.atomic_poll acquire, gpu, %p, %x : !tt.ptr<i1>, i1 -> i1
  tt.return
}

// -----

tt.func @through_a_number(%p: i32, %x: i32) {
  // expected-error @below {{operand #0 must be pointer or block of pointers, but got 'i32'}}
  %0 = "tt.atomic_rmw"(%p, %x) <{atomic_rmw_op = 7 : i32, scope = 2 : i32, sem = 2 : i32}> : (i32, i32) -> i32
  tt.return
}
