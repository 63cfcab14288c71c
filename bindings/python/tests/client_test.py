"""The client from Python: golden vectors, bad input, threads, forks, a real collector.

usage: PYTHONPATH=build/release/python client_test.py FUTURERAND [unittest arguments]
"""
import gc
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import futurerand

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "collector"))
import harness  # noqa: E402

VECTORS = [json.loads(line) for line in (ROOT / "tests/data/vectors.jsonl").read_text().splitlines()]


class Tape:
    """Fixed bytes as entropy; it fails when they are used up."""

    def __init__(self, rest):
        self.rest = rest

    def __call__(self, size):
        if size > len(self.rest):
            raise EOFError("the tape has ended")
        given, self.rest = self.rest[:size], self.rest[size:]
        return given


def metric_of(vector):
    return futurerand.Metric.create(
        vector["metric"], vector["plan"], start=vector["start"], period_seconds=vector["period_seconds"]
    )


def kind_of(vector):
    return vector["plan"].get("value", {"kind": "yes_no"})["kind"]


def vector_of(kind):
    return next(vector for vector in VECTORS if kind_of(vector) == kind)


def joined(vector):
    device = futurerand.Device(futurerand.MemoryStore(), ceiling="16", entropy=Tape(bytes.fromhex(vector["entropy"])))
    return device, device.open(metric_of(vector), vector["joined"])


class Segments(unittest.TestCase):
    def test_a_device_states_its_segment_and_stays_in_it(self):
        plan = futurerand.audit("innovation", periods=8, changes=2, epsilon="1").plan
        plan["segment"] = {"name": "platform", "values": ["linux", "mac"]}
        metric = futurerand.Metric.create("m", plan)
        device = futurerand.Device(futurerand.MemoryStore(), ceiling="4")
        for segment in ("", "amiga"):
            with self.assertRaises(futurerand.InvalidError):
                device.open(metric, 1, segment)
        with device.open(metric, 1, segment="mac") as client:
            self.assertEqual(client.about()["segment"], "mac")
            self.assertEqual(json.loads(client.lines())["segment"], "mac")
        with device.open(metric, 2, segment="linux") as client:
            self.assertEqual(client.about()["segment"], "mac")


START, SECONDS = 100_000, 100


def season_document(endless):
    """6 periods on and 4 off, or a metric of 6 periods."""
    plan = futurerand.audit("innovation", periods=6, changes=1, epsilon="0.5").plan
    document = {"name": "m", "plan": plan, "clock": "wall", "start": START, "period_seconds": SECONDS}
    seasons = {"seasons": {"every": 2, "rest": 4}} if endless else {}
    return {**document, **seasons, "current_period": 1}


class Seasons(unittest.TestCase):
    """A metric without an end: the same calls, and seasons that come and go."""

    def run_device(self, endless, **limits):
        now = [0]
        device = futurerand.Device(futurerand.MemoryStore(), ceiling="16", clock=lambda: now[0], **limits)
        metric = futurerand.Metric.accept(season_document(endless))
        client, paths, ids = None, [], set()
        for period in range(1, 36):
            now[0] = START + (period - 1) * SECONDS + 50
            client = client or device.open(metric, period)
            client.observe(period, period % 5 == 0)
            while lines := client.lines():
                paths.append(client.path(lines))
                client.acknowledge(lines)
            about = client.about()
            self.assertEqual(about["endless"], endless)
            ids.add(about["client"])
            if period % 7 == 0:
                client.close()
                client = None
        return device, set(paths), ids

    def test_an_application_does_not_change(self):
        _, paths, ids = self.run_device(False)
        self.assertEqual((paths, len(ids)), ({"/v1/metrics/m/reports"}, 1))
        device, paths, ids = self.run_device(True)
        self.assertIn(None, ids)  # it rests
        self.assertEqual(len(paths), len(ids) - 1)
        self.assertGreaterEqual(len(paths), 3)
        self.assertTrue(all(path.startswith("/v1/metrics/m/seasons/") for path in paths))
        self.assertEqual(float(device.ledger()["spent"]), 0.5 * len(paths))

    def test_a_window_holds(self):
        device, paths, _ = self.run_device(True, window=("0.5", 1000 * SECONDS))
        self.assertEqual(len(paths), 1)
        self.assertEqual(device.ledger()["window"], {"epsilon": "0.5", "seconds": 1000 * SECONDS, "spent": "0.5"})

    def test_servers_cannot_change_the_next_season(self):
        device, _, ids = self.run_device(True)
        self.assertGreaterEqual(len(ids), 4)
        changed = season_document(True)
        changed["seasons"]["rest"] = 0
        with self.assertRaisesRegex(futurerand.RefusedError, "the same terms for ever"):
            device.open(futurerand.Metric.accept(changed), 36)

    def test_a_period_far_from_the_clock_is_refused(self):
        device = futurerand.Device(futurerand.MemoryStore(), ceiling="16", clock=lambda: START + 2000)
        client = device.open(futurerand.Metric.accept(season_document(True)), 21)
        client.observe(20, True)
        with self.assertRaises(futurerand.NotStartedError):
            client.observe(30, True)
        with self.assertRaises(TypeError):
            futurerand.Device(futurerand.MemoryStore(), ceiling="16", clock=7)


