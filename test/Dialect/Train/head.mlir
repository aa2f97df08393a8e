// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// CHECK-LABEL: func.func @head
// CHECK: train.cross_entropy_head %{{.*}}, %{{.*}} targets %{{.*}} start %{{.*}} {softcap = 3.000000e+01 : f64} : tensor<2x16x8xf32>, tensor<50x8xf32>, tensor<2x16xi32>, tensor<i32>
// CHECK: train.cross_entropy_head_grad %{{.*}}, %{{.*}} targets %{{.*}} start %{{.*}} seed %{{.*}} : tensor<2x16x8xf32>, tensor<50x8xf32>, tensor<2x16xi32>, tensor<i32>, tensor<f32>
func.func @head(%h: tensor<2x16x8xf32>, %w: tensor<50x8xf32>, %t: tensor<2x16xi32>, %start: tensor<i32>) -> (tensor<f32>, tensor<2x16x8xf32>, tensor<50x8xf32>) {
  %sum, %count = train.cross_entropy_head %h, %w targets %t start %start {softcap = 30.0 : f64} : tensor<2x16x8xf32>, tensor<50x8xf32>, tensor<2x16xi32>, tensor<i32>
  %s, %dh, %dw = train.cross_entropy_head_grad %h, %w targets %t start %start seed %count : tensor<2x16x8xf32>, tensor<50x8xf32>, tensor<2x16xi32>, tensor<i32>, tensor<f32>
  return %sum, %dh, %dw : tensor<f32>, tensor<2x16x8xf32>, tensor<50x8xf32>
}

// CHECK-LABEL: func.func @rows
// CHECK: %[[MAX:.*]] = train.row_max %{{.*}} start %{{.*}} {valid = 48 : i64} : tensor<32x50xf32>, tensor<i32>
// CHECK: %[[SUM:.*]] = train.row_exp_sum %{{.*}}, %[[MAX]] start %{{.*}} : tensor<32x50xf32>, tensor<32xf32>, tensor<i32>
// CHECK: %[[PICKED:.*]] = train.pick %{{.*}}, %{{.*}} start %{{.*}} : tensor<32x50xf32>, tensor<32xi32>, tensor<i32>
// CHECK: %[[LOSS:.*]]:2 = train.row_loss %[[MAX]], %[[SUM]], %[[PICKED]], %{{.*}} : tensor<32xf32>, tensor<32xi32>
// CHECK: train.cross_entropy_grad %{{.*}}, %{{.*}} start %{{.*}}, %[[LOSS]]#1 seed %{{.*}} : tensor<32x50xf32>, tensor<32xi32>, tensor<i32>, tensor<32xf32>, tensor<f32>
func.func @rows(%l: tensor<32x50xf32>, %t: tensor<32xi32>, %start: tensor<i32>, %seed: tensor<f32>) -> (tensor<32xf32>, tensor<32x50xf32>) {
  %max = train.row_max %l start %start {valid = 48 : i64} : tensor<32x50xf32>, tensor<i32>
  %sum = train.row_exp_sum %l, %max start %start : tensor<32x50xf32>, tensor<32xf32>, tensor<i32>
  %picked = train.pick %l, %t start %start : tensor<32x50xf32>, tensor<32xi32>, tensor<i32>
  %loss, %log = train.row_loss %max, %sum, %picked, %t : tensor<32xf32>, tensor<32xi32>
  %dl = train.cross_entropy_grad %l, %t start %start, %log seed %seed : tensor<32x50xf32>, tensor<32xi32>, tensor<i32>, tensor<32xf32>, tensor<f32>
  return %loss, %dl : tensor<32xf32>, tensor<32x50xf32>
}

// Tokens in chunks, and back; one block a dim, or more.
// CHECK-LABEL: func.func @chunks
// CHECK: %[[A:.*]] = train.chunk %{{.*}} leading 2 chunks 3 blocks [2, 1] : tensor<4x6x8xf32>
// CHECK: train.unchunk %[[A]] leading 2 chunks 3 blocks [2, 1] : tensor<3x8x8xf32> -> tensor<4x6x8xf32>
// CHECK: train.chunk %{{.*}} leading 1 chunks 2 blocks [1] : tensor<4xi32>
func.func @chunks(%x: tensor<4x6x8xf32>, %t: tensor<4xi32>) -> (tensor<4x6x8xf32>, tensor<2x2xi32>) {
  %0 = train.chunk %x leading 2 chunks 3 blocks [2, 1] : tensor<4x6x8xf32>
  %1 = train.unchunk %0 leading 2 chunks 3 blocks [2, 1] : tensor<3x8x8xf32> -> tensor<4x6x8xf32>
  %2 = train.chunk %t leading 1 chunks 2 blocks [1] : tensor<4xi32>
  return %1, %2 : tensor<4x6x8xf32>, tensor<2x2xi32>
}
