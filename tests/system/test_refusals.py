# SPDX-License-Identifier: GPL-3.0-or-later
"""System calls that refuse or lie, by strace: each gives its stage and cause, and nothing hangs or is left."""

import shutil
import subprocess
import unittest

import harness


def can_inject():
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "inject=getppid:retval=1", "true"],
                          check=False, capture_output=True)
    return done.returncode == 0


@unittest.skipUnless(can_inject(), "strace cannot inject here")
class Refusals(harness.TestCase):
    def inject(self, what, *arguments, traced=None):
        call = what.split(":")[0]
        before = ("strace", "-f", "-o", "/dev/null", "-e", f"trace={traced or call}", "-e", f"inject={what}")
        result = self.run_program("-r", "1", "-o", "json", *arguments, before=before)
        self.assert_nothing_left()
        return result

    def problems(self, result):
        return {cell["problem"] for cell in self.cells(result.json()).values()}

    def test_case01_case04_policy_is_refused(self):
        for error, hint in (("EPERM", "cgroup"), ("ENOSYS", "sandbox")):
            result = self.inject(f"sched_setscheduler:error={error}")
            self.assertEqual(result.status, 0, result.err)
            self.assertEqual({cell["policy"] for cell in self.cells(result.json()).values()}, {"SCHED_OTHER"})
            self.assertIn(hint, result.err)
            asked = self.inject(f"sched_setscheduler:error={error}", "-p", "fifo")
            self.assertEqual(asked.status, 3)
            self.assertTrue(all(text.startswith(f"policy: {error}") for text in self.problems(asked)))

    def test_policy_lies(self):
        result = self.inject("sched_setscheduler:retval=0")
        self.assertEqual(result.status, 3)
        self.assertTrue(all("reads back as" in text for text in self.problems(result)))

    def test_policy_cannot_be_read_back(self):
        for call in ("sched_getscheduler", "sched_getparam"):
            result = self.inject(f"{call}:error=EINVAL")
            self.assertEqual(result.status, 3)
            self.assertTrue(all("cannot be read back" in text for text in self.problems(result)),
                            self.problems(result))

    def test_strict_does_not_tell_what_is_unknown_as_a_fact(self):
        result = self.inject("move_pages:error=EPERM", "--strict")
        self.assertEqual((result.status, result.out), (3, ""))
        self.assertIn("pages cannot be read back (move_pages)", result.err)
        result = self.inject("prctl:error=EPERM:when=2+", "--strict", "-p", "other")
        self.assertEqual((result.status, result.out), (3, ""))
        self.assertNotIn("-1 ns", result.err)

    def test_pinning_is_refused(self):
        result = self.inject("sched_setaffinity:error=EINVAL")
        self.assertEqual(result.status, 3)
        self.assertTrue(all(text.startswith("pin: EINVAL") for text in self.problems(result)))

    def test_case28_pinning_lies(self):
        result = self.inject("sched_setaffinity:retval=0")
        self.assertEqual(result.status, 3)
        self.assertTrue(all("reads back as something else" in text for text in self.problems(result)))

    def test_case09_binding_is_refused(self):
        for error in ("EPERM", "ENOSYS"):
            result = self.inject(f"set_mempolicy:error={error}")
            self.assertEqual(result.status, 0, result.err)
            self.assertIn("memory was not bound", result.err)
            asked = self.inject(f"set_mempolicy:error={error}", "-n", "0")
            self.assertEqual(asked.status, 3)
            self.assertTrue(all(text.startswith(f"bind: {error}") for text in self.problems(asked)))
            strict = self.inject(f"set_mempolicy:error={error}", "--strict")
            self.assertEqual((strict.status, strict.out), (3, ""))

    def test_case28_binding_lies(self):
        result = self.inject("set_mempolicy:retval=0")
        self.assertEqual(result.status, 3)
        self.assertTrue(all("reads back as something else" in text for text in self.problems(result)))

    def test_binding_cannot_be_read_back(self):
        for error in ("EPERM", "ENOSYS"):
            result = self.inject(f"get_mempolicy:error={error}", "--fail-on", "invalid")
            self.assertEqual(result.status, 0, result.err)
            # The pages tell where they are; that the policy could not be asked is said nevertheless, of every visit.
            validity = "\n".join(result.json()["validity"])
            visits = result.json()["totals"]["visits_planned"]
            self.assertIn(f"every page on its node in all {visits} visits", validity)
            self.assertRegex(validity, rf"could not be read: the memory policy \(get_mempolicy\) in all {visits} visits")

    def test_case09_case10_container_that_refuses_all_memory_calls(self):
        calls = "set_mempolicy,get_mempolicy,mbind,move_pages"
        result = self.inject(f"{calls}:error=EPERM", traced=calls)
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual({cell["state"] for cell in self.cells(result.json()).values()}, {"measured"})
        self.assertIn("memory was not bound", result.err)
        asked = self.inject(f"{calls}:error=EPERM", "-n", "0", traced=calls)
        self.assertEqual(asked.status, 3)
        self.assertTrue(all(text.startswith("bind: EPERM") for text in self.problems(asked)))

    def test_fork_is_refused(self):
        result = self.inject("clone:error=EAGAIN:when=2+")
        self.assertEqual((result.status, result.out), (5, ""))
        self.assertIn("Resource temporarily unavailable", result.err)

    def test_fork_of_one_worker_is_refused(self):
        result = self.inject("clone:error=EAGAIN:when=4", "-r", "6")
        self.assertEqual(result.status, 4, result.err)
        self.assertEqual(result.json()["totals"]["visits_failed"], 1)
        self.assertTrue(any(text.startswith("fork: EAGAIN") for text in self.problems(result)))

    def test_placement_cannot_be_read(self):
        result = self.inject("move_pages:error=EPERM")
        self.assertEqual(result.status, 0)
        self.assertTrue(result.json()["totals"]["has_invalid"])
        self.assertEqual(self.inject("move_pages:error=EPERM", "--fail-on", "invalid").status, 1)

    @unittest.skipUnless(harness.CAN_LOCK, "the address sanitizer makes mlock do nothing")
    def test_memory_cannot_be_locked(self):
        result = self.inject("mlock:error=ENOMEM")
        self.assertEqual(result.status, 0)
        self.assertIn("memory could not be locked", result.err)
        self.assertEqual(self.inject("mlock:error=ENOMEM", "--strict").status, 3)

    def test_sleep_fails(self):
        result = self.inject("pselect6:error=ENOMEM:when=5+")
        self.assertEqual(result.status, 3)
        self.assertTrue(all(text.startswith("measure: ENOMEM") for text in self.problems(result)))

    def test_sleep_is_interrupted(self):
        result = self.inject("pselect6:error=EINTR:when=1+3")
        self.assertEqual(result.status, 0)
        self.assertIn("interrupted sleeps", " ".join(result.json()["validity"]))

    def test_pipe_is_refused_once(self):
        result = self.inject("pipe2:error=EMFILE:when=3", "-r", "3")
        self.assertEqual(result.status, 4)
        self.assertIn("pipe: EMFILE", " ".join(self.problems(result)))

    def test_affinity_cannot_be_read(self):
        result = self.inject("sched_getaffinity:error=EFAULT")
        self.assertNotEqual(result.status, 0)
        self.assertIn("sched_getaffinity", result.err)


if __name__ == "__main__":
    harness.main()
