# SPDX-License-Identifier: GPL-3.0-or-later
"""RLIMIT_RTTIME does not touch workers that sleep; one that is busy for longer between its sleeps is killed, which its row says with the
limit's name, whether the soft limit did it or the hard one."""

from support import check
from support.report import check_whole, rows

MACHINES = ["two_nodes"]
TOOLS = ("prlimit",)
# Slow enough that touching all the lines takes several ticks.
SHIFT = 5

SHELL = """
sweep() {
  name=$1
  limits=$2
  shift 2
  prlimit --rttime=$limits numasweep --progress never --seed 1 --rounds 1 -o json "$@" \\
    > /out/$name.json 2> /out/$name.err
  echo $? > /out/$name.status
}
sweep sleeping 200000:200000 --samples 8
sweep soft 8000:unlimited -c 1 -n local --samples 4 --touch 65536
sweep hard 8000:8000 -c 1 -n local --samples 4 --touch 65536
"""


def judge(machine, files):
    check_whole(check, machine, files.json("sleeping.json"))
    check.assertEqual(files.text("sleeping.status"), "0\n")
    for name in ("soft", "hard"):
        row = rows(files.json(f"{name}.json"))["1"]
        check.assertEqual(row["wake"]["samples"], 0, row)
        check.assertIn("RLIMIT_RTTIME", row["status"])
        check.assertIn({"soft": "SIGXCPU", "hard": "SIGKILL"}[name], row["status"])
        check.assertEqual(files.text(f"{name}.status"), "3\n")
