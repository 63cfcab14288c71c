"""The command line from a user's view: usage: cli_test.py FUTURERAND [unittest arguments]"""
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LAWS = ["warner", "erlingsson", "bun", "future_rand", "optimal"]
COMMAND = None
TIMEOUT = 120  # seconds for one command


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=TIMEOUT)


class CliTest(unittest.TestCase):
    def output(self, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def json(self, *arguments):
        return json.loads(self.output(*arguments, "--format", "json"))

    def assert_refused(self, *arguments, saying=()):
        with self.subTest(arguments=arguments):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual(result.stdout, "")
            self.assertRegex(result.stderr, r"\Afuturerand: [^\n]+\n\Z")
            for part in saying:
                self.assertIn(part, result.stderr)


class Audit(CliTest):
    def test_every_law_is_certified(self):
        for law in LAWS:
            audit = self.json("audit", "--protocol", law, "--changes", "5", "--epsilon", "0.7")
            self.assertEqual(audit["protocol"], law)
            self.assertEqual(audit["max_changes"], 5)
            self.assertEqual(audit["epsilon"], 0.7)
            self.assertIs(audit["certified"], True)
            self.assertGreater(audit["gap"], 0)
            self.assertGreater(audit["exact_epsilon"], 0)
            self.assertLessEqual(audit["exact_epsilon"], 0.7 * (1 + 1e-15))

    def test_values_of_the_oracle(self):
        audit = self.json("audit", "--protocol", "future_rand", "--changes", "1", "--initial", "zero", "--epsilon", "0.25")
        self.assertTrue(math.isclose(audit["gap"], 0.0249947929684207, rel_tol=1e-12))
        self.assertTrue(math.isclose(audit["exact_epsilon"], 0.05, rel_tol=1e-12))

    def test_text_says_the_same(self):
        for law in LAWS:
            text = self.output("audit", "--protocol", law, "--changes", "5", "--epsilon", "0.7")
            audit = self.json("audit", "--protocol", law, "--changes", "5", "--epsilon", "0.7")
            self.assertRegex(text, r"certified +yes")
            self.assertIn(f"{audit['exact_epsilon']:.12g}", text)
            self.assertIn(f"{audit['gap']:.12g}", text)

    def test_the_table_has_a_legend_and_says_what_it_leaves_out(self):
        text = self.output("audit", "--protocol", "future_rand", "--periods", "8")
        self.assertIn("(the same law at each of the 4 orders)", text)
        self.assertRegex(text, r"(?m)^signs: .*; gap: ")

    def test_exhaustive(self):
        arguments = ("--periods", "4", "--changes", "2", "--exhaustive")
        for law in LAWS:
            audit = self.json("audit", "--protocol", law, *arguments)
            self.assertEqual([order["length"] for order in audit["exhaustive"]], [4, 2, 1])
            for order in audit["exhaustive"]:
                for key in ("property_one", "property_two", "property_three", "ratio_bounded"):
                    self.assertIs(order[key], True)
                self.assertLessEqual(order["exact_epsilon"], audit["exact_epsilon"] * (1 + 1e-14))
        self.assertIn("exact weights", self.output("audit", "--protocol", "bun", *arguments))

    def test_the_most_changes(self):
        for law in LAWS:
            self.assertTrue(self.json("audit", "--protocol", law, "--changes", "4096", "--initial", "zero")["certified"])

    def test_what_is_out_of_range(self):
        for changes in ("4097", "-1", "1.5", "many", "", "99999999999999999999"):
            self.assert_refused("audit", "--changes", changes, saying=["--changes"])
        self.assert_refused("audit", "--changes", "0", "--initial", "zero", saying=["max changes 0", "expected 1 to 4096"])
        self.assert_refused("audit", "--changes", "4096", saying=["max changes 4096", "expected 0 to 4095"])
        self.assert_refused("audit", "--initial", "one", saying=["--initial", "expected unknown or zero"])
        for periods in ("0", "1048577", "-1", "1.5", "many", "", "99999999999999999999"):
            self.assert_refused("audit", "--periods", periods, saying=["--periods"])
        for epsilon in ("0", "0.000000999", "16.000000001", "17", "1e30", "-1", "nan", "inf", "1e-3",
                        "0.1234567891", "one", "1,5"):
            self.assert_refused("audit", "--protocol", "optimal", "--epsilon", epsilon,
                                saying=["epsilon", "expected"])
        for law in ("bun", "future_rand"):
            self.assert_refused("audit", "--protocol", law, "--epsilon", "1.000000001",
                                saying=["epsilon", law, "expected"])
        self.assert_refused("audit", "--protocol", "none", saying=["--protocol", *LAWS])
        self.assert_refused("audit", "--format", "xml", saying=["--format", "json"])
        self.assert_refused("audit", "--protocol", "optimal", "--periods", "64", "--exhaustive",
                            saying=["too many", "expected"])


    def test_the_certificate_is_one_lossless_document(self):
        for law in (*LAWS, "hybrid"):
            audit = self.json("audit", "--protocol", law, "--periods", "64")
            self.assertEqual(audit["periods"], 64)
            self.assertEqual(audit["verdict"], "certified")
            self.assertEqual("futurerand " + audit["version"] + "\n", self.output("--version"))
            # Anyone can compute the digest: keys keep their written order.
            text = json.dumps(audit["plan"], separators=(",", ":"))
            self.assertEqual(audit["digest"], "sha256:" + hashlib.sha256(text.encode()).hexdigest())
            self.assertEqual(len(audit["views"]), len(audit["plan"]["views"]))
            for view, planned in zip(audit["views"], audit["plan"]["views"], strict=True):
                self.assertEqual(view["integers"], planned["law"])
                for key in ("flip", "low_side", "high_side"):
                    self.assertIsInstance(view["integers"].get(key, ""), str)

    def test_a_plan_from_a_file(self):
        typed = self.json("audit", "--protocol", "optimal", "--periods", "32", "--epsilon", "0.5")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.json")
            for document in (typed, typed["plan"], {"futurerand": 1, "plan": typed["plan"], "seeded": False}):
                for indent in (None, 2):
                    with open(path, "w") as file:
                        json.dump(document, file, indent=indent)
                    self.assertEqual(self.json("audit", "--plan", path), typed)
            # A plan with an unfounded promise is reported, with its own exit status.
            broken = json.loads(json.dumps(typed["plan"]))
            broken["epsilon"] = "0.1"
            with open(path, "w") as file:
                json.dump(broken, file)
            result = run("audit", "--plan", path, "--format", "json")
            self.assertEqual(result.returncode, 3)
            self.assertEqual(json.loads(result.stdout)["verdict"], "not certified")
            self.assertIn("NOT private at epsilon 0.1", result.stderr)
            # It has no guarantee, and shuffling gives it none.
            self.assertIsNone(json.loads(result.stdout)["guarantee"])
            self.assertIsNone(json.loads(result.stdout)["shuffled"]["central_epsilon"])
            told = run("audit", "--plan", path).stdout
            self.assertRegex(told, r"certified +NO")
            self.assertNotRegex(told, "guarantee|shuffled")
            self.assert_refused("audit", "--plan", path, "--epsilon", "1", saying=["--plan", "--epsilon"])
            with open(path, "w") as file:
                file.write("no plan")
            self.assert_refused("audit", "--plan", path, saying=[path, "expected"])
        self.assert_refused("audit", "--plan", "/nowhere", saying=["/nowhere"])

    def test_exhaustive_of_hybrid_has_its_law_of_changes(self):
        for epsilon in ("1", "4"):
            audit = self.json("audit", "--protocol", "hybrid", "--periods", "4", "--changes", "2", "--epsilon",
                              epsilon, "--exhaustive")
            changes = [run for run in audit["exhaustive"] if "changes" in run["view"]]
            self.assertEqual([run["length"] for run in changes], [4])
            for run_ in audit["exhaustive"]:
                self.assertIs(run_["property_one"], True)
                self.assertIs(run_["ratio_bounded"], True)

    def test_no_shuffler_is_promised(self):
        # Without a shuffler nobody has this guarantee, so it is shown only if asked for.
        for command in ("audit", "plan"):
            self.assertNotRegex(self.output(command), "shuffle|central ")
            self.assertRegex(self.output(command, "--delta", "1e-6"), "none ships|no shuffler ships")
        self.assertIn("none ships", self.json("audit")["shuffled"]["note"])


class Plan(CliTest):
    KEYS = {"name", "sequence_private", "online", "gap", "predicted_rmse", "predicted_max_error"}

    def test_json(self):
        plan = self.json("plan", "--users", "50000", "--periods", "64", "--changes", "3")
        rows = {row["name"]: row for row in plan["protocols"]}
        self.assertLessEqual(set(LAWS), set(rows))
        for row in rows.values():
            self.assertLessEqual(self.KEYS, set(row))
        for law in LAWS:
            self.assertIs(rows[law]["sequence_private"], True)
            self.assertIs(rows[law]["online"], True)
            self.assertGreater(rows[law]["predicted_max_error"], rows[law]["predicted_rmse"])
        private = [row for row in rows.values()
                   if row["sequence_private"] and row["predicted_rmse"] is not None]
        best = min(private, key=lambda row: row["predicted_rmse"])
        self.assertEqual(plan["recommended"], best["name"])

    def test_a_protocol_out_of_its_range_has_nulls(self):
        plan = self.json("plan", "--epsilon", "2")
        rows = {row["name"]: row for row in plan["protocols"]}
        for name in ("bun", "future_rand"):
            self.assertIsNone(rows[name]["gap"])
            self.assertIsNone(rows[name]["predicted_rmse"])
        self.assertNotIn(plan["recommended"], ("bun", "future_rand", None))

    def test_metrics_under_one_budget(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "metrics.json")

            def write(text):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text if isinstance(text, str) else json.dumps(text))

            flags = ("plan", "--users", "100000", "--changes", "2", "--initial", "zero", "--epsilon", "4", "--metrics", path)
            write({"name": "settings", "metrics": [{"name": name} for name in "abcd"]})
            plan = self.json(*flags)
            self.assertEqual(plan["recommended"], "split_devices")
            self.assertAlmostEqual(100 * plan["split_epsilon_error"], 2.26, delta=0.03)
            self.assertAlmostEqual(100 * plan["split_devices_error"], 1.16, delta=0.02)
            self.assertEqual(plan["group"], {"name": "settings", "shares": {name: 1 for name in "abcd"}})
            # The first column is what `plan` says of one metric at a quarter of epsilon.
            alone = self.json("plan", "--users", "100000", "--changes", "2", "--initial", "zero", "--epsilon", "1")
            row = next(row for row in alone["protocols"] if row["name"] == alone["recommended"])
            self.assertAlmostEqual(plan["metrics"][0]["split_epsilon"]["share_error"], row["predicted_rmse"] / 100_000, places=9)
            text = self.output(*flags)
            self.assertIn("recommended: split devices", text)
            self.assertIn('"group":{"name":"settings","shares":{"a":1,"b":1,"c":1,"d":1}}', text)
            write({"metrics": [{"name": name, "periods": 4, "changes": 1} for name in "ab"]})
            self.assertIn("recommended: split epsilon", self.output("plan", "--epsilon", "16", "--metrics", path))
            for wrong, part in (("[", "JSON"), ({"metrics": [{"name": "a"}]}, "expected 2 to 64"), ({"metrics": [{"name": "a", "weight": 0}, {"name": "b"}]}, "weight is 0"),
                                ({"metrics": [{"name": "a", "period": 3}, {"name": "b"}]}, "unknown key 'period'")):
                write(wrong)
                self.assert_refused("plan", "--metrics", path, saying=[path, part])
            self.assert_refused("plan", "--metrics", path, "--window", "90", saying=["--window"])
        self.assert_refused("plan", "--metrics", "/nowhere", saying=["/nowhere"])

    def test_a_plan_that_is_too_noisy_says_so(self):
        warned = []
        for users in (700, 4_900, 5_200, 100_000):
            plan = self.json("plan", "--users", str(users), "--initial", "zero")
            best = next(row for row in plan["protocols"] if row["name"] == plan["recommended"])
            # A 95% band is 1.96 errors to each side; half as wide as there are users is too wide.
            too_noisy = 2 * 1.959964 * best["predicted_rmse"] >= users / 2
            self.assertEqual("warning" in plan, too_noisy, users)
            text = self.output("plan", "--users", str(users), "--initial", "zero")
            self.assertEqual("warning: the estimate is too noisy to be useful" in text, too_noisy, users)
            warned.append(too_noisy)
        self.assertEqual(warned, [True, True, False, False])

    def test_users_needed_for_a_target(self):
        arguments = ("plan", "--target-error", "0.01", "--users")
        row = self.json(*arguments, "1000")["protocols"][0]
        users = str(math.ceil(row["users_needed"]))
        again = self.json(*arguments, users)["protocols"][0]
        self.assertAlmostEqual(again["predicted_rmse"] / float(users), 0.01, places=5)

    def test_text(self):
        text = self.output("plan")
        for word in (*LAWS, "gap", "rmse", "recommended"):
            self.assertIn(word, text)

    def test_what_is_out_of_range(self):
        for users in ("0", "-1", "1.5", "many", "", "1099511627777"):
            self.assert_refused("plan", "--users", users, saying=["--users"])
        for changes in ("4097", "-1", "many"):
            self.assert_refused("plan", "--changes", changes, saying=["--changes"])
        for periods in ("0", "1048577", "-1", "many"):
            self.assert_refused("plan", "--periods", periods, saying=["--periods"])
        for epsilon in ("0", "17", "-1", "nan", "1e-3"):
            self.assert_refused("plan", "--epsilon", epsilon, saying=["epsilon", "expected"])
        for target in ("0", "-1", "1.1", "nan", "inf", "some"):
            self.assert_refused("plan", "--target-error", target, saying=["--target-error"])
        self.assert_refused("plan", "--format", "yaml", saying=["--format", "json"])
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as nobody:
            nobody.write("user,period,value\n")
            nobody.flush()
            self.assert_refused("plan", "--values", nobody.name, saying=["no users; expected a row"])


