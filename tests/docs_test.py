"""Every command in README and docs works as written: usage: docs_test.py FUTURERAND [unittest arguments]

The test runs fenced blocks of `sh`, and the lines after "$ " in blocks of `console`. A line <!-- not run: the reason --> before a block
exempts it. The blocks of one document run one after another in one shell. The output in a block of `console` must be the command's
output; "..." on a line stands for any lines. After <!-- output varies: the reason --> numbers may differ, and chart lines are not
compared."""
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
    return "\n".join(command for command, lines in shown(text) if not lines)


def run_here(mark):
    return mark is None or mark.startswith("output varies: ")


def shown(text):
    """Returns (command, its output lines in the document) for each command of a block of `console`."""
    for part in re.split(r"(?m)^\$ ", text)[1:]:
        command, *lines = part.splitlines()
        yield command, lines


def same_shape(line):
    """Returns the text without its variable parts: figures, and the spaces around them."""
    return re.sub(r"\s+", " ", re.sub(r"[\d,.]*\d", "#", line))


def prints(lines, output, varies):
    """Whether the output has the lines of the document, in this order; "..." stands for any lines."""
    output = [line.rstrip() for line in output]
    lines = [line.rstrip() for line in lines]
    if varies:
        drawn = re.compile("[\u2500-\u25ff]")
        lines = [same_shape(line) for line in lines if line == "..." or not drawn.search(line)]
        output = [same_shape(line) for line in output if not drawn.search(line)]
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in lines)
    return re.fullmatch(pattern + "\n*", "".join(line + "\n" for line in output)) is not None


class Documents(unittest.TestCase):
    def test_every_block_says_what_it_is(self):
        for path in DOCUMENTS:
            for kind, text, mark in fences(path):
                with self.subTest(document=path.name, block=text[:60]):
                    self.assertIn(kind, ("sh", "console", "text", "json", "cpp", "mermaid", "pycon", "python"))
                    if mark is not None and mark.startswith("not run"):
                        self.assertRegex(mark, r"\Anot run: \w+")
                    if kind not in ("sh", "console"):
                        self.assertNotRegex(text, r"(?m)^(?:\./run|\./test|futurerand|curl) ")

    def test_every_command_works(self):
        for path in DOCUMENTS:
            script = "".join(commands(kind, text) + "\n" for kind, text, mark in fences(path)
                             if kind in ("sh", "console") and run_here(mark))
            if not script.strip():
                continue
            with self.subTest(document=path.name), Sandbox(PROGRAM) as sandbox:
                status, output, errors = sandbox.run("set -x\n" + script)
                self.assertEqual(status, 0, output[-2000:] + errors[-2000:])

    def test_what_a_console_shows_is_what_is_printed(self):
        compared = 0
        for path in DOCUMENTS:
            for kind, text, mark in fences(path):
                if kind != "console" or not run_here(mark):
                    continue
                for command, lines in shown(text):
                    if not lines:
                        continue
                    with self.subTest(document=path.name, command=command), Sandbox(PROGRAM) as sandbox:
                        status, output, errors = sandbox.run(command)
                        self.assertEqual(status, 0, errors)
                        self.assertTrue(prints(lines, output.splitlines(), mark is not None), output)
                        compared += 1
        self.assertGreaterEqual(compared, 2)

    def test_what_is_not_run_has_a_reason_and_is_rare(self):
        marks = [mark for path in DOCUMENTS for kind, text, mark in fences(path)
                 if kind in ("sh", "console") and not run_here(mark) and not mark.endswith("_test.py types it")]
        self.assertLessEqual(len(marks), 10, marks)

    def test_notation_names_what_is_there(self):
        rows = re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", (ROOT / "docs" / "notation.md").read_text(), re.MULTILINE)
        self.assertGreater(len(rows), 30)
        for names, files in rows[1:]:
            folder, text = "", ""
            for file in re.findall(r"`([^`]+)`", files):
                folder = file.rpartition("/")[0] or folder
                path = ROOT / "futurerand" / folder / file.rpartition("/")[2]
                self.assertTrue(path.is_file(), path)
                text += path.read_text()
            for name in re.findall(r"`([^`]+)`", names):
                with self.subTest(name=name, files=files):
                    self.assertRegex(text, re.escape(re.split("::| ", name)[-1]))

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

    def test_what_the_threat_model_says_of_liars(self):
        text = (ROOT / "docs" / "threat-model.md").read_text()

        def planned(*flags):
            plan = json.loads(subprocess.run([PROGRAM, "plan", "--liars", "0.01", "--format", "json", *flags], capture_output=True,
                                             check=True, timeout=300).stdout)
            return plan["users"], {row["name"]: row for row in plan["protocols"]}

        rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
        self.assertEqual([name for name, *_ in rows], ["innovation", "hybrid", "optimal"])
        for column, budget in enumerate(("1", "4"), 1):
            users, named = planned("--epsilon", budget)
            for row in rows:
                self.assertEqual(row[column], f"{named[row[0]]['liars_move_most'] / 1000:.1f}", (row[0], budget))
            capped = named["innovation"]
            self.assertIn(f"{capped['liars_move_last'] / 1000:.1f} becomes {capped['liars_move_capped'] / 1000:.1f}", text)
            self.assertRegex(text, rf"device moves .*\b{capped['liars_move_capped'] / 1000:.1f} at epsilon {budget}\b")
            self.assertIn(f"{capped['cap_bias'] / users:.3%}", text)
        _, named = planned("--epsilon", "1")
        self.assertRegex((ROOT / "README.md").read_text(), rf"by up to {named['innovation']['liars_move_capped'] / 1000:.1f}\s+devices")
        hybrid, optimal = named["hybrid"], named["optimal"]
        self.assertIn(f"{hybrid['liars_unnoticed']:.0f} can claim the worst view of `hybrid` ({optimal['liars_unnoticed']:.0f} with", text)
        self.assertIn("by {:,.0f} instead of {:,.0f} ({:,.0f} instead of {:,.0f})".format(
            hybrid["liars_move_unnoticed"], hybrid["liars_move_last"], optimal["liars_move_unnoticed"], optimal["liars_move_last"]), text)
        most = [f"{planned('--epsilon', '1', '--users', users)[1]['innovation']['liars_beyond_unnoticed']:.0f}"
                for users in ("20000", "100000", "1000000")]
        self.assertIn("at most {} of 20,000 devices can exceed the cap in a period undetected, {} of 100,000 and {} of 1,000,000"
                      .format(*most), text)


