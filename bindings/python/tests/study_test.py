"""plan, audit, simulate, compare, randomize and estimate from Python: the same as the commands, bit for bit.

usage: PYTHONPATH=build/release/python study_test.py FUTURERAND [unittest arguments]
"""
import doctest
import inspect
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import futurerand
from futurerand import _client, _errors, _results, _study

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMAND = None


def command(*arguments, **options):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=600, **options)


def said(*arguments):
    return json.loads(command(*arguments, "--format", "json").stdout)


def timeless(document):
    """Without what differs from run to run."""
    if isinstance(document, dict):
        return {key: timeless(value) for key, value in document.items() if key != "seconds"}
    return [timeless(part) for part in document] if isinstance(document, list) else document


class SameAsTheCommands(unittest.TestCase):
    def test_plan(self):
        mine = futurerand.plan(users=5000, periods=64, changes=3, epsilon=0.5, target_error=0.01, liars=0.02)
        theirs = said("plan", "--users", 5000, "--periods", 64, "--changes", 3, "--epsilon", "0.5", "--target-error",
                      0.01, "--liars", 0.02)
        self.assertEqual(mine.document, theirs)

    def test_plan_says_what_restless_users_do(self):
        values = np.random.default_rng(2).integers(0, 2, (30, 16))
        rows = [f"{user},{period + 1},{value}" for (user, period), value in np.ndenumerate(values)]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "values.csv"
            file.write_text("\n".join(["user,period,value", *rows]) + "\n")
            theirs = said("plan", "--periods", 16, "--changes", 2, "--values", file)
        self.assertEqual(futurerand.plan(changes=2, values=values).document, theirs)
        self.assertIn("innovation", [row["protocol"] for row in theirs["values"]["bias"]])
        with self.assertRaises(futurerand.InvalidError):
            futurerand.plan(periods=8, values=values)

    def test_audit(self):
        for protocol in ("innovation", "future_rand", "rappor"):
            mine = futurerand.audit(protocol, periods=8, changes=2, epsilon="1")
            theirs = said("audit", "--protocol", protocol, "--periods", 8, "--changes", 2)
            self.assertEqual(mine.document, theirs)
        again = futurerand.audit(plan=futurerand.audit("innovation", periods=8, changes=2).plan)
        self.assertEqual(again.digest, said("audit", "--protocol", "innovation", "--periods", 8, "--changes", 2)["digest"])
        empirical = futurerand.audit("dbitflip", periods=8, changes=2, empirical=True, samples=2000, seed=3)
        self.assertEqual(
            empirical.document,
            said("audit", "--protocol", "dbitflip", "--periods", 8, "--changes", 2, "--empirical", "--samples", 2000,
                 "--seed", 3),
        )

    def test_simulate(self):
        for protocol, engine in (("innovation", "users"), ("hybrid", "sums"), ("rappor", "users")):
            mine = futurerand.simulate(protocol, users=700, periods=24, changes=3, trials=2, seed=5, engine=engine)
            theirs = said("simulate", "--protocol", protocol, "--users", 700, "--periods", 24, "--changes", 3,
                          "--trials", 2, "--seed", 5, "--engine", engine)
            self.assertEqual(timeless(mine.document), timeless(theirs))
            np.testing.assert_array_equal(mine.estimate, [row["estimate"] for row in theirs["series"]])
        lives = futurerand.simulate("innovation", users=500, periods=16, trials=2, seed=5, joining="staggered",
                                    dropout=0.02, attack="hidden")
        self.assertEqual(
            timeless(lives.document),
            timeless(said("simulate", "--protocol", "innovation", "--users", 500, "--periods", 16, "--trials", 2,
                          "--seed", 5, "--joining", "staggered", "--dropout", 0.02, "--attack", "hidden")),
        )

    def test_compare(self):
        mine = futurerand.compare(["hybrid", "rappor"], users=500, periods=16, trials=2, seed=5)
        theirs = said("compare", "--protocols", "hybrid,rappor", "--users", 500, "--periods", 16, "--trials", 2,
                      "--seed", 5)
        self.assertEqual(timeless(mine.document), timeless(theirs))

    def test_without_a_name_the_protocol_is_what_plan_recommends(self):
        for metric in (dict(periods=16, changes=4), dict(periods=8, changes=8), dict(periods=64, changes=2)):
            flags = [word for name, value in metric.items() for word in (f"--{name}", value)]
            planned = futurerand.plan(**metric).recommended
            small = ("--users", 200, "--trials", 1)
            self.assertEqual(said("simulate", *flags, *small)["protocol"], planned)
            self.assertEqual(said("audit", *flags)["protocol"], planned)
            self.assertEqual(futurerand.simulate(users=200, trials=1, **metric).protocol, planned)
            self.assertEqual(futurerand.audit(**metric).document["protocol"], planned)
            values = np.zeros((3, metric["periods"]), dtype=int)
            reports = futurerand.randomize(values, changes=metric["changes"])
            self.assertEqual(reports.header["plan"]["protocol"], planned)
            everyone = futurerand.plan(estimand="enrolled", **metric).recommended
            self.assertEqual(futurerand.simulate(users=200, trials=1, estimand="enrolled", **metric).protocol, everyone)
        self.assertEqual(futurerand.plan(periods=16).recommended, "innovation")
        self.assertEqual(futurerand.plan(periods=16, estimand="enrolled").recommended, "hybrid")

    def test_every_option_is_a_flag_and_an_argument(self):
        for name, call in (("plan", futurerand.plan), ("audit", futurerand.audit), ("simulate", futurerand.simulate),
                           ("compare", futurerand.compare), ("estimate", futurerand.estimate)):
            flags = set(re.findall(r"^  --([a-z-]+)", command(name, "--help").stdout, re.M))
            arguments = set(inspect.signature(call).parameters) - {"constants", "values", "protocols", "plan", "reports"}
            self.assertGreater(len(arguments), 5)
            self.assertLessEqual({argument.replace("_", "-") for argument in arguments}, flags)
            for argument in arguments - {"protocol", "seed"}:
                self.assertIn(f"    {argument}: ", call.__doc__)

    def test_the_cap_can_be_left_out(self):
        values = np.tile([0, 1, 1, 0], (60, 8))
        reports = futurerand.randomize(values, "innovation", changes=2, seed=9)
        self.assertGreater(futurerand.estimate(reports).document["transcript_cap"]["bias_at_most"], 0)
        self.assertNotIn("transcript_cap", futurerand.estimate(reports, uncapped=True).document)
        lied = {"users": 2000, "periods": 64, "attack": "plus", "trials": 1, "seed": 3}
        capped, free = (futurerand.simulate("innovation", uncapped=free, **lied).document["moved"]["each"] for free in (False, True))
        self.assertLess(capped, free)

    def test_randomize_and_estimate(self):
        values = np.random.default_rng(1).integers(0, 2, (50, 12))
        rows = ["user,period,value"]
        rows += [f"{user},{period + 1},{value}" for (user, period), value in np.ndenumerate(values)]
        with tempfile.TemporaryDirectory() as folder:
            file, out = pathlib.Path(folder) / "values.csv", pathlib.Path(folder) / "reports.jsonl"
            file.write_text("\n".join(rows) + "\n")
            command("randomize", "--values", file, "--protocol", "innovation", "--periods", 12, "--changes", 3, "--seed",
                    9, "--output", out)
            reports = futurerand.randomize(values, "innovation", changes=3, seed=9)
            self.assertEqual(reports.text, out.read_bytes())
            theirs = said("estimate", "--reports", out, "--estimator", "hindsight", "--band", "simultaneous")
            for given in (reports, reports.text, out, str(out), out.read_text().splitlines(), open_lines(out)):
                mine = futurerand.estimate(given, estimator="hindsight", band="simultaneous")
                self.assertEqual(mine.document, theirs)
            reports.save(pathlib.Path(folder) / "copy")
            self.assertEqual((pathlib.Path(folder) / "copy").read_bytes(), reports.text)

    def test_signs_are_those_of_the_lines(self):
        reports = futurerand.randomize(np.zeros((20, 8), dtype=bool), "innovation", changes=2)
        device, index, sign = reports.signs()
        text = "".join(json.loads(line).get("signs", "") for line in reports.lines)
        self.assertEqual("".join("-0+"[s + 1] for s in sign), text)
        self.assertEqual(set(device.tolist()), set(range(20)))
        self.assertEqual((index.min(), index.max()), (1, 8))

    def test_signs_of_snapshots_are_a_stride_apart(self):
        plan = {"periods": 128, "views": [{"kind": "snapshot", "order": 0, "law": {"signs": 4}},
                                          {"kind": "changes", "order": 2, "law": {"signs": 3}},
                                          {"kind": "snapshot", "order": 1, "law": {"signs": 3}}]}
        lines = [{"futurerand": 1, "plan": plan},
                 {"client": "a", "view": 0, "period": 1, "index": 8}, {"client": "b", "view": 1, "period": 1},
                 {"client": "a", "index": 8, "signs": "+-"}, {"client": "b", "index": 3, "signs": "+-+"},
                 {"client": "c", "view": 2, "period": 1, "index": 20}, {"client": "c", "index": 20, "signs": "+-+"},
                 {"client": "a", "index": 72, "signs": "-+"}]
        device, index, sign = futurerand.Reports("".join(json.dumps(line) + "\n" for line in lines).encode()).signs()
        of = lambda number: index[device == number].tolist()  # noqa: E731
        self.assertEqual(of(0), [8, 40, 72, 104])  # 128 / 4 apart
        self.assertEqual(of(1), [3, 4, 5])
        self.assertEqual(of(2), [20, 42, 64])  # 64 / 3 apart, rounded up
        self.assertEqual(sign[device == 0].tolist(), [1, -1, -1, 1])
        # Of real devices every index is due within the horizon, once.
        reports = futurerand.randomize(np.zeros((50, 128), dtype=bool), "hybrid", changes=4, epsilon="4", seed=3)
        device, index, _ = reports.signs()
        self.assertEqual(len(set(zip(device.tolist(), index.tolist()))), len(index))
        self.assertGreater(index.max(), 96)


