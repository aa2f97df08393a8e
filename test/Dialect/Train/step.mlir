// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// CHECK-LABEL: func.func @sums
// CHECK: train.sum %{{.*}} : tensor<4x8xf32>
// CHECK: train.sum_squares %{{.*}} : tensor<4x8xf32>
// CHECK: train.count_targets %{{.*}} : tensor<2x16xi32> -> tensor<f32>
// CHECK: train.loss_seed %{{.*}} : tensor<f32> -> tensor<f32>, tensor<i1>
// CHECK: train.clip_factor %{{.*}}, %{{.*}} loss %{{.*}} apply %{{.*}} update_nonfinite %{{.*}} : tensor<f32>, tensor<f64>, tensor<f32>, tensor<i1>, tensor<f64> -> tensor<f32>, tensor<f32>, tensor<i1>
func.func @sums(%x: tensor<4x8xf32>, %t: tensor<2x16xi32>, %max: tensor<f64>) -> (tensor<f32>, tensor<f32>, tensor<i1>, tensor<f32>) {
  %0 = train.sum %x : tensor<4x8xf32>
  %1 = train.sum_squares %x : tensor<4x8xf32>
  %2 = train.count_targets %t : tensor<2x16xi32> -> tensor<f32>
  %seed, %apply = train.loss_seed %2 : tensor<f32> -> tensor<f32>, tensor<i1>
  %norm, %factor, %update = train.clip_factor %1, %max loss %0 apply %apply update_nonfinite %max : tensor<f32>, tensor<f64>, tensor<f32>, tensor<i1>, tensor<f64> -> tensor<f32>, tensor<f32>, tensor<i1>
  return %0, %seed, %apply, %factor : tensor<f32>, tensor<f32>, tensor<i1>, tensor<f32>
}

// CHECK-LABEL: func.func @adamw
// CHECK: train.adamw %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} factor %{{.*}} apply %{{.*}} lr %{{.*}} betas %{{.*}}, %{{.*}} eps %{{.*}} weight_decay %{{.*}} step %{{.*}} {decay} :
func.func @adamw(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %m: tensor<4x8xf32>, %v: tensor<4x8xf32>, %f: tensor<f32>, %apply: tensor<i1>, %h: tensor<f64>) -> tensor<4x8xf32> {
  %0, %1, %2 = train.adamw %p, %g, %m, %v factor %f apply %apply lr %h betas %h, %h eps %h weight_decay %h step %h {decay}
      : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  return %0 : tensor<4x8xf32>
}
