// Stores whose plans cannot be converted to loops.
//
// RUN: blockdsl-opt %s --convert-nests-to-loops -split-input-file -verify-diagnostics

#id = affine_map<(d0) -> (d0)>

tt.func public @no_bounds(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32) {
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %stride : i32
  %row = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %0 = tensor.empty() : tensor<1024xi1>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<1024xi1>) {
  ^bb0(%out: i1):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.cmpi slt, %2, %n : i32
    linalg.yield %3 : i1
  } -> tensor<1024xi1>
  %4 = tensor.empty() : tensor<1024x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%4 : tensor<1024x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = tt.addptr %row, %2 : !tt.ptr<f32>, i32
    linalg.yield %3 : !tt.ptr<f32>
  } -> tensor<1024x!tt.ptr<f32>>
  // expected-error @+1 {{expects 'align' only if it does nothing but store, contiguously along several vectors that its mask bounds}}
  cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) stores <align = true> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%pointers, %mask : tensor<1024x!tt.ptr<f32>>, tensor<1024xi1>) {
    ^bb0(%pointer: !tt.ptr<f32>, %holds: i1):
      tt.store %pointer, %x, %holds : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>

tt.func public @narrow(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32) {
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %stride : i32
  %row = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %0 = tensor.empty() : tensor<1024xi1>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<1024xi1>) {
  ^bb0(%out: i1):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.cmpi slt, %2, %n : i32
    linalg.yield %3 : i1
  } -> tensor<1024xi1>
  %4 = tensor.empty() : tensor<1024x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%4 : tensor<1024x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = tt.addptr %row, %2 : !tt.ptr<f32>, i32
    linalg.yield %3 : !tt.ptr<f32>
  } -> tensor<1024x!tt.ptr<f32>>
  // expected-error @+1 {{expects 'stream' only if it does nothing but store, contiguously along several vectors of 512 bits}}
  cpu.nest config <order = [0], vector = 0, lanes = 8> mask(%mask : tensor<1024xi1>) bounds <below = [0]> stores <stream = true> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%pointers, %mask : tensor<1024x!tt.ptr<f32>>, tensor<1024xi1>) {
    ^bb0(%pointer: !tt.ptr<f32>, %holds: i1):
      tt.store %pointer, %x, %holds : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>

tt.func public @strided(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32) {
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %stride : i32
  %row = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %0 = tensor.empty() : tensor<1024xi1>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<1024xi1>) {
  ^bb0(%out: i1):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.cmpi slt, %2, %n : i32
    linalg.yield %3 : i1
  } -> tensor<1024xi1>
  %4 = tensor.empty() : tensor<1024x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%4 : tensor<1024x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %twice = arith.addi %2, %2 : i32
    %3 = tt.addptr %row, %twice : !tt.ptr<f32>, i32
    linalg.yield %3 : !tt.ptr<f32>
  } -> tensor<1024x!tt.ptr<f32>>
  // expected-error @+1 {{expects 'align' only if it does nothing but store, contiguously along several vectors that its mask bounds}}
  cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) bounds <below = [0]> stores <align = true> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%pointers, %mask : tensor<1024x!tt.ptr<f32>>, tensor<1024xi1>) {
    ^bb0(%pointer: !tt.ptr<f32>, %holds: i1):
      tt.store %pointer, %x, %holds : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>

tt.func public @keeps(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32) {
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %stride : i32
  %row = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %0 = tensor.empty() : tensor<1024xi1>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<1024xi1>) {
  ^bb0(%out: i1):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.cmpi slt, %2, %n : i32
    linalg.yield %3 : i1
  } -> tensor<1024xi1>
  %4 = tensor.empty() : tensor<1024x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%4 : tensor<1024x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = tt.addptr %row, %2 : !tt.ptr<f32>, i32
    linalg.yield %3 : !tt.ptr<f32>
  } -> tensor<1024x!tt.ptr<f32>>
  %e = tensor.empty() : tensor<1024xf32>
  // expected-error @+1 {{expects 'stream' only if it does nothing but store, contiguously along several vectors of 512 bits}}
  %kept = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) bounds <below = [0]> stores <stream = true> {
    %block = linalg.fill ins(%x : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%pointers, %mask : tensor<1024x!tt.ptr<f32>>, tensor<1024xi1>) {
    ^bb0(%pointer: !tt.ptr<f32>, %holds: i1):
      tt.store %pointer, %x, %holds : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield %block : tensor<1024xf32> in buffer
  } : tensor<1024xf32>
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>

tt.func public @signals(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32, %flag: !tt.ptr<i32>) {
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %stride : i32
  %row = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %0 = tensor.empty() : tensor<1024xi1>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<1024xi1>) {
  ^bb0(%out: i1):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.cmpi slt, %2, %n : i32
    linalg.yield %3 : i1
  } -> tensor<1024xi1>
  %4 = tensor.empty() : tensor<1024x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%4 : tensor<1024x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = tt.addptr %row, %2 : !tt.ptr<f32>, i32
    linalg.yield %3 : !tt.ptr<f32>
  } -> tensor<1024x!tt.ptr<f32>>
  %old = tt.atomic_rmw exch, acq_rel, gpu, %flag, %n : (!tt.ptr<i32>, i32) -> i32
  // expected-error @+1 {{expects 'stream' only in a kernel without atomic accesses, which are not in order with it}}
  cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) bounds <below = [0]> stores <stream = true> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%pointers, %mask : tensor<1024x!tt.ptr<f32>>, tensor<1024xi1>) {
    ^bb0(%pointer: !tt.ptr<f32>, %holds: i1):
      tt.store %pointer, %x, %holds : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}
