// Elementwise ops on broadcast blocks.

tt.func public @splats(%a: f32, %b: f32, %c: i1) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi1>) {
  %x = tt.splat %a : f32 -> tensor<8xf32>
  %y = tt.splat %b : f32 -> tensor<8xf32>
  %m = tt.splat %c : i1 -> tensor<8xi1>
  %k = arith.constant dense<2.0> : tensor<8xf32>
  %u = arith.addf %x, %y : tensor<8xf32>
  %v = math.exp %u : tensor<8xf32>
  %w = arith.mulf %v, %k fastmath<fast> : tensor<8xf32>
  %s = arith.select %m, %x, %y : tensor<8xi1>, tensor<8xf32>
  %q = arith.cmpf olt, %x, %y : tensor<8xf32>
  tt.return %v, %w, %s, %q : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi1>
}

tt.func public @only_constants() -> (tensor<8xf32>) {
  %k = arith.constant dense<2.0> : tensor<8xf32>
  %v = math.erf %k : tensor<8xf32>
  tt.return %v : tensor<8xf32>
}

tt.func public @repeated_broadcasts(%a: tensor<8x1xf32>, %b: tensor<8x1xf32>, %c: tensor<1x4xf32>, %s: f32, %d: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %x = tt.broadcast %a : tensor<8x1xf32> -> tensor<8x4xf32>
  %y = tt.broadcast %b : tensor<8x1xf32> -> tensor<8x4xf32>
  %z = tt.broadcast %c : tensor<1x4xf32> -> tensor<8x4xf32>
  %t = tt.splat %s : f32 -> tensor<8x4xf32>
  %k = arith.constant dense<2.0> : tensor<8x4xf32>
  %u = arith.addf %x, %y : tensor<8x4xf32>
  %v = arith.addf %x, %z : tensor<8x4xf32>
  %w = arith.addf %x, %t : tensor<8x4xf32>
  %q = arith.addf %x, %k : tensor<8x4xf32>
  %r = arith.addf %x, %d : tensor<8x4xf32>
  tt.return %u, %v, %w, %q, %r : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

tt.func public @three_operands(%a: tensor<8x1xf32>, %s: f32) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %x = tt.broadcast %a : tensor<8x1xf32> -> tensor<8x4xf32>
  %t = tt.splat %s : f32 -> tensor<8x4xf32>
  %k = arith.constant dense<2.0> : tensor<8x4xf32>
  %u = math.fma %x, %t, %k : tensor<8x4xf32>
  %v = tt.clampf %x, %t, %k, propagateNan = all : tensor<8x4xf32>
  tt.return %u, %v : tensor<8x4xf32>, tensor<8x4xf32>
}

tt.func public @constant_not_one(%a: f32) -> (tensor<4xf32>) {
  %x = tt.splat %a : f32 -> tensor<4xf32>
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %u = arith.addf %x, %k : tensor<4xf32>
  tt.return %u : tensor<4xf32>
}

tt.func public @repeated_pointers(%p: !tt.ptr<f32>, %i: i32, %b: tensor<8x1xi32>) -> (tensor<8x4x!tt.ptr<f32>>, tensor<8x4x!tt.ptr<f32>>, tensor<8x4x!tt.ptr<i8>>, tensor<8x4xi64>) {
  %x = tt.splat %p : !tt.ptr<f32> -> tensor<8x4x!tt.ptr<f32>>
  %j = tt.splat %i : i32 -> tensor<8x4xi32>
  %u = tt.addptr %x, %j : tensor<8x4x!tt.ptr<f32>>, tensor<8x4xi32>
  %k = tt.broadcast %b : tensor<8x1xi32> -> tensor<8x4xi32>
  %v = tt.addptr %x, %k : tensor<8x4x!tt.ptr<f32>>, tensor<8x4xi32>
  %w = tt.bitcast %x : tensor<8x4x!tt.ptr<f32>> -> tensor<8x4x!tt.ptr<i8>>
  %y = tt.ptr_to_int %x : tensor<8x4x!tt.ptr<f32>> -> tensor<8x4xi64>
  tt.return %u, %v, %w, %y : tensor<8x4x!tt.ptr<f32>>, tensor<8x4x!tt.ptr<f32>>, tensor<8x4x!tt.ptr<i8>>, tensor<8x4xi64>
}

