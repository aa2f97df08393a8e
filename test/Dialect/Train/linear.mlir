// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// The result has the dims that are left of the first operand, then of the
// second; the returned types say so.
// CHECK-LABEL: func.func @orders
// CHECK: train.linear %{{.*}}, %{{.*}} contract 1 : tensor<8x64x32xf32>, tensor<32x2x16xf32>
// CHECK: train.linear %{{.*}}, %{{.*}} contract 1 rhs_transposed : tensor<8x64x32xf32>, tensor<2x16x32xf32>
// CHECK: train.linear %{{.*}}, %{{.*}} contract 2 lhs_transposed : tensor<8x64x32xf32>, tensor<8x64x2xf32>
// CHECK: train.linear %{{.*}}, %{{.*}} contract 1 lhs_transposed rhs_transposed : tensor<8x64x32xf32>, tensor<2x8xf32>
func.func @orders(%x: tensor<8x64x32xf32>, %a: tensor<32x2x16xf32>, %b: tensor<2x16x32xf32>, %c: tensor<8x64x2xf32>, %d: tensor<2x8xf32>)
    -> (tensor<8x64x2x16xf32>, tensor<8x64x2x16xf32>, tensor<32x2xf32>, tensor<64x32x2xf32>) {
  %0 = train.linear %x, %a contract 1 : tensor<8x64x32xf32>, tensor<32x2x16xf32>
  %1 = train.linear %x, %b contract 1 rhs_transposed : tensor<8x64x32xf32>, tensor<2x16x32xf32>
  %2 = train.linear %x, %c contract 2 lhs_transposed : tensor<8x64x32xf32>, tensor<8x64x2xf32>
  %3 = train.linear %x, %d contract 1 lhs_transposed rhs_transposed : tensor<8x64x32xf32>, tensor<2x8xf32>
  return %0, %1, %2, %3 : tensor<8x64x2x16xf32>, tensor<8x64x2x16xf32>, tensor<32x2xf32>, tensor<64x32x2xf32>
}

// All dims of both operands may be contracted.
// CHECK-LABEL: func.func @inner
// CHECK: train.linear %{{.*}}, %{{.*}} contract 2 : tensor<2x3xf32>, tensor<2x3xf32>
func.func @inner(%x: tensor<2x3xf32>) -> tensor<f32> {
  %0 = train.linear %x, %x contract 2 : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @accumulate
// CHECK: train.linear %{{.*}}, %{{.*}} contract 1 lhs_transposed accumulate %{{.*}} : tensor<4x5xf32> : tensor<2x4xf32>, tensor<2x5xf32>
func.func @accumulate(%x: tensor<2x4xf32>, %y: tensor<2x5xf32>, %acc: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = train.linear %x, %y contract 1 lhs_transposed accumulate %acc : tensor<4x5xf32> : tensor<2x4xf32>, tensor<2x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @bias
// CHECK: train.add_bias %{{.*}}, %{{.*}} : tensor<8x2x4xf32>, tensor<2x4xf32>
// CHECK: train.sum_leading %{{.*}} dims 1 : tensor<8x2x4xf32>
func.func @bias(%x: tensor<8x2x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = train.add_bias %x, %b : tensor<8x2x4xf32>, tensor<2x4xf32>
  %1 = train.sum_leading %0 dims 1 : tensor<8x2x4xf32>
  return %1 : tensor<2x4xf32>
}
