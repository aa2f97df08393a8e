#!/usr/bin/env python3
"""Compiled programs against the evaluator on models drawn at random.

usage: random_models.py [COUNT [SEED]]

Draws configurations of all families (odd sizes, grouped heads, windows, caps, rope scaling, biases, ties, activations), batches
and masks; trains three steps compiled (float32) and in the evaluator (float64) from the same weights and compares losses and
gradient norms.
"""
import json
import os
import random
import re
import struct
import sys

from common import BIN, check, finish, metrics, path, run, trireme


def draw_config(rng):
    """A small Hugging Face configuration of a random family."""
    family = rng.choice(["llama", "mistral", "qwen2", "qwen3", "gemma2", "gpt2", "gpt_neox"])
    kv = rng.choice([1, 2, 3])
    heads = kv * rng.choice([1, 2, 3])
    head_dim = rng.choice([4, 6, 8, 16, 20, 34])
    layers = rng.choice([1, 2, 3, 5])
    vocabulary = rng.choice([33, 64, 257, 1000])
    positions = 96
    common = {"model_type": family, "vocab_size": vocabulary, "initializer_range": 0.02}
    if family == "gpt2":
        hidden = heads * head_dim
        return dict(common, n_embd=hidden, n_layer=layers, n_head=heads, n_positions=positions, n_inner=rng.choice([None, 3 * hidden + 1]),
                    activation_function=rng.choice(["gelu_new", "gelu", "relu", "silu"]), layer_norm_epsilon=1e-5), positions
    if family == "gpt_neox":
        rotary = rng.choice([0.25, 0.5, 1.0])
        head_dim = rng.choice([8, 16, 24])
        return dict(common, hidden_size=heads * head_dim, num_hidden_layers=layers, num_attention_heads=heads,
                    intermediate_size=rng.choice([17, 64, 130]), max_position_embeddings=positions, rotary_pct=rotary,
                    rotary_emb_base=10000, use_parallel_residual=rng.choice([True, False]), hidden_act=rng.choice(["gelu", "gelu_new"]),
                    layer_norm_eps=1e-5, tie_word_embeddings=rng.choice([True, False])), positions
    config = dict(common, num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=kv,
                  intermediate_size=rng.choice([17, 64, 130]), max_position_embeddings=positions, rms_norm_eps=rng.choice([1e-5, 1e-6]),
                  rope_theta=rng.choice([1e4, 1e6]), hidden_act="silu", tie_word_embeddings=rng.choice([True, False]))
    if family in ("qwen3", "gemma2", "mistral") or rng.random() < 0.3:
        config.update(hidden_size=rng.choice([24, 40, 64]), head_dim=head_dim)
    else:
        config["hidden_size"] = heads * head_dim
    if family == "llama":
        config.update(attention_bias=rng.choice([True, False]), mlp_bias=rng.choice([True, False]))
        config["rope_scaling"] = rng.choice([None, {"rope_type": "linear", "factor": 2.0},
                                             {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                              "original_max_position_embeddings": 16}])
    if family == "mistral":
        config["sliding_window"] = rng.choice([None, 1, 7, 24])
    if family == "gemma2":
        config.update(hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=24, sliding_window=rng.choice([5, 16]),
                      attn_logit_softcapping=rng.choice([None, 5.0]), final_logit_softcapping=rng.choice([None, 3.0]))
    return config, positions


def write_weights(text, rng, name):
    """A safetensors file with random weights for the parameters in an import's text."""
    header, data, offset = {}, [], 0
    for stack, param, shape in re.findall(r'tensor<(\d+)x[^>]*>\s*\{train\.param = #train\.param<"([^"]+)", \[([\d, ]+)\]', text):
        shape = [int(d) for d in shape.split(",")]
        count = 1
        for d in shape:
            count *= d
        names = [param.replace("{}", str(i)) for i in range(int(stack))] if "{}" in param else [param]
        for tensor in names:
            centre = 1.0 if len(shape) == 1 and "bias" not in tensor else 0.0
            scale = 0.1 if len(shape) == 1 else 0.5 / shape[-1] ** 0.5
            header[tensor] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + 4 * count]}
            data.append(struct.pack(f"<{count}f", *[rng.gauss(centre, scale) for _ in range(count)]))
            offset += 4 * count
    text = json.dumps(header).encode()
    with open(name, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def one(index, seed):
    rng = random.Random(seed)
    config, positions = draw_config(rng)
    folder = path(f"model{index}")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)
    sequence = rng.choice([1, 5, 16, 33, 64, positions])
    micro = rng.choice([1, 2, 3])
    batch = micro * rng.choice([1, 2, 3])
    data = path(f"data{index}.bin")
    tokens = [rng.randrange(config["vocab_size"]) for _ in range(4 * batch * sequence + 1)]
    with open(data, "wb") as file:
        file.write(struct.pack(f"<{len(tokens)}H", *tokens))
    if rng.random() < 0.4:
        with open(path(f"data{index}.mask.bin"), "wb") as file:
            file.write(bytes(int(rng.random() < 0.7) for _ in tokens))
    recipe = path(f"recipe{index}.json")
    with open(recipe, "w") as file:
        json.dump({"global_batch_size": batch, "sequence_length": sequence, "steps": 3,
                   "schedule": {"name": rng.choice(["constant", "linear", "cosine"]), "warmup_steps": rng.choice([0, 1])},
                   "clip_grad_norm": rng.choice([0.1, 1.0, 100.0]), "optimizer": {"name": "adamw", "lr": 1e-3}}, file)
    name = f"seed {seed}: {config['model_type']}, {batch}/{micro} x {sequence}, {config['num_hidden_layers'] if 'num_hidden_layers' in config else config['n_layer']} layers"
    weights = path(f"weights{index}.safetensors")
    write_weights(trireme("import", folder), rng, weights)
    step, program = path(f"step{index}.mlir"), path(f"program{index}")
    flags = ["--recipe", recipe, "--micro-batch-size", micro]
    trireme("compile", folder, *flags, "--emit", "step", "-o", step)
    chunks = rng.random() < 0.5  # Logits in as many chunks as there are tokens allow, by the pipeline's option.
    if chunks:
        text = run(os.path.join(BIN, "trireme-opt"), step, f"--trireme-to-runtime=max-logits={rng.choice([1, 2000])} min-rows=1")
        with open(path(f"runtime{index}.mlir"), "w") as file:
            file.write(text)
        trireme("compile", path(f"runtime{index}.mlir"), "-o", program)
    else:
        trireme("compile", folder, *flags, "-o", program)
    logs = path(f"a{index}.jsonl"), path(f"b{index}.jsonl")
    trireme("interpret", step, "--data", data, "--init", weights, "--steps", 3, "--metrics", logs[0])
    run(program, "--data", data, "--init", weights, "--metrics", logs[1])
    a, b = map(metrics, logs)
    loss = max(abs(x["loss"] - y["loss"]) for x, y in zip(a, b))
    norm = max(abs(x["grad_norm"] - y["grad_norm"]) / (x["grad_norm"] + 1e-12) for x, y in zip(a, b))
    check(name, len(a) == len(b) == 3 and loss < 2e-5 and norm < 1e-4, f"loss {loss:.1e}, norm {norm:.1e}")


count = int(sys.argv[1]) if len(sys.argv) > 1 else 12
first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
for i in range(count):
    try:
        one(i, first + i)
    except RuntimeError as error:
        check(f"seed {first + i}", False, error)
finish()
