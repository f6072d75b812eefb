# SPDX-License-Identifier: GPL-3.0-or-later
"""A CPU that a SCHED_FIFO thread never leaves does not stop the discovery, though hwloc would pin itself there."""

from support import check
from support.report import swept

MACHINES = ["two_nodes"]
# The spinner is emulated instruction by instruction.
SHIFT = 5

SHELL = """
echo -1 > /proc/sys/kernel/sched_rt_runtime_us
guest_disturb 1 99 0 0 60 > /tmp/spinner &
until grep -q ready /tmp/spinner; do usleep 1000; done
cut -d ' ' -f 1 /proc/uptime > /out/start
taskset -c 0 numasweep topology
taskset -c 0 numasweep --seed 1 --rounds 1 --samples 8 -c 0,2 -n local -o json:/out/report.json
echo $? > /out/status
cut -d ' ' -f 1 /proc/uptime > /out/end
"""


def judge(machine, files):
    check.assertEqual(swept(files.json("report.json")), {"0": "ok", "2": "ok"})
    check.assertEqual(files.text("status"), "0\n")
    check.assertLess(float(files.text("end")) - float(files.text("start")), 50)
