"""The proofs in Coq, for themselves and for plans: usage: proof_test.py FUTURERAND [unittest arguments]"""
import decimal
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import coq

FUTURERAND = None
BUILD = None

# One plan for each shape of law.
PLANS = {
    "WeightedThreshold": ["--protocol", "innovation", "--periods", "24", "--changes", "3", "--epsilon", "1"],
    "Threshold": ["--protocol", "optimal", "--periods", "16", "--changes", "4", "--epsilon", "0.5"],
    "Annulus": ["--protocol", "future_rand", "--periods", "16", "--changes", "4", "--epsilon", "1"],
    "Single": ["--protocol", "erlingsson", "--periods", "16", "--changes", "4", "--epsilon", "1"],
    "Product": ["--protocol", "warner", "--periods", "16", "--changes", "4", "--epsilon", "1.25"],
    "Sparse": ["--protocol", "hybrid", "--periods", "1024", "--changes", "4", "--epsilon", "4"],
    "Pulse": ["--protocol", "pulse", "--periods", "64", "--changes", "1", "--epsilon", "2", "--initial", "zero"],
}
CLOSED = ["framework.framework", "framework.online", "framework.out_sum1", "invariant.invariant_alike",
          "product.product_private", "levels.levels_once", "subset.subset_private", "composition.window_promise", "pulse.hit_share", "pulse.tapes_once",
          "pulse_plan.class_private", "floyd.floyd_uniform",
          "regions.rejection", "regions.drawn_by_countE", "regions.side_first", "regions.single_drawnE", "regions.annulus_drawnE",
          "regions.less_below", "regions.lookup_count",
          "sampler.kept_two_sided", "counting.upto_counts", "likelihood.likelihood_private"]


def changed(text, shape, integer, by):
    """Returns the text with the integer at this place of the first law of this shape changed."""
    place = re.search(rf"{shape}\b[^;\]]*", text) if shape != "WeightedThreshold" else re.search(
        r"\]\n\s+\d+ \d+ \d+", text)
    numbers = list(re.finditer(r"\d+", place.group()))
    at = place.start() + numbers[integer].start()
    old = numbers[integer].group()
    return text[:at] + str(int(old) + by) + text[at + len(old):]


# The beginning of every plan's file.
HEAD = """From Coq Require Import NArith ZArith Reals.
From mathcomp Require Import all_ssreflect.
From futurerand Require Import laws plan pulse_plan.
Local Open Scope N_scope.
"""


def body(text, name):
    """Returns the file of a plan without its beginning, as a module."""
    comment, head, rest = text.partition(HEAD)
    assert head, text
    return f"Module P{name}.\n{rest}End P{name}.\n"


