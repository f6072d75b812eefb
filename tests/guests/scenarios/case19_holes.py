# SPDX-License-Identifier: GPL-3.0-or-later
"""CPUs 1 and 3 of 4 were taken offline before: the others are swept under their own numbers."""

import dataclasses

from support import check
from support.report import check_whole, rows

MACHINES = ["two_nodes"]

SHELL = """
echo 0 > /sys/devices/system/cpu/cpu1/online
echo 0 > /sys/devices/system/cpu/cpu3/online
cat /sys/devices/system/cpu/online > /out/online
numasweep --seed 1 --rounds 2 --samples 8 -o json:/out/report.json
echo $? > /out/status
numasweep --seed 1 --rounds 1 --samples 8 -c all:2 -n local -o json:/out/every-second.json
"""


def judge(machine, files):
    check.assertEqual(files.text("online"), "0,2\n")
    check.assertEqual(files.text("status"), "0\n")
    holes = dataclasses.replace(machine, node_of={0: 0, 2: 1}, offline=[1, 3])
    check_whole(check, holes, files.json("report.json"))
    measured = [label for label, row in rows(files.json("every-second.json")).items() if row["status"] == "ok"]
    check.assertTrue(measured)
    check.assertLessEqual(set(measured), {"0", "2"})
