#!/usr/bin/env python3
"""Runs scripts/quickstart in a short form, and each command that it ends with."""
import os
import subprocess

from common import ROOT, check, finish

done = subprocess.run([os.path.join(ROOT, "scripts", "quickstart"), "--steps", "60"], cwd="/", stdin=subprocess.DEVNULL,
                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
check("scripts/quickstart --steps 60", done.returncode == 0, done.stdout[-2000:] if done.returncode else "")
head, _, rest = done.stdout.partition("What to try next, in ")
print(head[head.find("Loss in nats"):])
commands = [line.strip() for line in rest.splitlines()[1:] if line.startswith("    ")]
check("commands to try next", len(commands) >= 5, len(commands))
for command in commands:
    tried = subprocess.run(command.split(), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(command, tried.returncode == 0, tried.stderr[-500:])
finish()
