# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of other programs, from CSV."""

import json
import pathlib

import harness

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
HEADING = "round,cpu,node,requested_ns,elapsed_ns,touch_ns"


class Import(harness.TestCase):
    def imports(self, text, *arguments, machine=harness.SMALL_MACHINE):
        file = self.folder / "samples.csv"
        file.write_text(text, encoding="utf-8")
        return self.run_program("import", file, "--topology", machine, *arguments)

    def sweep(self, rounds=3, node=None, touch=True):
        """Wake is 1000 x (CPU + 1) + the sample's number, worse by 500 on the other node."""
        lines = [HEADING]
        for number in range(rounds * 2):
            for cpu in range(4):
                for memory in (0, 1) if node is None else (node,):
                    wake = 1000 * (cpu + 1) + number + (500 if memory != cpu // 2 else 0)
                    lines.append(f"{number % rounds + 1},{cpu},{memory},1000000,{1000000 + wake},"
                                 f"{7 if touch else ''}")
        return "\n".join(lines) + "\n"

    def test_figures_are_those_of_the_file(self):
        result = self.imports(self.sweep(), "-o", "json")
        self.assertEqual((result.status, result.err), (0, ""))
        report = result.json()
        self.assertEqual(report["rounds"], 3)
        self.assertEqual(report["totals"]["visits_measured"], 24)
        for (row, node), cell in self.cells(report).items():
            worse = 500 if node != int(row) // 2 else 0
            self.assertEqual(cell["wake"]["samples"], 6)
            self.assertEqual(cell["wake"]["min_ns"], 1000 * (int(row) + 1) + worse)
            self.assertEqual(cell["wake"]["max_ns"], 1000 * (int(row) + 1) + worse + 5)
            self.assertEqual(cell["touch"]["median_ns"], 7)
            self.assertEqual((cell["policy"], cell["unproved"]), (None, 0))

    def test_nothing_is_claimed_of_the_placement(self):
        result = self.imports(self.sweep())
        self.assertIn("samples.csv, timeout 1ms", result.out)
        self.assertIn("policy, pinning, memory and clock are not known", result.out.replace("\n    ", " "))
        for word in ("pselect", "not proved", "SCHED_", "read back", "Warning"):
            self.assertNotIn(word, result.out)

    def test_a_saved_import_reads_the_same(self):
        saved = self.folder / "r.jsonl"
        first = self.imports(self.sweep(), "-o", "json", "--save", saved)
        again = self.run_program("report", saved, "-o", "json")
        self.assertEqual(again.status, 0, again.err)
        self.assertEqual(again.json(), first.json())
        visit = json.loads(saved.read_text(encoding="utf-8").splitlines()[1])
        self.assertEqual(visit["placement"]["policy_name"], "policy unknown")
        for output in ("table", "csv"):
            self.assertEqual(self.run_program("report", saved, "-o", output).status, 0)

    def test_imported_and_measured_are_not_merged(self):
        imported, measured = self.folder / "i.jsonl", self.folder / "m.jsonl"
        self.imports(self.sweep(), "--save", imported)
        self.assertEqual(self.replay("--save", measured).status, 0)
        result = self.run_program("report", imported, measured)
        self.assertEqual((result.status, result.out), (2, ""))

    def test_columns_are_the_nodes_of_the_file(self):
        for node, label in (("", None), ("-1", None), (1, 1)):
            report = self.imports(self.sweep(node=node) if node == 1 else
                                  f"{HEADING}\n1,2,{node},1000,1500,\n", "-o", "json")
            self.assertEqual(report.status, 0, report.err)
            self.assertEqual([column["node"] for column in report.json()["columns"]], [label])

    def test_a_cell_that_the_file_lacks_is_missing(self):
        lines = self.sweep().splitlines(keepends=True)
        result = self.imports("".join(line for line in lines if not line.startswith(("1,3,0", "2,3,0", "3,3,0"))),
                              "-o", "json")
        self.assertEqual(result.status, 4)
        self.assertEqual(result.json()["totals"]["cells_missing"], 1)

    def test_standard_input_and_requested_times_that_vary(self):
        text = f"{HEADING}\n1,0,0,900000,900100,\n1,0,0,1000000,1000200,\n1,0,0,1200000,1199999,\n"
        process = self.folder / "stdin.csv"
        process.write_text(text, encoding="utf-8")
        result = self.run_program("sh", "-c", '"$0" import - -o json --topology "$1" < "$2"', harness.NUMASWEEP,
                                  harness.SMALL_MACHINE, process, program="/usr/bin/env")
        self.assertEqual(result.status, 0, result.err)
        report = result.json()
        self.assertEqual(report["imported_from"], "standard input")
        self.assertEqual(report["tables"][0]["timeout_ns"], 1000000)
        cell = self.cells(report)[("0", 0)]
        self.assertEqual((cell["wake"]["min_ns"], cell["wake"]["max_ns"], cell["early"]), (-1, 200, 1))

    def test_the_seed_sweep_shows_its_figures(self):
        lines = (DATA / "x3950-sweep.tsv").read_text(encoding="utf-8").splitlines()[1:]
        result = self.run_program("import", DATA / "x3950-samples.csv", "--topology", harness.SEED_MACHINE,
                                  "-o", "table", "-o", f"json:{self.folder / 'r.json'}")
        self.assertEqual(result.status, 0, result.err)
        cells = self.cells(json.loads((self.folder / "r.json").read_text(encoding="utf-8")))
        self.assertEqual(len(lines), 32)
        self.assertEqual(len(cells), 32)
        for line in lines:
            cpu, node, low, high, median = line.split("\t")[:5]
            wake = cells[(cpu, int(node))]["wake"]
            self.assertEqual([wake["min_ns"], wake["median_ns"], wake["max_ns"]],
                             [1000 * (int(value) - 1000) for value in (low, median, high)])
        for position, subject in enumerate(("core 0 (CPUs 0,64)", "CPU 24", "CPU 28", "core 4 (CPUs 4,68)"), 1):
            self.assertIn(f"{position}. {subject} stands out, not confirmed", result.out)
        self.assertIn("Not judged: one round", result.out)
        self.assertIn("Local against remote cannot be shown", result.out)


if __name__ == "__main__":
    harness.main()