tt.func public @externs(%p: f32, %b: tensor<8x1xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %x = tt.splat %p : f32 -> tensor<8x4xf32>
  %y = tt.broadcast %b : tensor<8x1xf32> -> tensor<8x4xf32>
  %u = tt.extern_elementwise %x, %y {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %v = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "__nv_expf"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %w = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<8x4xf32> -> tensor<8x4xf32>
  %z = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %y : tensor<8x4xf32> -> tensor<8x4xf32>
  tt.return %u, %v, %w, %z : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

tt.func public @packed_assembly(%p: i8) -> (tensor<8xi8>) {
  %x = tt.splat %p : i8 -> tensor<8xi8>
  %w = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x : tensor<8xi8> -> tensor<8xi8>
  tt.return %w : tensor<8xi8>
}

tt.func public @two_results(%p: i32) -> (tensor<8xi32>, tensor<8xi32>) {
  %x = tt.splat %p : i32 -> tensor<8xi32>
  %lo, %hi = arith.mulsi_extended %x, %x : tensor<8xi32>
  tt.return %lo, %hi : tensor<8xi32>, tensor<8xi32>
}

tt.func public @casts(%p: i32, %b: tensor<8x1xi32>, %h: f32) -> (tensor<8x4xi64>, tensor<8x4xf32>, tensor<8x4xf16>, tensor<8x4xf8E5M2>) {
  %x = tt.splat %p : i32 -> tensor<8x4xi32>
  %y = tt.broadcast %b : tensor<8x1xi32> -> tensor<8x4xi32>
  %f = tt.splat %h : f32 -> tensor<8x4xf32>
  %u = arith.extsi %x : tensor<8x4xi32> to tensor<8x4xi64>
  %v = arith.sitofp %y : tensor<8x4xi32> to tensor<8x4xf32>
  %w = arith.truncf %f : tensor<8x4xf32> to tensor<8x4xf16>
  %z = tt.fp_to_fp %f, rounding = rtne : tensor<8x4xf32> -> tensor<8x4xf8E5M2>
  tt.return %u, %v, %w, %z : tensor<8x4xi64>, tensor<8x4xf32>, tensor<8x4xf16>, tensor<8x4xf8E5M2>
}

tt.func public @scalar_condition(%c: i1, %a: f32, %b: f32, %r: tensor<8x1xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
  %x = tt.splat %a : f32 -> tensor<8xf32>
  %y = tt.splat %b : f32 -> tensor<8xf32>
  %u = arith.select %c, %x, %y : tensor<8xf32>
  %p = tt.broadcast %r : tensor<8x1xf32> -> tensor<8x4xf32>
  %q = tt.splat %b : f32 -> tensor<8x4xf32>
  %v = arith.select %c, %p, %q : tensor<8x4xf32>
  tt.return %u, %v : tensor<8xf32>, tensor<8x4xf32>
}

tt.func public @repeated_loads(%p: !tt.ptr<f32>, %c: i1) -> (tensor<8xf32>) {
  %x = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %u = tt.load %x : tensor<8x!tt.ptr<f32>>
  tt.return %u : tensor<8xf32>
}

tt.func public @not_elementwise(%a: f32, %z: tensor<16x16xf32>) -> (tensor<16xf32>, tensor<16x16xf32>, tensor<32xf32>) {
  %x = tt.splat %a : f32 -> tensor<16x16xf32>
  %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %d = tt.dot %x, %x, %z : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %y = tt.splat %a : f32 -> tensor<16xf32>
  %c = tt.cat %y, %y : tensor<16xf32> -> tensor<32xf32>
  tt.return %r, %d, %c : tensor<16xf32>, tensor<16x16xf32>, tensor<32xf32>
}

tt.func public @shapes(%a: tensor<8xf32>, %s: f32) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %x = tt.expand_dims %a {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %y = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  %z = tt.splat %s : f32 -> tensor<8xf32>
  %w = tt.expand_dims %z {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %v = tt.broadcast %w : tensor<8x1xf32> -> tensor<8x4xf32>
  %u = arith.mulf %y, %v : tensor<8x4xf32>
  %t = arith.mulf %u, %u : tensor<8x4xf32>
  %q = arith.addf %t, %y : tensor<8x4xf32>
  tt.return %u, %t, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

tt.func public @two_steps(%a: tensor<1x1xf32>, %b: tensor<8x1xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %x = tt.broadcast %a : tensor<1x1xf32> -> tensor<8x1xf32>
  %y = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  %z = tt.broadcast %b : tensor<8x1xf32> -> tensor<8x4xf32>
  %u = arith.mulf %y, %z : tensor<8x4xf32>
  %v = arith.mulf %y, %y : tensor<8x4xf32>
  tt.return %u, %v : tensor<8x4xf32>, tensor<8x4xf32>
}

tt.func public @repeated_hints(%s: i32) -> tensor<8xi32> {
  %z = tt.splat %s : i32 -> tensor<8xi32>
  %k = arith.constant dense<2> : tensor<8xi32>
  %u = arith.muli %z, %k {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<8xi32>
  tt.return %u : tensor<8xi32>
}

tt.func public @dead(%s: i32, %t: tensor<8xi32>) -> tensor<8xi32> {
  %z = tt.splat %s : i32 -> tensor<8xi32>
  %u = arith.muli %z, %z : tensor<8xi32>
  %c0 = arith.constant dense<0> : tensor<8xi32>
  %v = arith.addi %t, %c0 : tensor<8xi32>
  tt.return %v : tensor<8xi32>
}

tt.func public @map(%s: i32) -> tensor<8xi32> {
  %z = tt.splat %s : i32 -> tensor<8xi32>
  %w = "tt.map_elementwise"(%z) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %y = arith.addi %a, %a : i32
    tt.map_elementwise.return %y : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return %w : tensor<8xi32>
}
