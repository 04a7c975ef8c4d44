// Blocks that are created, reshaped and computed with.

tt.func public @broadcasts(%x: tensor<1x1xf32>, %s: f32) -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<1x1xf32>) {
  %a = tt.broadcast %x : tensor<1x1xf32> -> tensor<16x1xf32>
  %b = tt.broadcast %a : tensor<16x1xf32> -> tensor<16x4xf32>
  %c = tt.splat %s : f32 -> tensor<16x1xf32>
  %d = tt.broadcast %c : tensor<16x1xf32> -> tensor<16x4xf32>
  %e = tt.broadcast %x : tensor<1x1xf32> -> tensor<1x1xf32>
  tt.return %b, %d, %e : tensor<16x4xf32>, tensor<16x4xf32>, tensor<1x1xf32>
}

tt.func public @expand_of_broadcast(%x: tensor<1x4xf32>) -> (tensor<16x1x4xf32>) {
  %a = tt.broadcast %x : tensor<1x4xf32> -> tensor<16x4xf32>
  %b = tt.expand_dims %a {axis = 1 : i32} : tensor<16x4xf32> -> tensor<16x1x4xf32>
  tt.return %b : tensor<16x1x4xf32>
}

tt.func public @expand_of_splat(%s: f32) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %a = tt.splat %s : f32 -> tensor<4xf32>
  %b = tt.expand_dims %a {axis = 0 : i32} : tensor<4xf32> -> tensor<1x4xf32>
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %d = tt.expand_dims %c {axis = 0 : i32} : tensor<4xf32> -> tensor<1x4xf32>
  tt.return %b, %d : tensor<1x4xf32>, tensor<1x4xf32>
}

