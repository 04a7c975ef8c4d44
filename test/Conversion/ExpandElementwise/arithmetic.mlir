// RUN: blockdsl-opt %s -expand-elementwise=features=+avx512f,+avx512dq | FileCheck %s --check-prefixes=CHECK,X86,FUSION
// RUN: blockdsl-opt %s -expand-elementwise=fp-fusion=false | FileCheck %s --check-prefixes=CHECK,OTHER,EXACT

// CHECK-LABEL: func.func @fusion
// FUSION:        arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
// FUSION-NEXT:   arith.addf %{{.*}}, %{{.*}} fastmath<contract>
// EXACT:         arith.mulf %{{.*}}, %{{.*}} :
// EXACT-NEXT:    arith.addf %{{.*}}, %{{.*}} :
func.func @fusion(%x: vector<16xf32>, %y: vector<16xf32>, %z: vector<16xf32>) -> vector<16xf32> {
  %p = arith.mulf %x, %y : vector<16xf32>
  %s = arith.addf %p, %z : vector<16xf32>
  return %s : vector<16xf32>
}

// NaN propagates. With a constant bound that is not NaN, one compare and select is enough.

// CHECK-LABEL: func.func @maximum
// CHECK-SAME:    %[[X:.*]]: vector<16xf32>, %[[Y:.*]]: vector<16xf32>
// X86-DAG:       %[[ONE:.*]] = arith.constant dense<1.0
// X86:           arith.cmpf oeq, %[[X]], %[[X]]
// X86-NEXT:      %[[GREATER:.*]] = arith.cmpf ogt, %[[X]], %[[Y]]
// X86-NEXT:           %[[MAX:.*]] = arith.select %[[GREATER]], %[[X]], %[[Y]]
// X86:           arith.select %{{.*}}, %[[MAX]], %[[X]]
// X86:           %[[LESS:.*]] = arith.cmpf olt, %[[ONE]], %[[X]]
// X86-NEXT:      arith.select %[[LESS]], %[[ONE]], %[[X]]
// OTHER:         arith.maximumf
// OTHER:         arith.minimumf
func.func @maximum(%x: vector<16xf32>, %y: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %a = arith.maximumf %x, %y : vector<16xf32>
  %b = arith.minimumf %x, %one : vector<16xf32>
  return %a, %b : vector<16xf32>, vector<16xf32>
}

// NaN is ignored: the select tests the element, not the carried maximum.

// CHECK-LABEL: func.func @maximum_of_numbers
// CHECK-SAME:    %[[X:.*]]: vector<16xf32>, %[[Y:.*]]: vector<16xf32>
// X86:           %[[IS_NUMBER:.*]] = arith.cmpf oeq, %[[Y]], %[[Y]]
// X86-NEXT:      %[[GREATER:.*]] = arith.cmpf ogt, %[[X]], %[[Y]]
// X86-NEXT:      %[[MAX:.*]] = arith.select %[[GREATER]], %[[X]], %[[Y]]
// X86-NEXT:      arith.select %[[IS_NUMBER]], %[[MAX]], %[[X]]
// X86:           arith.minnumf
// OTHER:         arith.maxnumf
// OTHER:         arith.minnumf
func.func @maximum_of_numbers(%x: vector<16xf32>, %y: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %a = arith.maxnumf %x, %y : vector<16xf32>
  %b = arith.minnumf %x, %one : vector<16xf32>
  return %a, %b : vector<16xf32>, vector<16xf32>
}

// CHECK-LABEL: func.func @clamps
// CHECK:         %[[A:.*]] = arith.maxnumf
// CHECK-NEXT:    arith.minnumf %[[A]]
// OTHER:         %[[B:.*]] = arith.maximumf
// OTHER-NEXT:    arith.minimumf %[[B]]
func.func @clamps(%x: f32, %low: f32, %high: f32) -> (f32, f32) {
  %a = tt.clampf %x, %low, %high, propagateNan = none : f32
  %b = tt.clampf %x, %low, %high, propagateNan = all : f32
  return %a, %b : f32, f32
}

// An approximate quotient by a number that is uniform and loop-invariant becomes a product: the reciprocal is computed
// before the loop, and so is the power of two that makes the reciprocal a normal number.

