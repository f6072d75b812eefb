# SPDX-License-Identifier: GPL-3.0-or-later
"""Single faults whose whole answer is known, each in one process only: see tests/support/inject.c."""

import errno
import os
import unittest

import harness

CPUS = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:2])
SYNTHETIC = "pack:2 [numa(memory=1GB)] core:3 pu:1"


@unittest.skipUnless(harness.can_inject(), "this process may not trace another")
class Injected(harness.TestCase):
    def inject(self, words, *arguments, **options):
        log = self.folder / "log"
        result = self.run_program(*arguments, before=(harness.INJECT, "-o", log, *words.split()), **options)
        log_lines = log.read_text().splitlines()
        self.assertTrue(any(line.startswith("hit ") for line in log_lines), f"never reached: {words}")
        self.assertEqual([line for line in log_lines if line.startswith(("orphan", "killed"))], [])
        self.assert_nothing_left()
        return result

    def sweep(self, words, *arguments):
        return self.inject(words, "-c", CPUS, "-r", "2", "-s", "2", "-t", "100us", "-o", "json", *arguments)

    def test_case10_memory_policy_that_cannot_be_asked_is_no_machine_without_numa(self):
        if not os.path.isdir("/sys/devices/system/node"):
            self.skipTest("this kernel has no NUMA")
        for number in (errno.ENOSYS, errno.EPERM):
            result = self.sweep(f"-r coordinator -c get_mempolicy -n 1+ -e {number}")
            self.assertEqual(result.status, 0, result.err)
            self.assertTrue(result.json()["topology"]["has_numa"])
            self.assertNotIn("made up", result.out)

    def test_affinity_that_this_kernel_lacks_is_status_3(self):
        result = self.sweep(f"-r coordinator -c sched_getaffinity -e {errno.ENOSYS}")
        self.assertEqual((result.status, result.out), (3, ""))
        self.assertIn("sched_getaffinity: Function not implemented", result.err)

    def test_poll_of_the_coordinator_is_its_own_failure(self):
        result = self.sweep(f"-r coordinator -c poll -n 1+ -e {errno.ENOMEM}")
        self.assertEqual(result.status, 5)
        self.assertIn("Cannot allocate memory", result.err)
        self.assertNotIn("real-time task", result.err)

    def test_pipe_that_cannot_be_read_does_not_wait_for_a_deadline(self):
        result = self.sweep(f"-r coordinator -c read -k pipe -n 7+ -e {errno.EIO}")
        self.assertEqual(result.status, 4, result.err)
        problems = {cell["problem"] for cell in self.cells(result.json()).values() if cell["problem"]}
        self.assertTrue(problems)
        for problem in problems:
            self.assertTrue(problem.startswith("read: EIO"), problem)

    def test_launcher_that_fails_says_why(self):
        for call, number, text in (("poll", errno.ENOMEM, "Cannot allocate memory"),
                                   ("recvmsg", errno.ENOMEM, "Cannot allocate memory"),
                                   ("signalfd4", errno.EMFILE, "Too many open files")):
            with self.subTest(call):
                result = self.sweep(f"-r launcher -c {call} -n 1+ -e {number}", "-r", "9")
                self.assertEqual(result.status, 5)
                self.assertRegex(result.err, f"forks the workers failed 6 times in a row: {text}")
                for cell in self.cells(result.json()).values():
                    self.assertTrue(cell["problem"])
                    self.assertNotIn("killed", cell["problem"])

    def test_case07_loader_that_hangs_is_replaced_by_one_without_x86(self):
        # What redirects hwloc must still do so.
        environment = {"HWLOC_SYNTHETIC": SYNTHETIC}
        result = self.inject("-r loader -c write -k pipe -h", "topology", "-o", "json", env=environment)
        self.assertEqual(result.status, 0, result.err)
        self.assertIn("without the x86 part", result.err)
        self.assertIn("real-time task", result.err)
        self.assertEqual(len(result.json()["cpus"]), 6)
        self.assertIn("HWLOC_", result.json()["source"])

    def test_early_wake_ups_are_counted(self):
        result = self.inject("-r worker -c pselect6 -v 0", "-c", CPUS, "-r", "1", "-s", "2", "-w", "0", "-t", "50ms",
                             "-o", "json")
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json()["tables"][0]["early"], 1)
        self.assertIn("early wake-up", result.err)

    def test_case28_pages_that_nobody_looked_for_are_not_proved(self):
        result = self.sweep("-r worker -c move_pages -n 1+ -v 0")
        self.assertEqual(result.status, 0, result.err)
        self.assertTrue(result.json()["totals"]["has_invalid"])

    def test_refused_prctl_costs_nothing_but_is_seen(self):
        result = self.sweep(f"-r worker -c prctl -n 1+ -e {errno.EPERM}", "--policy", "other", "--timer-slack", "5us")
        self.assertEqual(result.status, 0, result.err)
        self.assertNotIn("timer slack 5000 ns", " ".join(result.json()["validity"]))
        strict = self.sweep(f"-r worker -c prctl -n 1+ -e {errno.EPERM}", "--policy", "other", "--timer-slack", "5us",
                            "--strict")
        self.assertEqual((strict.status, strict.out), (3, ""))
        self.assertIn("timer slack", strict.err)

    def test_file_system_without_locks_is_saved_to(self):
        for number in (errno.ENOLCK, errno.ENOSYS):
            file = self.folder / f"{number}.jsonl"
            result = self.sweep(f"-r coordinator -c flock -e {number}", "--save", file)
            self.assertEqual(result.status, 0, result.err)
            self.assertEqual(self.run_program("report", file).status, 0)


if __name__ == "__main__":
    harness.main()
