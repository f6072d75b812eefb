#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wall time and peak memory of `numasweep topology` and `numasweep plan` for a large machine.

Prints figures and targets; a missed target is not a failure, since the figures depend on the machine.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
TARGET_SECONDS = 0.5
TARGET_MEGABYTES = 150


def find_program():
    for preset in ("release", "dev", "clang"):
        program = SOURCE_DIR / "build" / preset / "src" / "numasweep"
        if program.exists():
            return str(program)
    return "numasweep"


def run_once(command):
    """Returns seconds, and the peak memory in MB of this one process."""
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {process.returncode}")
    return seconds, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="?", default=find_program())
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--topology", default="pack:16 numa:2 core:64 pu:2")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs: at least 1")

    print(f"{arguments.program}, {arguments.topology}, median of {arguments.runs} runs")
    print(f"target: {TARGET_SECONDS} s, {TARGET_MEGABYTES} MB")
    print(f"{'command':<28}{'seconds':>9}{'slowest':>9}{'peak MB':>9}")
    for words in (
        ["topology"],
        ["topology", "--output", "json"],
        ["plan"],
        ["plan", "--output", "json"],
        ["plan", "--concurrent", "package"],
        ["plan", "--concurrent", "all"],
    ):
        command = [arguments.program, *words, "--topology", arguments.topology]
        try:
            results = [run_once(command) for _ in range(arguments.runs)]
        except (OSError, RuntimeError) as error:
            print(f"{' '.join(words):<28}not measured: {error}")
            continue
        seconds = [result[0] for result in results]
        peak = max(result[1] for result in results)
        print(
            f"{' '.join(words):<28}{statistics.median(seconds):>9.3f}{max(seconds):>9.3f}{peak:>9.1f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
