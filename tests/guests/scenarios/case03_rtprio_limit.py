# SPDX-License-Identifier: GPL-3.0-or-later
"""An ordinary user with RLIMIT_RTPRIO 10: without the default priority the sweep is a normal task's and says so, one
that was asked for is not given up silently, and priority 5 is had."""

from support import check
from support.report import check_whole, environment, rows

MACHINES = ["two_nodes"]
TOOLS = ("prlimit", "setpriv")

SHELL = """
sweep() {
  name=$1
  shift
  prlimit --rtprio=10:10 setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \\
    numasweep --progress never --seed 1 --rounds 1 --samples 8 -o json "$@" > /out/$name.json 2> /out/$name.err
  echo $? > /out/$name.status
}
sweep default
sweep asked -P 50
sweep strict -P 50 --strict
sweep allowed -P 5
"""


def judge(machine, files):
    default = files.json("default.json")
    check_whole(check, machine, default, policy="SCHED_OTHER")
    check.assertEqual(environment(default, "rlimit_rtprio"), "10 (hard 10)")
    check.assertIn("SCHED_OTHER", files.text("default.err"))
    check.assertEqual(files.text("default.status"), "0\n")
    asked = files.json("asked.json")
    check.assertEqual([row["cpu"] for row in rows(asked).values()], machine.cpus)
    for row in rows(asked).values():
        check.assertIn("RLIMIT_RTPRIO 10", row["status"])
    check.assertEqual(files.text("asked.status"), "3\n")
    check.assertEqual(files.text("strict.status"), "3\n")
    check.assertIn("SCHED_FIFO", files.text("strict.err"))
    check_whole(check, machine, files.json("allowed.json"), policy="SCHED_FIFO 5")
    check.assertEqual(files.text("allowed.status"), "0\n")
