#!/usr/bin/env python3
"""Runs the commands of trireme that README.md and docs/ show; checks that links lead somewhere."""
import glob
import os
import re
import subprocess

from common import ROOT, check, finish, path


def commands_of(text):
    """Lines of code blocks that call our tools; MODEL and weights stand for the reader's own."""
    fence = None
    for line in text.splitlines():
        if line.startswith("```"):
            fence = line[3:] if fence is None else None
            continue
        line = line.split(" #")[0].strip()
        if fence == "" and line.startswith("build/bin/") and not re.search(r"MODEL|--init| train ", line):
            yield line


def folder_of(name):
    """A folder with what commands expect in a checkout."""
    folder = os.path.dirname(path(name, "text.txt"))
    for link in ("build", "examples"):
        os.symlink(os.path.join(ROOT, link), os.path.join(folder, link))
    with open(os.path.join(folder, "text.txt"), "w") as file:
        file.write("To Sherlock Holmes she is always THE woman.\n")
    return folder


def main():
    for page in ["README.md", *sorted(glob.glob("docs/*.md", root_dir=ROOT))]:
        with open(os.path.join(ROOT, page)) as file:
            text = file.read()
        targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
        broken = [t for t in targets if "://" not in t and not os.path.exists(os.path.join(ROOT, os.path.dirname(page), t))]
        check(f"{page}: links", not broken, ", ".join(broken))
        folder = folder_of(page)
        for command in commands_of(text):
            done = subprocess.run(command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            check(f"{page}: {command}", done.returncode == 0, done.stderr[-500:])
    finish()


main()
