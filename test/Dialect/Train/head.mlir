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
// CHECK: %[[ENTROPY:.*]]:2 = train.cross_entropy %{{.*}}, %{{.*}} start %{{.*}} : tensor<32x50xf32>, tensor<32xi32>, tensor<i32>
// CHECK: train.cross_entropy_grad %{{.*}}, %{{.*}} start %{{.*}}, %[[ENTROPY]]#1 seed %{{.*}} : tensor<32x50xf32>, tensor<32xi32>, tensor<i32>, tensor<32xf32>, tensor<f32>
func.func @rows(%l: tensor<32x50xf32>, %t: tensor<32xi32>, %start: tensor<i32>, %seed: tensor<f32>) -> (tensor<32xf32>, tensor<32x50xf32>) {
  %loss, %log = train.cross_entropy %l, %t start %start : tensor<32x50xf32>, tensor<32xi32>, tensor<i32>
  %dl = train.cross_entropy_grad %l, %t start %start, %log seed %seed : tensor<32x50xf32>, tensor<32xi32>, tensor<i32>, tensor<32xf32>, tensor<f32>
  return %loss, %dl : tensor<32xf32>, tensor<32x50xf32>
}
