# SPDX-License-Identifier: GPL-3.0-or-later
"""The cpuset loses CPUs 2 and 3 in mid-sweep: they are missing from then on with the reason, the others are whole."""

from support import check
from support.report import cells, rows

MACHINES = ["two_nodes"]
SAMPLES, ROUNDS = 200, 4

SHELL = f"""
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/box
echo 0-3 > /sys/fs/cgroup/box/cpuset.cpus
echo $$ > /sys/fs/cgroup/box/cgroup.procs
numasweep --progress never --seed 1 --rounds {ROUNDS} --samples {SAMPLES} -n local -o json:/out/report.json -o table &
sleep 2
echo 0-1 > /sys/fs/cgroup/box/cpuset.cpus
wait $!
echo $? > /out/status
"""


def judge(machine, files):
    report = files.json("report.json")
    found = rows(report)
    check.assertEqual([row["cpu"] for row in found.values()], machine.cpus)
    for (label, _), cell in cells(report).items():
        if cell["state"] == "not planned":
            continue
        if label in ("0", "1"):
            check.assertEqual((cell["visits_failed"], cell["elsewhere"]), (0, 0), cell)
            continue
        check.assertGreater(cell["visits_failed"], 0, cell)
        check.assertEqual(cell["wake"]["samples"] + cell["elsewhere"], cell["visits_measured"] * SAMPLES, cell)
        check.assertIn("cpuset", found[label]["status"])
    check.assertEqual(files.text("status"), "4\n")
