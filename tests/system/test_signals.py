# SPDX-License-Identifier: GPL-3.0-or-later
"""Stopped at any moment, the program prints or keeps what it had, and leaves no process behind."""

import json
import os
import pathlib
import random
import signal
import time

import harness

LONG = ("-r", "100000", "--touch", "4", "-s", "5", "-w", "1")
KILL_MOMENTS = 20


class Signals(harness.TestCase):
    def wait_for_visits(self, file, count):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if file.exists() and file.read_bytes().count(b"\n") > count:
                return
            time.sleep(0.005)
        self.fail("no visits were saved")

    def children(self, pid):
        try:
            return [int(child) for child in
                    pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        except OSError:
            return []

    def test_signal_prints_the_table_and_ends_the_file(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM):
            with self.subTest(number.name):
                file = self.folder / f"{number.name}.jsonl"
                process = self.start(*LONG, "--save", file)
                self.wait_for_visits(file, 5)
                process.send_signal(number)
                out, _ = process.communicate(timeout=20)
                self.assertEqual(process.returncode, 128 + number)
                self.assertIn("ALL CELLS", out)
                self.assertIn("partial", out)
                end = json.loads(file.read_text().splitlines()[-1])
                self.assertEqual((end["record"], end["complete"], end["signal"]), ("end", False, number))
                self.assertEqual(self.run_program("report", file).status, 4)
                self.assert_nothing_left()

    def test_terminal_signal_to_all_processes_is_no_failure(self):
        file = self.folder / "r.jsonl"
        process = self.start(*LONG, "--save", file, start_new_session=True)
        self.wait_for_visits(file, 5)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        records = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual([r for r in records if r["record"] == "failure"], [])
        self.assert_nothing_left()

    def test_killed_coordinator_leaves_no_process_and_a_readable_file(self):
        random.seed(1)
        for moment in range(KILL_MOMENTS):
            with self.subTest(moment):
                file = self.folder / f"{moment}.jsonl"
                process = self.start(*LONG, "--save", file)
                self.wait_for_visits(file, 2)
                time.sleep(random.random() / 20)
                process.kill()
                process.communicate()
                self.assert_nothing_left(within=5.0)
                *whole, last = file.read_bytes().split(b"\n")
                self.assertEqual(last, b"")
                for line in whole:
                    json.loads(line)
                result = self.run_program("report", file, "-o", "json")
                self.assertEqual(result.status, 4)
                self.assertIn("no end record", result.err)
                self.assertEqual(result.json()["totals"]["visits_measured"], len(whole) - 1)

    def test_killed_launcher_is_replaced(self):
        file = self.folder / "r.jsonl"
        process = self.start("-r", "40", "--save", file)
        self.wait_for_visits(file, 5)
        launcher, = self.children(process.pid)
        os.kill(launcher, signal.SIGKILL)
        process.communicate(timeout=60)
        records = [json.loads(line) for line in file.read_text().splitlines()]
        failures = [r for r in records if r["record"] == "failure"]
        self.assertLessEqual(len(failures), 1)
        for failure in failures:
            self.assertEqual(failure["failure"]["stage"], "launcher")
        self.assertEqual(process.returncode, 4 if failures else 0)
        self.assertTrue(records[-1]["complete"])
        self.assert_nothing_left()

    def test_killed_worker_is_named(self):
        file = self.folder / "r.jsonl"
        # Each visit takes seconds: the worker that is found is not about to go.
        cpu = min(os.sched_getaffinity(0))
        process = self.start("-r", "2", "-s", "3000", "-c", cpu, "-n", "none", "--save", file)
        self.wait_for_visits(file, 0)
        workers = []
        end = time.monotonic() + 10
        while not workers and time.monotonic() < end:
            workers = [worker for launcher in self.children(process.pid) for worker in self.children(launcher)]
        os.kill(workers[0], signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4)
        failures = [json.loads(line)["failure"] for line in file.read_text().splitlines()
                    if '"record":"failure"' in line]
        self.assertEqual(len(failures), 1)
        self.assertIn("SIGKILL", failures[0]["text"])
        self.assert_nothing_left()

    def test_stopped_and_continued_survives(self):
        process = self.start("-r", "5", start_new_session=True)
        time.sleep(0.1)
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGCONT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assert_nothing_left()


if __name__ == "__main__":
    harness.main()
