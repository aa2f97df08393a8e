// RUN: split-file %s %t
// RUN: trireme import %t/config.json | FileCheck %s

// Scaled embeddings, gains stored less 1, norms before and after both blocks,
// caps on scores and logits, and windows in every second layer of one body.

// CHECK: #train.param<"model.layers.{}.input_layernorm.weight", [64], constant 0.000000e+00
// CHECK-NOT: lm_head
// CHECK: train.scale %{{.*}} by 8.000000e+00
// CHECK: train.rms_norm {{.*}} {gain_offset = 1.000000e+00 : f64}
// CHECK: train.attention {{.*}} scale 0.2041241452319315{{.*}}softcap = 5.000000e+00 : f64, window = #train.per_layer<[16, 0, 16, 0]>
// CHECK: train.linear
// CHECK: train.rms_norm
// CHECK: train.add
// CHECK: train.rms_norm
// CHECK: train.gelu {{.*}} {tanh}
// CHECK: train.rms_norm
// CHECK-NEXT: train.add
// CHECK: train.cross_entropy_head {{.*}} {softcap = 3.000000e+00 : f64}

//--- config.json
{
  "model_type": "gemma2", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 160, "num_hidden_layers": 4, "num_attention_heads": 4,
  "num_key_value_heads": 2, "head_dim": 32, "max_position_embeddings": 64,
  "query_pre_attn_scalar": 24, "sliding_window": 16,
  "attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0
}
