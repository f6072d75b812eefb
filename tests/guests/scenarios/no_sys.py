# SPDX-License-Identifier: GPL-3.0-or-later
"""Without /sys, as in some sandboxes, no CPU is lost."""

from support import check
from support.report import environment, swept, validity

MACHINES = ["two_nodes"]

SHELL = """
umount /sys
numasweep --progress never --seed 1 --rounds 1 --samples 8 -o json:/out/report.json -o table
echo $? > /out/status
numasweep check > /out/check.txt
echo $? > /out/check-status
"""


def judge(machine, files):
    report = files.json("report.json")
    check.assertEqual(swept(report), {str(cpu): "ok" for cpu in machine.cpus})
    check.assertEqual(files.text("status"), "0\n")
    check.assertEqual(report["topology"]["has_numa"], False)
    check.assertEqual([column["node"] for column in report["columns"]], [0])
    for name in ("cpufreq_governor", "idle_states", "clocksource"):
        check.assertRegex(environment(report, name), "^(none|not readable)", name)
    # What could not be read is no name.
    check.assertNotIn("readable", validity(report, "clock"))
    check.assertEqual(files.text("check-status"), "0\n")
