"""randomize and estimate from a user's view: usage: reports_test.py FUTURERAND"""
import csv
import io
import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import CliTest, run

PANEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "abseil-large-files.csv")
PROTOCOLS = ["innovation", "hybrid", "optimal", "future_rand", "warner", "erlingsson", "bun", "snapshot",
             "repeated"]
SEEDED = "futurerand: seeded: reproducible, and never to be used for real data\n"


class FilesTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", newline="", encoding="utf-8") as file:
            file.write(text)
        return path

    def files(self):
        return sorted(os.listdir(self.folder))

    def randomize(self, values, *arguments):
        """Returns the lines of seeded devices."""
        result = run("randomize", "--values", values, "--seed", "1", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, SEEDED)
        return result.stdout.splitlines()


class Randomize(FilesTest):
    def test_lines_of_the_contract(self):
        values = self.write("values.csv", "user,period,value\n7,3,1\n2,1,1\n7,9,0\n")
        for protocol in PROTOCOLS:
            lines = self.randomize(values, "--periods", "10", "--changes", "2", "--users", "5",
                                   "--protocol", protocol)
            header = json.loads(lines[0])
            self.assertEqual(list(header), ["futurerand", "plan", "seeded"])
            self.assertEqual(header["futurerand"], 1)
            self.assertIs(header["seeded"], True)
            plan = header["plan"]
            self.assertEqual(plan["protocol"], protocol)
            self.assertEqual([plan["periods"], plan["max_changes"], plan["epsilon"]], [10, 2, "1"])
            enrolled = {}
            for line in map(json.loads, lines[1:]):
                self.assertRegex(line["client"], r"\A[0-9a-f]{32}\Z")
                if "view" in line:
                    self.assertNotIn(line["client"], enrolled)
                    self.assertEqual(line["period"], 1)
                    view = plan["views"][line["view"]]
                    self.assertEqual("index" in line, view["kind"] == "snapshot")
                    enrolled[line["client"]] = (line.get("index", 1), view)
                else:
                    first, view = enrolled[line["client"]]
                    self.assertEqual(line["index"], first)
                    self.assertRegex(line["signs"], r"\A[+-]+\Z")
                    count = 1 if view["kind"] == "snapshot" else 10 >> view["order"]
                    self.assertEqual(len(line["signs"]), count)
            self.assertEqual(len(enrolled), 5)

    def test_a_seed_repeats_and_entropy_does_not(self):
        arguments = ("randomize", "--values", PANEL, "--periods", "256")
        self.assertEqual(self.randomize(PANEL, "--periods", "256"),
                         self.randomize(PANEL, "--periods", "256"))
        once, again = self.output(*arguments), self.output(*arguments)
        self.assertIn('"seeded":false', once.splitlines()[0])
        self.assertEqual(once.splitlines()[0], again.splitlines()[0])
        ids = [set(re.findall(r'"client":"(\w+)"', text)) for text in (once, again)]
        self.assertFalse(ids[0] & ids[1])

    def test_output_is_the_same_in_a_file(self):
        lines = self.randomize(PANEL, "--periods", "256")
        path = os.path.join(self.folder, "reports.jsonl")
        self.assertEqual(self.randomize(PANEL, "--periods", "256", "--output", path), [])
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), lines)
        self.assertEqual(self.files(), ["reports.jsonl"])

    def test_bad_values(self):
        good = "user,period,value\n1,2,1\n"
        output = ("--output", os.path.join(self.folder, "out"))
        for text, line, saying in [
            ("", 1, "user,period,value"),
            ("user,time,value\n1,2,1\n", 1, "user,period,value"),
            ("1,2,1\n", 1, "user,period,value"),
            (good + "2,x,1\n", 3, "period"),
            (good + ",3,1\n", 3, "user"),
            (good + "2,3\n", 3, ""),
            (good + "2,3,1,x\n", 3, ""),
            (good + "2,0,1\n", 3, "1 to 8"),
            (good + "2,9,1\n", 3, "1 to 8"),
            (good + "2,3,2\n", 3, "0 or 1"),
            (good + "1,2,0\n", 3, "line 2"),
            (good + "2,3,1\0\n", 3, ""),
        ]:
            values = self.write("values.csv", text)
            self.assert_refused("randomize", "--values", values, "--periods", "8", *output,
                                saying=[f"{values}:{line}: ", saying, "expected"])
            self.assertEqual(self.files(), ["values.csv"])

    def test_errors_never_quote_the_file(self):
        for row in ("ann,9,1", "1,ann,1", "1,3,ann", "1,3,1,ann", "ann"):
            values = self.write("values.csv", f"user,period,value\n{row}\n")
            for command in ("randomize", "simulate"):
                result = run(command, "--values", values, "--periods", "8")
                self.assertEqual(result.returncode, 2)
                self.assertNotIn("ann", result.stderr.replace(values, ""))

    def test_bad_usage(self):
        values = self.write("values.csv", "user,period,value\n1,2,1\n5,1,1\n")
        self.assert_refused("randomize", saying=["--values"])
        self.assert_refused("randomize", "--values", values + ".no", saying=[values + ".no", "expected"])
        self.assert_refused("randomize", "--values", self.folder, saying=[self.folder, "expected"])
        self.assert_refused("randomize", "--values", values, "--users", "1",
                            saying=["--users 1", "expected at least 2"])
        self.assert_refused("randomize", "--values", values, "--epsilon", "17", saying=["0.000001 to 16"])
        self.assert_refused("randomize", "--values", values, "--protocol", "rappor",
                            saying=["'rappor'", "hybrid"])
        self.assert_refused("randomize", "--values", self.write("empty.csv", "user,period,value\n"),
                            saying=["no users", "--users"])
        missing = os.path.join(self.folder, "no", "out")
        self.assert_refused("randomize", "--values", values, "--output", missing,
                            saying=[missing, "cannot be written", "expected"])

    def test_a_full_disk_is_told(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run(
                [cli_test.COMMAND, "randomize", "--values", PANEL, "--periods", "256"],
                stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Afuturerand: standard output cannot be written [^\n]+\n\Z")

    def test_an_interrupt_leaves_nothing_behind(self):
        values = self.write("values.csv", "user,period,value\n1,2,1\n")
        process = subprocess.Popen(
            [cli_test.COMMAND, "randomize", "--values", values, "--periods", "1024", "--users",
             "100000000", "--output", os.path.join(self.folder, "out")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            if len(self.files()) > 1:
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertEqual(err, "futurerand: interrupted\n")
        self.assertEqual(self.files(), ["values.csv"])


class Estimate(FilesTest):
    def lines(self, *arguments):
        """Returns a header, three enrolments of view 0, 1, 0 and their reports; index 4 is the last of view 0."""
        plan = json.loads(self.randomize(
            self.write("v.csv", "user,period,value\n"), "--users", "1", "--protocol", "optimal",
            "--periods", "4", "--changes", "1")[0])["plan"]
        os.remove(os.path.join(self.folder, "v.csv"))
        client = lambda digit: digit * 32
        lines = [{"futurerand": 1, "plan": plan, "seeded": False}]
        lines += [{"client": client(c), "view": v, "period": 1} for c, v in (("a", 0), ("b", 1), ("c", 2))]
        lines += [{"client": client("a"), "index": 1, "signs": "+-+"},
                  {"client": client("b"), "index": 1, "signs": "-"},
                  {"client": client("a"), "index": 4, "signs": "-"},
                  {"client": client("b"), "index": 2, "signs": "-"},
                  {"client": client("c"), "index": 1, "signs": "+"}]
        return [json.dumps(line) for line in lines]

    def estimate(self, lines, *arguments):
        return self.output("estimate", "--reports", self.write("reports", "\n".join(lines) + "\n"),
                           "--format", "csv", *arguments)

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.estimate(self.lines()))))
        self.assertEqual(",".join(rows[0]), "period,from,to,estimate,stddev,lower,upper,share,share_lower,share_upper,"
                                            "reports,expected")
        self.assertEqual([row["period"] for row in rows], ["1", "2", "3", "4"])
        for row in rows:
            self.assertEqual((row["from"], row["to"]), ("", ""))  # a file has no dates
            estimate, stddev, lower, upper, share = (float(row[key]) for key in ("estimate", "stddev", "lower", "upper", "share"))
            self.assertTrue(math.isclose(share, estimate / 3, rel_tol=1e-9))
            self.assertGreater(stddev, 0)
            self.assertTrue(math.isclose(upper - estimate, 1.959963984540054 * stddev, rel_tol=1e-9))
            self.assertTrue(math.isclose(estimate - lower, 1.959963984540054 * stddev, rel_tol=1e-9))

    def test_a_band_for_the_whole_curve_is_wider_and_no_wider_than_bonferroni(self):
        rows = list(csv.DictReader(io.StringIO(self.estimate(self.lines(), "--band", "simultaneous"))))
        widths = [(float(row["upper"]) - float(row["estimate"])) / float(row["stddev"]) for row in rows]
        for width in widths:
            self.assertTrue(math.isclose(width, widths[0], rel_tol=1e-9))
        normal = statistics.NormalDist()
        self.assertGreater(widths[0], normal.inv_cdf(1 - 0.05 / 2))
        self.assertLess(widths[0], normal.inv_cdf(1 - 0.05 / (2 * len(rows))) + 1e-9)

    def test_json_says_the_same(self):
        reports = self.write("reports", "\n".join(self.lines()))
        result = self.json("estimate", "--reports", reports, "--level", "0.5", "--estimator", "hindsight")
        self.assertEqual(result["devices"], 3)
        self.assertEqual(result["level"], 0.5)
        self.assertEqual(result["estimator"], "hindsight")
        self.assertIs(result["seeded"], False)
        rows = list(csv.DictReader(io.StringIO(self.estimate(self.lines(), "--level", "0.5"))))
        for row, entry in zip(rows, result["periods"]):
            self.assertEqual({key: float(value) if value else None for key, value in row.items()},
                             {key: entry[key] for key in row})
        self.assertEqual([(e["reports"], e["expected"]) for e in result["periods"]],
                         [(1, 1), (2, 2), (1, 1), (3, 3)])

    def test_standard_input_and_text(self):
        text = "\n".join(self.lines()) + "\n"
        result = subprocess.run([cli_test.COMMAND, "estimate"], input=text, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("optimal: 3 devices, 4 periods", result.stdout)
        self.assertNotIn("never to be used", result.stdout)
        seeded = text.replace('"seeded": false', '"seeded": true')
        result = subprocess.run([cli_test.COMMAND, "estimate"], input=seeded, capture_output=True, text=True)
        self.assertIn("never to be used for real data", result.stdout)

    def test_order_of_clients_does_not_matter(self):
        lines = self.lines()
        self.assertEqual(self.estimate(lines),
                         self.estimate([lines[i] for i in (0, 3, 8, 1, 4, 2, 6, 5, 7)]))

    def refuse(self, lines, number, *saying, extra=()):
        reports = self.write("reports", "\n".join(lines) + "\n")
        place = f"{reports}:{number}: " if number else f"{reports}: "
        self.assert_refused("estimate", "--reports", reports, "--output",
                            os.path.join(self.folder, "out"), *extra, saying=[place, "expected", *saying])
        self.assertEqual(self.files(), ["reports"])

    def test_bad_lines(self):
        lines = self.lines()

        def changed(number, old, new):
            line = lines[number - 1]
            self.assertIn(old, line)
            return lines[:number - 1] + [line.replace(old, new)] + lines[number:]

        self.refuse(changed(7, '"index": 4', '"index": 3'), 7, "all of it again")
        self.refuse(changed(7, '"index": 4, "signs": "-"', '"index": 3, "signs": "--"'), 7,
                    "in part again", "expected index 4")
        self.refuse(changed(5, '"signs": "+-+"', '"signs": "+-"'), 7, "skips", "expected index 3")
        self.refuse(changed(5, '"index": 1', '"index": 2'), 5, "skips", "expected index 1")
        self.refuse(changed(7, '"signs": "-"', '"signs": "--"'), 7, "its view does not have", "index 4")
        self.refuse(changed(6, "b" * 32, "d" * 32), 6, "before it enrolled")
        self.refuse(lines[:1] + lines[4:5] + lines[1:4], 2, "before it enrolled")
        self.refuse(lines[:2] + lines[1:], 3, "enrols again")
        self.refuse(changed(3, "b" * 32, "a" * 32), 3, "enrols again")
        self.refuse(changed(3, '"view": 1', '"view": 3'), 3, "expected 0 to 2")
        self.refuse(changed(3, '"period": 1', '"period": 5'), 3, "expected 1 to 4")
        self.refuse(changed(3, '"period": 1', '"period": 1, "index": 2'), 3, "snapshot view only")
        self.refuse(changed(5, '"+-+"', '"+0+"'), 5, "'+0+'")
        self.refuse(changed(5, '"signs"', '"value"'), 5, "a report (client, index, signs)")
        self.refuse(lines[:4] + lines[:1] + lines[4:], 5, "a second header")
        self.refuse(lines[:4] + [""] + lines[4:], 5, "JSON object")

    def test_foreign_files(self):
        self.refuse(["user,period,value", "1,2,1"], 1, "JSON object")
        self.refuse(self.lines()[1:], 1, "no header")
        reports = self.write("reports", '{"futurerand":2,"plan":{}}\n')
        self.assert_refused("estimate", "--reports", reports, saying=[reports + ":1: ", "version 2", "version 1"])
        self.assert_refused("estimate", "--reports", self.write("reports", ""),
                            saying=["empty; expected the header"])
        self.assert_refused("estimate", "--reports", self.write("reports", "\0" * 3_000_000),
                            saying=["more than 2097152 bytes"])
        self.assert_refused("estimate", "--reports", PANEL, saying=[PANEL + ":1: "])
        self.assert_refused("estimate", "--reports", os.path.join(self.folder, "no"), saying=["cannot be read"])
        self.assert_refused("estimate", "--reports", self.folder, saying=["cannot be read"])
        self.assert_refused("estimate", "--estimator", "best", saying=["online, hindsight or trend"])

    def test_every_truncation_is_refused(self):
        text = "\n".join(self.lines()) + "\n"
        for size in range(0, len(text) - 1, 7):
            reports = self.write("reports", text[:size])
            with self.subTest(size=size):
                result = run("estimate", "--reports", reports)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertRegex(result.stderr, r"\Afuturerand: [^\n]+expected[^\n]*\n\Z")
        # At the end of a line it checks the missing reports.
        self.refuse(self.lines()[:-1], 0, "ends early", "0 of 1 reports of view 2, index 1 (period 4)")
        self.assertIn("4,", self.estimate(self.lines()[:-1], "--incomplete"))

    def test_an_unwritable_output_is_refused(self):
        reports = self.write("reports", "\n".join(self.lines()))
        missing = os.path.join(self.folder, "no", "out")
        self.assert_refused("estimate", "--reports", reports, "--output", missing, saying=[missing])
        path = os.path.join(self.folder, "out")
        self.assertEqual(self.output("estimate", "--reports", reports, "--format", "csv", "--output", path), "")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), self.output("estimate", "--reports", reports, "--format", "csv"))


class Panel(FilesTest):
    """A real panel from randomize through estimate."""

    def truth(self):
        changes = {}
        with open(PANEL, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                changes.setdefault(row["user"], {})[int(row["period"])] = int(row["value"])
        counts = [0] * 256
        for user in changes.values():
            value = 0
            for t in range(256):
                value = user.get(t + 1, value)
                counts[t] += value
        return counts

    # The run is seeded, so it cannot fail by chance; 256 estimates within 6 standard
    # deviations would fail for one seed in a million.
    def test_estimates_are_near_the_truth(self):
        truth = self.truth()
        for protocol in PROTOCOLS:
            lines = self.randomize(PANEL, "--periods", "256", "--changes", "5", "--users", "1771",
                                   "--protocol", protocol)
            reports = self.write("reports", "\n".join(lines) + "\n")
            result = self.json("estimate", "--reports", reports)
            self.assertEqual(result["devices"], 1771)
            for count, entry in zip(truth, result["periods"]):
                self.assertLess(abs(entry["estimate"] - count), 6 * entry["stddev"])
                self.assertEqual(entry["reports"], entry["expected"])


if __name__ == "__main__":
    cli_test.COMMAND = sys.argv.pop(1)
    unittest.main()
