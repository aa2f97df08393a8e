#!/usr/bin/env python3
"""Runs the examples that stand in the descriptions of .td files.

usage: doc_examples.py TRIREME_OPT FOLDER

Every ```mlir block must parse and verify. In the description of a pass,
"Before" stands above a module and "After" above what the pass makes of it. The
two are compared as trireme-opt prints them, so names of values and line breaks
do not matter. Lines `// ...` in After stand for any lines; the parts between
them are then looked for in order, with names of values taken off.
Every pass must have such an example; `Runs:` with flags says with which other
passes or options, where the pass's own name is not all.
"""
import os
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"^ *```mlir\n(.*?)^ *```", re.M | re.S)
DEFINITION = re.compile(r"^def (\w+)\s*:\s*([^{]*)\{(.*?)^\}", re.M | re.S)


def run(opt, text, *flags):
    """What trireme-opt prints for `text`; an exception with what it says."""
    done = subprocess.run([opt, "-", *flags], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip())
    return done.stdout


def simplify(text):
    """The text without names of values and without white space."""
    text = re.sub(r"\s+", "", re.sub(r"[%^][\w$.#-]+(:\d+)?", "%", text))
    return re.sub(r"(%,)+%=", "%=", text)


def find_parts(parts, text):
    """None if all parts stand in the text in order; else the first that does not."""
    place = 0
    for part in parts:
        found = text.find(simplify(part), place)
        if found < 0:
            return part
        place = found + len(simplify(part))
    return None


def check_pass(opt, name, description):
    """Runs Before through the pass and compares with After."""
    pairs = re.findall(r"Before[^`]*?:\n\s*```mlir\n(.*?)```\s*After[^`]*?:\n\s*```mlir\n(.*?)```", description, re.S)
    if not pairs:
        raise ValueError("has no module before and after")
    runs = re.search(r"Runs: `([^`]*)`", description)
    flags = shlex.split(runs.group(1)) if runs else ["--" + name]
    for before, after in pairs:
        got = run(opt, before, *flags)
        parts = re.split(r"^\s*// \.\.\.\s*$", after, flags=re.M)
        if len(parts) > 1:
            missing = find_parts(parts, simplify(got))
            if missing is not None:
                raise ValueError(f"does not make\n{missing}\nbut\n{got}")
        elif got != run(opt, after):
            raise ValueError(f"makes\n{got}\nof the module before")


def check_file(opt, path):
    """Checks all definitions of a .td file; the number of examples."""
    with open(path) as file:
        text = file.read()
    count = 0
    for name, base, body in DEFINITION.findall(text):
        where = f"{path}: {name}"
        is_pass = re.match(r"Pass<\"([^\"]+)\"", base)
        try:
            if is_pass:
                check_pass(opt, is_pass.group(1), body)
                count += 1
                continue
            for block in BLOCK.findall(body):
                if re.match(r"\s*[#!]\S+\s*$|\s*#[\w.]+<.*>\s*$", block, re.S):
                    block = f"func.func private @f() attributes {{a = {block.strip()}}}"
                run(opt, block)
                count += 1
        except ValueError as error:
            sys.exit(f"{where}: {error}")
    return count


def main():
    opt, folder = sys.argv[1:]
    count = 0
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(".td"):
                count += check_file(opt, os.path.join(parent, name))
    if not count:
        sys.exit(f"{folder}: no examples")
    print(f"{count} examples")


if __name__ == "__main__":
    main()
