# SPDX-License-Identifier: GPL-3.0-or-later
"""`numasweep migrations`: the real thing in short, what outside readings say, and that nothing is left behind."""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import harness

CPUS = sorted(os.sched_getaffinity(0))[:2]
SHORT = ("migrations", "-c", ",".join(map(str, CPUS)), "--duration", "300ms", "--runs", "2", "--progress", "never")
HAS_SCHED = "se.nr_migrations" in pathlib.Path("/proc/self/sched").read_text() \
    if pathlib.Path("/proc/self/sched").exists() else False


def left_groups():
    found = []
    for folder, names, _ in os.walk("/sys/fs/cgroup"):
        found += [os.path.join(folder, name) for name in names if name.startswith("numasweep-hogs-")]
    return found


def comm(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def migrations_of(pid):
    """None once it is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/sched").read_text()
    except OSError:
        return None
    found = re.search(r"nr_migrations\s*:\s*(\d+)", text)
    return int(found.group(1)) if found else None


class Migrations(harness.TestCase):
    def named(self, name):
        return [pid for pid in self.processes() if comm(pid) == name]

    def wait_for_hogs(self, count, process):
        end = time.monotonic() + 20
        while time.monotonic() < end and process.poll() is None:
            found = self.named("numasweep-hog")
            if len(found) == count:
                return found
            time.sleep(0.005)
        self.fail(f"no {count} busy workers: {process.communicate()}")

    def can_limit(self):
        result = self.run_program(*SHORT, "--quota", "50ms", "--runs", "1", "--pin", "none")
        if result.status == 3:
            self.skipTest("no CPU bandwidth limit can be had here: " + result.err.strip())
        self.assertEqual(result.status, 0, result.err)

    def test_pinned_workers_stay(self):
        report = self.run_program(*SHORT, "--pin", "none,cpu,node", "-o", "json").json()
        self.assertEqual([series["pin"] for series in report["series"]], ["none", "cpu", "node"])
        for series in report["series"]:
            self.assertEqual([run["run"] for run in series["runs"]], [1, 2])
            self.assertEqual(series["breaches"], 0)
            for run in series["runs"]:
                self.assertEqual(len(run["workers"]), 2 * len(CPUS))
                self.assertEqual(run["migrations"], sum(worker["migrations"] for worker in run["workers"]))
                self.assertGreaterEqual(run["duration_ns"], 300e6)
                self.assertGreater(run["cpu_ns"], 0)
                self.assertTrue(all(worker["cpu_ns"] >= 0 for worker in run["workers"]))
        pinned = report["series"][1]
        self.assertEqual(pinned["migrations"]["max"], 0)
        self.assertEqual(sorted({worker["cpu"] for worker in pinned["runs"][0]["workers"]}), CPUS)
        self.assertEqual(report["series"][2]["crossings"]["max"], 0)
        self.assert_nothing_left()

    def test_formats_say_the_same(self):
        file = self.folder / "m.jsonl"
        first = self.run_program(*SHORT, "--save", file, "-o", "json")
        self.assertEqual(first.status, 0, first.err)
        report = first.json()
        again = self.run_program("report", file, "-o", "json")
        self.assertEqual((again.status, again.json()), (0, report))
        lines = list(csv.DictReader(io.StringIO(self.run_program("report", file, "-o", "csv").out)))
        for series in report["series"]:
            total = sum(int(line["migrations"]) for line in lines if line["pin"] == series["pin"])
            self.assertEqual(total, sum(run["migrations"] for run in series["runs"]))
        table = self.run_program("report", file).out
        self.assertRegex(table, r"to a CPU +0 +0 +0 +0 +0\.0 +0 .*ok, proved")
        copy = self.folder / "copy.jsonl"
        self.assertEqual(self.run_program("report", file, "--save", copy).status, 0)
        self.assertEqual(copy.read_text(), file.read_text())
        header = json.loads(file.read_text().splitlines()[0])
        self.assertEqual(header["experiment"], "migrations")
        self.assertEqual(header["options"]["runs"], "2")
        self.assertNotIn("timeout", header["options"])

    def test_versions_of_linux_stand_beside_one_another(self):
        file, other = self.folder / "a.jsonl", self.folder / "b.jsonl"
        self.assertEqual(self.run_program(*SHORT, "--pin", "none", "--save", file).status, 0)
        counts = [sum(worker["migrations"] for worker in json.loads(line)["workers"])
                  for line in file.read_text().splitlines() if '"record":"migrations"' in line]
        lines = file.read_text().replace(os.uname().release, "2.6.33").splitlines()
        other.write_text("\n".join(lines) + "\n")
        out = self.run_program("compare", file, other, "--no-headings").out
        self.assertEqual(re.findall(r"\S+", out),
                         ["kernel", "run1", "run2"] * ("kernel" in out)
                         + [os.uname().release, *map(str, counts), "2.6.33", *map(str, counts)])
        table = list(csv.reader(io.StringIO(self.run_program("compare", file, other, "-o", "csv").out)))
        self.assertEqual(table[0], ["pin", "limited", "kernel", "run1", "run2"])
        self.assertEqual(table[2], ["none", "0", "2.6.33", *map(str, counts)])
        sweep = self.folder / "sweep.jsonl"
        self.assertEqual(self.replay("--save", sweep).status, 0)
        mixed = self.run_program("compare", file, sweep)
        self.assertEqual(mixed.status, 2)
        self.assertIn("compare them apart", mixed.err)
        self.assertEqual(self.run_program("report", file, other).status, 2)

    def test_outside_reading_agrees(self):
        if not HAS_SCHED:
            self.skipTest("/proc/PID/sched tells no migrations")
        process = self.start(*SHORT, "--duration", "2s", "--runs", "1", "--pin", "none", "-o", "json")
        hogs = self.wait_for_hogs(2 * len(CPUS), process)
        first = {pid: migrations_of(pid) for pid in hogs}
        last = dict(first)
        while process.poll() is None:
            for pid in hogs:
                count = migrations_of(pid)
                last[pid] = last[pid] if count is None else count
            time.sleep(0.002)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 0, err)
        total = json.loads(out)["series"][0]["runs"][0]["migrations"]
        # The first outside reading may lie behind the program's own, the last before it, by milliseconds.
        seen = sum(last.values()) - sum(first.values())
        self.assertLessEqual(seen - 5, total, (first, last))
        self.assertLessEqual(total, sum(last.values()) + 5, (first, last))

    def test_perf_agrees(self):
        perf = shutil.which("perf")
        words = (perf or "perf", "stat", "-x", ";", "-e", "cpu-migrations", "-o", self.folder / "perf.txt")
        if perf is None or subprocess.run([*words, "true"], check=False, capture_output=True).returncode != 0:
            self.skipTest("perf is not installed, or may not count")
        # Perf counts the whole program: what it does beside the workers' run is told by a run that is pinned.
        counts = {}
        for pin in ("none", "cpu"):
            result = self.run_program(*SHORT, "--duration", "1s", "--runs", "1", "--pin", pin, "-o", "json",
                                      before=words)
            self.assertEqual(result.status, 0, result.err)
            outside = int((self.folder / "perf.txt").read_text().split("\n")[-2].split(";")[0])
            counts[pin] = (outside, result.json()["series"][0]["runs"][0]["migrations"])
        self.assertEqual(counts["cpu"][1], 0)
        self.assertGreaterEqual(counts["none"][0], counts["none"][1])
        self.assertLessEqual(counts["none"][0] - counts["none"][1], 3 * counts["cpu"][0] + 30, counts)

    def test_both_counters_count(self):
        for counter in ("sched", "perf"):
            result = self.run_program(*SHORT, "--counter", counter, "-o", "json")
            if result.status == 3:
                print(f"not tried: --counter {counter}: {result.err.strip()}")
                continue
            self.assertEqual(result.status, 0, result.err)
            series = result.json()["series"]
            self.assertEqual(series[0]["runs"][0]["counter"], counter)
            self.assertEqual(series[1]["migrations"]["max"], 0)

    def test_limit_throttles(self):
        self.can_limit()
        report = self.run_program(*SHORT, "--quota", "20ms", "--groups", "2", "--pin", "cpu", "-o", "json").json()
        free, limited = report["series"]
        self.assertEqual((free["limited"], limited["limited"]), (False, True))
        for run in limited["runs"]:
            self.assertGreater(run["throttled"], 0)
            self.assertGreater(run["throttled_ns"], 0)
            self.assertEqual([worker["group"] for worker in run["workers"]], [0, 1] * len(CPUS))
        self.assertIsNone(free["runs"][0]["throttled"])
        self.assertEqual(left_groups(), [])

    def test_a_counter_for_each_of_many_workers(self):
        result = self.run_program(*SHORT, "--runs", "1", "--pin", "none", "--counter", "perf", "--hogs-per-cpu", "40",
                                  "-o", "json", before=("sh", "-c", 'ulimit -Sn 40; exec "$@"', "sh"))
        if result.status == 3 and "cpu-migrations" in result.err and "Too many" not in result.err:
            self.skipTest(result.err.strip())
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(len(result.json()["series"][0]["runs"][0]["workers"]), 40 * len(CPUS))

    def test_cgroups_that_may_not_be_written_are_a_refusal(self):
        self.can_limit()
        words = ("unshare", "-m", "sh", "-c", 'for mount in $(awk \'$3 ~ /^cgroup/ {print $2}\' /proc/self/mounts); do '
                 'mount -o remount,bind,ro "$mount" || exit 99; done; exec "$@"', "sh")
        result = self.run_program(*SHORT, "--quota", "50ms", before=words)
        if result.status == 99 or "unshare" in result.err:
            self.skipTest("no mount namespace can be had: " + result.err.strip())
        self.assertEqual(result.status, 3, result.err)
        self.assertIn("--quota", result.err)

    def assert_clean(self):
        self.assert_nothing_left(within=10)
        self.assertEqual(left_groups(), [])

    def test_nothing_is_left_after_a_kill(self):
        self.can_limit()
        for number, group in ((signal.SIGKILL, False), (signal.SIGKILL, True), (signal.SIGTERM, False),
                              (signal.SIGINT, True)):
            process = self.start(*SHORT, "--duration", "500ms", "--quota", "50ms", "--pin", "none",
                                 "--runs", "20", start_new_session=True)
            end = time.monotonic() + 20
            while not left_groups() and time.monotonic() < end:
                time.sleep(0.002)
            self.assertNotEqual(left_groups(), [])
            (os.killpg if group else os.kill)(process.pid, number)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, -number if number == signal.SIGKILL else 128 + number, err)
            self.assert_clean()

    def test_groups_that_both_processes_left_go_with_the_next_run(self):
        self.can_limit()
        process = self.start(*SHORT, "--duration", "10s", "--quota", "50ms", "--pin", "none", start_new_session=True)
        end = time.monotonic() + 30
        while not left_groups() and time.monotonic() < end:
            time.sleep(0.002)
        keepers = self.named("numasweep-hogs")
        self.assertEqual(len(keepers), 1)
        os.kill(process.pid, signal.SIGSTOP)
        os.kill(keepers[0], signal.SIGKILL)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        self.assert_nothing_left(within=10)
        self.assertNotEqual(left_groups(), [])
        self.assertEqual(self.run_program(*SHORT, "--quota", "50ms", "--pin", "none").status, 0)
        self.assertEqual(left_groups(), [])

    def test_death_of_a_worker_or_the_keeper_is_told(self):
        for name, count in (("numasweep-hog", 1), ("numasweep-hogs", 1)):
            process = self.start(*SHORT, "--duration", "2s", "--runs", "1", "--pin", "none")
            self.wait_for_hogs(2 * len(CPUS), process)
            os.kill(self.named(name)[:count][0], signal.SIGKILL)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 5, err)
            self.assertRegex(err, "busy worker .* died|keeper of the busy workers")
            self.assert_nothing_left()

    def test_a_mask_that_is_changed_is_a_breach(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU: there is no other mask")
        file = self.folder / "breach.jsonl"
        process = self.start(*SHORT, "--duration", "2s", "--runs", "1", "--pin", "cpu", "--save", file)
        hogs = self.wait_for_hogs(2 * len(CPUS), process)
        # Those that wait at the gate have been read back already.
        time.sleep(0.3)
        os.sched_setaffinity(hogs[0], {cpu for cpu in CPUS} - os.sched_getaffinity(hogs[0]))
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, out + err)
        self.assertIn("BREACH", out)
        self.assertRegex(err, r"run 1, pinned to a CPU, failed: .*(mask of worker|was moved)")
        self.assertEqual(self.run_program("report", file).status, 4)

    def test_bad_input_is_refused(self):
        for words in (("--hogs-per-cpu", "0"), ("--hogs-per-cpu", "x"), ("--runs", "0"), ("--duration", "60"),
                      ("--pin", "core"), ("--quota", "1us"), ("--period", "2s"), ("--groups", "0"),
                      ("--counter", "both"), ("--crossings", "none"), ("-c", "99999"), ("--timeout", "1ms"), ("-o", "tap")):
            result = self.run_program("migrations", *words)
            self.assertEqual((result.status, result.out), (2, ""), words)
            self.assertNotEqual(result.err, "", words)
        user = harness.nobody()
        if user is None:
            print("not tried: a cgroup without the right to make one")
            return
        result = self.run_program(*SHORT, "--quota", "50ms", before=user)
        self.assertEqual(result.status, 3, result.err)
        self.assertIn("--quota", result.err)
        self.assertEqual(left_groups(), [])

    def test_profile_is_read(self):
        result = self.run_program("migrations", "--profile", "migrations", "--duration", "50ms", "--runs", "1",
                                  "--quota", "off", "-o", "json")
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json()["options"]["hogs-per-cpu"], "2")


if __name__ == "__main__":
    harness.main()