class Proofs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = coq.check(BUILD)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        cls.files = {shape: coq.plan_file(FUTURERAND, *arguments) for shape, arguments in PLANS.items()}

    def test_nothing_is_admitted(self):
        for path in (coq.ROOT / "proofs").glob("*.v"):
            words = re.findall(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Parameters|Conjecture)\b", path.read_text())
            self.assertEqual(words, [], path.name)
        listed = (coq.ROOT / "proofs" / "order.txt").read_text().split()
        self.assertEqual(sorted(listed), sorted(path.stem for path in (coq.ROOT / "proofs").glob("*.v")))

    def test_the_theorems_of_the_framework_rest_on_no_axiom(self):
        modules = sorted({name.split(".")[0] for name in CLOSED})
        text = f"From futurerand Require Import {' '.join(modules)}.\n"
        text += "".join(f"Print Assumptions {name}.\n" for name in CLOSED)
        done = coq.check_text(BUILD, text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("Closed under the global context"), len(CLOSED), done.stdout)

    def test_a_plan_of_each_shape_is_proved_private(self):
        text = "".join(body(text, shape) for shape, text in self.files.items())
        for shape, file in self.files.items():
            self.assertRegex(file, rf"\b{shape}\b")
        done = coq.check_text(BUILD, HEAD + text)
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = done.stdout.split("Axioms:")[1:]
        self.assertEqual(len(printed), len(PLANS), done.stdout)
        for part in printed:
            self.assertEqual(coq.axioms("Axioms:" + part), coq.AXIOMS_OF_REALS, part)

    def test_a_threshold_that_breaks_the_bound_is_refused(self):
        # This design has the largest valid threshold, so one more fails.
        done = coq.check_text(BUILD, changed(self.files["WeightedThreshold"], "WeightedThreshold", 1, 1))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("erefl true", done.stderr)
        self.assertIn("NOT proved", done.stderr)

    def test_other_integers_that_break_the_bound_are_refused(self):
        # The same computation rejects these. Each row is a shape, one of its integers and the change.
        rows = [("WeightedThreshold", 0, 40), ("WeightedThreshold", 1, 1), ("Threshold", 2, 1), ("Sparse", 3, 1),
                ("Product", 1, -(1 << 40)), ("Single", 1, -(1 << 62)), ("Annulus", 1, -(1 << 62)), ("Pulse", 3, 1)]
        self.assert_decided([(changed(self.files[shape], shape, integer, by), 1, False) for shape, integer, by in rows])

    def test_slack_is_refused_exactly_where_it_ends(self):
        # Erlingsson's protocol spends half of its epsilon. So a flip that is lower by 2^40 still keeps the other half. Against
        # half the budget its integer is tight; against all of it the limit is 2^64 / (e + 1), rounded up.
        file = self.files["Single"]
        flip = int(re.search(r"Single \d+ (\d+)", file).group(1))
        with decimal.localcontext() as context:
            context.prec = 60
            limit = int((2**64 / (decimal.Decimal(1).exp() + 1)).to_integral_value(decimal.ROUND_CEILING))
        self.assertLess(limit, flip - (1 << 40))
        self.assert_decided([(file, 2, True), (changed(file, "Single", 1, -1), 2, False),
                             (changed(file, "Single", 1, -(1 << 40)), 1, True),
                             (changed(file, "Single", 1, limit - flip), 1, True),
                             (changed(file, "Single", 1, limit - 1 - flip), 1, False)])

    def assert_decided(self, rows):
        """Each row is a file, a divisor of its epsilon, and whether the check accepts its integers."""
        text = HEAD
        for row, (file, divisor, accepted) in enumerate(rows):
            a, c = map(int, re.search(r"Z.of_N (\d+)\) / IZR \(Z.of_N (\d+)\)", file).groups())
            laws = re.search(r"Definition laws.*?\]\.\n", file, re.DOTALL).group()
            check = "check_pulse" if "pulse_integers" in laws else "check two64"
            answer = str(accepted).lower()
            text += (f"Module R{row}.\n{laws}"
                     f"Lemma decided : all ({check} {a} {c * divisor}) laws = {answer}.\n"
                     f"Proof. vm_cast_no_check (erefl {answer}). Qed.\n"
                     f"End R{row}.\n")
        done = coq.check_text(BUILD, text)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_model_of_the_device_gives_the_numbers_that_the_device_is_compared_with(self):
        text = (coq.ROOT / "proofs" / "device_case.v").read_text()
        done = coq.check_text(BUILD, text)
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers = re.findall(r"\d+", done.stdout.partition(":")[0])
        expected = (coq.ROOT / "tests" / "data" / "innovation_model.txt").read_text().split()
        self.assertEqual(len(expected), 512)
        self.assertEqual(numbers, expected)

    def test_the_commands_of_the_documentation(self):
        block = re.search(r"```sh\n(.*?)```", (coq.ROOT / "docs" / "proof.md").read_text(), re.DOTALL).group(1)
        install, audit, check = block.strip().splitlines()
        packages = install.split("--no-install-recommends ")[1].split()
        self.assertLessEqual(set(packages), set((coq.ROOT / "tools" / "packages_test.txt").read_text().split()))
        with tempfile.TemporaryDirectory(prefix="futurerand-coq-") as folder:
            arguments = audit.removeprefix("./run ").split()
            subprocess.run([FUTURERAND, *arguments], check=True, capture_output=True, timeout=600, cwd=folder)
            self.assertEqual(check, "proofs/check plan.v")
            done = coq.check(BUILD, pathlib.Path(folder) / "plan.v")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("plan.v: proved", done.stdout)

    def test_a_rival_without_integers_is_an_error(self):
        done = subprocess.run([FUTURERAND, "audit", "--protocol", "thresh", "--coq", "/dev/null"],
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--coq: thresh has no integers", done.stderr)


if __name__ == "__main__":
    FUTURERAND = pathlib.Path(sys.argv.pop(1)).resolve()
    BUILD = FUTURERAND.parent / "proofs"
    unittest.main()
