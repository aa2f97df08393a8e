// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// CHECK-LABEL: func.func @embedding
// CHECK: %[[ROWS:.*]] = train.embedding %{{.*}}, %{{.*}} start %{{.*}} : tensor<50x8x4xf32>, tensor<2x16xi32>, tensor<i32>
// CHECK: %[[GRAD:.*]] = train.embedding_grad %{{.*}}, %[[ROWS]] start %{{.*}} : tensor<2x16xi32>, tensor<2x16x8x4xf32>, tensor<i32> -> tensor<50x8x4xf32>
// CHECK: train.embedding_grad %{{.*}}, %[[ROWS]] start %{{.*}} accumulate %[[GRAD]] : tensor<50x8x4xf32> : tensor<2x16xi32>, tensor<2x16x8x4xf32>, tensor<i32> -> tensor<50x8x4xf32>
func.func @embedding(%table: tensor<50x8x4xf32>, %ids: tensor<2x16xi32>, %start: tensor<i32>) -> tensor<50x8x4xf32> {
  %0 = train.embedding %table, %ids start %start : tensor<50x8x4xf32>, tensor<2x16xi32>, tensor<i32>
  %1 = train.embedding_grad %ids, %0 start %start : tensor<2x16xi32>, tensor<2x16x8x4xf32>, tensor<i32> -> tensor<50x8x4xf32>
  %2 = train.embedding_grad %ids, %0 start %start accumulate %1 : tensor<50x8x4xf32> : tensor<2x16xi32>, tensor<2x16x8x4xf32>, tensor<i32> -> tensor<50x8x4xf32>
  return %2 : tensor<50x8x4xf32>
}
