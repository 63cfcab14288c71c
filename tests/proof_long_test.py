"""Proofs of large plans: usage: proof_long_test.py FUTURERAND [unittest arguments]"""
import pathlib
import resource
import sys
import unittest

import coq

FUTURERAND = None
BUILD = None


class LargePlans(unittest.TestCase):
    def expect_proved(self, seconds, *arguments):
        self.assertEqual(coq.check(BUILD).returncode, 0)
        text = coq.plan_file(FUTURERAND, *arguments)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = coq.check_text(BUILD, text)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(coq.axioms(done.stdout), coq.AXIOMS_OF_REALS, done.stdout)
        self.assertLess(used, seconds)
        print(f"{' '.join(arguments)}: {used:.1f} s")

    def test_256_periods_take_less_than_a_minute(self):
        self.expect_proved(60, "--protocol", "innovation", "--periods", "256", "--changes", "3", "--epsilon", "1")

    def test_1024_periods(self):
        self.expect_proved(120, "--protocol", "innovation", "--periods", "1024", "--changes", "4", "--epsilon", "1")

    def test_a_sparse_plan(self):
        self.expect_proved(120, "--protocol", "innovation", "--periods", "128", "--changes", "3", "--epsilon", "4")


if __name__ == "__main__":
    FUTURERAND = pathlib.Path(sys.argv.pop(1)).resolve()
    BUILD = FUTURERAND.parent / "proofs"
    unittest.main()
