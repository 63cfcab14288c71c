"""Real clients against a real collector: usage: fleet_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import json
import math
import random
import subprocess
import sys
import threading
import time
import unittest

import harness
from harness import LONG, collector

DEVICE = None


def first_event(it, metric):
    connection = it.connect()
    connection.request("GET", f"/v1/metrics/{metric}/events")
    stream = connection.getresponse()
    for line in stream:
        if line.startswith(b"data: ") and b"estimate" in line:
            connection.close()
            return json.loads(line[6:])


class Swarm(unittest.TestCase):
    def swarm(self, it, metric, *flags, status=0):
        result = subprocess.run(
            [harness.COMMAND, "swarm", "--to", f"http://127.0.0.1:{it.port}", "--metric", metric,
             "--admin-token-file", str(it.folder / "token"), "--format", "json", *flags],
            capture_output=True, text=True, timeout=600)
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout) if status == 0 else result.stderr

    def test_every_protocol_and_every_mishap(self):
        with collector() as it:
            it.start()
            for protocol in ["innovation", "hybrid", "optimal", "future_rand", "snapshot", "repeated"]:
                with self.subTest(protocol=protocol):
                    answer = self.swarm(it, protocol, "--create", "--protocol", protocol, "--periods", "24", "--devices", "400",
                                        "--batch", "50", "--dropout", "0.02", "--late", "0.3", "--duplicate", "0.2",
                                        "--lost", "0.2", "--join-late", "0.5", "--connections", "3")
                    self.assertTrue(answer["sums_match"])
                    self.assertEqual(answer["rejected"], 0)
                    self.assertGreater(answer["duplicates"], 0)
                    self.assertEqual(answer["reports"], answer["accepted"] + answer["duplicates"])
                    estimates = it.get(f"/v1/metrics/{protocol}/estimates")["periods"]
                    self.assertEqual(len(estimates), 24)

    def test_every_kind_of_value(self):
        with collector() as it:
            it.start()
            kinds = {"number": ("--value", "number", "--range=-20,40", "--population", "drift"),
                     "category": ("--value", "category", "--labels", "5", "--population", "drift"),
                     "distribution": ("--value", "distribution", "--range", "0,80", "--buckets", "8")}
            for kind, flags in kinds.items():
                with self.subTest(kind=kind):
                    answer = self.swarm(it, kind, "--create", *flags, "--epsilon", "8", "--periods", "8", "--changes", "1",
                                        "--devices", "1500", "--batch", "500", "--late", "0.1", "--lost", "0.1", "--seed", "1")
                    self.assertTrue(answer["sums_match"])
                    self.assertEqual(answer["rejected"], 0)
            # Uniform values, from the swarm's population: all figures are near the average value.
            last = it.get("/v1/metrics/number/estimates?from=8")["periods"][0]
            self.assertLess(last["mean_lower"], last["mean_upper"])
            labels = it.get("/v1/metrics/category/estimates?from=8")["periods"]
            self.assertEqual([row["label"] for row in labels], ["1", "2", "3", "4", "5"])
            self.assertAlmostEqual(sum(row["share"] for row in labels), 1, delta=0.5)
            for row in labels:
                self.assertLess(abs(row["estimate"] - 300), 5.4 * row["stddev"] + 80)
            # An event has one row: the most frequent label, by name.
            most = max(labels, key=lambda row: row["estimate"])
            self.assertEqual(first_event(it, "category"), most)
            self.assertEqual(first_event(it, "number"), last)
            # Noise is beyond such a band once in 10^12 runs.
            median, = it.get("/v1/metrics/distribution/estimates?from=8&quantile=0.5&level=0.999999999999")["periods"]
            self.assertLessEqual(median["value_lower"], 40)
            self.assertGreaterEqual(median["value_upper"], 40)
            self.assertIn("text", self.swarm(it, "text", "--create", "--value", "text", "--devices", "5", status=2))

    def test_silence_and_several_snapshots_outlive_a_crash(self):
        with collector() as it:
            it.start()
            answer = self.swarm(it, "quiet", "--create", "--protocol", "hybrid", "--epsilon", "4", "--changes", "3",
                                "--periods", "64", "--devices", "600", "--late", "0.3", "--duplicate", "0.2", "--lost", "0.2", "--join-late", "0.5")
            self.assertTrue(answer["sums_match"])
            before = it.get("/v1/metrics/quiet/sums")
            quiet, snapshot = before["views"][0], before["views"][-1]
            self.assertLess(sum(quiet["spoken"]), sum(quiet["counts"]) / 2)
            self.assertGreater(sum(snapshot["counts"]), sum(snapshot["enrolled"]))
            it.kill()
            it.start()
            self.assertEqual(it.get("/v1/metrics/quiet/sums"), before)

    def test_a_collector_that_crashes_meanwhile(self):
        chance = random.Random(1)
        with collector(port=harness.free_port()) as it:
            it.start()
            rounds, stop = 0, threading.Event()

            def crash():
                nonlocal rounds
                while not stop.wait(chance.uniform(0.05, 0.5)):
                    it.kill()
                    it.start()
                    rounds += 1

            it.create("crash", periods=64, test=True)
            crasher = threading.Thread(target=crash)
            crasher.start()
            try:
                answer = self.swarm(it, "crash", "--devices", "20000" if LONG else "2000", "--batch", "20", "--lost", "0.1")
            finally:
                stop.set()
                crasher.join()
            self.assertTrue(answer["sums_match"])
            self.assertGreater(rounds, 3)

    def test_a_wall_clock(self):
        with collector() as it:
            it.start()
            it.create("wall", clock="wall", test=True, periods=3, period_seconds=1, grace_periods=10, start=int(time.time()) + 1)
            time.sleep(1.1)
            answer = self.swarm(it, "wall", "--devices", "50")
            self.assertTrue(answer["sums_match"])

    def test_a_fleet_walks_from_season_to_season(self):
        """Four periods on and four off: the collector counts each season exactly, and has one timeline."""
        values = {"yes_no": None, "number": {"kind": "number", "low": 0, "high": 10},
                  "category": {"kind": "category", "labels": ["a", "b", "c"]},
                  "distribution": {"kind": "distribution", "low": 0, "high": 10, "buckets": 8}}
        with collector() as it:
            it.start()
            for name, value in values.items():
                it.create(name, clock="wall", test=True, periods=4, max_changes=1, epsilon="4", period_seconds=1, grace_periods=100,
                          protocol="innovation", seasons={"every": 2, "rest": 4}, **({"value": value} if value else {}))
            answers = {}

            def run(name):
                answers[name] = self.swarm(it, name, "--devices", "60", "--until", "12", "--lost", "0.1")

            fleets = [threading.Thread(target=run, args=(name,)) for name in values]
            for fleet in fleets:
                fleet.start()
            for fleet in fleets:
                fleet.join()
            for name, value in values.items():
                with self.subTest(value=name):
                    self.assertTrue(answers[name]["sums_match"])
                    self.assertEqual(answers[name]["rejected"], 0)
                    rows = it.get(f"/v1/metrics/{name}/estimates?from=1&to=12")["periods"]
                    self.assertEqual(sorted({row["period"] for row in rows}), list(range(1, 13)))
                    labels = {row.get("label") for row in rows}
                    self.assertEqual(labels, {"a", "b", "c"} if name == "category" else {None})

    def test_each_device_draws_one_metric_of_a_group(self):
        """All distances below are 5.4 standard deviations: a right draw fails one with a probability below 1e-6."""
        group = {"name": "settings", "shares": {"dark-mode": 1, "sync": 1, "beta": 2}}
        devices = 4000
        with collector() as it:
            it.start()
            for name, periods in {"dark-mode": 6, "sync": 4, "beta": 6}.items():
                it.create(name, test=True, periods=periods, max_changes=1, epsilon="4", protocol="innovation", group=group)
            answer = self.swarm(it, "dark-mode,sync,beta", "--devices", str(devices), "--population", "static", "--seed", "1",
                                "--lost", "0.1", "--duplicate", "0.1")
            self.assertTrue(answer["sums_match"])
            self.assertEqual(answer["rejected"], 0)
            self.assertEqual(sum(answer["joined"].values()), devices)
            for name, share in {"dark-mode": 0.25, "sync": 0.25, "beta": 0.5}.items():
                with self.subTest(metric=name):
                    spread = math.sqrt(devices * share * (1 - share))
                    self.assertLess(abs(answer["joined"][name] - devices * share), 5.4 * spread)
                    self.assertEqual(it.get(f"/v1/metrics/{name}")["devices"], answer["joined"][name])
                    estimates = it.get(f"/v1/metrics/{name}/estimates")
                    self.assertEqual(estimates["asked_share"], share)
                    self.assertIn("all devices of the group", estimates["counted"])
                    last = estimates["periods"][-1]
                    self.assertEqual(last["devices"], round(answer["joined"][name] / share))
                    self.assertEqual(last["reports"], answer["joined"][name])
                    # Three in ten hold 1, of the devices of each metric's population.
                    wide = (last["share_upper"] - last["share_lower"]) / 2 / 1.96 * 5.4
                    self.assertLess(abs(last["share"] - 0.3), wide + 5.4 * math.sqrt(0.21 / devices))
                    self.assertAlmostEqual(last["estimate"], last["share"] * last["devices"], delta=0.01)
            # One metric alone: the other devices of the fleet drew another one, and send nothing.
            it.create("alone", test=True, periods=3, max_changes=1, epsilon="4", protocol="innovation",
                      group={"name": "two", "shares": {"alone": 1, "other": 9}})
            answer = self.swarm(it, "alone", "--devices", "400")
            self.assertTrue(answer["sums_match"])
            self.assertLess(it.get("/v1/metrics/alone")["devices"], 100)
            self.assertIn("not in a group", self.swarm(it, "sync,alone", status=2))
            # --create makes a group.
            answer = self.swarm(it, "a,b", "--create", "--periods", "3", "--changes", "1", "--devices", "60")
            self.assertEqual(sum(answer["joined"].values()), 60)
            self.assertEqual(it.get("/v1/metrics/a")["group"], {"name": "swarm", "shares": {"a": 1, "b": 1}})

    def test_refusals(self):
        with collector() as it:
            it.start()
            self.assertIn("no metric", self.swarm(it, "none", status=1))
            it.create("real")
            self.assertIn('"test": true', self.swarm(it, "real", status=2))
            self.assertEqual(it.get("/v1/metrics/real")["devices"], 0)
            it.create("manual", test=True)
            result = subprocess.run([harness.COMMAND, "swarm", "--to", f"http://127.0.0.1:{it.port}", "--metric", "manual"],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 2)
            self.assertIn("--admin-token-file", result.stderr)


class Example(unittest.TestCase):
    def device(self, it, folder, value, *more):
        return subprocess.run([DEVICE, f"http://127.0.0.1:{it.port}", str(folder), "example", value, *more],
                              capture_output=True, text=True, timeout=60)

    def test_devices_over_a_horizon(self):
        with collector() as it:
            it.start()
            it.create("example", periods=8, protocol="optimal")
            folders = [it.folder / f"device{i}" for i in range(6)]
            for period in range(1, 10):
                for number, folder in enumerate(folders):
                    result = self.device(it, folder, str((period + number) % 2))
                    self.assertEqual(result.returncode, 0, result.stderr)
                if period < 9:
                    it.advance("example")
            self.check_all_counted(it, "example", 6)

    def check_all_counted(self, it, metric, num_devices):
        sums = it.get(f"/v1/metrics/{metric}/sums")
        self.assertEqual(sums["devices"], num_devices)
        for view in sums["views"]:
            devices = sum(view["enrolled"])
            self.assertEqual(view["counts"], [devices] * len(view["counts"]))
        # A normal device is never rejected, not even as early.
        self.assertEqual(it.get(f"/v1/metrics/{metric}")["rejected"], 0)

    def test_two_metrics_in_one_folder(self):
        with collector() as it:
            it.start()
            for metric in ["example", "second"]:
                it.create(metric, periods=6, protocol="optimal")
            folder = it.folder / "new" / "parents" / "device"
            for period in range(1, 8):
                result = self.device(it, folder, str(period % 2), "second", "1")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(result.stdout, r"example, second: \d+ lines? accepted")
                # A value that is observed twice in one period counts once.
                self.assertEqual(self.device(it, folder, "0", "second", "0").returncode, 0)
                if period < 7:
                    it.advance("example")
                    it.advance("second")
            for metric in ["example", "second"]:
                self.check_all_counted(it, metric, 1)
            # A third metric would exceed the device's ceiling; the others go on.
            it.create("third", periods=6, epsilon="3")
            result = self.device(it, folder, "1", "third", "1")
            self.assertEqual(result.returncode, 1)
            self.assertIn("third: the metric 'third' asks for epsilon 3; this device has 2 of 4 left", result.stderr)

    def test_it_fails_closed(self):
        with collector() as it:
            it.start()
            self.assertEqual(self.device(it, it.folder / "d", "1").returncode, 1)
            it.create("example")
            self.assertEqual(self.device(it, it.folder / "d", "1").returncode, 0)
            it.kill()
            result = self.device(it, it.folder / "d", "1")
            self.assertEqual(result.returncode, 1)
            self.assertIn("cannot connect", result.stderr)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER, DEVICE = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
