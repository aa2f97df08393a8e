// RUN: trireme-opt %s --train-form-rows --split-input-file | FileCheck %s

// An element-wise operation is a flat kernel.
// CHECK-LABEL: func.func @elementwise
// CHECK: train.rows "relu" rows 32 columns 1 flat in(%{{.*}} : tensor<4x8xf32>) [#train<row_kind full>] out(tensor<4x8xf32>) [#train<row_kind full>] updated [-1] {
// CHECK: ^bb0(%[[X:.*]]: f32):
// CHECK:   %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:   %[[GREATER:.*]] = arith.cmpf ogt, %[[X]], %[[ZERO]] : f32
// CHECK:   %[[Y:.*]] = arith.select %[[GREATER]], %[[X]], %[[ZERO]] : f32
// CHECK:   train.rows_yield %[[Y]] : f32
func.func @elementwise(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = train.relu %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A norm runs over rows of its last dim; gains are columns, the statistic is a
// value a row.
// CHECK-LABEL: func.func @norm
// CHECK: train.rows "rms_norm" rows 6 columns 8 in(%{{.*}}, %{{.*}} : tensor<2x3x8xf32>, tensor<8xf32>) [#train<row_kind full>, #train<row_kind column>] out(tensor<2x3x8xf32>, tensor<2x3xf32>) [#train<row_kind full>, #train<row_kind row>] updated [-1, -1]
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X:.*]], %[[X]] : f32
// CHECK: train.reduce sum %[[SQUARE]] : f32
// CHECK: math.rsqrt
func.func @norm(%x: tensor<2x3x8xf32>, %g: tensor<8xf32>) -> (tensor<2x3x8xf32>, tensor<2x3xf32>) {
  %0, %1 = train.rms_norm %x, %g eps 1.0e-05 : tensor<2x3x8xf32>, tensor<8xf32>
  return %0, %1 : tensor<2x3x8xf32>, tensor<2x3xf32>
}

// -----

// A bias of several dims makes rows of them; its gradient sums columns.
// CHECK-LABEL: func.func @bias
// CHECK: train.rows "add_bias" rows 3 columns 8 in(%{{.*}}) [#train<row_kind full>, #train<row_kind column>]
// CHECK: train.rows "sum_leading" rows 3 columns 8 in(%{{.*}} : tensor<3x2x4xf32>) [#train<row_kind full>] out(tensor<2x4xf32>) [#train<row_kind column_sum>] updated [-1]
func.func @bias(%x: tensor<3x2x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = train.add_bias %x, %b : tensor<3x2x4xf32>, tensor<2x4xf32>
  %1 = train.sum_leading %0 dims 1 : tensor<3x2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// The update of a parameter overwrites it and its moments.
// CHECK-LABEL: func.func @update
// CHECK: train.rows "adamw" rows 4 columns 1 flat in({{.*}}) [#train<row_kind full>, #train<row_kind full>, #train<row_kind full>, #train<row_kind full>, #train<row_kind scalar>, {{.*}}] out({{.*}}) [{{.*}}] updated [0, 2, 3]
func.func @update(%p: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %f: tensor<f32>, %a: tensor<i1>, %h: tensor<f64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0, %1, %2 = train.adamw %p, %g, %m, %v factor %f apply %a lr %h betas %h, %h eps %h weight_decay %h step %h : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Scalars are a kernel of one element; sums of integers too.
// CHECK-LABEL: func.func @scalars
// CHECK: train.rows "count_targets" rows 6 columns 1 flat in(%{{.*}} : tensor<2x3xi32>) [#train<row_kind full>] out(tensor<f32>) [#train<row_kind sum>]
// CHECK: train.rows "loss_seed" rows 1 columns 1 in(%{{.*}} : tensor<f32>) [#train<row_kind scalar>] out(tensor<f32>, tensor<i1>) [#train<row_kind scalar>, #train<row_kind scalar>]
func.func @scalars(%t: tensor<2x3xi32>) -> (tensor<f32>, tensor<i1>) {
  %0 = train.count_targets %t : tensor<2x3xi32> -> tensor<f32>
  %1, %2 = train.loss_seed %0 : tensor<f32> -> tensor<f32>, tensor<i1>
  return %1, %2 : tensor<f32>, tensor<i1>
}

// -----

// Products, attention, loops and shapes are no kernels; a loop's body is.
// CHECK-LABEL: func.func @others
// CHECK: train.linear
// CHECK: train.loop
// CHECK: train.rows "silu"
// CHECK: train.reshape
func.func @others(%x: tensor<4x4xf32>) -> tensor<16xf32> {
  %0 = train.linear %x, %x contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = train.loop "layers" count 2 carry(%c = %0 : tensor<4x4xf32>) {
    %2 = train.silu %c : tensor<4x4xf32>
    train.yield carry(%2 : tensor<4x4xf32>)
  }
  %3 = train.reshape %1 : tensor<4x4xf32> -> tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// A fill with another value than zero is a kernel; zeros stay what they are.
// CHECK-LABEL: func.func @fills
// CHECK: train.rows "fill" rows 32 columns 1 flat in() [] out(tensor<4x8xf32>) [#train<row_kind full>] updated [-1] {
// CHECK-NEXT: %[[VALUE:.*]] = arith.constant 1.500000e+00 : f32
// CHECK-NEXT: train.rows_yield %[[VALUE]] : f32
// CHECK: train.fill 0.000000e+00 : tensor<3xi32>
func.func @fills() -> (tensor<4x8xf32>, tensor<3xi32>) {
  %0 = train.fill 1.500000e+00 : tensor<4x8xf32>
  %1 = train.fill 0.000000e+00 : tensor<3xi32>
  return %0, %1 : tensor<4x8xf32>, tensor<3xi32>
}
