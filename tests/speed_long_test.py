"""The promised times on two cores: usage: speed_long_test.py FUTURERAND

Processor time is measured, which other work on the machine does not change; two cores have twice
as much of it as the clock.
"""
import resource
import sys
import unittest

import cli_test
from cli_test import CliTest


class Speed(CliTest):
    def assert_within(self, seconds, *arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.output(*arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertLess(used, 2 * seconds, arguments)

    def test_a_million_devices_over_1024_periods(self):
        arguments = ("simulate", "--protocol", "future_rand", "--users", "1000000", "--periods", "1024",
                     "--changes", "4", "--trials", "1")
        self.assert_within(10, *arguments, "--engine", "users")
        self.assert_within(1, *arguments, "--engine", "sums")

    def test_a_million_devices_with_news(self):
        arguments = ("simulate", "--protocol", "innovation", "--users", "1000000", "--periods", "1024",
                     "--changes", "4", "--trials", "1")
        self.assert_within(30, *arguments, "--engine", "users")
        self.assert_within(5, *arguments, "--engine", "sums")

    def test_a_million_devices_with_labels(self):
        arguments = ("simulate", "--value", "category", "--labels", "64", "--users", "1000000", "--periods", "256",
                     "--changes", "3", "--trials", "1")
        self.assert_within(10, *arguments)
        self.assert_within(10, *arguments, "--engine", "sums")

    def test_a_comparison_of_all(self):
        self.assert_within(30, "compare", "--users", "100000", "--periods", "256", "--trials", "20")


if __name__ == "__main__":
    cli_test.COMMAND = sys.argv.pop(1)
    unittest.main()
