// RUN: trireme-opt %s --train-differentiate --split-input-file | FileCheck %s

// A value with two uses gets the sum of their cotangents; @forward stays.
// CHECK-LABEL: func.func @forward
// CHECK-NEXT: train.mul
// CHECK-NEXT: return
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME: %[[W:.*]]: tensor<f32> {train.param = {{.*}}, train.role = #train.role<parameter>}, %[[SEED:.*]]: tensor<f32> {train.role = #train.role<seed>}) -> (tensor<f32> {train.result = "loss_sum"}, tensor<f32> {train.result = "gradient:w"})
// CHECK: %[[LOSS:.*]] = train.mul %[[W]], %[[W]]
// CHECK: %[[ONE:.*]] = train.mul %[[SEED]], %[[W]]
// CHECK: %[[TWO:.*]] = train.mul %[[SEED]], %[[W]]
// CHECK: %[[SUM:.*]] = train.add %[[ONE]], %[[TWO]]
// CHECK: return %[[LOSS]], %[[SUM]]
func.func @forward(%w: tensor<f32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [1], normal 1.0>}) -> tensor<f32> {
  %0 = train.mul %w, %w : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// What is no trained parameter gets no gradient, a parameter that the loss does
// not depend on gets zeros, and nothing is built for either.
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME: %[[X:.*]]: tensor<f32>, %[[W:[a-z0-9]+]]: tensor<f32> {
// CHECK-NOT: train.silu_grad
// CHECK: %[[DW:.*]] = train.relu_grad %[[W]],
// CHECK: %[[ZEROS:.*]] = train.fill 0.000000e+00 : tensor<4xf32>
// CHECK: return %{{.*}}, %[[DW]], %[[ZEROS]]
func.func @forward(%x: tensor<f32>, %w: tensor<f32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [1], normal 1.0>}, %unused: tensor<4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"unused", [4], normal 1.0>}) -> tensor<f32> {
  %0 = train.silu %x : tensor<f32>
  %1 = train.relu %w : tensor<f32>
  %2 = train.mul %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A loop's derivative runs in reverse. The carry that the backward body reads is
// stacked by the forward loop; slices of parameters and invariants are read
// again, never stacked.
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME: %[[X:.*]]: tensor<f32>, %[[W:[a-z0-9]+]]: tensor<3xf32> {{.*}} %[[V:[a-z0-9]+]]: tensor<f32> {train.param = #train.param<"v", {{.*}} %[[SEED:[a-z0-9]+]]: tensor<f32> {train.role = #train.role<seed>})
// CHECK: %[[F:.*]]:3 = train.loop "layers" count 3 first 2 carry(%[[CARRY:.*]] = %[[X]] : tensor<f32>)
// CHECK:   %[[PRODUCT:.*]] = train.mul %[[CARRY]],
// CHECK:   train.yield carry(%{{.*}} : tensor<f32>) stacked(%[[PRODUCT]], %[[CARRY]] : tensor<f32>, tensor<f32>)
// CHECK: %[[ZERO:.*]] = train.fill 0.000000e+00 : tensor<f32>
// CHECK: %[[B:.*]]:3 = train.loop "layers" count 3 first 2 reverse carry(%[[DC:.*]] = %[[SEED]] : tensor<f32>, %[[SUM:.*]] = %[[ZERO]] : tensor<f32>) each(%[[P:.*]] = %[[F]]#1 : tensor<3xf32>, %[[S:.*]] = %[[W]] : tensor<3xf32>, %[[C:.*]] = %[[F]]#2 : tensor<3xf32>) with(%[[I:.*]] = %[[V]] : tensor<f32>) stacked(tensor<3xf32>)
// CHECK:   %[[DP:.*]] = train.mul %[[DC]], %[[I]]
// CHECK:   %[[DI:.*]] = train.mul %[[DC]], %[[P]]
// CHECK:   %[[DX:.*]] = train.mul %[[DP]], %[[S]]
// CHECK:   %[[DS:.*]] = train.mul %[[DP]], %[[C]]
// CHECK:   %[[NEXT:.*]] = train.add %[[SUM]], %[[DI]]
// CHECK:   train.yield carry(%[[DX]], %[[NEXT]] : tensor<f32>, tensor<f32>) stacked(%[[DS]] : tensor<f32>)
// CHECK: return %[[F]]#0, %[[B]]#2, %[[B]]#1
func.func @forward(%x: tensor<f32>, %w: tensor<3xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w.{}", [1], normal 1.0>}, %v: tensor<f32> {train.role = #train.role<parameter>, train.param = #train.param<"v", [1], normal 1.0>}) -> tensor<f32> {
  %0 = train.loop "layers" count 3 first 2 carry(%c = %x : tensor<f32>) each(%s = %w : tensor<3xf32>) with(%i = %v : tensor<f32>) {
    %1 = train.mul %c, %s : tensor<f32>
    %2 = train.mul %1, %i : tensor<f32>
    train.yield carry(%2 : tensor<f32>)
  }
  return %0 : tensor<f32>
}

// -----

// What is computed from slices and invariants alone is computed again.
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<3xf32>
// CHECK: train.loop "layers" count 3 carry
// CHECK-SAME: stacked(tensor<3xf32>) {
// CHECK: train.loop "layers" count 3 reverse
// CHECK-SAME: each(%[[S:.*]] = %[[W]] : tensor<3xf32>, %{{.*}} = %{{.*}}#1 : tensor<3xf32>)
// CHECK: %{{.*}} = train.silu %[[S]]
// CHECK: train.silu_grad %[[S]]
func.func @forward(%x: tensor<f32>, %w: tensor<3xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w.{}", [1], normal 1.0>}) -> tensor<f32> {
  %0 = train.loop "layers" count 3 carry(%c = %x : tensor<f32>) each(%s = %w : tensor<3xf32>) {
    %1 = train.silu %s : tensor<f32>
    %2 = train.add %c, %1 : tensor<f32>
    %3 = train.mul %2, %1 : tensor<f32>
    train.yield carry(%3 : tensor<f32>)
  }
  return %0 : tensor<f32>
}

// -----

// The head gives the loss and its gradients in one; the loss is read there.
// CHECK-LABEL: func.func @gradient(
// CHECK: %[[GRAD:.*]]:3 = train.cross_entropy_head_grad
// CHECK: return %[[GRAD]]#0, %[[GRAD]]#1, %[[GRAD]]#2
func.func @forward(%h: tensor<2x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"h", [2, 8], normal 1.0>}, %w: tensor<50x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [50, 8], normal 1.0>}, %t: tensor<2xi32>) -> (tensor<f32>, tensor<f32>) {
  %start = train.fill 0.0 : tensor<i32>
  %sum, %count = train.cross_entropy_head %h, %w targets %t start %start : tensor<2x8xf32>, tensor<50x8xf32>, tensor<2xi32>, tensor<i32>
  return %sum, %count : tensor<f32>, tensor<f32>
}

