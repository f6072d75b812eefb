# SPDX-License-Identifier: GPL-3.0-or-later
"""Every option that takes a number or a duration, with every kind of wrong text, on the command line and in a
configuration file: status 2, named, nothing printed, nothing created."""

import re

import harness

TOO_LARGE = ("2147483648000", "9223372036854775807", "9223372036854775808", "18446744073709551616")
GARBAGE = ("", " ", "-1", "5x", "x", "0x10", "1e3", "1.5", "+5", "5 ", " 5", "٣", "1,000", "NaN", "inf")

# option: wrong ones beside TOO_LARGE and GARBAGE
NUMBERS = {
    "samples": ("0",),
    "rounds": ("0",),
    "warmup": (),
    "dither": ("101",),
    "touch": (),
    "priority": ("0", "99", "100"),
    "coordinator": (),
}
DURATION_GARBAGE = ("", " ", "5", "-1ms", "-5", "1 ms", "1msx", "ms", "1h", "1MS", "1ms 2ms", "0x1ms", "1e3ms",
                    "9223372036854775808ns", "18446744073709551616ns", "99999999999s", "nanms", "infs")
DURATIONS = {
    "timeout": ("0", "0ns", "1ms,", ",1ms", "1ms,,2ms", "1ms;2ms"),
    "timer-slack": ("0", "none"),
    "dma-latency": ("1", "none"),
}


class BadNumbers(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.saved = self.folder / "r.jsonl"

    def assert_refused(self, result, *words):
        is_created = self.saved.exists()
        self.saved.unlink(missing_ok=True)
        self.assertEqual((result.status, result.out), (2, ""), result.err)
        self.assertRegex(result.err, r"\Anumasweep: error: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, result.err)
        self.assertFalse(is_created)

    def cases(self):
        for option, more in NUMBERS.items():
            for value in (*GARBAGE, *TOO_LARGE, *more):
                yield option, value
        for option, more in DURATIONS.items():
            for value in (*DURATION_GARBAGE, *more):
                yield option, value

    def test_case40_on_the_command_line(self):
        for option, value in self.cases():
            with self.subTest(option=option, value=value):
                self.assert_refused(self.run_program("--save", self.saved, f"--{option}={value}"), f"--{option}")

    def test_in_a_configuration_file(self):
        config = self.folder / "wrong.conf"
        for option, value in self.cases():
            if value != value.strip():
                continue  # white space around a value is no part of it there
            with self.subTest(option=option, value=value):
                config.write_text(f"# a comment\n{option} = {value}\n", encoding="utf-8")
                self.assert_refused(self.run_program("--save", self.saved, "--config", config), f"{config}:2", option)

    def test_seed_takes_all_of_64_bits_and_no_more(self):
        largest = 2**64 - 1
        result = self.run_program("plan", "--seed", largest, "-r", "1", "-o", "json", "--topology",
                                  harness.SMALL_MACHINE)
        self.assertEqual(result.status, 0)
        self.assertIn(str(largest), result.out)
        for value in (largest + 1, -1, "", "0x1", "7 "):
            self.assert_refused(self.run_program(f"--seed={value}"), "--seed")

    def test_messages_say_what_would_do(self):
        for option, value, would_do in (("timeout", "5", r"\bns\b.*\bus\b.*\bms\b"), ("priority", "99", r"1.*98"),
                                        ("dither", "101", r"\b0\b.*\b90\b"), ("samples", "0", r"\b1\b"),
                                        ("metric", "medain", "median"), ("output", "tabel", "table"),
                                        ("profile", "quik", "quick"), ("kernel", "pselct", "pselect")):
            with self.subTest(option):
                self.assertRegex(self.run_program(f"--{option}={value}").err, would_do)

    def test_configuration_files_that_are_none(self):
        config = self.folder / "wrong.conf"
        for text, line, words in (("rounds 5\n", 1, ""), ("\n\nrouns = 5\n", 3, "rounds"), ("= 5\n", 1, ""),
                                  ("help = yes\n", 1, "help"), ("rounds = 5 ; note\n", 1, "")):
            with self.subTest(text):
                config.write_text(text)
                self.assert_refused(self.run_program("--config", config), f"{config}:{line}", words)
        config.write_bytes(bytes(range(1, 32)) + b"\xff\xfe\n")
        self.assert_refused(self.run_program("--config", config), str(config))
        self.assert_refused(self.run_program("--config", self.folder), str(self.folder))

    def test_lists(self):
        for option in ("cpus", "nodes"):
            for value in ("", ",", "3-1", "1-", "-1", "0,,1", "1-2-3", "0-7:0", "0-7:-1", "0:x", "x", "0 1", "1.5",
                          "18446744073709551616", "0-18446744073709551615", "2147483648"):
                with self.subTest(option=option, value=value):
                    self.assert_refused(self.run_program(f"--{option}={value}"), f"--{option}")
        for option, value in (("cpus", "99999"), ("cpus", "0,99999"), ("nodes", "999"), ("cpus", "node:999")):
            with self.subTest(option=option, value=value):
                result = self.run_program(f"--{option}={value}")
                self.assert_refused(result, f"--{option}", re.search(r"9{3,}", value).group())


if __name__ == "__main__":
    harness.main()
