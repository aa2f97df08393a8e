#!/usr/bin/env python3
"""Runs trireme-opt on mutated valid .mlir texts of all stages.

usage: fuzz_mlir.py SECONDS [--seed N] [--count N] [--opt TRIREME_OPT]

Texts are the lit tests' inputs and the stages of small models. A mutant has one
to three edits: a token deleted, doubled or swapped, a number or a type changed
(here or everywhere), a line deleted or doubled. trireme-opt must say an error
or succeed, for the text alone (with --verify-roundtrip) and for passes that fit
the text's stage. A signal is a fault: its input is made smaller and written to
build/fuzz-mlir/; inputs in test/Fuzz/upstream-crashes/ name crashes of
upstream's parser by a line of the stack, which are passed over.
Mutants go to trireme-opt in batches, since most of the time is its start.
"""
import argparse
import glob
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FORWARD = ["--trireme-to-step", "--trireme-to-step --trireme-to-runtime", "--train-differentiate",
           "--trireme-to-forward=rows=2_sequence=3"]
STEP = ["--trireme-to-runtime", "--trireme-to-runtime --trireme-to-llvm", "--train-form-rows --train-fuse",
        "--train-expand-heads --train-accumulate-in-place", "--train-form-rows --train-plan-memory"]
RUNTIME = ["--trireme-to-llvm", "--convert-rows-to-llvm", "--convert-runtime-to-llvm", "--runtime-merge-kernels"]
ANY = ["--canonicalize --cse", "--mlir-print-op-generic", "--train-plan-memory", "--convert-train-to-runtime"]
NUMBERS = ["0", "1", "-1", "2", "3", "4096", "4294967296", "9223372036854775807", "-9223372036854775808"]
TYPES = ["f32", "f64", "i1", "i32", "i64", "index", "tensor<f32>", "tensor<4xf32>", "tensor<0xf32>", "tensor<?xf32>", "tensor<*xf32>",
         "tensor<2x3xi32>", "tensor<4611686018427387904x4xf32>", "!llvm.ptr", "none", "vector<4xf32>"]
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%@#!^][\w$.#:-]+|-?\d+\.\d+(?:[eE][-+]?\d+)?|-?\d+|[A-Za-z_][\w.$]*|\S')
TYPE = re.compile(r"tensor<[^<>]*>|vector<[^<>]*>|!llvm\.ptr|\b(?:f32|f64|i1|i32|i64|index)\b")
TIMEOUT = 60
BATCH = 40


def make_seeds(opt):
    """Texts of all stages: small ones from tests, and those of a model."""
    texts = []
    for path in sorted(glob.glob(os.path.join(ROOT, "test/**/*.mlir"), recursive=True)):
        if "/Import/" in path or "upstream-crashes" in path:
            continue
        with open(path) as file:
            for part in file.read().split("// -----"):
                part = "\n".join(line for line in part.splitlines() if not line.strip().startswith("//"))
                if part.strip():
                    texts.append(part)
    trireme = os.path.join(os.path.dirname(opt), "trireme")
    for name in ["llama", "gemma2", "gpt2"]:
        config = os.path.join(ROOT, f"test/Interpret/Inputs/{name}.json")
        text = subprocess.run([trireme, "import", config, "--global-batch-size", "2", "--seq", "4"], capture_output=True, text=True).stdout
        for flags in [[], ["--trireme-to-step=micro-batches=2"], ["--train-expand-heads", "--train-accumulate-in-place", "--train-form-rows"],
                      ["--train-plan-memory"], ["--convert-train-to-runtime", "--canonicalize", "--cse"]]:
            text = subprocess.run([opt, "-", *flags], input=text, capture_output=True, text=True).stdout if flags else text
            if not text:
                sys.exit(f"fuzz_mlir.py: no text of {name} after {flags}")
            texts += [text] * 10
    return texts


def mutate_once(text, choose):
    """One edit."""
    kind = choose.randrange(12)
    if kind >= 8:
        # The same change everywhere keeps more texts valid.
        matches = [m.group() for m in (TYPE if kind < 11 else re.compile(r"(?<![\w%.@])\d+(?![\w.])")).finditer(text)]
        if not matches:
            return text
        old = choose.choice(matches)
        new = choose.choice(TYPES + matches * 2) if kind < 11 else choose.choice(NUMBERS[:6])
        if kind == 10:
            new = re.sub(r"\d+(?=x)", lambda m: choose.choice([m.group(), "1", "3", "64"]), old)
        return text.replace(old, new)
    if kind >= 6:
        lines = text.split("\n")
        i = choose.randrange(len(lines))
        lines[i:i + 1] = [] if kind == 6 else [lines[i]] * 2
        return "\n".join(lines)
    matches = list((TYPE if kind == 4 else TOKEN).finditer(text))
    if kind == 3:
        matches = [m for m in matches if re.fullmatch(r"-?\d+|\S*\dx\S*", m.group())]
    if not matches:
        return text
    match = choose.choice(matches)
    word = match.group()
    if kind == 0:
        new = ""
    elif kind == 1:
        new = word + " " + word
    elif kind == 2 or kind == 5:
        new = choose.choice(matches).group()
    elif kind == 3:
        new = re.sub(r"-?\d+", choose.choice(NUMBERS), word, count=1)
    else:
        new = choose.choice(TYPES)
    return text[:match.start()] + new + text[match.end():]


