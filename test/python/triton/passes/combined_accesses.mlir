// Addresses with two offsets, loads and selects by their mask, and blocks reshaped for one use.

tt.func public @addptrs(%p: !tt.ptr<f32>, %i: i64, %j: i64) -> !tt.ptr<f32> {
  %a = tt.addptr %p, %i : !tt.ptr<f32>, i64
  %b = tt.addptr %a, %j : !tt.ptr<f32>, i64
  tt.return %b : !tt.ptr<f32>
}

tt.func public @addptrs_narrow(%p: !tt.ptr<f32>, %i: i32, %j: i32) -> !tt.ptr<f32> {
  %a = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %b = tt.addptr %a, %j : !tt.ptr<f32>, i32
  tt.return %b : !tt.ptr<f32>
}

tt.func public @addptrs_mixed(%p: !tt.ptr<f32>, %i: i32, %j: i64) -> !tt.ptr<f32> {
  %a = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %b = tt.addptr %a, %j : !tt.ptr<f32>, i64
  tt.return %b : !tt.ptr<f32>
}

tt.func public @addptrs_constants(%p: !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %i = arith.constant 10 : i32
  %j = arith.constant 15 : i32
  %m = arith.constant 2147483647 : i32
  %a = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %b = tt.addptr %a, %j : !tt.ptr<f32>, i32
  %c = tt.addptr %a, %m : !tt.ptr<f32>, i32
  tt.return %b, %c : !tt.ptr<f32>, !tt.ptr<f32>
}

tt.func public @addptrs_blocks(%p: tensor<8x!tt.ptr<f32>>, %s: i32) -> (tensor<8x!tt.ptr<f32>>, tensor<8x!tt.ptr<f32>>, tensor<8x!tt.ptr<f32>>) {
  %i = arith.constant dense<10> : tensor<8xi32>
  %c = arith.constant 15 : i32
  %j = tt.splat %c : i32 -> tensor<8xi32>
  %k = tt.splat %s : i32 -> tensor<8xi32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %a = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %b = tt.addptr %a, %j : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %d = tt.addptr %a, %k : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %e = tt.addptr %a, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.return %b, %d, %e : tensor<8x!tt.ptr<f32>>, tensor<8x!tt.ptr<f32>>, tensor<8x!tt.ptr<f32>>
}

tt.func public @addptrs_hints(%p: tensor<8x!tt.ptr<f32>>, %i: tensor<8xi64>, %j: tensor<8xi64>) -> (tensor<8x!tt.ptr<f32>>, tensor<8x!tt.ptr<f32>>) {
  %a = tt.addptr %p, %i {tt.divisibility = dense<8> : tensor<1xi32>} : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %b = tt.addptr %a, %j {tt.divisibility = dense<16> : tensor<1xi32>, tt.contiguity = dense<4> : tensor<1xi32>, tt.constancy = dense<1> : tensor<1xi32>} : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %c = tt.addptr %p, %j {tt.divisibility = dense<8> : tensor<1xi32>} : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %d = tt.addptr %c, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  tt.return %b, %d : tensor<8x!tt.ptr<f32>>, tensor<8x!tt.ptr<f32>>
}

tt.func public @addptrs_shared(%p: !tt.ptr<f32>, %i: i64, %j: i64) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %a = tt.addptr %p, %i : !tt.ptr<f32>, i64
  %b = tt.addptr %a, %j : !tt.ptr<f32>, i64
  tt.return %a, %b : !tt.ptr<f32>, !tt.ptr<f32>
}

tt.func public @addptrs_chain(%p: !tt.ptr<f32>, %i: i64, %j: i64) -> !tt.ptr<f32> {
  %a = tt.addptr %p, %i : !tt.ptr<f32>, i64
  %b = tt.addptr %a, %j : !tt.ptr<f32>, i64
  %c = tt.addptr %b, %j : !tt.ptr<f32>, i64
  tt.return %c : !tt.ptr<f32>
}