class Usage(CliTest):
    def test_unknown(self):
        self.assert_refused("adit", saying=["'adit'", "audit", "plan"])
        self.assert_refused("")
        self.assert_refused("--nonsense", saying=["see futurerand --help"])
        self.assert_refused("audit", "--nonsense", saying=["see futurerand audit --help"])
        self.assertRegex(self.output("--version"), r"\Afuturerand \d+\.\d+\.\d+\n\Z")
        for command in ("audit", "plan"):
            self.assert_refused(command, "--nonsense", saying=["--nonsense"])
            self.assert_refused(command, "nonsense", saying=["nonsense"])
            self.assert_refused(command, "--changes", saying=["--changes"])
            self.assert_refused(command, "--changes", "1", "--changes", "2", saying=["--changes"])

    def test_a_wrong_command_line_is_named_and_mended(self):
        commands = "demo, plan, audit, "
        for words, error in (
                ((), f"no command; expected one of {commands}"),
                (("--nonsense",), f"unknown flag '--nonsense'; expected one of {commands}"),
                (("metric",), "no command; expected one of create, list, "),
                (("metric", "--nonsense"), "unknown flag '--nonsense'; expected one of create, list, "),
                (("metric", "lst"), "unknown command 'lst'; expected one of create, list, "),
                (("plan", "--nonsense"), "unknown flag '--nonsense'; "),
                (("simulate", "1", "--nonsense", "2"), "unknown flag '--nonsense'; "),
                (("plan", "more"), "unexpected argument 'more'; "),
                (("plan", "--users"), "--users: no value; expected N; "),
                (("plan", "--users", "1", "--users", "2"), "--users: given 2 times; expected once; "),
                (("plan", "--format", "yaml"), "--format: 'yaml' is unknown; expected text or json; "),
                (("compare", "--seeds", "a"), "--seeds: 'a' has the wrong form; "),
                (("metric", "list", "--state", "shut"), "--state: 'shut' is unknown; expected waiting, open, grace or closed; "),
                (("metric", "merge", "one"), "files: 1 given; expected at least 2; "),
                (("serve", "--threads", "many"), "--threads: 'many' is not in the range; expected 1 to 256; "),
                (("swarm", "--metric", "m", "--lost", "2"), "--lost: '2' is not in the range; expected 0 to 1; ")):
            self.assert_refused(*words, saying=[f"futurerand: {error}"])
        self.assertNotIn("manual", run().stderr)  # a hidden command

    def test_a_message_is_one_line_whatever_was_typed(self):
        self.assert_refused("two\nlines")
        self.assert_refused("audit", "--protocol", "two\nlines")
        self.assert_refused("audit", "--epsilon", "1\n2")

    def test_help_has_an_example(self):
        for arguments in (("--help",), ("audit", "--help"), ("plan", "--help"), ("-h",)):
            self.assertRegex(self.output(*arguments), r"Example: futurerand \w+")

    def test_examples_of_the_help_work(self):
        for command in ("audit", "plan"):
            words = self.output(command, "--help").split("Example: futurerand ")[1].splitlines()[0].split()
            self.output(*words)


