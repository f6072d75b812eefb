# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock source that is read by a system call is named and warned of."""

from support import check
from support.report import check_whole, environment, validity

MACHINES = ["two_nodes"]
KERNEL_ARGUMENTS = "clocksource=acpi_pm"

SHELL = """
cat /sys/devices/system/clocksource/clocksource0/current_clocksource
numasweep --progress never --seed 1 --rounds 1 --samples 8 -o json:/out/report.json 2> /out/err
echo $? > /out/status
"""


def judge(machine, files):
    report = files.json("report.json")
    check_whole(check, machine, report)
    check.assertEqual(environment(report, "clocksource"), "acpi_pm")
    check.assertIn("from acpi_pm", validity(report, "clock"))
    check.assertIn("the clock source is acpi_pm", files.text("err"))
    check.assertEqual(files.text("status"), "0\n")
