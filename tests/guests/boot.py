#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Boot one machine with one scenario, print what the scenario printed, and judge what it wrote.

    tests/guests/boot.py MACHINE SCENARIO [--build DIR] [--keep DIR]
    tests/guests/boot.py --list

A machine is a file of machines/, a scenario one of scenarios/: see tests/README.md. Exit status 0 when the judge
agreed, 1 when not, 77 when something is missing here, with what.
"""

import argparse
import contextlib
import importlib
import io
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback

import prepare
from prepare import Missing
from support import initramfs
from support.machine import CHEAP_VIRTUAL_TIME_CPUS, VIRTUAL_TIME_CPUS

HERE = pathlib.Path(__file__).resolve().parent
KERNEL_ARGUMENTS = ("console=ttyS0 nokaslr mitigations=off cryptomgr.notests tsc=reliable nowatchdog audit=0 "
                    "rcupdate.rcu_expedited=1 random.trust_cpu=on quiet panic=-1")
# An instruction takes 1 << shift nanoseconds.
DEFAULT_SHIFT = 3
VIRTUAL_TIME_KERNEL = "lpj=4000000"
INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /usr/bin
/bin/busybox --install -s /usr/bin
export PATH=/bin:/usr/bin COLUMNS=110 HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
stty -F /dev/ttyS2 raw -echo
cd /root
sh /scenario > /dev/ttyS1 2>&1 < /dev/null
tar -c -z -f /out.tar.gz -C /out .
cat /out.tar.gz > /dev/ttyS2
stty -F /dev/ttyS2 raw -echo
poweroff -f
"""


class Files:
    """What the scenario wrote to /out."""

    def __init__(self, data):
        self.data = data

    def text(self, name):
        if name not in self.data:
            raise AssertionError(f"the guest wrote no {name}, only {sorted(self.data)}")
        return self.data[name].decode("utf-8", "replace")

    def json(self, name):
        text = self.text(name)
        try:
            return json.loads(text)
        except ValueError as error:
            raise AssertionError(f"{name} is not JSON ({error}):\n{text[:2000]}") from error


def load(kind, name):
    if not (HERE / kind / f"{name}.py").is_file():
        sys.exit(f"boot.py: no {kind}/{name}.py; there are: {', '.join(names(kind))}")
    return importlib.import_module(f"{kind}.{name}")


def names(kind):
    return sorted(path.stem for path in (HERE / kind).glob("*.py"))


def is_virtual(machine, scenario):
    """Wanted where figures are asserted, and where it takes little longer, as the host's load then spoils nothing."""
    if not machine.is_virtual_time_possible:
        return False
    limit = VIRTUAL_TIME_CPUS if getattr(scenario, "NEEDS_VIRTUAL_TIME", False) else CHEAP_VIRTUAL_TIME_CPUS
    return machine.cpu_count <= limit


def virtual_time_words(scenario):
    shift = getattr(scenario, "SHIFT", DEFAULT_SHIFT)
    return ["-icount", f"shift={shift},sleep=off", "-rtc", "base=2024-01-01,clock=vm", "-seed", "1"]


def pairs():
    """(machine name, scenario name, label, time limit in s) of all that are declared by either."""
    found = []
    machines = {name: load("machines", name).MACHINE for name in names("machines")}
    for scenario_name in names("scenarios"):
        scenario = load("scenarios", scenario_name)
        for machine_name, machine in machines.items():
            if machine_name not in scenario.MACHINES:
                continue
            is_nightly = machine.is_big or getattr(scenario, "IS_BIG", False)
            limit_s = machine.timeout_s * getattr(scenario, "BOOTS", 1) + 60
            found.append((machine_name, scenario_name, "nightly" if is_nightly else "guest", limit_s))
    return found


def find_program(name, package):
    path = shutil.which(name)
    if path is None:
        raise Missing(f"there is no {name}: package {package}")
    return path


def find_kernel(cache, name):
    path = cache / f"kernel-{name}"
    if path.exists():
        return path
    reasons = prepare.prepare(cache)
    if not path.exists():
        raise Missing(f"no kernel image: {reasons.get(f'kernel {name}', 'not in the package')}")
    return path


def build_image(build, machine, scenario):
    tools = [find_program("busybox", "busybox-static")]
    if initramfs.libraries_of(tools[0]):
        raise Missing("busybox is not the static one: package busybox-static")
    tools += [find_program(tool, "util-linux") for tool in getattr(scenario, "TOOLS", ())]
    for program in (build / "src/numasweep", build / "tests/guest_disturb"):
        if not program.exists():
            sys.exit(f"boot.py: {program} is not built: cmake --build --preset dev")
        tools.append(program)
    return initramfs.make_early(machine.firmware) + initramfs.make(INIT, {"scenario": scenario.SHELL}, tools)


