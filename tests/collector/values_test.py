"""Labels, texts and distributions, from real devices to the answer: usage: values_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE
[unittest arguments]"""
import json
import os
import random
import sys
import unittest

import futurerand
import harness
from harness import collector

PERIODS, DEVICES, EPSILON = 6, 400, "8"  # so large that few devices suffice
BROWSERS = {"kind": "category", "labels": ["firefox", "chrome", "safari"], "other": "another"}
WAITING = {"kind": "distribution", "low": 0, "high": 80, "unit": "ms", "buckets": 8}


class Fleet:
    """Devices that join in period 1 or 2. Some leave. Each holds a value, and some change it once."""

    def __init__(self, it, name, values, chance, **definition):
        self.it, self.name = it, name
        it.create(name, protocol="innovation", periods=PERIODS, max_changes=1, epsilon=EPSILON, **definition)
        self.metric = futurerand.Metric.accept(it.get(f"/v1/metrics/{name}"))
        self.clients, self.held = [], []  # held[i][t] is the value of period t + 1, or None
        for i in range(DEVICES):
            joins, leaves = chance.choice([1, 1, 2]), chance.choice([PERIODS + 1, PERIODS + 1, 4])
            first, second, change = values(chance), values(chance), chance.randrange(1, PERIODS + 1)
            self.held.append([None if not joins <= t < leaves else first if t <= change else second
                              for t in range(1, PERIODS + 1)])
            self.clients.append(None)

    def report(self, period):
        """Everyone reports a period that is over."""
        lines = []
        for i, held in enumerate(self.held):
            value = held[period - 1]
            if value is None:
                continue
            if self.clients[i] is None:
                self.clients[i] = futurerand.Device(futurerand.MemoryStore(), ceiling=float(EPSILON)).open(self.metric, period)
            self.clients[i].observe(period, value)
            self.clients[i].begin_period(period + 1)  # so the value of this one is final
            mine = self.clients[i].lines()
            lines.append(mine)
            self.clients[i].acknowledge(mine)
        status, answer = self.it.post(self.name, "".join(lines).splitlines(), timeout=120)[:2]
        assert status == 200 and not answer["errors"], answer

    def there(self, period):
        return [held[period - 1] for held in self.held if held[period - 1] is not None]

    def rows(self, query=""):
        return self.it.get(f"/v1/metrics/{self.name}/estimates{query}")["periods"]


