# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes 0 and 2 are online, 1 is not: its only CPU is not plugged in."""

from support.machine import Machine

MACHINE = Machine(
    qemu=["-smp", "1,sockets=3,cores=1,threads=1,maxcpus=3",
          "-device", "qemu64-x86_64-cpu,vendor=GenuineIntel,socket-id=2,core-id=0,thread-id=0", "-m", "512M",
          "-object", "memory-backend-ram,id=m0,size=256M", "-object", "memory-backend-ram,id=m2,size=256M",
          "-numa", "node,nodeid=0,memdev=m0", "-numa", "node,nodeid=1", "-numa", "node,nodeid=2,memdev=m2",
          *(word for node in range(3) for word in ("-numa", f"cpu,node-id={node},socket-id={node}"))],
    node_of={0: 0, 1: 2},
    memory_nodes=[0, 2],
    distances={(0, 0): 10, (0, 2): 20, (2, 0): 20, (2, 2): 10})
