# SPDX-License-Identifier: GPL-3.0-or-later
"""The same sweep gives the same samples at the next boot, on a host that is busier; and all CPUs the same figure."""

import json

from support import check
from support.report import wake_medians

MACHINES = ["four_nodes_smt"]
NEEDS_VIRTUAL_TIME = True
BOOTS = 2

SHELL = """
numasweep --progress never --seed 7 --rounds 1 --samples 8 -n 0,3 --save /out/result.jsonl -o json:/out/report.json
echo $? > /out/status
"""


def records(files, kind):
    return [record for record in map(json.loads, files.text("result.jsonl").splitlines())
            if record["record"] == kind]


def judge(machine, first, second):
    check.assertEqual(first.text("status"), "0\n")
    check.assertEqual(len(records(first, "visit")), 2 * len(machine.cpus))
    check.assertEqual(records(first, "visit"), records(second, "visit"))
    check.assertEqual(first.text("report.json"), second.text("report.json"))
    for cpu, median_ns in wake_medians(first.json("report.json")).items():
        check.assertTrue(30_000 < median_ns < 37_000, (cpu, median_ns))
