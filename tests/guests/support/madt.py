# SPDX-License-Identifier: GPL-3.0-or-later
"""An ACPI table of interrupt controllers (MADT) in which the CPUs stand in another order than QEMU's.

Linux numbers CPUs in the table's order. Here the first threads of all cores come first, then the second ones.
"""

import itertools
import struct

LOCAL_APIC = 0xFEE00000
IO_APIC = 0xFEC00000
# QEMU routes these ISA interrupts as active high, level-triggered, and the timer's to input 2.
LEVEL_INTERRUPTS = (5, 9, 10, 11)
LEVEL_HIGH = 0xD
# Linux takes a table instead of the firmware's only with the same names and a higher revision.
OEM = {"oem": b"BOCHS ", "table": b"BXPC    ", "revision": 0x100, "creator": b"BXPC", "creator_revision": 1}


def _width(count):
    return (count - 1).bit_length()


def _processors(sockets, cores, threads):
    for thread, socket, core in itertools.product(range(threads), range(sockets), range(cores)):
        apic_id = ((socket << _width(cores) | core) << _width(threads)) | thread
        if apic_id > 254:
            raise ValueError("local APICs have numbers up to 254 only")
        # QEMU's own processor numbers count the threads of a core first.
        yield struct.pack("<BBBBI", 0, 8, (socket * cores + core) * threads + thread, apic_id, 1)


def _overrides():
    yield struct.pack("<BBBBIH", 2, 10, 0, 0, 2, 0)
    for number in LEVEL_INTERRUPTS:
        yield struct.pack("<BBBBIH", 2, 10, 0, number, number, LEVEL_HIGH)


def make(sockets, cores, threads):
    parts = [struct.pack("<II", LOCAL_APIC, 1), *_processors(sockets, cores, threads),
             struct.pack("<BBBBII", 1, 12, 0, 0, IO_APIC, 0), *_overrides(), struct.pack("<BBBHB", 4, 6, 0xFF, 0, 1)]
    body = b"".join(parts)
    head = struct.pack("<4sIBB6s8sI4sI", b"APIC", 36 + len(body), 1, 0, *OEM.values())
    table = bytearray(head + body)
    table[9] = -sum(table) & 0xFF
    return bytes(table)
