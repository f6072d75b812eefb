# SPDX-License-Identifier: GPL-3.0-or-later
"""As an ordinary user, without the right to SCHED_FIFO: measured what can be had, labelled, with the way out."""

import os
import unittest

import harness

AS_USER = harness.nobody() if harness.IS_ROOT else ()


@unittest.skipIf(AS_USER is None, "no ordinary user can be had here")
class RealUser(harness.TestCase):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)
        probe = self.run_program("check", "-o", "json", before=AS_USER)
        if probe.status != 0:
            self.skipTest(f"the program cannot be run as another user: {probe.err.strip()}")
        facts = {fact["name"]: fact for fact in probe.json()["environment"]}
        if facts["fifo_is_allowed"]["value"].startswith("yes"):
            self.skipTest("SCHED_FIFO is allowed to this user")

    def sweep(self, *arguments):
        return self.run_program("-r", "2", *arguments, before=AS_USER)

    def test_default_falls_back_and_says_so(self):
        result = self.sweep("-o", "json")
        report = result.json()
        self.assertEqual(result.status, 0)
        self.assertEqual({cell["policy"] for cell in self.cells(report).values()}, {"SCHED_OTHER"})
        self.assertRegex(result.err, r"SCHED_FIFO was refused in \d+ of \d+ visits .*limits\.conf")
        self.assertTrue(any("SCHED_OTHER in all" in line for line in report["validity"]))
        self.assertIn("SCHED_OTHER", self.sweep().out)
        self.assertIn("SCHED_OTHER", self.sweep("-o", "csv").out)

    def test_policy_that_was_asked_for_fails_its_cells(self):
        result = self.sweep("--policy", "fifo", "-o", "json")
        self.assertEqual(result.status, 3)
        for cell in self.cells(result.json()).values():
            self.assertRegex(cell["problem"], r"policy: EPERM.*SCHED_FIFO 50.*RLIMIT_RTPRIO")

    def test_strict_refuses_before_measuring(self):
        file = self.folder / "r.jsonl"
        result = self.sweep("--strict", "--save", file)
        self.assertEqual((result.status, result.out), (3, ""))
        self.assertFalse(file.exists())
        self.assertIn("--strict", result.err)

    def test_normal_policy_needs_no_right(self):
        self.assertEqual(self.sweep("--policy", "other").status, 0)
        self.assertEqual(self.sweep("--policy", "other").err, "")

    def test_saved_and_reported(self):
        file = self.folder / "r.jsonl"
        self.assertEqual(self.sweep("--save", file).status, 0)
        result = self.run_program("report", file, before=AS_USER)
        self.assertEqual(result.status, 0)
        self.assertIn("SCHED_OTHER in all", result.out)

    def test_device_that_may_not_be_opened(self):
        result = self.sweep("--dma-latency", "0us")
        self.assertEqual((result.status, result.out), (3, ""))
        self.assertIn("/dev/cpu_dma_latency", result.err)


if __name__ == "__main__":
    harness.main()
