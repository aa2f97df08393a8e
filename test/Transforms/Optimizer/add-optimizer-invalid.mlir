// RUN: trireme-opt %s --train-add-optimizer --split-input-file --verify-diagnostics
// RUN: not trireme-opt %s --train-add-optimizer="micro-batches=0" --split-input-file 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: option micro-batches is 0, expected at least 1

// expected-error @below {{needs @forward and @gradient}}
module {
  func.func private @forward()
}

// -----

// expected-error @below {{must be one block that returns}}
func.func private @forward()
func.func private @gradient()

// -----

// expected-error @below {{argument 0 must have the role tokens, targets, positions or parameter}}
func.func @forward(%s: tensor<f32> {train.role = #train.role<seed>}) { return }
func.func private @gradient()

// -----

// expected-error @below {{must take targets and parameters, and return sum and count as float scalars}}
func.func @forward(%t: tensor<2x3xi32> {train.role = #train.role<targets>}) { return }
func.func private @gradient()

// -----

// expected-error @below {{must take targets and parameters, and return sum and count as float scalars}}
func.func @forward(%t: tensor<2x3xi32> {train.role = #train.role<targets>}, %w: tensor<4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [4], normal 1.0>}) -> (tensor<4xf32>, tensor<4xf32>) { return %w, %w : tensor<4xf32>, tensor<4xf32> }
func.func private @gradient()

// -----

func.func @forward(%t: tensor<2x3xi32> {train.role = #train.role<targets>}, %w: tensor<f32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [1], normal 1.0>}) -> (tensor<f32>, tensor<f32>) { return %w, %w : tensor<f32>, tensor<f32> }
// expected-error @below {{has type '(tensor<2x3xi32>, tensor<f32>) -> tensor<f32>', expected '(tensor<2x3xi32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)'}}
func.func @gradient(%t: tensor<2x3xi32>, %w: tensor<f32>) -> tensor<f32> { return %w : tensor<f32> }

// -----

func.func @forward(%t: tensor<2x3xi32> {train.role = #train.role<targets>}, %w: tensor<f32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [1], normal 1.0>}) -> (tensor<f32>, tensor<f32>) { return %w, %w : tensor<f32>, tensor<f32> }
// expected-error @below {{argument 2 has another role than that of @forward (or the seed)}}
func.func @gradient(%t: tensor<2x3xi32> {train.role = #train.role<targets>}, %w: tensor<f32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [1], normal 1.0>}, %s: tensor<f32>) -> (tensor<f32>, tensor<f32>) { return %w, %w : tensor<f32>, tensor<f32> }
