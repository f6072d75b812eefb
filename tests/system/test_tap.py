# SPDX-License-Identifier: GPL-3.0-or-later
"""The format tap as a test harness reads it."""

import re
import shutil
import subprocess

import harness


def parse(text):
    """Number -> (is_ok, description, skip reason or None, lines of the block); raises on what is no TAP."""
    lines = text.split("\n")
    assert lines.pop() == "", "the last line is cut"
    assert lines[0] == "TAP version 13", lines[0]
    planned = int(re.fullmatch(r"1\.\.(\d+)", lines[1]).group(1))
    points = {}
    block = None
    for line in lines[2:]:
        if block is not None:
            if line == "  ...":
                block = None
                continue
            assert line.startswith("  "), line
            block.append(line[2:])
        elif line == "  ---":
            block = points[len(points)][3]
        elif not line.startswith("#"):
            match = re.fullmatch(r"(not )?ok (\d+) - ((?:[^\\#]|\\.)*?)(?: # SKIP (.*))?", line)
            assert match and int(match.group(2)) == len(points) + 1, line
            points[len(points) + 1] = (match.group(1) is None, match.group(3), match.group(4), [])
    assert block is None and len(points) == planned, (len(points), planned)
    return points


def check_yaml(lines):
    """The small part of YAML that is written: scalars, one level of mappings, lists of scalars or mappings."""
    scalar = r'(?:"(?:[^"\\]|\\["\\])*"|-?\d+(?:\.\d+)?|true|false|\[\])'
    allowed = {0: rf"[\w.]+:(?: {scalar})?", 2: rf"(?:- (?:[\w.]+: )?{scalar}|[\w.]+: {scalar})",
               4: rf"[\w.]+: {scalar}"}
    keys = []
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        assert indent in allowed and re.fullmatch(allowed[indent], line.lstrip(" ")), line
        if indent == 0:
            keys.append(line.split(":")[0])
    assert len(keys) == len(set(keys)), keys
    return keys


class Tap(harness.TestCase):
    def sweep(self, *arguments, status=0, **options):
        result = self.replay("-r", "2", "-o", "tap", *arguments, **options)
        self.assertEqual(result.status, status, result.err)
        return result.out

    def prove(self, text):
        """Status and output of prove(1)."""
        if shutil.which("prove") is None:
            self.skipTest("prove is not there")
        file = self.folder / "sweep.tap"
        file.write_text(text, encoding="utf-8")
        result = subprocess.run(["prove", "-e", "cat", str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, timeout=60, check=False)
        return result.returncode, result.stdout

    def test_every_row_of_every_table(self):
        points = parse(self.sweep("-t", "1ms,10ms", machine=harness.SEED_MACHINE))
        self.assertEqual(len(points), 256)
        self.assertEqual(points[1][:3], (True, "CPU 0, timeout 1ms", None))
        self.assertEqual(points[256][:3], (True, "CPU 127, timeout 10ms", None))
        for point in points.values():
            keys = check_yaml(point[3])
            self.assertLessEqual({"row", "cpus", "timeout_us", "status", "problems", "wake_us", "touch_us", "early",
                                  "cells"}, set(keys))

    def test_wider_rows(self):
        points = parse(self.sweep("--by", "node"))
        self.assertEqual([point[1] for point in points.values()], ["node 0, timeout 1ms", "node 1, timeout 1ms"])

    def test_figures_are_those_of_json(self):
        file = self.folder / "r.jsonl"
        points = parse(self.sweep("--save", file))
        rows = self.rows(self.run_program("report", file, "-o", "json").json())
        self.assertEqual(points, parse(self.run_program("report", file, "-o", "tap").out))
        for number, (label, row) in enumerate(rows.items(), 1):
            block = "\n".join(points[number][3])
            self.assertIn(f'row: "{label}"', block)
            match = re.search(r"(?m)^wake_us:\n  samples: (\d+)\n  median: ([\d.]+)$", block)
            self.assertEqual(int(match.group(1)), row["wake"]["samples"])
            self.assertAlmostEqual(float(match.group(2)) * 1000, row["wake"]["median_ns"], places=3)

    def test_rows_left_out_are_skipped(self):
        points = parse(self.sweep("-c", "0,2"))
        self.assertEqual([point[2] is not None for point in points.values()], [False, True, False, True])
        self.assertTrue(all(point[0] for point in points.values()))

    def test_what_fails(self):
        points = parse(self.sweep("--limit", "median=30us", plan="slow:3", status=1))
        self.assertEqual([point[0] for point in points.values()], [True, True, True, False])
        self.assertIn('limits_broken: "median=30us"', points[4][3])
        points = parse(self.sweep(plan="crash:2", status=4))
        self.assertEqual([point[0] for point in points.values()], [True, True, False, True])
        check_yaml(points[3][3])

    def test_what_is_flagged_as_slow_fails(self):
        points = parse(self.sweep("-r", "12", "-n", "none", "--touch", "0", plan="slow:3"))
        self.assertEqual([point[0] for point in points.values()], [True, True, True, False])
        self.assertRegex("\n".join(points[4][3]), r'(?m)^  - "flagged as slow: CPU 3 is ')
        check_yaml(points[4][3])

    def test_prove_agrees(self):
        status, out = self.prove(self.sweep("-c", "0-2"))
        self.assertEqual(status, 0, out)
        self.assertIn("Result: PASS", out)
        status, out = self.prove(self.sweep("--limit", "median=30us", plan="slow:3", status=1))
        self.assertEqual(status, 1, out)
        self.assertIn("Failed test:  4", out)
        self.assertNotIn("Parse errors", out)
        status, out = self.prove(self.sweep("-c", "0-2").rsplit("ok 4", 1)[0])
        self.assertIn("Parse errors", out, "a cut stream must not pass")

    def test_what_is_no_sweep_is_refused(self):
        for command in ("plan", "topology", "check"):
            result = self.run_program(command, "-o", "tap")
            self.assertEqual((result.status, result.out), (2, ""))
            self.assertIn("'tap' cannot show this", result.err)


if __name__ == "__main__":
    harness.main()