// CHECK-LABEL: func.func @approximate_quotient
// CHECK-SAME:    %[[P:[^:]*]]: !llvm.ptr, %[[D:[^:]*]]: f32
// CHECK:         %[[SIZE:.*]] = math.absf %[[D]]
// CHECK:         %[[SMALL:.*]] = arith.cmpf olt, %[[SIZE]]
// CHECK:         %[[LARGE:.*]] = arith.cmpf ogt, %[[SIZE]]
// CHECK:         %[[OTHER:.*]] = arith.select %[[LARGE]]
// CHECK:         %[[S:.*]] = arith.select %[[SMALL]], %{{.*}}, %[[OTHER]]
// CHECK:         %[[DS:.*]] = arith.mulf %[[D]], %[[S]]
// CHECK:         %[[R:.*]] = arith.divf %{{.*}}, %[[DS]] : f32
// CHECK-NEXT:    %[[RS:.*]] = vector.broadcast %[[R]]
// CHECK-NEXT:    %[[SS:.*]] = vector.broadcast %[[S]]
// CHECK:         scf.for
// CHECK:           %[[X:.*]] = llvm.load
// CHECK:           %[[Q:.*]] = arith.mulf %[[X]], %[[RS]]
// CHECK:           arith.mulf %[[Q]], %[[SS]]
// CHECK-NOT:       arith.divf
// CHECK:         return
func.func @approximate_quotient(%p: !llvm.ptr, %d: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %x = llvm.load %p : !llvm.ptr -> vector<16xf32>
    %ds = vector.broadcast %d : f32 to vector<16xf32>
    %q = tt.approx_divf %x, %ds : vector<16xf32>
    llvm.store %q, %p : vector<16xf32>, !llvm.ptr
  }
  return
}

// Other quotients are rounded correctly, so they are divisions, whatever the divisor.

// CHECK-LABEL: func.func @correctly_rounded_quotients
// CHECK-NOT:     arith.mulf
// CHECK:         scf.for
// CHECK:           %[[X:.*]] = llvm.load
// CHECK:           %[[D:.*]] = vector.broadcast
// CHECK:           %[[Q:.*]] = arith.divf %[[X]], %[[D]] : vector<16xf32>
// CHECK:           arith.divf %[[Q]], %[[D]] : vector<16xf32>
// CHECK-NOT:     arith.mulf
// CHECK:         return
func.func @correctly_rounded_quotients(%p: !llvm.ptr, %d: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %x = llvm.load %p : !llvm.ptr -> vector<16xf32>
    %ds = vector.broadcast %d : f32 to vector<16xf32>
    %q = arith.divf %x, %ds : vector<16xf32>
    %q2 = tt.precise_divf %q, %ds : vector<16xf32>
    llvm.store %q2, %p : vector<16xf32>, !llvm.ptr
  }
  return
}

// Even and odd lanes are multiplied separately; for the widest lanes there is no wider type.

// CHECK-LABEL: func.func @high_products
// CHECK-SAME:    %[[X:.*]]: vector<16xi32>
// CHECK:         %[[PAIRS:.*]] = vector.bitcast %[[X]] : vector<16xi32> to vector<8xi64>
// CHECK:         arith.andi %[[PAIRS]]
// CHECK:         %[[EVEN:.*]] = arith.muli %{{.*}} : vector<8xi64>
// CHECK:         %[[EVENS:.*]] = vector.bitcast %[[EVEN]] : vector<8xi64> to vector<16xi32>
// CHECK:         arith.shrui
// CHECK:         %[[ODD:.*]] = arith.muli %{{.*}} : vector<8xi64>
// CHECK:         %[[ODDS:.*]] = vector.bitcast %[[ODD]] : vector<8xi64> to vector<16xi32>
// CHECK:         vector.shuffle %[[EVENS]], %[[ODDS]] [1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31]
// CHECK:         arith.mului_extended %{{.*}} : i64
func.func @high_products(%x: vector<16xi32>, %y: i64) -> (vector<16xi32>, i64) {
  %a = tt.mulhiui %x, %x : vector<16xi32>
  %b = tt.mulhiui %y, %y : i64
  return %a, %b : vector<16xi32>, i64
}

