# SPDX-License-Identifier: GPL-3.0-or-later
"""Every CPU with every node's memory: nothing missing, each pinned and bound, both proved."""

from support import check
from support.report import check_whole, environment, rows

MACHINES = ["two_nodes", "four_nodes_smt", "no_numa", "rt_kernel", "seed_machine"]

SHELL = """
numasweep --progress never --seed 1 --rounds 1 --samples 8 -o json:/out/report.json -o table:/out/table.txt
echo $? > /out/status
"""


def judge(machine, files):
    report = files.json("report.json")
    check_whole(check, machine, report)
    check.assertEqual(files.text("status"), "0\n")
    check.assertEqual(environment(report, "kernel_is_preempt_rt"), "yes" if machine.kernel == "rt" else "no")
    for first, second in machine.siblings.items():
        check.assertIn(rows(report)[str(first)]["siblings"], (str(second), f"{first},{second}"))
    pairs = {(pair["cpu_node"], pair["memory_node"]): pair["distance"] for pair in report["tables"][0]["matrix"]}
    check.assertEqual(pairs, {(cpu_node, memory_node): machine.distance(cpu_node, memory_node)
                              for cpu_node in set(machine.node_of.values()) for memory_node in machine.memory_nodes})
