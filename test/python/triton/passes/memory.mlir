// Accesses under constant masks, unused values, addresses, and control flow.

tt.func public @load_under_true(%p: tensor<64x!tt.ptr<f32>>, %o: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %t = arith.constant dense<true> : tensor<64xi1>
  %x = tt.load %p, %t : tensor<64x!tt.ptr<f32>>
  %y = tt.load %p, %t, %o {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  tt.return %x, %y : tensor<64xf32>, tensor<64xf32>
}

tt.func public @load_under_false(%p: tensor<64x!tt.ptr<f32>>, %o: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %t = arith.constant dense<false> : tensor<64xi1>
  %x = tt.load %p, %t, %o : tensor<64x!tt.ptr<f32>>
  %y = tt.load %p, %t, %o {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  tt.return %x, %y : tensor<64xf32>, tensor<64xf32>
}

tt.func public @load_under_false_of_nothing(%p: tensor<64x!tt.ptr<f32>>) -> (tensor<64xf32>) {
  %t = arith.constant dense<false> : tensor<64xi1>
  %x = tt.load %p, %t : tensor<64x!tt.ptr<f32>>
  tt.return %x : tensor<64xf32>
}

tt.func public @scalar_masks(%p: !tt.ptr<f32>, %o: f32) -> (f32, f32) {
  %t = arith.constant true
  %f = arith.constant false
  %x = tt.load %p, %t, %o : !tt.ptr<f32>
  %y = tt.load %p, %f, %o : !tt.ptr<f32>
  tt.store %p, %x, %t : !tt.ptr<f32>
  tt.store %p, %x, %f : !tt.ptr<f32>
  tt.return %x, %y : f32, f32
}

tt.func public @stores(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) {
  %t = arith.constant dense<true> : tensor<64xi1>
  %f = arith.constant dense<false> : tensor<64xi1>
  tt.store %p, %x, %t : tensor<64x!tt.ptr<f32>>
  tt.store %p, %x, %f : tensor<64x!tt.ptr<f32>>
  tt.return
}

tt.func public @splatted_masks(%p: tensor<64x!tt.ptr<f32>>, %x: tensor<64xf32>) {
  %true = arith.constant true
  %t = tt.splat %true : i1 -> tensor<64xi1>
  tt.store %p, %x, %t : tensor<64x!tt.ptr<f32>>
  tt.return
}

tt.func public @atomic_stores(%p: tensor<64x!tt.ptr<i32>>, %x: tensor<64xi32>) {
  %t = arith.constant dense<true> : tensor<64xi1>
  %f = arith.constant dense<false> : tensor<64xi1>
  tt.atomic_store release, gpu, %p, %x, %t : tensor<64x!tt.ptr<i32>>
  tt.atomic_store release, gpu, %p, %x, %f : tensor<64x!tt.ptr<i32>>
  tt.return
}

tt.func public @atomic_loads(%p: tensor<64x!tt.ptr<i32>>) -> (tensor<64xi32>, tensor<64xi32>) {
  %t = arith.constant dense<true> : tensor<64xi1>
  %f = arith.constant dense<false> : tensor<64xi1>
  %x = tt.atomic_load acquire, gpu, %p, %t : (tensor<64x!tt.ptr<i32>>, tensor<64xi1>) -> tensor<64xi32>
  %y = tt.atomic_load acquire, gpu, %p, %f : (tensor<64x!tt.ptr<i32>>, tensor<64xi1>) -> tensor<64xi32>
  tt.return %x, %y : tensor<64xi32>, tensor<64xi32>
}

tt.func public @rmw(%p: tensor<64x!tt.ptr<i32>>, %v: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>) {
  %t = arith.constant dense<true> : tensor<64xi1>
  %f = arith.constant dense<false> : tensor<64xi1>
  %x = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %t : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  %y = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %f : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  tt.return %x, %y : tensor<64xi32>, tensor<64xi32>
}

tt.func public @unused(%p: tensor<64x!tt.ptr<i32>>, %v: tensor<64xi32>, %q: !tt.ptr<i32>, %c: i32) {
  %x = tt.load %p : tensor<64x!tt.ptr<i32>>
  %y = tt.load %p {isVolatile = true} : tensor<64x!tt.ptr<i32>>
  %z = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %w = tt.atomic_cas acq_rel, gpu, %q, %c, %c : (!tt.ptr<i32>, i32, i32) -> i32
  %h = tt.histogram %v : tensor<64xi32> -> tensor<16xi32>
  %s = tt.atomic_load acquire, gpu, %q : (!tt.ptr<i32>) -> i32
  %e = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_abs"} : (tensor<64xi32>) -> tensor<64xi32>
  %i = tt.extern_elementwise %v {libname = "", libpath = "", pure = false, symbol = "__nv_abs"} : (tensor<64xi32>) -> tensor<64xi32>
  %a = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %v : tensor<64xi32> -> tensor<64xi32>
  %b = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %v : tensor<64xi32> -> tensor<64xi32>
  %m = tt.get_program_id x : i32
  %n = tt.get_num_programs y : i32
  tt.return
}

tt.func public @unused_regions(%v: tensor<64xi32>, %p: !tt.ptr<i32>) {
  %x = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %z = arith.addi %a, %b : i32
    tt.reduce.return %z : i32
  }) : (tensor<64xi32>) -> i32
  %y = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %z = arith.addi %a, %b : i32
    tt.scan.return %z : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  %w = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %z = arith.addi %a, %a : i32
    tt.map_elementwise.return %z : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return
}

