"""Late, departing and pausing devices: usage: churn_test.py FUTURERAND

Seeded: each case passes always or never. The band must cover 94 to 96% of the periods, with some room for the number of trials.
Errors of neighbouring periods are correlated, so a trial is worth only a few independent periods."""
import sys
import tempfile
import unittest

import cli_test
from cli_test import CliTest

STAGGERED = ("--joining", "staggered", "--dropout", "0.0625")  # stays of 16 of 64 periods
CASES = {
    "a third leaves": ("--dropout", "0.0056"),
    "short lives": STAGGERED,
    "pauses": ("--offline", "0.2"),
    "growth": ("--joining", "growth"),
    "leaving depends on the value": ("--dropout", "0.01", "--dropout-factor", "3"),
}


def simulated(test, protocol, epsilon, *lives, users=2000, trials=40):
    return test.json("simulate", "--protocol", protocol, "--population", "churn", "--users", str(users), "--periods", "64",
                     "--changes", "4", "--epsilon", epsilon, "--trials", str(trials), "--seed", "7", *lives)


def relative_bias(result):
    """Returns the bias of each known period in standard deviations, from the tenth on."""
    return [at["bias"] / at["stddev"] for at in result["series"][9:] if at["stddev"]]


class Lives(CliTest):
    def test_active_is_unbiased_however_devices_leave(self):
        for epsilon in ("1", "4"):
            for name, lives in CASES.items():
                with self.subTest(name, epsilon=epsilon):
                    result = simulated(self, "innovation", epsilon, *lives)
                    self.assertEqual(result["estimand"], "active")
                    self.assertGreater(result["band_coverage"], 0.93)
                    self.assertLess(result["band_coverage"], 0.975)
                    bias = relative_bias(result)
                    self.assertLess(abs(sum(bias) / len(bias)), 0.25)

    def test_long_plans_are_like_others(self):
        result = self.json("simulate", "--protocol", "innovation", "--population", "static", "--users", "1000", "--periods", "2500",
                           "--changes", "1", "--epsilon", "4", "--trials", "3", "--seed", "7", "--dropout", "0.001")
        self.assertGreater(result["band_coverage"], 0.9)
        truth = [at["truth"] for at in result["series"]]
        departures = [t for t in range(2, 2498) if truth[t - 1] < truth[t - 2]]
        self.assertGreater(len(departures), 100)
        self.assertEqual({t % 2 for t in departures}, {0, 1})

    def test_with_nobody_leaving_nothing_changes(self):
        nobody = ("--dropout", "0.000000001", "--uncapped")  # at this rate nobody leaves
        for protocol, estimands in (("innovation", ("active", "enrolled")), ("hybrid", ("enrolled",)), ("optimal", ("enrolled",))):
            plain = simulated(self, protocol, "1", trials=5)
            for estimand in estimands:
                result = simulated(self, protocol, "1", *nobody, "--estimand", estimand, trials=5)
                self.assertAlmostEqual(result["rmse"] / plain["rmse"], 1, delta=1e-6)
        # The cap hardly affects honest devices.
        capped = simulated(self, "innovation", "1", "--dropout", "0.000000001", trials=5)
        self.assertAlmostEqual(capped["rmse"] / simulated(self, "innovation", "1", trials=5)["rmse"], 1, delta=0.001)

    def test_all_that_ever_enrolled_where_its_assumption_holds(self):
        for protocol in ("innovation", "hybrid", "optimal"):
            with self.subTest(protocol):
                result = simulated(self, protocol, "1", "--dropout", "0.0056", "--estimand", "enrolled")
                self.assertEqual(result["estimand"], "enrolled")
                self.assertGreater(result["band_coverage"], 0.93)
                bias = relative_bias(result)
                self.assertLess(abs(sum(bias) / len(bias)), 0.25)

    def test_all_that_ever_enrolled_where_it_does_not(self):
        """As docs/threat-model.md says, the count follows the remaining devices."""
        lives = ("--dropout", "0.02", "--dropout-factor", "5", "--estimand")
        for protocol in ("innovation", "hybrid"):
            enrolled = simulated(self, protocol, "4", *lives, "enrolled", users=20000, trials=5)
            self.assertLess(enrolled["band_coverage"], 0.5)
        active = simulated(self, "innovation", "4", *lives, "active", users=20000, trials=5)
        self.assertGreater(active["band_coverage"], 0.9)

    def test_hindsight_is_the_online_estimate_and_trend_smooths_it(self):
        for name, lives in CASES.items():
            with self.subTest(name):
                online, hindsight, trend = [simulated(self, "innovation", "1", "--estimator", kind, *lives, trials=10)
                                            for kind in ("online", "hindsight", "trend")]
                for key in ("truth", "estimate", "stddev"):
                    self.assertEqual([at[key] for at in hindsight["series"]], [at[key] for at in online["series"]])
                self.assertEqual([at["truth"] for at in trend["series"]], [at["truth"] for at in online["series"]])
                self.assertLess(trend["rmse"], online["rmse"])

    def test_says_that_transcripts_are_capped(self):
        lives = ("--dropout", "0.01")
        capped = simulated(self, "innovation", "1", *lives, trials=1)["transcript_cap"]
        self.assertEqual(capped["rate"], 0.0001)
        self.assertGreater(capped["bias_at_most"], 0)
        self.assertLess(capped["bias_at_most"], 0.0001 * 2000)
        for flags in (("--uncapped",), ("--estimand", "enrolled", "--estimator", "trend")):
            self.assertNotIn("transcript_cap", simulated(self, "innovation", "1", *lives, *flags, trials=1))
        for flags in (("--estimand", "enrolled"), ("--estimator", "hindsight"), ("--estimator", "trend")):
            self.assertIn("transcript_cap", simulated(self, "innovation", "1", *lives, *flags, trials=1))
        self.assertNotIn("transcript_cap", simulated(self, "hybrid", "1", *lives, trials=1))
        small = ("--protocol", "innovation", "--periods", "64", "--changes", "4")
        said = r"capped: each device's contribution is clipped at a level that one honest device in 10,000 exceeds in a period; if " \
               r"all are honest, this changes the newest period by at most 0\.\d\d devices"
        self.assertRegex(self.output("simulate", *small, "--users", "500", "--trials", "1", "--seed", "1", *lives), said)
        with tempfile.TemporaryDirectory() as folder:
            values, reports = folder + "/values.csv", folder + "/reports.jsonl"
            with open(values, "w") as file:
                file.write("user,period,value\n" + "".join(f"{user},{1 + user % 60},1\n" for user in range(300)))
            with open(reports, "w") as file:
                file.write(self.output("randomize", "--values", values, *small))
            text = ("estimate", "--reports", reports)
            self.assertRegex(self.output(*text), said)
            self.assertNotIn("capped", self.output(*text, "--uncapped"))
            estimated = self.json(*text)["transcript_cap"]
            self.assertEqual(estimated["rate"], 0.0001)
            of_2000 = simulated(self, "innovation", "1", "--dropout", "0.000000001", trials=1)["transcript_cap"]
            self.assertAlmostEqual(of_2000["bias_at_most"] / estimated["bias_at_most"], 2000 / 300)
            self.assertNotIn("transcript_cap", self.json(*text, "--uncapped"))

    def test_says_whom_it_counts(self):
        text = self.output("simulate", "--protocol", "innovation", "--users", "500", "--periods", "16", "--changes", "2",
                           "--trials", "1", "--seed", "1", *STAGGERED, "--inactive-after", "5")
        self.assertIn("counted: devices that were active in that period (a device is inactive once a due report is "
                      "missing for 5 periods)", text)
        self.assertIn("joining staggered, 6.25% leave after each period", text)

    def test_refuses_what_cannot_be_shown(self):
        small = ("simulate", "--users", "100", "--periods", "16", "--trials", "1", "--seed", "1", "--dropout", "0.1")
        self.assert_refused(*small, "--protocol", "hybrid", "--estimand", "active", saying=["report too rarely", "expected protocol innovation"])
        self.assert_refused(*small, "--protocol", "rappor", saying=["take part throughout"])
        self.assert_refused(*small, "--protocol", "innovation", "--engine", "sums", saying=["expected users"])
        self.assert_refused(*small, "--protocol", "innovation", "--sweep", "epsilon=1,2", saying=["--dropout"])


