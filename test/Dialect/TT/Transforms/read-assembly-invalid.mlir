// RUN: blockdsl-opt %s -split-input-file -tt-read-assembly -verify-diagnostics

tt.func @branches(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: branches are not read ('L:')}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "L: mov.b32 $0, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @branch_under_a_condition(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: branches are not read ('@p bra L')}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "@p bra L;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @undeclared_predicate(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'p' is no predicate}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "@p mov.b32 $0, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @register_as_a_predicate(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: '$1' is no predicate}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "@$1 mov.b32 $0, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @predicate_as_a_number(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'p' is a predicate, and no number}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".reg .pred p; add.s32 $0, p, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @number_in_a_predicate(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'p' is a predicate}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".reg .pred p; mov.b32 p, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @predicate_in_a_register(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: '$0' is no predicate}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".reg .pred p; setp.lt.s32 p, $1, 1; mov.pred $0, p;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @unsigned_comparison_of_signed_numbers(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'setp.lo.s32 p, $1, 1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".reg .pred p; setp.lo.s32 p, $1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @comparison_of_bits(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'setp.lt.b32 p, $1, 1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".reg .pred p; setp.lt.b32 p, $1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @pairs_have_two_predicates(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'setp.lt.f16x2 p, $1, 1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".reg .pred p; setp.lt.f16x2 p, $1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @unknown_combination(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'setp.lt.nor.s32 p, $1, 1, p' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".reg .pred p; setp.lt.nor.s32 p, $1, 1, p;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @field_of_bits(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'bfe.b32 $0, $1, 1, 1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "bfe.b32 $0, $1, 1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @field_in_a_number(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'bfi.u32 $0, $1, 1, 1, 1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "bfi.u32 $0, $1, 1, 1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @two_modes(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'prmt.b32.f4e.b4e $0, $1, 1, 1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "prmt.b32.f4e.b4e $0, $1, 1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @pairs_are_not_shifted(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'shl.f16x2 $0, $1, 1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "shl.f16x2 $0, $1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @directives(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: directives are not read ('.shared .b8 s')}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".shared .b8 s;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @wide_registers(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: expects predicates, or registers of 8 to 64 bits, got '.f128'}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".reg .f128 q;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @many_registers(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: expects a number of registers up to 1024, got 'p<9999>'}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm ".reg .b32 p<9999>;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @open_brace(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: expects '}' in 'mov.b32 {$0, $1'}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 {$0, $1" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @missing_comma(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: expects ',' between the operands of 'mov.b64 {$0, $1} $1'}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b64 {$0, $1} $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @unknown_instruction(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'ld.global.b32 $0, [$1]' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "ld.global.b32 $0, [$1];" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @unknown_word(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'add.sat.u32 $0, $1, 1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "add.sat.u32 $0, $1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @operand_that_is_missing(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'add.s32 $0, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "add.s32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @half_of_a_product(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'mul.s32 $0, $1, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mul.s32 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @unknown_register(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'q' is neither a register with a value nor a number}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, q;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @written_number(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: '5' is no register that may be written}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 5, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @constraint_of_memory(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'm' is no register of 8 to 64 bits}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, 1;" {constraints = "=r,m", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @too_few_registers(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: the constraints have 0 input registers, where 1 are filled}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, 1;" {constraints = "=r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @too_many_results(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: the constraints have 2 output registers, where 1 are filled}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, 1;" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @narrow_register(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: a register of 16 bits does not hold 32}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, 1;" {constraints = "=r,h", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @block_of_nothing() {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: there is no operand to say what the elements of 'tensor<64xi32>' are}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, 1;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> tensor<64xi32>
  tt.return
}

// -----

// Groups of elements have to fill registers.
tt.func @six_bytes(%x: tensor<64xi8>, %y: i8) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 6 elements of 8 bits do not fill registers of 4}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 6 : i32, pure = true} %y : i8 -> i8
  tt.return
}

// -----

tt.func @barrier_without_a_number(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'bar.sync' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "bar.sync;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @barrier_that_computes(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'bar.red.popc.u32 $0, 0, 1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "bar.red.popc.u32 $0, 0, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @fence_without_a_scope(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'fence.acq_rel' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "fence.acq_rel;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @barrier_of_nothing(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'q' is neither a register with a value nor a number}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "bar.sync q;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @hint_about_nothing(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'q' is neither a register with a value nor a number}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "prefetch.global.L2 [q+16];" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @immediate_that_is_no_constant(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: $1 is an immediate, and expects an integer that is known when the kernel is compiled}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,n", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @immediate_as_a_result(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: '=n' is no register of 8 to 64 bits}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=n,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @written_immediate(%x: tensor<64xi32>) {
  %five = arith.constant dense<5> : tensor<64xi32>
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: '$2' is no register that may be written}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mov.b32 $2, $1;" {constraints = "=r,r,n", packed_element = 1 : i32, pure = true} %x, %five
      : tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @random_bits_that_are_missing(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'cvt.rs.f16x2.f32 $0, $1, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "cvt.rs.f16x2.f32 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @random_bits_for_a_format_without(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'cvt.rs.f16.f32 $0, $1, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "cvt.rs.f16.f32 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @small_floats_that_are_not_cut_off(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'cvt.rn.e2m1x2.f32 $0, $1, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "cvt.rn.e2m1x2.f32 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @four_floats_out_of_two_registers(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'cvt.rs.satfinite.e4m3x4.f32 $0, {$1, $1}, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "cvt.rs.satfinite.e4m3x4.f32 $0, {$1, $1}, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @scale_to_the_nearest(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'cvt.rn.ue8m0x2.f32 $0, $1, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "cvt.rn.ue8m0x2.f32 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @sum_of_small_floats(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'add.e4m3x2 $0, $1, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "add.e4m3x2 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @product_of_two_widths(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'mul.hi.wide.s32 $0, $1, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "mul.hi.wide.s32 $0, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @funnel_shift_without_a_bound(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'shf.l.b32 $0, $1, $1, 3' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "shf.l.b32 $0, $1, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @bytes_of_bits(%x: tensor<64xi32>) {
  // expected-error @below {{'tt.elementwise_inline_asm' op has no form on the CPU: 'dp4a.b32.s32 $0, $1, $1, $1' is not among the instructions that are read}}
  // expected-note @below {{the functions of the language run everywhere}}
  %0 = tt.elementwise_inline_asm "dp4a.b32.s32 $0, $1, $1, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x
      : tensor<64xi32> -> tensor<64xi32>
  tt.return
}
