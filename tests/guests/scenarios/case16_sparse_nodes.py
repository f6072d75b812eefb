# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes 0 and 2 are online: rows, columns and distances go by the nodes' numbers, not by their positions."""

from support import check
from support.report import cells, check_whole

MACHINES = ["sparse_nodes"]

SHELL = """
cat /sys/devices/system/node/online > /out/online
numasweep --progress never --seed 1 --rounds 1 --samples 8 -o json:/out/report.json
echo $? > /out/status
numasweep --progress never --seed 1 --rounds 1 --samples 8 -c node:2 -n 2 -o json:/out/second.json
echo $? > /out/second-status
numasweep --progress never --seed 1 --rounds 1 --samples 8 -n 1 2> /out/absent.err
echo $? > /out/absent-status
"""


def judge(machine, files):
    check.assertEqual(files.text("online"), "0,2\n")
    report = files.json("report.json")
    check_whole(check, machine, report)
    pairs = {(pair["cpu_node"], pair["memory_node"]): pair["distance"] for pair in report["tables"][0]["matrix"]}
    check.assertEqual(pairs, machine.distances)
    measured = [place for place, cell in cells(files.json("second.json")).items() if cell["state"] == "measured"]
    check.assertEqual(measured, [("1", 2)])
    check.assertEqual((files.text("status"), files.text("second-status")), ("0\n", "0\n"))
    check.assertEqual(files.text("absent-status"), "2\n")
    check.assertIn("node 1", files.text("absent.err"))