def open_lines(path):
    with open(path) as file:
        yield from file


class People(unittest.TestCase):
    def test_an_array_takes_the_place_of_a_population(self):
        values = np.zeros((300, 6), dtype=np.uint8)
        values[:200, 2:] = 1
        run = futurerand.simulate("innovation", values=values, changes=1, trials=1, seed=1)
        self.assertEqual(run.truth.tolist(), [0, 0, 200, 200, 200, 200])
        self.assertEqual(run.document["population"], "array")

    def test_without_a_seed_every_run_is_another(self):
        values = np.zeros((20, 8), dtype=int)
        self.assertNotEqual(futurerand.randomize(values).text, futurerand.randomize(values).text)

    def test_bad_input(self):
        good = np.zeros((4, 4), dtype=int)
        for values in (good * 0.0, [["a"]], None, [[None]], np.full((2, 2), np.nan)):
            with self.assertRaises(TypeError):
                futurerand.randomize(values)
        for values in (good + 2, good - 1, good[0], good[:, :0], np.zeros((0, 4), dtype=int), np.zeros((2, 2, 2), dtype=int)):
            with self.assertRaises(ValueError):
                futurerand.randomize(values)
        wrong_types = ({"users": 1.5}, {"users": "9"}, {"periods": True}, {"level": "x"}, {"protocol": 3}, {"seed": 0.5},
                       {"epsilon": None}, {"population": 1}, {"trials": None})
        for arguments in wrong_types:
            with self.subTest(arguments=arguments), self.assertRaises(TypeError):
                futurerand.simulate(**arguments)
        wrong_values = ({"users": 0}, {"users": 2**60}, {"periods": 2**40}, {"periods": 0}, {"changes": -1}, {"trials": 0},
                        {"level": math.nan}, {"level": 1.0}, {"epsilon": math.nan}, {"epsilon": -1}, {"epsilon": "1e3"},
                        {"protocol": "x"}, {"population": "x"}, {"engine": "x"}, {"estimator": "x"}, {"seed": -1},
                        {"threads": 0}, {"dropout": math.nan}, {"attack": "x"}, {"estimand": "x"}, {"inactive_after": 1},
                        {"constants": {"x": 1}}, {"constants": {"x": math.nan}}, {"values": good, "periods": 5})
        for arguments in wrong_values:
            with self.subTest(arguments=arguments), self.assertRaises(ValueError):
                futurerand.simulate(**arguments)
        for arguments in ({"target_error": math.nan}, {"drift": 0}, {"delta": 1}, {"liars": 2}):
            with self.subTest(arguments=arguments), self.assertRaises(ValueError):
                futurerand.plan(**arguments)
        for reports in (b"", b"{}\n", b"\xff\n", ["x"], b"x" * (3 << 20)):
            with self.assertRaises(ValueError):
                futurerand.estimate(reports)
        with self.assertRaisesRegex(ValueError, "line 3"):
            text = futurerand.randomize(good, "innovation", changes=1, seed=1).text.splitlines(keepends=True)
            futurerand.estimate(b"".join(text[:2] + [b"rubbish\n"] + text[2:]))
        with self.assertRaisesRegex(ValueError, "incomplete"):
            futurerand.estimate(b"".join(text[:-1]))
        self.assertEqual(futurerand.estimate(b"".join(text[:-1]), incomplete=True).devices, 4)
        with self.assertRaises(FileNotFoundError):
            futurerand.estimate("/nowhere/at/all")
        with self.assertRaises(TypeError):
            futurerand.compare("hybrid")


