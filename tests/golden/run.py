#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one golden case: tests/golden/NAME.txt holds command lines, each with its whole expected text.

    # why this case is there
    $ plan --topology "pack:2 core:2 pu:1" --seed 1
    status 0
    stdout
    ...

A `stderr` part follows where something is printed there; further command lines follow in the same way. The
program runs in tests/data, so that topology files are named without a folder. With NUMASWEEP_BLESS=1 the
texts below the command lines are written anew instead of compared.
"""

import difflib
import os
import pathlib
import shlex
import subprocess
import sys


def read_case(path):
    """The comment at the head, and the command lines as they stand."""
    head, commands = "", []
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append(line)
        elif not commands:
            if not line.startswith("#"):
                sys.exit(f"{path}: a comment or a line that begins with \"$ \" was expected: {line}")
            head += line
    if not commands:
        sys.exit(f"{path}: no line begins with \"$ \"")
    return head, commands


def environment():
    """Nothing of the caller's that could change the text."""
    kept = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            kept[name] = os.environ[name]
    return kept


def run(program, words, folder):
    result = subprocess.run(
        [program, *words],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=100,
        check=False,
    )
    text = f"status {result.returncode}\n"
    for name, output in (("stdout", result.stdout), ("stderr", result.stderr)):
        if output:
            text += f"{name}\n{output.decode('utf-8')}"
    return text


def main():
    program, case = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    head, commands = read_case(case)
    actual = head
    for command in commands:
        actual += command + run(program, shlex.split(command[2:]), case.parent.parent / "data")
    expected = case.read_text(encoding="utf-8")
    if actual == expected:
        return 0
    if os.environ.get("NUMASWEEP_BLESS") == "1":
        case.write_text(actual, encoding="utf-8")
        print(f"{case.name}: written anew")
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(
            expected.splitlines(keepends=True), actual.splitlines(keepends=True), "expected", "actual"
        )
    )
    print(f"\n{case}: the text differs; NUMASWEEP_BLESS=1 ctest -L golden writes it anew")
    return 1


if __name__ == "__main__":
    sys.exit(main())
