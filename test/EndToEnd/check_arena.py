#!/usr/bin/env python3
"""--check-arena changes no bit, and finds buffers that a plan lets overlap."""
import os
import re
import subprocess

from common import DATA, GOLDEN, check, compile_model, finish, path, trireme

MODEL = os.path.join(GOLDEN, "llama-tiny")


def train(program, *flags):
    """Exit code, messages and metrics (those that do not depend on time) of some steps."""
    log = path("log.jsonl")
    done = subprocess.run([program, "--data", DATA, "--init", MODEL, "--steps", "3", "--metrics", log, "--eval-data", DATA,
                           "--eval-steps", "1", *flags], capture_output=True, text=True)
    with open(log) as file:
        lines = [re.sub(r'"(tokens_per_second|\w+_seconds|rss_bytes)": [^,}]*', "", line) for line in file]
    return done.returncode, done.stderr, lines


def overlaps(text):
    """Pairs of temporary buffers that one kernel or product uses: where one ends, where the other begins."""
    buffers, uses, pairs = {}, [], []
    for line in text.splitlines():
        made = re.search(r"(%\w+) = runtime\.buffer %\w+ at (\d+) strides", line)
        released = re.search(r'"trireme_release", %\w+\((%\w+)\) \[(\d+)\]', line)
        if made:
            buffers[made[1]] = int(made[2])
        elif released:
            begin = buffers[released[1]]
            end = begin + (int(released[2]) + 63) // 64 * 64
            for used in uses:
                above = [offset for offset in used if offset > begin]
                if begin in used and above:
                    pairs.append((end, min(above)))
            uses = [used - {begin} for used in uses]
        elif "runtime.launch" in line or "runtime.gemm" in line:
            uses.append({buffers[name] for name in re.findall(r"%\w+", line) if name in buffers})
    return list(dict.fromkeys(pairs))


runtime = compile_model("llama-tiny", "runtime.mlir", "--micro-batch-size", 2, "--emit", "runtime")
with open(runtime) as file:
    text = file.read()
# Names are unique in a function only.
train_text = text[text.index("@train("):]
train_text = train_text[:train_text.index("\n  }")]
program = path("program")
trireme("compile", runtime, "-o", program)
plain, checked = train(program), train(program, "--check-arena")
check("the same bits with and without --check-arena", plain[0] == checked[0] == 0 and plain[2] == checked[2])

pairs = overlaps(train_text)
found, silent, shown = 0, 0, ""
tried = pairs[:: max(1, len(pairs) // 8)][:8]
for end, begin in tried:
    broken = path("broken.mlir")
    changed = re.sub(rf"at {begin} strides", f"at {end - 64} strides", train_text)
    with open(broken, "w") as file:
        file.write(text.replace(train_text, changed))
    trireme("compile", broken, "-o", program)
    code, message, _ = train(program, "--check-arena")
    found += code == 3
    shown = message.strip() or shown
    silent += train(program)[0] == 0
check("plans with overlapping buffers are found", found == len(tried) > 0, f"{found} of {len(tried)}; {silent} run to their end without the flag")
print(shown[-300:])
finish()
