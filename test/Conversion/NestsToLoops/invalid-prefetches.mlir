// Prefetches that cannot be converted to loops.
//
// RUN: blockdsl-opt %s --convert-nests-to-loops -split-input-file -verify-diagnostics

#id = affine_map<(d0, d1) -> (d0, d1)>

tt.func public @not_by_tile(%p: !tt.ptr<f32>, %count: i32) {
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
    // expected-error @+1 {{can prefetch 'next_iteration' of 'lhs', got 'next_tile'}}
    %z = cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = packed, along_common = true>, rhs = <layout = packed, order = common_first, panel = 64>> prefetch <lhs = next_tile, lines = 4> {
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x256xf32>) outs(%sum : tensor<64x256xf32>) -> tensor<64x256xf32>
      cpu.yield %m : tensor<64x256xf32> in destination
    } : tensor<64x256xf32>
    %next = arith.addi %offset, %c64 : i32
    scf.yield %z, %next : tensor<64x256xf32>, i32
  }
  tt.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

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
    // expected-error @+1 {{can prefetch 'none' of 'rhs', got 'next_iteration'}}
    %z = cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = packed_rows, along_common = true>, rhs = <layout = in_place>> prefetch <rhs = next_iteration, lines = 4> {
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x256xf32>) outs(%sum : tensor<64x256xf32>) -> tensor<64x256xf32>
      cpu.yield %m : tensor<64x256xf32> in destination
    } : tensor<64x256xf32>
    %next = arith.addi %offset, %c64 : i32
    scf.yield %z, %next : tensor<64x256xf32>, i32
  }
  tt.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

tt.func public @no_panels(%p: !tt.ptr<f32>, %count: i32) {
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
    // expected-error @+1 {{expects 'panel_steps' only for a right-hand side in panels, without merged iterations}}
    %z = cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = packed_rows, along_common = true>, rhs = <layout = packed, order = common_first>> prefetch <panel_steps = 16> {
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x256xf32>) outs(%sum : tensor<64x256xf32>) -> tensor<64x256xf32>
      cpu.yield %m : tensor<64x256xf32> in destination
    } : tensor<64x256xf32>
    %next = arith.addi %offset, %c64 : i32
    scf.yield %z, %next : tensor<64x256xf32>, i32
  }
  tt.return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

tt.func public @one_tile(%p: !tt.ptr<f32>, %count: i32) {
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
    // expected-error @+1 {{expects 'sums' only for vectors whose accumulators are in memory, in several tiles}}
    %z = cpu.nest matmul <tile = [6, 64], lanes = 16, instruction = fma, lhs = <layout = packed_rows, along_common = true>, rhs = <layout = packed, order = common_first>> prefetch <sums = true> {
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%sum : tensor<64x64xf32>) -> tensor<64x64xf32>
      cpu.yield %m : tensor<64x64xf32> in destination
    } : tensor<64x64xf32>
    %next = arith.addi %offset, %c64 : i32
    scf.yield %z, %next : tensor<64x64xf32>, i32
  }
  tt.return
}
