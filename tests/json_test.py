"""JSON of every command survives readers with double-precision numbers (Node, jq): usage: json_test.py FUTURERAND"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import cli_test
from cli_test import CliTest, run

PANEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "abseil-large-files.csv")
HUGE = str(2 ** 64 - 1)  # a seed beyond double precision
SMALL = ("--users", "300", "--periods", "16", "--trials", "1", "--engine", "sums", "--seed", HUGE)
# Reads and writes like a JavaScript program.
NODE = "const t = require('fs').readFileSync(0, 'utf8'); process.stdout.write(JSON.stringify(JSON.parse(t)))"


class Lossless(CliTest):
    def documents(self):
        """Yields (name, output) of every command."""
        for protocol in ("hybrid", "optimal", "future_rand", "bun", "erlingsson", "snapshot", "rappor", "central_tree"):
            yield f"audit {protocol}", run("audit", "--protocol", protocol, "--format", "json").stdout
        for extra in (("--epsilon", "4"), ("--periods", "8", "--exhaustive"),
                      ("--empirical", "--samples", "1000", "--periods", "8", "--seed", HUGE)):
            yield f"audit {extra}", self.output("audit", *extra, "--format", "json")
        yield "plan", self.output("plan", "--users", str(2 ** 40), "--format", "json")
        yield "simulate", self.output("simulate", *SMALL, "--format", "json")
        yield "sweep", self.output("simulate", *SMALL, "--sweep", "changes=1,2", "--format", "json")
        yield "compare", self.output("compare", *SMALL, "--format", "json")
        with tempfile.TemporaryDirectory() as folder:
            reports = os.path.join(folder, "reports.jsonl")
            self.output("randomize", "--values", PANEL, "--periods", "256", "--output", reports)
            yield "estimate", self.output("estimate", "--reports", reports, "--format", "json")
            with open(reports, encoding="utf-8") as file:
                for line in (next(file), next(file), next(file)):
                    yield "randomize", line

    def test_every_number_is_one_that_a_double_holds(self):
        node = shutil.which("node")
        for name, text in self.documents():
            with self.subTest(document=name):
                def whole(digits):
                    self.assertLess(abs(int(digits)), 2 ** 53, name)
                    return int(digits)

                def decimal(digits):
                    self.assertTrue(math.isfinite(float(digits)))
                    return float(digits)

                document = json.loads(text, parse_int=whole, parse_float=decimal)
                if node is None:
                    continue
                again = subprocess.run([node, "-e", NODE], input=text, capture_output=True, text=True, check=True,
                                       timeout=120).stdout
                self.assertEqual(json.loads(again), document)


if __name__ == "__main__":
    cli_test.COMMAND = sys.argv.pop(1)
    unittest.main()
