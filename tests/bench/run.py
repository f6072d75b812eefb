#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the figures that the closing lines of a change quote. Never fails on a figure.

    tests/bench/run.py [BUILD [PART...]]

BUILD is build/release by default; needs root, and bench_tools in BUILD or build/dev. PART: efficiency, harness, touch,
helpers, memory, topology; all by default.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release").resolve()
NUMASWEEP = BUILD / "src/numasweep"
TOOLS = next((tools for tools in (BUILD / "tests/bench_tools", ROOT / "build/dev/tests/bench_tools")
              if tools.exists()), None)
CPUS = sorted(os.sched_getaffinity(0))
CPU = CPUS[-1]
PAIRS = 20


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True, **options).stdout


def sweep(*arguments, save=None):
    extra = ("--save", save) if save else ()
    return json.loads(run(NUMASWEEP, "-o", "json", *arguments, *extra))


def efficiency(report):
    totals = report["totals"]
    return totals["asleep_ns"] / totals["wall_ns"], totals["coordinator_cpu_ns"] / totals["wall_ns"]


def bench_efficiency(folder):
    print("\nSweep efficiency: asleep or touching / wall, all evidence on, saved to a file, --concurrent one")
    for rounds, what in ((1, "first visits"), (20, "default"), (512, "1,024 visits of 2 cells")):
        figures = [efficiency(sweep("-r", rounds, "-c", f"{CPUS[0]},{CPU}", save=folder / f"e{rounds}-{i}.jsonl"))
                   for i in range(1 if rounds == 512 else 5)]
        print(f"  {rounds:4} rounds ({what}): efficiency {statistics.median(f[0] for f in figures):.3f}, "
              f"coordinator and launcher {100 * statistics.median(f[1] for f in figures):.2f} % of a CPU")


def bench_many_cells(folder):
    """As many cells as a large machine has, of two CPUs: timeouts that differ by a nanosecond."""
    timeouts = ",".join(f"{1000000 + i}ns" for i in range(512))
    report = sweep("-r", 1, "-c", f"{CPUS[0]},{CPU}", "-n", "local", "-t", timeouts, save=folder / "cells.jsonl")
    own, cpu = efficiency(report)
    print(f"     1 round  ({report['totals']['cells_measured']:,} cells of 2 CPUs): efficiency {own:.3f}, "
          f"coordinator and launcher {100 * cpu:.2f} % of a CPU")


def bench_late_visits(file):
    visits = [json.loads(line)["placement"] for line in file.read_text().splitlines() if '"record":"visit"' in line]
    gaps = [(b["started_ns"] - a["finished_ns"]) / 1000 for a, b in zip(visits, visits[1:])]
    part = len(gaps) // 4
    first, last = statistics.median(gaps[:part]), statistics.median(gaps[-part:])
    print(f"\nCost of a visit, early and late ({file.stem}): from the last sample of one to the first of the next (phase of about half a "
          "timeout included)")
    print(f"  first quarter of {len(visits)} visits: median {first:.0f} us; last quarter: {last:.0f} us; "
          f"ratio {last / first:.3f}")


def median_of_lines(text):
    return statistics.median(int(line) for line in text.split())


def bare_sleep(seed):
    return median_of_lines(run(TOOLS, "sleep", CPU, 500, 1000000, seed))


def own_sleep(seed):
    report = sweep("-c", CPU, "-n", "none", "--touch", 0, "-r", 1, "-s", 500, "--seed", seed)
    return report["tables"][0]["wake"]["median_ns"]


def stress_ng(_):
    text = subprocess.run(["stress-ng", "--cyclic", "1", "--cyclic-method", "pselect", "--cyclic-policy", "fifo",
                           "--cyclic-prio", "50", "--cyclic-sleep", "1000000", "--cyclic-samples", "1000",
                           "--taskset", str(CPU), "-t", "1"],
                          capture_output=True, text=True, check=True)
    found = re.search(r"50\.00%:\s+(\d+)\s+ns", text.stdout + text.stderr)
    return int(found.group(1))


def cyclictest(_):
    text = run("cyclictest", "-q", "-t1", f"-a{CPU}", "-p50", "-i1000", "-l500", "-N", "-v", "--default-system")
    values = [int(line.split(":")[2]) for line in text.splitlines() if re.match(r"\s*0:\s*\d+:\s*\d+", line)]
    return statistics.median(values)


