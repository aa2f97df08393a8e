// RUN: trireme-opt %s --train-differentiate --split-input-file --verify-diagnostics

// expected-error @below {{has no function @forward}}
module {}

// -----

// expected-error @below {{must be one block that returns the loss sum}}
func.func private @forward()

// -----

// expected-error @below {{must be one block that returns the loss sum}}
func.func @forward(%w: tensor<4xf32>) {
  return
}

// -----

// expected-error @below {{must be one block that returns the loss sum}}
func.func @forward(%w: tensor<f32>) -> tensor<f32> {
  cf.br ^bb1
^bb1:
  return %w : tensor<f32>
}

// -----

// expected-error @below {{must be one block that returns the loss sum}}
func.func @forward(%w: tensor<f32>) -> tensor<f32> {
  llvm.unreachable
}

// -----

// expected-error @below {{must return the loss sum as a float scalar first, found 'tensor<4xf32>'}}
func.func @forward(%w: tensor<4xf32>) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// A sum of squares is no loss: losses end in a head.
func.func @forward(%w: tensor<4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [4], normal 1.0>}) -> tensor<f32> {
  // expected-error @below {{has no derivative, but a trained parameter reaches it}}
  %0 = train.sum_squares %w : tensor<4xf32>
  return %0 : tensor<f32>
}

// -----

// The gradient of an operand that is contracted completely would be a product
// that contracts nothing.
func.func @forward(%x: tensor<4xf32>, %w: tensor<4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [4], normal 1.0>}) -> tensor<f32> {
  // expected-error @below {{contracts all dims of operand 0 of type 'tensor<4xf32>', for which it has no derivative}}
  %0 = train.linear %x, %w contract 1 : tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<f32>
}

// -----

func.func @forward(%x: tensor<2x2xf32>, %w: tensor<2x2xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [2, 2], normal 1.0>}, %acc: tensor<2x2xf32>, %t: tensor<2xi32>) -> tensor<f32> {
  // expected-error @below {{with an accumulator has no derivative}}
  %0 = train.linear %x, %w contract 1 accumulate %acc : tensor<2x2xf32> : tensor<2x2xf32>, tensor<2x2xf32>
  %start = train.fill 0.0 : tensor<i32>
  %sum, %count = train.cross_entropy_head %0, %x targets %t start %start : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<i32>
  return %sum : tensor<f32>
}

// -----

func.func @forward(%w: tensor<2x2xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [2, 2], normal 1.0>}, %t: tensor<2xi32>) -> tensor<f32> {
  %start = train.fill 0.0 : tensor<i32>
  // expected-error @below {{has no derivative of its count}}
  %sum, %count = train.cross_entropy_head %w, %w targets %t start %start : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<i32>
  return %count : tensor<f32>
}

// -----

func.func @forward(%w: tensor<1xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [1], normal 1.0>}) -> tensor<f32> {
  // expected-error @below {{has no derivative of its statistic}}
  %y, %rstd = train.rms_norm %w, %w eps 1.0e-05 : tensor<1xf32>, tensor<1xf32>
  return %rstd : tensor<f32>
}

// -----

func.func @forward(%w: tensor<1xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [1], normal 1.0>}) -> tensor<f32> {
  // expected-error @below {{has no derivative of its statistics}}
  %y, %mean, %rstd = train.layer_norm %w, %w, %w eps 1.0e-05 : tensor<1xf32>, tensor<1xf32>
  return %mean : tensor<f32>
}

// -----

func.func @forward(%w: tensor<1x1x1x1x1xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [1], normal 1.0>}, %k: tensor<1x1x1x1xf32>, %p: tensor<1x1xi32>) -> tensor<f32> {
  // expected-error @below {{has no derivative of its statistic}}
  %o, %l = train.attention %w, %k, %k positions %p, %p scale 1.0 {window = 0 : i64} : tensor<1x1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1xi32>
  %0 = train.reshape %l : tensor<1x1x1x1xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