tt.func public @reshapes(%x: tensor<16x4xf32>, %s: f32) -> (tensor<64xf32>, tensor<64xf32>, tensor<16x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %a = tt.reshape %x : tensor<16x4xf32> -> tensor<4x16xf32>
  %b = tt.reshape %a : tensor<4x16xf32> -> tensor<64xf32>
  %c = tt.splat %s : f32 -> tensor<16x4xf32>
  %d = tt.reshape %c : tensor<16x4xf32> -> tensor<64xf32>
  %e = tt.reshape %x : tensor<16x4xf32> -> tensor<16x4xf32>
  %f = tt.reshape %a allow_reorder : tensor<4x16xf32> -> tensor<8x8xf32>
  %g = tt.reshape %x allow_reorder : tensor<16x4xf32> -> tensor<4x16xf32>
  %h = tt.reshape %g : tensor<4x16xf32> -> tensor<8x8xf32>
  %i = tt.reshape %a allow_reorder efficient_layout : tensor<4x16xf32> -> tensor<8x8xf32>
  tt.return %b, %d, %e, %f, %h, %i : tensor<64xf32>, tensor<64xf32>, tensor<16x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

tt.func public @reshape_of_same_with_reorder(%x: tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %e = tt.reshape %x allow_reorder : tensor<16x4xf32> -> tensor<16x4xf32>
  %f = tt.reshape %x efficient_layout : tensor<16x4xf32> -> tensor<16x4xf32>
  tt.return %e, %f : tensor<16x4xf32>, tensor<16x4xf32>
}

tt.func public @reshape_of_constant() -> (tensor<4xi32>, tensor<2x2xi32>) {
  %a = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = tt.reshape %a : tensor<2x2xi32> -> tensor<4xi32>
  %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %d = tt.reshape %c allow_reorder : tensor<4xi32> -> tensor<2x2xi32>
  tt.return %b, %d : tensor<4xi32>, tensor<2x2xi32>
}

tt.func public @reshape_of_expand(%x: tensor<16x4xf32>) -> (tensor<64xf32>) {
  %a = tt.expand_dims %x {axis = 1 : i32} : tensor<16x4xf32> -> tensor<16x1x4xf32>
  %b = tt.reshape %a : tensor<16x1x4xf32> -> tensor<64xf32>
  tt.return %b : tensor<64xf32>
}

tt.func public @transpositions(%x: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<4x8x2xf32>) {
  %a = tt.trans %x {order = array<i32: 0, 1, 2>} : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  %b = tt.trans %x {order = array<i32: 2, 1, 0>} : tensor<2x4x8xf32> -> tensor<8x4x2xf32>
  %c = tt.trans %b {order = array<i32: 2, 1, 0>} : tensor<8x4x2xf32> -> tensor<2x4x8xf32>
  %d = tt.trans %b {order = array<i32: 1, 0, 2>} : tensor<8x4x2xf32> -> tensor<4x8x2xf32>
  tt.return %a, %c, %d : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<4x8x2xf32>
}

tt.func public @trans_of_splat(%s: f32) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %a = tt.splat %s : f32 -> tensor<4x8xf32>
  %b = tt.trans %a {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %c = arith.constant dense<2.0> : tensor<4x8xf32>
  %d = tt.trans %c {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  tt.return %b, %d : tensor<8x4xf32>, tensor<8x4xf32>
}

tt.func public @float_conversions() -> (f8E5M2, f16, tensor<4xf8E4M3FN>, f16) {
  %x = arith.constant 1.1 : f32
  %h = arith.constant 1.5 : f16
  %b = arith.constant dense<3.3> : tensor<4xf32>
  %r = arith.constant 1.0009765625 : f32
  %c = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E5M2
  %e = tt.fp_to_fp %c : f8E5M2 -> f16
  %f = tt.fp_to_fp %b, rounding = rtne : tensor<4xf32> -> tensor<4xf8E4M3FN>
  %g = tt.fp_to_fp %x, rounding = rtz : f32 -> f16
  tt.return %c, %e, %f, %g : f8E5M2, f16, tensor<4xf8E4M3FN>, f16
}

tt.func public @float_conversion_same(%x: f16) -> f16 {
  %a = tt.fp_to_fp %x : f16 -> f16
  tt.return %a : f16
}

tt.func public @halves(%x: tensor<4xi32>, %y: tensor<4xi32>, %p: tensor<4x2xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4x2xi32>, tensor<4x2xi32>) {
  %a = tt.join %x, %y : tensor<4xi32> -> tensor<4x2xi32>
  %b, %c = tt.split %a : tensor<4x2xi32> -> tensor<4xi32>
  %d, %e = tt.split %p : tensor<4x2xi32> -> tensor<4xi32>
  %f = tt.join %d, %e : tensor<4xi32> -> tensor<4x2xi32>
  %g = tt.join %e, %d : tensor<4xi32> -> tensor<4x2xi32>
  tt.return %b, %c, %f, %g : tensor<4xi32>, tensor<4xi32>, tensor<4x2xi32>, tensor<4x2xi32>
}

tt.func public @halves_of_splats(%s: i32) -> (tensor<4xi32>, tensor<4xi32>, tensor<4x2xi32>) {
  %a = tt.splat %s : i32 -> tensor<4x2xi32>
  %b, %c = tt.split %a : tensor<4x2xi32> -> tensor<4xi32>
  %t = tt.splat %s : i32 -> tensor<4xi32>
  %d = tt.join %t, %t : tensor<4xi32> -> tensor<4x2xi32>
  tt.return %b, %c, %d : tensor<4xi32>, tensor<4xi32>, tensor<4x2xi32>
}

tt.func public @range_of_one() -> (tensor<1xi32>) {
  %a = tt.make_range {end = 8 : i32, start = 7 : i32} : tensor<1xi32>
  tt.return %a : tensor<1xi32>
}

tt.func public @splat_of_constant() -> (tensor<8xi32>, tensor<8xf32>, tensor<8xi1>) {
  %c = arith.constant 3 : i32
  %d = arith.constant 3.0 : f32
  %t = arith.constant true
  %a = tt.splat %c : i32 -> tensor<8xi32>
  %b = tt.splat %d : f32 -> tensor<8xf32>
  %e = tt.splat %t : i1 -> tensor<8xi1>
  tt.return %a, %b, %e : tensor<8xi32>, tensor<8xf32>, tensor<8xi1>
}

tt.func public @unsplat(%x: tensor<1xf32>, %s: f32) -> (f32, f32) {
  %a = tt.unsplat %x : tensor<1xf32>
  %b = tt.splat %s : f32 -> tensor<1xf32>
  %c = tt.unsplat %b : tensor<1xf32>
  tt.return %a, %c : f32, f32
}

tt.func public @select_of_splat(%c: i1, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %a = arith.select %m, %x, %y : tensor<8xi1>, tensor<8xf32>
  tt.return %a : tensor<8xf32>
}

tt.func public @gather_cat(%x: tensor<8xf32>, %y: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<16xf32>, tensor<8xf32>) {
  %a = tt.cat %x, %y : tensor<8xf32> -> tensor<16xf32>
  %b = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  tt.return %a, %b : tensor<16xf32>, tensor<8xf32>
}

tt.func public @cat_of_splats(%s: f32) -> (tensor<16xf32>, tensor<16xf32>) {
  %t = tt.splat %s : f32 -> tensor<8xf32>
  %a = tt.cat %t, %t : tensor<8xf32> -> tensor<16xf32>
  %k = arith.constant dense<1.0> : tensor<8xf32>
  %b = tt.cat %k, %k : tensor<8xf32> -> tensor<16xf32>
  tt.return %a, %b : tensor<16xf32>, tensor<16xf32>
}

tt.func public @others(%x: tensor<8xf32>, %a: i32) -> (i32, tensor<8xf32>, f32, f32, i32) {
  %c = arith.constant 2 : i32
  %m = tt.mulhiui %c, %c : i32
  %lo = arith.constant 0.0 : f32
  %hi = arith.constant 1.0 : f32
  %v = arith.constant 7.0 : f32
  %k = tt.clampf %v, %lo, %hi, propagateNan = none : f32
  %q = tt.precise_sqrt %v : f32
  %k8 = tt.splat %v : f32 -> tensor<8xf32>
  %d = tt.precise_divf %x, %k8 : tensor<8xf32>
  %z = arith.constant 0 : i32
  %n = tt.mulhiui %a, %z : i32
  tt.return %m, %d, %k, %q, %n : i32, tensor<8xf32>, f32, f32, i32
}

tt.func public @dots(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %z, %a, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}
