#!/usr/bin/env python3
"""Generated kernels move hardly more bytes than they need.

Needed: each operand read once, each result written once. Moved: that, and partial sums written and read again, and the further
passes over rows that do not stay in a core's second-level cache. The table comes from the compiler's own manifest.
"""
import json
import os

from common import GOLDEN, check, compile_model, finish, path, trireme, manifest, recipe

LIMIT = 1.05
# Kernels that may move more, with the reason.
EXCEPTIONS = {}

SHAPES = {  # sizes at which memory matters, not those of the tiny models
    "gpt2-tiny": dict(n_embd=768, n_head=12, n_layer=2, vocab_size=50257, n_positions=1024),
    "llama-tiny": dict(hidden_size=512, num_attention_heads=8, num_key_value_heads=4, intermediate_size=1408, num_hidden_layers=2,
                       vocab_size=32000, max_position_embeddings=1024),
    "gemma2-tiny": dict(hidden_size=768, num_attention_heads=8, num_key_value_heads=4, head_dim=96, intermediate_size=3072,
                        num_hidden_layers=2, vocab_size=32000, max_position_embeddings=1024),
    "qwen3-tiny": dict(hidden_size=768, num_attention_heads=8, num_key_value_heads=4, head_dim=128, intermediate_size=3072,
                       num_hidden_layers=2, vocab_size=32000, max_position_embeddings=1024),
    "gpt-neox-tiny": dict(hidden_size=768, num_attention_heads=12, intermediate_size=3072, num_hidden_layers=2, vocab_size=50304,
                          max_position_embeddings=1024),
}

worst = {}
for model, sizes in SHAPES.items():
    with open(os.path.join(GOLDEN, model, "config.json")) as file:
        config = dict(json.load(file), **sizes)
    with open(path(model, "config.json"), "w") as file:
        json.dump(config, file)
    out = path(model + ".mlir")
    trireme("compile", path(model, "config.json"), "--recipe", recipe(model + ".json", global_batch_size=8, sequence_length=256),
            "--micro-batch-size", 4, "--emit", "runtime", "-o", out)
    with open(out) as file:
        table = manifest(file.read())["kernels"]
    for kernel in table:
        if kernel["bytes"] < 1 << 16:
            continue  # Scalars and gains: nothing to save.
        ratio = kernel["bytes_moved"] / kernel["bytes"]
        if ratio > worst.get(kernel["name"], (0,))[0]:
            worst[kernel["name"]] = (ratio, kernel["bytes"], model)
for name, (ratio, needed, model) in sorted(worst.items()):
    check(f"{name} ({model}, {needed} bytes)", ratio <= EXCEPTIONS.get(name, LIMIT), f"moves {ratio:.3f} times what it needs")
finish()
