"""Compares losses and norms of two metrics files: A B STEPS."""
import json
import sys


def read(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


a, b, steps = read(sys.argv[1]), read(sys.argv[2]), int(sys.argv[3])
if not len(a) == len(b) == steps:
    sys.exit(f"{len(a)} and {len(b)} steps, expected {steps}")
for x, y in zip(a, b):
    for key in ["loss", "grad_norm"]:
        if not abs(x[key] - y[key]) <= 1e-4 * abs(y[key]):
            sys.exit(f"step {x['step']}: {key} is {x[key]} and {y[key]}")
if abs(a[0]["loss"] - a[-1]["loss"]) < 1e-3:
    sys.exit("the loss does not move")
