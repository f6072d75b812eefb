# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL and SIGTERM of each process of a sweep, at random moments of its life, the very first ones included.

NUMASWEEP_SEED repeats the moments of a run; NUMASWEEP_NIGHTLY=1 tries many.
"""

import json
import os
import pathlib
import random
import signal
import time

import harness

MOMENTS = 150 if harness.IS_NIGHTLY else 12
LONGEST_DELAY_S = 0.4
CPUS = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:2])
SWEEP = ("-c", CPUS, "-r", "20", "-s", "5", "-w", "1", "-t", "1ms", "--touch", "4", "-o", "json")
PLANNED = 20 * len(CPUS.split(","))


def children(pid):
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class KillMoments(harness.TestCase):
    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("NUMASWEEP_SEED", random.SystemRandom().randrange(10**9)))
        self.random = random.Random(seed)
        print(f"NUMASWEEP_SEED={seed}", flush=True)

    def find(self, role, coordinator):
        """The launcher is the first child, the loader of the topology the next. Their order is that of forking."""
        if role == "coordinator":
            return coordinator
        launchers = children(coordinator)[:1]
        found = launchers if role == "launcher" else [worker for pid in launchers for worker in children(pid)]
        return found[0] if found else None

    def hit(self, role, number, file, moment):
        """Runs a sweep, sends the signal once, and returns what became of it; None where nobody was there."""
        process = self.start(*SWEEP, "--save", file)
        end = time.monotonic() + (moment + self.random.random()) * LONGEST_DELAY_S / MOMENTS
        while time.monotonic() < end and process.poll() is None:
            time.sleep(0.001)
        # A worker comes and goes: the next one will do.
        end = time.monotonic() + 5
        pid = None
        while pid is None and process.poll() is None and time.monotonic() < end:
            pid = self.find(role, process.pid)
        self.seen = len(self.saved(file))
        try:
            if pid is not None:
                os.kill(pid, number)
        except ProcessLookupError:
            pid = None
        out, err = process.communicate(timeout=60)
        self.assert_nothing_left(within=5.0)
        return None if pid is None else harness.Result(process.returncode, out, err)

    def saved(self, file):
        """The records of the whole lines."""
        if not file.exists():
            return []
        *whole, _ = file.read_bytes().split(b"\n")
        return [json.loads(line) for line in whole]

    def check_file(self, file, result):
        """No visit that was saved is lost, none that was shown is missing."""
        records = self.saved(file)
        visits = sum(record["record"] == "visit" for record in records)
        failures = sum(record["record"] == "failure" for record in records)
        # What a reader of the file saw before the signal is still there.
        self.assertGreaterEqual(len(records), self.seen)
        if result.out:
            totals = result.json()["totals"]
            self.assertEqual((totals["visits_measured"], totals["visits_failed"]), (visits, failures))
        if not records:
            return visits, failures
        report = self.run_program("report", file, "-o", "json")
        self.assertIn(report.status, (0, 3, 4), report.err)
        self.assertEqual(report.json()["totals"]["visits_measured"], visits)
        self.assertEqual(report.json()["totals"]["visits_failed"], failures)
        return visits, failures

    def check_moments(self, role, number, check, is_ended_by_it=False):
        reached = []
        for moment in range(MOMENTS):
            file = self.folder / f"{moment}.jsonl"
            result = self.hit(role, number, file, moment)
            if result is None:
                continue
            with self.subTest(moment=moment, err=result.err):
                visits, failures = self.check_file(file, result)
                check(result, visits, failures)
                reached.append(visits)
        in_mid_sweep = sum(0 < visits < PLANNED for visits in reached)
        print(f"{role} {number.name}: {len(reached)} of {MOMENTS} moments, {in_mid_sweep} in mid-sweep, with {reached} "
              f"visits measured", flush=True)
        self.assertGreater(len(reached), MOMENTS // 3)
        if is_ended_by_it:
            self.assertGreater(in_mid_sweep, 0)

    def check_complete(self, most_failures):
        def check(result, visits, failures):
            self.assertLessEqual(failures, most_failures)
            self.assertEqual(result.status, 4 if failures else 0)
            self.assertEqual(visits + failures, result.json()["totals"]["visits_planned"])
        return check

    def test_coordinator_killed(self):
        def check(result, _visits, failures):
            self.assertEqual(failures, 0)
            self.assertIn(result.status, (0, -signal.SIGKILL))
        self.check_moments("coordinator", signal.SIGKILL, check, is_ended_by_it=True)

    def test_coordinator_terminated(self):
        def check(result, _visits, failures):
            self.assertEqual(failures, 0)
            # Before it measures there is nothing to save or to show.
            self.assertIn(result.status, (0, 128 + signal.SIGTERM, -signal.SIGTERM))
            self.assertEqual(bool(result.out), result.status >= 0)
        self.check_moments("coordinator", signal.SIGTERM, check, is_ended_by_it=True)

    def test_launcher_killed(self):
        self.check_moments("launcher", signal.SIGKILL, self.check_complete(1))

    def test_launcher_terminated(self):
        self.check_moments("launcher", signal.SIGTERM, self.check_complete(0))

    def test_worker_killed(self):
        def check(result, visits, failures):
            self.check_complete(1)(result, visits, failures)
            problems = [cell["problem"] for cell in self.cells(result.json()).values() if cell["problem"]]
            self.assertEqual(len(problems), failures)
            for problem in problems:
                self.assertIn("SIGKILL", problem)
        self.check_moments("worker", signal.SIGKILL, check)

    def test_worker_terminated(self):
        self.check_moments("worker", signal.SIGTERM, self.check_complete(0))


if __name__ == "__main__":
    harness.main()
