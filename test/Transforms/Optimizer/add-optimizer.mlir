// RUN: trireme-opt %s --train-add-optimizer --split-input-file | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: trireme-opt %s --train-add-optimizer="micro-batches=4" --split-input-file | FileCheck %s --check-prefixes=CHECK,FOUR

// The step counts targets first, clips by the norm over all gradients and
// updates every parameter; a vector does not decay. With one micro-batch there
// is no loop, with four the gradients add up in carries. @forward and @gradient
// go.
// CHECK-NOT: @forward
// CHECK-NOT: @gradient
// CHECK-LABEL: func.func @train
// ONE-SAME: %[[TOKENS:[a-z0-9]+]]: tensor<1x2x3xi32> {train.role = #train.role<tokens>}
// FOUR-SAME: %[[TOKENS:[a-z0-9]+]]: tensor<4x2x3xi32> {train.role = #train.role<tokens>}
// CHECK-SAME: %[[TARGETS:[a-z0-9]+]]: tensor<{{.}}x2x3xi32> {train.role = #train.role<targets>}
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<50x8xf32> {train.param = #train.param<"w", [50, 8], normal 1.000000e+00 : f64>, train.role = #train.role<parameter>}
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<8xf32> {train.param = #train.param<"b", [8], normal 1.000000e+00 : f64>, train.role = #train.role<parameter>}
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<50x8xf32> {train.param = #train.param<"w", [50, 8], normal 1.000000e+00 : f64>, train.role = #train.role<first_moment>}
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<50x8xf32> {train.param = #train.param<"w", [50, 8], normal 1.000000e+00 : f64>, train.role = #train.role<second_moment>}
// CHECK-SAME: "lr"
// CHECK-SAME: "beta1"
// CHECK-SAME: "beta2"
// CHECK-SAME: "eps"
// CHECK-SAME: "weight_decay"
// CHECK-SAME: %[[MAX:[a-z0-9]+]]: tensor<f64> {train.hyper = "max_norm"
// CHECK-SAME: "step"
// CHECK-SAME: -> (tensor<f32> {train.result = "loss"}, tensor<f32> {train.result = "grad_norm"}, tensor<50x8xf32> {train.result = "parameter:w"}, tensor<50x8xf32> {train.result = "first_moment:w"}, tensor<50x8xf32> {train.result = "second_moment:w"}, tensor<8xf32> {train.result = "parameter:b"},
// CHECK: %[[COUNT:.*]] = train.count_targets %[[TARGETS]]
// CHECK: %[[SEED:.*]]:2 = train.loss_seed %[[COUNT]]
// ONE: train.reshape %[[TOKENS]] : tensor<1x2x3xi32> -> tensor<2x3xi32>
// ONE-NOT: train.loop
// FOUR: %[[SUMS:.*]]:3 = train.loop "micro_batches" count 4 carry(%[[LOSS:.*]] = %{{.*}} : tensor<f32>, %[[DW:.*]] = %{{.*}} : tensor<50x8xf32>, %{{.*}} = %{{.*}} : tensor<8xf32>) each(%{{.*}} = %[[TOKENS]] : tensor<4x2x3xi32>, %{{.*}} = %[[TARGETS]] : tensor<4x2x3xi32>) with(%{{.*}} = %[[W]] : tensor<50x8xf32>, %{{.*}} = %[[B]] : tensor<8xf32>, %{{.*}} = %[[SEED]]#0 : tensor<f32>)
// FOUR: train.add %[[LOSS]], %{{.*}} : tensor<f32>
// FOUR: train.add %[[DW]], %{{.*}} : tensor<50x8xf32>
// FOUR: train.yield
// CHECK: %[[SQUARES:.*]] = train.sum_squares %{{.*}} : tensor<50x8xf32>
// CHECK: %[[MORE:.*]] = train.sum_squares %{{.*}} : tensor<8xf32>
// CHECK: %[[ALL:.*]] = train.add %[[SQUARES]], %[[MORE]]
// CHECK: %[[MEAN:.*]] = train.mul %{{.*}}, %[[SEED]]#0
// CHECK: %[[CLIP:.*]]:3 = train.clip_factor %[[ALL]], %[[MAX]] loss %[[MEAN]] apply %[[SEED]]#1
// CHECK: train.adamw %[[W]], %{{.*}}, %[[M]], %[[V]] factor %[[CLIP]]#1 apply %[[CLIP]]#2 {{.*}} {decay}
// CHECK: train.adamw %[[B]],
// CHECK-NOT: {decay}
// CHECK: return %{{.*}}, %[[CLIP]]#0,
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {train.result = "eval_sum"}, tensor<f32> {train.result = "eval_count"})
// ONE-NOT: train.loop
// FOUR: train.loop "micro_batches" count 4
func.func @forward(%ids: tensor<2x3xi32> {train.role = #train.role<tokens>}, %t: tensor<2x3xi32> {train.role = #train.role<targets>}, %w: tensor<50x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [50, 8], normal 1.0>}, %b: tensor<8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"b", [8], normal 1.0>}) -> (tensor<f32>, tensor<f32>) {
  %start = train.fill 0.0 : tensor<i32>
  %h = train.embedding %w, %ids start %start : tensor<50x8xf32>, tensor<2x3xi32>, tensor<i32>
  %sum, %count = train.cross_entropy_head %h, %w targets %t start %start : tensor<2x3x8xf32>, tensor<50x8xf32>, tensor<2x3xi32>, tensor<i32>
  return %sum, %count : tensor<f32>, tensor<f32>
}
func.func @gradient(%ids: tensor<2x3xi32> {train.role = #train.role<tokens>}, %t: tensor<2x3xi32> {train.role = #train.role<targets>}, %w: tensor<50x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [50, 8], normal 1.0>}, %b: tensor<8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"b", [8], normal 1.0>}, %seed: tensor<f32> {train.role = #train.role<seed>}) -> (tensor<f32>, tensor<50x8xf32>, tensor<8xf32>) {
  return %seed, %w, %b : tensor<f32>, tensor<50x8xf32>, tensor<8xf32>
}
