# SPDX-License-Identifier: GPL-3.0-or-later
"""In a cpuset without node 1's memory its CPUs are swept under their own node, and its column says why it is empty."""

from support import check
from support.report import cells, rows

MACHINES = ["two_nodes"]

SHELL = """
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/box
echo 0 > /sys/fs/cgroup/box/cpuset.mems
echo $$ > /sys/fs/cgroup/box/cgroup.procs
numasweep --seed 1 --rounds 2 --samples 8 -o json:/out/report.json
echo $? > /out/status
numasweep --seed 1 --rounds 2 --samples 8 -n 0,1 -o json:/out/asked.json -o table
echo $? > /out/asked-status
"""


def judge(machine, files):
    report = files.json("report.json")
    check.assertEqual([row["cpu"] for row in rows(report).values()], machine.cpus)
    for row in rows(report).values():
        check.assertEqual((row["node"], row["status"]), (machine.node_of[row["cpu"]], "ok"), row)
    for (cpu, node), cell in cells(report).items():
        check.assertEqual(cell["state"] == "measured", node == 0, cell)
        check.assertEqual(cell["is_local"], machine.node_of[int(cpu)] == node, cell)
    check.assertEqual(files.text("status"), "0\n")
    asked = files.json("asked.json")
    check.assertEqual([(column["node"], column["is_allowed"]) for column in asked["columns"]], [(0, True), (1, False)])
    check.assertEqual(files.text("asked-status"), "4\n")
