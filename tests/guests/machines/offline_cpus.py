# SPDX-License-Identifier: GPL-3.0-or-later
"""4 CPUs in 2 nodes, of which 2 and 3, all of node 1, were left offline at the boot."""

import dataclasses

from support.machine import contiguous

MACHINE = dataclasses.replace(contiguous(nodes=2, cores=2), kernel_arguments="maxcpus=2", node_of={0: 0, 1: 0},
                              offline=[2, 3])
