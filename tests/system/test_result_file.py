# SPDX-License-Identifier: GPL-3.0-or-later
"""Saving, reading back, merging; full disks, closed pipes, closed descriptors, other locales."""

import json
import os
import resource
import shutil
import shutil
import subprocess
import unittest

import harness


class ResultFile(harness.TestCase):
    def save(self, name="r.jsonl", *arguments):
        file = self.folder / name
        result = self.replay("-r", "3", "-o", "json", "--save", file, *arguments)
        self.assertEqual(result.status, 0, result.err)
        return file, result

    def report(self, *arguments, **options):
        return self.run_program("report", *arguments, program=harness.REPLAY, **options)

    def test_report_prints_what_the_live_run_printed(self):
        file, live = self.save()
        again = self.report(file, "-o", "json")
        self.assertEqual(again.status, 0, again.err)
        self.assertEqual(again.json(), live.json())
        for output in ("table", "csv", "json"):
            self.assertEqual(self.report(file, "-o", output).status, 0)

    def test_same_seed_gives_the_same_figures(self):
        _, first = self.save("a.jsonl")
        _, second = self.save("b.jsonl")
        self.assertEqual(first.json()["tables"], second.json()["tables"])

    def test_files_of_one_measurement_are_merged(self):
        first, _ = self.save("a.jsonl")
        second, _ = self.save("b.jsonl", "--seed", "2")
        merged = self.folder / "m.jsonl"
        result = self.report(first, second, "-o", "json", "--save", merged)
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json()["rounds"], 6)
        self.assertEqual(result.json()["totals"]["visits_measured"], 48)
        again = self.report(merged, "-o", "json")
        self.assertEqual(again.json()["tables"], result.json()["tables"])

    def test_a_merged_file_is_not_taken_with_its_parts(self):
        first, _ = self.save("a.jsonl")
        second, _ = self.save("b.jsonl", "--seed", "2")
        merged = self.folder / "m.jsonl"
        self.assertEqual(self.report(first, second, "--save", merged).status, 0)
        for part in (first, second):
            result = self.report(merged, part)
            self.assertEqual((result.status, result.out), (2, ""), part)
            self.assertIn("count twice", result.err)

    def test_a_file_named_twice_is_refused(self):
        file, _ = self.save()
        result = self.report(file, file)
        self.assertEqual((result.status, result.out), (2, ""))
        self.assertIn("count twice", result.err)

    def test_files_that_do_not_belong_together_are_refused(self):
        first, _ = self.save("a.jsonl")
        second, _ = self.save("b.jsonl", "-t", "2ms")
        result = self.report(first, second)
        self.assertEqual((result.status, result.out), (2, ""))
        self.assertIn("--timeout", result.err)
        self.assertIn("b.jsonl", result.err)

    def test_what_is_read_is_not_overwritten_by_an_output(self):
        file, _ = self.save()
        before = file.read_bytes()
        link = self.folder / "link"
        link.symlink_to(file)
        for name in (file, link):
            result = self.report(file, "-o", f"json:{name}")
            self.assertEqual((result.status, result.out), (2, ""), result.err)
            self.assertIn("--output", result.err)
            self.assertEqual(file.read_bytes(), before)

    def test_existing_files_are_left_as_they_are(self):
        ours, _ = self.save()
        foreign = self.folder / "notes.txt"
        foreign.write_text("precious")
        for file in (ours, foreign):
            before = file.read_bytes()
            result = self.replay("-r", "1", "--save", file)
            self.assertEqual((result.status, result.out), (2, ""))
            self.assertIn(str(file), result.err)
            self.assertEqual(file.read_bytes(), before)

    def test_bad_files_are_named(self):
        good, _ = self.save()
        header, rest = good.read_text().split("\n", 1)
        bad = {
            "empty": "",
            "foreign": "root:x:0:0\n",
            "later": json.dumps(dict(json.loads(header), schema="numasweep/2")) + "\n" + rest,
            "damaged": header + "\n!" + rest,
        }
        for name, text in bad.items():
            file = self.folder / name
            file.write_text(text)
            result = self.report(file)
            self.assertEqual((result.status, result.out), (2, ""), name)
            self.assertIn(str(file), result.err)
        self.assertIn("numasweep/2", self.report(self.folder / "later").err)
        self.assertEqual(self.report(self.folder).status, 2)
        self.assertEqual(self.report(self.folder / "none").status, 2)
        self.assertEqual(self.report().status, 2)

    def test_cut_files_are_read_as_far_as_they_are_whole(self):
        file, _ = self.save()
        text = file.read_bytes()
        for length in range(len(text) - 3, len(text) - 700, -83):
            cut = self.folder / "cut.jsonl"
            cut.write_bytes(text[:length])
            result = self.report(cut)
            self.assertEqual(result.status, 4)
            self.assertIn("cut", result.err)

    def test_case40_full_disk_is_status_5(self):
        for arguments in (("-o", "csv:/dev/full"), ("--save", "/dev/full")):
            result = self.replay("-r", "1", *arguments)
            self.assertEqual(result.status, 5, arguments)
            self.assertIn("/dev/full", result.err)
        with open("/dev/full", "w", encoding="ascii") as full:
            result = self.replay("-r", "1", stdout=full)
        self.assertEqual(result.status, 5)

    def test_full_disk_while_saving_still_prints_the_table(self):
        file = self.folder / "r.jsonl"
        limit = 65536
        result = self.replay("-r", "50", "--save", file, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(result.status, 5)
        self.assertIn(str(file), result.err)
        self.assertIn("ALL CELLS", result.out)
        self.assertLessEqual(file.stat().st_size, limit)
        self.assertEqual(self.report(file).status, 4)

    def test_full_disk_within_the_header_leaves_no_half_line(self):
        file = self.folder / "r.jsonl"
        result = self.replay("-r", "1", "--save", file, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(result.status, 5)
        self.assertIn("nothing was saved", result.err)
        self.assertEqual(file.stat().st_size, 0)

    @unittest.skipIf(shutil.which("strace") is None, "strace is not installed")
    def test_want_of_descriptors_is_no_fault_of_the_name(self):
        file = self.folder / "r.jsonl"
        result = self.replay("-r", "1", "--save", file, before=(
            "strace", "-f", "-o", "/dev/null", "-P", file, "-e", "inject=openat:error=EMFILE"))
        self.assertEqual((result.status, result.out), (5, ""))
        self.assertIn("Too many open files", result.err)

    def test_case40_closed_pipe_is_status_5(self):
        for arguments in (("--help",), ("plan", "-r", "200", "-o", "csv"), ("topology",)):
            reader, writer = os.pipe()
            os.close(reader)
            result = self.run_program(*arguments, stdout=writer)
            os.close(writer)
            self.assertEqual(result.status, 5, arguments)

    def test_closed_descriptors_do_no_harm(self):
        file = self.folder / "r.jsonl"
        command = (f'exec "{harness.REPLAY}" --kernel replay --topology "{harness.SMALL_MACHINE}" -r 1 '
                   f'--seed 1 --save "{file}" --progress always')
        for closing in ("2>&-", "0<&-", "0<&- 2>&-"):
            file.unlink(missing_ok=True)
            done = subprocess.run(["sh", "-c", f"{command} {closing}"], env=self.environment, timeout=60,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, closing)
            for line in file.read_text().splitlines():
                json.loads(line)
        file.unlink()
        done = subprocess.run(["sh", "-c", f"{command} >&-"], env=self.environment, timeout=60,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 5)
        for line in file.read_text().splitlines():
            json.loads(line)

    def test_several_outputs_at_once(self):
        csv, document = self.folder / "a.csv", self.folder / "b.json"
        result = self.replay("-r", "1", "-o", f"csv:{csv}", "-o", f"json:{document}", "-o", "table")
        self.assertEqual(result.status, 0)
        self.assertEqual(len(csv.read_text().splitlines()), 1 + 8)
        self.assertEqual(json.loads(document.read_text())["schema"], "numasweep-report/1")
        self.assertIn("ALL CELLS", result.out)

    def test_unwritable_outputs_are_refused_before_measuring(self):
        saved = self.folder / "r.jsonl"
        result = self.replay("-r", "1", "-o", f"csv:{self.folder}/none/a.csv", "--save", saved)
        self.assertEqual((result.status, result.out), (2, ""))
        self.assertFalse(saved.exists())

    def test_case40_locale_changes_no_figure(self):
        file, _ = self.save()
        expected = self.report(file, "-o", "csv").out
        for locale in ("C", "POSIX", "de_DE.UTF-8", "en_DK.UTF-8"):
            self.assertEqual(self.report(file, "-o", "csv", env={"LC_ALL": locale}).out, expected)
            self.assertTrue(self.report(file, env={"LC_ALL": locale}).out.isascii() or locale != "C")

    def test_case40_comma_locale_changes_no_figure(self):
        """The locale is made here, since few machines have it: then a C library that used it would print commas."""
        made = None
        if shutil.which("localedef") is not None:
            made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.folder / "de_DE.UTF-8"], check=False,
                                  capture_output=True)
        # 1: made, with warnings.
        if made is None or made.returncode not in (0, 1) or not (self.folder / "de_DE.UTF-8").exists():
            self.skipTest("localedef, or the sources of de_DE (package locales), are missing")
        comma = {"LOCPATH": str(self.folder), "LC_ALL": "de_DE.UTF-8"}
        shown = subprocess.run(["locale", "decimal_point"], env=dict(os.environ, **comma), capture_output=True,
                               text=True, check=False)
        self.assertEqual(shown.stdout.strip(), ",")
        file, _ = self.save()
        for output in ("table", "csv", "json"):
            self.assertEqual(self.report(file, "-o", output, env=comma).out, self.report(file, "-o", output).out)
        saved = self.folder / "comma.jsonl"
        self.assertEqual(self.replay("-r", "3", "-o", "json", "--save", saved, env=comma).status, 0)
        self.assertEqual(self.report(saved, "-o", "csv").out, self.report(file, "-o", "csv").out)

    def test_case40_narrow_table_loses_nothing(self):
        result = self.replay("-r", "1", machine=harness.SEED_MACHINE, env={"COLUMNS": "40"})
        self.assertEqual(result.status, 0)
        for node in range(8):
            self.assertIn(f"node{node}", result.out)


if __name__ == "__main__":
    harness.main()
