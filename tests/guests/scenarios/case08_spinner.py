# SPDX-License-Identifier: GPL-3.0-or-later
"""A CPU that a SCHED_FIFO thread never leaves: its row says that the worker never ran, all other rows are whole."""

from support import check
from support.report import rows

MACHINES = ["two_nodes"]
# The spinner is emulated instruction by instruction.
SHIFT = 5

SHELL = """
echo -1 > /proc/sys/kernel/sched_rt_runtime_us
guest_disturb 1 99 0 0 60 > /dev/null &
sleep 1
cut -d ' ' -f 1 /proc/uptime > /out/start
numasweep --seed 1 --rounds 1 --samples 8 -n local -o json:/out/report.json -o table --progress never
echo $? > /out/status
cut -d ' ' -f 1 /proc/uptime > /out/end
"""


def judge(machine, files):
    found = rows(files.json("report.json"))
    for cpu in machine.cpus:
        row = found[str(cpu)]
        check.assertEqual(row["wake"]["samples"], 0 if cpu == 1 else 8, row)
    check.assertIn("did not get ready", found["1"]["status"])
    check.assertEqual(files.text("status"), "4\n")
    check.assertLess(float(files.text("end")) - float(files.text("start")), 50)
