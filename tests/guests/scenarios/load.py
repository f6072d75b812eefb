# SPDX-License-Identifier: GPL-3.0-or-later
"""--load on nodes and on SMT siblings: as many busy workers as the machine asks for, and CPU time of theirs."""

from support import check

MACHINES = ["four_nodes_smt"]
LOADS = {"sibling": "sibling", "node:hogs": "own", "node:1:hogs:2": "one"}

SHELL = "".join(f"""
numasweep --progress never --seed 1 --rounds 1 --samples 4 -n local --touch 4 --load {load} \\
  -o json:/out/{name}.json --save /out/{name}.jsonl
echo $? >> /out/status
""" for load, name in LOADS.items())


def judge(machine, files):
    check.assertEqual(files.text("status").split(), ["0"] * len(LOADS))
    per_node = machine.cpu_count // len(set(machine.node_of.values()))
    workers = {"sibling": machine.cpu_count, "node:hogs": machine.cpu_count, "node:1:hogs:2": 2 * per_node}
    for load, name in LOADS.items():
        report = files.json(f"{name}.json")
        check.assertEqual(report["options"]["load"], load)
        check.assertTrue(any(line.startswith(f"load: {load}; {workers[load]} busy workers") for line in report["validity"]),
                         report["validity"])
        end = files.text(f"{name}.jsonl").splitlines()[-1]
        check.assertIn('"load":{"workers":', end)
        check.assertNotIn('"cpu_ns":0,', end)
