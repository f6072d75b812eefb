# SPDX-License-Identifier: GPL-3.0-or-later
"""Two sweeps beside one another, and many in groups, with the replay kernel."""

import csv
import io

import harness


class Compare(harness.TestCase):
    def save(self, name, seed, *arguments, plan=None, machine=harness.SMALL_MACHINE):
        file = self.folder / name
        result = self.replay("-r", "10", "--save", file, "--seed", str(seed), *arguments, plan=plan, machine=machine)
        self.assertEqual(result.status, 0, result.err)
        return file

    def compare(self, *arguments, status=0):
        result = self.run_program("compare", *arguments, program=harness.REPLAY)
        self.assertEqual(result.status, status, result.err)
        return result

    def test_what_did_not_change_is_told_so(self):
        first, second = self.save("a.jsonl", 1), self.save("b.jsonl", 2)
        report = self.compare(first, second, "-o", "json", "--fail-on", "regression").json()
        self.assertEqual((report["regressions"], report["improvements"]), (0, 0))
        self.assertTrue(report["is_same_machine"])
        self.assertEqual(report["differences"], [])
        # Two figures: the machine, two nodes, eight cells.
        self.assertEqual(len(report["lines"]), 2 * (1 + 2 + 8))

    def test_a_slower_cpu_is_a_regression(self):
        before, after = self.save("a.jsonl", 1), self.save("b.jsonl", 2, plan="slow:2")
        report = self.compare(before, after, "-o", "json", "--fail-on", "regression", status=1).json()
        slower = {line["row"] for line in report["lines"]
                  if line["scope"] == "cell" and line["is_confirmed"] and line["change"]["estimate_ns"] > 0}
        self.assertEqual(slower, {"2"})
        back = self.compare(after, before, "-o", "json", "--fail-on", "regression").json()
        self.assertEqual((back["regressions"], back["improvements"]), (0, report["regressions"]))
        self.assertRegex(self.compare(before, after).out, r"wake +CPU 2 +node 0 .* SLOWER")
        lines = list(csv.DictReader(io.StringIO(self.compare(before, after, "-o", "csv").out)))
        self.assertEqual(len(lines), len(report["lines"]))
        for line, expected in zip(lines, report["lines"]):
            self.assertEqual(float(line["p"]), round(expected["p"], 3))

    def test_what_differs_is_said_aloud(self):
        first = self.save("a.jsonl", 1)
        second = self.save("b.jsonl", 2, "--touch", "32", machine="pack:2 [numa(memory=8GB)] core:3 pu:1")
        out = self.compare(first, second).out
        self.assertIn("NOT the same machine", out)
        self.assertIn("fingerprint", out)
        self.assertIn("--touch: 64 before, 32 after", out)

    def test_nothing_in_common_is_refused(self):
        first, second = self.save("a.jsonl", 1), self.save("b.jsonl", 2, "-t", "2ms")
        result = self.compare(first, second, status=2)
        self.assertEqual(result.out, "")
        self.assertIn("no cell in common", result.err)
        self.assertIn("two files", self.compare(first, status=2).err)
        self.compare(first, self.folder / "none", status=2)

    def test_many_files_stand_in_groups(self):
        files = [self.save(f"{seed}.jsonl", seed) for seed in (1, 2, 3)]
        report = self.compare(*files, "--group-by", "host", "-o", "json").json()
        self.assertEqual([len(group["runs"]) for group in report["groups"]], [3])
        by_file = self.compare(*files, "-o", "json").json()
        self.assertEqual([group["value"] for group in by_file["groups"]], [str(file) for file in files])
        table = self.compare(*files, "--group-by", "policy", "--figure", "wake").out
        self.assertRegex(table, r"policy +run1 run2 run3")


if __name__ == "__main__":
    harness.main()
