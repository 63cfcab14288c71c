"""Rates of alarms for honest and for lying devices: usage: alarms_long_test.py FUTURERAND

Seeded. `tools/alarm_power` prints the figures. This test checks their bounds."""
import sys
import unittest

import cli_test
from cli_test import CliTest


class Alarms(CliTest):
    def simulated(self, protocol, epsilon, *flags, periods=64, users=1000, trials=1000):
        return self.json("simulate", "--protocol", protocol, "--epsilon", epsilon, "--population", "churn", "--users", str(users),
                         "--periods", str(periods), "--changes", "4", "--trials", str(trials), "--seed", "3", *flags)

    def test_at_most_five_of_a_thousand_honest_metrics(self):
        for protocol, epsilon, periods in (("innovation", "1", 64), ("innovation", "4", 256), ("hybrid", "1", 64),
                                           ("hybrid", "4", 64), ("optimal", "1", 64), ("snapshot", "1", 64)):
            with self.subTest(protocol, epsilon=epsilon):
                # A tiny dropout rate makes the collector keep and check transcripts.
                result = self.simulated(protocol, epsilon, "--dropout", "0.000000001", periods=periods)
                self.assertLessEqual(result["alarms"], 5)

    def test_hidden_liars_raise_no_more(self):
        for protocol, epsilon, periods in (("innovation", "1", 64), ("innovation", "4", 256), ("hybrid", "1", 64),
                                           ("hybrid", "4", 64), ("optimal", "1", 64)):
            with self.subTest(protocol, epsilon=epsilon):
                result = self.simulated(protocol, epsilon, "--attack", "hidden", periods=periods, users=2000, trials=200)
                self.assertLessEqual(result["alarms"], 2)
                self.assertGreaterEqual(result["moved"]["each"], 1)

    def test_what_is_seen(self):
        lies = ("--attack", "view", "--liars", "0.01")
        self.assertEqual(self.simulated("hybrid", "1", *lies, users=50000, trials=4)["alarms"], 4)
        for epsilon in ("1", "4"):
            self.assertEqual(self.simulated("innovation", epsilon, *lies, periods=256, users=20000, trials=4)["alarms"], 4)


if __name__ == "__main__":
    cli_test.COMMAND = sys.argv.pop(1)
    cli_test.TIMEOUT = 900
    unittest.main()
