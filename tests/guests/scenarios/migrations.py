# SPDX-License-Identifier: GPL-3.0-or-later
"""Busy workers on two nodes: pinned ones stay, moves across nodes are seen in both ways, and the limit of cgroups v2
is set, counted and taken away again, also when the program is killed."""

from support import check

MACHINES = ["two_nodes"]
RUN = "numasweep migrations --progress never --duration 2s --runs 2"

SHELL = f"""
hogs() {{
  grep -lx numasweep-hog /proc/[0-9]*/comm 2> /dev/null | cut -d / -f 3 | sort -n
}}
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tracefs tracefs /sys/kernel/tracing
{RUN} --crossings samples -o json:/out/samples.json -o table:/out/table.txt
echo $? > /out/status
{RUN} --crossings tracepoint --pin none,node -o json:/out/trace.json
echo $? >> /out/status
{RUN} --pin cpu --quota 20ms --groups 2 -o json:/out/limit.json
echo $? >> /out/status
cat /sys/fs/cgroup/cgroup.subtree_control > /out/controllers
for crossings in tracepoint samples; do
  {RUN} --pin node --runs 1 --duration 6s --crossings $crossings -o json:/out/breach-$crossings.json 2> /out/breach-$crossings.txt &
  # The workers are read back before the count, which must have begun.
  sleep 3
  taskset -p 8 $(hogs | head -n 1)
  wait $!
  echo $? >> /out/status
done
{RUN} --pin none --quota 20ms --duration 2s --runs 100 -o json &
for i in 1 2 3 4 5; do
  sleep 1
  ls -d /sys/fs/cgroup/numasweep-hogs-* && break
done
kill -9 $!
sleep 3
ls /sys/fs/cgroup | grep -c numasweep > /out/left
hogs | wc -l >> /out/left
cat /sys/fs/cgroup/cgroup.subtree_control >> /out/controllers
"""


def judge(machine, files):
    check.assertEqual(files.text("status").split(), ["0", "0", "0", "4", "4"])
    samples = files.json("samples.json")
    check.assertEqual([series["pin"] for series in samples["series"]], ["none", "cpu", "node"])
    trace = files.json("trace.json")
    for report, source in ((samples, "samples"), (trace, "tracepoint")):
        for series in report["series"]:
            for run in series["runs"]:
                check.assertEqual(run["crossings_from"], source)
                check.assertEqual(run["lost_records"], 0)
                check.assertEqual([node["node"] for node in run["nodes"]], [0, 1])
                check.assertEqual(len(run["workers"]), 2 * machine.cpu_count)
                check.assertGreater(run["cpu_ns"], 0)
                if series["pin"] != "none":
                    check.assertEqual(run["crossings"], 0)
                if series["pin"] == "cpu":
                    check.assertEqual(run["migrations"], 0)
    # Every move that was counted was seen, but for what happened between the last two readings.
    for series in trace["series"]:
        for run in series["runs"]:
            seen = run["crossings"] + sum(node["migrations"] for node in run["nodes"])
            check.assertLessEqual(abs(seen - run["migrations"]), 2 + run["migrations"] // 20, run)
    # Eight workers that start together are spread over both nodes.
    check.assertGreater(trace["series"][0]["migrations"]["max"], 0)
    for run in files.json("limit.json")["series"][1]["runs"]:
        check.assertGreater(run["throttled"], 0)
        check.assertGreater(run["throttled_ns"], 0)
    for crossings in ("tracepoint", "samples"):
        run = files.json(f"breach-{crossings}.json")["series"][0]["runs"][0]
        check.assertIsNotNone(run["breach"])
        check.assertEqual(sum(worker["crossings"] for worker in run["workers"]), 1, run)
        check.assertIn("failed", files.text(f"breach-{crossings}.txt"))
    check.assertIn("ESTIMATE", files.text("table.txt"))
    check.assertEqual(files.text("left").split(), ["0", "0"])
    check.assertEqual(files.text("controllers").split(), [])