class Values(unittest.TestCase):
    def near(self, row, truth):
        """Stated errors are half as large again as true ones at such an epsilon: this is more than eight of the true ones."""
        self.assertLessEqual(abs(row["estimate"] - truth), 5.4 * row["stddev"], row)

    def test_labels_texts_and_distributions_through_kills(self):
        chance = random.Random(8)
        with collector("--checkpoint-bytes", "4096") as it:
            it.start()
            browsers = Fleet(it, "browsers", lambda c: c.choice(["firefox"] * 5 + ["chrome"] * 3 + ["safari", "lynx"]), chance,
                             value=BROWSERS)
            waiting = Fleet(it, "waiting", lambda c: c.uniform(10, 50), chance, value=WAITING)
            pages = Fleet(it, "pages", lambda c: c.choice(["/", "/", "/help", "/a"]), chance,
                          value={"kind": "text", "hash_bits": 10})
            for period in range(1, PERIODS + 1):
                for fleet in (browsers, waiting, pages):
                    it.advance(fleet.name)
                    fleet.report(period)
                if period == 3:
                    before = [it.get(f"/v1/metrics/{name}/estimates{query}") for name, query in
                              (("browsers", ""), ("waiting", "?quantile=0.5"), ("pages", "?label=/"))]
                    it.kill()
                    it.start()
                    after = [it.get(f"/v1/metrics/{name}/estimates{query}") for name, query in
                             (("browsers", ""), ("waiting", "?quantile=0.5"), ("pages", "?label=/"))]
                    for one, other in zip(before, after):
                        self.assertEqual(one["periods"], other["periods"])
            self.check_labels(browsers)
            self.check_distribution(waiting)
            for row in pages.rows("?label=/"):
                self.near(row, pages.there(row["period"]).count("/"))
            self.check_candidates(pages)
            it.stop()
            it.start()
            self.assertEqual(it.get("/v1/metrics/pages")["candidates"], ["/", "/a", "/b", "/help"])
            self.check_labels(browsers)

    def check_candidates(self, fleet):
        def put(*texts, name=fleet.name):
            return fleet.it.call("PUT", f"/v1/metrics/{name}/candidates", json.dumps({"candidates": texts}), admin=True)[:2]

        path = f"/v1/metrics/{fleet.name}/estimates"
        self.assertIn("no candidates yet", fleet.it.call("GET", path)[1]["error"]["message"])
        self.assertEqual(put("/", "/a", "/b")[0], 200)
        fleet.it.kill()
        fleet.it.start()
        self.assertEqual(put("/a", "/help")[1]["candidates"], ["/", "/a", "/b", "/help"])
        rows = fleet.rows("?from=6")
        self.assertEqual([row["label"] for row in rows], ["/", "/a", "/b", "/help"])
        for row in rows:  # unrelated texts add a thousandth of the devices to each
            self.near(row, fleet.there(6).count(row["label"]))
        self.check_top(fleet, rows, 1)
        for wrong in (["x" * 65], ["a\nb"], ["a", "a"], [7]):
            self.assertEqual(put(*wrong)[0], 400, wrong)
        self.assertIn("of kind text", put("a", name="browsers")[1]["error"]["message"])
        self.assertEqual(fleet.it.get(f"/v1/metrics/{fleet.name}")["candidates"], ["/", "/a", "/b", "/help"])

    def check_top(self, fleet, rows, most):
        """The labels that stand out come first, as far as they were asked for. At least one does: half of the devices hold it."""
        last = sorted((row for row in rows if row["period"] == PERIODS), key=lambda row: -row["estimate"])
        leading = [row["label"] for row in fleet.rows(f"?top={most}&from={PERIODS}")]
        self.assertEqual(leading, [row["label"] for row in last[:len(leading)]])
        self.assertIn(len(leading), range(1, most + 1))
        return leading

    def check_labels(self, fleet):
        labels = BROWSERS["labels"] + [BROWSERS["other"]]
        rows = fleet.rows()
        self.assertEqual([row["label"] for row in rows], labels * PERIODS)
        for row in rows:
            there = fleet.there(row["period"])
            known = [value if value in labels else "another" for value in there]
            self.assertEqual(row["devices"], len(there))
            self.near(row, known.count(row["label"]))
        leading = self.check_top(fleet, rows, 2)
        self.assertIn("firefox", leading)  # noise may put chrome before it, but no other
        self.assertEqual(fleet.rows("?label=chrome"), [row for row in rows if row["label"] == "chrome"])
        pooled = fleet.rows("?window=3&label=firefox")[-1]
        single = fleet.rows("?label=firefox")[-1]
        self.assertLess(pooled["stddev"], single["stddev"])
        self.near(pooled, sum(fleet.there(t).count("firefox") for t in (4, 5, 6)) /
                  sum(len(fleet.there(t)) for t in (4, 5, 6)) * pooled["devices"])
        answer = fleet.it.call("GET", f"/v1/metrics/{fleet.name}/estimates?from=6", headers={"Accept": "text/csv"})[1].decode()
        self.assertEqual(answer.splitlines()[0].split(",")[:4], ["period", "label", "from", "to"])
        self.assertEqual(len(answer.splitlines()), 1 + len(labels))

    def check_distribution(self, fleet):
        for row in fleet.rows():
            truth = [int(value / 10) * 10 + 5 for value in fleet.there(row["period"])]
            mean = sum(truth) / len(truth)
            self.assertLessEqual(abs(row["mean"] - mean), 5.4 * row["mean_stddev"])
        for row in fleet.rows("?by=cumulative&curve=unbiased"):
            edge = float(row["label"].split()[1])
            below = sum(int(value / 10) * 10 + 10 <= edge for value in fleet.there(row["period"]))
            if 0 < edge < 80:
                self.near(row, below)
        for row in fleet.rows("?quantile=0.5&level=0.9999"):
            middle = sorted(fleet.there(row["period"]))[len(fleet.there(row["period"])) // 2]
            self.assertLess(row["value_lower"] - 5, middle)
            self.assertLess(middle, row["value_upper"] + 5)

    def test_what_is_wrong_is_said_and_nothing_is_lost(self):
        with collector("--max-metric-mib", "1") as it:
            it.start()
            many = [f"label {i}" for i in range(2000)]
            for value, says in (
                    ({"kind": "category", "labels": ["a", "a"]}, "a"), ({"kind": "category", "labels": []}, "2 to 65536"),
                    ({"kind": "category", "labels": many * 33}, "labels"), ({"kind": "colour"}, "colour"),
                    ({"kind": "distribution", "low": 1, "high": 1}, "low"), ({"kind": "category", "labels": many}, "MiB")):
                body = json.dumps({"periods": 64, "max_changes": 1, "epsilon": 1, "clock": "manual", "value": value})
                status, answer = it.call("PUT", "/v1/metrics/m", body, admin=True)[:2]
                self.assertEqual(status, 400, answer)
                self.assertIn(says, answer["error"]["message"])
            self.assertEqual(it.get("/v1/metrics")["metrics"], [])
            it.create("m", protocol="innovation", value=BROWSERS)
            for query in ("", "?top=1", "?by=label", "?label=chrome", "?window=2"):  # before the first period is over
                self.assertEqual(it.get(f"/v1/metrics/m/estimates{query}")["periods"], [])
            for query, says in (("label=opera", "no such label"), ("quantile=0.5", "distribution"), ("top=0", "1 to 1000"),
                                ("quantile=2", "between 0 and 1"), ("window=0", "window"), ("by=colour", "by is"),
                                ("estimand=enrolled", "active"), ("estimator=trend", "online")):
                status, answer = it.call("GET", f"/v1/metrics/m/estimates?{query}")[:2]
                self.assertEqual(status, 400, query)
                self.assertIn(says, answer["error"]["message"])
            metric = futurerand.Metric.accept(it.get("/v1/metrics/m"))
            client = futurerand.Device(futurerand.MemoryStore(), ceiling=4).open(metric, 1)
            for wrong in (True, 4.5, float("nan"), None):
                with self.assertRaises((futurerand.FuturerandError, TypeError, ValueError)):
                    client.observe(1, wrong)
            client.observe(1, "opera")  # counts as another


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = os.path.abspath(sys.argv[1]), sys.argv[2]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
