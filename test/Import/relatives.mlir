// RUN: split-file %s %t
// RUN: trireme import %t/qwen2.json | FileCheck %s --check-prefix=QWEN2
// RUN: trireme import %t/qwen3.json | FileCheck %s --check-prefix=QWEN3
// RUN: trireme import %t/mistral.json | FileCheck %s --check-prefix=MISTRAL
// RUN: trireme import %t/llama.json | FileCheck %s --check-prefix=BIAS

// Qwen2 has biases of queries, keys and values only.
// QWEN2: train.loop
// QWEN2-COUNT-3: train.add_bias
// QWEN2-NOT: train.add_bias
// QWEN2: train.cross_entropy_head

// Qwen3 norms the queries and keys of each head before they rotate.
// QWEN3: train.loop
// QWEN3-COUNT-3: train.linear
// QWEN3-NEXT: train.rms_norm {{.*}} tensor<8x64x2x2x16xf32>, tensor<16xf32>
// QWEN3-NEXT: train.rms_norm {{.*}} tensor<8x64x2x16xf32>, tensor<16xf32>
// QWEN3-NEXT: train.rotary

// Mistral has one window for all layers.
// MISTRAL: window = 24 : i64

// Llama with all biases that its config knows.
// BIAS: train.loop
// BIAS-COUNT-7: train.add_bias
// BIAS-NOT: train.add_bias

//--- qwen2.json
{
  "model_type": "qwen2", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 160, "num_hidden_layers": 4, "num_attention_heads": 4,
  "num_key_value_heads": 2, "max_position_embeddings": 64
}
//--- qwen3.json
{
  "model_type": "qwen3", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 160, "num_hidden_layers": 4, "num_attention_heads": 4,
  "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 64
}
//--- mistral.json
{
  "model_type": "mistral", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 160, "num_hidden_layers": 4, "num_attention_heads": 4,
  "num_key_value_heads": 2, "max_position_embeddings": 64, "sliding_window": 24
}
//--- llama.json
{
  "model_type": "llama", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 160, "num_hidden_layers": 4, "num_attention_heads": 4,
  "num_key_value_heads": 2, "max_position_embeddings": 64,
  "attention_bias": true, "mlp_bias": true
}
