// RUN: blockdsl-opt %s --blockdsl-to-linalg --blockdsl-linalg-to-loops -split-input-file | FileCheck %s

// LLVM may unroll loops that gather unless a kernel has more than eight of them.
// CHECK-NOT:     disable = true
// CHECK-LABEL: func.func @two_gathers
// CHECK:         llvm.intr.masked.gather
tt.func public @two_gathers(%x: !tt.ptr<f32>, %i: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %r2 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %is2 = tt.splat %i : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %ip2 = tt.addptr %is2, %r2 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %at2 = tt.load %ip2 : tensor<128x!tt.ptr<i32>>
  %xs2 = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp2 = tt.addptr %xs2, %at2 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v2 = tt.load %xp2 : tensor<128x!tt.ptr<f32>>
  %ys2 = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp2 = tt.addptr %ys2, %r2 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp2, %v2 : tensor<128x!tt.ptr<f32>>
  %r3 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %is3 = tt.splat %i : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %ip3 = tt.addptr %is3, %r3 : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %at3 = tt.load %ip3 : tensor<256x!tt.ptr<i32>>
  %xs3 = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp3 = tt.addptr %xs3, %at3 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v3 = tt.load %xp3 : tensor<256x!tt.ptr<f32>>
  %ys3 = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp3 = tt.addptr %ys3, %r3 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp3, %v3 : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK:       #[[ROLLED:.*]] = #llvm.loop_unroll<disable = true>
// CHECK:       #[[ANNOTATION:.*]] = #llvm.loop_annotation<unroll = #[[ROLLED]]>
// CHECK-LABEL: func.func @nine_gathers
// CHECK-COUNT-9: {llvm.loop_annotation = #[[ANNOTATION]]}
tt.func public @nine_gathers(%x: !tt.ptr<f32>, %i: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %r2 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %is2 = tt.splat %i : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %ip2 = tt.addptr %is2, %r2 : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %at2 = tt.load %ip2 : tensor<128x!tt.ptr<i32>>
  %xs2 = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp2 = tt.addptr %xs2, %at2 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v2 = tt.load %xp2 : tensor<128x!tt.ptr<f32>>
  %ys2 = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp2 = tt.addptr %ys2, %r2 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp2, %v2 : tensor<128x!tt.ptr<f32>>
  %r3 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %is3 = tt.splat %i : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %ip3 = tt.addptr %is3, %r3 : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %at3 = tt.load %ip3 : tensor<256x!tt.ptr<i32>>
  %xs3 = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp3 = tt.addptr %xs3, %at3 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v3 = tt.load %xp3 : tensor<256x!tt.ptr<f32>>
  %ys3 = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp3 = tt.addptr %ys3, %r3 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %yp3, %v3 : tensor<256x!tt.ptr<f32>>
  %r4 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %is4 = tt.splat %i : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>>
  %ip4 = tt.addptr %is4, %r4 : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
  %at4 = tt.load %ip4 : tensor<512x!tt.ptr<i32>>
  %xs4 = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %xp4 = tt.addptr %xs4, %at4 : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v4 = tt.load %xp4 : tensor<512x!tt.ptr<f32>>
  %ys4 = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %yp4 = tt.addptr %ys4, %r4 : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %yp4, %v4 : tensor<512x!tt.ptr<f32>>
  %r5 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %is5 = tt.splat %i : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %ip5 = tt.addptr %is5, %r5 : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %at5 = tt.load %ip5 : tensor<1024x!tt.ptr<i32>>
  %xs5 = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp5 = tt.addptr %xs5, %at5 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v5 = tt.load %xp5 : tensor<1024x!tt.ptr<f32>>
  %ys5 = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp5 = tt.addptr %ys5, %r5 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %yp5, %v5 : tensor<1024x!tt.ptr<f32>>
  %r6 = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %is6 = tt.splat %i : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %ip6 = tt.addptr %is6, %r6 : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
  %at6 = tt.load %ip6 : tensor<2048x!tt.ptr<i32>>
  %xs6 = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %xp6 = tt.addptr %xs6, %at6 : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %v6 = tt.load %xp6 : tensor<2048x!tt.ptr<f32>>
  %ys6 = tt.splat %y : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %yp6 = tt.addptr %ys6, %r6 : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  tt.store %yp6, %v6 : tensor<2048x!tt.ptr<f32>>
  %r7 = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %is7 = tt.splat %i : !tt.ptr<i32> -> tensor<4096x!tt.ptr<i32>>
  %ip7 = tt.addptr %is7, %r7 : tensor<4096x!tt.ptr<i32>>, tensor<4096xi32>
  %at7 = tt.load %ip7 : tensor<4096x!tt.ptr<i32>>
  %xs7 = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %xp7 = tt.addptr %xs7, %at7 : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v7 = tt.load %xp7 : tensor<4096x!tt.ptr<f32>>
  %ys7 = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp7 = tt.addptr %ys7, %r7 : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %yp7, %v7 : tensor<4096x!tt.ptr<f32>>
  %r8 = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32>
  %is8 = tt.splat %i : !tt.ptr<i32> -> tensor<8192x!tt.ptr<i32>>
  %ip8 = tt.addptr %is8, %r8 : tensor<8192x!tt.ptr<i32>>, tensor<8192xi32>
  %at8 = tt.load %ip8 : tensor<8192x!tt.ptr<i32>>
  %xs8 = tt.splat %x : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>>
  %xp8 = tt.addptr %xs8, %at8 : tensor<8192x!tt.ptr<f32>>, tensor<8192xi32>
  %v8 = tt.load %xp8 : tensor<8192x!tt.ptr<f32>>
  %ys8 = tt.splat %y : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>>
  %yp8 = tt.addptr %ys8, %r8 : tensor<8192x!tt.ptr<f32>>, tensor<8192xi32>
  tt.store %yp8, %v8 : tensor<8192x!tt.ptr<f32>>
  %r9 = tt.make_range {end = 16384 : i32, start = 0 : i32} : tensor<16384xi32>
  %is9 = tt.splat %i : !tt.ptr<i32> -> tensor<16384x!tt.ptr<i32>>
  %ip9 = tt.addptr %is9, %r9 : tensor<16384x!tt.ptr<i32>>, tensor<16384xi32>
  %at9 = tt.load %ip9 : tensor<16384x!tt.ptr<i32>>
  %xs9 = tt.splat %x : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>>
  %xp9 = tt.addptr %xs9, %at9 : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
  %v9 = tt.load %xp9 : tensor<16384x!tt.ptr<f32>>
  %ys9 = tt.splat %y : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>>
  %yp9 = tt.addptr %ys9, %r9 : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
  tt.store %yp9, %v9 : tensor<16384x!tt.ptr<f32>>
  %r10 = tt.make_range {end = 32768 : i32, start = 0 : i32} : tensor<32768xi32>
  %is10 = tt.splat %i : !tt.ptr<i32> -> tensor<32768x!tt.ptr<i32>>
  %ip10 = tt.addptr %is10, %r10 : tensor<32768x!tt.ptr<i32>>, tensor<32768xi32>
  %at10 = tt.load %ip10 : tensor<32768x!tt.ptr<i32>>
  %xs10 = tt.splat %x : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>>
  %xp10 = tt.addptr %xs10, %at10 : tensor<32768x!tt.ptr<f32>>, tensor<32768xi32>
  %v10 = tt.load %xp10 : tensor<32768x!tt.ptr<f32>>
  %ys10 = tt.splat %y : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>>
  %yp10 = tt.addptr %ys10, %r10 : tensor<32768x!tt.ptr<f32>>, tensor<32768xi32>
  tt.store %yp10, %v10 : tensor<32768x!tt.ptr<f32>>
  tt.return
}
