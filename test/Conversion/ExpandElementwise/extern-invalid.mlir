// RUN: blockdsl-opt %s -expand-elementwise -split-input-file -verify-diagnostics

func.func @unknown(%x: vector<16xf32>) -> vector<16xf32> {
  // expected-error @below {{'tt.extern_elementwise' op calls '__nv_frobnicatef', which has no meaning on a CPU}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_frobnicatef"} : (vector<16xf32>) -> vector<16xf32>
  return %y : vector<16xf32>
}

// -----

func.func @not_of_the_device_library(%x: f32) -> f32 {
  // expected-error @below {{'tt.extern_elementwise' op calls 'expf', which has no meaning on a CPU}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "expf"} : (f32) -> f32
  return %y : f32
}

// -----

func.func @wrong_number_of_operands(%x: f32) -> f32 {
  // expected-error @below {{'tt.extern_elementwise' op calls '__nv_powf' with operands it does not take}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (f32) -> f32
  return %y : f32
}

// -----

func.func @wrong_kind_of_operand(%x: i32) -> i32 {
  // expected-error @below {{'tt.extern_elementwise' op calls '__nv_expf' with operands it does not take}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (i32) -> i32
  return %y : i32
}

// -----

func.func @wrong_result(%x: f32) -> f32 {
  // expected-error @below {{'tt.extern_elementwise' op expects '__nv_isnanf' to give 'i32', but it is declared to give 'f32'}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_isnanf"} : (f32) -> f32
  return %y : f32
}
