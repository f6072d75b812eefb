# SPDX-License-Identifier: GPL-3.0-or-later
"""Every allocation fails once: see tests/support/fail_malloc.c. NUMASWEEP_NIGHTLY=1 tries all of them."""

import concurrent.futures
import json
import os
import unittest

import harness

MOST_TRIED = 100000 if harness.IS_NIGHTLY else 150
MACHINE = "pack:2 [numa(memory=8GB)] core:2 pu:1"
SWEEP = ("--kernel", "replay", "--topology", MACHINE, "--seed", "1", "-r", "1")


@unittest.skipIf(os.environ.get("NUMASWEEP_SANITIZERS"), "the sanitizers have an allocator of their own")
class Memory(harness.TestCase):
    def run_failing(self, setting, arguments):
        return self.run_program(*arguments, program=harness.REPLAY, timeout=60,
                                env={"LD_PRELOAD": os.environ["NUMASWEEP_FAIL_MALLOC_LIBRARY"],
                                     "NUMASWEEP_FAIL_MALLOC": setting})

    def count(self, arguments):
        """The first number that the command does not reach: doubling, then halving."""
        low, high = 0, 1
        while self.run_failing(f"{high}+", arguments).status != 0:
            low, high = high, 2 * high
            self.assertLess(high, 10**7)
        while high - low > 1:
            middle = (low + high) // 2
            if self.run_failing(f"{middle}+", arguments).status == 0:
                high = middle
            else:
                low = middle
        return low

    def wrong(self, setting, arguments):
        """What is wrong with the run, or None."""
        result = self.run_failing(setting, arguments)
        if result.status < 0 or result.status not in (0, 3, 4, 5):
            return f"{setting}: status {result.status}: {result.err[-200:]}"
        if result.status in (3, 5) and not result.out and "numasweep: error: " not in result.err:
            return f"{setting}: status {result.status} without a word"
        if result.status in (0, 4):
            try:
                json.loads(result.out)
            except ValueError:
                return f"{setting}: status {result.status} with a report that is cut"
        return None

    def check(self, *arguments):
        arguments = (*arguments, "-o", "json")
        self.assertEqual(self.run_failing("100000000", arguments).status, 0)
        count = self.count(arguments)
        # None at all would mean that the library was not loaded.
        self.assertGreater(count, 20)
        step = max(1, count // MOST_TRIED)
        settings = [f"{number}{last}" for number in range(1, count + 2, step) for last in ("", "+")]
        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            wrong = [text for text in executor.map(lambda setting: self.wrong(setting, arguments), settings) if text]
        print(f"{' '.join(map(str, arguments[:1]))}: {len(settings)} runs over {count} allocations, {len(wrong)} wrong",
              flush=True)
        self.assertEqual(wrong, [])
        self.assert_nothing_left()

    def test_run(self):
        self.check(*SWEEP)

    def test_plan(self):
        self.check("plan", "--topology", MACHINE)

    def test_topology(self):
        self.check("topology", "--topology", MACHINE)

    def test_check(self):
        self.check("check")

    def test_report(self):
        file = self.folder / "r.jsonl"
        self.assertEqual(self.run_program(*SWEEP, "--save", file, program=harness.REPLAY).status, 0)
        self.check("report", file)


if __name__ == "__main__":
    harness.main()
