# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes without memory (1 and 2), one without CPUs (3), and distances that differ by direction."""

from support.machine import Machine, distance_arguments, node_arguments

# The firmware's numbers. Linux leaves out 3, which has nothing, and numbers those with CPUs first.
FIRMWARE = {(source, target): 10 if source == target else 20 for source in range(5) for target in range(5)}
FIRMWARE |= {(0, 2): 40, (2, 0): 31, (1, 2): 25, (1, 0): 30, (4, 0): 35, (4, 2): 22}
FIRMWARE_NODE = {0: 0, 1: 1, 2: 4, 3: 2}

MACHINE = Machine(
    qemu=["-smp", "4", *node_arguments([512, 0, 512, 0, 0], ["0-1", "2", "", "", "3"]), *distance_arguments(FIRMWARE)],
    node_of={0: 0, 1: 0, 2: 1, 3: 2},
    memory_nodes=[0, 3],
    distances={(a, b): FIRMWARE[FIRMWARE_NODE[a], FIRMWARE_NODE[b]] for a in FIRMWARE_NODE for b in FIRMWARE_NODE})
