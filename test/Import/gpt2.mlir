// RUN: split-file %s %t
// RUN: trireme import %t/config.json --micro-batch-size 4 --seq 32 | FileCheck %s

// Weights are stored [in, out]; projections into the residual stream start
// smaller by sqrt(2 layers); the tied head reads the embedding's argument.

// CHECK: func.func @forward(%[[TOKENS:.*]]: tensor<4x32xi32> {{{.*}}}, %[[TARGETS:.*]]: tensor<4x32xi32> {{{.*}}}, %[[POSITIONS:.*]]: tensor<4x32xi32> {{{.*}}}, %[[TABLE:[a-z0-9]+]]: tensor<257x64xf32> {train.param = #train.param<"transformer.wte.weight"
// CHECK-SAME: tensor<64x64xf32> {train.param = #train.param<"transformer.wpe.weight", [64, 64], normal
// CHECK-SAME: tensor<2x64x3x4x16xf32> {train.param = #train.param<"transformer.h.{}.attn.c_attn.weight", [64, 192], normal 2.000000e-02
// CHECK-SAME: tensor<2x4x1x16x64xf32> {train.param = #train.param<"transformer.h.{}.attn.c_proj.weight", [64, 64], normal 1.000000e-02
// CHECK-SAME: [256, 64], normal 1.000000e-02
// CHECK-NOT: lm_head
// CHECK: train.embedding %[[TABLE]], %[[TOKENS]]
// CHECK: train.embedding %{{.*}}, %[[POSITIONS]]
// CHECK: train.layer_norm
// CHECK-NEXT: train.linear
// CHECK-NOT: rhs_transposed
// CHECK: train.add_bias
// CHECK: train.unstack {{.*}} dim 2 : tensor<4x32x3x4x16xf32>
// CHECK-NOT: train.rotary
// CHECK: train.gelu {{.*}} {tanh}
// CHECK: train.cross_entropy_head %{{.*}}, %[[TABLE]] targets %[[TARGETS]]

//--- config.json
{
  "model_type": "gpt2", "vocab_size": 257, "n_positions": 64, "n_embd": 64,
  "n_layer": 2, "n_head": 4
}
