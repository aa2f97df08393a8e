// RUN: trireme-opt %s --verify-diagnostics --split-input-file

func.func @buffer_c1_strides(%context: !llvm.ptr, %arena: !llvm.ptr, %i: index) {
  // expected-error @below {{has 0 strides for 1 indices}}
  %0 = runtime.buffer %arena at 0 by (%i) strides []
  return
}

// -----

func.func @launch_c1_count(%context: !llvm.ptr) {
  // expected-error @below {{launches 0 rows in blocks of 8, expected at least 1}}
  runtime.launch %context, @k, 0() count 0 grain 8
  return
}

// -----

func.func @launch_c1_grain(%context: !llvm.ptr) {
  // expected-error @below {{launches 8 rows in blocks of -1, expected at least 1}}
  runtime.launch %context, @k, 0() count 8 grain -1
  return
}

// -----

// kernel_c1_types
// expected-error @below {{has 1 kinds and 0 types of operands, 0 kinds and 0 types of results}}
runtime.kernel @k rows 1 columns 4 grain 1 in [#train<row_kind full>] [] out [] [] {
  train.rows_yield
}

// -----

// kernel_c2_columns
// expected-error @below {{has 1 rows, 0 columns and grain 1, expected at least 1}}
runtime.kernel @k rows 1 columns 0 grain 1 in [] [] out [] [] {
  train.rows_yield
}

// -----

// kernel_c2_grain
// expected-error @below {{has 1 rows, 4 columns and grain 0, expected at least 1}}
runtime.kernel @k rows 1 columns 4 grain 0 in [] [] out [] [] {
  train.rows_yield
}

// -----

// kernel_c3_arguments
// expected-error @below {{has body arguments of types 'f64', expected [f32]}}
runtime.kernel @k rows 1 columns 4 grain 1 in [#train<row_kind full>] [f32] out [] [] {
^bb0(%x: f64):
  train.rows_yield
}

// -----

// kernel_c3_yield
// expected-error @below {{must end in train.rows_yield of types [f32]}}
runtime.kernel @k rows 1 columns 4 grain 1 in [] [] out [#train<row_kind full>] [f32] {
  train.rows_yield
}

// -----

// kernel_c4_body
runtime.kernel @k rows 1 columns 4 grain 1 in [] [] out [] [] {
  // expected-error @below {{cannot stand in the body of a kernel, expected arith and math on scalars, train.reduce or train.column}}
  %0 = arith.constant dense<0.0> : tensor<4xf32>
  train.rows_yield
}
