# SPDX-License-Identifier: GPL-3.0-or-later
"""Isolated CPUs are hidden from the inherited mask, and can be swept: told, not left out."""

from support import check
from support.report import check_whole, environment, rows, swept

MACHINES = ["two_nodes"]
KERNEL_ARGUMENTS = "isolcpus=2,3 nohz_full=3"

SHELL = """
taskset -p $$ > /out/mask
numasweep --seed 1 --rounds 2 --samples 8 -o json:/out/default.json -o table
echo $? > /out/default-status
numasweep --seed 1 --rounds 2 --samples 8 -c all -o json:/out/all.json -o table
echo $? > /out/all-status
numasweep --seed 1 --rounds 2 --samples 8 -c isolated -o json:/out/isolated.json
echo $? > /out/isolated-status
"""


def judge(machine, files):
    check.assertTrue(files.text("mask").rstrip().endswith(": 3"), files.text("mask"))
    whole = files.json("all.json")
    check_whole(check, machine, whole)
    check.assertEqual(environment(whole, "isolated"), "2-3")
    check.assertEqual(environment(whole, "nohz_full"), "3")
    check.assertEqual(swept(files.json("isolated.json")), {"2": "ok", "3": "ok"})
    check.assertEqual({label: (row["isolated"], row["nohz_full"]) for label, row in rows(whole).items()},
                      {"0": ([], []), "1": ([], []), "2": ([2], []), "3": ([3], [3])})
    default = files.json("default.json")
    check.assertEqual(swept(default), {"0": "ok", "1": "ok"})
    for label in ("2", "3"):
        check.assertIn("outside the inherited affinity mask", rows(default)[label]["status"])
    for name in ("default", "all", "isolated"):
        check.assertEqual(files.text(f"{name}-status"), "0\n")
