# SPDX-License-Identifier: GPL-3.0-or-later
"""Node 1 is full: nobody else is killed for the workers that want memory there, its cells say why they are missing, and
the other column is whole."""

from support import check
from support.report import cells, rows

MACHINES = ["small_node"]

# The file system promises more than node 1 has, so that Linux kills whoever fills it: that has to be dd, not the shell,
# nor anybody else before the program has its turn.
SHELL = """
mkdir /full
mount -t tmpfs -o size=90%,mpol=bind:1 tmpfs /full
sleep 1000 &
sh -c 'echo 1000 > /proc/self/oom_score_adj; exec dd if=/dev/zero of=/full/filler bs=64k'
grep MemFree /sys/devices/system/node/node1/meminfo
numasweep --progress never --seed 1 --rounds 2 --samples 8 --touch 4096 -o json:/out/report.json -o table
echo $? > /out/status
kill -0 $! && echo alive > /out/bystander
dmesg | grep -i -E 'out of memory|oom' | tail -n 5
"""


def judge(machine, files):
    report = files.json("report.json")
    check.assertEqual([row["cpu"] for row in rows(report).values()], machine.cpus)
    for (_, node), cell in cells(report).items():
        if node == 0:
            check.assertEqual((cell["state"], cell["visits_failed"]), ("measured", 0), cell)
            continue
        check.assertGreater(cell["visits_failed"], 0, cell)
        check.assertRegex(cell["problem"], "(?i)memory")
    check.assertEqual(files.text("status"), "4\n")
    check.assertEqual(files.text("bystander"), "alive\n")
