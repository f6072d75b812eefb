# SPDX-License-Identifier: GPL-3.0-or-later
"""What the system tests have in common: running the program, looking for processes it left, and skipping aloud."""

import json
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

NUMASWEEP = os.environ["NUMASWEEP"]
REPLAY = os.environ["NUMASWEEP_REPLAY_PROGRAM"]
INJECT = os.environ["NUMASWEEP_INJECT"]
SHARED = pathlib.Path(os.environ["NUMASWEEP_SHARED"])
SEED_MACHINE = "pack:8 [numa(memory=8GB)] core:8 pu:2(indexes=2*64:1*2)"
SMALL_MACHINE = "pack:2 [numa(memory=8GB)] core:2 pu:1"
MARKER = "NUMASWEEP_TEST_MARKER"
IS_ROOT = os.geteuid() == 0
# The address sanitizer makes mlock(2) do nothing.
CAN_LOCK = "address" not in os.environ.get("NUMASWEEP_SANITIZERS", "")
IS_NIGHTLY = os.environ.get("NUMASWEEP_NIGHTLY") == "1"


class Result:
    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err

    def json(self):
        return json.loads(self.out)


class TestCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="numasweep-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.marker = uuid.uuid4().hex
        self.environment = dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="200", **{MARKER: self.marker})
        self.environment.pop("NUMASWEEP_REPLAY", None)

    def start(self, *arguments, program=NUMASWEEP, before=(), replay=None, **options):
        environment = dict(self.environment)
        if replay is not None:
            environment["NUMASWEEP_REPLAY"] = replay
        # With the sanitizers: a crash must look like one, and leaks cannot be looked for under a tracer or as a
        # deadline task, which may not fork.
        without_leaks = ":detect_leaks=0" if before and before[0] in ("strace", "chrt", INJECT) else ""
        environment["ASAN_OPTIONS"] = "handle_segv=0:handle_abort=0" + without_leaks
        environment.update(options.pop("env", {}))
        words = [str(word) for word in (*before, program, *arguments)]
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, text=True,
                                errors="replace", **options)

    def run_program(self, *arguments, timeout=120, **options):
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"no end within {timeout} s: {arguments}")
        return Result(process.returncode, out, err)

    def replay(self, *arguments, plan=None, machine=SMALL_MACHINE, **options):
        return self.run_program("--kernel", "replay", "--topology", machine, "--seed", "1", *arguments,
                                program=REPLAY, replay=plan, **options)

    def processes(self):
        """All that this test has started and that still runs."""
        wanted = f"{MARKER}={self.marker}".encode()
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                if state != "Z" and wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def assert_nothing_left(self, within=2.0):
        end = time.monotonic() + within
        while self.processes() and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(self.processes(), [])

    def cells(self, report):
        """(row label, node) -> cell, of the first table."""
        return {(row["row"], cell["node"]): cell
                for row in report["tables"][0]["rows"] for cell in row["cells"]}

    def rows(self, report):
        return {row["row"]: row for row in report["tables"][0]["rows"]}


def nobody():
    """Words that run a program as an ordinary user, or None."""
    try:
        user = pwd.getpwnam("nobody")
    except KeyError:
        return None
    if not IS_ROOT or shutil.which("setpriv") is None:
        return None
    return ("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups",
            "--inh-caps=-all", "--bounding-set=-all")


def can_inject():
    """Whether tests/support/inject.c may trace here."""
    with tempfile.NamedTemporaryFile() as log:
        done = subprocess.run([INJECT, "-o", log.name, NUMASWEEP, "--version"], check=False, capture_output=True,
                              env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    return done.returncode == 0


def main():
    """Exit 77 when every test was skipped, with the reasons on standard error, where tests/check.sh collects them."""
    program = unittest.main(module="__main__", exit=False, verbosity=2, argv=[sys.argv[0]])
    result = program.result
    for test, reason in result.skipped:
        print(f"skipped: {test.id().removeprefix('__main__.')}: {reason}", file=sys.stderr, flush=True)
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    sys.exit(77 if len(result.skipped) == result.testsRun else 0)
