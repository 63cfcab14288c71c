"""The proofs in Coq, and plans that they prove private: usage: proof_test.py FUTURERAND [unittest arguments]"""
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
}
CLOSED = ["framework.framework", "framework.online", "framework.out_sum1", "invariant.invariant_alike",
          "product.product_private", "levels.levels_once", "subset.subset_private", "composition.window_promise",
          "sampler.kept_two_sided", "counting.upto_counts", "likelihood.likelihood_private"]


def changed(text, shape, integer, by):
    """Returns the text with the integer at this place of the first law of this shape changed."""
    place = re.search(rf"{shape}\b[^;\]]*", text) if shape != "WeightedThreshold" else re.search(
        r"\]\n\s+\d+ \d+ \d+", text)
    numbers = list(re.finditer(r"\d+", place.group()))
    at = place.start() + numbers[integer].start()
    old = numbers[integer].group()
    return text[:at] + str(int(old) + by) + text[at + len(old):]


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
        for shape, text in self.files.items():
            with self.subTest(shape=shape):
                self.assertRegex(text, rf"\b{shape}\b")
                done = coq.check_text(BUILD, text)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(coq.axioms(done.stdout), coq.AXIOMS_OF_REALS, done.stdout)

    def test_a_threshold_that_breaks_the_bound_is_refused(self):
        # The thresholds of these designs are the largest that pass, so one more is too many.
        for shape, integer, by in [("WeightedThreshold", 1, 1), ("Threshold", 2, 1), ("Sparse", 3, 1)]:
            with self.subTest(shape=shape):
                done = coq.check_text(BUILD, changed(self.files[shape], shape, integer, by))
                self.assertNotEqual(done.returncode, 0, shape)
                self.assertIn("NOT proved", done.stderr)

    def test_other_integers_that_break_the_bound_are_refused(self):
        product = changed(self.files["Product"], "Product", 1, -(1 << 40))
        annulus = changed(self.files["Annulus"], "Annulus", 1, -(1 << 62))
        epsilon = self.files["WeightedThreshold"].replace("Z.of_N 1)", "Z.of_N 2)", 2).replace("Z.of_N 2)", "Z.of_N 1)", 1)
        theta = changed(self.files["WeightedThreshold"], "WeightedThreshold", 0, 40)
        for name, text in [("product", product), ("annulus", annulus), ("epsilon", epsilon), ("theta", theta)]:
            with self.subTest(name=name):
                done = coq.check_text(BUILD, text)
                self.assertNotEqual(done.returncode, 0, text)
                self.assertIn("NOT proved", done.stderr)

    def test_the_model_of_the_device_gives_the_numbers_that_the_device_is_compared_with(self):
        text = (coq.ROOT / "proofs" / "device_case.v").read_text()
        done = coq.check_text(BUILD, text)
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers = re.findall(r"\d+", done.stdout.partition(":")[0])
        expected = (coq.ROOT / "tests" / "data" / "innovation_model.txt").read_text().split()
        self.assertEqual(len(expected), 256)
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
    FUTURERAND = sys.argv.pop(1)
    BUILD = pathlib.Path(FUTURERAND).resolve().parent / "proofs"
    unittest.main()
