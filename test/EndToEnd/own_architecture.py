#!/usr/bin/env python3
"""Makes the edits of docs/own-architecture.md, compiles and trains; the losses are the evaluator's."""
import os
import re
import sys

from common import ROOT, check, finish, metrics, path, recipe, run, trireme

STEPS = 3
EXAMPLE = os.path.join(ROOT, "examples", "quickstart")


def edits():
    """The page's pairs of texts, by section."""
    sections = {}
    with open(os.path.join(ROOT, "docs", "own-architecture.md")) as page:
        for section in page.read().split("\n## ")[1:]:
            title = section.split("\n")[0]
            for block in re.findall(r"^```diff\n(.*?)^```", section, re.M | re.S):
                lines = block.splitlines()
                pieces = ["\n".join(line[1:] for line in lines if line[0] == sign) for sign in "-+"]
                sections.setdefault(title, []).append(pieces)
    return sections


def train(text, name, data):
    """Losses of the compiled program and of the evaluator."""
    model = path(name + ".mlir")
    with open(model, "w") as file:
        file.write(text)
    flags = ["--recipe", recipe("recipe.json", global_batch_size=2, sequence_length=48, steps=STEPS)]
    trireme("compile", model, *flags, "-o", path(name))
    trireme("compile", model, *flags, "--emit", "step", "-o", path(name + ".step.mlir"))
    run(path(name), "--data", data, "--init", "random", "--steps", "0", "--save", path(name + ".weights"))
    weights = path(name + ".weights", "step-00000000")
    run(path(name), "--data", data, "--init", weights, "--metrics", path(name + ".jsonl"))
    trireme("interpret", path(name + ".step.mlir"), "--data", data, "--init", weights, "--steps", STEPS, "--metrics", path(name + ".exact.jsonl"))
    return [[m["loss"] for m in metrics(path(name + end))] for end in (".jsonl", ".exact.jsonl")]


def main():
    data = path("tokens.bin")
    trireme("data", "tokenize", os.path.join(EXAMPLE, "text", "23-final-problem.txt"), "-o", data)
    original = trireme("import", EXAMPLE, "--recipe", os.path.join(EXAMPLE, "recipe.yaml"))
    sections = edits()
    check("sections with edits", len(sections) == 5, ", ".join(sections))
    everything, losses = original, {"the import": train(original, "import", data)}
    for number, (title, pairs) in enumerate(sections.items()):
        alone = original
        for old, new in pairs:
            if alone.count(old) != 1:
                sys.exit(f"{title}: found {alone.count(old)} times, expected once: {old}")
            alone, everything = alone.replace(old, new), everything.replace(old, new)
        losses[title] = train(alone, f"edit{number}", data)
    losses["all of them"] = train(everything, "all", data)
    for title, (own, exact) in losses.items():
        difference = max(abs(a - b) for a, b in zip(own, exact, strict=True))
        check(title, len(own) == STEPS and difference < 1e-5, f"losses differ by {difference:.1e}")
    distinct = len({tuple(own) for own, _ in losses.values()})
    check("every edit changes the losses", distinct == len(losses), distinct)
    finish()


main()
