# SPDX-License-Identifier: GPL-3.0-or-later
"""2 nodes of 2 CPUs."""

from support.machine import contiguous

MACHINE = contiguous(nodes=2, cores=2)
