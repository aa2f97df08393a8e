"""What the end-to-end tests share: running tools, golden values, recipes."""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.join(ROOT, "build", "bin")
GOLDEN = os.path.join(HERE, "Inputs", "golden")
DATA = os.path.join(GOLDEN, "train.bin")
FAMILIES = ["gpt2-tiny", "llama-tiny", "qwen2-tiny", "qwen3-tiny", "mistral-tiny", "gemma2-tiny", "gpt-neox-tiny"]
TEMPORARY = tempfile.TemporaryDirectory(prefix="trireme-test-")

_failed = []
_passed = 0


def check(name, ok, detail=""):
    """Counts and prints one check."""
    global _passed
    print(f"{'ok  ' if ok else 'FAIL'} {name}{': ' + str(detail) if detail else ''}", flush=True)
    if ok:
        _passed += 1
    else:
        _failed.append(name)
    return ok


def finish():
    """Ends the test with the count of its checks."""
    print(f"{_passed} checks passed, {len(_failed)} failed")
    sys.exit(1 if _failed or not _passed else 0)


def path(*parts):
    """A file in this run's folder."""
    result = os.path.join(TEMPORARY.name, *parts)
    os.makedirs(os.path.dirname(result), exist_ok=True)
    return result


def run(*command, env=None, expect=0):
    """Runs a command; its output, or an exception with what it said."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})})
    if done.returncode != expect:
        raise RuntimeError(f"exit {done.returncode} of {' '.join(str(c) for c in command)}: {done.stderr[-500:]}")
    return done.stdout


def trireme(*arguments, **kw):
    return run(os.path.join(BIN, "trireme"), *arguments, **kw)


def golden(model):
    with open(os.path.join(GOLDEN, model, "golden.json")) as file:
        return json.load(file)


def recipe(name, **changes):
    """A file with the recipe of the golden values."""
    values = {"global_batch_size": 8, "sequence_length": 64, "steps": 20,
              "optimizer": {"name": "adamw", "lr": 1e-3, "beta1": 0.9, "beta2": 0.95, "eps": 1e-8, "weight_decay": 0.1},
              "schedule": {"name": "constant", "warmup_steps": 0}, "clip_grad_norm": 1.0}
    values.update(changes)
    file = path(name)
    with open(file, "w") as out:
        json.dump(values, out)
    return file


def compile_model(model, name, *flags, **changes):
    """Compiles a model of the golden folder; the program's path."""
    out = path(name)
    trireme("compile", os.path.join(GOLDEN, model), "--recipe", recipe(name + ".recipe.json", **changes), *flags, "-o", out)
    return out


def metrics(file):
    with open(file) as lines:
        return [json.loads(line) for line in lines]


def differences(got, gold, steps):
    """Largest absolute difference of losses, relative of gradient norms."""
    assert [m["step"] for m in got] == list(range(1, steps + 1)), got
    loss = max(abs(m["loss"] - g) for m, g in zip(got, gold["loss"]))
    norm = max(abs(m["grad_norm"] - g) / g for m, g in zip(got, gold["grad_norm"]))
    return loss, norm


def manifest(runtime_text):
    """The manifest in the text of the runtime stage."""
    text = re.search(r'runtime\.manifest = "((?:[^"\\]|\\.)*)"', runtime_text).group(1)
    raw = re.sub(r"\\([0-9A-F]{2}|.)", lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1], text)
    return json.loads(raw)
