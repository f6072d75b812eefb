# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever becomes of a worker costs its own visits, is named, and leaves no process behind."""

import resource

import harness

# What the replay kernel does: the stage and a part of the text that must name it.
FAULTS = {
    "refuse": ("prepare", "refused on purpose"),
    "error": ("measure", "Input/output error"),
    "crash": ("worker", "SIGSEGV"),
    "abort": ("worker", "SIGABRT"),
    "kill": ("worker", "SIGKILL"),
    "exit": ("worker", "status 7"),
    "silent": ("worker", "status 0"),
    "cut": ("worker", "status 0"),
    "garbage": ("report", "no report"),
    "flood": ("report", "no report"),
}


class Faults(harness.TestCase):
    def check_others(self, report, broken_row):
        for (row, node), cell in self.cells(report).items():
            if row != broken_row:
                self.assertEqual(cell["state"], "measured", (row, node))
                self.assertEqual(cell["problem"], "")

    def test_fault_in_all_rounds_costs_its_row_and_is_named(self):
        for what, (stage, text) in FAULTS.items():
            with self.subTest(what):
                result = self.replay("-r", "3", "-o", "json", plan=f"{what}:2")
                report = result.json()
                self.assertEqual(result.status, 4, result.err)
                self.check_others(report, "2")
                for node in (0, 1):
                    cell = self.cells(report)["2", node]
                    self.assertEqual(cell["state"], "missing")
                    self.assertEqual(cell["visits_failed"], 3)
                    self.assertTrue(cell["problem"].startswith(stage + ":"), cell["problem"])
                    self.assertIn(text, cell["problem"])
                self.assertIn(text, self.rows(report)["2"]["status"])
                self.assert_nothing_left()

    def test_fault_in_one_round_leaves_the_others(self):
        for what in FAULTS:
            with self.subTest(what):
                result = self.replay("-r", "3", "-o", "json", plan=f"{what}:1:1")
                report = result.json()
                self.assertEqual(result.status, 4)
                self.check_others(report, "1")
                for node in (0, 1):
                    cell = self.cells(report)["1", node]
                    self.assertEqual((cell["state"], cell["visits_measured"], cell["wake"]["samples"]),
                                     ("incomplete", 2, 50))
                self.assert_nothing_left()

    def test_fault_is_in_the_table(self):
        result = self.replay("-r", "1", plan="crash:3")
        self.assertEqual(result.status, 4)
        self.assertRegex(result.out, r"CPU 3: 2 of 2 cells missing: worker: the worker was killed by SIGSEGV")
        self.assertIn("6 of 8 cells measured", result.out)

    def test_faults_at_the_same_time(self):
        plan = ",".join(f"{what}:{cpu}" for cpu, what in enumerate(FAULTS))
        result = self.replay("-r", "2", "-o", "json", "--concurrent", "all", plan=plan,
                             machine=harness.SEED_MACHINE)
        report = result.json()
        self.assertEqual(result.status, 4)
        for (row, _), cell in self.cells(report).items():
            expected = "missing" if int(row) < len(FAULTS) else "measured"
            self.assertEqual(cell["state"], expected, row)
        self.assert_nothing_left()

    def test_worker_that_hangs_is_ended_by_its_deadline(self):
        for what in ("hang", "stop"):
            with self.subTest(what):
                result = self.replay("-r", "1", "-n", "0", "-c", "0,1", "-o", "json", plan=f"{what}:0")
                cell = self.cells(result.json())["0", 0]
                self.assertEqual(result.status, 4)
                self.assertTrue(cell["problem"].startswith("deadline: ETIMEDOUT"), cell["problem"])
                self.assertEqual(self.cells(result.json())["1", 0]["state"], "measured")
                self.assert_nothing_left()

    def test_row_without_results_is_given_up(self):
        result = self.replay("-r", "9", "-n", "0", "-c", "0,1", "-o", "json", plan="unready:0", timeout=60)
        report = result.json()
        self.assertEqual(result.status, 4)
        self.assertEqual(report["totals"]["visits_failed"], 9)
        self.assertIn("given up", self.cells(report)["0", 0]["problem"])
        self.assertEqual(self.cells(report)["1", 0]["visits_measured"], 9)
        self.assert_nothing_left()

    def test_small_stack_is_enough(self):
        limit = 64 << 10
        result = self.replay("-r", "1", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_STACK, (limit, limit)))
        self.assertEqual(result.status, 0, result.err)

    def test_early_wake_ups_are_counted(self):
        result = self.replay("-r", "2", "-o", "json", plan="early:1")
        report = result.json()
        self.assertEqual(result.status, 0)
        self.assertEqual(self.rows(report)["1"]["early"], 4)
        self.assertEqual(self.rows(report)["0"]["early"], 0)
        self.assertEqual(self.cells(report)["1", 0]["wake"]["min_ns"], -500)
        self.assertIn("early wake-ups", result.err)

    def test_all_rows_broken_is_not_allowed(self):
        result = self.replay("-r", "1", plan="refuse:0,refuse:1,refuse:2,refuse:3")
        self.assertEqual(result.status, 3)


if __name__ == "__main__":
    harness.main()