def qemu_words(words, machine, kernel, arguments, folder, clock):
    serials = [word for name in ("console", "log", "out.tar.gz")
               for word in ("-serial", f"file:{folder / name}")]
    return [*words, "-accel", "tcg,thread=single", *clock, "-cpu", "qemu64,vendor=GenuineIntel", *machine.qemu,
            "-display", "none", "-nic", "none", "-monitor", "none", "-no-reboot", *serials, "-kernel", str(kernel),
            "-initrd", str(folder / "initrd"), "-append", " ".join(arguments)]


def run_qemu(words, environment, limit_s):
    """QEMU's exit status, or None when it had to be killed."""
    with subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as process:
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            print(f"no end within {limit_s} s")
        except BaseException:
            process.kill()
            raise
    # The unpacked QEMU looks for modules where another one is installed, and says that they are not its own.
    for line in output.splitlines():
        if "module" not in line:
            print(f"QEMU: {line}")
    return process.returncode


def tail(path, size):
    return path.read_bytes()[-size:].decode("utf-8", "replace") if path.exists() else ""


def read_files(folder):
    data = (folder / "out.tar.gz").read_bytes()
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
            members = {member.name.removeprefix("./"): archive.extractfile(member).read()
                       for member in archive if member.isfile()}
    except (tarfile.TarError, OSError, EOFError) as error:
        raise AssertionError(f"the guest brought nothing back ({error}); the console's end:\n"
                             + tail(folder / "console", 3000)) from error
    return Files(members)


@contextlib.contextmanager
def busy_host(is_wanted):
    """Another process that wants a CPU of this machine all the time."""
    if not is_wanted:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield
        finally:
            process.kill()


def boot_once(build, machine, scenario, folder):
    cache = build / "guests"
    prepare.require_processor()
    kernel = find_kernel(cache, machine.kernel)
    words, environment, version = prepare.find_qemu(cache)
    virtual = is_virtual(machine, scenario) and version >= prepare.VIRTUAL_TIME_QEMU
    if getattr(scenario, "NEEDS_VIRTUAL_TIME", False) and not virtual:
        raise Missing(f"virtual time needs QEMU {prepare.VIRTUAL_TIME_QEMU}, there is {version}")
    (folder / "initrd").write_bytes(build_image(build, machine, scenario))
    arguments = [KERNEL_ARGUMENTS, machine.kernel_arguments, getattr(scenario, "KERNEL_ARGUMENTS", "")]
    if virtual:
        arguments.append(VIRTUAL_TIME_KERNEL)
    started = time.monotonic()
    clock = virtual_time_words(scenario) if virtual else []
    status = run_qemu(qemu_words(words, machine, kernel, arguments, folder, clock), environment, machine.timeout_s)
    print(f"--- {'virtual' if virtual else 'real'} time, QEMU {version}, {time.monotonic() - started:.1f} s; "
          "the scenario printed:")
    print(tail(folder / "log", 20_000), end="")
    print("---")
    files = read_files(folder)
    if status != 0:
        raise AssertionError(f"QEMU ended with status {status}, after the guest had brought its files back")
    return files


def boot(build, machine_name, scenario_name, keep):
    machine = load("machines", machine_name).MACHINE
    scenario = load("scenarios", scenario_name)
    results = []
    for number in range(getattr(scenario, "BOOTS", 1)):
        with tempfile.TemporaryDirectory(prefix="guest-") as folder, busy_host(number > 0):
            try:
                results.append(boot_once(build, machine, scenario, pathlib.Path(folder)))
            finally:
                if keep:
                    shutil.copytree(folder, keep / str(number), dirs_exist_ok=True)
    scenario.judge(machine, *results)


def parse():
    parser = argparse.ArgumentParser(description="Boot one machine with one scenario and judge it.")
    parser.add_argument("machine", nargs="?", help=", ".join(names("machines")))
    parser.add_argument("scenario", nargs="?", help=", ".join(names("scenarios")))
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build/dev",
                        help="the build whose program is swept with [build/dev]")
    parser.add_argument("--keep", type=pathlib.Path, help="leave console, log and files there")
    parser.add_argument("--list", action="store_true", help="print machine;scenario;label;time limit of each test")
    arguments = parser.parse_args()
    if not arguments.list and arguments.scenario is None:
        parser.error("a machine and a scenario are wanted")
    return arguments


def main():
    # So that QEMU is killed and the folder removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    arguments = parse()
    if arguments.list:
        for pair in pairs():
            print(";".join(map(str, pair)))
        return
    try:
        boot(arguments.build.resolve(), arguments.machine, arguments.scenario, arguments.keep)
    except Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    except AssertionError:
        traceback.print_exc(file=sys.stdout)
        print("FAILED")
        sys.exit(1)
    print("passed")


if __name__ == "__main__":
    main()
