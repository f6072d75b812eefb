# SPDX-License-Identifier: GPL-3.0-or-later
"""2 CPUs, but so many possible ones that the kernel refuses masks of 1,024."""

from support.machine import contiguous

MACHINE = contiguous(nodes=2, cores=1, kernel_arguments="possible_cpus=1100",
                     is_virtual_time_possible=False)