def small_metric(name="m", periods=8, protocol="innovation"):
    return futurerand.Metric.create(name, futurerand.audit(protocol, periods=periods, changes=2, epsilon="1").plan)


def accepted(lines):
    return json.dumps({"accepted": lines.count("\n"), "duplicates": 0, "rejected": 0, "errors": []})


def opened(store=None, **options):
    device = futurerand.Device(futurerand.MemoryStore() if store is None else store, ceiling="16", **options)
    return device, device.open(small_metric(), 1)


class Groups(unittest.TestCase):
    """A device draws one metric of a group. The application's code is the same for all of them."""

    VECTORS = [json.loads(line) for line in (ROOT / "tests/data/group_vectors.jsonl").read_text().splitlines()]

    def replay(self, vector, restart):
        store, tape = futurerand.MemoryStore(), Tape(bytes.fromhex(vector["entropy"]))
        metrics = [futurerand.Metric.accept(document) for document in vector["metrics"]]
        names = [document["name"] for document in vector["metrics"]]
        device, clients = None, {}
        for step in vector["steps"]:
            if device is None or restart:
                for client in clients.values():
                    client.close()
                if device:
                    device.close()
                device = futurerand.Device(store, ceiling="16", entropy=tape)
                clients = {name: device.open(metric, 1) for name, metric in zip(names, metrics)}
            for name, client in clients.items():
                client.observe(step["period"], step["values"][name])
                lines = client.lines()
                self.assertEqual(lines, "".join(line + "\n" for line in step["lines"][name]))
                if lines:
                    client.acknowledge(lines)
        self.assertEqual(tape.rest, b"")
        self.assertEqual({name: client.about()["drawn"] for name, client in clients.items()},
                         {name: name == vector["drawn"] for name in names})
        ledger = device.ledger()
        self.assertEqual(ledger["groups"], [{"group": "settings", "metric": vector["drawn"]}])
        self.assertEqual([entry["metric"] for entry in ledger["metrics"]], [vector["drawn"]])

    def test_vectors_give_their_lines_byte_for_byte(self):
        self.assertEqual({vector["drawn"] for vector in self.VECTORS}, {"beta", "dark-mode", "sync"})
        for vector in self.VECTORS:
            for restart in (False, True):
                with self.subTest(drawn=vector["drawn"], restart=restart):
                    self.replay(vector, restart)

    def test_a_group_that_changes_is_refused(self):
        vector = self.VECTORS[0]
        device = futurerand.Device(futurerand.MemoryStore(), ceiling="16")
        for document in vector["metrics"]:
            device.open(futurerand.Metric.accept(document), 1).close()
        for change in ({"group": {"name": "settings", "shares": {"beta": 1, "sync": 1}}}, {"group": {"name": "other", "shares": {"beta": 1, "sync": 1}}}):
            with self.assertRaises(futurerand.RefusedError):
                device.open(futurerand.Metric.accept({**vector["metrics"][0], **change}), 1)
        with self.assertRaises(futurerand.RefusedError):
            device.open(futurerand.Metric.accept({key: value for key, value in vector["metrics"][0].items() if key != "group"}), 1)


