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
