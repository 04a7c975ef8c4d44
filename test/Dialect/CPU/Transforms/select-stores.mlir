// The stores of a nest: which rows get a shorter first step that aligns the others, and which stores bypass the caches.
//
// RUN: blockdsl-opt %s --cpu-select-stores | FileCheck %s
// RUN: blockdsl-opt %s --cpu-select-stores=streaming-stores=true | FileCheck %s --check-prefix=STREAM
// RUN: blockdsl-opt %s --cpu-select-stores --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Missed] StoreAlignment | Category:vectorize {{.*}}Remark="each row is stored in one step more, which aligns the other steps to vectors: its address is not known to be a multiple of 16 bytes"
// REMARK-NOT: StoreAlignment
// REMARK: StoreAlignment
// REMARK-NOT: StoreAlignment

#id = affine_map<(d0) -> (d0)>

// The rows of a matrix with any stride.
//
// CHECK-LABEL: @rows
// CHECK: cpu.nest {{.*}} bounds <below = [0]> stores <align = true> {
// STREAM-LABEL: @rows
// STREAM: cpu.nest {{.*}} bounds <below = [0]> stores <align = true, stream = true> {
tt.func public @rows(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32) {
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
  cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) bounds <below = [0]> {
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

// The stride is a multiple of 16 elements, or of 64, and the matrix is aligned.
//
// CHECK-LABEL: @divisible
// CHECK: cpu.nest {{.*}} bounds <below = [0]> {
// STREAM-LABEL: @divisible
// STREAM: cpu.nest {{.*}} bounds <below = [0]> stores <stream = true> {
tt.func public @divisible(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32 {tt.divisibility = 16 : i32}) {
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
  cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) bounds <below = [0]> {
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

// CHECK-LABEL: @multiplied
// CHECK: cpu.nest {{.*}} bounds <below = [0]> {
tt.func public @multiplied(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32) {
  %id = tt.get_program_id x : i32
  %c64 = arith.constant 64 : i32
  %some = arith.muli %id, %stride : i32
  %start = arith.muli %some, %c64 : i32
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
  cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) bounds <below = [0]> {
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

// A row of eight vectors is too short for a step more.
//
// CHECK-LABEL: @short
// CHECK: cpu.nest {{.*}} bounds <below = [0]> {
// STREAM-LABEL: @short
// STREAM: cpu.nest {{.*}} bounds <below = [0]> stores <stream = true> {
tt.func public @short(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32) {
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %stride : i32
  %row = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %0 = tensor.empty() : tensor<128xi1>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<128xi1>) {
  ^bb0(%out: i1):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.cmpi slt, %2, %n : i32
    linalg.yield %3 : i1
  } -> tensor<128xi1>
  %4 = tensor.empty() : tensor<128x!tt.ptr<f32>>
  %pointers = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%4 : tensor<128x!tt.ptr<f32>>) {
  ^bb0(%out: !tt.ptr<f32>):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = tt.addptr %row, %2 : !tt.ptr<f32>, i32
    linalg.yield %3 : !tt.ptr<f32>
  } -> tensor<128x!tt.ptr<f32>>
  cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<128xi1>) bounds <below = [0]> {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%pointers, %mask : tensor<128x!tt.ptr<f32>>, tensor<128xi1>) {
    ^bb0(%pointer: !tt.ptr<f32>, %holds: i1):
      tt.store %pointer, %x, %holds : !tt.ptr<f32>
      linalg.yield
    }
    cpu.yield
  }
  tt.return
}

// A nest that also keeps a block stores at its vectors.
//
// CHECK-LABEL: @keeps
// CHECK: cpu.nest {{.*}} bounds <below = [0]> {
// STREAM-LABEL: @keeps
// STREAM: cpu.nest {{.*}} bounds <below = [0]> {
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
  %kept = cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) bounds <below = [0]> {
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

// Streaming stores are not in order with an atomic store.
//
// CHECK-LABEL: @signals
// CHECK: cpu.nest {{.*}} bounds <below = [0]> stores <align = true> {
// STREAM-LABEL: @signals
// STREAM: cpu.nest {{.*}} bounds <below = [0]> stores <align = true> {
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
  cpu.nest config <order = [0], vector = 0, lanes = 16> mask(%mask : tensor<1024xi1>) bounds <below = [0]> {
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

// A decision that is there is kept.
//
// CHECK-LABEL: @given
// CHECK: cpu.nest {{.*}} bounds <below = [0]> stores <stream = true> {
tt.func public @given(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32, %n: i32, %stride: i32) {
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
