// RUN: split-file %s %t
// RUN: trireme import %t/parallel.json | FileCheck %s --check-prefixes=CHECK,PARALLEL
// RUN: trireme import %t/serial.json | FileCheck %s --check-prefixes=CHECK,SERIAL

// Query, key and value of a head stand together; a quarter of a head rotates;
// attention and MLP read the layer's input, or one after the other.

// CHECK: tensor<4x4x3x16x64xf32> {train.param = #train.param<"gpt_neox.layers.{}.attention.query_key_value.weight", [192, 64]
// CHECK: train.rotary_table {{.*}}<dims = 4
// CHECK: train.loop "layers" count 4 carry(%[[INPUT:[a-z0-9_]+]] = %
// CHECK: train.layer_norm %[[INPUT]],
// CHECK: train.unstack {{.*}} dim 3 : tensor<8x64x4x3x16xf32>
// CHECK: train.attention
// PARALLEL: train.layer_norm %[[INPUT]],
// SERIAL: %[[MIDDLE:[a-z0-9_]+]] = train.add %[[INPUT]],
// SERIAL: train.layer_norm %[[MIDDLE]],
// CHECK: train.gelu %{{[a-z0-9_]*}} : tensor<8x64x256xf32>
// PARALLEL: %[[BOTH:[a-z0-9_]+]] = train.add %
// PARALLEL: train.add %[[BOTH]], %[[INPUT]]
// SERIAL: train.add %[[MIDDLE]],

//--- parallel.json
{
  "model_type": "gpt_neox", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4,
  "max_position_embeddings": 64, "rotary_pct": 0.25
}
//--- serial.json
{
  "model_type": "gpt_neox", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4,
  "max_position_embeddings": 64, "rotary_pct": 0.25,
  "use_parallel_residual": false
}
