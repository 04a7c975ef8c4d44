// RUN: blockdsl-opt %s "--merge-arguments=leaders=0,0,5" -split-input-file -verify-diagnostics

// expected-error @below {{option 'leaders' expects at most 2 numbers, one an argument, got 3}}
tt.func @too_many(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  tt.return
}

// -----

// expected-error @below {{expects arguments 0 and 1 to be pointers to one type, got '!tt.ptr<f32>' and '!tt.ptr<i32>'}}
tt.func @two_types(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  tt.return
}

// -----

// expected-error @below {{expects arguments 0 and 1 to be pointers to one type, got '!tt.ptr<f32, "constant">' and '!tt.ptr<i32>'}}
tt.func @two_types_in_two_spaces(%x: !tt.ptr<f32, "constant">, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  tt.return
}

// -----

// expected-error @below {{expects arguments 0 and 1 to be pointers to one type, got 'i32' and 'i32'}}
tt.func @no_pointers(%x: i32, %y: i32, %z: i32) {
  tt.return
}

// -----

// expected-error @below {{option 'leaders' expects an argument up to 2 for argument 2, got 5}}
tt.func @beyond(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  tt.return
}
