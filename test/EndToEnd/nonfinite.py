#!/usr/bin/env python3
"""--on-nonfinite: a step whose loss or gradient is not finite writes no state unless it is told to."""
import json
import os
import shutil
import struct
import subprocess

from common import DATA, GOLDEN, check, compile_model, finish, metrics, path


def poisoned(model, tensor, element, value):
    """A copy of a model's folder with one element of one tensor replaced."""
    folder = path(f"{model}-{tensor}-{value}")
    shutil.copytree(os.path.join(GOLDEN, model), folder)
    file = os.path.join(folder, "model.safetensors")
    with open(file, "rb") as source:
        raw = bytearray(source.read())
    header = 8 + struct.unpack("<Q", raw[:8])[0]
    offset = header + json.loads(raw[8:header])[tensor]["data_offsets"][0] + 4 * element
    raw[offset:offset + 4] = struct.pack("<f", value)
    with open(file, "wb") as target:
        target.write(raw)
    return folder


def tensors(folder):
    """The bytes of the tensors of the newest checkpoint in a folder, by name."""
    step = os.path.join(folder, sorted(os.listdir(folder))[-1])
    found = {}
    for name in sorted(os.listdir(step)):
        if name.endswith(".safetensors"):
            with open(os.path.join(step, name), "rb") as file:
                raw = file.read()
            header = 8 + struct.unpack("<Q", raw[:8])[0]
            for key, entry in json.loads(raw[8:header]).items():
                if key != "__metadata__":
                    begin, end = entry["data_offsets"]
                    found[key] = raw[header + begin:header + end]
    return found


def train(program, init, *flags):
    log = path("log.jsonl")
    done = subprocess.run([program, "--data", DATA, "--init", init, "--metrics", log, "--steps", "3", *flags],
                          capture_output=True, text=True)
    return done.returncode, done.stderr, metrics(log)


program = compile_model("llama-tiny", "program", "--micro-batch-size", 2)
name = "model.layers.2.mlp.up_proj.weight"
for value in (float("nan"), float("inf")):
    folder = poisoned("llama-tiny", name, 70, value)
    code, message, log = train(program, folder)
    words = ("step 1", "rank 0", name, "layer 2", "element 70")
    check(f"{value}: stops with exit 3 and names the tensor", code == 3 and all(w in message for w in words), message.strip())
    check(f"{value}: the metrics end with the step that failed", len(log) == 1 and log[0]["loss"] is None, log)

    saves = path(f"saves-{value}")
    code, message, log = train(program, folder, "--on-nonfinite", "skip", "--save", saves)
    skipped = [(m["step"], m["skipped"], m["grad_norm"]) for m in log]
    check(f"{value}: skips and goes on", code == 0 and skipped == [(s, True, None) for s in (1, 2, 3)], skipped)
    state = tensors(saves)
    with open(os.path.join(folder, "model.safetensors"), "rb") as file:
        raw = file.read()
    same = all(raw.find(data) >= 0 for key, data in state.items() if not key.startswith("exp_avg"))
    zero = not any(any(data) for key, data in state.items() if key.startswith("exp_avg"))
    check(f"{value}: skipped steps leave parameters and moments", same and zero and name in state)

    code, message, log = train(program, folder, "--on-nonfinite", "ignore", "--save", saves + "-ignored")
    state = tensors(saves + "-ignored")
    check(f"{value}: ignore updates", code == 0 and len(log) == 3 and any(any(d) for k, d in state.items() if k.startswith("exp_avg")))

code, message, log = train(program, os.path.join(GOLDEN, "llama-tiny"), "--on-nonfinite", "skip")
check("finite steps are not skipped", code == 0 and [m["skipped"] for m in log] == [False] * 3)
plain = train(program, os.path.join(GOLDEN, "llama-tiny"))[2]
check("skip changes no finite step", [m["loss"] for m in log] == [m["loss"] for m in plain])

# Finite parameters whose products are not: logits overflow.
folder = poisoned("llama-tiny", "lm_head.weight", 5, 3e38)
code, message, log = train(program, folder)
words = ("all parameters are finite", "gradient", "lm_head.weight")
check("finite parameters: a gradient is named", code == 3 and all(w in message for w in words), message.strip())
finish()
