// What the tiles of a matmul prefetch: operands that are packed later, panels, and accumulators of the next tile.
//
// RUN: blockdsl-opt %s --cpu-select-prefetches | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// Rows of the left side are packed tile by tile, and the right side in panels in each iteration.
//
// CHECK-LABEL: @in_a_loop
// CHECK: cpu.nest matmul {{.*}} prefetch <lhs = next_tile, rhs = next_iteration, lines = 4, panel_steps = 16, sums = true> {
tt.func public @in_a_loop(%p: !tt.ptr<f32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %c:2 = scf.for %k = %c0 to %count step %c1 iter_args(%sum = %zero, %offset = %c0) -> (tensor<64x256xf32>, i32) : i32 {
    %ap0 = tensor.empty() : tensor<64x64x!tt.ptr<f32>>
    %ap = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ap0 : tensor<64x64x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x64x!tt.ptr<f32>>
    %a0 = tensor.empty() : tensor<64x64xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ap : tensor<64x64x!tt.ptr<f32>>) outs(%a0 : tensor<64x64xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x64xf32>
    %bp0 = tensor.empty() : tensor<64x256x!tt.ptr<f32>>
    %bp = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%bp0 : tensor<64x256x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x256x!tt.ptr<f32>>
    %b0 = tensor.empty() : tensor<64x256xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%bp : tensor<64x256x!tt.ptr<f32>>) outs(%b0 : tensor<64x256xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x256xf32>
    %z = cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = packed_rows, along_common = true>, rhs = <layout = packed, order = common_first, panel = 64>> {
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x256xf32>) outs(%sum : tensor<64x256xf32>) -> tensor<64x256xf32>
      cpu.yield %m : tensor<64x256xf32> in destination
    } : tensor<64x256xf32>
    %next = arith.addi %offset, %c64 : i32
    scf.yield %z, %next : tensor<64x256xf32>, i32
  }
  tt.return
}

// All of the left side is packed before the tiles. A row of tiles is a single one.
//
// CHECK-LABEL: @packed_whole
// CHECK: cpu.nest matmul {{.*}} prefetch <lhs = next_iteration, rhs = next_iteration, lines = 4> {
tt.func public @packed_whole(%p: !tt.ptr<f32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c:2 = scf.for %k = %c0 to %count step %c1 iter_args(%sum = %zero, %offset = %c0) -> (tensor<64x64xf32>, i32) : i32 {
    %ap0 = tensor.empty() : tensor<64x64x!tt.ptr<f32>>
    %ap = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ap0 : tensor<64x64x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x64x!tt.ptr<f32>>
    %a0 = tensor.empty() : tensor<64x64xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ap : tensor<64x64x!tt.ptr<f32>>) outs(%a0 : tensor<64x64xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x64xf32>
    %bp0 = tensor.empty() : tensor<64x64x!tt.ptr<f32>>
    %bp = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%bp0 : tensor<64x64x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x64x!tt.ptr<f32>>
    %b0 = tensor.empty() : tensor<64x64xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%bp : tensor<64x64x!tt.ptr<f32>>) outs(%b0 : tensor<64x64xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x64xf32>
    %z = cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first>> {
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%sum : tensor<64x64xf32>) -> tensor<64x64xf32>
      cpu.yield %m : tensor<64x64xf32> in destination
    } : tensor<64x64xf32>
    %next = arith.addi %offset, %c64 : i32
    scf.yield %z, %next : tensor<64x64xf32>, i32
  }
  tt.return
}

// Merged iterations pack long panels.
//
// CHECK-LABEL: @merged
// CHECK: cpu.nest matmul {{.*}} prefetch <sums = true> {
tt.func public @merged(%p: !tt.ptr<f32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %c:2 = scf.for %k = %c0 to %count step %c1 iter_args(%sum = %zero, %offset = %c0) -> (tensor<64x256xf32>, i32) : i32 {
    %ap0 = tensor.empty() : tensor<64x64x!tt.ptr<f32>>
    %ap = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ap0 : tensor<64x64x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x64x!tt.ptr<f32>>
    %a0 = tensor.empty() : tensor<64x64xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ap : tensor<64x64x!tt.ptr<f32>>) outs(%a0 : tensor<64x64xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x64xf32>
    %bp0 = tensor.empty() : tensor<64x256x!tt.ptr<f32>>
    %bp = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%bp0 : tensor<64x256x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x256x!tt.ptr<f32>>
    %b0 = tensor.empty() : tensor<64x256xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%bp : tensor<64x256x!tt.ptr<f32>>) outs(%b0 : tensor<64x256xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x256xf32>
    %z = cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = packed_rows, along_common = true>, rhs = <layout = packed, order = common_first, panel = 64>, iterations = 4> {
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x256xf32>) outs(%sum : tensor<64x256xf32>) -> tensor<64x256xf32>
      cpu.yield %m : tensor<64x256xf32> in destination
    } : tensor<64x256xf32>
    %next = arith.addi %offset, %c64 : i32
    scf.yield %z, %next : tensor<64x256xf32>, i32
  }
  tt.return
}

