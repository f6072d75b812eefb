# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to a report in JSON."""


def rows(report, table=0):
    return {row["row"]: row for row in report["tables"][table]["rows"]}


def cells(report, table=0):
    """(row label, node) -> cell."""
    return {(row["row"], cell["node"]): cell
            for row in report["tables"][table]["rows"] for cell in row["cells"]}


def swept(report):
    """Label -> status of the rows that were to be measured."""
    return {label: row["status"] for label, row in rows(report).items() if row["state"] == "planned"}


def wake_medians(report):
    """CPU -> median overshoot in ns."""
    return {row["cpu"]: row["wake"]["median_ns"] for row in report["tables"][0]["rows"]}


def environment(report, name):
    return next((entry["value"] for entry in report["environment"] if entry["name"] == name), None)


def validity(report, start):
    return next((line for line in report["validity"] if line.startswith(start)), "")


def check_whole(check, machine, report, policy="SCHED_FIFO 50"):
    """Every CPU is there, each cell is measured, pinned and bound, and all of it was read back."""
    found = rows(report)
    check.assertEqual([int(label) for label in found], sorted(machine.cpus + machine.offline))
    for cpu in machine.offline:
        check.assertEqual((found[str(cpu)]["status"], found[str(cpu)]["wake"]["samples"]), ("offline", 0))
    for cpu in machine.cpus:
        row = found[str(cpu)]
        check.assertEqual(row["status"], "ok", row)
        check.assertEqual(row["node"], machine.node_of[cpu], row)
        check.assertEqual([cell["node"] for cell in row["cells"]], machine.memory_nodes)
    for place, cell in cells(report).items():
        if int(place[0]) in machine.offline:
            continue
        check.assertEqual(cell["state"], "measured", (place, cell))
        check.assertEqual(cell["visits_measured"], report["rounds"], (place, cell))
        check.assertEqual((cell["elsewhere"], cell["unproved"], cell["early"]), (0, 0, 0), (place, cell))
        check.assertEqual(cell["policy"], policy, (place, cell))
    check_proofs(check, report)


def check_proofs(check, report):
    visits = report["totals"]["visits_measured"]
    check.assertIn(f"mask read back before and after in all {visits} visits", validity(report, "pinning"))
    check.assertIn(" 0 taken elsewhere", validity(report, "pinning"))
    check.assertIn(f"bound in all {visits} visits, every page on its node in all {visits} visits",
                   validity(report, "memory"))