class Interrupts(unittest.TestCase):
    LONG = dict(users=10**8, periods=256, trials=10**6)  # days, if nothing stops it

    def test_ctrl_c_stops_a_long_simulation(self):
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            futurerand.simulate("hybrid", **self.LONG)
        timer.join()

    def test_other_threads_run_meanwhile(self):
        seen = []
        stop = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))

        def count():
            while stop.is_alive():
                seen.append(None)
                time.sleep(0.01)

        counting = threading.Thread(target=count)
        stop.start()
        counting.start()
        with self.assertRaises(KeyboardInterrupt):
            futurerand.compare(**self.LONG)
        counting.join()
        self.assertGreater(len(seen), 3)


class Tables(unittest.TestCase):
    def test_every_result_prints_as_text_and_html(self):
        run = futurerand.simulate("innovation", users=500, periods=64, trials=1, seed=1)
        results = [
            futurerand.plan(users=1000, periods=8),
            futurerand.audit("hybrid", periods=8),
            run,
            futurerand.compare(["innovation", "hybrid"], users=500, periods=8, trials=1, seed=1),
            futurerand.estimate(futurerand.randomize(np.zeros((9, 4), dtype=int), seed=1)),
        ]
        for result in results:
            with self.subTest(kind=type(result).__name__):
                text, page = str(result), result._repr_html_()
                self.assertEqual(repr(result), text)
                self.assertGreater(len(text.splitlines()), 4)
                self.assertEqual(page.count("<tr>"), page.count("</tr>"))
                self.assertGreater(page.count("<td"), 2)
                # What the text says, the page says.
                self.assertIn(text.splitlines()[0].replace("<", "&lt;"), page)
        self.assertIn("44 rows are not shown", str(run))
        self.assertIn(f"{run.truth[0]:,}", str(run))

    def test_html_is_escaped(self):
        result = futurerand.audit("hybrid", periods=8)
        result.document["protocol"] = "<script>"
        self.assertNotIn("<script>", result._repr_html_())


