// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// A kernel with every kind of operand and result.
// CHECK-LABEL: func.func @kinds
// CHECK: train.rows "all" rows 4 columns 8 in(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<f32>) [#train<row_kind full>, #train<row_kind row>, #train<row_kind column>, #train<row_kind scalar>] out(tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<f32>) [#train<row_kind full>, #train<row_kind row>, #train<row_kind column_sum>, #train<row_kind sum>] updated [0, -1, -1, -1] {
// CHECK: ^bb0(%[[F:.*]]: f32, %[[R:.*]]: f32, %[[C:.*]]: f32, %[[S:.*]]: f32):
// CHECK:   train.reduce sum %{{.*}} : f32
// CHECK:   train.reduce max %[[F]] : f32
// CHECK:   train.column : i32
// CHECK:   train.rows_yield %{{.*}}, %{{.*}}, %[[C]], %[[F]] : f32, f32, f32, f32
func.func @kinds(%x: tensor<4x8xf32>, %r: tensor<4xf32>, %c: tensor<8xf32>, %s: tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<f32>) {
  %0:4 = train.rows "all" rows 4 columns 8 in(%x, %r, %c, %s : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<f32>)
      [#train<row_kind full>, #train<row_kind row>, #train<row_kind column>, #train<row_kind scalar>]
      out(tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<f32>)
      [#train<row_kind full>, #train<row_kind row>, #train<row_kind column_sum>, #train<row_kind sum>] updated [0, -1, -1, -1] {
  ^bb0(%f: f32, %w: f32, %o: f32, %k: f32):
    %1 = arith.mulf %f, %w : f32
    %2 = train.reduce sum %1 : f32
    %3 = train.reduce max %f : f32
    %4 = train.column : i32
    %5 = arith.sitofp %4 : i32 to f32
    %6 = arith.addf %5, %k : f32
    %7 = arith.addf %2, %3 : f32
    train.rows_yield %6, %7, %o, %f : f32, f32, f32, f32
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<f32>
}

// An element-wise kernel has no rows to speak of; one without operands, and one
// without results, are possible.
// CHECK-LABEL: func.func @flat
// CHECK: train.rows "negate" rows 6 columns 1 flat in(%{{.*}} : tensor<2x3xf32>) [#train<row_kind full>] out(tensor<2x3xf32>) [#train<row_kind full>] updated [-1] {
// CHECK: train.rows "columns" rows 2 columns 3 in() [] out(tensor<2x3xi32>) [#train<row_kind full>] updated [-1] {
// CHECK-NEXT: train.column : i32
// CHECK: train.rows "nothing" rows 1 columns 1 in() [] out [] updated [] {
func.func @flat(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0 = train.rows "negate" rows 6 columns 1 flat in(%x : tensor<2x3xf32>) [#train<row_kind full>] out(tensor<2x3xf32>) [#train<row_kind full>] updated [-1] {
  ^bb0(%1: f32):
    %2 = arith.negf %1 : f32
    train.rows_yield %2 : f32
  }
  %3 = train.rows "columns" rows 2 columns 3 in() [] out(tensor<2x3xi32>) [#train<row_kind full>] updated [-1] {
    %4 = train.column : i32
    train.rows_yield %4 : i32
  }
  train.rows "nothing" rows 1 columns 1 in() [] out [] updated [] {
    train.rows_yield
  }
  return %0, %3 : tensor<2x3xf32>, tensor<2x3xi32>
}
