# SPDX-License-Identifier: GPL-3.0-or-later
"""What a machine is: QEMU's and the kernel's arguments, and what the program must find there."""

import dataclasses

# Virtual time is exact, but slow with many CPUs; with few it is hardly slower than real time.
VIRTUAL_TIME_CPUS = 16
CHEAP_VIRTUAL_TIME_CPUS = 4


@dataclasses.dataclass(frozen=True)
class Machine:
    # CPUs that are online after the boot, and the node of each.
    node_of: dict
    qemu: list
    # Nodes that have memory.
    memory_nodes: list
    kernel: str = "cloud"
    kernel_arguments: str = ""
    offline: list = dataclasses.field(default_factory=list)
    # (from, to) -> distance, where the firmware states another than Linux's 10 and 20.
    distances: dict = dataclasses.field(default_factory=dict)
    # thread 0 -> thread 1 of the same core.
    siblings: dict = dataclasses.field(default_factory=dict)
    # Path in the guest's early file system -> bytes: what overrides a table of the firmware.
    firmware: dict = dataclasses.field(default_factory=dict)
    is_virtual_time_possible: bool = True
    # Everything on such a machine takes long: run it with the nightly tests.
    is_big: bool = False
    timeout_s: int = 300

    @property
    def cpu_count(self):
        return len(self.node_of) + len(self.offline)

    def distance(self, from_node, to_node):
        return self.distances.get((from_node, to_node), 10 if from_node == to_node else 20)

    @property
    def cpus(self):
        return sorted(self.node_of)


def node_arguments(sizes_mib, cpus_of=None):
    """QEMU's words for nodes; no memory where the size is 0, no CPUs where cpus_of has none."""
    words = ["-m", f"{sum(sizes_mib)}M"]
    for node, size in enumerate(sizes_mib):
        text = f"node,nodeid={node}"
        if cpus_of and cpus_of[node]:
            text += f",cpus={cpus_of[node]}"
        if size:
            words += ["-object", f"memory-backend-ram,id=m{node},size={size}M"]
            text += f",memdev=m{node}"
        words += ["-numa", text]
    return words


def distance_arguments(distances):
    return [word for (source, target), value in sorted(distances.items())
            for word in ("-numa", f"dist,src={source},dst={target},val={value}")]


def contiguous(nodes, cores, threads=1, node_mib=256, **fields):
    """Nodes of equal size, each a socket, QEMU's own numbering: threads of a core stand next to each other."""
    per_node = cores * threads
    count = nodes * per_node
    qemu = ["-smp", f"{count},sockets={nodes},cores={cores},threads={threads}"]
    ranges = [f"{node * per_node}-{(node + 1) * per_node - 1}" for node in range(nodes)]
    siblings = {cpu: cpu + 1 for cpu in range(0, count, 2)} if threads == 2 else {}
    return Machine(node_of={cpu: cpu // per_node for cpu in range(count)}, memory_nodes=list(range(nodes)),
                   qemu=qemu + node_arguments([node_mib] * nodes, ranges), siblings=siblings, **fields)