def bench_harness():
    others = {"a bare loop in C": bare_sleep}
    if shutil.which("stress-ng"):
        others["stress-ng --cyclic-method pselect (not dithered)"] = stress_ng
    if shutil.which("cyclictest"):
        others["cyclictest (clock_nanosleep, not dithered)"] = cyclictest
    others["numasweep"] = own_sleep
    seen = {name: [] for name in others}
    for pair in range(PAIRS):
        # To and fro, since what ran before leaves its trace in an idle governor.
        for name in list(others) if pair % 2 == 0 else reversed(list(others)):
            seen[name].append(others[name](pair))
    own = seen.pop("numasweep")
    print(f"\nThe harness adds nothing: median overshoot of 1 ms sleeps on CPU {CPU}, SCHED_FIFO 50, {PAIRS} pairs, in turn")
    print(f"  numasweep --touch 0: {statistics.median(own) / 1000:.2f} us")
    for name, values in seen.items():
        difference = statistics.median(a - b for a, b in zip(own, values)) / 1000
        ratio = statistics.median(a / b for a, b in zip(own, values))
        print(f"  {name}: {statistics.median(values) / 1000:.2f} us; numasweep less this, pair by pair: "
              f"{difference:+.2f} us, ratio {ratio:.3f}")


def bench_touch():
    own, flushed = [], []
    for pair in range(PAIRS):
        report = sweep("-c", CPU, "-r", 1, "-s", 200, "--seed", pair)
        own.append(report["tables"][0]["touch"]["median_ns"] / 64)
        flushed.append(median_of_lines(run(TOOLS, "chase", CPU, 64, 200)) / 64)
    memory = float(run(TOOLS, "memory", CPU, 512 * 1024 * 1024))
    print(f"\ntouch against pointer chases of the bench on CPU {CPU}, ns a line")
    print(f"  numasweep touch (64 flushed lines after a sleep): {statistics.median(own):.1f}")
    print(f"  the same chase in the bench: {statistics.median(flushed):.1f}; ratio pair by pair "
          f"{statistics.median(a / b for a, b in zip(own, flushed)):.3f}")
    print(f"  a chase through 512 MiB, one line of 64 bytes after the other at random (with address translation): {memory:.1f}")


def children(pid):
    try:
        return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def private_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_"))


def running_ns(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def bench_helpers():
    """Between the first look and the last, so without discovering the machine and printing."""
    process = subprocess.Popen([str(NUMASWEEP), "-r", "200"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    looks = []
    while process.poll() is None:
        try:
            looks.append((time.monotonic(), running_ns(process.pid), running_ns(children(process.pid)[0])))
        except (OSError, IndexError):
            pass
        time.sleep(0.2)
    print("\nCPU time of the helpers, read from outside, of the sweep's wall time")
    if len(looks) > 2:
        seconds = looks[-1][0] - looks[0][0]
        for name, place in (("coordinator", 1), ("launcher", 2)):
            print(f"  {name}: {(looks[-1][place] - looks[0][place]) / seconds / 1e7:.2f} %")


def bench_memory():
    process = subprocess.Popen([str(NUMASWEEP), "-r", "5", "-s", "300"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    workers, launchers, coordinators = [], [], []
    while process.poll() is None:
        for launcher in children(process.pid):
            for worker in children(launcher):
                try:
                    workers.append(private_kib(worker))
                    launchers.append(private_kib(launcher))
                    coordinators.append(private_kib(process.pid))
                except OSError:
                    pass
        time.sleep(0.02)
    print("\nPrivate memory, read in mid-visit, median (largest)")
    for name, values in (("worker", workers), ("launcher", launchers), ("coordinator", coordinators)):
        if values:
            print(f"  {name}: {statistics.median(values):.0f} KiB ({max(values)} KiB)")


def bench_all_efficiency():
    with tempfile.TemporaryDirectory(prefix="numasweep-") as name:
        folder = pathlib.Path(name)
        bench_efficiency(folder)
        bench_many_cells(folder)
        for file in ("e512-0", "cells"):
            bench_late_visits(folder / f"{file}.jsonl")


def bench_topology():
    print("\nTopology and plan of a large machine")
    sys.stdout.flush()
    subprocess.run([sys.executable, str(HERE / "bench_topology.py"), str(NUMASWEEP)], check=False)


def main():
    if not NUMASWEEP.exists() or TOOLS is None:
        sys.exit(f"build first: {NUMASWEEP} and bench_tools (cmake --build --preset dev) are needed")
    print(f"{NUMASWEEP}, {os.cpu_count()} CPUs, Linux {os.uname().release}, load {os.getloadavg()[0]:.2f}")
    parts = {"efficiency": bench_all_efficiency, "harness": bench_harness, "touch": bench_touch,
             "helpers": bench_helpers, "memory": bench_memory, "topology": bench_topology}
    wanted = sys.argv[2:] or list(parts)
    if not set(wanted) <= set(parts):
        sys.exit(f"parts are: {', '.join(parts)}")
    for part in wanted:
        parts[part]()


main()
