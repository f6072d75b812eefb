# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits: judged in every format, saved, judged anew, and what they end with."""

import csv
import io

import harness


class Limits(harness.TestCase):
    def sweep(self, *arguments, status, plan="slow:3", **options):
        result = self.replay("-r", "2", *arguments, plan=plan, **options)
        self.assertEqual(result.status, status, result.err)
        return result

    def saved(self, *arguments, status=1):
        file = self.folder / "r.jsonl"
        self.sweep("--save", file, *arguments, status=status)
        return file

    def report(self, *arguments, status):
        result = self.run_program("report", *arguments)
        self.assertEqual(result.status, status, result.err)
        return result

    def test_table_says_which_rows_break_which_limit(self):
        table = self.sweep("--limit", "median=30us", "--limit", "p99=1ms", status=1).out
        self.assertRegex(table, r"(?m)^ *3 .* \*>\d")
        self.assertNotRegex(table, r"(?m)^ *[012] .*>")
        self.assertIn("> breaks a limit", table)
        self.assertRegex(table, r"CPU 3 breaks median=30us in 2 of 2 cells, at worst [\d.]+ us with memory on node[01]\n")
        self.assertIn("limit median=30us: broken by 2 of 8 cells\n", table)
        self.assertIn("limit p99=1ms: broken by 0 of 8 cells, 8 not judged: too few samples\n", table)

    def test_many_rows_are_collapsed(self):
        table = self.sweep("--limit", "min=0", "-n", "local", machine=harness.SEED_MACHINE, status=1).out
        self.assertEqual(table.count(" breaks min=0ns in "), 8)
        self.assertRegex(table, r"and 120 rows more break min=0ns, CPUs 8-127: at worst [\d.]+ us\n")

    def test_json_has_every_judgement(self):
        report = self.sweep("--limit", "median=30us,early=0,touch-p99=1us", "-o", "json", status=1).json()
        limits = {limit["limit"]: limit for limit in report["limits"]}
        self.assertEqual(list(limits), ["median=30us", "early=0", "touch-p99=1us"])
        cells = self.cells(report)
        for limit in limits.values():
            judged = {(entry["row"], entry["node"]): entry for entry in limit["judgements"]}
            self.assertEqual(set(judged), set(cells))
            self.assertEqual(limit["cells"], 8)
        for entry in limits["median=30us"]["judgements"]:
            self.assertEqual(entry["value"], cells[entry["row"], entry["node"]]["wake"]["median_ns"])
            self.assertEqual(entry["verdict"], "broken" if entry["row"] == "3" else "kept")
        self.assertEqual(limits["median=30us"]["cells_broken"], 2)
        self.assertEqual({entry["value"] for entry in limits["early=0"]["judgements"]}, {0})
        self.assertEqual({(entry["value"], entry["verdict"]) for entry in limits["touch-p99=1us"]["judgements"]},
                         {(None, "not judged: too few samples")})

    def test_csv_has_them_by_cell(self):
        text = self.sweep("--limit", "median=30us,p99=1ms", "-o", "csv", status=1).out
        for line in csv.DictReader(io.StringIO(text)):
            self.assertEqual(line["limits_broken"], "median=30us" if line["row"] == "3" else "")
            self.assertEqual(line["limits_not_judged"], "p99=1ms")
        table = self.sweep("--limit", "median=30us,mean=30us", "--columns", "cpu,limits", status=1).out
        self.assertRegex(table, r"(?m)^ *3 median=30us mean=30us$")
        self.assertRegex(table, r"(?m)^ *2 -$")

    def test_a_limit_alone_fails_and_fail_on_has_the_last_word(self):
        self.sweep("--limit", "median=1s", status=0)
        self.sweep("--limit", "median=30us", status=1)
        self.sweep("--limit", "median=30us", "--fail-on", "limit", status=1)
        self.sweep("--limit", "median=30us", "--fail-on", "invalid,limit", status=1)
        self.sweep("--limit", "median=30us", "--fail-on", "invalid", status=0)
        self.sweep("--limit", "median=30us", "--fail-on", "none", status=0)

    def test_report_judges_as_recorded_or_as_it_is_told(self):
        file = self.saved("--limit", "median=30us", "--limit", "early=0")
        self.assertIn("limit early=0: broken by 0 of 8 cells", self.report(file, status=1).out)
        told = self.report(file, "--limit", "mean=1s", status=0).out
        self.assertIn("limit mean=1s: broken by 0", told)
        self.assertNotIn("median=30us", told)
        self.assertNotIn("Limits", self.report(file, "--limit", "none", status=0).out)
        self.assertEqual(self.report(file, "-o", "json", status=1).json()["options"]["limit"], "median=30us,early=0")

    def test_merged_files_of_other_limits_say_so(self):
        first = self.saved("--limit", "median=30us")
        second = self.folder / "s.jsonl"
        self.sweep("--save", second, status=0)
        result = self.report(first, second, "--save", self.folder / "both.jsonl", status=1)
        self.assertIn("other --limits", result.err)
        self.assertIn("limit median=30us", self.report(self.folder / "both.jsonl", status=1).out)

    def test_nothing_to_break_is_refused(self):
        file = self.saved(status=0)
        self.assertIn("no limit", self.report(file, "--fail-on", "limit", status=2).err)
        self.report(file, "--fail-on", "limit", "--limit", "median=30us", status=1)
        self.assertIn("no limit", self.sweep("--fail-on", "limit", status=2).err)
        self.assertIn("no touch", self.sweep("--limit", "touch-p90=1us", "--touch", "0", status=2).err)

    def test_configuration_files_add_up_and_the_command_line_replaces(self):
        file = self.folder / "ci.conf"
        file.write_text("limit = median=30us\nlimit = early=0\nfail-on = limit\n")
        table = self.sweep("--config", file, status=1).out
        self.assertIn("limit median=30us: broken by 2", table)
        self.assertIn("limit early=0: broken by 0", table)
        table = self.sweep("--config", file, "--limit", "max=1s", status=0).out
        self.assertNotIn("median=30us", table)
        self.sweep("--config", file, "--limit", "none", status=0)

    def test_messages(self):
        for given, expected in (("p98=1us", 'did you mean "p90"'), ("p99=100", "has no unit"), ("p99", "p99=DURATION"),
                                ("early=1us", '"1us"')):
            result = self.sweep("--limit", given, status=2)
            self.assertRegex(result.err, r"\Anumasweep: error: --limit: .*\n\Z")
            self.assertIn(expected, result.err)


if __name__ == "__main__":
    harness.main()
