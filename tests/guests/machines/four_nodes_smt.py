# SPDX-License-Identifier: GPL-3.0-or-later
"""4 nodes of 2 cores of 2 threads."""

from support.machine import contiguous

MACHINE = contiguous(nodes=4, cores=2, threads=2)
