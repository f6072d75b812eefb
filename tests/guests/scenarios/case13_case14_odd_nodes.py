# SPDX-License-Identifier: GPL-3.0-or-later
"""CPUs on nodes without memory are rows like all others, memory without CPUs is a column, and no distance is
mistaken for its reverse."""

from support import check
from support.report import cells, check_whole, rows

MACHINES = ["odd_nodes"]

SHELL = """
numasweep --seed 1 --rounds 2 --samples 8 -o json:/out/report.json
echo $? > /out/status
numasweep --seed 1 --rounds 1 --samples 8 -n 1 -o json:/out/memoryless.json 2>/out/memoryless.err
echo $? > /out/memoryless-status
numasweep --seed 1 --rounds 1 --samples 8 -c node:3 -o json:/out/no-cpus.json 2>/out/no-cpus.err
echo $? > /out/no-cpus-status
"""


def nearest(machine, node):
    return min(machine.memory_nodes, key=lambda other: machine.distances[node, other])


def judge(machine, files):
    report = files.json("report.json")
    check_whole(check, machine, report)
    check.assertEqual(files.text("status"), "0\n")
    for (row, node), cell in cells(report).items():
        check.assertEqual(cell["is_local"], machine.node_of[int(row)] == node, (row, node))
    for label, row in rows(report).items():
        own = machine.node_of[int(label)]
        check.assertEqual(row["nearest_node"], None if own in machine.memory_nodes else nearest(machine, own), row)
    pairs = {(pair["cpu_node"], pair["memory_node"]): pair["distance"] for pair in report["tables"][0]["matrix"]}
    check.assertEqual(pairs, {(cpu_node, memory_node): machine.distances[cpu_node, memory_node]
                              for cpu_node in set(machine.node_of.values()) for memory_node in machine.memory_nodes})
    check.assertEqual(files.text("memoryless-status"), "2\n")
    check.assertIn("node 1 has no memory", files.text("memoryless.err"))
    check.assertEqual(files.text("no-cpus-status"), "2\n")
    check.assertIn("node 3 has no CPU", files.text("no-cpus.err"))