def choose_flags(text, choose):
    """Flags that fit what stage the text seems to be in, or none."""
    lists = [ANY, ANY]
    if "@forward" in text:
        lists += [FORWARD] * 3
    if "@train" in text and "runtime." not in text:
        lists += [STEP] * 3
    elif "train." in text:
        lists += [STEP]
    if "runtime." in text:
        lists += [RUNTIME] * 3
    return [flag.replace("_", " ") if "=" in flag else flag for flag in choose.choice(choose.choice(lists)).split()]


def get_stage(text):
    """What a text has that passes look for."""
    return "@forward" in text, "@train" in text, "runtime." in text


def run(opt, text, flags):
    """Exit status and stderr; 0 and 1 are answers, all else is a fault."""
    try:
        done = subprocess.run([opt, "-", *flags], input=text, capture_output=True, text=True, errors="replace", timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return "timeout", "", ""
    return done.returncode, done.stdout, done.stderr


def check(opt, text, flags):
    """None, or what is wrong."""
    code, _, errors = run(opt, text, flags)
    if code not in (0, 1):
        return f"exit {code}", errors
    if "roundTrip" in errors:
        return "the printed text differs", errors
    return None


def is_upstream(errors):
    """Whether the stack is that of a listed crash of upstream's parser."""
    for path in glob.glob(os.path.join(ROOT, "test/Fuzz/upstream-crashes/*.mlir")):
        with open(path) as file:
            pattern = re.search(r"^// stack: (.*)$", file.read(), re.M)
        if pattern and pattern.group(1) in errors:
            return True
    return False


def shrink(opt, text, flags, fault):
    """Drops lines while the fault stays."""
    lines = text.split("\n")
    size = max(1, len(lines) // 2)
    end = time.monotonic() + 60
    while size and time.monotonic() < end:
        i = 0
        while i < len(lines) and time.monotonic() < end:
            rest = lines[:i] + lines[i + size:]
            found = check(opt, "\n".join(rest), flags)
            if found and found[0] == fault:
                lines = rest
            else:
                i += size
        size //= 2
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10**9, help="batches")
    parser.add_argument("--opt", default=os.path.join(ROOT, "build/bin/trireme-opt"))
    options = parser.parse_args()
    out = os.path.join(ROOT, "build/fuzz-mlir")
    os.makedirs(out, exist_ok=True)
    seeds = make_seeds(options.opt)
    end = time.monotonic() + options.seconds
    print(f"fuzz_mlir.py: {len(seeds)} texts, seed {options.seed}", flush=True)
    faults, counts = {}, {"mutants": 0, "valid": 0, "upstream": 0}

    def search(texts, flags, index):
        """Finds which text of a batch is at fault."""
        for text in texts:
            found = check(options.opt, text, flags)
            if not found:
                continue
            if is_upstream(found[1]):
                counts["upstream"] += 1
                continue
            stack = re.findall(r"(?:trireme|mlir)::[\w:~]+", found[1])
            key = (found[0], " < ".join(stack[:4]) or str(flags))
            faults.setdefault(key, (text, flags, index))

    def one(index):
        """One batch of mutants, all with the flags that fit the first."""
        if time.monotonic() > end or len(faults) > 20:
            return
        choose = random.Random(f"{options.seed}:{index}")
        text = choose.choice(seeds)
        flags = choose_flags(text, choose) if choose.random() < 0.7 else ["--verify-roundtrip"]
        stage = [other for other in seeds if get_stage(other) == get_stage(text)]
        texts = []
        while len(texts) < BATCH and sum(map(len, texts)) < 200000:
            text = choose.choice(stage)
            for _ in range(choose.choice([1, 1, 2, 3])):
                text = mutate_once(text, choose)
            texts.append(text)
        whole = "\n// -----\n".join(texts)
        code, printed, errors = run(options.opt, whole, [*flags, "--split-input-file"])
        counts["mutants"] += len(texts)
        counts["valid"] += len(re.findall(r"^module", printed, re.M))
        if code not in (0, 1) or "roundTrip" in errors:
            search(texts, flags, index)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        index = 0
        while time.monotonic() < end and index < options.count:
            batch = range(index, min(index + 8, options.count))
            list(pool.map(one, batch))
            index = batch.stop
    for number, ((fault, stack), (text, flags, index)) in enumerate(faults.items()):
        path = os.path.join(out, f"fault-{options.seed}-{number}.mlir")
        with open(path, "w") as file:
            file.write(shrink(options.opt, text, flags, fault) + "\n")
        print(f"FAULT {fault} of batch {index}: trireme-opt {' '.join(repr(f) for f in flags)} {path}\n  {stack}", flush=True)
    print(f"fuzz_mlir.py: {counts['mutants']} mutants, {counts['valid']} taken to the end, {counts['upstream']} upstream's, {len(faults)} faults")
    if not counts["mutants"]:
        sys.exit("fuzz_mlir.py: nothing was run")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