tt.func public @select_load(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> tensor<8xf32> {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %y = arith.select %c, %x, %o : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @select_load_with_other(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> tensor<8xf32> {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %x = tt.load %p, %m, %z {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : tensor<8x!tt.ptr<f32>>
  %y = arith.select %c, %x, %o : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @select_load_used_twice(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %y = arith.select %c, %x, %o : tensor<8xf32>
  tt.return %y, %x : tensor<8xf32>, tensor<8xf32>
}

tt.func public @select_load_volatile(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> (tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %y = arith.select %c, %x, %o : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @select_load_across_a_store(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> (tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.store %p, %o : tensor<8x!tt.ptr<f32>>
  %y = arith.select %c, %x, %o : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @select_load_block_mask(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) -> (tensor<8xf32>) {
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %y = arith.select %m, %x, %o : tensor<8xi1>, tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @select_load_scalar(%p: !tt.ptr<f32>, %m: i1, %o: f32) -> (f32) {
  %x = tt.load %p, %m : !tt.ptr<f32>
  %y = arith.select %m, %x, %o : f32
  tt.return %y : f32
}

tt.func public @select_load_splat_block(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> tensor<8xf32> {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %y = arith.select %m, %x, %o : tensor<8xi1>, tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @select_load_false_side(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> tensor<8xf32> {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %y = arith.select %c, %o, %x : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @reshape_reduced(%x: tensor<16x4xf32>) -> f32 {
  %a = tt.reshape %x : tensor<16x4xf32> -> tensor<64xf32>
  %f = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %f : f32
}

tt.func public @reshape_reduced_and_used(%x: tensor<16x4xf32>) -> (f32, tensor<64xf32>) {
  %a = tt.reshape %x : tensor<16x4xf32> -> tensor<64xf32>
  %f = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %f, %a : f32, tensor<64xf32>
}

tt.func public @reshape_reduced_two_dimensions(%x: tensor<64xf32>) -> tensor<4xf32> {
  %a = tt.reshape %x : tensor<64xf32> -> tensor<16x4xf32>
  %f = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x4xf32>) -> tensor<4xf32>
  tt.return %f : tensor<4xf32>
}

tt.func public @reshape_counted(%x: tensor<16x4xi32>) -> tensor<16xi32> {
  %a = tt.reshape %x : tensor<16x4xi32> -> tensor<64xi32>
  %f = tt.histogram %a : tensor<64xi32> -> tensor<16xi32>
  tt.return %f : tensor<16xi32>
}

tt.func public @reshape_counted_masked(%x: tensor<16x4xi32>, %m: tensor<64xi1>) -> tensor<16xi32> {
  %a = tt.reshape %x : tensor<16x4xi32> -> tensor<64xi32>
  %f = tt.histogram %a, %m : tensor<64xi32> -> tensor<16xi32>
  tt.return %f : tensor<16xi32>
}

tt.func public @reshape_counted_twice(%x: tensor<16x4xi32>) -> (tensor<16xi32>, tensor<8xi32>) {
  %a = tt.reshape %x : tensor<16x4xi32> -> tensor<64xi32>
  %f = tt.histogram %a : tensor<64xi32> -> tensor<16xi32>
  %g = tt.histogram %a : tensor<64xi32> -> tensor<8xi32>
  tt.return %f, %g : tensor<16xi32>, tensor<8xi32>
}

tt.func public @reshape_two_reduced(%x: tensor<16x4xf32>, %i: tensor<64xi32>) -> (f32, i32) {
  %a = tt.reshape %x : tensor<16x4xf32> -> tensor<64xf32>
  %f:2 = "tt.reduce"(%a, %i) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %r: i32, %q: f32, %t: i32):
    %s = arith.addf %p, %q : f32
    %u = arith.addi %r, %t : i32
    tt.reduce.return %s, %u : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  tt.return %f#0, %f#1 : f32, i32
}

tt.func public @reshape_of_descriptor_load(%p: !tt.ptr<f32>, %n: i32) -> (tensor<8x4xf32>, tensor<1x32xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n, %n], [%c1, %c1, %c1] : <f32>, <1x8x4xf32>
  %x = tt.descriptor_load %d[%c0, %c0, %c0] : !tt.tensordesc<1x8x4xf32> -> tensor<1x8x4xf32>
  %y = tt.reshape %x : tensor<1x8x4xf32> -> tensor<8x4xf32>
  %z = tt.descriptor_load %d[%c0, %c0, %c0] : !tt.tensordesc<1x8x4xf32> -> tensor<1x8x4xf32>
  %w = tt.reshape %z : tensor<1x8x4xf32> -> tensor<1x32xf32>
  tt.return %y, %w : tensor<8x4xf32>, tensor<1x32xf32>
}

tt.func public @reshape_of_descriptor_load_used(%d: !tt.tensordesc<1x8x4xf32>) -> (tensor<8x4xf32>, tensor<1x8x4xf32>) {
  %c0 = arith.constant 0 : i32
  %x = tt.descriptor_load %d[%c0, %c0, %c0] : !tt.tensordesc<1x8x4xf32> -> tensor<1x8x4xf32>
  %y = tt.reshape %x : tensor<1x8x4xf32> -> tensor<8x4xf32>
  tt.return %y, %x : tensor<8x4xf32>, tensor<1x8x4xf32>
}

tt.func public @reshape_to_descriptor_store(%d: !tt.tensordesc<1x8x4xf32>, %x: tensor<8x4xf32>) {
  %c0 = arith.constant 0 : i32
  %y = tt.reshape %x : tensor<8x4xf32> -> tensor<1x8x4xf32>
  tt.descriptor_store %d[%c0, %c0, %c0], %y : !tt.tensordesc<1x8x4xf32>, tensor<1x8x4xf32>
  tt.return
}

tt.func public @reshape_of_descriptor_load_inner(%d: !tt.tensordesc<8x1x4xf32>) -> (tensor<8x4xf32>) {
  %c0 = arith.constant 0 : i32
  %x = tt.descriptor_load %d[%c0, %c0, %c0] : !tt.tensordesc<8x1x4xf32> -> tensor<8x1x4xf32>
  %y = tt.reshape %x : tensor<8x1x4xf32> -> tensor<8x4xf32>
  tt.return %y : tensor<8x4xf32>
}

tt.func public @reshape_of_descriptor_load_one(%d: !tt.tensordesc<1x1x4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  %c0 = arith.constant 0 : i32
  %x = tt.descriptor_load %d[%c0, %c0, %c0] : !tt.tensordesc<1x1x4xf32> -> tensor<1x1x4xf32>
  %y = tt.reshape %x : tensor<1x1x4xf32> -> tensor<4xf32>
  %z = tt.descriptor_load %d[%c0, %c0, %c0] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : !tt.tensordesc<1x1x4xf32> -> tensor<1x1x4xf32>
  %w = tt.reshape %z allow_reorder : tensor<1x1x4xf32> -> tensor<1x4xf32>
  tt.return %y, %w : tensor<4xf32>, tensor<1x4xf32>
}

tt.func public @other_after_the_load(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> (tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %q = arith.mulf %o, %o : tensor<8xf32>
  %y = arith.select %c, %x, %q : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @other_after_a_store(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> (tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.store %p, %o : tensor<8x!tt.ptr<f32>>
  %q = arith.mulf %o, %o : tensor<8xf32>
  %y = arith.select %c, %x, %q : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @other_of_the_load(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> (tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %q = arith.mulf %x, %o : tensor<8xf32>
  %y = arith.select %c, %x, %q : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @other_of_another_load(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8x!tt.ptr<f32>>) -> (tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %q = tt.load %o : tensor<8x!tt.ptr<f32>>
  %y = arith.select %c, %x, %q : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

tt.func public @load_before_a_loop(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>, %n: i32) -> (tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %o) -> tensor<8xf32> : i32 {
    %y = arith.select %c, %x, %a : tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  }
  tt.return %r : tensor<8xf32>
}

tt.func public @select_used_volatile_twice(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %y = arith.select %c, %x, %o : tensor<8xf32>
  tt.return %y, %x : tensor<8xf32>, tensor<8xf32>
}

tt.func public @select_load_hints(%p: tensor<8x!tt.ptr<f32>>, %c: i1, %o: tensor<8xf32>) -> (tensor<8xf32>) {
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %x = tt.load %p, %m {tt.foo = 1 : i32, cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : tensor<8x!tt.ptr<f32>>
  %y = arith.select %c, %x, %o : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}
