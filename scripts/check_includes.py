#!/usr/bin/env python3
"""Each folder of lib/ may include only what docs/architecture.md lists; the runtime nothing of lib/ or LLVM."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# folder below lib/ and include/trireme/ -> folders that it may use besides its own
USES = {
    "Support": [],
    "Config": ["Support"],
    "Sharding": [],
    "Dialect/Train/IR": ["Support"],
    "Dialect/Runtime/IR": ["Dialect/Train/IR", "Support"],
    "Import": ["Dialect/Train/IR", "Config", "Support"],
    "Transforms/Autodiff": ["Dialect/Train/IR", "Support"],
    "Transforms/Optimizer": ["Dialect/Train/IR", "Support"],
    "Transforms/Fusion": ["Dialect/Train/IR", "Support"],
    "Transforms/Memory": ["Dialect/Train/IR", "Support"],
    "Conversion": ["Dialect/Train/IR", "Dialect/Runtime/IR", "Support"],
    "Target": ["Conversion", "Support"],
    "Pipelines": ["Conversion", "Target", "Transforms/Autodiff", "Transforms/Optimizer", "Transforms/Fusion", "Transforms/Memory",
                  "Dialect/Train/IR", "Dialect/Runtime/IR", "Support"],
    "Interpret": ["Dialect/Train/IR", "Support"],
}
# The mathematical ops, which no pass may name (Conversion and Import may).
STRUCTURAL = {"Loop", "Yield", "Fill", "Reshape", "Add", "Mul", "Rows", "RowsYield", "Reduce", "CountTargets", "LossSeed", "SumSquares",
              "ClipFactor", "AdamW"}


def folder_of(name):
    parts = name.split("/")
    for length in range(len(parts) - 1, 0, -1):
        if "/".join(parts[:length]) in USES:
            return "/".join(parts[:length])
    return None


def main():
    files = subprocess.run(["git", "ls-files", "lib", "include", "runtime"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    faults = []
    for file in files:
        if not file.endswith((".cpp", ".h", ".td", ".c", ".inc")):
            continue
        with open(os.path.join(ROOT, file)) as text:
            lines = text.read()
        included = re.findall(r'^\s*#?include\s+["<]([^">]+)[">]', lines, re.M)
        if file.startswith("runtime/"):
            faults += [f"{file} includes {i}" for i in included if re.match(r"(mlir|llvm|trireme/(?!runtime/))", i)]
            continue
        own = folder_of(re.sub(r"^(lib|include/trireme)/", "", file))
        if own is None:
            faults.append(f"{file} is in a folder that scripts/check_includes.py does not know")
            continue
        for name in included:
            if name.startswith("trireme/runtime/"):
                faults.append(f"{file} includes the runtime's {name}")
            elif name.startswith("trireme/"):
                other = folder_of(name[len("trireme/"):])
                if other != own and other not in USES[own]:
                    faults.append(f"{file} includes {name}, but {own} may use {', '.join(USES[own]) or 'nothing'}")
        if file.startswith("lib/Transforms/"):
            for op in re.findall(r"\b(?:isa|cast|dyn_cast|getOps|walk)<(\w+?)Op>", lines):
                if op not in STRUCTURAL and not op.startswith("Func"):
                    faults.append(f"{file} names the mathematical op {op}Op")
    print("\n".join(faults) if faults else f"{len(files)} files include what their folders may")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
