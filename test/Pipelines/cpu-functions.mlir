// RUN: blockdsl-opt %s -blockdsl-cpu | FileCheck %s

// All functions with a kernel's ops, in any module, become LLVM: functions with results are inlined into kernels.
// CHECK-NOT: @twice
// CHECK: llvm.func @doubles(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: llvm.func @chooses(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
module {
  func.func @twice(%x: tensor<64xf32>) -> tensor<64xf32> {
    %0 = arith.addf %x, %x : tensor<64xf32>
    return %0 : tensor<64xf32>
  }
  func.func @doubles(%p: !tt.ptr<f32>) {
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %1 = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %2 = tt.addptr %1, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %3 = tt.load %2 : tensor<64x!tt.ptr<f32>>
    %4 = func.call @twice(%3) : (tensor<64xf32>) -> tensor<64xf32>
    tt.store %2, %4 : tensor<64x!tt.ptr<f32>>
    return
  }
}
module {
  tt.func public @chooses(%p: !tt.ptr<i32>, %n: i32) {
    %c7 = arith.constant 7 : i32
    %i = arith.index_cast %n : i32 to index
    %0 = scf.index_switch %i -> i32
    case 2 {
      scf.yield %n : i32
    }
    case -5 {
      scf.yield %c7 : i32
    }
    default {
      %1 = arith.muli %n, %n : i32
      scf.yield %1 : i32
    }
    scf.index_switch %i
    default {
      tt.store %p, %0 : !tt.ptr<i32>
      scf.yield
    }
    tt.return
  }
}
