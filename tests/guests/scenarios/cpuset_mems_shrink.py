# SPDX-License-Identifier: GPL-3.0-or-later
"""The cpuset loses node 1's memory in mid-sweep, and the kernel moves what lies there: no visit whose memory went away
passes as placed, and the other column is whole."""

from support import check
from support.report import cells, rows

MACHINES = ["two_nodes"]
SAMPLES, ROUNDS = 100, 4

SHELL = f"""
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/box
echo 0-1 > /sys/fs/cgroup/box/cpuset.mems
echo $$ > /sys/fs/cgroup/box/cgroup.procs
numasweep --progress never --seed 1 --rounds {ROUNDS} --samples {SAMPLES} --save /out/result.jsonl \\
  -o json:/out/report.json -o table &
sleep 2
echo 0 > /sys/fs/cgroup/box/cpuset.mems
wait $!
echo $? > /out/status
"""


def judge(machine, files):
    report = files.json("report.json")
    check.assertEqual([row["cpu"] for row in rows(report).values()], machine.cpus)
    for (_, node), cell in cells(report).items():
        check.assertEqual(cell["visits_measured"] + cell["visits_failed"], ROUNDS, cell)
        if node == 0:
            check.assertEqual((cell["visits_failed"], cell["unproved"]), (0, 0), cell)
            continue
        check.assertGreater(cell["visits_failed"] + cell["unproved"], 0, cell)
    check.assertTrue(report["totals"]["has_invalid"])
    refused = next(line for line in report["warnings"] if "was not bound" in line)
    check.assertIn("cpuset", refused)
    check.assertNotIn("system-call filter", refused)
    check.assertEqual(files.text("status"), "0\n")
