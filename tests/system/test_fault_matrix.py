# SPDX-License-Identifier: GPL-3.0-or-later
"""Every call by which a sweep touches the world is made to fail, at its first and at later occurrences.

The matrix is generated: a first run tells which calls each process makes, and how often. NUMASWEEP_NIGHTLY=1 tries
every occurrence.
"""

import concurrent.futures
import json
import os
import re
import time
import unittest

import fault_table as table
import harness

# Under the deadlines of 10 s, which would say that something else holds the CPU.
LONGEST_S, LONGEST_WITH_DEADLINE_S = 9.0, 45.0
MOST_OCCURRENCES = 60
CPUS = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:2])
SWEEP = ("-c", CPUS, "-r", "2", "-s", "2", "-w", "0", "-t", "100us", "--touch", "4", "--seed", "1", "-o", "json")
SANITIZER = re.compile(r"AddressSanitizer|runtime error:|UndefinedBehaviorSanitizer")


class Run:
    """One run under one fault, and what is wrong with it."""

    def __init__(self, fault, occurrence, result, log, seconds):
        self.fault = fault
        self.occurrence = str(occurrence)
        self.status = result.status
        self.out = result.out
        self.err = result.err
        self.log = log
        self.seconds = seconds
        self.is_hit = any(line.startswith("hit ") for line in log)
        self.wrong = []
        try:
            self.document = json.loads(self.out) if self.out else None
        except ValueError:
            self.document = None
            self.require(fault.kind == "stdout", "standard output is no JSON")

    def __str__(self):
        return (f"{' '.join(self.fault)} at {self.occurrence}: status {self.status} after {self.seconds:.1f} s: "
                f"{'; '.join(self.wrong)}\n    {self.err.strip()[-300:]}")

    def require(self, condition, text):
        if not condition:
            self.wrong.append(text)
        return condition

    def names_error(self, text):
        """A lie has no errno, hwloc does not tell its own, and stdio forgets one that does not come again."""
        return (self.fault.error.startswith("=") or
                (self.fault.role == table.LOADER and self.fault.call != "write") or
                (self.fault.kind == "stdout" and "+" not in self.occurrence) or
                any(name in text for name in table.names_of(self.fault.error)))

    def check(self):
        has_deadline = self.fault[:2] in table.LONGER
        self.require(self.seconds < (LONGEST_WITH_DEADLINE_S if has_deadline else LONGEST_S), "too slow")
        for line in self.log:
            self.require(not line.startswith(("orphan ", "killed ")), line)
        self.require(not SANITIZER.search(self.err), "the sanitizers found something")
        allowed = {0, 3, 4, 5}
        if table.is_of_the_command_line(self.fault):
            allowed.add(2)
        self.require(self.status in allowed, "no such status")
        if self.fault.error == "EINTR":
            self.require(self.status == 0, "an interruption is no failure")
        if self.status in (2, 5) or (self.status == 3 and self.document is None):
            self.require("numasweep: error: " in self.err, "no error is told")
            self.require(self.names_error(self.err), "the error is not named")
        if self.status in (0, 4):
            self.require(self.document is not None, "no report")
        return self


class SweepRun(Run):
    def cells(self):
        return [cell for row in self.document["tables"][0]["rows"] for cell in row["cells"]]

    def check(self):
        super().check()
        if self.document is not None and not self.wrong:
            self.check_rows()
            self.check_totals()
            self.check_problems()
        return self

    def check_rows(self):
        rows = {row["row"] for row in self.document["tables"][0]["rows"]}
        self.require(rows == set(CPUS.split(",")), f"rows are missing: {rows}")
        for cell in self.cells():
            self.require(cell["state"] == "measured" or cell["problem"], "a gap without a reason")

    def check_totals(self):
        totals = self.document["totals"]
        is_whole = (totals["visits_measured"] == totals["visits_planned"] and totals["rows_unavailable"] == 0)
        self.require((self.status == 0) == is_whole or self.status == 5, "the status is not that of the cells")
        self.require(totals["is_partial"] != is_whole, "is_partial lies")
        if self.status == 4:
            self.require(totals["visits_measured"] + totals["visits_failed"] == totals["visits_planned"],
                         "visits are missing")
            self.require("+" in self.occurrence or totals["visits_failed"] <= 1, "one fault cost several visits")
        if self.status == 3:
            self.require(totals["visits_measured"] == 0, "refused, and yet measured")

    def check_problems(self):
        stage = table.stage_of(self.fault)
        for cell in self.cells():
            if cell["visits_failed"] == 0:
                continue
            self.require(stage is not None and cell["problem"].startswith(stage + ":"),
                         f"another stage than {stage}: {cell['problem']}")
            self.require(self.names_error(cell["problem"]), f"the error is not named: {cell['problem']}")
        warning = table.WARNINGS.get(self.fault.call)
        if (self.status == 0 and self.fault.role == table.WORKER and self.occurrence == "1+" and warning and
                not (self.fault.call == "mlock" and not harness.CAN_LOCK)):
            said = " ".join((self.err, *self.document["validity"], *self.document["warnings"]))
            self.require(warning in said, f"nowhere: {warning}")


