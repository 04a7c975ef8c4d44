// Nests of stores that run on the tiles of the matmul before them.
//
// RUN: blockdsl-opt %s --cpu-fuse-epilogue | FileCheck %s
// RUN: blockdsl-opt %s --cpu-fuse-epilogue=alias=unknown | FileCheck %s --check-prefix=ALIAS

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: @stored
// CHECK: cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>, epilogue = true> {
// CHECK: cpu.nest config <order = [0, 1], vector = 1, lanes = 16> epilogue {
tt.func public @stored(%x: f32, %y: !tt.ptr<f32>) {
  %c32 = arith.constant 32 : i32
  %p0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %f0 = tensor.empty() : tensor<32x32xf32>
  %to = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<32x32x!tt.ptr<f32>>) {
  ^bb0(%o: !tt.ptr<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %start = arith.muli %row, %c32 : i32
    %offset = arith.addi %start, %column : i32
    %p = tt.addptr %y, %offset : !tt.ptr<f32>, i32
    linalg.yield %p : !tt.ptr<f32>
  } -> tensor<32x32x!tt.ptr<f32>>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %c = cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %m = linalg.matmul ins(%b, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%b : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %m : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%to, %c : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xf32>) {
    ^bb0(%p: !tt.ptr<f32>, %e: f32):
      tt.store %p, %e : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// The last iteration of a loop that adds matmuls to the block stores its tiles.
//
// CHECK-LABEL: @stored_after_a_loop
// CHECK: scf.for
// CHECK:   cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>, epilogue = true> {
// CHECK: cpu.nest config <order = [0, 1], vector = 1, lanes = 16> epilogue {
tt.func public @stored_after_a_loop(%x: f32, %y: !tt.ptr<f32>, %n: i32) {
  %c32 = arith.constant 32 : i32
  %p0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %f0 = tensor.empty() : tensor<32x32xf32>
  %to = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<32x32x!tt.ptr<f32>>) {
  ^bb0(%o: !tt.ptr<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %start = arith.muli %row, %c32 : i32
    %offset = arith.addi %start, %column : i32
    %p = tt.addptr %y, %offset : !tt.ptr<f32>, i32
    linalg.yield %p : !tt.ptr<f32>
  } -> tensor<32x32x!tt.ptr<f32>>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %init = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in destination
  } : tensor<32x32xf32>
  %c1 = arith.constant 1 : i32
  %c = scf.for %k = %c1 to %n step %c1 iter_args(%carried = %init) -> (tensor<32x32xf32>) : i32 {
    %s = cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
      %m = linalg.matmul ins(%b, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%carried : tensor<32x32xf32>) -> tensor<32x32xf32>
      cpu.yield %m : tensor<32x32xf32> in destination
    } : tensor<32x32xf32>
    scf.yield %s : tensor<32x32xf32>
  }
  cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%to, %c : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xf32>) {
    ^bb0(%p: !tt.ptr<f32>, %e: f32):
      tt.store %p, %e : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// A transposed block is read from tiles that are not complete.
//
// CHECK-LABEL: @transposed
// CHECK-NOT: epilogue
// CHECK: tt.return
tt.func public @transposed(%x: f32, %y: !tt.ptr<f32>) {
  %c32 = arith.constant 32 : i32
  %p0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %f0 = tensor.empty() : tensor<32x32xf32>
  %to = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<32x32x!tt.ptr<f32>>) {
  ^bb0(%o: !tt.ptr<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %start = arith.muli %row, %c32 : i32
    %offset = arith.addi %start, %column : i32
    %p = tt.addptr %y, %offset : !tt.ptr<f32>, i32
    linalg.yield %p : !tt.ptr<f32>
  } -> tensor<32x32x!tt.ptr<f32>>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %c = cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %m = linalg.matmul ins(%b, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%b : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %m : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    linalg.generic {indexing_maps = [#id, #turned], iterator_types = ["parallel", "parallel"]} ins(%to, %c : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xf32>) {
    ^bb0(%p: !tt.ptr<f32>, %e: f32):
      tt.store %p, %e : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// A tile has more columns than rows, and these stores are contiguous along the rows.
//
// CHECK-LABEL: @along_the_rows
// CHECK-NOT: epilogue
// CHECK: tt.return
tt.func public @along_the_rows(%x: f32, %y: !tt.ptr<f32>) {
  %c32 = arith.constant 32 : i32
  %p0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %f0 = tensor.empty() : tensor<32x32xf32>
  %to = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<32x32x!tt.ptr<f32>>) {
  ^bb0(%o: !tt.ptr<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %start = arith.muli %column, %c32 : i32
    %offset = arith.addi %start, %row : i32
    %p = tt.addptr %y, %offset : !tt.ptr<f32>, i32
    linalg.yield %p : !tt.ptr<f32>
  } -> tensor<32x32x!tt.ptr<f32>>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %c = cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %m = linalg.matmul ins(%b, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%b : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %m : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  cpu.nest config <order = [1, 0], vector = 0, lanes = 16> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%to, %c : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xf32>) {
    ^bb0(%p: !tt.ptr<f32>, %e: f32):
      tt.store %p, %e : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// The pointers are not known before the matmul.
//
// CHECK-LABEL: @computed_later
// CHECK-NOT: epilogue
// CHECK: tt.return
tt.func public @computed_later(%x: f32, %y: !tt.ptr<f32>) {
  %c32 = arith.constant 32 : i32
  %p0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %f0 = tensor.empty() : tensor<32x32xf32>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %c = cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %m = linalg.matmul ins(%b, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%b : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %m : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %pid = tt.get_program_id x : i32
  %late = tt.addptr %y, %pid : !tt.ptr<f32>, i32
  %to = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<32x32x!tt.ptr<f32>>) {
  ^bb0(%o: !tt.ptr<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %start = arith.muli %row, %c32 : i32
    %offset = arith.addi %start, %column : i32
    %p = tt.addptr %late, %offset : !tt.ptr<f32>, i32
    linalg.yield %p : !tt.ptr<f32>
  } -> tensor<32x32x!tt.ptr<f32>>
  cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%to, %c : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xf32>) {
    ^bb0(%p: !tt.ptr<f32>, %e: f32):
      tt.store %p, %e : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// The matmul reads another argument: the stores may change it unless arguments are disjoint.
//
// CHECK-LABEL: @may_alias
// CHECK: epilogue
// ALIAS-LABEL: @may_alias
// ALIAS-NOT: epilogue
// ALIAS: tt.return
tt.func public @may_alias(%x: f32, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c32 = arith.constant 32 : i32
  %p0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %f0 = tensor.empty() : tensor<32x32xf32>
  %to = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<32x32x!tt.ptr<f32>>) {
  ^bb0(%o: !tt.ptr<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %start = arith.muli %row, %c32 : i32
    %offset = arith.addi %start, %column : i32
    %p = tt.addptr %y, %offset : !tt.ptr<f32>, i32
    linalg.yield %p : !tt.ptr<f32>
  } -> tensor<32x32x!tt.ptr<f32>>
  %from = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<32x32x!tt.ptr<f32>>) {
  ^bb0(%o: !tt.ptr<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %start = arith.muli %row, %c32 : i32
    %offset = arith.addi %start, %column : i32
    %p = tt.addptr %z, %offset : !tt.ptr<f32>, i32
    linalg.yield %p : !tt.ptr<f32>
  } -> tensor<32x32x!tt.ptr<f32>>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %c = cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %v = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} } ins(%from : tensor<32x32x!tt.ptr<f32>>) outs(%f0 : tensor<32x32xf32>)
    %m = linalg.matmul ins(%b, %v : tensor<32x32xf32>, tensor<32x32xf32>) outs(%b : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %m : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%to, %c : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xf32>) {
    ^bb0(%p: !tt.ptr<f32>, %e: f32):
      tt.store %p, %e : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// The matmul reads the memory that is stored to.
//
// CHECK-LABEL: @in_place
// CHECK-NOT: epilogue
// CHECK: tt.return
tt.func public @in_place(%x: f32, %y: !tt.ptr<f32>) {
  %c32 = arith.constant 32 : i32
  %p0 = tensor.empty() : tensor<32x32x!tt.ptr<f32>>
  %f0 = tensor.empty() : tensor<32x32xf32>
  %to = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<32x32x!tt.ptr<f32>>) {
  ^bb0(%o: !tt.ptr<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %start = arith.muli %row, %c32 : i32
    %offset = arith.addi %start, %column : i32
    %p = tt.addptr %y, %offset : !tt.ptr<f32>, i32
    linalg.yield %p : !tt.ptr<f32>
  } -> tensor<32x32x!tt.ptr<f32>>
  %from = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p0 : tensor<32x32x!tt.ptr<f32>>) {
  ^bb0(%o: !tt.ptr<f32>):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %start = arith.muli %row, %c32 : i32
    %offset = arith.addi %start, %column : i32
    %p = tt.addptr %y, %offset : !tt.ptr<f32>, i32
    linalg.yield %p : !tt.ptr<f32>
  } -> tensor<32x32x!tt.ptr<f32>>
  %b = cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    %f = linalg.fill ins(%x : f32) outs(%f0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %f : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  %c = cpu.nest matmul <tile = [8, 32], lanes = 16, instruction = fma, lhs = <layout = in_place>, rhs = <layout = in_place>> {
    %v = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} } ins(%from : tensor<32x32x!tt.ptr<f32>>) outs(%f0 : tensor<32x32xf32>)
    %m = linalg.matmul ins(%b, %v : tensor<32x32xf32>, tensor<32x32xf32>) outs(%b : tensor<32x32xf32>) -> tensor<32x32xf32>
    cpu.yield %m : tensor<32x32xf32> in buffer
  } : tensor<32x32xf32>
  cpu.nest config <order = [0, 1], vector = 1, lanes = 16> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%to, %c : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xf32>) {
    ^bb0(%p: !tt.ptr<f32>, %e: f32):
      tt.store %p, %e : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}