class Reference(unittest.TestCase):
    def test_the_command_reference_is_that_of_the_help(self):
        page = subprocess.run([ROOT / "tools/cli_reference", PROGRAM], capture_output=True, text=True, check=True, timeout=60).stdout
        if "futurerand cluster" in page:  # a build with everything
            self.assertEqual((ROOT / "docs/cli.md").read_text(), page, "run: tools/cli_reference build/release/futurerand > docs/cli.md")

    def test_the_error_codes_are_those_of_the_code(self):
        page = (ROOT / "docs/errors.md").read_text()
        sources = [path for folder in ("futurerand/collector", "apps") for path in (ROOT / folder).rglob("*.?pp")
                   if not path.stem.endswith("_test") and path.parent.name != "test"]
        answers = re.compile(r'(?:error|retry)_response\(\s*(\d{3}),\s*"(\w+)"')
        said = {found for path in sources for found in answers.findall(path.read_text())}
        self.assertGreater(len(said), 45)
        between_collectors = {("400", "bad_batch"), ("400", "bad_call")}
        listed = {(status, code) for status, codes in re.findall(r"^\| (\d{3}) \| (`[^|]+) \|", page, re.M)
                  for code in re.findall(r"`(\w+)`", codes)}
        self.assertEqual(listed, said - between_collectors)

    def test_the_reasons_of_lines_are_those_of_the_code(self):
        page = (ROOT / "docs/errors.md").read_text().partition("## Report lines")[2].partition("\n## ")[0]
        listed = {reason for cell in re.findall(r"^\| (`[^|]+) \|", page, re.M) for reason in re.findall(r"`(\w+)`", cell)}
        fold = (ROOT / "futurerand/collector/fold/fold.cpp").read_text().partition("name_of(Reason")[2].partition("\n}")[0]
        said = set(re.findall(r'return "(\w+)";', fold)) - {"none"}
        self.assertEqual(listed, said | {"malformed", "too_long"})


class Fences(unittest.TestCase):
    def test_what_counts_as_the_same_output(self):
        output = ["a 1", "\u250c\u2500 chart", "b 2,000", "c"]
        self.assertTrue(prints(["a 1", "...", "c"], output, False))
        self.assertTrue(prints(output, output, False))
        self.assertFalse(prints(["a 2", "...", "c"], output, False))
        self.assertFalse(prints(["a 1", "c"], output, False))
        self.assertFalse(prints(["a 1", "..."], ["b"], False))
        self.assertTrue(prints(["a 9", "\u2502 other chart", "b 31", "c"], output, True))
        self.assertFalse(prints(["a 9", "b many", "c"], output, True))

    def test_commands_are_told_apart(self):
        self.assertEqual(documents.commands_of("a\n# note\nb \\\n  c\nfor x in 1; do\n  d\ndone\ne '\n f'\ng &\n"),
                         ["a", "b \\\n  c", "for x in 1; do\n  d\ndone", "e '\n f'", "g &"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