@unittest.skipUnless(harness.can_inject(), "this process may not trace another")
class FaultMatrix(harness.TestCase):
    def inject(self, number, words, arguments):
        log = self.folder / f"{number}.log"
        started = time.monotonic()
        result = self.run_program(*arguments, before=(harness.INJECT, "-o", log, *words), timeout=90)
        return result, log.read_text().splitlines(), time.monotonic() - started

    def calls(self, arguments):
        """(role, call, kind) -> how often, and that nothing is wrong without a fault."""
        result, log, _ = self.inject("none", (), arguments)
        self.assertEqual(result.status, 0, result.err)
        counts = {}
        for line in log:
            self.assertTrue(line.startswith("calls "), line)
            _, role, call, kind, count = line.split()
            counts[role, call, kind] = int(count)
        return counts

    def occurrences(self, fault, count):
        if harness.IS_NIGHTLY:
            chosen = range(1, min(count, MOST_OCCURRENCES) + 1)
        else:
            chosen = sorted({1, min(2, count), count // 2 + 1})
        lasting = [f"{first}+" for first in sorted({1, count // 2 + 1})] if table.can_last(fault) else []
        return [*chosen, *lasting]

    def jobs(self, counts, roles):
        return [(fault, occurrence)
                for (role, call, kind), count in counts.items() if role in roles
                for fault in table.faults_of(role, call, kind)
                for occurrence in self.occurrences(fault, count)]

    def run_jobs(self, jobs, run_one):
        with concurrent.futures.ThreadPoolExecutor(max(2, min(4, os.cpu_count() or 2))) as executor:
            runs = list(executor.map(lambda job: run_one(*job), enumerate(jobs)))
        self.judge(runs)

    def judge(self, runs):
        failed = [run for run in runs if run.wrong]
        pairs = {run.fault for run in runs if run.is_hit}
        missed = {run.fault for run in runs} - pairs
        print(f"\n{len(pairs)} call x errno pairs ({len({fault[:3] for fault in pairs})} calls of one process on one "
              f"kind of object) tried in {sum(run.is_hit for run in runs)} runs: "
              f"{len({run.fault for run in failed}) or 'none'} failed", flush=True)
        for run in failed:
            print(f"  FAILED {run}", flush=True)
        self.assertGreater(len(pairs), 0)
        by_chance = {fault for fault in missed if (fault.role, fault.call) in table.BY_CHANCE}
        for fault in sorted(by_chance):
            print(f"  not reached this time: {fault}", flush=True)
        self.assertEqual(missed - by_chance, set(), "never reached")
        self.assertEqual(len(failed), 0)
        self.assert_nothing_left()

    def check_saved(self, run, file):
        """What was measured is in the file, and `numasweep report` says the same of it."""
        lines = file.read_bytes().split(b"\n") if file.exists() else [b""]
        measured = run.document["totals"]["visits_measured"] if run.document else 0
        if len(lines) < 2:
            run.require(measured == 0 or run.status == 5, "visits were not saved")
            return
        visits = sum(json.loads(line)["record"] == "visit" for line in lines if line.endswith(b"}"))
        run.require(visits >= measured, f"{measured} visits measured, {visits} saved")
        result = self.run_program("report", file, "-o", "json")
        run.require(result.status in (0, 3, 4), f"report: status {result.status}: {result.err}")
        if result.out:
            run.require(result.json()["totals"]["visits_measured"] == visits, "report has not all visits")

    def check_sweep(self, arguments, roles):
        counts = self.calls((*arguments, "--save", self.folder / "none.jsonl"))

        def run_one(number, job):
            file = self.folder / f"{number}.jsonl"
            run = SweepRun(*job, *self.inject(number, table.words_for(*job), (*arguments, "--save", file))).check()
            self.check_saved(run, file)
            return run

        self.run_jobs(self.jobs(counts, roles), run_one)

    def check_command(self, arguments):
        def run_one(number, job):
            return Run(*job, *self.inject(number, table.words_for(*job), arguments)).check()

        self.run_jobs(self.jobs(self.calls(arguments), (table.COORDINATOR,)), run_one)

    def test_coordinator_of_a_sweep(self):
        self.check_sweep(SWEEP, (table.COORDINATOR,))

    def test_launcher_of_a_sweep(self):
        self.check_sweep(SWEEP, (table.LAUNCHER,))

    def test_loader_of_a_sweep(self):
        self.check_sweep(SWEEP, (table.LOADER,))

    def test_workers_of_a_sweep(self):
        self.check_sweep(SWEEP, (table.WORKER,))

    def test_workers_at_normal_priority(self):
        self.check_sweep((*SWEEP, "--policy", "other", "--timer-slack", "5us", "--kernel", "clock_nanosleep"),
                         (table.WORKER,))

    def test_check(self):
        self.check_command(("check", "-o", "json"))

    def test_plan(self):
        self.check_command(("plan", "-o", "json"))

    def test_report(self):
        file = self.folder / "r.jsonl"
        self.assertEqual(self.run_program(*SWEEP, "--save", file).status, 0)
        self.check_command(("report", file, "-o", "json"))


if __name__ == "__main__":
    harness.main()
