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

    def test_what_cannot_be_found_is_not_failed_on(self):
        first, second = self.save("a.jsonl", 1), self.save("b.jsonl", 2)
        for words in (("compare", first, second, "--group-by", "host", "--fail-on", "regression"),
                      ("compare", first, second, second, "--fail-on", "regression"),
                      ("compare", first, second, "--fail-on", "slow"),
                      ("report", first, "--fail-on", "regression")):
            result = self.run_program(*words, program=harness.REPLAY)
            self.assertEqual((result.status, result.out), (2, ""), words)
            self.assertIn("--fail-on", result.err)
        self.compare(first, second, "--fail-on", "slow,regression")

    def test_a_cell_without_samples_on_one_side_has_no_figures(self):
        first, second = self.save("a.jsonl", 1), self.save("b.jsonl", 2)
        lines = second.read_text().splitlines(keepends=True)
        kept = [line for line in lines if '"record":"visit"' not in line or '"cpu":3,' not in line.replace(" ", "")]
        self.assertLess(len(kept), len(lines))
        cut = self.folder / "cut.jsonl"
        cut.write_text("".join(kept))
        report = self.compare(first, cut, "-o", "json").json()
        cells = [line for line in report["lines"] if line["row"] == "3"]
        self.assertTrue(cells)
        for line in cells:
            self.assertEqual((line["after_rounds"], line["after_ns"], line["change"]["estimate_ns"]), (0, None, None))
            self.assertGreater(line["before_ns"], 0)
        self.assertRegex(self.compare(first, cut).out, r"wake +CPU 3 +node \d +[0-9.]+ +- +- +- +- +- +1 \?")

    def test_nothing_in_common_is_refused(self):
        first, second = self.save("a.jsonl", 1), self.save("b.jsonl", 2, "-t", "2ms")
        result = self.compare(first, second, status=2)
        self.assertEqual(result.out, "")
        self.assertIn("no cell in common", result.err)
        self.assertIn("two files", self.compare(first, status=2).err)
        self.compare(first, self.folder / "none", status=2)

    def test_too_few_rounds_are_told_and_no_change_is_claimed(self):
        for rounds in (1, 3):
            before = self.save(f"a{rounds}.jsonl", 1, "-r", str(rounds))
            after = self.save(f"b{rounds}.jsonl", 2, "-r", str(rounds), plan="slow:2")
            report = self.compare(before, after, "-o", "json", "--fail-on", "regression").json()
            self.assertEqual(report["regressions"], 0)
            self.assertGreater(report["rounds_needed"], rounds)
            self.assertIn("not judged", report["sentence"])
            self.assertNotIn("found", report["sentence"])
            if rounds == 1:
                self.assertEqual({line["change"]["low_ns"] for line in report["lines"]}, {None})
                self.assertRegex(self.compare(before, after).out, r"wake +CPU 2 .* - +- +1 none")
        needed = str(report["rounds_needed"])
        before, after = self.save("a.jsonl", 1, "-r", needed), self.save("b.jsonl", 2, "-r", needed, plan="slow:2")
        self.assertEqual(self.compare(before, after, "-o", "json").json()["rounds_needed"], 0)

    def test_cells_of_one_side_are_counted(self):
        all_cells, some = self.save("a.jsonl", 1, "-n", "all"), self.save("b.jsonl", 2, "-n", "all", "-c", "0-1")
        local = self.save("c.jsonl", 3, "-n", "local")
        for before, after, only_before, only_after in ((all_cells, some, 4, 0), (some, all_cells, 0, 4),
                                                       (all_cells, local, 4, 0), (local, local, 0, 0)):
            report = self.compare(before, after, "-o", "json").json()
            self.assertEqual((report["unmatched_cells"], report["unmatched_cells_after"]), (only_before, only_after))
        self.assertIn("4 cells of the second file are not in the first: not compared",
                      self.compare(some, all_cells).out)

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
