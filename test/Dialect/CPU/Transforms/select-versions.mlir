// The versions of a nest for addresses that wrap: which integers and remainders are tested at run time.
//
// RUN: blockdsl-opt %s --cpu-select-versions | FileCheck %s
// RUN: blockdsl-opt %s --cpu-select-versions --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: LoopVersions | Category:vectorize {{.*}} Remark="addresses are contiguous only if no integers wrap, which is tested before the loop
// REMARK: no remainders wrap

#id = affine_map<(d0) -> (d0)>

// A multiple of the block's size plus an index cannot wrap.
//
// CHECK-LABEL: @multiple
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16> {
tt.func public @multiple(%p: !tt.ptr<f32>, %x: f32) {
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c64 : i32
  %0 = tensor.empty() : tensor<64x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<64x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.addi %start, %2 : i32
    %4 = tt.addptr %p, %3 : !tt.ptr<f32>, i32
    linalg.yield %4 : !tt.ptr<f32>
  } -> tensor<64x!tt.ptr<f32>>
  cpu.nest config <order = [0], vector = 0, lanes = 16> {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%pointers : tensor<64x!tt.ptr<f32>>) {
    ^bb0(%pointer: !tt.ptr<f32>):
      tt.store %pointer, %x : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// Any number plus an index may wrap. Scalar code needs no strides, and given versions are kept.
//
// CHECK-LABEL: @any
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16> versions <integers_wrap = true> {
// CHECK: cpu.nest config <order = [0]> {
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16> versions <remainders_wrap = true> {
tt.func public @any(%p: !tt.ptr<f32>, %x: f32, %start: i32) {
  %0 = tensor.empty() : tensor<64x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<64x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.addi %start, %2 : i32
    %4 = tt.addptr %p, %3 : !tt.ptr<f32>, i32
    linalg.yield %4 : !tt.ptr<f32>
  } -> tensor<64x!tt.ptr<f32>>
  cpu.nest config <order = [0], vector = 0, lanes = 16> {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%pointers : tensor<64x!tt.ptr<f32>>) {
    ^bb0(%pointer: !tt.ptr<f32>):
      tt.store %pointer, %x : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  cpu.nest config <order = [0]> {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%pointers : tensor<64x!tt.ptr<f32>>) {
    ^bb0(%pointer: !tt.ptr<f32>):
      tt.store %pointer, %x : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  cpu.nest config <order = [0], vector = 0, lanes = 16> versions <remainders_wrap = true> {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%pointers : tensor<64x!tt.ptr<f32>>) {
    ^bb0(%pointer: !tt.ptr<f32>):
      tt.store %pointer, %x : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// A remainder by a number of the kernel is tested to be consecutive. Its dividend cannot wrap.
//
// CHECK-LABEL: @remainder
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16> versions <remainders_wrap = true> {
tt.func public @remainder(%p: !tt.ptr<f32>, %x: f32, %n: i32) {
  %0 = tensor.empty() : tensor<64x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<64x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.remsi %2, %n : i32
    %4 = tt.addptr %p, %3 : !tt.ptr<f32>, i32
    linalg.yield %4 : !tt.ptr<f32>
  } -> tensor<64x!tt.ptr<f32>>
  cpu.nest config <order = [0], vector = 0, lanes = 16> {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%pointers : tensor<64x!tt.ptr<f32>>) {
    ^bb0(%pointer: !tt.ptr<f32>):
      tt.store %pointer, %x : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// Without numbers in order a mask bounds no loop, in scalar code either.
//
// CHECK-LABEL: @mask
// CHECK: cpu.nest config <order = [0]> mask({{.*}}) bounds <below = [0]> versions <integers_wrap = true> {
tt.func public @mask(%x: f32, %start: i32, %n: i32) {
  %0 = tensor.empty() : tensor<64xi1>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<64xi1>) {
  ^bb0(%out: i1):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.addi %start, %2 : i32
    %4 = arith.cmpi slt, %3, %n : i32
    linalg.yield %4 : i1
  } -> tensor<64xi1>
  %5 = tensor.empty() : tensor<64xf32>
  %6 = cpu.nest config <order = [0]> mask(%mask : tensor<64xi1>) bounds <below = [0]> {
    %7 = linalg.fill ins(%x : f32) outs(%5 : tensor<64xf32>) -> tensor<64xf32>
    cpu.yield %7 : tensor<64xf32> in buffer
  } : tensor<64xf32>
  tt.return
}

// Vectors of 16 elements start at multiples of 16, so that no carry leaves the low bits of an index within one; a nest
// that aligns its stores starts them anywhere.
//
// CHECK-LABEL: @vectors
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16> {
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> versions <integers_wrap = true> {
// CHECK: cpu.nest config <order = [0], vector = 0, lanes = 16> versions <integers_wrap = true> stores <align = true> {
tt.func public @vectors(%p: !tt.ptr<f32>, %x: f32) {
  %c16 = arith.constant 16 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c16 : i32
  %0 = tensor.empty() : tensor<64x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<64x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.addi %start, %2 : i32
    %4 = tt.addptr %p, %3 : !tt.ptr<f32>, i32
    linalg.yield %4 : !tt.ptr<f32>
  } -> tensor<64x!tt.ptr<f32>>
  cpu.nest config <order = [0], vector = 0, lanes = 16> {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%pointers : tensor<64x!tt.ptr<f32>>) {
    ^bb0(%pointer: !tt.ptr<f32>):
      tt.store %pointer, %x : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  cpu.nest config <order = [0], vector = 0, lanes = 16, interleave = 2> {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%pointers : tensor<64x!tt.ptr<f32>>) {
    ^bb0(%pointer: !tt.ptr<f32>):
      tt.store %pointer, %x : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  cpu.nest config <order = [0], vector = 0, lanes = 16> stores <align = true> {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%pointers : tensor<64x!tt.ptr<f32>>) {
    ^bb0(%pointer: !tt.ptr<f32>):
      tt.store %pointer, %x : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}