// -----

// A use of the head's loss before its gradient is there keeps the head.
// CHECK-LABEL: func.func @gradient(
// CHECK: %[[HEAD:.*]]:2 = train.cross_entropy_head %
// CHECK: %[[LOSS:.*]] = train.add %[[HEAD]]#0,
// CHECK: %[[GRAD:.*]]:3 = train.cross_entropy_head_grad
// CHECK: return %[[LOSS]], %[[GRAD]]#1
func.func @forward(%h: tensor<2x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"h", [2, 8], normal 1.0>}, %w: tensor<50x8xf32>, %t: tensor<2xi32>, %aux: tensor<f32>) -> tensor<f32> {
  %start = train.fill 0.0 : tensor<i32>
  %sum, %count = train.cross_entropy_head %h, %w targets %t start %start : tensor<2x8xf32>, tensor<50x8xf32>, tensor<2xi32>, tensor<i32>
  %loss = train.add %sum, %aux : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A bias of as many dims as the source takes the cotangent as it is.
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME: %[[SEED:[a-z0-9]+]]: tensor<f32> {train.role = #train.role<seed>}
// CHECK-NOT: train.sum_leading
// CHECK: return %{{.*}}, %[[SEED]]
func.func @forward(%x: tensor<f32>, %b: tensor<f32> {train.role = #train.role<parameter>, train.param = #train.param<"b", [1], normal 1.0>}) -> tensor<f32> {
  %0 = train.add_bias %x, %b : tensor<f32>, tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A program without any operation of ours.
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME: %[[X:.*]]: tensor<f32>, %{{.*}}: tensor<f32> {train.role = #train.role<seed>})
// CHECK-NEXT: return %[[X]]
func.func @forward(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
