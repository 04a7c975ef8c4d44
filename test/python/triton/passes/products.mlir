// Matmuls, and sums that become matmuls.

tt.func public @dot_add(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e = arith.addf %d, %c : tensor<16x16xf32>
  %d2 = tt.dot %b, %a, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e2 = arith.addf %c, %d2 : tensor<16x16xf32>
  tt.return %e, %e2 : tensor<16x16xf32>, tensor<16x16xf32>
}

tt.func public @dot_add_integers(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>, %c: tensor<16x16xi32>) -> (tensor<16x16xi32>, tensor<16x16xi32>) {
  %z = arith.constant dense<0> : tensor<16x16xi32>
  %d = tt.dot %a, %b, %z : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xi32>
  %e = arith.addi %d, %c : tensor<16x16xi32>
  %d2 = tt.dot %b, %a, %z : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xi32>
  %e2 = arith.addi %c, %d2 : tensor<16x16xi32>
  tt.return %e, %e2 : tensor<16x16xi32>, tensor<16x16xi32>
}

tt.func public @dot_used_twice(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e = arith.addf %d, %c : tensor<16x16xf32>
  tt.return %e, %d : tensor<16x16xf32>, tensor<16x16xf32>
}

tt.func public @dot_twice_itself(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e = arith.addf %d, %d : tensor<16x16xf32>
  tt.return %e : tensor<16x16xf32>
}

tt.func public @dot_bounded(%a: tensor<16x16xf8E5M2>, %b: tensor<16x16xf8E5M2>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %z {maxNumImpreciseAcc = 32 : i32} : tensor<16x16xf8E5M2> * tensor<16x16xf8E5M2> -> tensor<16x16xf32>
  %e = arith.addf %d, %c : tensor<16x16xf32>
  %d2 = tt.dot %a, %b, %z {maxNumImpreciseAcc = 0 : i32} : tensor<16x16xf8E5M2> * tensor<16x16xf8E5M2> -> tensor<16x16xf32>
  %e2 = arith.addf %d2, %c : tensor<16x16xf32>
  tt.return %e, %e2 : tensor<16x16xf32>, tensor<16x16xf32>
}

tt.func public @dot_precision(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %z = arith.constant dense<-0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %z, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e = arith.addf %d, %c fastmath<fast> : tensor<16x16xf32>
  tt.return %e : tensor<16x16xf32>
}

tt.func public @dot_splat_zero(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %k = arith.constant 0.0 : f32
  %z = tt.splat %k : f32 -> tensor<16x16xf32>
  %d = tt.dot %a, %b, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e = arith.addf %d, %c : tensor<16x16xf32>
  tt.return %e : tensor<16x16xf32>
}

tt.func public @dot_scaled_add(%a: tensor<32x64xi8>, %s: tensor<32x4xi8>, %b: tensor<128x32xf8E4M3FN>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot_scaled %a scale %s, %b, %z lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<32x64xi8>, tensor<32x4xi8> * tensor<128x32xf8E4M3FN> -> tensor<32x32xf32>
  %e = arith.addf %d, %c : tensor<32x32xf32>
  tt.return %e : tensor<32x32xf32>
}

tt.func public @dot_sub(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %e = arith.subf %d, %c : tensor<16x16xf32>
  tt.return %e : tensor<16x16xf32>
}

tt.func public @dot_add_in_a_loop(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %n: i32) -> (tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> tensor<16x16xf32> : i32 {
    %d = tt.dot %a, %b, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    %e = arith.addf %acc, %d : tensor<16x16xf32>
    scf.yield %e : tensor<16x16xf32>
  }
  tt.return %r : tensor<16x16xf32>
}

tt.func public @dot_outside_add_inside(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %n: i32) -> (tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = tt.dot %a, %b, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> tensor<16x16xf32> : i32 {
    %e = arith.addf %acc, %d : tensor<16x16xf32>
    scf.yield %e : tensor<16x16xf32>
  }
  tt.return %r : tensor<16x16xf32>
}

tt.func public @mul_reduce(%x: tensor<16x32xf32>, %y: tensor<32x16xf32>) -> tensor<16x16xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %b = tt.broadcast %a : tensor<16x32x1xf32> -> tensor<16x32x16xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %d = tt.broadcast %c : tensor<1x32x16xf32> -> tensor<16x32x16xf32>
  %e = arith.mulf %b, %d : tensor<16x32x16xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x32x16xf32>) -> tensor<16x16xf32>
  tt.return %f : tensor<16x16xf32>
}

tt.func public @mul_reduce_small(%x: tensor<8x32xf32>, %y: tensor<32x8xf32>) -> tensor<8x8xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<8x32xf32> -> tensor<8x32x1xf32>
  %b = tt.broadcast %a : tensor<8x32x1xf32> -> tensor<8x32x8xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<32x8xf32> -> tensor<1x32x8xf32>
  %d = tt.broadcast %c : tensor<1x32x8xf32> -> tensor<8x32x8xf32>
  %e = arith.mulf %b, %d : tensor<8x32x8xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<8x32x8xf32>) -> tensor<8x8xf32>
  tt.return %f : tensor<8x8xf32>
}

tt.func public @mul_reduce_narrow_rows(%x: tensor<1x32xf32>, %y: tensor<32x16xf32>) -> tensor<1x16xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<1x32xf32> -> tensor<1x32x1xf32>
  %b = tt.broadcast %a : tensor<1x32x1xf32> -> tensor<1x32x16xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %e = arith.mulf %b, %c : tensor<1x32x16xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<1x32x16xf32>) -> tensor<1x16xf32>
  tt.return %f : tensor<1x16xf32>
}

