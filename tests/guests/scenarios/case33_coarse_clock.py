# SPDX-License-Identifier: GPL-3.0-or-later
"""Where sleeps end at ticks only, every output that has a place for it says so."""

from support import check
from support.report import check_whole, environment, validity, wake_medians

MACHINES = ["two_nodes"]
KERNEL_ARGUMENTS = "highres=off nohz=off"

SHELL = """
numasweep --progress never --seed 1 --rounds 1 --samples 8 -o json:/out/report.json -o table 2> /out/err
echo $? > /out/status
"""


def judge(machine, files):
    report = files.json("report.json")
    check_whole(check, machine, report)
    check.assertEqual(environment(report, "clock_resolution_ns"), "4000000")
    entry = next(entry for entry in report["environment"] if entry["name"] == "clock_resolution_ns")
    check.assertEqual(entry["severity"], "warning")
    check.assertIn("resolution 4000000 ns", validity(report, "clock"))
    check.assertIn("the clock has a resolution of 4000000 ns", files.text("err"))
    for median_ns in wake_medians(report).values():
        check.assertGreater(median_ns, 500_000)
    check.assertEqual(files.text("status"), "0\n")
