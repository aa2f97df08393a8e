#!/usr/bin/env python3
"""The compiler's work does not grow with layers, and stays in bounds of memory.

Size of code and IR of a model of 4 and of 126 layers are the same but for the digits of numbers and shared constants; peak memory of
compiling GPT-2 124M and Llama 3 8B stays below 1 GiB. Times are not tested: benchmark/ has them.
"""
import json
import os
import resource
import subprocess

from common import BIN, GOLDEN, check, finish, path, recipe, trireme

with open(os.path.join(GOLDEN, "llama-tiny", "config.json")) as file:
    TINY = json.load(file)
GPT2 = {"model_type": "gpt2", "vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12}
LLAMA = dict(TINY, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8,
             vocab_size=128256, max_position_embeddings=8192)


def write(name, config):
    file = path(name, "config.json")
    with open(file, "w") as out:
        json.dump(config, out)
    return file


def code_bytes(name, layers):
    """Bytes of instructions in the object, and lines of the runtime stage."""
    model = write(name, dict(TINY, num_hidden_layers=layers))
    made = path(name, "object.o")
    trireme("compile", model, "--recipe", recipe("r.json"), "--micro-batch-size", 2, "--emit", "object", "-o", made)
    sizes = subprocess.run(["size", "-A", made], capture_output=True, text=True, check=True).stdout
    text = sum(int(line.split()[1]) for line in sizes.splitlines() if line.startswith(".text"))
    ir = trireme("compile", model, "--recipe", recipe("r.json"), "--micro-batch-size", 2, "--emit", "runtime")
    return text, len(ir.splitlines())


few, many = code_bytes("few", 4), code_bytes("many", 126)
# (Constants that happen to be equal are one op: a few lines differ.)
check("126 layers are as much IR as 4", abs(few[1] - many[1]) < 0.01 * few[1], f"{few[1]} and {many[1]} lines")
check("126 layers are as much code as 4", abs(few[0] - many[0]) < 0.02 * few[0], f"{few[0]} and {many[0]} bytes")

for name, config, batch, sequence in (("gpt2-124m", GPT2, 4, 256), ("llama-8b", LLAMA, 2, 2048)):
    out = path(name, "program")
    command = [os.path.join(BIN, "trireme"), "compile", write(name, config), "--recipe",
               recipe(name + ".json", global_batch_size=batch, sequence_length=sequence), "-o", out]
    subprocess.run(command, check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    check(f"compiling {name} takes less than 1 GiB", 0 < peak < 1024, f"{peak} MiB at most so far")
finish()
