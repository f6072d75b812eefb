#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetch what the guests need from Debian packages, without installing anything.

    tests/guests/prepare.py [CACHE]

Unpacks into CACHE (build/dev/guests): the kernels as kernel-cloud and kernel-rt, and QEMU from Debian's backports under
qemu/, when the installed one is too old for virtual time. Only for x86_64. What is there already is kept. Exit status
0, or 77 when no guest at all can be booted; what is missing, and why, is printed.
"""

import contextlib
import fcntl
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

# The guests' processor, and this machine's: the program that is taken along is the one that was built here.
PROCESSOR, LIBRARY_FOLDER = "x86_64", "x86_64-linux-gnu"
DEFAULT_CACHE = pathlib.Path(__file__).resolve().parents[2] / "build/dev/guests"
KERNELS = {"cloud": "linux-image-cloud-amd64", "rt": "linux-image-rt-amd64"}
# The first major version in which more than one CPU boots in virtual time.
VIRTUAL_TIME_QEMU = 10
APT_TIMEOUT_S = 300


class Missing(Exception):
    """Something cannot be had here; the text says what and why."""


def run(words, **options):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=APT_TIMEOUT_S, check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{words[0]}: {error}") from error
    if done.returncode != 0:
        raise Missing(f"{words[0]} failed: {done.stdout.strip()[-400:]}")
    return done.stdout


def release_codename():
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        key, _, value = line.partition("=")
        if key == "VERSION_CODENAME":
            return value.strip('"')
    raise Missing("/etc/os-release names no release")


def debian_sources():
    """(mirror, suite) of each Debian suite that this machine is configured for."""
    text = run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
                "Created-By: Packages"])
    codename = release_codename()
    found = {tuple(line.split()[:2]) for line in text.splitlines()
             if len(line.split()) == 3 and line.split()[2] == "main"}
    kept = sorted((mirror, suite) for mirror, suite in found
                  if suite == codename or suite.startswith(codename + "-"))
    if not any(suite == codename for _, suite in kept):
        raise Missing(f"apt is configured for no mirror of {codename}")
    return codename, kept


class Apt:
    """apt with sources, lists and archives of its own, but with what is installed here as its state."""

    def __init__(self, folder):
        self.folder = folder
        self.trouble = ""
        self.codename, sources = debian_sources()
        mirror = next(mirror for mirror, suite in sources if suite == self.codename)
        self.backports = self.codename + "-backports"
        sources = {*sources, (mirror, self.backports)}
        for name in ("lists/partial", "archives/partial", "parts"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
        signed = f"[signed-by={keyring}] " if os.path.exists(keyring) else ""
        (folder / "sources.list").write_text("".join(
            f"deb {signed}{mirror} {suite} main\n" for mirror, suite in sorted(sources)))
        settings = {"Dir::Etc::sourcelist": folder / "sources.list", "Dir::Etc::sourceparts": folder / "parts",
                    "Dir::State::lists": folder / "lists", "Dir::Cache::archives": folder / "archives",
                    "Dir::Cache::pkgcache": "", "Dir::Cache::srcpkgcache": "", "Debug::NoLocking": "1",
                    "APT::Sandbox::User": ""}
        self.options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]

    def update(self):
        """A suite that cannot be had is no error for apt: what it said is kept for those that miss something."""
        text = run(["apt-get", *self.options, "update"])
        self.trouble = " ".join(line for line in text.splitlines() if line[:2] in ("W:", "E:"))[:300]

    def dependency(self, package):
        """The package that a meta package stands for."""
        text = run(["apt-cache", *self.options, "depends", package])
        match = re.search(r"Depends: (linux-image-\S+)", text)
        if match is None:
            raise Missing(f"{package} depends on no kernel")
        return match.group(1)

    def download(self, package):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            run(["apt-get", *self.options, "download", package], cwd=folder)
            source = next(pathlib.Path(folder).glob("*.deb"))
            return shutil.move(source, self.folder / source.name)

    def download_backport(self, package):
        """The package from backports, and what it needs beside what is installed."""
        run(["apt-get", *self.options, "--yes", "--download-only", "--no-install-recommends",
             "-t", self.backports, "install", package])
        return sorted((self.folder / "archives").glob("*.deb"))


def unpack_kernel(package_file, target):
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        run(["sh", "-c", 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --wildcards "./boot/vmlinuz-*"', "sh",
             package_file, folder])
        shutil.move(next(pathlib.Path(folder).glob("boot/vmlinuz-*")), target)


def fetch_kernel(apt, name, target):
    package_file = apt.download(apt.dependency(KERNELS[name]))
    try:
        unpack_kernel(package_file, target)
    finally:
        os.unlink(package_file)


def fetch_qemu(apt, target):
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        root = pathlib.Path(folder) / "root"
        packages = apt.download_backport("qemu-system-x86")
        if not packages:
            raise Missing(f"{apt.backports} has no newer QEMU")
        for package_file in packages:
            run(["dpkg-deb", "-x", package_file, root])
        os.rename(root, target)


def qemu_version(words, environment=None):
    """The major version, or 0."""
    try:
        done = subprocess.run([*words, "--version"], capture_output=True, text=True, timeout=30, check=False,
                              env=environment)
    except OSError:
        return 0
    match = re.search(r"version (\d+)", done.stdout)
    return int(match.group(1)) if match else 0


def unpacked_qemu(cache):
    """(words, environment) of the QEMU under the cache."""
    root = cache / "qemu"
    libraries = [root / "usr/lib" / LIBRARY_FOLDER, root / "lib" / LIBRARY_FOLDER]
    words = [str(root / "usr/bin/qemu-system-x86_64"), "-L", str(root / "usr/share/qemu"),
             "-L", str(root / "usr/share/seabios")]
    modules = root / "usr/lib" / LIBRARY_FOLDER / "qemu"
    return words, dict(os.environ, LD_LIBRARY_PATH=":".join(map(str, libraries)), QEMU_MODULE_DIR=str(modules))


def require_processor():
    if platform.machine() != PROCESSOR:
        raise Missing(f"the guests are {PROCESSOR}, and so must be the program that runs in them; this machine is "
                      f"{platform.machine()}")


def find_qemu(cache):
    """(words, environment, major version) of the newest QEMU at hand."""
    installed = (["qemu-system-x86_64"], dict(os.environ))
    choices = [(*choice, qemu_version(*choice)) for choice in (installed, unpacked_qemu(cache))]
    words, environment, version = max(choices, key=lambda choice: choice[2])
    if version == 0:
        raise Missing("there is no qemu-system-x86_64: package qemu-system-x86")
    return words, environment, version


def wanted(cache):
    """What is not there yet: name -> function that fetches it."""
    steps = {}
    for name in KERNELS:
        target = cache / f"kernel-{name}"
        if not target.exists():
            steps[f"kernel {name}"] = lambda apt, name=name, target=target: fetch_kernel(apt, name, target)
    try:
        _, _, version = find_qemu(cache)
    except Missing:
        version = 0
    if version < VIRTUAL_TIME_QEMU and not (cache / "qemu").exists():
        steps["qemu"] = lambda apt: fetch_qemu(apt, cache / "qemu")
    return steps


@contextlib.contextmanager
def locked(cache):
    with open(cache / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def prepare(cache):
    """Fetch all that can be had; return name -> reason of what cannot."""
    cache.mkdir(parents=True, exist_ok=True)
    missing = {}
    with locked(cache):
        steps = wanted(cache)
        if not steps:
            return {}
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            try:
                apt = Apt(pathlib.Path(folder))
                apt.update()
            except Missing as reason:
                return {name: str(reason) for name in steps}
            for name, fetch in steps.items():
                try:
                    fetch(apt)
                except Missing as reason:
                    missing[name] = f"{reason} {apt.trouble}".strip()
    return missing


def main():
    cache = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_CACHE).resolve()
    try:
        require_processor()
    except Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    for name, reason in prepare(cache).items():
        print(f"skipped: {name} could not be fetched: {reason}")
    kernels = [name for name in KERNELS if (cache / f"kernel-{name}").exists()]
    try:
        words, _, version = find_qemu(cache)
    except Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    print(f"kernels: {', '.join(kernels) or 'none'}; QEMU {version}: {words[0]}")
    if version < VIRTUAL_TIME_QEMU:
        print(f"skipped: scenarios in virtual time, which need QEMU {VIRTUAL_TIME_QEMU}")
    sys.exit(0 if kernels else 77)


if __name__ == "__main__":
    main()
