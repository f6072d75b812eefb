# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest's file system: a newc archive that is the same bytes whenever the same files go in."""

import os
import pathlib
import re
import stat
import subprocess

FOLDERS = ("bin", "dev", "etc", "out", "proc", "root", "run", "sys", "tmp")


class Archive:
    def __init__(self):
        self.parts = []
        self.names = set()

    def _add(self, name, mode, data=b"", device=(0, 0)):
        encoded = name.encode() + b"\0"
        fields = (len(self.parts) + 1, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(encoded), 0)
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self.parts.append(_padded(header + encoded) + _padded(data))

    def add_folder(self, name):
        parent = os.path.dirname(name)
        if parent:
            self.add_folder(parent)
        if name not in self.names:
            self.names.add(name)
            self._add(name, stat.S_IFDIR | 0o755)

    def add_file(self, name, data, mode=0o755):
        if name in self.names:
            return
        if os.path.dirname(name):
            self.add_folder(os.path.dirname(name))
        self.names.add(name)
        self._add(name, stat.S_IFREG | mode, data)

    def add_console(self):
        self._add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))

    def add_program(self, source):
        """A program of this machine, and the libraries that it loads."""
        source = pathlib.Path(source)
        self.add_file(f"bin/{source.name}", source.read_bytes())
        for library in libraries_of(source):
            self.add_file(library.lstrip("/"), pathlib.Path(library).read_bytes())

    def bytes(self):
        trailer = Archive()
        trailer._add("TRAILER!!!", 0)
        return b"".join(self.parts + trailer.parts)


def _padded(data):
    return data + b"\0" * (-len(data) % 4)


def libraries_of(program):
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    return re.findall(r"(/\S+) \(0x", done.stdout)


def make(init, scripts, programs, folders=FOLDERS):
    archive = Archive()
    for folder in folders:
        archive.add_folder(folder)
    archive.add_console()
    archive.add_file("init", init.encode())
    for name, text in scripts.items():
        archive.add_file(name, text.encode())
    for program in programs:
        archive.add_program(program)
    # Not compressed: an emulated CPU takes longer to expand it than to read it.
    return archive.bytes()


def make_early(files):
    """To stand before the other: tables of the firmware that the kernel is to use instead."""
    archive = Archive()
    for name, data in sorted(files.items()):
        archive.add_file(name, data, 0o644)
    return _padded_to(archive.bytes(), 512) if files else b""


def _padded_to(data, size):
    return data + b"\0" * (-len(data) % size)