tt.func public @addresses(%p: !tt.ptr<f32>, %b: tensor<4x!tt.ptr<f32>>, %i: i32) -> (!tt.ptr<f32>, tensor<4x!tt.ptr<f32>>, !tt.ptr<f32>, tensor<4x!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c0_64 = arith.constant 0 : i64
  %z = arith.constant dense<0> : tensor<4xi32>
  %c1 = arith.constant 1 : i32
  %w = tt.addptr %p, %c0 : !tt.ptr<f32>, i32
  %x = tt.addptr %b, %z : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %y = tt.addptr %p, %c0_64 : !tt.ptr<f32>, i64
  %s = tt.splat %c0 : i32 -> tensor<4xi32>
  %v = tt.addptr %b, %s : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.return %w, %x, %y, %v : !tt.ptr<f32>, tensor<4x!tt.ptr<f32>>, !tt.ptr<f32>, tensor<4x!tt.ptr<f32>>
}

tt.func public @address_casts(%p: !tt.ptr<f32>, %i: i64, %b: tensor<4x!tt.ptr<f32>>) -> (!tt.ptr<f32>, !tt.ptr<i8>, i64, tensor<4x!tt.ptr<i8>>) {
  %a = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %c = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  %d = tt.int_to_ptr %a : i64 -> !tt.ptr<i8>
  %e = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  %f = tt.ptr_to_int %e : !tt.ptr<f32> -> i64
  %g = tt.ptr_to_int %b : tensor<4x!tt.ptr<f32>> -> tensor<4xi64>
  %h = tt.int_to_ptr %g : tensor<4xi64> -> tensor<4x!tt.ptr<i8>>
  tt.return %c, %d, %f, %h : !tt.ptr<f32>, !tt.ptr<i8>, i64, tensor<4x!tt.ptr<i8>>
}

tt.func public @bitcasts(%p: !tt.ptr<f32>, %x: f32) -> (!tt.ptr<f32>, !tt.ptr<i8>, f32) {
  %a = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32>
  %b = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i16>
  %c = tt.bitcast %b : !tt.ptr<i16> -> !tt.ptr<i8>
  %d = tt.bitcast %x : f32 -> i32
  %e = tt.bitcast %d : i32 -> f32
  tt.return %a, %c, %e : !tt.ptr<f32>, !tt.ptr<i8>, f32
}

tt.func public @bitcast_of_constant() -> (i32) {
  %x = arith.constant 1.0 : f32
  %d = tt.bitcast %x : f32 -> i32
  tt.return %d : i32
}

tt.func public @asserts(%c: i1, %b: tensor<8xi1>) {
  %true = arith.constant true
  %t = arith.constant dense<true> : tensor<8xi1>
  tt.assert %true, "one" : i1
  tt.assert %t, "two" : tensor<8xi1>
  tt.assert %c, "three" : i1
  tt.return
}

tt.func public @loops(%n: i32, %p: !tt.ptr<f32>, %x: f32) -> (f32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %c4, %d = %c0) -> (f32, i32, i32) : i32 {
    %e = arith.addf %a, %a : f32
    %f = arith.addi %d, %c1 : i32
    scf.yield %e, %b, %f : f32, i32, i32
  } {tt.num_stages = 2 : i32}
  scf.for %i = %c0 to %c0 step %c1 : i32 {
    tt.store %p, %x : !tt.ptr<f32>
  }
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    tt.store %p, %r#0 : !tt.ptr<f32>
  }
  tt.return %r#0, %r#1 : f32, i32
}

tt.func public @ifs(%c: i1, %p: !tt.ptr<f32>, %x: f32, %y: f32) -> (f32, f32, i32, tensor<4xf32>) {
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = scf.if %true -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  %b = scf.if %c -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  %d = scf.if %c -> i32 {
    scf.yield %c1 : i32
  } else {
    tt.store %p, %x : !tt.ptr<f32>
    scf.yield %c2 : i32
  }
  %k = tt.splat %x : f32 -> tensor<4xf32>
  %l = tt.splat %y : f32 -> tensor<4xf32>
  %e = scf.if %c -> tensor<4xf32> {
    scf.yield %k : tensor<4xf32>
  } else {
    scf.yield %l : tensor<4xf32>
  }
  tt.return %a, %b, %d, %e : f32, f32, i32, tensor<4xf32>
}

tt.func public @whiles(%n: i32) -> (i32) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %r:2 = scf.while (%i = %c0, %k = %n) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %i, %k : i32
    scf.condition(%c) %i, %k : i32, i32
  } do {
  ^bb0(%i: i32, %k: i32):
    %j = arith.addi %i, %c1 : i32
    scf.yield %j, %k : i32, i32
  }
  tt.return %r#0 : i32
}

tt.func public @descriptors(%p: !tt.ptr<f32>, %n: i32) -> (tensor<1x8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%c8, %c1] : <f32>, <1x8xf32>
  %u = tt.make_tensor_descriptor %p, [%n, %n], [%c8, %c1] : <f32>, <1x8xf32>
  %x = tt.descriptor_load %d[%c0, %n] : !tt.tensordesc<1x8xf32> -> tensor<1x8xf32>
  %y = tt.reshape %x : tensor<1x8xf32> -> tensor<8xf32>
  %z = tt.descriptor_load %d[%c0, %n] : !tt.tensordesc<1x8xf32> -> tensor<1x8xf32>
  tt.return %x, %y : tensor<1x8xf32>, tensor<8xf32>
}

tt.func public @calls(%x: f32) -> f32 {
  %a = tt.call @unused_result(%x) : (f32) -> f32
  tt.return %x : f32
}
tt.func private @unused_result(%x: f32) -> f32 {
  tt.return %x : f32
}
tt.func private @uncalled(%x: f32) -> f32 {
  tt.return %x : f32
}

tt.func public @branches(%c: i1, %x: f32, %p: !tt.ptr<f32>) {
  %true = arith.constant true
  cf.cond_br %true, ^a, ^b
^a:
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
^b:
  tt.return
}
