"""simulate, compare and demo from a user's view: usage: simulate_test.py FUTURERAND"""
import csv
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import CliTest

PANEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "abseil-large-files.csv")
UPLOADS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "debian-last-upload.csv")
PROTOCOLS = ["innovation", "hybrid", "optimal", "future_rand", "warner", "erlingsson", "bun", "snapshot",
             "repeated", "future_scaled", "exsub", "ddrm", "lpa", "sparse_vector", "thresh", "rappor", "dbitflip",
             "central_tree"]
KEYS = ["protocol", "users", "periods", "max_changes", "epsilon", "trials", "rmse", "max_error",
        "predicted_rmse", "band_coverage", "seconds"]
SMALL = ("--users", "3000", "--periods", "32", "--changes", "2", "--trials", "2", "--seed", "1")


def without_seconds(result):
    return {key: value for key, value in result.items() if key != "seconds"}


class Seasons(CliTest):
    """A metric without an end. Both figures, in any window and in a life, are stated wherever either is."""

    SMALL = ("--users", "400", "--periods", "12", "--changes", "1", "--every", "4", "--rest", "12", "--cycles", "3")

    def test_simulate(self):
        arguments = ("simulate", *self.SMALL, "--trials", "20", "--seed", "1")
        result = self.json(*arguments)
        for key in KEYS:
            self.assertIn(key, result)
        self.assertEqual(len(result["series"]), 72)
        self.assertNotIn("trial_estimates", result)
        seasons = result["seasons"]
        self.assertEqual((seasons["every"], seasons["rest"], seasons["cycles"]), (4, 12, 3))
        self.assertEqual((seasons["epsilon_in_season"], seasons["epsilon_in_window"]), (1, 1))
        self.assertEqual(seasons["epsilon_in_life"], 1 + (1095 + 12 - 2) // 24)
        self.assertAlmostEqual(seasons["share_sd_times_root_users"], result["rmse"] / 20, places=9)
        self.assertLess(abs(result["rmse"] / result["predicted_rmse"] - 1), 0.1)
        self.assertGreater(result["band_coverage"], 0.92)
        again = self.json(*arguments, "--threads", "3")
        self.assertEqual(without_seconds(result), without_seconds(again))
        text = self.output(*arguments[:-4], "--trials", "1")
        self.assertIn("in any 12 periods", text)
        self.assertIn("in a life of 1095", text)

    def test_simulate_labels_and_distributions(self):
        shape = ("--users", "1000", "--periods", "12", "--changes", "1", "--every", "4", "--rest", "12", "--cycles", "2",
                 "--trials", "20", "--seed", "1")
        for value, figures in ((("category", "--labels", "3"), 3), (("distribution", "--range", "0,80", "--buckets", "8"), 7)):
            result = self.json("simulate", "--value", *value, *shape)
            self.assertEqual(len(result["series"]), 48)
            self.assertEqual(len(result["last_period"]), figures)
            self.assertLess(abs(result["rmse"] / result["predicted_rmse"] - 1), 0.1)
            self.assertGreater(result["band_coverage"], 0.92)
            seasons = result["seasons"]
            self.assertEqual((seasons["epsilon_in_window"], seasons["epsilon_in_life"]), (1, 47))
            self.assertAlmostEqual(seasons["share_sd_times_root_users"], result["rmse"] / 1000**0.5, places=9)
            self.assertGreater(seasons["step_noise_ratio"], 0.8)
            # Shares of all devices: those of labels add up to all of them, and those below thresholds never fall.
            truths = [row["truth"] for row in result["last_period"]]
            self.assertAlmostEqual(sum(truths), 1000, places=6) if figures == 3 else self.assertEqual(truths, sorted(truths))
            text = self.output("simulate", "--value", *value, *shape)
            self.assertIn("in any 12 periods", text)
            self.assertIn("in a life of 1095", text)
        self.assert_refused("simulate", "--value", "category", "--labels", "1000", "--periods", "1000", "--every", "1000",
                            "--cycles", "20", saying=["1000 labels in each of 40000 periods"])

    def test_plan(self):
        result = self.json("plan", "--window", "28", "--life", "365", "--change-every", "60", "--resolution", "7", "--periods", "16",
                           "--changes", "1", "--users", "10000")
        best = [season for season in result["seasons"] if season["periods"] == result["recommended_season"]]
        self.assertEqual(len(best), 1)
        for season in result["seasons"]:
            self.assertEqual(season["epsilon_in_window"], 1)
            self.assertGreaterEqual(season["rest"], 28)
            cycle = season["periods"] + season["rest"]
            self.assertEqual(season["epsilon_in_life"], 1 + (365 + season["periods"] - 2) // cycle)
        self.assertEqual(result["seasons"][0]["periods"], 1)
        self.assertEqual(result["seasons"][0]["protocol"], "once")
        text = self.output("plan", "--window", "28", "--life", "365", "--change-every", "60")
        self.assertIn("a life", text)
        self.assertIn("any window", text)

    def test_audit(self):
        result = self.json("audit", "--periods", "90", "--changes", "1", "--every", "15", "--rest", "90", "--window", "90")
        self.assertTrue(result["certified"])
        self.assertEqual(result["seasons"], {"epsilon_in_season": 1, "window": 90, "epsilon_in_window": 1, "life": 1095,
                                             "epsilon_in_life": 7})
        text = self.output("audit", "--periods", "90", "--changes", "1", "--every", "15", "--rest", "0", "--window", "90")
        self.assertIn("2 in any 90 periods in a row, 14 in a life of 1,095 periods", text.replace("1095", "1,095"))


class Simulate(CliTest):
    def test_keys_of_the_contract(self):
        result = self.json("simulate", "--protocol", "warner", *SMALL)
        for key in KEYS:
            self.assertIn(key, result)
        self.assertEqual(
            [result[key] for key in KEYS[:6]], ["warner", 3000, 32, 2, 1, 2])
        self.assertEqual(len(result["series"]), 32)
        self.assertIs(result["seeded"], True)
        self.assertEqual(result["seed"], "1")
        # A seed beyond double precision stays unchanged.
        huge = self.json("simulate", *SMALL[:-1], str(2 ** 64 - 1), "--engine", "sums")
        self.assertEqual(huge["seed"], str(2 ** 64 - 1))

    def test_a_seed_repeats_whatever_the_threads(self):
        for engine in ("users", "sums"):
            arguments = ("simulate", *SMALL, "--engine", engine)
            once = self.json(*arguments, "--threads", "1")
            again = self.json(*arguments, "--threads", "3")
            self.assertEqual(without_seconds(once), without_seconds(again))
            other = self.json(*arguments[:-3], "2", "--engine", engine)
            self.assertNotEqual(once["rmse"], other["rmse"])

    def test_without_a_seed_runs_differ(self):
        arguments = ("simulate", *SMALL[:-2])
        once, again = self.json(*arguments), self.json(*arguments)
        self.assertIs(once["seeded"], False)
        self.assertNotEqual(once["rmse"], again["rmse"])

    def test_text_says_what_a_seed_is_not_for(self):
        text = self.output("simulate", *SMALL)
        self.assertIn("never to be used for real data", text)
        self.assertRegex(text, r"rmse +[\d,]+ users")
        self.assertIn("true count", text)
        self.assertNotIn("never to be used", self.output("simulate", *SMALL[:-2]))

    def test_csv_has_a_row_a_period(self):
        rows = list(csv.DictReader(io.StringIO(
            self.output("simulate", *SMALL, "--format", "csv"))))
        self.assertEqual(len(rows), 32)
        self.assertEqual(list(rows[0])[:4], ["period", "truth", "estimate", "stddev"])

    def test_populations(self):
        for name in ("uniform", "adoption", "seasonal", "churn", "static"):
            result = self.json("simulate", *SMALL, "--population", name, "--engine", "sums")
            self.assertEqual(result["population"], name)
            truth = [period["truth"] for period in result["series"]]
            self.assertLessEqual(max(truth), 3000)
            self.assertEqual(len(set(truth)) == 1, name == "static")

    def test_other_estimators_have_no_prediction(self):
        online = self.json("simulate", "--protocol", "hybrid", *SMALL)
        hindsight = self.json("simulate", "--protocol", "hybrid", *SMALL, "--estimator", "hindsight")
        self.assertIsNone(hindsight["predicted_rmse"])
        self.assertLess(hindsight["rmse"], online["rmse"])

    def test_the_real_panel(self):
        # The changing files have 863 changes, at most five each. Three per file are protected here.
        arguments = ("simulate", "--values", PANEL, "--periods", "256", "--changes", "3", "--trials", "3")
        exact = self.json(*arguments, "--seed", "1")
        with open(PANEL) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(exact["users"], len({row["user"] for row in rows}))
        last = {}
        for row in sorted(rows, key=lambda row: int(row["period"])):
            last[row["user"]] = int(row["value"])
        self.assertEqual(exact["series"][-1]["truth"], sum(last.values()))
        drawn = self.json(*arguments, "--users", "100000", "--seed", "1", "--engine", "sums")
        self.assertEqual(drawn["users"], 100000)
        share = drawn["series"][-1]["truth"] / 100000
        self.assertAlmostEqual(share, sum(last.values()) / exact["users"], delta=0.01)
        self.assertGreater(drawn["clipped_users"], 0)
        self.assertLess(drawn["clipped_users"], 2000)
        self.assertAlmostEqual(drawn["rmse"] / drawn["predicted_rmse"], 1, delta=0.3)

    def test_bad_input_is_refused(self):
        self.assert_refused("simulate", "--protocol", "magic", saying=["magic", "hybrid"])
        self.assert_refused("simulate", "--population", "martian", saying=["martian", "uniform"])
        self.assert_refused("simulate", "--estimator", "best", saying=["best", "online"])
        self.assert_refused("simulate", "--protocol", "bun", "--epsilon", "2", saying=["epsilon"])
        self.assert_refused("simulate", "--trials", "0")
        self.assert_refused("simulate", "--engine", "magic")
        self.assert_refused("simulate", "--values", "/nowhere.csv", saying=["/nowhere.csv"])
        self.assert_refused("simulate", "--values", PANEL, "--users", "5", saying=["5", "at least"])
        self.assert_refused("simulate", "--values", PANEL, "--population", "churn")
        self.assert_refused("simulate", "--values", PANEL, "--periods", "8",
                            saying=[PANEL + ":2: column 2, period: out of range; expected a whole number from 1 to 8"])
        for text, line, expected in (
                ("", 1, "user,period,value"), ("user,period\n", 1, "user,period,value"),
                ("user,period,value\n1,x,1\n", 2, "1 to 256"),
                ("user,period,value\n1,1,1\n1,2,7\n", 3, "0 or 1"),
                ("user,period,value\n1,1,1\n1,1,0\n", 3, "one row")):
            with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
                file.write(text)
                file.flush()
                self.assert_refused("simulate", "--values", file.name,
                                    saying=[f"{file.name}:{line}: ", expected])


    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([cli_test.COMMAND, "simulate", *SMALL], stdout=full,
                                    stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Afuturerand: [^\n]+\n\Z")


class Numbers(CliTest):
    NUMBERS = ("--users", "1000", "--periods", "32", "--changes", "2", "--trials", "40", "--seed", "1",
               "--value", "number", "--range=-20,40")

    def test_every_population(self):
        for population in ("uniform", "static", "drift", "saturate", "jitter"):
            result = self.json("simulate", *self.NUMBERS, "--population", population)
            self.assertEqual([result["protocol"], result["value_kind"]], ["innovation", "number"])
            self.assertLess(abs(result["rmse"] / result["predicted_rmse"] - 1), 0.1, population)
            self.assertLess(abs(result["band_coverage"] - 0.95), 0.03, population)
            self.assertEqual(result["clipped_users"], 0, population)
        self.assertIn("numbers from -20 to 40", self.output("simulate", *self.NUMBERS))

    def test_devices_that_come_and_go(self):
        result = self.json("simulate", *self.NUMBERS, "--joining", "staggered", "--dropout", "0.02", "--population", "drift")
        self.assertEqual(result["estimand"], "active")
        self.assertLess(abs(result["band_coverage"] - 0.95), 0.03)

    def test_values_of_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("user,period,value\na,1,10\na,9,25\nb,4,-30\n")
            file.flush()
            result = self.json("simulate", *self.NUMBERS, "--values", file.name)
        # 10 is half of the range, 25 three quarters. Lower values are clipped to its end.
        truth = [row["truth"] for row in result["series"]]
        self.assertLess(abs(truth[0] - 1000 / 4), 40)
        self.assertAlmostEqual(truth[8] / truth[0], 1.5, 9)

    def test_compare_runs_who_serves_numbers(self):
        result = self.json("compare", *self.NUMBERS)
        self.assertEqual([row["protocol"] for row in result["results"]], ["innovation"])
        self.assertEqual(result["unavailable"], [])

    def test_refusals(self):
        self.assert_refused("simulate", *self.NUMBERS, "--population", "adoption", saying=["kind number", "drift"])
        self.assert_refused("simulate", *SMALL, "--population", "drift", saying=["kind yes_no", "adoption"])
        for text in ("1,1", "2,1", "nan,1", "0,inf", "0"):
            self.assert_refused("simulate", *SMALL, "--value", "number", "--range", text, saying=["range"])
        self.assert_refused("simulate", *self.NUMBERS, "--protocol", "hybrid", saying=["expected protocol innovation"])
        self.assert_refused("simulate", *self.NUMBERS, "--protocol", "exsub", saying=["expected protocol innovation"])
        self.assert_refused("audit", "--value", "number", "--periods", "4097", "--protocol", "innovation", saying=["4096"])


class Labels(CliTest):
    PEOPLE = ("--users", "1500", "--periods", "32", "--changes", "2", "--trials", "40", "--seed", "1")
    LABELS = (*PEOPLE, "--value", "category", "--labels", "5")
    BUCKETS = (*PEOPLE, "--value", "distribution", "--range", "0,80", "--buckets", "16")
    RIVALS = ["grr_once", "oue_once", "subset_once", "grr_repeated", "l_grr", "l_osue", "loloha"]

    def assert_good(self, result):
        for key in KEYS:
            self.assertIn(key, result)
        self.assertLess(abs(result["rmse"] / result["predicted_rmse"] - 1), 0.06, result["population"])
        self.assertLess(abs(result["band_coverage"] - 0.95), 0.02, result["population"])
        self.assertEqual(result["clipped_users"], 0)

    def test_every_population_and_both_engines(self):
        for what, figures in ((self.LABELS, 5), (self.BUCKETS, 15)):
            for more in (("--population", "drift"), ("--population", "static"), ("--engine", "sums")):
                result = self.json("simulate", *what, *more)
                self.assert_good(result)
                self.assertEqual(len(result["series"]), 32)
                self.assertEqual(len(result["last_period"]), figures)
                shown, = [row for row in result["last_period"] if row["label"] == result["shown"]]
                self.assertEqual(result["series"][-1], {key: shown[key] for key in shown if key != "label"})
                if figures == 5:
                    self.assertEqual(sum(row["truth"] for row in result["last_period"]), 1500)
                    self.assertEqual(shown["truth"], max(row["truth"] for row in result["last_period"]))
        # The error of labels is 2 (R - 1) / R times the error of yes/no, and R is 8 here.
        yes_no = self.json("simulate", *self.PEOPLE, "--protocol", "innovation")
        labels = self.json("simulate", *self.LABELS)
        self.assertAlmostEqual(labels["predicted_rmse"] / yes_no["predicted_rmse"], 2 * 7 / 8, 1)

    def test_text_and_csv(self):
        text = self.output("simulate", *self.LABELS)
        self.assertIn("over all labels, periods and trials", text)
        self.assertIn("most frequent label", text)
        self.assertIn("15 thresholds", self.output("simulate", *self.BUCKETS))
        rows = list(csv.DictReader(io.StringIO(self.output("simulate", *self.LABELS, "--format", "csv"))))
        self.assertEqual(len(rows), 32 * 5)
        self.assertEqual([row["label"] for row in rows[:5]], ["1", "2", "3", "4", "5"])

    def test_a_seed_repeats_whatever_the_threads(self):
        for engine in ("users", "sums"):
            once, again = (without_seconds(self.json("simulate", *self.LABELS, "--engine", engine, "--threads", threads))
                           for threads in ("1", "3"))
            self.assertEqual(once, again)

    def test_devices_that_come_and_go(self):
        for what in (self.LABELS, self.BUCKETS):
            result = self.json("simulate", *what, "--joining", "staggered", "--dropout", "0.02", "--offline", "0.1")
            self.assertEqual(result["estimand"], "active")
            self.assertLess(abs(result["band_coverage"] - 0.95), 0.02)
        for flags in (("--attack", "plus"), ("--dropout", "0.1", "--dropout-factor", "2"),
                      ("--joining", "staggered", "--estimand", "enrolled")):
            self.assert_refused("simulate", *self.LABELS, *flags, saying=["expected"])

    def test_the_real_panel(self):
        with open(UPLOADS) as file:
            rows = list(csv.DictReader(file))
        labels = sorted({row["value"] for row in rows})
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join(labels) + "\n")
            file.flush()
            result = self.json("simulate", "--value", "category", "--labels", file.name, "--values", UPLOADS, "--periods", "192",
                               "--changes", "4", "--users", "20000", "--trials", "4", "--seed", "1", "--engine", "sums")
            self.assert_refused("simulate", "--value", "category", "--labels", "3", "--values", UPLOADS, "--periods", "192",
                                saying=[UPLOADS + ":2: column 3, value"])
        last = {row["user"]: row["value"] for row in sorted(rows, key=lambda row: int(row["period"]))}
        for row in result["last_period"]:
            share = list(last.values()).count(row["label"]) / len(last)
            self.assertAlmostEqual(row["truth"] / 20000, share, delta=0.015)
        self.assertGreater(result["clipped_users"], 0)
        self.assertLess(result["clipped_users"], 20000 / 4)

    def test_rivals(self):
        compared = self.json("compare", *self.LABELS)
        results = {row["protocol"]: row for row in compared["results"]}
        self.assertEqual(set(results), {"innovation", *self.RIVALS})
        for name, row in results.items():
            self.assertLess(abs(row["rmse"] / row["predicted_rmse"] - 1), 0.05, name)
            self.assertLess(abs(row["band_coverage"] - 0.95), 0.03, name)
            memoizes = name in ("l_grr", "l_osue", "loloha")
            self.assertEqual(row["guarantee"], "per value only" if memoizes else "private over the whole sequence")
            self.assertEqual(row["note"] is not None, memoizes)
        # The loss of memoizing protocols grows with the periods, unlike their authors' count.
        self.assertIn("its authors count 2.0", results["loloha"]["note"])
        audit = cli_test.run("audit", "--protocol", "l_grr", "--value", "category", "--labels", "5", "--periods", "32",
                             "--format", "json")
        self.assertEqual(audit.returncode, 3)
        self.assertGreater(json.loads(audit.stdout)["exact_epsilon"], 10)
        # Protocols with privacy over the sequence come first.
        order = [row["guarantee"] for row in compared["results"]]
        self.assertEqual(order, sorted(order, key=lambda text: text != "private over the whole sequence"))
        # A plan has the same figures.
        rows = {row["name"]: row for row in self.json("plan", "--users", "1500", "--periods", "32", "--changes", "2",
                                                      "--value", "category", "--labels", "5")["protocols"]}
        for name in self.RIVALS:
            self.assertAlmostEqual(rows[name]["predicted_rmse"], results[name]["predicted_rmse"], 6)

    def test_audited_as_a_black_box(self):
        # Also with many rows.
        for kind in (("category", "--labels", "1000"), ("distribution", "--range", "0,1", "--buckets", "256"), ("text",)):
            found = self.json("audit", "--value", *kind, "--periods", "4", "--changes", "1", "--empirical", "--seed", "1",
                              "--samples", "20000")["empirical"]
            self.assertGreater(found["epsilon_at_least"], 0.6, kind)
            self.assertLessEqual(found["epsilon_at_least"], 1, kind)
        what = ("--value", "category", "--labels", "4", "--periods", "4", "--changes", "1", "--empirical", "--seed", "1",
                "--samples", "60000")
        found = self.json("audit", *what)["empirical"]
        self.assertGreater(found["epsilon_at_least"], 0.5)
        self.assertLessEqual(found["epsilon_at_least"], 1)
        for name in ("grr_once", "oue_once", "grr_repeated"):
            self.assertLessEqual(self.json("audit", *what, "--protocol", name)["empirical"]["epsilon_at_least"], 1)
        self.assert_refused("audit", *what, "--protocol", "loloha", saying=["hash"])

    def test_refusals(self):
        self.assert_refused("simulate", *self.LABELS, "--population", "adoption", saying=["kind category", "drift"])
        self.assert_refused("simulate", *self.PEOPLE, "--value", "text", saying=["category"])
        self.assert_refused("simulate", *self.LABELS, "--protocol", "exsub", saying=["kind category", "innovation"])
        self.assert_refused("simulate", *self.PEOPLE, "--protocol", "l_grr", saying=["kind yes_no", "category"])
        self.assert_refused("simulate", *self.LABELS, "--protocol", "l_grr", "--memo-first", "1", saying=["first"])
        self.assert_refused("simulate", *self.LABELS, "--initial", "zero", saying=["unknown"])


class Once(CliTest):
    def test_a_fact_that_never_changes(self):
        never = ("--users", "3000", "--periods", "32", "--changes", "0", "--trials", "200", "--seed", "1")
        for more in ((), ("--joining", "staggered"), ("--engine", "sums"), ("--population", "static")):
            result = self.json("simulate", *never, *more)
            self.assertEqual(result["protocol"], "once")
            self.assertLess(abs(result["band_coverage"] - 0.95), 0.03, more)
            if "--joining" not in more:
                self.assertAlmostEqual(result["predicted_rmse"], 3000 ** 0.5 / (2 * math.tanh(0.5)), 6)
                self.assertLess(abs(result["rmse"] / result["predicted_rmse"] - 1), 0.25)
        for periods in ("1", "1024"):
            plan = self.json("plan", "--changes", "0", "--periods", periods)
            self.assertEqual(plan["recommended"], "once")
        self.assert_refused("simulate", *never, "--estimand", "active", "--joining", "staggered", saying=["once"])

    def test_is_audited(self):
        audit = self.json("audit", "--changes", "0", "--periods", "16", "--exhaustive", "--empirical", "--seed", "1",
                          "--samples", "20000")
        self.assertEqual(audit["plan"]["protocol"], "once")
        run, = audit["exhaustive"]
        self.assertAlmostEqual(run["exact_epsilon"], 1, 9)
        self.assertGreater(audit["empirical"]["epsilon_at_least"], 0.8)
        self.assertLessEqual(audit["empirical"]["epsilon_at_least"], 1)

    def test_numbers_are_audited_as_a_black_box(self):
        audit = self.json("audit", "--value", "number", "--range", "0,1", "--periods", "6", "--changes", "1", "--empirical",
                          "--seed", "1", "--samples", "100000")
        self.assertGreater(audit["empirical"]["epsilon_at_least"], 0.5)
        self.assertLessEqual(audit["empirical"]["epsilon_at_least"], 1)


class Compare(CliTest):
    def test_all_protocols_on_one_population(self):
        results = self.json("compare", *SMALL, "--engine", "sums")["results"]
        self.assertEqual(sorted(result["protocol"] for result in results), sorted(PROTOCOLS))
        truths = {tuple(period["truth"] for period in result["series"]) for result in results}
        self.assertEqual(len(truths), 1)
        for result in results:
            for key in KEYS:
                self.assertIn(key, result)

    def test_agrees_with_simulate(self):
        compared = self.json("compare", *SMALL, "--protocols", "snapshot,warner")["results"]
        for result in compared:
            alone = self.json("simulate", "--protocol", result["protocol"], *SMALL)
            self.assertEqual(without_seconds(result), without_seconds(alone))

    def test_says_which_protocols_cannot_serve(self):
        result = self.json("compare", *SMALL, "--epsilon", "2", "--engine", "sums")
        self.assertEqual({missing["protocol"] for missing in result["unavailable"]},
                         {"bun", "future_rand", "future_scaled", "once", "pulse"})
        self.assert_refused("compare", "--protocols", "hybrid,bun", "--epsilon", "2", saying=["epsilon"])

    def test_for_papers(self):
        with tempfile.TemporaryDirectory() as folder:
            latex, manifest = os.path.join(folder, "table.tex"), os.path.join(folder, "run.json")
            result = self.json("compare", "--protocols", "warner,thresh", *SMALL, "--engine", "sums", "--latex", latex,
                               "--manifest", manifest, "--thresh-delta", "0.1")
            warner, thresh = result["results"]
            self.assertLess(warner["rmse_lower"], warner["rmse"])
            self.assertLess(warner["rmse"], warner["rmse_upper"])
            self.assertIsNone(thresh["rmse"])
            self.assertIsNone(thresh["max_error"])
            with open(latex) as file:
                table = file.read()
            self.assertRegex(table, r"(?m)^warner & [\d,]+ & \[[\d,]+, [\d,]+\] & [\d,]+ & [\d,]+ & private over")
            self.assertRegex(table, r"(?m)^thresh & no answer & -- & -- & -- & private over")
            self.assertIn(r"\end{tabular}", table)
            with open(manifest) as file:
                kept = json.load(file)
            self.assertEqual(kept["compare"], {
                "protocols": ["warner", "thresh"], "users": 3000, "periods": 32, "changes": 2, "initial": "unknown",
                "value": "yes_no", "range": "0,1", "labels": None, "buckets": "32", "epsilon": "1", "estimator": "online", "level": 0.95, "trials": 2, "engine": "sums", "seed": 1, "population": "uniform",
                "threads": None, "keep_trials": False, "constants": {"thresh_delta": 0.1}})
            self.assertEqual(kept["document"], result)
        once = ("--users", "3000", "--periods", "32", "--changes", "2", "--trials", "1", "--seed", "1")
        self.assertIsNone(self.json("simulate", *once)["rmse_lower"])
        self.assert_refused("compare", "--latex", "/nowhere/table.tex", saying=["/nowhere/table.tex"])

    def test_a_manifest_runs_again(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second, seeds, groups, people = (os.path.join(folder, name) for name in (
                "first.json", "second.json", "seeds.json", "groups.json", "people.csv"))
            few = ("--periods", "16", "--changes", "2", "--trials", "2", "--engine", "sums")
            # A manifest always has a seed. Here it is drawn.
            known = self.json("compare", "--protocols", "warner,lpa", "--users", "900", *few, "--lpa-window", "8", "--level", "0.9",
                              "--value", "yes_no", "--population", "churn", "--manifest", first)["results"]
            self.assertTrue(known[0]["seeded"])
            again = self.json("compare", "--rerun", first, "--manifest", second, "--threads", "1")["results"]
            self.assertEqual([without_seconds(result) for result in known], [without_seconds(result) for result in again])
            with open(first) as file, open(second) as other:
                self.assertEqual({**json.load(file)["compare"], "threads": 1}, json.load(other)["compare"])
            # Values of a file, several seeds, numbers and groups in another order than their names.
            self.output("compare", "--value", "number", "--range=-20,1234567.25", "--users", "300", *few, "--seeds", "4,7",
                        "--manifest", seeds)
            self.assertIn("pooled over 2 seeds", self.output("compare", "--rerun", seeds))

            def write_people(every):
                with open(people, "w") as file:
                    file.write("user,period,value\n" + "".join(f"n {i},{1 + i % every},1\n" for i in range(200)))

            write_people(9)
            self.output("compare", "--protocols", "warner", "--periods", "256", *few[2:], "--seed", "3", "--group", f"old={people}",
                        "--group", f"new={PANEL}", "--manifest", groups)
            self.assertIn("old,warner", self.output("compare", "--rerun", groups, "--format", "csv"))
            # The people of a group changed, so other results come out. The new ones are shown.
            write_people(8)
            changed = cli_test.run("compare", "--rerun", groups, "--format", "csv")
            self.assertEqual(changed.returncode, 1)
            self.assertIn("old,warner", changed.stdout)
            self.assertRegex(changed.stderr, r"\Afuturerand: [^\n]*these results differ from those of the manifest[^\n]*\n\Z")
            self.assert_refused("compare", "--rerun", first, "--seed", "1", saying=["--seed"])
            self.assert_refused("compare", "--rerun", PANEL, saying=["no manifest"])
            self.assert_refused("compare", "--rerun", "/nowhere.json", saying=["/nowhere.json"])
            with open(first) as file:
                kept = json.load(file)
            for changes, saying in (({"seed": None}, "no seed"), ({"population": None}, None), ({"users": 0}, "users: 0"),
                                    ({"magic": 1}, "magic"), ({"protocols": 1}, "no manifest")):
                compare = {**kept["compare"], **changes}
                if saying is None:
                    del compare["population"]
                with open(second, "w") as file:
                    json.dump({**kept, "compare": compare}, file)
                self.assert_refused("compare", "--rerun", second, saying=[saying or "an array in Python"])

    SEEDED = ("--users", "1000", "--periods", "16", "--changes", "2", "--trials", "3", "--engine", "sums")

    def test_several_seeds_are_pooled(self):
        arguments = ("compare", "--protocols", "snapshot,warner", *self.SEEDED)
        with tempfile.TemporaryDirectory() as folder:
            latex, manifest = os.path.join(folder, "table.tex"), os.path.join(folder, "run.json")
            found = self.json(*arguments, "--seeds", "4,7", "--latex", latex, "--manifest", manifest)
            with open(latex) as file:
                self.assertIn("for each of the seeds 4, 7", file.readline())
            with open(manifest) as file:
                self.assertEqual(json.load(file)["compare"]["seed"], [4, 7])
        alone = [self.json(*arguments, "--seed", str(seed))["results"] for seed in (4, 7)]
        self.assertEqual([without_seconds(result) for result in found["results"]],
                         [without_seconds(result) for results in alone for result in results])
        for pooled in found["pooled"]:
            each = [result for result in found["results"] if result["protocol"] == pooled["protocol"]]
            self.assertEqual(pooled["trials"], 6)
            self.assertAlmostEqual(pooled["rmse"] ** 2, sum(result["rmse"] ** 2 for result in each) / 2, delta=1e-6)
            self.assertLess(pooled["rmse_lower"], pooled["rmse"])
            self.assertIsNone(pooled["seed"])
        self.assertIn("pooled over 2 seeds", self.output(*arguments, "--seeds", "4,7"))
        self.assert_refused(*arguments, "--seeds", "4,7", "--seed", "1", saying=["--seeds"])
        self.assert_refused(*arguments, "--seeds", "4,7", "--sweep", "epsilon=1,2", saying=["--seeds"])

    def test_groups_of_users_have_files_of_their_own(self):
        with tempfile.TemporaryDirectory() as folder:
            old, new = os.path.join(folder, "old.csv"), os.path.join(folder, "new.csv")
            with open(old, "w") as file:
                file.write("user,period,value\n" + "".join(f"o{i},{1 + i % 9},1\n" for i in range(300)))
            # A user without changes is listed too, and counts.
            with open(new, "w") as file:
                file.write("user,period,value\n" + "".join(f"n {i},1,0\n" for i in range(200)))
            arguments = ("compare", "--protocols", "snapshot,warner", "--periods", "16", "--changes", "2", "--trials", "2",
                         "--seed", "3", "--engine", "sums")
            groups = (*arguments, "--group", f"old={old}", "--group", f"new={new}")
            manifest = os.path.join(folder, "run.json")
            found = self.json(*groups, "--manifest", manifest)["results"]
            self.assertEqual({(result["group"], result["users"]) for result in found}, {("old", 300), ("new", 200)})
            for name, path in (("old", old), ("new", new)):
                alone = self.json(*arguments, "--values", path)["results"]
                mine = [dict(result) for result in found if result["group"] == name]
                for result in mine:
                    del result["group"]
                self.assertEqual([without_seconds(result) for result in mine], [without_seconds(result) for result in alone])
            self.assertEqual({period["truth"] for result in found if result["group"] == "new" for period in result["series"]}, {0})
            with open(manifest) as file:
                kept = json.load(file)["groups"]
            self.assertEqual({name: group["compare"]["values"] for name, group in kept.items()}, {"old": old, "new": new})
            rows = list(csv.DictReader(io.StringIO(self.output(*groups, "--format", "csv"))))
            self.assertEqual([row["group"] for row in rows], ["old", "old", "new", "new"])
            self.assertIn("group old: ", self.output(*groups))
            self.assert_refused(*arguments, "--group", old, saying=["NAME=FILE"])
            self.assert_refused(*groups, "--values", old, saying=["--group"])

    def test_text_and_csv(self):
        text = self.output("compare", *SMALL, "--engine", "sums")
        for name in PROTOCOLS:
            self.assertRegex(text, rf"(?m)^{name} +" + ("no answer" if name == "thresh" else r"[\d,]+ "))
        rows = list(csv.DictReader(io.StringIO(
            self.output("compare", *SMALL, "--engine", "sums", "--format", "csv"))))
        self.assertEqual(len(rows), len(PROTOCOLS))

    def test_every_column_has_a_legend_and_a_warning_comes_once(self):
        text = self.output("compare", *SMALL, "--engine", "sums")
        for column in ("rmse", "predicted", "largest error", "in band", "bits/user", "first answer"):
            self.assertRegex(text, rf"(?m)^{column}: \w")
        self.assertEqual(text.count("too noisy to be useful"), 1)
        self.assertRegex(text, r"(?m)^warning: too noisy to be useful: [^:]*\bbun\b[^:]*: ")
        # A band of four errors is narrow for the first protocols of the table.
        self.assertNotRegex(text, r"too noisy to be useful: [^:]*\binnovation\b")

    def test_the_page_stands_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.output("compare", *SMALL, "--engine", "sums", "--html", path)
            with open(path) as file:
                page = file.read()
            self.assertEqual(os.listdir(folder), ["page.html"])
        self.assertNotRegex(page, r"https?:|<script|<link|url\((?!#)|@import")
        # There are two charts, each once for wide and once for narrow screens.
        self.assertEqual(page.count("<svg"), len(PROTOCOLS) + 4)
        self.assertEqual(page.count("<title id="), page.count("<svg"))
        self.assertNotIn("nan", re.sub(r"<title>.*?</title>", "", page))
        for name in PROTOCOLS:
            self.assertIn(f'<td data-label="protocol">{name}</td>', page)
        with open(os.path.join(os.path.dirname(__file__), "../dashboard/src/palette.css")) as file:
            palette = file.read()
        self.assertIn(palette, page)
        for color in set(re.findall(r"var\(--([\w-]+)\)", page)):
            self.assertIn(f"--{color}: light-dark(", palette)

    def test_an_unwritable_page_is_refused_at_once(self):
        self.assert_refused("compare", "--trials", "100000", "--html", "/nowhere/page.html",
                            saying=["/nowhere/page.html"])

    def test_an_interrupt_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                [cli_test.COMMAND, "compare", "--trials", "1000000", "--html",
                 os.path.join(folder, "page.html")], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
            deadline = time.monotonic() + 30
            while not os.listdir(folder) and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130)
            self.assertEqual((output, errors), (b"", b"futurerand: interrupted\n"))
            self.assertEqual(os.listdir(folder), [])


class Sweeps(CliTest):
    ARGUMENTS = ("--users", "2000", "--periods", "32", "--trials", "2", "--seed", "1", "--engine", "sums")

    def test_one_call_for_several_values(self):
        sweep = self.json("simulate", *self.ARGUMENTS, "--sweep", "epsilon=0.5,1,2")
        self.assertEqual(sweep["sweep"], "epsilon")
        self.assertEqual([row["value"] for row in sweep["results"]], ["0.5", "1", "2"])
        for row in sweep["results"]:
            alone = self.json("simulate", *self.ARGUMENTS, "--epsilon", row["value"])
            self.assertEqual(without_seconds({k: v for k, v in row.items() if k != "value"}), without_seconds(alone))

    def test_every_parameter(self):
        for parameter, key in (("changes", "max_changes"), ("periods", "periods"), ("users", "users")):
            sweep = self.json("simulate", *self.ARGUMENTS, "--sweep", f"{parameter}=3,9")
            self.assertEqual([row[key] for row in sweep["results"]], [3, 9])

    def test_no_row_is_left_out(self):
        arguments = ("compare", *self.ARGUMENTS, "--sweep", "epsilon=1,2", "--protocols", "hybrid,bun")
        rows = list(csv.DictReader(io.StringIO(self.output(*arguments, "--format", "csv"))))
        self.assertEqual({(row["value"], row["protocol"]) for row in rows},
                         {("1", "hybrid"), ("1", "bun"), ("2", "hybrid"), ("2", "bun")})
        for row in rows:
            unserved = (row["value"], row["protocol"]) == ("2", "bun")
            self.assertEqual(row["rmse"] == "", unserved)
            self.assertEqual("epsilon" in row["unavailable"], unserved)
        text = self.output(*arguments)
        self.assertRegex(text, r"(?m)^ +2 bun +epsilon 2 is out of range")
        self.assertRegex(text, r"(?m)^ +1 bun .*▇")

    def test_a_page_with_a_chart(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.output("compare", *self.ARGUMENTS, "--sweep", "changes=1,2,4", "--html", path)
            with open(path) as file:
                page = file.read()
        self.assertNotRegex(page, r"https?:|<script|<link|url\(|@import")
        self.assertEqual(page.count("<svg"), 2)

    def test_what_is_refused(self):
        for bad in ("epsilon", "epsilon=", "speed=1,2", "=1", "epsilon=1,17", "changes=-1", "users=1.5", "periods=x",
                    "changes=1,,2"):
            self.assert_refused("simulate", "--sweep", bad, saying=["expected"])
        self.assert_refused("simulate", "--sweep", "changes=1,2", "--protocol", "magic", saying=["magic", "hybrid"])
        self.assert_refused("simulate", "--html", "page.html", saying=["--sweep"])

    def test_a_sweep_says_where_estimates_are_too_noisy(self):
        text = self.output("simulate", *self.ARGUMENTS, "--sweep", "epsilon=0.1,4")
        self.assertRegex(text, r"(?m)^warning: epsilon 0.1: too noisy to be useful: innovation: ")
        self.assertEqual(text.count("too noisy"), 1)
        self.assertRegex(text, r"(?m)^in band: ")


class Warnings(CliTest):
    def test_an_estimate_that_is_too_noisy_says_so(self):
        few = ("simulate", "--users", "700", "--seed", "1", "--engine", "sums", "--trials", "1")
        self.assertIn("too noisy to be useful", self.json(*few)["warning"])
        self.assertIn("too noisy to be useful", self.output(*few))
        many = ("simulate", "--users", "100000", "--seed", "1", "--engine", "sums", "--trials", "1")
        self.assertIsNone(self.json(*many)["warning"])
        self.assertNotIn("too noisy", self.output(*many))

    def test_one_is_not_many(self):
        text = self.output("simulate", "--users", "1", "--periods", "1", "--changes", "1", "--trials", "1", "--seed", "1")
        for words in ("1 user ", "1 period,", "1 change ", "1 trial,"):
            self.assertIn(words, text)

    def test_populations_are_described(self):
        for command in ("simulate", "compare", "swarm"):
            text = self.output(command, "--help")
            for words in ("nine in ten turn on once", "three in ten hold 1 throughout"):
                self.assertIn(words, re.sub(r"\s+", " ", text))


class Demo(CliTest):
    def test_tells_the_whole_story(self):
        text = self.output("demo")
        for part in ("ON ONE DEVICE", '"signs":"', "ON THE SERVER", "true count", "THE CERTIFICATE",
                     ": certified."):
            self.assertIn(part, text)


class Help(CliTest):
    def test_every_command_has_an_example_that_works(self):
        for command in ("demo", "simulate", "compare"):
            example = self.output(command, "--help").split("Example: futurerand ")[1]
            words = example.splitlines()[0].split()
            with tempfile.TemporaryDirectory() as folder:
                words = [os.path.join(folder, word) if word.endswith(".html") else word
                         for word in words]
                self.output(*words)


if __name__ == "__main__":
    cli_test.COMMAND = sys.argv.pop(1)
    unittest.main()
