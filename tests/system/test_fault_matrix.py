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
SWEEP = ("-c", CPUS, "-r", "2", "-s", "2", "-w", "0", "-t", "2ms", "--touch", "4", "--seed", "1", "-o", "json")
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
        self.hits = [line.split(" ", 5) for line in log if line.startswith("hit ")]
        self.is_hit = bool(self.hits)
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
        """A lie has no errno, and hwloc does not tell its own."""
        return (self.fault.error.startswith("=") or
                (self.fault.role == table.LOADER and self.fault.call != "write") or
                any(name in text for name in table.names_of(self.fault.error, self.fault.call)))

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


# What a second run would find changed.
VOLATILE = ("load_average", "clock_read_ns")


def facts_of(document):
    """What a sweep says of the machine: the same, whatever fails, or it says what it could not read."""
    facts = {"topology": document["topology"]}
    facts.update({f"column {column['node']}": column for column in document["columns"]})
    facts.update({f"environment {fact['name']}": fact["value"] for fact in document["environment"]
                  if fact["name"] not in VOLATILE})
    for row in document["tables"][0]["rows"]:
        for key in ("cpu", "cpus", "node", "package", "l3", "core", "siblings", "kind", "nearest_node"):
            facts[f"row {row['row']} {key}"] = row[key]
        for cell in row["cells"]:
            facts[f"cell {row['row']} {cell['node']} is local"] = cell["is_local"]
    for pair in document["tables"][0]["matrix"]:
        facts[f"distance {pair['cpu_node']} {pair['memory_node']}"] = pair["distance"]
    return facts


class SweepRun(Run):
    def cells(self):
        return [cell for row in self.document["tables"][0]["rows"] for cell in row["cells"]]

    def check_sweep(self, unharmed):
        self.check()
        if self.document is not None and not self.wrong:
            self.check_rows()
            self.check_totals()
            self.check_problems()
            if self.status in (0, 4):
                self.check_facts(facts_of(unharmed), facts_of(self.document))
            if self.fault.role == table.WORKER and self.is_hit and self.status == 0:
                self.check_told()
        return self

    def said(self):
        return "\n".join((self.err, *self.document["validity"], *self.document["warnings"]))

    def check_facts(self, unharmed, facts):
        """A file that is said not to be there, or to be empty, may change a fact of the environment unsaid."""
        is_lie = self.fault.error in ("ENOENT", "=0")
        for name in unharmed.keys() | facts.keys():
            before, now = unharmed.get(name), facts.get(name)
            if name.startswith("environment "):
                is_told = is_lie or re.search("could not be|could be read|not readable|unreadable|^no: ", str(now))
            else:
                is_told = "topology: " in self.said() or (is_lie and self.status == 4)
            self.require(before == now or is_told, f"{name} was {before}, is {now}, and nothing is said of it")

    def check_told(self):
        text = table.TOLD.get((self.fault.call, self.fault.kind))
        if table.is_untold(self.fault, self.occurrence, [hit[5] if len(hit) > 5 else "" for hit in self.hits]):
            return
        if self.fault.call == "mlock" and not harness.CAN_LOCK:
            return
        if (self.fault.kind, self.fault.error) in (("sys", "ENOENT"), ("proc", "=0"), ("sys", "=0")):
            return  # what Linux does not have is no gap, and the end of a file comes anyway
        self.require(text is not None and re.search(text, self.said()),
                     f"neither a visit lost nor a word said ({text}) of {self.hits[0]}")

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


