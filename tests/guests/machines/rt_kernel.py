# SPDX-License-Identifier: GPL-3.0-or-later
"""2 nodes of 2 CPUs under a PREEMPT_RT kernel."""

from support.machine import contiguous

MACHINE = contiguous(nodes=2, cores=2, kernel="rt")
