// Equal values, also if loops carry them.

tt.func public @equal_commuted(%x: f32, %y: f32, %i: i32, %j: i32) -> (f32, f32, i32, i32) {
  %a = arith.addf %x, %y : f32
  %b = arith.addf %y, %x : f32
  %c = arith.addi %i, %j : i32
  %d = arith.addi %j, %i : i32
  tt.return %a, %b, %c, %d : f32, f32, i32, i32
}

tt.func public @equal_loads(%p: !tt.ptr<f32>, %x: f32) -> (f32, f32, f32) {
  %a = tt.load %p : !tt.ptr<f32>
  %b = tt.load %p : !tt.ptr<f32>
  tt.store %p, %x : !tt.ptr<f32>
  %c = tt.load %p : !tt.ptr<f32>
  tt.return %a, %b, %c : f32, f32, f32
}

tt.func public @equal_volatile_loads(%p: !tt.ptr<f32>, %x: f32) -> (f32, f32) {
  %a = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %b = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  tt.return %a, %b : f32, f32
}

tt.func public @equal_ids() -> (i32, i32, i32, i32, i32) {
  %a = tt.get_program_id x : i32
  %b = tt.get_program_id x : i32
  %c = tt.get_program_id y : i32
  %d = tt.get_num_programs x : i32
  %e = tt.get_num_programs x : i32
  tt.return %a, %b, %c, %d, %e : i32, i32, i32, i32, i32
}

tt.func public @equal_hinted(%p: !tt.ptr<f32>, %i: i32) -> (!tt.ptr<f32>, !tt.ptr<f32>, i32, i32) {
  %a = tt.addptr %p, %i {tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32>, i32
  %b = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %c = arith.addi %i, %i overflow<nsw> : i32
  %d = arith.addi %i, %i : i32
  tt.return %a, %b, %c, %d : !tt.ptr<f32>, !tt.ptr<f32>, i32, i32
}

tt.func public @equal_reductions(%x: tensor<8xf32>) -> (f32, f32, f32) {
  %a = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<8xf32>) -> f32
  %b = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<8xf32>) -> f32
  %c = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    tt.reduce.return %s : f32
  }) : (tensor<8xf32>) -> f32
  tt.return %a, %b, %c : f32, f32, f32
}

tt.func public @equal_effects(%p: tensor<8x!tt.ptr<i32>>, %v: tensor<8xi32>, %d: !tt.tensordesc<8xi32>, %n: i32) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
  %a = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %b = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %e = tt.descriptor_load %d[%n] : !tt.tensordesc<8xi32> -> tensor<8xi32>
  %f = tt.descriptor_load %d[%n] : !tt.tensordesc<8xi32> -> tensor<8xi32>
  %g = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %v : tensor<8xi32> -> tensor<8xi32>
  %h = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %v : tensor<8xi32> -> tensor<8xi32>
  %i = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %v : tensor<8xi32> -> tensor<8xi32>
  %j = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %v : tensor<8xi32> -> tensor<8xi32>
  tt.return %a, %b, %e, %f, %g, %h, %i, %j : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
}

tt.func public @equal_maps(%v: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %a = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%x: i32):
    %z = arith.addi %x, %x : i32
    tt.map_elementwise.return %z : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  %b = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%x: i32):
    %z = arith.addi %x, %x : i32
    tt.map_elementwise.return %z : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return %a, %b : tensor<8xi32>, tensor<8xi32>
}

tt.func public @equal_descriptors(%p: !tt.ptr<f32>, %n: i32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%c1] : <f32>, <8xf32>
  %u = tt.make_tensor_descriptor %p, [%n], [%c1] : <f32>, <8xf32>
  %x = tt.descriptor_load %d[%n] : !tt.tensordesc<8xf32> -> tensor<8xf32>
  %z = tt.descriptor_load %u[%n] : !tt.tensordesc<8xf32> -> tensor<8xf32>
  tt.return %x, %z : tensor<8xf32>, tensor<8xf32>
}

tt.func public @carried_equal_inits(%n: i32, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) : i32 {
    %e = arith.addf %a, %a : f32
    %f = arith.addf %b, %b : f32
    scf.yield %e, %f : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}

tt.func public @carried_swapped(%n: i32, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) : i32 {
    scf.yield %b, %a : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}

tt.func public @carried_crossed(%n: i32, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) : i32 {
    %e = math.exp %b : f32
    %f = math.exp %a : f32
    scf.yield %e, %f : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}

tt.func public @carried_unequal(%n: i32, %x: f32, %y: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) : i32 {
    %e = math.exp %a : f32
    %f = math.exp %b : f32
    scf.yield %e, %f : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}

tt.func public @carried_nested(%n: i32, %x: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) : i32 {
    %s:2 = scf.for %j = %c0 to %n step %c1 iter_args(%c = %a, %d = %b) -> (f32, f32) : i32 {
      %e = math.exp %c : f32
      %f = math.exp %d : f32
      scf.yield %e, %f : f32, f32
    }
    scf.yield %s#0, %s#1 : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}

tt.func public @carried_of_loads(%n: i32, %x: f32, %p: !tt.ptr<f32>) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) : i32 {
    %v = tt.load %p : !tt.ptr<f32>
    %w = tt.load %p : !tt.ptr<f32>
    %e = arith.addf %a, %v : f32
    %f = arith.addf %b, %w : f32
    scf.yield %e, %f : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}

tt.func public @carried_of_a_condition(%n: i32, %x: f32, %k: i1) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) : i32 {
    %e = scf.if %k -> f32 {
      %g = math.exp %a : f32
      scf.yield %g : f32
    } else {
      scf.yield %a : f32
    }
    %f = scf.if %k -> f32 {
      %g = math.exp %b : f32
      scf.yield %g : f32
    } else {
      scf.yield %b : f32
    }
    scf.yield %e, %f : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}

tt.func public @carried_pointers(%n: i32, %p: !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %p, %k = %c0) -> (!tt.ptr<f32>, !tt.ptr<f32>, i32) : i32 {
    %e = tt.addptr %a, %k : !tt.ptr<f32>, i32
    %f = tt.addptr %b, %k : !tt.ptr<f32>, i32
    %l = arith.addi %k, %c1 : i32
    scf.yield %e, %f, %l : !tt.ptr<f32>, !tt.ptr<f32>, i32
  }
  tt.return %r#0, %r#1 : !tt.ptr<f32>, !tt.ptr<f32>
}

tt.func public @carried_plain_cse(%x: f32, %y: f32) -> (f32, f32, f32) {
  %a = arith.addf %x, %y : f32
  %b = arith.addf %x, %y : f32
  %c = arith.addf %y, %x : f32
  tt.return %a, %b, %c : f32, f32, f32
}
