// RUN: trireme-opt %s --train-set-batch-shape="rows=3 sequence=5" --split-input-file | FileCheck %s

// Tokens, targets and positions take the shape, and all types that follow.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: tensor<3x5xi32> {train.role = #train.role<tokens>}
// CHECK-SAME: tensor<3x5xi32> {train.role = #train.role<targets>}
// CHECK-SAME: tensor<50x8xf32>
// CHECK-SAME: -> (tensor<f32>, tensor<f32>, tensor<3x5x8xf32>)
// CHECK: %[[H:.*]] = train.embedding %{{.*}} : tensor<50x8xf32>, tensor<3x5xi32>, tensor<i32>
// CHECK: %[[R:.*]] = train.relu %[[H]] : tensor<3x5x8xf32>
// CHECK: train.cross_entropy_head %[[R]], {{.*}} : tensor<3x5x8xf32>, tensor<50x8xf32>, tensor<3x5xi32>, tensor<i32>
func.func @forward(%ids: tensor<1x2xi32> {train.role = #train.role<tokens>}, %t: tensor<1x2xi32> {train.role = #train.role<targets>}, %w: tensor<50x8xf32>) -> (tensor<f32>, tensor<f32>, tensor<1x2x8xf32>) {
  %start = train.fill 0.0 : tensor<i32>
  %h = train.embedding %w, %ids start %start : tensor<50x8xf32>, tensor<1x2xi32>, tensor<i32>
  %r = train.relu %h : tensor<1x2x8xf32>
  %sum, %count = train.cross_entropy_head %r, %w targets %t start %start : tensor<1x2x8xf32>, tensor<50x8xf32>, tensor<1x2xi32>, tensor<i32>
  return %sum, %count, %r : tensor<f32>, tensor<f32>, tensor<1x2x8xf32>
}

// -----

// A loop's carries, slices, invariants and stacked results follow.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<3x5x8xf32>, tensor<4x3x5x8xf32>)
// CHECK: train.loop "layers" count 4 carry(%{{.*}} = %{{.*}} : tensor<3x5x8xf32>) with(%{{.*}} = %{{.*}} : tensor<3x5xi32>) stacked(tensor<4x3x5x8xf32>)
// CHECK: train.yield carry(%{{.*}} : tensor<3x5x8xf32>) stacked(%{{.*}} : tensor<3x5x8xf32>)
func.func @forward(%ids: tensor<1x2xi32> {train.role = #train.role<positions>}, %w: tensor<50x8xf32>) -> (tensor<1x2x8xf32>, tensor<4x1x2x8xf32>) {
  %start = train.fill 0.0 : tensor<i32>
  %h = train.embedding %w, %ids start %start : tensor<50x8xf32>, tensor<1x2xi32>, tensor<i32>
  %0:2 = train.loop "layers" count 4 carry(%c = %h : tensor<1x2x8xf32>) with(%i = %ids : tensor<1x2xi32>) stacked(tensor<4x1x2x8xf32>) {
    %1 = train.relu %c : tensor<1x2x8xf32>
    train.yield carry(%1 : tensor<1x2x8xf32>) stacked(%c : tensor<1x2x8xf32>)
  }
  return %0#0, %0#1 : tensor<1x2x8xf32>, tensor<4x1x2x8xf32>
}

// -----

// A reshape that leaves the batch's dims in front takes the new ones; what has
// nothing to do with the batch stays.
// CHECK-LABEL: func.func @forward
// CHECK: train.reshape %{{.*}} : tensor<3x5x8xf32> -> tensor<3x5x2x4xf32>
// CHECK: train.reshape %{{.*}} : tensor<50x8xf32> -> tensor<50x2x4xf32>
func.func @forward(%ids: tensor<1x2xi32> {train.role = #train.role<tokens>}, %w: tensor<50x8xf32>) -> (tensor<1x2x2x4xf32>, tensor<50x2x4xf32>) {
  %start = train.fill 0.0 : tensor<i32>
  %h = train.embedding %w, %ids start %start : tensor<50x8xf32>, tensor<1x2xi32>, tensor<i32>
  %0 = train.reshape %h : tensor<1x2x8xf32> -> tensor<1x2x2x4xf32>
  %1 = train.reshape %w : tensor<50x8xf32> -> tensor<50x2x4xf32>
  return %0, %1 : tensor<1x2x2x4xf32>, tensor<50x2x4xf32>
}
