#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of tests/README.md against the tests that carry case numbers, and against the list of cases.

    tests/source/cases.py LIST

Each number of the table stands in the name of a test that its row mentions, each mentioned test carries a number of its
row, each number that a test carries is in the table with that test, and the table has exactly the numbers of LIST. A
case without a test has a reason in the place of its tests: words without backquotes.
"""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROW = re.compile(r"\| ([0-9, ]+) \| [^|]+ \| ([^|]+) \|")
LISTED = re.compile(r"\| ([0-9]+) \|")
NUMBER = re.compile(r"case([0-9]{2})(?=_)")
# Where a test's name is defined: a function that the runner knows, or the file itself.
DEFINED = {"system": re.compile(r"^    def (test_\w+)", re.MULTILINE),
           "unit": re.compile(r"cmocka_unit_test(?:\w*)\((\w+)")}


def numbers_in(names):
    return {int(number) for name in names for number in NUMBER.findall(name)}


def tests_with_numbers():
    """Name of the test for ctest -> numbers that it carries."""
    found = {}
    for path in sorted(TESTS.glob("guests/scenarios/*.py")):
        found[f"guest/{path.stem}"] = numbers_in([path.stem])
    for path in sorted(TESTS.glob("system/test_*.py")):
        found[f"system/{path.stem.removeprefix('test_')}"] = numbers_in(DEFINED["system"].findall(path.read_text()))
    for path in sorted(TESTS.glob("unit/*.c")):
        found[f"unit/{path.stem}"] = numbers_in(DEFINED["unit"].findall(path.read_text()))
    return found


def table_rows():
    """(numbers, names of tests, text of the last column) of each row."""
    text = (TESTS / "README.md").read_text(encoding="utf-8").partition("\n## Real faults, by number\n")[2]
    return [({int(number) for number in numbers.split(",")}, re.findall(r"`([^`]+)`", where), where)
            for numbers, where in ROW.findall(text)]


def check_row(numbers, names, where, tests):
    complaints = [f"{numbers}: there is no test {name}" for name in names if name not in tests]
    complaints += [f"{numbers}: {name} carries none of these numbers in its name" for name in names
                   if name in tests and not tests[name] & numbers]
    if names:
        carried = set().union(*(tests.get(name, set()) for name in names))
        complaints += [f"case {number}: no test of {', '.join(names)} carries it in its name"
                       for number in sorted(numbers - carried)]
    elif len(where.split()) < 5:
        complaints.append(f"{numbers}: neither a test nor a reason")
    return complaints


def check_tests(tests, rows):
    return [f"{name} carries case {number}, but does not stand with it in the table"
            for name, numbers in tests.items() for number in sorted(numbers)
            if not any(number in row and name in names for row, names, _ in rows)]


def check_list(path, rows):
    listed = {int(match.group(1)) for match in map(LISTED.match, path.read_text(encoding="utf-8").splitlines()) if match}
    in_table = set().union(*(numbers for numbers, _, _ in rows))
    return ([] if listed else [f"{path}: has no cases"]) + [
        f"case {number} is {'not in the table' if number in listed else f'in the table, but not in {path}'}"
        for number in sorted(listed ^ in_table)]


def main():
    tests, rows, listed = tests_with_numbers(), table_rows(), pathlib.Path(sys.argv[1])
    complaints = [] if rows else ["tests/README.md has no table of cases"]
    for row in rows:
        complaints += check_row(*row, tests)
    complaints += check_tests(tests, rows)
    if listed.exists():
        complaints += check_list(listed, rows) if rows else []
    else:
        print(f"skipped: {listed} is not there; the table is compared with the tests alone")
    for complaint in complaints:
        print(complaint)
    print(f"{len(set().union(*(numbers for numbers, _, _ in rows)))} cases in {len(rows)} rows")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
