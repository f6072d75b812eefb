# SPDX-License-Identifier: GPL-3.0-or-later
"""A normal task's sleep ends later by its timer slack, which is what the option sets; a real-time task has none."""

from support import check
from support.report import wake_medians

MACHINES = ["two_nodes"]
NEEDS_VIRTUAL_TIME = True

SHELL = """
sweep() {
  name=$1
  shift
  numasweep --progress never --seed 1 --rounds 2 --samples 20 -c 1,3 -n local -o json:/out/$name.json "$@"
  echo $? >> /out/statuses
}
sweep none --policy other
sweep inherited --policy other --timer-slack inherit
sweep long --policy other --timer-slack 1ms
sweep fifo --timer-slack 1ms
"""


def judge(machine, files):
    check.assertEqual(files.text("statuses"), 4 * "0\n")
    medians = {name: wake_medians(files.json(f"{name}.json")) for name in ("none", "inherited", "long", "fifo")}
    print("medians in ns:", medians)
    for cpu in (1, 3):
        none = medians["none"][cpu]
        check.assertLess(none, 60_000)
        # 50 us is what every process begins with.
        check.assertTrue(40_000 < medians["inherited"][cpu] - none < 60_000, medians)
        check.assertTrue(900_000 < medians["long"][cpu] - none < 1_100_000, medians)
        check.assertLess(medians["fifo"][cpu], 60_000)
