// RUN: split-file %s %t
// RUN: trireme import %t/older.json -o %t/older.mlir
// RUN: trireme import %t/newer.json -o %t/newer.mlir
// RUN: cmp %t/older.mlir %t/newer.mlir
// RUN: FileCheck %s < %t/older.mlir

// Both spellings of a config give the same text.
// CHECK: scaling = "llama3", factor = 8.000000e+00 : f64, low = 1.000000e+00 : f64, high = 4.000000e+00 : f64, original = 32

//--- older.json
{
  "model_type": "llama", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 160, "num_hidden_layers": 4, "num_attention_heads": 4,
  "num_key_value_heads": 2, "max_position_embeddings": 64,
  "rope_theta": 500000.0, "torch_dtype": "bfloat16",
  "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 32}
}
//--- newer.json
{
  "dtype": "bfloat16", "head_dim": 16, "pad_token_id": null,
  "model_type": "llama", "vocab_size": 512, "hidden_size": 64,
  "intermediate_size": 160, "num_hidden_layers": 4, "num_attention_heads": 4,
  "num_key_value_heads": 2, "max_position_embeddings": 64,
  "rope_parameters": {"rope_theta": 500000, "rope_type": "llama3", "factor": 8,
    "low_freq_factor": 1, "high_freq_factor": 4,
    "original_max_position_embeddings": 32}
}
