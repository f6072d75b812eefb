# SPDX-License-Identifier: GPL-3.0-or-later
"""Without a right to lock memory the sweep is whole, and says that nothing was locked."""

from support import check
from support.report import environment, rows, validity

MACHINES = ["two_nodes"]
TOOLS = ("prlimit", "setpriv")

SHELL = """
prlimit --memlock=0:0 --rtprio=60:60 setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \\
  --bounding-set=-all numasweep --progress never --seed 1 --rounds 1 --samples 8 -o json > /out/report.json 2> /out/err
echo $? > /out/status
"""


def judge(machine, files):
    report = files.json("report.json")
    check.assertEqual({row["cpu"]: row["status"] for row in rows(report).values()}, dict.fromkeys(machine.cpus, "ok"))
    check.assertEqual(environment(report, "rlimit_memlock_bytes"), "0 (hard 0)")
    check.assertIn("locked in 0 of ", validity(report, "memory"))
    check.assertEqual(files.text("status"), "0\n")
