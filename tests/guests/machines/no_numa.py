# SPDX-License-Identifier: GPL-3.0-or-later
"""4 CPUs and no nodes."""

from support.machine import Machine

MACHINE = Machine(qemu=["-smp", "4", "-m", "512M"], kernel_arguments="numa=off", node_of=dict.fromkeys(range(4), 0),
                  memory_nodes=[0])
