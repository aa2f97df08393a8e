// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// CHECK-LABEL: func.func @rms_norm
// CHECK: %[[NORM:.*]]:2 = train.rms_norm %{{.*}}, %{{.*}} eps 1.000000e-05 : tensor<2x3x4xf32>, tensor<4xf32>
// CHECK: train.rms_norm %{{.*}}, %{{.*}} eps 9.9999999999999995E-7 {gain_offset = 1.000000e+00 : f64} : tensor<2x3x4xf32>, tensor<4xf32>
// CHECK: train.rms_norm_grad %{{.*}}, %{{.*}}, %[[NORM]]#1, %[[NORM]]#0 : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>
func.func @rms_norm(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>) {
  %y, %rstd = train.rms_norm %x, %g eps 1.0e-05 : tensor<2x3x4xf32>, tensor<4xf32>
  %z, %rstd2 = train.rms_norm %y, %g eps 1.0e-06 {gain_offset = 1.0 : f64} : tensor<2x3x4xf32>, tensor<4xf32>
  %dx, %dg = train.rms_norm_grad %x, %g, %rstd, %y : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>
  return %z, %dx, %dg : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK: %[[NORM:.*]]:3 = train.layer_norm %{{.*}}, %{{.*}}, %{{.*}} eps 1.000000e-05 : tensor<2x4xf32>, tensor<4xf32>
// CHECK: train.layer_norm_grad %{{.*}}, %{{.*}}, %[[NORM]]#1, %[[NORM]]#2, %[[NORM]]#0 : tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>
func.func @layer_norm(%x: tensor<2x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y, %mean, %rstd = train.layer_norm %x, %g, %b eps 1.0e-05 : tensor<2x4xf32>, tensor<4xf32>
  %dx, %dg, %db = train.layer_norm_grad %x, %g, %mean, %rstd, %y : tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>
  return %dx, %dg, %db : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>
}