class Documented(unittest.TestCase):
    def test_examples(self):
        for module in (futurerand, _study, _client, _results, _errors):
            with self.subTest(module=module.__name__):
                failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
                self.assertEqual(failed, 0)
                self.assertGreater(tried, 0)

    def test_everything_public_has_an_example(self):
        for name in futurerand.__all__:
            public = getattr(futurerand, name)
            # One example of what is raised is enough.
            kind = isinstance(public, type) and issubclass(public, futurerand.FuturerandError)
            if callable(public) and (not kind or public is futurerand.FuturerandError):
                self.assertIn(">>>", public.__doc__, name)

    def test_it_is_typed(self):
        folder = pathlib.Path(futurerand.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        stub = (folder / "_native.pyi").read_text()
        named = {name for name in dir(sys.modules["futurerand._native"]) if not name.startswith("_")}
        self.assertEqual(named, set(re.findall(r"^(?:def |class )?([A-Za-z]\w*)(?=\(|:)", stub, re.M)) - {"from", "import"})

    def test_the_page_of_the_documentation_runs(self):
        failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 3)

    def test_the_example_draws_its_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-B", ROOT / "examples/study.py", folder], capture_output=True,
                                  text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in ("estimates.png", "errors.png"):
                self.assertGreater((pathlib.Path(folder) / name).stat().st_size, 10_000)

    def test_the_notebook_runs(self):
        notebook = json.loads((ROOT / "examples/results.ipynb").read_text())
        code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(code), 4)
        program = "import matplotlib\nmatplotlib.use('Agg')\n" + "\n".join(code)
        done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=600,
                              env={**os.environ, "QUICK": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(r"innovation & ", done.stdout)
        for cell in notebook["cells"]:  # nothing that a run left behind
            self.assertFalse(cell.get("outputs"))

    def test_several_seeds_are_pooled(self):
        settings = dict(users=500, periods=8, changes=2, trials=4, keep_trials=True)
        seeds = futurerand.compare(["snapshot"], seed=[1, 2], **settings)
        each = [futurerand.compare(["snapshot"], seed=seed, **settings)["snapshot"] for seed in (1, 2)]
        self.assertEqual([run.rmse for run in seeds], [run.rmse for run in each])
        errors = np.concatenate([run.trial_estimates - run.truth for run in each])
        self.assertEqual(errors.shape, (8, 8))
        pooled = seeds.pooled()["snapshot"]
        self.assertAlmostEqual(pooled["rmse"], np.sqrt(np.mean(errors**2)), 6)
        squares = np.mean((each[0].trial_estimates - each[0].truth) ** 2, axis=1)
        reach = 1.959964 * squares.std(ddof=1) / 2
        self.assertAlmostEqual(each[0].rmse_interval[1], np.sqrt(squares.mean() + reach), 3)
        self.assertIsNone(futurerand.simulate("snapshot", users=500, periods=8, trials=1, seed=1).rmse_interval)
        with self.assertRaises(futurerand.InvalidError):
            futurerand.compare(["snapshot"], seed=[], **settings)
        # The command runs the comparisons of Python again, constants of rivals included.
        ddrm = futurerand.compare(["ddrm", "snapshot"], users=300, periods=8, trials=2, seed=3, constants={"ddrm_reports": 2})
        with tempfile.TemporaryDirectory() as folder:
            for name, run in (("seeds", seeds), ("ddrm", ddrm)):
                path = pathlib.Path(folder) / name
                path.write_text(json.dumps(run.manifest()))
                done = command("compare", "--rerun", path)
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    unittest.main()