class Vectors(unittest.TestCase):
    def replay(self, vector, restart):
        store, tape = futurerand.MemoryStore(), Tape(bytes.fromhex(vector["entropy"]))
        metric = metric_of(vector)
        self.assertEqual(metric.certificate()["digest"], vector["digest"])
        device = futurerand.Device(store, ceiling="16", entropy=tape)
        client = device.open(metric, vector["joined"])
        self.assertEqual(tape.rest, b"")
        for step in vector["steps"] + vector.get("departure", []):
            if restart:
                client.close()
                device.close()
                device = futurerand.Device(store, ceiling="16", entropy=tape)
                client = device.open(metric, vector["joined"])
            if "call" in step:
                getattr(client, step["call"])(step["period"])
            else:
                client.observe(step["period"], step["value"])
            lines = client.lines()
            self.assertEqual(lines, "".join(line + "\n" for line in step["lines"]))
            if step["acknowledged"] and lines:
                client.acknowledge(lines)

    def test_they_give_their_lines_byte_for_byte(self):
        self.assertGreater(len(VECTORS), 30)
        for vector in VECTORS:
            for restart in (False, True):
                with self.subTest(metric=vector["metric"], restart=restart):
                    self.replay(vector, restart)

    def test_many_at_once_are_the_same_as_one_by_one(self):
        for vector in VECTORS:
            if kind_of(vector) != "yes_no":
                continue
            with self.subTest(metric=vector["metric"]):
                _, client = joined(vector)
                client.observe_many(
                    np.array([step["period"] for step in vector["steps"]]),
                    np.array([step["value"] for step in vector["steps"]]),
                )
                _, one_by_one = joined(vector)
                for step in vector["steps"]:
                    one_by_one.observe(step["period"], step["value"])
                self.assertEqual(client.lines(), one_by_one.lines())

    def test_entropy_that_ends_early_is_no_entropy(self):
        for vector in VECTORS[::6]:
            store = futurerand.MemoryStore()
            device = futurerand.Device(store, ceiling="16", entropy=Tape(bytes.fromhex(vector["entropy"])[:-8]))
            with self.assertRaises(futurerand.NoEntropyError) as caught:
                device.open(metric_of(vector), vector["joined"])
            self.assertIsInstance(caught.exception.__cause__, EOFError)
            self.assertEqual(device.ledger()["spent"], "0")


