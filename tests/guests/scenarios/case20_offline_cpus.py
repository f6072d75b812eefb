# SPDX-License-Identifier: GPL-3.0-or-later
"""A CPU that is asked for and offline has a row that says so; one that does not exist is another matter."""

from support import check
from support.report import check_whole, rows

MACHINES = ["offline_cpus"]

SHELL = """
numasweep --seed 1 --rounds 2 --samples 8 -o json:/out/all.json
echo $? > /out/all-status
numasweep --seed 1 --rounds 2 --samples 8 -c 1,2 -o json:/out/asked.json 2>/out/asked.err
echo $? > /out/asked-status
numasweep --seed 1 --rounds 2 --samples 8 -c 2,3 -o json:/out/only.json 2>/out/only.err
echo $? > /out/only-status
numasweep --seed 1 --rounds 2 --samples 8 -c 1,77 -o json:/out/absent.json 2>/out/absent.err
echo $? > /out/absent-status
"""


def judge(machine, files):
    check_whole(check, machine, files.json("all.json"))
    check.assertEqual(files.text("all-status"), "0\n")
    asked = rows(files.json("asked.json"))
    check.assertEqual((asked["1"]["status"], asked["2"]["status"]), ("ok", "offline"))
    check.assertNotIn("offline", asked["3"]["status"] + asked["0"]["status"])
    check.assertEqual(files.text("asked-status"), "4\n")
    check.assertEqual(files.text("only-status"), "3\n", files.text("only.err"))
    check.assertEqual(rows(files.json("only.json"))["3"]["status"], "offline")
    check.assertEqual(files.text("absent-status"), "2\n")
    check.assertIn("CPU 77 does not exist", files.text("absent.err"))