class Ledger(CliTest):
    GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/golden/client/hybrid")

    def test_says_what_was_spent_and_what_fits(self):
        with tempfile.TemporaryDirectory() as folder:
            state = shutil.copytree(self.GOLDEN, os.path.join(folder, "state"))
            with open(os.path.join(state, "ledger"), "rb") as file:
                before = file.read()
            shown = self.json("ledger", state)
            self.assertEqual((shown["ceiling"], shown["spent"], shown["left"]), ("16", "1", "15"))
            self.assertIsNone(shown["window"])
            self.assertEqual(shown["next"]["epsilon"], "1")
            self.assertIsNotNone(shown["next"]["from"])
            self.assertEqual([entry["metric"] for entry in shown["metrics"]], ["hybrid"])
            self.assertIsNone(self.json("ledger", state, "--epsilon", "15.5")["next"]["from"])
            text = self.output("ledger", state)
            self.assertIn("spent   1 of 16, for ever", text)
            self.assertIn("a metric with epsilon 1 fits now", text)
            self.assertIn("epsilon 15.5 never fits", self.output("ledger", state, "--epsilon", "15.5"))
            with open(os.path.join(state, "ledger"), "rb") as file:
                self.assertEqual(file.read(), before)

    def test_refuses_what_is_no_ledger(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assert_refused("ledger", folder, saying=["there is no ledger"])
            with open(os.path.join(folder, "ledger"), "wb") as file:
                file.write(b"frledger")
            self.assert_refused("ledger", folder, saying=["the device's ledger"])
        self.assert_refused("ledger", saying=["DIR"])


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    unittest.main()
