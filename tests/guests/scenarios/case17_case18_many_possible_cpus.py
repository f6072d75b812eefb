# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the kernel refuses masks of 1,024 CPUs, everything is swept all the same."""

from support import check
from support.report import check_whole

MACHINES = ["many_possible_cpus"]

SHELL = """
cat /sys/devices/system/cpu/possible > /out/possible
numasweep --seed 1 --rounds 2 --samples 8 -o json:/out/report.json 2>/out/err
echo $? > /out/status
numasweep topology -o json > /out/topology.json
numasweep check > /out/check.txt
echo $? > /out/check-status
"""


def judge(machine, files):
    check.assertEqual(files.text("possible"), "0-1099\n")
    check_whole(check, machine, files.json("report.json"))
    check.assertEqual(files.text("status"), "0\n", files.text("err"))
    topology = files.json("topology.json")
    check.assertEqual([cpu["cpu"] for cpu in topology["cpus"] if cpu["state"] == "online"], machine.cpus)
    check.assertEqual([node["node"] for node in topology["nodes"]], machine.memory_nodes)
    check.assertEqual(files.text("check-status"), "0\n", files.text("check.txt"))
