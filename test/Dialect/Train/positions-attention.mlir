// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

#rope = #train.rope<dims = 8, theta = 1.0e+04 : f64, scaling = "none", factor = 1.0 : f64, low = 1.0 : f64, high = 1.0 : f64, original = 0>

// CHECK-LABEL: func.func @rotary
// CHECK: train.rotary_table %{{.*}} rope <dims = 8, theta = 1.000000e+04 : f64, scaling = "none", factor = 1.000000e+00 : f64, low = 1.000000e+00 : f64, high = 1.000000e+00 : f64, original = 0> : tensor<2x16xi32>
// CHECK: train.rotary %{{.*}}, %{{.*}} : tensor<2x16x3x10xf32>, tensor<2x16x2x4xf32>
// CHECK: train.rotary %{{.*}}, %{{.*}} inverse : tensor<2x16x3x10xf32>, tensor<2x16x2x4xf32>
func.func @rotary(%x: tensor<2x16x3x10xf32>, %p: tensor<2x16xi32>) -> tensor<2x16x3x10xf32> {
  %t = train.rotary_table %p rope #rope : tensor<2x16xi32>
  %0 = train.rotary %x, %t : tensor<2x16x3x10xf32>, tensor<2x16x2x4xf32>
  %1 = train.rotary %0, %t inverse : tensor<2x16x3x10xf32>, tensor<2x16x2x4xf32>
  return %1 : tensor<2x16x3x10xf32>
}

// A window is an integer, or has a value for each layer of the loop around.
// CHECK-LABEL: func.func @attention
// CHECK: train.attention %{{.*}}, %{{.*}}, %{{.*}} positions %{{.*}}, %{{.*}} scale 5.000000e-01 {softcap = 3.000000e+01 : f64, window = 4 : i64} : tensor<2x16x2x3x4xf32>, tensor<2x16x2x4xf32>, tensor<2x16xi32>
// CHECK: train.loop "layers" count 2 first 1
// CHECK:   train.attention %{{.*}} scale 5.000000e-01 {window = #train.per_layer<[16, 0, 16]>} :
// CHECK: train.attention_grad %{{.*}}, %{{.*}}, %{{.*}} positions %{{.*}}, %{{.*}} output %{{.*}}, %{{.*}} gradient %{{.*}} scale 5.000000e-01 {window = 0 : i64} : tensor<2x16x2x3x4xf32>, tensor<2x16x2x4xf32>, tensor<2x16xi32>, tensor<2x2x3x16xf32>
func.func @attention(%q0: tensor<2x16x2x3x4xf32>, %k0: tensor<2x16x2x4xf32>, %p0: tensor<2x16xi32>) -> (tensor<2x16x2x3x4xf32>, tensor<2x16x2x3x4xf32>) {
  %o, %l = train.attention %q0, %k0, %k0 positions %p0, %p0 scale 0.5 {softcap = 30.0 : f64, window = 4 : i64} : tensor<2x16x2x3x4xf32>, tensor<2x16x2x4xf32>, tensor<2x16xi32>
  %r = train.loop "layers" count 2 first 1 carry(%q = %q0 : tensor<2x16x2x3x4xf32>) with(%k = %k0 : tensor<2x16x2x4xf32>, %p = %p0 : tensor<2x16xi32>) {
    %0, %1 = train.attention %q, %k, %k positions %p, %p scale 0.5 {window = #train.per_layer<[16, 0, 16]>} : tensor<2x16x2x3x4xf32>, tensor<2x16x2x4xf32>, tensor<2x16xi32>
    train.yield carry(%0 : tensor<2x16x2x3x4xf32>)
  }
  %dq, %dk, %dv = train.attention_grad %q0, %k0, %k0 positions %p0, %p0 output %o, %l gradient %r scale 0.5 {window = 0 : i64} : tensor<2x16x2x3x4xf32>, tensor<2x16x2x4xf32>, tensor<2x16xi32>, tensor<2x2x3x16xf32>
  return %r, %dq : tensor<2x16x2x3x4xf32>, tensor<2x16x2x3x4xf32>
}

// Keys of another number than queries, in blocks, and the merge of two parts.
// CHECK-LABEL: func.func @keys
// CHECK: %[[A:.*]]:2 = train.attention %{{.*}}, %{{.*}}, %{{.*}} positions %{{.*}}, %{{.*}} scale 5.000000e-01 {blocks = 2 : i64, window = 0 : i64} : tensor<2x16x2x3x4xf32>, tensor<2x8x2x4xf32>, tensor<2x16xi32>
// CHECK: train.merge_attention %[[A]]#0, %[[A]]#1, %[[A]]#0, %[[A]]#1 : tensor<2x16x2x3x4xf32>, tensor<2x2x3x16xf32>
func.func @keys(%q: tensor<2x16x2x3x4xf32>, %k: tensor<2x8x2x4xf32>, %p: tensor<2x16xi32>, %s: tensor<2x8xi32>) -> tensor<2x16x2x3x4xf32> {
  %o, %l = train.attention %q, %k, %k positions %p, %s scale 0.5 {blocks = 2 : i64, window = 0 : i64} : tensor<2x16x2x3x4xf32>, tensor<2x8x2x4xf32>, tensor<2x16xi32>
  %m, %n = train.merge_attention %o, %l, %o, %l : tensor<2x16x2x3x4xf32>, tensor<2x2x3x16xf32>
  return %m : tensor<2x16x2x3x4xf32>
}
