// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tt.func(test-demanded-masks))'

#id = affine_map<(d0) -> (d0)>

tt.func @one_masked_store(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %x: tensor<8xf32>, %e: tensor<8xf32>) {
  // expected-remark @below {{is used under %arg1}}
  %y = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%p, %y, %m : tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) {
  ^bb0(%address: !tt.ptr<f32>, %value: f32, %mask: i1):
    tt.store %address, %value, %mask : !tt.ptr<f32>
    linalg.yield
  }
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>

tt.func @stores_under_two_masks(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>, %x: tensor<8xf32>,
                                %e: tensor<8xf32>) {
  // expected-remark @below {{is used everywhere}}
  %y = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%p, %y, %m : tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) {
  ^bb0(%address: !tt.ptr<f32>, %value: f32, %mask: i1):
    tt.store %address, %value, %mask : !tt.ptr<f32>
    linalg.yield
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%p, %y, %n : tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) {
  ^bb0(%address: !tt.ptr<f32>, %value: f32, %mask: i1):
    tt.store %address, %value, %mask : !tt.ptr<f32>
    linalg.yield
  }
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>

// The mask has to be correct everywhere, and so does the block that it is computed from.
tt.func @block_that_the_mask_is_computed_from(%p: tensor<8x!tt.ptr<i32>>, %x: tensor<8xi32>, %y: tensor<8xi32>,
                                              %e: tensor<8xi32>, %b: tensor<8xi1>) {
  // expected-remark @below {{is used everywhere}}
  %s = linalg.map { arith.addi } ins(%x, %y : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>)
  // expected-remark @below {{is used everywhere}}
  %m = linalg.map { arith.cmpi {predicate = 2 : i64} } ins(%s, %y : tensor<8xi32>, tensor<8xi32>)
      outs(%b : tensor<8xi1>)
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%p, %s, %m : tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) {
  ^bb0(%address: !tt.ptr<i32>, %value: i32, %mask: i1):
    tt.store %address, %value, %mask : !tt.ptr<i32>
    linalg.yield
  }
  tt.return
}

// -----

// Elements that are zero where the mask is false do not change a sum.
tt.func @sum_of_selected_elements(%m: tensor<8xi1>, %x: tensor<8xf32>, %e: tensor<8xf32>) -> f32 {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // expected-remark @below {{is used under %arg0 along dimension 0}}
  %y = linalg.map { math.exp } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  // expected-remark @below {{is used under %arg0 along dimension 0}}
  %z = linalg.map { arith.select } ins(%m, %y, %zero : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>)
      outs(%e : tensor<8xf32>)
  %sum = "tt.reduce"(%z) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8xf32>) -> f32
  tt.return %sum : f32
}

// -----

// A product is changed by them.
tt.func @product_of_selected_elements(%m: tensor<8xi1>, %x: tensor<8xf32>, %e: tensor<8xf32>) -> f32 {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // expected-remark @below {{is used everywhere}}
  %z = linalg.map { arith.select } ins(%m, %x, %zero : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>)
      outs(%e : tensor<8xf32>)
  %product = "tt.reduce"(%z) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8xf32>) -> f32
  tt.return %product : f32
}

// -----

#id = affine_map<(d0) -> (d0)>

// An address may depend on a masked-off element only if the load is under the same mask.
tt.func @address_of_a_load_without_the_mask(%base: tensor<8x!tt.ptr<f32>>, %p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>,
                                            %i: tensor<8xi32>, %e: tensor<8xi32>, %a: tensor<8x!tt.ptr<f32>>,
                                            %f: tensor<8xf32>) {
  // expected-remark @below {{is used everywhere}}
  %j = linalg.map { arith.addi } ins(%i, %i : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>)
  // expected-remark @below {{is used everywhere}}
  %q = linalg.map { tt.addptr } ins(%base, %j : tensor<8x!tt.ptr<f32>>, tensor<8xi32>) outs(%a : tensor<8x!tt.ptr<f32>>)
  // expected-remark @below {{is used under %arg2}}
  %y = linalg.map { tt.load {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} }
      ins(%q : tensor<8x!tt.ptr<f32>>) outs(%f : tensor<8xf32>)
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%p, %y, %m : tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) {
  ^bb0(%address: !tt.ptr<f32>, %value: f32, %mask: i1):
    tt.store %address, %value, %mask : !tt.ptr<f32>
    linalg.yield
  }
  tt.return
}

// -----

#id = affine_map<(d0) -> (d0)>

tt.func @volatile_load(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %f: tensor<8xf32>) {
  // expected-remark @below {{is used everywhere}}
  %y = linalg.map { tt.load {isVolatile = true, operandSegmentSizes = array<i32: 1, 0, 0>} }
      ins(%p : tensor<8x!tt.ptr<f32>>) outs(%f : tensor<8xf32>)
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%p, %y, %m : tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) {
  ^bb0(%address: !tt.ptr<f32>, %value: f32, %mask: i1):
    tt.store %address, %value, %mask : !tt.ptr<f32>
    linalg.yield
  }
  tt.return
}
