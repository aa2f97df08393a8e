// RUN: split-file %s %t
// RUN: trireme import %t/config.json | FileCheck %s
// RUN: trireme import %t/config.json | trireme-opt | FileCheck %s
// RUN: trireme-translate --import-hf %t/config.json | FileCheck %s

// Heads are dims of the projections; the layers are one loop over stacks; the
// inputs have the default recipe's rows and the model's longest sequence.

// CHECK: func.func @forward(
// CHECK-SAME: tensor<8x64xi32> {train.role = #train.role<tokens>}
// CHECK-SAME: tensor<8x64xi32> {train.role = #train.role<targets>}
// CHECK-SAME: tensor<8x64xi32> {train.role = #train.role<positions>}
// CHECK-SAME: tensor<512x64xf32> {train.param = #train.param<"model.embed_tokens.weight", [512, 64], normal 2.000000e-02 : f64>, train.role = #train.role<parameter>}
// CHECK-SAME: tensor<4x64xf32> {train.param = #train.param<"model.layers.{}.input_layernorm.weight", [64], constant 1.000000e+00 : f64>
// CHECK-SAME: tensor<4x2x4x8x64xf32> {train.param = #train.param<"model.layers.{}.self_attn.q_proj.weight", [64, 64], normal
// CHECK-SAME: tensor<4x2x8x64xf32> {train.param = #train.param<"model.layers.{}.self_attn.k_proj.weight", [16, 64], normal
// CHECK-SAME: tensor<4x64x2x4x8xf32> {train.param = #train.param<"model.layers.{}.self_attn.o_proj.weight", [64, 64], normal
// CHECK-SAME: -> (tensor<f32> {train.result = "loss_sum"}, tensor<f32> {train.result = "target_count"})
// CHECK: train.rotary_table {{.*}}<dims = 8, theta = 1.000000e+04 : f64, scaling = "none"
// CHECK: train.loop "layers" count 4 carry(
// CHECK: train.rms_norm {{.*}} eps 1.000000e-05
// CHECK: train.linear {{.*}} tensor<8x64x64xf32>, tensor<2x4x8x64xf32>
// CHECK-NOT: train.add_bias
// CHECK: train.rotary
// CHECK: train.rotary
// CHECK: train.attention {{.*}} scale 0.353553{{.*}}window = 0
// CHECK: train.silu
// CHECK-NEXT: train.mul
// CHECK: train.yield
// CHECK: train.cross_entropy_head

//--- config.json
{
  "model_type": "llama", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 176, "num_hidden_layers": 4, "num_attention_heads": 8,
  "num_key_value_heads": 2, "max_position_embeddings": 64,
  "rms_norm_eps": 1e-05, "rope_theta": 10000.0
}
