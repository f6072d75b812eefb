# SPDX-License-Identifier: GPL-3.0-or-later
"""The real kernels on this machine, as root: what is printed is compared with what is seen from outside."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time
import unittest

import harness


def first_cpus():
    return sorted(os.sched_getaffinity(0))


@unittest.skipUnless(harness.IS_ROOT, "needs root")
class RealRoot(harness.TestCase):
    def setUp(self):
        super().setUp()
        allowed = subprocess.run(["chrt", "-f", "50", "true"], check=False, capture_output=True)
        if allowed.returncode != 0:
            self.skipTest("SCHED_FIFO is refused to root here")

    def sweep(self, *arguments, status=0, **options):
        result = self.run_program("-r", "2", "-o", "json", *arguments, **options)
        self.assertEqual(result.status, status, result.err)
        return result.json()

    def visits(self, *arguments, **options):
        file = self.folder / "r.jsonl"
        file.unlink(missing_ok=True)
        self.sweep("--save", file, *arguments, **options)
        records = [json.loads(line) for line in file.read_text().splitlines()]
        return [record for record in records if record["record"] == "visit"]

    def children(self, pid):
        try:
            return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        except OSError:
            return []

    def watch(self, *arguments, **options):
        """Status files of workers and of the coordinator, read from outside in mid-visit."""
        process = self.start("-r", "3", "-s", "200", *arguments, **options)
        seen = []
        while process.poll() is None:
            for launcher in self.children(process.pid):
                for worker in self.children(launcher):
                    try:
                        stat = pathlib.Path(f"/proc/{worker}/stat").read_text().rsplit(")", 1)[1].split()
                        status = pathlib.Path(f"/proc/{worker}/status").read_text()
                        own = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                    except OSError:
                        continue
                    # A worker that has just ended has a status without these lines.
                    if "Cpus_allowed_list:" not in status or "VmLck:" not in status:
                        continue
                    seen.append({"policy": int(stat[38]), "priority": int(stat[37]),
                                 "cpus": self.field(status, "Cpus_allowed_list"),
                                 "coordinator_cpus": self.field(own, "Cpus_allowed_list"),
                                 "locked": self.field(status, "VmLck")})
            time.sleep(0.02)
        process.communicate()
        self.assertEqual(process.returncode, 0)
        return seen

    def field(self, text, name):
        return next(line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith(name + ":"))

    def test_workers_are_seen_pinned_and_real_time(self):
        fifo = [seen for seen in self.watch() if seen["policy"] == 1]
        self.assertGreater(len(fifo), 5)
        self.assertEqual({seen["priority"] for seen in fifo}, {50})
        self.assertTrue({seen["cpus"] for seen in fifo} <= {str(cpu) for cpu in first_cpus()})
        for seen in fifo:
            if harness.CAN_LOCK:
                self.assertNotEqual(seen["locked"], "0 kB")
            if len(first_cpus()) > 1:
                self.assertNotIn(seen["cpus"], seen["coordinator_cpus"].replace("-", ",").split(","))

    def test_placement_is_proved(self):
        for visit in self.visits():
            placement = visit["placement"]
            self.assertEqual(placement["policy_name"], "SCHED_FIFO 50")
            self.assertEqual(placement["timer_slack_ns"], 0)
            self.assertEqual((placement["mask_matches_before"], placement["mask_matches_after"]), (1, 1))
            self.assertEqual((placement["cpu_before"], placement["cpu_after"]), (visit["cpu"], visit["cpu"]))
            self.assertEqual(placement["migrations"], 0)
            self.assertEqual(placement["elsewhere_count"], 0)
            self.assertEqual(len(visit["elapsed_ns"]), 25)
            self.assertTrue(all(touch > 0 for touch in visit["touch_ns"]))
            self.assertTrue(all(500000 <= ns <= 1500000 for ns in visit["requested_ns"]))
            self.assertGreater(len(set(visit["requested_ns"])), 20)
            # Each sleep, warm-ups and phase included, gives the CPU away once.
            self.assertGreaterEqual(visit["counters"]["voluntary_switches"], 27)
            if placement["memory_is_bound"]:
                self.assertEqual(placement["pages_on_node"], placement["pages_total"])

    def test_case01_fifo_is_refused_to_root_in_a_cgroup_without_budget(self):
        hierarchy = pathlib.Path("/sys/fs/cgroup/cpu")
        if not (hierarchy / "cpu.rt_runtime_us").exists():
            self.skipTest("no cpu cgroup (v1) with RT group scheduling")
        group = hierarchy / f"numasweep-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError as error:
            self.skipTest(f"no cgroup can be made: {error}")
        self.addCleanup(group.rmdir)
        inside = ("sh", "-c", f'echo $$ > "{group}/cgroup.procs" && exec "$@"', "sh")
        result = self.run_program("-r", "2", "-o", "json", before=inside)
        self.assertEqual(result.status, 0, result.err)
        self.assertIn("cgroup without a real-time budget", result.err)
        self.assertEqual({cell["policy"] for cell in self.cells(result.json()).values()}, {"SCHED_OTHER"})
        strict = self.run_program("-r", "2", "--strict", before=inside)
        self.assertEqual((strict.status, strict.out), (3, ""))
        check = self.run_program("check", before=inside)
        self.assertRegex(check.out, r"!! rt_group_scheduling +no budget in cgroup")

    def test_a_cpu_that_is_taken_away_is_found_with_the_cause(self):
        cpus = first_cpus()
        if len(cpus) < 2:
            self.skipTest("one CPU has no peer")
        hog = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))
print("ready", flush=True)
end = time.monotonic() + 60
while time.monotonic() < end:
    busy = time.monotonic() + 0.0021
    while time.monotonic() < busy:
        pass
    time.sleep(0.0009)
"""
        process = subprocess.Popen([sys.executable, "-c", hog, str(cpus[-1])], stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(process.stdout.readline(), "ready\n")
            report = self.sweep("-r", "20", "-s", "15", "--touch", "0", "-n", "none", "--fail-on", "slow", status=1)
        finally:
            process.kill()
            process.communicate()
        finding = report["verdict"]["findings"][0]
        self.assertEqual(finding["subject"], f"CPU {cpus[-1]}")
        self.assertIn(finding["type"], ("slow", "differ"))
        # Not always the first: interrupts of whatever else this machine does may differ between the two as well.
        self.assertIn("run_delay_ns", [cause["counter"] for cause in finding["causes"]])

    def test_policies_are_read_back(self):
        expected = {"other": "SCHED_OTHER", "batch": "SCHED_BATCH", "idle": "SCHED_IDLE", "fifo": "SCHED_FIFO 50",
                    "rr": "SCHED_RR 50"}
        for policy, name in expected.items():
            names = {visit["placement"]["policy_name"] for visit in self.visits("--policy", policy)}
            self.assertEqual(names, {name})
        names = {visit["placement"]["policy_name"] for visit in self.visits("-p", "fifo", "-P", "7")}
        self.assertEqual(names, {"SCHED_FIFO 7"})

    def test_case34_slack_is_set_after_the_policy(self):
        slack = {visit["placement"]["timer_slack_ns"] for visit in self.visits("-p", "other")}
        self.assertEqual(slack, {1})
        slack = {v["placement"]["timer_slack_ns"] for v in self.visits("-p", "other", "--timer-slack", "30us")}
        self.assertEqual(slack, {30000})
        slack = {v["placement"]["timer_slack_ns"] for v in self.visits("-p", "other", "--timer-slack", "inherit")}
        self.assertEqual(slack, {50000})

    def test_undithered_sleeps_are_exact(self):
        for visit in self.visits("--dither", "0", "--touch", "0"):
            self.assertEqual(set(visit["requested_ns"]), {1000000})
            self.assertIsNone(visit["touch_ns"])

    def test_the_seed_profile_measures_as_the_loop_did(self):
        file = self.folder / "seed.jsonl"
        report = self.sweep("--profile", "seed", "-s", "3", "--save", file)
        self.assertEqual({row for row, _ in self.cells(report)
                          if self.cells(report)[row, None]["state"] == "measured"},
                         {str(cpu) for cpu in first_cpus()[::4]})
        visits = [record for record in map(json.loads, file.read_text().splitlines())
                  if record["record"] == "visit"]
        self.assertTrue(visits)
        for visit in visits:
            self.assertEqual(set(visit["requested_ns"]), {1000000})
            self.assertIsNone(visit["touch_ns"])
            self.assertEqual((visit["placement"]["policy"], visit["placement"]["priority"]), (1, 50))
            self.assertFalse(visit["placement"]["memory_is_bound"])

    def test_sleeps_that_are_over_before_they_begin_are_no_endless_loop(self):
        report = self.sweep("-t", "1us", "-s", "300000", "-r", "1", "-c", first_cpus()[0], "--touch", "0")
        self.assertEqual(report["tables"][0]["wake"]["samples"], 300000)

    def test_second_kernel_and_second_clock(self):
        for arguments in (("-k", "clock_nanosleep"), ("--clock", "raw"), ("-k", "clock_nanosleep", "--clock", "raw")):
            report = self.sweep(*arguments)
            self.assertEqual(report["totals"]["cells_measured"], report["totals"]["cells_planned"])

    def test_dma_latency_is_held_and_let_go(self):
        device = pathlib.Path("/dev/cpu_dma_latency")
        if not device.exists():
            self.skipTest("no /dev/cpu_dma_latency")
        read = lambda: struct.unpack("i", device.read_bytes()[:4])[0]
        before = read()
        for text, value in (("3us", 3), ("0", 0)):
            process = self.start("-r", "20", "--dma-latency", text)
            held = set()
            while process.poll() is None:
                held.add(read())
                time.sleep(0.02)
            process.communicate()
            self.assertEqual(process.returncode, 0)
            self.assertIn(value, held)
            self.assertEqual(read(), before)

    def test_strict_measures_what_can_be_had(self):
        self.sweep("--strict")

    @unittest.skipUnless(len(first_cpus()) > 1, "needs two CPUs")
    def test_case27_explicit_list_reaches_beyond_the_inherited_mask(self):
        first, second = first_cpus()[:2]
        only_second = ("taskset", "-c", str(second))
        narrow = self.sweep(before=only_second)
        self.assertEqual({row for row, _ in self.cells(narrow)}, {str(second)})
        self.assertIn("mask", self.rows(narrow)[str(first)]["status"])
        both = self.sweep("-c", f"{first},{second}", before=only_second)
        self.assertEqual({row for row, _ in self.cells(both)}, {str(first), str(second)})

    def test_case27_started_real_time_or_nice(self):
        for before in (("chrt", "-f", "99"), ("chrt", "-r", "1"), ("chrt", "-b", "0"), ("nice", "-n", "5")):
            names = {visit["placement"]["policy_name"] for visit in self.visits(before=before)}
            self.assertEqual(names, {"SCHED_FIFO 50"}, before)

    def test_case27_deadline_parent_is_refused(self):
        before = ("chrt", "-d", "--sched-runtime", "1000000", "--sched-deadline", "10000000", "--sched-period",
                  "10000000", "0")
        if subprocess.run([*before, "true"], check=False, capture_output=True).returncode != 0:
            self.skipTest("SCHED_DEADLINE is refused here")
        result = self.run_program("-r", "1", before=before)
        self.assertEqual((result.status, result.out), (3, ""))
        self.assertIn("SCHED_DEADLINE", result.err)

    def test_case27_numactl_parent(self):
        if shutil.which("numactl") is None:
            self.skipTest("no numactl")
        self.sweep(before=("numactl", "-m", "0"))
        self.sweep("-n", "none", before=("numactl", "-m", "0"))

    def test_few_descriptors_do(self):
        report = self.sweep("--concurrent", "all", before=("prlimit", "--nofile=80:80"))
        self.assertFalse(report["totals"]["is_partial"])

    def test_case28_other_topologies_are_not_measured(self):
        result = self.run_program("-r", "1", "--topology", harness.SEED_MACHINE)
        self.assertEqual((result.status, result.out), (3, ""))
        result = self.run_program("-r", "1", env={"HWLOC_SYNTHETIC": "numa:4 pu:2"})
        self.assertEqual((result.status, result.out), (3, ""))

    def test_wider_rows(self):
        for level in ("core", "l3", "node", "package", "machine"):
            report = self.sweep("--by", level)
            self.assertEqual(report["totals"]["visits_failed"], 0, level)


if __name__ == "__main__":
    harness.main()