tt.func public @mul_reduce_other_order(%x: tensor<16x32xf32>, %y: tensor<32x16xf32>) -> tensor<16x16xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %b = tt.broadcast %a : tensor<16x32x1xf32> -> tensor<16x32x16xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %d = tt.broadcast %c : tensor<1x32x16xf32> -> tensor<16x32x16xf32>
  %e = arith.mulf %d, %b : tensor<16x32x16xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x32x16xf32>) -> tensor<16x16xf32>
  tt.return %f : tensor<16x16xf32>
}

tt.func public @mul_reduce_strange_body(%x: tensor<16x32xf32>, %y: tensor<32x16xf32>) -> tensor<16x16xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %b = tt.broadcast %a : tensor<16x32x1xf32> -> tensor<16x32x16xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %d = tt.broadcast %c : tensor<1x32x16xf32> -> tensor<16x32x16xf32>
  %e = arith.mulf %b, %d : tensor<16x32x16xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %p : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x32x16xf32>) -> tensor<16x16xf32>
  tt.return %f : tensor<16x16xf32>
}

tt.func public @mul_reduce_other_axis(%x: tensor<16x32xf32>, %y: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %b = tt.broadcast %a : tensor<16x32x1xf32> -> tensor<16x32x16xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %d = tt.broadcast %c : tensor<1x32x16xf32> -> tensor<16x32x16xf32>
  %e = arith.mulf %b, %d : tensor<16x32x16xf32>
  %f = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x32x16xf32>) -> tensor<32x16xf32>
  tt.return %f : tensor<32x16xf32>
}

tt.func public @mul_reduce_16_32_8(%x: tensor<16x32xf32>, %y: tensor<32x8xf32>) -> tensor<16x8xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %b = tt.broadcast %a : tensor<16x32x1xf32> -> tensor<16x32x8xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<32x8xf32> -> tensor<1x32x8xf32>
  %d = tt.broadcast %c : tensor<1x32x8xf32> -> tensor<16x32x8xf32>
  %e = arith.mulf %b, %d : tensor<16x32x8xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x32x8xf32>) -> tensor<16x8xf32>
  tt.return %f : tensor<16x8xf32>
}

tt.func public @mul_reduce_8_32_16(%x: tensor<8x32xf32>, %y: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<8x32xf32> -> tensor<8x32x1xf32>
  %b = tt.broadcast %a : tensor<8x32x1xf32> -> tensor<8x32x16xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %d = tt.broadcast %c : tensor<1x32x16xf32> -> tensor<8x32x16xf32>
  %e = arith.mulf %b, %d : tensor<8x32x16xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<8x32x16xf32>) -> tensor<8x16xf32>
  tt.return %f : tensor<8x16xf32>
}

tt.func public @mul_reduce_16_1_16(%x: tensor<16x1xf32>, %y: tensor<1x16xf32>) -> tensor<16x16xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<16x1xf32> -> tensor<16x1x1xf32>
  %b = tt.broadcast %a : tensor<16x1x1xf32> -> tensor<16x1x16xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<1x16xf32> -> tensor<1x1x16xf32>
  %d = tt.broadcast %c : tensor<1x1x16xf32> -> tensor<16x1x16xf32>
  %e = arith.mulf %b, %d : tensor<16x1x16xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x1x16xf32>) -> tensor<16x16xf32>
  tt.return %f : tensor<16x16xf32>
}

tt.func public @mul_reduce_without_expand(%x: tensor<16x32x1xf32>, %y: tensor<1x32x16xf32>) -> tensor<16x16xf32> {
  %b = tt.broadcast %x : tensor<16x32x1xf32> -> tensor<16x32x16xf32>
  %d = tt.broadcast %y : tensor<1x32x16xf32> -> tensor<16x32x16xf32>
  %e = arith.mulf %b, %d : tensor<16x32x16xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x32x16xf32>) -> tensor<16x16xf32>
  tt.return %f : tensor<16x16xf32>
}

tt.func public @mul_reduce_batched(%x: tensor<2x16x32xf32>, %y: tensor<2x32x16xf32>) -> tensor<2x16x16xf32> {
  %a = tt.expand_dims %x {axis = 3 : i32} : tensor<2x16x32xf32> -> tensor<2x16x32x1xf32>
  %b = tt.broadcast %a : tensor<2x16x32x1xf32> -> tensor<2x16x32x16xf32>
  %c = tt.expand_dims %y {axis = 1 : i32} : tensor<2x32x16xf32> -> tensor<2x1x32x16xf32>
  %d = tt.broadcast %c : tensor<2x1x32x16xf32> -> tensor<2x16x32x16xf32>
  %e = arith.mulf %b, %d : tensor<2x16x32x16xf32>
  %f = "tt.reduce"(%e) <{axis = 2 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<2x16x32x16xf32>) -> tensor<2x16x16xf32>
  tt.return %f : tensor<2x16x16xf32>
}

tt.func public @mul_reduce_yielded_otherwise(%x: tensor<16x32xf32>, %y: tensor<32x16xf32>) -> tensor<16x16xf32> {
  %a = tt.expand_dims %x {axis = 2 : i32} : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %b = tt.broadcast %a : tensor<16x32x1xf32> -> tensor<16x32x16xf32>
  %c = tt.expand_dims %y {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %d = tt.broadcast %c : tensor<1x32x16xf32> -> tensor<16x32x16xf32>
  %e = arith.mulf %b, %d : tensor<16x32x16xf32>
  %f = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.maximumf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x32x16xf32>) -> tensor<16x16xf32>
  tt.return %f : tensor<16x16xf32>
}
