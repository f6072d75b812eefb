# SPDX-License-Identifier: GPL-3.0-or-later
"""All CPUs on node 0; node 1 is small enough to be filled."""

from support.machine import Machine, node_arguments

MACHINE = Machine(qemu=["-smp", "2", *node_arguments([640, 128], ["0-1", ""])], node_of={0: 0, 1: 0},
                  memory_nodes=[0, 1])
