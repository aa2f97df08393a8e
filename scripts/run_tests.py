#!/usr/bin/env python3
"""Builds Trireme and runs its tests; `scripts/test` calls it.

usage: run_tests.py [FILTER]     (parts whose name contains FILTER)

Each part is a command; it passes if it exits 0. Its output is shown as it
comes. The closing line counts parts.
"""
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")

# name, command (in the root folder)
PARTS = [
    ("build", ["scripts/setup", "all", "trireme-runtime-tests", "trireme-fake-program"]),
    ("unit tests", ["ctest", "--test-dir", "build", "--output-on-failure", "-j2"]),
    ("lit tests", ["ninja", "-C", "build", "check-trireme"]),
    ("round trips", ["ninja", "-C", "build", "check-trireme-roundtrip"]),
    ("format", ["scripts/check-format"]),
    ("folders", ["python3", "scripts/check_includes.py"]),
    ("golden values", ["python3", "test/EndToEnd/golden.py"]),
    ("random models", ["python3", "test/EndToEnd/random_models.py", "10"]),
    ("compile cost", ["python3", "test/EndToEnd/compile_cost.py"]),
    ("allocations", ["python3", "test/EndToEnd/allocations.py"]),
    ("check arena", ["python3", "test/EndToEnd/check_arena.py"]),
    ("non-finite steps", ["python3", "test/EndToEnd/nonfinite.py"]),
    ("bytes moved", ["python3", "test/EndToEnd/bytes_moved.py"]),
    ("own architecture", ["python3", "test/EndToEnd/own_architecture.py"]),
    ("documents", ["python3", "test/EndToEnd/documents.py"]),
    ("quickstart", ["python3", "test/EndToEnd/quickstart.py"]),
    ("mutants", ["python3", "scripts/mutants"]),
    ("fuzzers", ["scripts/fuzz", "20"]),
]


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    passed, failed = 0, []
    for name, command in PARTS:
        if only not in name and name != "build":
            continue
        print(f"=== {name}: {' '.join(command)}", flush=True)
        start = time.monotonic()
        code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL).returncode
        print(f"=== {name}: {'ok' if code == 0 else f'FAILED (exit {code})'} in {time.monotonic() - start:.0f} s", flush=True)
        if code == 0:
            passed += 1
        else:
            failed.append(name)
            if name == "build":
                break
    if failed:
        print("failed:", ", ".join(failed))
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