// A float that does not fit becomes the nearest integer, NaN zero. Bounds that are floats are applied before.

// CHECK-LABEL: func.func @to_integers
// CHECK-SAME:    %[[X:.*]]: f32)
// CHECK:         %[[LESS:.*]] = arith.cmpf ogt, %[[LEAST:.*]], %[[X]]
// CHECK:         %[[BOUNDED:.*]] = arith.select %[[LESS]], %[[LEAST]], %[[X]]
// CHECK:         %[[A:.*]] = arith.fptosi %[[BOUNDED]] : f32 to i32
// CHECK:         %[[FITS:.*]] = arith.cmpf olt, %[[BOUNDED]], %{{.*}}
// CHECK:         %[[CUT:.*]] = arith.select %[[FITS]], %[[A]], %{{.*}} : i32
// CHECK:         %[[NUMBER:.*]] = arith.cmpf oeq, %[[X]], %[[X]]
// CHECK:         arith.select %[[NUMBER]], %[[CUT]], %{{.*}} : i32
// CHECK:         %[[POSITIVE:.*]] = arith.cmpf ogt, %[[X]], %{{.*}}
// CHECK:         arith.select %[[POSITIVE]], %[[X]], %{{.*}} : f32
// CHECK:         %[[B:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK-NEXT:    arith.trunci %[[B]] : i32 to i8
func.func @to_integers(%x: f32) -> (i32, i8) {
  %a = arith.fptosi %x : f32 to i32
  %b = arith.fptoui %x : f32 to i8
  return %a, %b : i32, i8
}

// Shifts by the width or more are zero or the sign. Shifts by amounts that are known to be less are unchanged.

// CHECK-LABEL: func.func @shifts
// CHECK-SAME:    %[[X:.*]]: vector<4xi32>, %[[BY:.*]]: vector<4xi32>
// CHECK-DAG:     %[[LAST:.*]] = arith.constant dense<31> : vector<4xi32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0> : vector<4xi32>
// CHECK-DAG:     %[[LESS:.*]] = arith.constant dense<[0, 1, 30, 31]> : vector<4xi32>
// CHECK:         %[[FITS:.*]] = arith.cmpi ule, %[[BY]], %[[LAST]]
// CHECK:         %[[LEFT:.*]] = arith.shli %[[X]], %[[BY]]
// CHECK:         arith.select %[[FITS]], %[[LEFT]], %[[ZERO]]
// CHECK:         %[[MIN:.*]] = arith.minui %[[BY]], %[[LAST]]
// CHECK:         arith.shrsi %[[X]], %[[MIN]]
// CHECK-NOT:     arith.cmpi
// CHECK:         arith.shrui %[[X]], %[[LESS]]
// CHECK:         arith.shli %[[X]], %{{.*}}
// CHECK:         arith.cmpi ule
func.func @shifts(%x: vector<4xi32>, %by: vector<4xi32>)
    -> (vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>) {
  %less = arith.constant dense<[0, 1, 30, 31]> : vector<4xi32>
  %last = arith.constant dense<31> : vector<4xi32>
  %more = arith.constant dense<[0, 1, 32, 31]> : vector<4xi32>
  %a = arith.shli %x, %by : vector<4xi32>
  %b = arith.shrsi %x, %by : vector<4xi32>
  %c = arith.shrui %x, %less : vector<4xi32>
  %d = arith.shli %x, %last : vector<4xi32>
  %e = arith.shrui %x, %more : vector<4xi32>
  return %a, %b, %c, %d, %e : vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>
}

// Through f64, which represents all 32-bit integers. Of the lowest bits of 64 only whether any is set matters.

// CHECK-LABEL: func.func @to_small_floats
// CHECK:         arith.sitofp %{{.*}} : i32 to f64
// CHECK:         arith.ori %{{.*}} : i64
// CHECK:         arith.uitofp %{{.*}} : i64 to f64
func.func @to_small_floats(%x: i32, %y: i64) -> (bf16, bf16) {
  %a = arith.sitofp %x : i32 to bf16
  %b = arith.uitofp %y : i64 to bf16
  return %a, %b : bf16, bf16
}
