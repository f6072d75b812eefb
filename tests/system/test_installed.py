# SPDX-License-Identifier: GPL-3.0-or-later
"""What `cmake --install` puts under a prefix works from there: the program, its profiles, manual and completion."""

import os
import pathlib
import shutil
import subprocess
import unittest

import harness

BUILD = pathlib.Path(harness.NUMASWEEP).resolve().parent.parent
SOURCE = pathlib.Path(__file__).resolve().parents[2]


@unittest.skipUnless(shutil.which("cmake") and (BUILD / "cmake_install.cmake").exists(), "no build tree to install from")
class Installed(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        done = subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(self.prefix)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.program = self.prefix / "bin" / "numasweep"

    def installed(self, *arguments, **options):
        return self.run_program(*arguments, program=self.program, cwd=self.folder, **options)

    def test_every_profile_is_found_and_loads(self):
        names = sorted(path.stem for path in (SOURCE / "configs").glob("*.conf"))
        self.assertGreaterEqual(len(names), 4)
        for name in names:
            with self.subTest(name):
                self.assertTrue((self.prefix / "share/numasweep/configs" / f"{name}.conf").is_file())
                result = self.installed("plan", "--profile", name, "--topology", harness.SEED_MACHINE)
                self.assertEqual((result.status, result.err), (0, ""))

    def test_the_installed_profiles_are_read_not_those_of_the_source_tree(self):
        quick = self.prefix / "share/numasweep/configs/quick.conf"
        quick.write_text("rounds = 0\n")
        result = self.installed("plan", "--profile", "quick")
        self.assertEqual(result.status, 2)
        self.assertIn("quick.conf:1", result.err)
        own = quick.with_name("own.conf")
        own.write_text("rounds = 7\n")
        result = self.installed("plan", "--profile", "own", "-o", "json", "--topology", harness.SMALL_MACHINE)
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(len(result.json()["orders"]), 7)

    def test_unknown_profile_names_those_that_there_are(self):
        result = self.installed("plan", "--profile", "qick")
        self.assertEqual((result.status, result.out), (2, ""))
        self.assertIn("quick", result.err)

    def test_manual_and_completion_are_there(self):
        files = [os.path.relpath(path, self.prefix) for path in self.prefix.rglob("*") if path.is_file()]
        self.assertTrue(any("man/man1/numasweep.1" in file for file in files), files)
        self.assertTrue(any("completion" in file for file in files), files)


if __name__ == "__main__":
    harness.main()
