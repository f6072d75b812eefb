# SPDX-License-Identifier: GPL-3.0-or-later
"""A CPU that is taken away most of the time is slow, and only that one. Taken away by something less urgent than the
worker it is not slow, and taken away a little, its 90th percentile moves but not its median."""

from support import check
from support.report import rows

MACHINES = ["two_nodes"]
NEEDS_VIRTUAL_TIME = True
SHIFT = 1
# The last one: QEMU runs the CPUs in turn, and those behind a busy one wait for it.
SLOW = 3

# Timers of idle CPUs would else be served by the CPU that is kept busy, and be late for it.
SHELL = f"""
echo 0 > /proc/sys/kernel/timer_migration
sweep() {{
  numasweep --progress never --seed 3 --rounds 3 --samples 20 -n local -o json:/out/$1.json
  echo $? >> /out/statuses
}}
disturbed() {{
  name=$1
  shift
  guest_disturb "$@" 60 > /tmp/$name &
  until grep -q ready /tmp/$name; do usleep 1000; done
  sweep $name
  kill $!
  wait
}}
sweep quiet
disturbed heavy {SLOW} 99 2700 3000
disturbed control {SLOW} 49 2700 3000
disturbed light {SLOW} 99 400 2300
"""


def figures(files, name, figure):
    return {row["cpu"]: row["wake"][figure] for row in rows(files.json(f"{name}.json")).values()}


def assert_near(found, wanted, what):
    for cpu, value in wanted.items():
        check.assertTrue(0.8 * value < found[cpu] < 1.25 * value, (what, cpu, found, wanted))


def judge(machine, files):
    check.assertEqual(files.text("statuses"), 4 * "0\n")
    quiet = figures(files, "quiet", "median_ns")
    print("medians in ns:", {name: figures(files, name, "median_ns") for name in ("quiet", "heavy", "control", "light")})
    print("p90 in ns:", {name: figures(files, name, "p90_ns") for name in ("quiet", "light")})
    assert_near(quiet, dict.fromkeys(machine.cpus, 8_300), "quiet")
    heavy = figures(files, "heavy", "median_ns")
    check.assertTrue(500_000 < heavy[SLOW] < 3_000_000, heavy)
    assert_near({**heavy, SLOW: quiet[SLOW]}, quiet, "heavy, the others")
    assert_near(figures(files, "control", "median_ns"), quiet, "control")
    assert_near(figures(files, "light", "median_ns"), quiet, "light")
    check.assertGreater(figures(files, "light", "p90_ns")[SLOW], 5 * figures(files, "quiet", "p90_ns")[SLOW])
