# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole sweeps of machines that are not here, with figures made from the seed."""

import csv
import io
import unittest

import harness


class SweepReplay(harness.TestCase):
    def sweep(self, *arguments, machine=harness.SEED_MACHINE, status=0, **options):
        result = self.replay("-r", "2", *arguments, machine=machine, **options)
        self.assertEqual(result.status, status, result.err)
        return result

    def test_memory_that_is_not_bound_has_no_distances_to_know(self):
        result = self.replay("-r", "1", "--nodes", "none", "-o", "table")
        self.assertEqual(result.status, 0, result.err)
        self.assertIn("Node by node", result.out)
        self.assertNotIn("not known", result.out)

    def test_every_cpu_and_node_is_there_in_every_format(self):
        report = self.sweep("-o", "json").json()
        cells = self.cells(report)
        self.assertEqual(set(cells), {(str(cpu), node) for cpu in range(128) for node in range(8)})
        for (row, node), cell in cells.items():
            is_local = int(row) // 8 % 8 == node
            self.assertEqual(cell["is_local"], is_local)
            self.assertEqual(cell["touch"]["median_ns"] < 7000, is_local)
            self.assertEqual(cell["wake"]["samples"], 50)
        lines = list(csv.DictReader(io.StringIO(self.sweep("-o", "csv").out)))
        self.assertEqual(len(lines), 1024)
        for line in lines:
            cell = cells[line["row"], int(line["memory_node"])]
            self.assertEqual(float(line["wake_median_ns"]), cell["wake"]["median_ns"])
        table = self.sweep().out
        for cpu in range(128):
            self.assertRegex(table, rf"(?m)^ *{cpu} +{cpu // 8 % 8} ")
        self.assertIn("1024 of 1024 cells measured in 2048 of 2048 visits", table)

    def test_slow_cpu_stands_out_and_its_neighbours_do_not(self):
        report = self.sweep("-o", "json", plan="slow:77").json()
        for label, row in self.rows(report).items():
            self.assertEqual(row["wake"]["median_ns"] > 50000, label == "77")

    def test_sibling_of_cpu_64_is_cpu_0_in_node_0(self):
        row = self.rows(self.sweep("-o", "json").json())["64"]
        self.assertEqual((row["siblings"], row["node"], row["package"]), ("0", 0, 0))

    def test_rows_of_every_level(self):
        for level, count in (("pu", 128), ("core", 64), ("node", 8), ("package", 8), ("machine", 1)):
            report = self.sweep("--by", level, "-o", "json").json()
            self.assertEqual(len({row for row, _ in self.cells(report)}), count, level)
            self.assertFalse(report["totals"]["is_partial"])

    def test_columns_of_every_selection(self):
        for nodes, expected in (("all", 1024), ("local", 128), ("none", 128), ("0,7", 256)):
            report = self.sweep("-n", nodes, "-o", "json").json()
            self.assertEqual(report["totals"]["cells_measured"], expected, nodes)

    def test_concurrency_changes_no_figure(self):
        machine = "pack:4 [numa(memory=8GB)] l3:2 core:2 pu:2"
        expected = self.sweep("-o", "json", machine=machine).json()["tables"]
        for concurrent in ("package", "node", "l3", "core", "all"):
            tables = self.sweep("-o", "json", "--concurrent", concurrent, machine=machine).json()["tables"]
            self.assertEqual(tables, expected, concurrent)
            self.assert_nothing_left()

    def test_several_timeouts_give_several_tables(self):
        report = self.sweep("-t", "100us,1ms,10ms", "-c", "0-3", "-o", "json").json()
        self.assertEqual([table["timeout_ns"] for table in report["tables"]], [100000, 1000000, 10000000])

    def test_figure_metric_and_columns(self):
        both = self.sweep("-c", "0").out
        self.assertRegex(both, r"\*\d\.\d\d/6\.\d\d")
        self.assertNotIn("/", self.sweep("-c", "0", "--figure", "wake").out.split("ALL CELLS")[0].split("\n", 3)[3])
        self.assertIn("max of", self.sweep("-c", "0", "--metric", "max").out)
        lines = self.sweep("-c", "0-1", "--columns", "cpu,median,status", "--no-headings").out.splitlines()
        self.assertRegex("\n".join(lines), r"(?m)^ *1 +\d+\.\d+ ok$")

    def test_progress_only_when_asked_for(self):
        self.assertEqual(self.sweep().err, "")
        self.assertEqual(self.sweep("--progress", "never").err, "")
        self.assertIn("2048 visits", self.sweep("--progress", "always").err)

    def test_colour_only_when_asked_for(self):
        self.assertNotIn("\x1b", self.sweep("-c", "0").out)
        self.assertIn("\x1b", self.sweep("-c", "0", "--color", "always").out)
        self.assertNotIn("\x1b", self.sweep("-c", "0", env={"NO_COLOR": "1"}).out)

    def test_profiles(self):
        for profile in ("quick", "thorough", "local-vs-remote", "seed"):
            plan = self.run_program("plan", "--profile", profile, "--topology", harness.SEED_MACHINE, "-o", "json")
            self.assertEqual(plan.status, 0, plan.err)
            if profile == "quick":
                self.assertLessEqual(plan.json()["predicted_duration_ns"], 60 * 10**9)
            if profile == "seed":
                cells = plan.json()["cells"]
                self.assertEqual([cell["cpu"] for cell in cells], list(range(0, 128, 4)))
                self.assertEqual({(cell["node"], cell["timeout_ns"]) for cell in cells}, {(None, 1000000)})


class CapturedMachines(harness.TestCase):
    def test_every_captured_machine_is_planned_shown_and_swept(self):
        index = harness.SHARED / "topologies" / "index.tsv"
        if not index.exists():
            self.skipTest(f"{index} is not there")
        with index.open(encoding="utf-8") as file:
            machines = list(csv.DictReader(file, delimiter="\t"))
        self.assertGreater(len(machines), 20)
        for machine in machines:
            with self.subTest(machine["id"]):
                file = str(index.parent / machine["xmlfile"])
                for command in ("plan", "topology"):
                    for output in ("table", "csv", "json"):
                        result = self.run_program(command, "--topology", file, "-o", output,
                                                  *(("-r", "1") if command == "plan" else ()))
                        self.assertEqual((result.status, result.err), (0, ""), (command, output))
                count = int(machine["pus"])
                # A fork for each of thousands of CPUs shows no more than one for each sixteenth.
                selection = ("-c", "all:16") if count > 1000 else ()
                result = self.replay(*selection, "-r", "1", "-n", "none", "-s", "6", "-o", "json", machine=file)
                report = result.json()
                measured = {int(row) for row, _ in self.cells(report)}
                shown = {row["cpu"] for row in report["tables"][0]["rows"]}
                self.assertEqual(len(shown), int(machine["complete_pus"]))
                self.assertEqual(len(measured), count // 16 if selection else count)
                self.assertEqual(result.status, 0)


if __name__ == "__main__":
    harness.main()
