// RUN: trireme-opt %s --verify-diagnostics --split-input-file

// Types of results are inferred while an operation is parsed, before anything
// has checked its operands.

func.func @linear_scalar(%x: f32) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = train.linear %x, %x contract 1 : f32, f32
  return
}

// -----

func.func @sum_unranked(%x: tensor<*xf32>) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = train.sum %x : tensor<*xf32>
  return
}

// -----

func.func @linear_dynamic(%x: tensor<2x?xf32>) {
  // expected-error @below {{has operand 0 of type 'tensor<2x?xf32>', expected a statically shaped tensor}}
  %0 = train.linear %x, %x contract 1 : tensor<2x?xf32>, tensor<2x?xf32>
  return
}

// -----

func.func @stack_index(%x: tensor<4xf32>, %y: index) {
  // expected-error @below {{has operand 1 of type 'index', expected a statically shaped tensor}}
  %0 = train.stack %x, %y dim 0 : tensor<4xf32>, index
  return
}

// -----

func.func @integers(%x: tensor<2x3xi32>, %g: tensor<3xi32>) {
  // expected-error @below {{operand #0 must be statically shaped tensor of 1 to 2^48 elements of floating-point values}}
  %0, %1 = train.rms_norm %x, %g eps 1.0e-05 : tensor<2x3xi32>, tensor<3xi32>
  return
}

// -----

func.func @elementwise(%x: f32) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = train.relu %x : f32
  return
}

// -----

// What is missing in the generic form.

func.func @loop_without_attributes() {
  // expected-error @below {{requires attribute 'count'}}
  "train.loop"() <{label = "layers", operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    "train.yield"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @linear_without_contract(%x: tensor<2x2xf32>) {
  // expected-error @below {{requires attribute 'contract'}}
  %0 = "train.linear"(%x, %x) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @rotary_table_without_rope(%p: tensor<2x2xi32>) {
  // expected-error @below {{requires attribute 'rope'}}
  %0 = "train.rotary_table"(%p) : (tensor<2x2xi32>) -> tensor<2x2x2x4xf32>
  return
}

// -----

func.func @rows_without_kinds() {
  // expected-error @below {{requires attribute 'columns'}}
  "train.rows"() <{name = "f", rows = 1 : i64}> ({
    "train.rows_yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @rows_other_kinds(%x: tensor<4xf32>) {
  // expected-error @below {{attribute 'operand_kinds' failed to satisfy constraint: row kinds}}
  "train.rows"(%x) <{name = "f", rows = 1 : i64, columns = 4 : i64, operand_kinds = [3], result_kinds = [], updated = array<i64>}> ({
  ^bb0(%0: f32):
    "train.rows_yield"() : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @loop_segments(%x: tensor<4xf32>) {
  // expected-error @below {{operand count (1) does not match with the total size (2) specified in attribute 'operandSegmentSizes'}}
  "train.loop"(%x) <{label = "layers", count = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
    "train.yield"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @loop_empty_block() {
  // expected-error @below {{expects a non-empty block}}
  "train.loop"() <{label = "layers", count = 4 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

func.func @rows_empty_block() {
  // expected-error @below {{expects a non-empty block}}
  "train.rows"() <{name = "f", rows = 1 : i64, columns = 1 : i64, operand_kinds = [], result_kinds = [], updated = array<i64>}> ({
  ^bb0:
  }) : () -> ()
  return
}