// Operands that are read in place are not packed.
//
// CHECK-LABEL: @in_place
// CHECK: cpu.nest matmul {{.*}} prefetch <lhs = next_tile, lines = 4, sums = true> {
tt.func public @in_place(%p: !tt.ptr<f32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %c:2 = scf.for %k = %c0 to %count step %c1 iter_args(%sum = %zero, %offset = %c0) -> (tensor<64x256xf32>, i32) : i32 {
    %ap0 = tensor.empty() : tensor<64x64x!tt.ptr<f32>>
    %ap = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ap0 : tensor<64x64x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x64x!tt.ptr<f32>>
    %a0 = tensor.empty() : tensor<64x64xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ap : tensor<64x64x!tt.ptr<f32>>) outs(%a0 : tensor<64x64xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x64xf32>
    %bp0 = tensor.empty() : tensor<64x256x!tt.ptr<f32>>
    %bp = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%bp0 : tensor<64x256x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x256x!tt.ptr<f32>>
    %b0 = tensor.empty() : tensor<64x256xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%bp : tensor<64x256x!tt.ptr<f32>>) outs(%b0 : tensor<64x256xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x256xf32>
    %z = cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = packed_rows, along_common = true>, rhs = <layout = in_place>> {
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x256xf32>) outs(%sum : tensor<64x256xf32>) -> tensor<64x256xf32>
      cpu.yield %m : tensor<64x256xf32> in destination
    } : tensor<64x256xf32>
    %next = arith.addi %offset, %c64 : i32
    scf.yield %z, %next : tensor<64x256xf32>, i32
  }
  tt.return
}

// A decision that is there is kept.
//
// CHECK-LABEL: @given
// CHECK: cpu.nest matmul {{.*}} prefetch <sums = true> {
tt.func public @given(%p: !tt.ptr<f32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %c:2 = scf.for %k = %c0 to %count step %c1 iter_args(%sum = %zero, %offset = %c0) -> (tensor<64x256xf32>, i32) : i32 {
    %ap0 = tensor.empty() : tensor<64x64x!tt.ptr<f32>>
    %ap = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ap0 : tensor<64x64x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x64x!tt.ptr<f32>>
    %a0 = tensor.empty() : tensor<64x64xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ap : tensor<64x64x!tt.ptr<f32>>) outs(%a0 : tensor<64x64xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x64xf32>
    %bp0 = tensor.empty() : tensor<64x256x!tt.ptr<f32>>
    %bp = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%bp0 : tensor<64x256x!tt.ptr<f32>>) {
    ^bb0(%out: !tt.ptr<f32>):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %i = arith.index_cast %row : index to i32
      %j = arith.index_cast %column : index to i32
      %line = arith.muli %i, %c1024 : i32
      %at = arith.addi %line, %j : i32
      %from = arith.addi %at, %offset : i32
      %pointer = tt.addptr %p, %from : !tt.ptr<f32>, i32
      linalg.yield %pointer : !tt.ptr<f32>
    } -> tensor<64x256x!tt.ptr<f32>>
    %b0 = tensor.empty() : tensor<64x256xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%bp : tensor<64x256x!tt.ptr<f32>>) outs(%b0 : tensor<64x256xf32>) {
    ^bb0(%pointer: !tt.ptr<f32>, %out: f32):
      %element = tt.load %pointer : !tt.ptr<f32>
      linalg.yield %element : f32
    } -> tensor<64x256xf32>
    %z = cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = packed_rows, along_common = true>, rhs = <layout = packed, order = common_first, panel = 64>> prefetch <sums = true> {
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x256xf32>) outs(%sum : tensor<64x256xf32>) -> tensor<64x256xf32>
      cpu.yield %m : tensor<64x256xf32> in destination
    } : tensor<64x256xf32>
    %next = arith.addi %offset, %c64 : i32
    scf.yield %z, %next : tensor<64x256xf32>, i32
  }
  tt.return
}