@unittest.skipUnless(harness.can_inject(), "this process may not trace another")
class FaultMatrix(harness.TestCase):
    pairs = set()
    failed_pairs = set()
    run_count = 0

    @classmethod
    def tearDownClass(cls):
        print(f"\nfault matrix: {len(cls.pairs)} call x errno pairs tried in {cls.run_count} runs: "
              f"{len(cls.failed_pairs) or 'none'} failed", flush=True)

    def inject(self, number, words, arguments):
        log = self.folder / f"{number}.log"
        started = time.monotonic()
        result = self.run_program(*arguments, before=(harness.INJECT, "-o", log, *words), timeout=90)
        return result, log.read_text().splitlines(), time.monotonic() - started

    def calls(self, arguments):
        """(role, call, kind) -> how often, what is printed, and that nothing is wrong without a fault."""
        result, log, _ = self.inject("none", (), arguments)
        self.assertEqual(result.status, 0, result.err)
        counts = {}
        for line in log:
            # "unknown": the program makes a call that neither is made to fail nor has a reason in inject_calls.c.
            self.assertTrue(line.startswith("calls "), line)
            _, role, call, kind, count = line.split()
            self.assertTrue(call in table.ERRORS, f"no error is known for {call}")
            counts[role, call, kind] = int(count)
        return counts, result.out

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
        # The same fault of another command is another pair.
        self.pairs.update((self.id(), fault) for fault in pairs)
        self.failed_pairs.update((self.id(), run.fault) for run in failed)
        FaultMatrix.run_count += sum(run.is_hit for run in runs)
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
        counts, out = self.calls((*arguments, "--save", self.folder / "none.jsonl"))
        unharmed = json.loads(out)

        def run_one(number, job):
            file = self.folder / f"{number}.jsonl"
            run = SweepRun(*job, *self.inject(number, table.words_for(*job), (*arguments, "--save", file)))
            run.check_sweep(unharmed)
            self.check_saved(run, file)
            return run

        self.run_jobs(self.jobs(counts, roles), run_one)

    def check_command(self, arguments, roles=(table.COORDINATOR,), kind=None):
        def run_one(number, job):
            return Run(*job, *self.inject(number, table.words_for(*job), arguments)).check()

        counts = {call: count for call, count in self.calls(arguments)[0].items() if kind in (None, call[2])}
        self.run_jobs(self.jobs(counts, roles), run_one)

    def saved_sweep(self, name="r.jsonl"):
        file = self.folder / name
        result = self.run_program(*SWEEP, "--save", file)
        self.assertEqual(result.status, 0, result.err)
        return file

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

    def test_topology(self):
        self.check_command(("topology", "-o", "json"), (table.COORDINATOR, table.LOADER))

    def test_report(self):
        self.check_command(("report", self.saved_sweep(), "-o", "json"))

    def test_compare(self):
        self.check_command(("compare", self.saved_sweep("a.jsonl"), self.saved_sweep("b.jsonl"), "-o", "json"))

    def test_import(self):
        file = self.folder / "samples.csv"
        file.write_text("round,cpu,node,requested_ns,elapsed_ns\n1,0,0,100000,150000\n2,0,0,100000,160000\n")
        self.check_command(("import", file, "-o", "json"))

    def test_dma_latency(self):
        self.check_command((*SWEEP, "--dma-latency", "0us"), kind="dev")

    def test_output_file(self):
        """The old content or the new, never a part."""
        source, target = self.saved_sweep(), self.folder / "out.json"
        arguments = ("report", source, "-o", f"json:{target}", "-o", "json")
        self.assertEqual(self.run_program(*arguments).status, 0)
        whole = target.read_text()
        counts, _ = self.calls(arguments)
        counts = {call: count for call, count in counts.items() if call[2] == "file" or call[1] in ("rename", "unlink")}

        def run_one(number, job):
            file = self.folder / f"{number}.json"
            file.write_text("old")
            run = Run(*job, *self.inject(number, table.words_for(*job), (*arguments[:3], f"json:{file}", *arguments[4:])))
            run.check()
            # A source that is cut short, as a lie has it, gives a whole output of what there is.
            run.require(file.read_text() in ("old", whole) or run.status == 4 and json.loads(file.read_text()),
                        "a part of an output was left")
            run.require(file.read_text() != "old" or run.status != 0, "status 0 without the output")
            leftover = [path.name for path in self.folder.glob(f".{number}.json*")] + [
                path.name for path in self.folder.glob(f"{number}.json.*")]
            run.require(job[0].call == "unlink" or not leftover, f"left behind: {leftover}")
            return run

        self.run_jobs(self.jobs(counts, (table.COORDINATOR,)), run_one)


if __name__ == "__main__":
    harness.main()
