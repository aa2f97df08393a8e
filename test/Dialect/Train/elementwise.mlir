// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// CHECK-LABEL: func.func @forward
// CHECK: train.add %{{.*}}, %{{.*}} : tensor<2x4xf32>
// CHECK: train.mul %{{.*}}, %{{.*}} : tensor<2x4xf32>
// CHECK: train.scale %{{.*}} by 5.000000e-01 : tensor<2x4xf32>
// CHECK: train.gelu %{{.*}} : tensor<2x4xf32>
// CHECK: train.gelu %{{.*}} {tanh} : tensor<2x4xf32>
// CHECK: train.silu %{{.*}} : tensor<2x4xf32>
// CHECK: train.relu %{{.*}} : tensor<2x4xf32>
// CHECK: train.softcap %{{.*}} cap 3.000000e+01 : tensor<2x4xf32>
func.func @forward(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = train.add %x, %y : tensor<2x4xf32>
  %1 = train.mul %0, %y : tensor<2x4xf32>
  %2 = train.scale %1 by 0.5 : tensor<2x4xf32>
  %3 = train.gelu %2 : tensor<2x4xf32>
  %4 = train.gelu %3 {tanh} : tensor<2x4xf32>
  %5 = train.silu %4 : tensor<2x4xf32>
  %6 = train.relu %5 : tensor<2x4xf32>
  %7 = train.softcap %6 cap 30.0 : tensor<2x4xf32>
  return %7 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @gradients
// CHECK: train.gelu_grad %{{.*}}, %{{.*}} : tensor<2x4xf32>
// CHECK: train.gelu_grad %{{.*}}, %{{.*}} {tanh} : tensor<2x4xf32>
// CHECK: train.silu_grad %{{.*}}, %{{.*}} : tensor<2x4xf32>
// CHECK: train.relu_grad %{{.*}}, %{{.*}} : tensor<2x4xf32>
// CHECK: train.softcap_grad %{{.*}}, %{{.*}} cap 3.000000e+01 : tensor<2x4xf32>
func.func @gradients(%x: tensor<2x4xf32>, %dy: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = train.gelu_grad %x, %dy : tensor<2x4xf32>
  %1 = train.gelu_grad %x, %0 {tanh} : tensor<2x4xf32>
  %2 = train.silu_grad %x, %1 : tensor<2x4xf32>
  %3 = train.relu_grad %x, %2 : tensor<2x4xf32>
  %4 = train.softcap_grad %x, %3 cap 30.0 : tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}

// Element-wise operations are for any rank and float type, scalars included.
// CHECK-LABEL: func.func @types
// CHECK: train.silu %{{.*}} : tensor<f64>
// CHECK: train.relu %{{.*}} : tensor<1x2x3x4x5xbf16>
func.func @types(%s: tensor<f64>, %x: tensor<1x2x3x4x5xbf16>) -> (tensor<f64>, tensor<1x2x3x4x5xbf16>) {
  %0 = train.silu %s : tensor<f64>
  %1 = train.relu %x : tensor<1x2x3x4x5xbf16>
  return %0, %1 : tensor<f64>, tensor<1x2x3x4x5xbf16>
}
