# SPDX-License-Identifier: GPL-3.0-or-later
"""A CPU is taken offline in mid-sweep and comes back: no hang, no sample from elsewhere among the figures, the row says
what happened, all others are whole."""

from support import check
from support.report import cells, rows

MACHINES = ["two_nodes"]
SAMPLES, ROUNDS = 400, 4

SHELL = f"""
numasweep --progress never --seed 1 --rounds {ROUNDS} --samples {SAMPLES} -c 1,3 -n local -t 1ms \\
  -o json:/out/report.json -o table &
sleep 1.7
echo 0 > /sys/devices/system/cpu/cpu3/online
sleep 2
echo 1 > /sys/devices/system/cpu/cpu3/online
wait $!
echo $? > /out/status
"""


def judge(machine, files):
    report = files.json("report.json")
    found = rows(report)
    check.assertEqual((found["1"]["status"], found["1"]["wake"]["samples"]), ("ok", ROUNDS * SAMPLES))
    check.assertNotEqual(found["3"]["status"], "ok")
    cell = cells(report)["3", 1]
    check.assertGreater(cell["visits_failed"] + cell["elsewhere"], 0)
    check.assertEqual(cell["wake"]["samples"] + cell["elsewhere"], cell["visits_measured"] * SAMPLES, cell)
    check.assertLess(cell["wake"]["samples"], ROUNDS * SAMPLES)
    check.assertEqual(cell["visits_measured"] + cell["visits_failed"], ROUNDS, cell)
    check.assertIn(files.text("status"), ("0\n", "4\n"))
    check.assertEqual(files.text("status") == "4\n", cell["visits_failed"] > 0)