class BadInput(unittest.TestCase):
    def setUp(self):
        self.device, self.client = opened()

    def test_types_and_ranges(self):
        for period in ("1", 1.0, math.nan, None, True):
            with self.subTest(period=period), self.assertRaises(TypeError):
                self.client.observe(period, 1)
        for period in (-1, 2**32, 2**70):
            with self.subTest(period=period), self.assertRaises(ValueError):
                self.client.observe(period, 1)
        for value in (math.nan, 0.0, "1", None, [1]):
            with self.subTest(value=value), self.assertRaises(TypeError):
                self.client.observe(1, value)
        for value in (2, -1, 2**70):
            with self.subTest(value=value), self.assertRaises(ValueError) as caught:
                self.client.observe(1, value)
            self.assertNotIn(str(value), str(caught.exception))
        for periods, values in (([1, 2], [1]), ([1, 2], [0, 2]), ([[1]], [[1]]), ([-1], [1]), ([2**40], [1]), ([2, 1], [0, 0])):
            with self.subTest(periods=periods), self.assertRaises(ValueError):
                self.client.observe_many(periods, values)
        for periods, values in (([1.0], [1]), ([1], [math.nan]), (["1"], [1])):
            with self.subTest(periods=periods), self.assertRaises(TypeError):
                self.client.observe_many(periods, values)
        self.assertEqual(self.client.about()["period"], 0)  # nothing of it counted

    def test_a_huge_period_closes_the_metric_and_sends_nothing_else(self):
        self.client.observe(1, 1)
        self.client.observe(2**32 - 1, 0)
        self.assertTrue(self.client.about()["closed"])
        self.assertEqual(len(self.client.lines().splitlines()), 2)

    def test_each_code_has_the_action_of_the_docs(self):
        docs = pathlib.Path(__file__).parents[3] / "docs" / "errors.md"
        table = dict(re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", docs.read_text(), re.M))
        words = {"retry_later": "retry later", "tell_operator": "tell the operator", "fix_call": "fix the call",
                 "give_up": "give up"}
        kinds = [kind for kind in vars(futurerand).values() if isinstance(kind, type) and issubclass(kind, futurerand.FuturerandError)]
        self.assertEqual(len(kinds), 13)
        for kind in kinds:
            if kind is not futurerand.FuturerandError:
                self.assertTrue(table[kind.code].startswith(words[kind.action]), kind)

    def test_a_client_does_not_import_numpy(self):
        code = ("import sys, futurerand\n"
                "metric = futurerand.Metric.create('m', sys.argv[1])\n"
                "client = futurerand.Device(futurerand.MemoryStore(), ceiling='4').open(metric, 1)\n"
                "client.observe(1, True); client.lines(); client.leave(2)\n"
                "assert 'numpy' not in sys.modules\n"
                "assert futurerand.audit and 'numpy' in sys.modules\n")
        plan = json.dumps(futurerand.audit("innovation", periods=8, changes=2, epsilon="1").plan)
        subprocess.run([sys.executable, "-c", code, plan], check=True, timeout=60)

    def test_a_pinned_plan_is_the_only_one(self):
        plans = [futurerand.audit("innovation", periods=8, changes=k, epsilon="1").plan for k in (1, 2)]
        documents = [{"name": "m", "plan": plan, "clock": "manual", "start": None, "period_seconds": None, "current_period": 1}
                     for plan in plans]
        digests = [futurerand.Metric.accept(document).certificate()["digest"] for document in documents]
        self.assertNotEqual(*digests)
        self.assertEqual(futurerand.Metric.accept(documents[0], digest=digests[0]).name, "m")
        with self.assertRaisesRegex(futurerand.RefusedError, digests[0]):
            futurerand.Metric.accept(documents[1], digest=digests[0])

    def test_a_device_shows_what_it_sent_and_remembers_what_its_user_decided(self):
        store = futurerand.MemoryStore()
        with futurerand.Device(store, ceiling="4", ask_first=True) as device:
            self.assertEqual(device.participation, "local_only")
            with self.assertRaisesRegex(futurerand.NotStartedError, "has not agreed"):
                device.open(small_metric(), 1)
            self.assertEqual(device.ledger()["spent"], "0")
            device.participation = "on"
            client = device.open(small_metric(), 1)
            client.observe(3, 1)
            lines = client.lines()
            [metric] = device.history()["metrics"]
            self.assertEqual((metric["sent"], "\n".join(metric["waiting"])[:40]), ([], lines[:40]))
            client.acknowledge(lines)
            history = device.history()
            self.assertEqual("\n".join(history["metrics"][0]["sent"]) + "\n", lines)
            self.assertEqual((history["spent"], history["left"]), ("1", "3"))
            self.assertIn("50% cannot become more than 73%", history["meaning"])
            device.participation = "off"
            client.observe(5, 0)
            client.begin_period(6)
            self.assertEqual(client.lines(), "")
            for wrong in ("yes", ""):
                with self.assertRaises(ValueError):
                    device.participation = wrong
            client.close()
        with futurerand.Device(store, ceiling="4", ask_first=True) as device:
            self.assertEqual(device.participation, "off")
            client = device.open(small_metric(), 6)
            client.leave(6)  # this it may always say
            self.assertEqual(client.lines().count("leave"), 1)
            self.assertEqual(device.history()["metrics"][0]["standing"], "left")
            client.close()

    def test_documents(self):
        for document in ("", "{", "[]", "{}", '{"name": 1}', "\0"):
            with self.subTest(document=document), self.assertRaises(ValueError):
                futurerand.Metric.accept(document)
        with self.assertRaises(ValueError):
            futurerand.Metric.create("m", {"protocol": "hybrid"})
        plan = futurerand.audit("hybrid", periods=8, changes=2, epsilon="1").plan
        plan["epsilon"] = "0.5"  # it loses more than that
        with self.assertRaises(futurerand.RefusedError):
            futurerand.Metric.create("m", plan)
        lines = self.client.lines()
        for answer in ("", "[]", "{}", "null", accepted(lines + lines)):
            with self.subTest(answer=answer), self.assertRaises(ValueError):
                self.client.acknowledge(lines, answer)
        for wrong in ("", "\n", "{}", lines[:-1], lines + lines):
            with self.subTest(lines=wrong), self.assertRaises(ValueError):
                self.client.acknowledge(wrong)
        for wrong in (None, 3, b""):
            with self.subTest(lines=wrong), self.assertRaises(TypeError):
                self.client.acknowledge(wrong)
        self.assertNotEqual(self.client.lines(), "")  # nothing is lost

    def test_devices(self):
        for store in (None, 3, object()):
            with self.subTest(store=store), self.assertRaises(TypeError):
                futurerand.Device(store, ceiling="4")
        for ceiling in ("", "x", "-1", "nan", math.nan, math.inf, 0, 1e300, "1e3"):
            with self.subTest(ceiling=ceiling), self.assertRaises(ValueError):
                futurerand.Device(futurerand.MemoryStore(), ceiling=ceiling)
        for ceiling in (None, True, [4]):
            with self.subTest(ceiling=ceiling), self.assertRaises(TypeError):
                futurerand.Device(futurerand.MemoryStore(), ceiling=ceiling)
        with self.assertRaises(TypeError):
            self.device.open("metric", 1)
        with self.assertRaises(futurerand.BusyError):
            self.device.open(small_metric(), 1)  # it is open
        low = futurerand.Device(futurerand.MemoryStore(), ceiling="0.5")
        with self.assertRaises(futurerand.RefusedError):
            low.open(small_metric(), 1)

    def test_what_is_closed_stays_closed(self):
        self.client.close()
        self.client.close()
        for call in (lambda: self.client.observe(1, 1), self.client.lines, lambda: self.client.acknowledge("x"), self.client.about,
                     lambda: self.client.observe_many([1], [1])):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()
        self.device.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            self.device.ledger()
        with self.assertRaisesRegex(ValueError, "closed"):
            self.device.open(small_metric(), 1)

    def test_a_metric_from_its_parts_has_no_clock(self):
        metric = small_metric()
        self.assertEqual(metric.current_period, 0)
        with self.assertRaisesRegex(futurerand.InvalidError, "moved by hand"):
            metric.period_at(10**9)
        futurerand.Metric.create("m", VECTORS[0]["plan"], start=2**62, period_seconds=7)
        for start in (2**62 + 1, -(2**62) - 1):
            with self.assertRaisesRegex(ValueError, "expected an integer|out of range|expected -"):
                futurerand.Metric.create("m", VECTORS[0]["plan"], start=start, period_seconds=7)

    def test_period_zero_is_before_the_start(self):
        """It is a number that a period may have: nothing happens, and no argument is refused."""
        with self.assertRaises(futurerand.FuturerandError):
            self.device.open(small_metric("other"), 0)
        before = self.client.about()
        self.client.observe(0, 1)
        self.client.begin_period(0)
        self.assertEqual(self.client.about(), before)

    def test_values_of_many_are_zero_or_one(self):
        with self.assertRaises(ValueError):
            self.client.observe_many([1, 2], [1, 2])
        self.assertEqual(self.client.about()["period"], opened()[1].about()["period"])

    def test_a_period_that_begins_makes_earlier_ones_due(self):
        self.client.observe(1, 1)
        before = self.client.lines()
        self.client.begin_period(2)
        self.assertGreater(len(self.client.lines()), len(before))

    def test_leaving_a_block_closes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            with futurerand.Device(folder, ceiling="16") as device, device.open(small_metric(), 1) as client:
                client.observe(1, 1)
            with self.assertRaises(futurerand.InvalidError):
                client.lines()
            with self.assertRaises(futurerand.InvalidError):
                device.ledger()
            futurerand.Device(folder, ceiling="16").close()  # it is free again

    def test_a_forgotten_client_lets_go(self):
        for _ in range(3):
            del self.client
            gc.collect()
            self.client = self.device.open(small_metric(), 1)


class Values(unittest.TestCase):
    NEVER = (None, [1], {}, 1j, b"firefox", math.nan, math.inf, -math.inf, np.float64("nan"), 10**400, "\ud800")
    CASES = {
        "yes_no": ((True, 0, np.bool_(True), np.int8(1)), (0.42, 1.0, "1", "firefox", 2, -1)),
        "number": ((0.42, 7, -3, 1e300, np.float32(0.5), np.int64(3)), (True, np.bool_(False), "1", "firefox")),
        "distribution": ((37.5, -0.0, 1e300), (False, "37.5", "")),
        "category": (("firefox", "caf\u00e9", "unknown"), (True, False, 0, 0.42)),
        "text": (("en-GB", "x" * 64, "\u00e9" * 32), (True, 1, "", "x" * 65, "\u00e9" * 33, "a\nb", "a\0b")),
    }

    def test_another_kind_of_value_changes_nothing(self):
        for kind, (right, wrong) in self.CASES.items():
            vector = vector_of(kind)
            device, client = joined(vector)
            self.assertEqual(client.about()["value"], kind)
            before, ledger = client.about(), device.ledger()
            # A category with a label for others takes every text.
            refused = [value for value in self.NEVER if not (kind == "category" and isinstance(value, str))]
            for value in (*wrong, *refused):
                with self.subTest(kind=kind, value=value), self.assertRaises((TypeError, futurerand.InvalidError)) as caught:
                    client.observe(vector["joined"], value)
                if isinstance(value, str) and len(value) > 1:
                    self.assertNotIn(value, str(caught.exception))
                self.assertIsNone(caught.exception.__context__)
            self.assertEqual((client.about(), device.ledger()), (before, ledger))
            for i, value in enumerate(right):
                client.observe(vector["joined"] + i, value)
            self.assertEqual(client.about()["period"], vector["joined"] + len(right) - 1)
            if kind != "yes_no":
                with self.assertRaises(futurerand.InvalidError):
                    client.observe_many([20, 21], [0, 1])

    def test_an_unknown_label_without_a_label_for_others(self):
        vector = vector_of("category")
        value = {key: part for key, part in vector["plan"]["value"].items() if key != "other"}
        _, client = joined({**vector, "plan": {**vector["plan"], "value": value}})
        for label in ("lynx", "", "Firefox", "firefox ", "\ud800"):
            with self.subTest(label=label), self.assertRaisesRegex(futurerand.InvalidError, "none of the metric's 4 labels"):
                client.observe(1, label)
        self.assertEqual(client.about()["period"], 0)
        client.observe(1, "firefox")

    def test_the_example_of_the_documentation(self):
        section = (ROOT / "docs" / "python.md").read_text().partition("## Numbers, categories and texts\n")[2]
        code = section.partition("```python\n")[2].partition("```")[0]
        kinds = {"dark_mode": "yes_no", "load": "number", "latency": "distribution", "browser": "category", "language": "text"}
        clients = {name: joined(vector_of(kind))[1] for name, kind in kinds.items()}
        exec(code, {"period": 1, **clients})
        self.assertEqual([client.about()["period"] for client in clients.values()], [1] * 5)


class Failing:
    """A store whose parts fail when they are told to."""

    def __init__(self):
        self.inner, self.broken = futurerand.MemoryStore(), {}

    def _do(self, part, *arguments):
        if part in self.broken:
            raise self.broken[part]
        return getattr(self.inner, part)(*arguments)

    def load(self, record):
        return self._do("load", record)

    def save(self, record, data):
        self._do("save", record, data)

    def names(self):
        return self._do("names")


class Stores(unittest.TestCase):
    def test_a_store_that_throws_stops_what_it_was_asked_for(self):
        store = Failing()
        device, client = opened(store)
        before = client.lines()
        store.broken["save"] = OSError("the disk is full")
        with self.assertRaises(futurerand.NoRoomError) as caught:
            client.observe(2, 1)
        self.assertIs(caught.exception.__cause__, store.broken["save"])
        self.assertEqual(client.lines(), before)
        store.broken.clear()
        client.observe(2, 1)
        for part in ("load", "names"):
            broken = Failing()
            broken.broken[part] = RuntimeError("no")
            with self.subTest(part=part), self.assertRaises(futurerand.FuturerandError):
                opened(broken)

    def test_a_store_that_gives_something_else(self):
        store = Failing()
        opened(store)
        store.inner.records = {name: "text" for name in store.inner.records}
        gc.collect()
        with self.assertRaises(futurerand.DamagedError) as caught:
            opened(store)
        self.assertIsInstance(caught.exception.__cause__, TypeError)
        store.inner.records = {name: b"rubbish" for name in store.inner.records}
        with self.assertRaises(futurerand.DamagedError):
            opened(store)

    def test_ctrl_c_in_a_store_stays_ctrl_c(self):
        store = Failing()
        device, client = opened(store)
        store.broken["save"] = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            client.observe(2, 1)

    def test_a_store_that_calls_its_own_device_is_refused(self):
        store = Failing()
        device, client = opened(store)
        seen = []

        def save(record, data):
            try:
                client.lines()
            except ValueError as error:
                seen.append(str(error))
            store.inner.save(record, data)

        store.save = save
        client.observe(2, 1)
        self.assertIn("called its own device", seen[0])

    def test_entropy_that_gives_too_little(self):
        short = (lambda size: b"", lambda size: os.urandom(size - 1), lambda size: os.urandom(size + 1))
        for entropy in (*short, bytearray, lambda size: "x" * size, lambda size: None, bytes, lambda size: b"x" * size):
            with self.subTest(entropy=entropy), self.assertRaises(futurerand.NoEntropyError):
                opened(entropy=entropy)

    def test_a_folder_is_one_devices_and_survives(self):
        with tempfile.TemporaryDirectory() as folder:
            device, client = opened(pathlib.Path(folder) / "state")
            with self.assertRaises(futurerand.BusyError):
                opened(pathlib.Path(folder) / "state")
            client.observe_many([1, 2, 3], [0, 1, 1])
            lines = client.lines()
            client.close()
            device.close()
            device, client = opened(pathlib.Path(folder) / "state")
            client.begin_period(3)
            self.assertEqual(client.lines(), lines)
            client.close()
            device.close()


class ThreadsAndForks(unittest.TestCase):
    def test_threads_take_turns(self):
        device = futurerand.Device(futurerand.MemoryStore(), ceiling="16")
        clients = [device.open(small_metric(f"m{i}", 64), 1) for i in range(4)]
        failed = []

        def live(client):
            try:
                for period in range(1, 65):
                    client.observe(period, period % 2)
                    client.acknowledge(client.lines())
            except BaseException as error:  # noqa: BLE001
                failed.append(error)

        threads = [threading.Thread(target=live, args=(client,)) for client in clients for _ in range(1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertEqual(failed, [])
        self.assertTrue(all(client.about()["period"] == 64 for client in clients))

    def test_a_slow_store_does_not_hold_the_interpreter(self):
        store = Failing()
        device, client = opened(store)
        began, go_on = threading.Event(), threading.Event()

        def save(record, data):
            began.set()
            go_on.wait(60)
            store.inner.save(record, data)

        store.save = save
        observing = threading.Thread(target=client.observe, args=(2, 1))
        observing.start()
        self.assertTrue(began.wait(60))
        other_device, other = opened()  # it runs, although the other waits
        other.observe(2, 1)
        go_on.set()
        observing.join(60)
        self.assertEqual(client.about()["period"], 2)

    def test_a_forked_child_sends_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            for store in (futurerand.MemoryStore(), folder):
                device, client = opened(store)
                child = os.fork()
                if child == 0:
                    status = 1
                    try:
                        refused = 0
                        for call in (lambda: client.observe(1, 1), client.lines, device.ledger):
                            try:
                                call()
                            except futurerand.BusyError:
                                refused += 1
                        del client, device
                        gc.collect()
                        status = 0 if refused == 3 else 2
                    finally:
                        os._exit(status)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
                client.observe(1, 1)  # the parent goes on
                client.close()
                device.close()


class Collected(unittest.TestCase):
    def test_devices_report_to_a_real_collector(self):
        with harness.collector() as it, tempfile.TemporaryDirectory() as folder:
            it.start()
            it.create("example", periods=4, protocol="optimal")
            server = f"http://127.0.0.1:{it.port}"
            for period in range(1, 6):
                for number in range(2):
                    with futurerand.Client.open(
                        server, "example", store=pathlib.Path(folder) / str(number), ceiling="4"
                    ) as client:
                        client.observe(client.metric.current_period, (period + number) % 2)
                        sent = client.send()
                        self.assertEqual(sent["rejected"], 0)
                        self.assertEqual(client.lines(), "")
                if period < 5:
                    it.advance("example")
            sums = it.get("/v1/metrics/example/sums")
            self.assertEqual(sums["devices"], 2)
            for view in sums["views"]:
                self.assertEqual(view["counts"], [sum(view["enrolled"])] * len(view["counts"]))
            with self.assertRaises(futurerand.NotFoundError):
                futurerand.Metric.fetch(server, "nothing")

    def test_without_a_collector_nothing_is_lost(self):
        device, client = opened()
        client.observe(3, 1)
        lines = client.lines()
        with self.assertRaises(futurerand.UnreachableError):
            client.send(f"http://127.0.0.1:{harness.free_port()}")
        self.assertEqual(client.lines(), lines)
        for url in ("", "ftp://x", "http://", "http://x/?q=1", 3):
            with self.subTest(url=url), self.assertRaises((ValueError, TypeError)):
                futurerand.Server(url)


if __name__ == "__main__":
    harness.COMMAND = sys.argv.pop(1)
    unittest.main()
