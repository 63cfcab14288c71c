"""Every command of README and docs works as it is written: usage: docs_test.py FUTURERAND [unittest arguments]

A fenced block of `sh` is run, and so are the lines after "$ " in a block of `console`, unless the line before it says why not:
<!-- not run: the reason -->. The blocks of one document run one after another in one shell."""
import json
import math
import re
import subprocess
import sys
import unittest

import documents
from documents import ROOT, Sandbox, fences

PROGRAM = None
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands(kind, text):
    if kind == "sh":
        return text
    return "\n".join(line[2:] for line in text.splitlines() if line.startswith("$ "))


class Documents(unittest.TestCase):
    def test_every_block_says_what_it_is(self):
        for path in DOCUMENTS:
            for kind, text, mark in fences(path):
                with self.subTest(document=path.name, block=text[:60]):
                    self.assertIn(kind, ("sh", "console", "text", "json", "cpp", "mermaid"))
                    if mark is not None and mark.startswith("not run"):
                        self.assertRegex(mark, r"\Anot run: \w+")
                    if kind not in ("sh", "console"):
                        self.assertNotRegex(text, r"(?m)^(?:\./run|\./test|futurerand|curl) ")

    def test_every_command_works(self):
        for path in DOCUMENTS:
            script = "".join(commands(kind, text) + "\n" for kind, text, mark in fences(path)
                             if kind in ("sh", "console") and mark is None)
            if not script.strip():
                continue
            with self.subTest(document=path.name), Sandbox(PROGRAM) as sandbox:
                status, output, errors = sandbox.run("set -x\n" + script)
                self.assertEqual(status, 0, output[-2000:] + errors[-2000:])

    def test_what_is_not_run_has_a_reason_and_is_rare(self):
        marks = [mark for path in DOCUMENTS for kind, text, mark in fences(path) if kind in ("sh", "console") and mark]
        self.assertLessEqual(len(marks), 8, marks)

    def test_the_table_of_errors(self):
        text = (ROOT / "docs" / "planning.md").read_text()
        budgets = re.search(r"^\| k \| (.*) \|$", text, re.MULTILINE)[1].replace("epsilon ", "").split(" | ")
        rows = re.findall(r"^\| (\d+) \| ([\d.%| ]+) \|$", text, re.MULTILINE)
        self.assertGreaterEqual(len(rows), 3)
        for changes, errors in rows:
            for budget, error in zip(budgets, errors.split(" | "), strict=True):
                plan = json.loads(subprocess.run(
                    [PROGRAM, "plan", "--changes", changes, "--epsilon", budget, "--format", "json"],
                    capture_output=True, check=True, timeout=300).stdout)
                best = next(row for row in plan["protocols"] if row["name"] == plan["recommended"])
                self.assertEqual(error, f"{best['predicted_rmse'] / plan['users']:.2%}", (changes, budget))

    def test_the_numbers_of_the_threat_model(self):
        text = (ROOT / "docs" / "threat-model.md").read_text()
        rows = re.findall(r"^\| ([\d.]+) \| (\d+)% \| ([\d,]+) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
        self.assertGreaterEqual(len(rows), 3)
        for budget, *figures in rows:
            plan = json.loads(subprocess.run([PROGRAM, "plan", "--epsilon", budget, "--format", "json"], capture_output=True,
                                             check=True, timeout=300).stdout)
            named = {row["name"]: row for row in plan["protocols"]}
            best, optimal = named[plan["recommended"]], named["optimal"]
            shift = (1 + math.log2(plan["periods"])) / optimal["gap"]
            surest = 1 / (1 + math.exp(-float(budget)))
            self.assertEqual(figures, [f"{100 * surest:.0f}", f"{best['predicted_rmse']:,.0f}", f"{shift:.0f}",
                                       f"{optimal['predicted_rmse'] / shift:.0f}"], budget)


class Fences(unittest.TestCase):
    def test_commands_are_told_apart(self):
        self.assertEqual(documents.commands_of("a\n# note\nb \\\n  c\nfor x in 1; do\n  d\ndone\ne '\n f'\ng &\n"),
                         ["a", "b \\\n  c", "for x in 1; do\n  d\ndone", "e '\n f'", "g &"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
