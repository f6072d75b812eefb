# SPDX-License-Identifier: GPL-3.0-or-later
"""--load: the busy workers are there while the sweep runs, are proved, stand in every label, and are gone with it."""

import csv
import io
import json
import os
import pathlib
import re
import signal
import time

import harness

CPUS = sorted(os.sched_getaffinity(0))
SHORT = ("-c", ",".join(map(str, CPUS[:2])), "-r", "3", "-s", "5", "--touch", "4", "--progress", "never", "--seed", "1")


def comm(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


class Load(harness.TestCase):
    def hogs(self):
        return [pid for pid in self.processes() if comm(pid) == "numasweep-hog"]

    def wait_for_hogs(self, process):
        end = time.monotonic() + 20
        while time.monotonic() < end and process.poll() is None:
            found = self.hogs()
            if found:
                return found
            time.sleep(0.005)
        self.fail(f"no busy workers: {process.communicate()}")

    def test_load_is_there_and_in_every_label(self):
        file = self.folder / "load.jsonl"
        result = self.run_program(*SHORT, "--load", "hogs:1", "--save", file, "-o", "json")
        self.assertEqual(result.status, 0, result.err)
        report = result.json()
        self.assertEqual(report["options"]["load"], "hogs")
        self.assertEqual([table["load"] for table in report["tables"]], ["hogs"])
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual(lines[0]["arms"][0]["load"], "hogs")
        load = lines[-1]["load"]
        self.assertGreaterEqual(load["workers"], len(CPUS))
        self.assertGreater(load["cpu_ns"], 0)
        self.assertGreater(load["wall_ns"], 0)
        self.assertIn(f"{load['workers']} busy worker", " ".join(report["validity"]))
        table = self.run_program("report", file).out
        self.assertRegex(table, r"timeout 1ms, load hogs: median")
        self.assertRegex(table, r"load: hogs; \d+ busy workers?, .* they used [\d.]+ %")
        lines = list(csv.DictReader(io.StringIO(self.run_program("report", file, "-o", "csv").out)))
        self.assertEqual({line["load"] for line in lines}, {"hogs"})
        points = [line for line in self.run_program("report", file, "-o", "tap").out.splitlines()
                  if re.match("(not )?ok", line) and "SKIP" not in line]
        self.assertTrue(points and all("load hogs" in point for point in points), points)
        self.assert_nothing_left()

    def test_other_loads_are_told_apart(self):
        free, loaded = self.folder / "free.jsonl", self.folder / "loaded.jsonl"
        self.assertEqual(self.run_program(*SHORT, "-r", "10", "--save", free).status, 0)
        self.assertEqual(self.run_program(*SHORT, "-r", "10", "--load", "node:hogs", "--save", loaded).status, 0)
        self.assertNotIn("load", json.loads(free.read_text().splitlines()[-1]))
        merged = self.run_program("report", free, loaded)
        self.assertEqual(merged.status, 2)
        self.assertIn("--load is none in one and node:hogs in the other", merged.err)
        self.assertIn("--load: none before, node:hogs after", self.run_program("compare", free, loaded).out)
        groups = self.run_program("compare", free, loaded, "--group-by", "load", "-o", "json").json()
        self.assertEqual([group["value"] for group in groups["groups"]], ["none", "node:hogs"])

    def test_workers_are_pinned_one_to_each_cpu(self):
        process = self.start(*SHORT, "-r", "2000", "--load", "hogs", start_new_session=True)
        self.wait_for_hogs(process)
        time.sleep(0.3)
        masks = sorted(tuple(os.sched_getaffinity(pid)) for pid in self.hogs())
        self.assertEqual({len(mask) for mask in masks}, {1})
        self.assertEqual(len(set(masks)), len(masks))
        self.assertEqual({os.sched_getscheduler(pid) for pid in self.hogs()}, {os.SCHED_OTHER})
        self.assertEqual({os.getpriority(os.PRIO_PROCESS, pid) for pid in self.hogs()}, {0})
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        self.assert_nothing_left(within=10)

    def test_stopped_by_a_signal_leaves_no_worker(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.start(*SHORT, "-r", "2000", "--load", "node:hogs", start_new_session=True)
            self.wait_for_hogs(process)
            time.sleep(0.2)
            os.killpg(process.pid, number)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number)
            self.assert_nothing_left()

    def test_a_worker_that_dies_ends_the_sweep(self):
        process = self.start(*SHORT, "-r", "2000", "--load", "hogs")
        found = self.wait_for_hogs(process)
        time.sleep(0.3)
        os.kill(found[0], signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 5, err)
        self.assertIn("busy worker of CPU", err)
        self.assert_nothing_left()

    def test_what_cannot_be_is_refused(self):
        for load in ("hog", "hogs:0", "node:x:hogs", "node:4095:hogs", ""):
            result = self.run_program(*SHORT, "--load", load)
            self.assertEqual((result.status, result.out), (2, ""), load)
            self.assertIn("--load", result.err)
        for topology, words, message in (
                ("pack:2 core:2 pu:1", (), "CPU 0 has no SMT sibling"),
                ("pack:1 core:2 pu:2", ("-b", "core"), "has no SMT sibling"),
                ("pack:1 core:2 pu:2", ("--concurrent", "all"), "no sibling is left")):
            result = self.run_program("plan", "--topology", topology, "--load", "sibling", *words)
            self.assertEqual(result.status, 2)
            self.assertIn(message, result.err)
        plan = self.run_program("plan", "--topology", "pack:1 core:2 pu:2", "--load", "sibling:2", "-o", "json")
        self.assertEqual(plan.json()["arms"][0]["load"], "sibling:2")


if __name__ == "__main__":
    harness.main()
