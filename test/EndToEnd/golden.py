#!/usr/bin/env python3
"""Seven families against float64 PyTorch: the evaluator to 1e-9, compiled programs to 1e-5."""
import os

from common import BIN, DATA, FAMILIES, GOLDEN, check, compile_model, differences, finish, golden, metrics, path, run, trireme

for model in FAMILIES:
    folder = os.path.join(GOLDEN, model)
    runs = golden(model)["runs"]

    step = compile_model(model, f"{model}.mlir", "--micro-batch-size", 8, "--emit", "step")
    log = path(f"{model}.evaluator.jsonl")
    trireme("interpret", step, "--data", DATA, "--init", folder, "--steps", 2, "--metrics", log)
    loss, norm = differences(metrics(log), runs["f64_const"], 2)
    check(f"{model}: evaluator", loss < 1e-9 and norm < 1e-9, f"loss {loss:.1e}, norm {norm:.1e}")

    for size, mode, flags in ((8, "const", []), (2, "const", ["--check-arena"]), (4, "warmup", [])):
        program = compile_model(model, f"{model}-{size}-{mode}", "--micro-batch-size", size,
                                schedule={"name": "constant", "warmup_steps": 5 if mode == "warmup" else 0})
        log = path(f"{model}.jsonl")
        run(program, "--data", DATA, "--init", folder, "--metrics", log, *flags)
        loss, norm = differences(metrics(log), runs[f"f64_{mode}"], 20)
        check(f"{model}: micro-batch {size}, {mode}", loss < 1e-5 and norm < 1e-5, f"loss {loss:.1e}, norm {norm:.1e}")

# A vocabulary of 257 in 320 rows, from the forward stage on.
folder = os.path.join(GOLDEN, "gpt2-tiny")
forward = compile_model("gpt2-tiny", "whole.mlir", "--micro-batch-size", 4, "--emit", "forward")
padded, program, log = path("padded.mlir"), path("padded"), path("padded.jsonl")
run(os.path.join(BIN, "trireme-opt"), forward, "--train-pad-vocabulary=multiple=64", "-o", padded)
trireme("compile", padded, "-o", program)
run(program, "--data", DATA, "--init", folder, "--metrics", log, "--check-arena")
loss, norm = differences(metrics(log), golden("gpt2-tiny")["runs"]["f64_const"], 20)
check("gpt2-tiny: padded vocabulary", loss < 1e-5 and norm < 1e-5, f"loss {loss:.1e}, norm {norm:.1e}")

finish()
