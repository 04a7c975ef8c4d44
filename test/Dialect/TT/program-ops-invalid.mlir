// RUN: blockdsl-opt %s -split-input-file -verify-diagnostics

tt.func @program_id_of_unknown_axis() {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'axis' [x, y, z]}}
  %x = tt.get_program_id w : i32
  tt.return
}

// -----

tt.func @program_id_is_i32() {
  // expected-error @below {{'tt.get_program_id' op result #0 must be 32-bit signless integer, but got 'i64'}}
  %x = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i64
  tt.return
}

// -----

tt.func @barrier_of_unknown_scope() {
  // expected-error @below {{expects scope of the barrier (everything) to be all, none, local, global_read, global_write, tensor_read or tensor_write}}
  ttg.barrier everything
  tt.return
}
