"""Late, departing and pausing devices over longer horizons: usage: churn_long_test.py FUTURERAND"""
import sys
import unittest

import cli_test
from cli_test import CliTest
from churn_test import relative_bias

# As in churn_test.py, for 256 periods: 30% leave, stays of 64 periods, a value-dependent rate.
CASES = {
    "a third leaves": ("--dropout", "0.00139"),
    "short lives": ("--joining", "staggered", "--dropout", "0.015625"),
    "pauses": ("--offline", "0.2"),
    "growth": ("--joining", "growth"),
    "leaving depends on the value": ("--dropout", "0.0025", "--dropout-factor", "3"),
}


class LongLives(CliTest):
    def assert_unbiased(self, name, result, coverage, most):
        bias = relative_bias(result)
        mean = sum(bias) / len(bias)
        print(f"{name}: coverage {result['band_coverage']:.4f}, bias {mean:+.3f} sd")
        self.assertGreater(result["band_coverage"], coverage[0])
        self.assertLess(result["band_coverage"], coverage[1])
        self.assertLess(abs(mean), most)

    def test_active_is_unbiased_however_devices_leave(self):
        for epsilon in ("1", "4"):
            for name, lives in CASES.items():
                with self.subTest(name, epsilon=epsilon):
                    result = self.json("simulate", "--protocol", "innovation", "--population", "churn", "--users", "10000",
                                       "--periods", "256", "--changes", "4", "--epsilon", epsilon, "--trials", "100", "--seed", "7",
                                       *lives)
                    # 94 to 96%, with half a percent of room for the number of trials.
                    self.assert_unbiased(f"epsilon {epsilon}, {name}", result, (0.935, 0.965), 0.1)

    def test_and_in_long_plans(self):
        for name, lives in {"short lives": ("--joining", "staggered", "--dropout", "0.001"),
                            "leaving depends on the value": ("--dropout", "0.0004", "--dropout-factor", "3")}.items():
            with self.subTest(name):
                result = self.json("simulate", "--protocol", "innovation", "--population", "churn", "--users", "5000",
                                   "--periods", "4096", "--changes", "4", "--epsilon", "4", "--trials", "20", "--seed", "7", *lives)
                self.assert_unbiased(f"4,096 periods, {name}", result, (0.93, 0.97), 0.2)


if __name__ == "__main__":
    cli_test.COMMAND = sys.argv.pop(1)
    cli_test.TIMEOUT = 900
    unittest.main()