class Alarms(CliTest):
    def test_honest_devices_raise_few(self):
        for protocol in ("hybrid", "innovation"):
            with self.subTest(protocol):
                result = self.json("simulate", "--protocol", protocol, "--population", "churn", "--users", "400", "--periods",
                                   "64", "--changes", "4", "--trials", "1000", "--engine", "sums", "--seed", "3")
                self.assertLessEqual(result["alarms"], 5)
        # A tiny dropout rate makes the collector keep and check transcripts.
        result = simulated(self, "innovation", "1", "--dropout", "0.000000001", users=10000, trials=50)
        self.assertEqual(result["alarms"], 0)

    def test_liars_raise_it(self):
        result = simulated(self, "innovation", "1", "--attack", "plus", "--liars", "0.2", trials=5)
        self.assertEqual(result["alarms"], 5)


class Liars(CliTest):
    def test_reach_the_bound_and_never_pass_it(self):
        """The shift by adversaries is a difference over the same honest reports. It contains no noise."""
        for protocol in ("innovation", "hybrid", "optimal"):
            for epsilon in ("1", "4"):
                for attack in ("plus", "minus", "view", "changes", "flips", "mass", "hidden"):
                    with self.subTest(protocol, epsilon=epsilon, attack=attack):
                        # In a view of few devices more adversaries have less influence each. A single one is the worst
                        # case.
                        result = simulated(self, protocol, epsilon, "--attack", attack, "--liars", "0.0005", trials=3)
                        moved = result["moved"]
                        self.assertEqual(moved["liars"], 1)
                        self.assertLessEqual(moved["each"], moved["at_most"] * (1 + 1e-9))
                        if attack in ("view", "flips") or (attack == "plus" and protocol == "innovation"):
                            self.assertGreater(moved["each"], 0.95 * moved["at_most"])

    def test_many_never_pass_it(self):
        for protocol in ("innovation", "hybrid", "optimal"):
            for attack in ("plus", "view", "changes", "mass", "hidden"):
                with self.subTest(protocol, attack=attack):
                    moved = simulated(self, protocol, "4", "--attack", attack, "--liars", "0.05", trials=3)["moved"]
                    self.assertEqual(moved["liars"], 100)
                    self.assertLessEqual(moved["each"], moved["at_most"] * (1 + 1e-9))

    def test_hidden_ones_are_not_seen_and_move_less(self):
        for protocol, epsilon in (("innovation", "1"), ("hybrid", "1"), ("hybrid", "4"), ("optimal", "1")):
            with self.subTest(protocol, epsilon=epsilon):
                hidden = simulated(self, protocol, epsilon, "--attack", "hidden", "--liars", "0.01", trials=20)
                self.assertEqual(hidden["alarms"], 0)
                self.assertGreaterEqual(hidden["moved"]["each"], 1)
                self.assertLessEqual(hidden["moved"]["each"], hidden["moved"]["at_most"] * (1 + 1e-9))

    def test_many_in_one_view_are_seen_by_their_share(self):
        for attack in ("view", "mass"):
            result = simulated(self, "hybrid", "1", "--attack", attack, "--liars", "0.02", users=10000, trials=2)
            self.assertEqual(result["alarms"], 2)
            self.assertIn("claim one report type", " ".join(result["moved"]["alarms_by"]))

    def test_those_who_always_speak_are_seen_where_silence_is_the_rule(self):
        result = self.json("simulate", "--protocol", "innovation", "--population", "churn", "--users", "20000", "--periods", "128",
                           "--changes", "1", "--epsilon", "4", "--attack", "plus", "--liars", "0.01", "--trials", "1", "--seed", "7",
                           "--uncapped")
        self.assertEqual(result["alarms"], 1)
        self.assertIn("zero symbols", " ".join(result["moved"]["alarms_by"]))

    def test_those_who_say_too_much_are_seen_and_cut_off(self):
        for attack in ("plus", "minus", "view", "flips", "mass"):
            with self.subTest(attack):
                results = [self.json("simulate", "--protocol", "innovation", "--users", "10000", "--periods", "128", "--epsilon", "1",
                                     "--initial", "zero", "--attack", attack, "--liars", "0.01", "--trials", "1", "--seed", "7", *cap)
                           for cap in ([], ["--uncapped"])]
                capped, uncapped = [result["moved"] for result in results]
                self.assertIn("exceed the contribution cap", " ".join(capped["alarms_by"]))
                self.assertEqual(results[1]["alarms"], 0)
                self.assertLess(capped["each"], 0.95 * uncapped["each"])
                self.assertLessEqual(capped["each"], capped["at_most"] * (1 + 1e-9))
                self.assertGreater(capped["each"], 0.95 * capped["at_most"] if attack != "minus" else 0)

    def test_one_more_beyond_the_cap_than_the_plan_says_is_noticed(self):
        shape = ("--users", "20000", "--periods", "64", "--epsilon", "1")
        named = {row["name"]: row for row in self.json("plan", *shape, "--liars", "0.01")["protocols"]}
        most = named["innovation"]["liars_beyond_unnoticed"]
        self.assertIsNone(named["hybrid"]["liars_beyond_unnoticed"])
        # A few adversaries all stay undetected. Honest devices use some of the allowed number.
        few = {row["name"]: row for row in self.json("plan", *shape, "--liars", "0.0001")["protocols"]}
        self.assertEqual(few["innovation"]["liars_beyond_unnoticed"], 2)
        for liars, alarms in ((most + 1, 3), (most // 2, 0)):
            with self.subTest(liars=liars):
                result = self.json("simulate", "--protocol", "innovation", *shape, "--attack", "plus", "--trials", "3", "--seed", "7",
                                   "--liars", f"{(liars + 0.5) / 20000:f}")
                self.assertEqual(result["moved"]["liars"], liars)
                self.assertEqual(sum(count for text, count in result["moved"]["alarms_by"].items()
                                     if "exceed the contribution cap" in text), alarms)

    def test_plan_says_it(self):
        plan = self.json("plan", "--users", "10000", "--periods", "64", "--liars", "0.01")
        by_name = {row["name"]: row for row in plan["protocols"]}
        for name in ("innovation", "hybrid", "optimal"):
            self.assertGreater(by_name[name]["liars_move_last"], 100)
            self.assertGreaterEqual(by_name[name]["liars_move_most"], by_name[name]["liars_move_last"])
            self.assertGreater(by_name[name]["liars_move_last"], by_name[name]["liars_move_capped"] or 0)
        self.assertLess(by_name["hybrid"]["liars_move_unnoticed"], by_name["hybrid"]["liars_move_last"])
        self.assertIsNone(by_name["innovation"]["liars_unnoticed"])  # there is one view
        self.assertGreater(by_name["innovation"]["cap_bias"], 0)
        text = self.output("plan", "--users", "10000", "--periods", "64", "--liars", "0.01")
        self.assertIn("If 1% of the devices lie", text)
        self.assertIn("The test on view shares", text)
        self.assertIn("one honest transcript in 10,000 exceeds the cap", text)
        self.assertIn("The test on transcripts above the cap", text)


class OverChanges(CliTest):
    def test_plan_and_simulate_say_how_many(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            rows = [f"1,{t},{t % 2}" for t in (1, 2)] + [f"2,{t},{t % 2}" for t in range(1, 9)]
            file.write("user,period,value\n" + "\n".join(rows) + "\n")
            file.flush()
            small = ("--periods", "8", "--changes", "2", "--values", file.name)
            values = self.json("plan", *small)["values"]
            self.assertEqual((values["users"], values["over_max_changes"]), (2, 1))
            biased = {row["protocol"]: row for row in values["bias"]}
            self.assertLess(abs(biased["optimal"]["largest"]), 2)
            self.assertNotEqual(biased["innovation"]["largest"], 0)
            text = self.output("plan", *small)
            self.assertIn("1 of 2 users", text)
            self.assertRegex(text, r"  optimal +[+-][\d.]+ +[+-][\d.]+ at period \d")
            text = self.output("simulate", "--protocol", "innovation", *small, "--users", "1000", "--trials", "2", "--seed", "1")
            self.assertRegex(text, r"clipped users +\d+ had changes past 2, \d+% of all")
            self.assertRegex(text, r"bias +[\d,]+ users")
            self.assertRegex(text, r"clipping bias +[\d,]+ users.*on average")
            self.assert_refused("plan", "--values", file.name + ".no", saying=["no"])


if __name__ == "__main__":
    cli_test.COMMAND = sys.argv.pop(1)
    unittest.main()
