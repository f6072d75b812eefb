# SPDX-License-Identifier: GPL-3.0-or-later
"""8 nodes of 16 CPUs in the numbering of a big server: node k has 8k to 8k+7 and 64+8k to 64+8k+7, n and n+64 share
a core."""

import dataclasses

from support import madt
from support.machine import contiguous

NODES, CORES, THREADS = 8, 8, 2

MACHINE = dataclasses.replace(
    contiguous(NODES, CORES, THREADS),
    node_of={cpu: cpu % 64 // CORES for cpu in range(128)},
    siblings={cpu: cpu + 64 for cpu in range(64)},
    firmware={"kernel/firmware/acpi/apic.aml": madt.make(NODES, CORES, THREADS)},
    is_virtual_time_possible=False,
    is_big=True,
    timeout_s=1800)
