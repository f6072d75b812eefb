# SPDX-License-Identifier: GPL-3.0-or-later
"""In a cpuset (cgroup v2) with gaps: the allowed CPUs under their own numbers, the others as not allowed."""

from support import check
from support.report import rows

MACHINES = ["two_nodes"]

SHELL = """
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/box
echo 1,3 > /sys/fs/cgroup/box/cpuset.cpus
echo $$ > /sys/fs/cgroup/box/cgroup.procs
numasweep --seed 1 --rounds 2 --samples 8 -o json:/out/report.json
echo $? > /out/status
numasweep --seed 1 --rounds 2 --samples 8 -c 0,1 -o json:/out/asked.json
echo $? > /out/asked-status
"""


def judge(machine, files):
    report = files.json("report.json")
    measured = {label: row["status"] for label, row in rows(report).items() if row["wake"]["samples"] > 0}
    check.assertEqual(measured, {"1": "ok", "3": "ok"})
    check.assertEqual(report["totals"]["cells_measured"], 4)
    check.assertEqual(files.text("status"), "0\n")
    for row in rows(report).values():
        check.assertEqual(row["node"], machine.node_of[row["cpu"]], row)
    asked = rows(files.json("asked.json"))
    check.assertEqual(asked["1"]["status"], "ok")
    check.assertIn("not allowed", asked["0"]["status"])
    check.assertEqual(files.text("asked-status"), "4\n")
