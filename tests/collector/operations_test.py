"""Running a collector for years, beside others: usage: operations_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import json
import random
import sys
import threading
import time
import unittest

import harness
from devices import Device, Sums
from harness import LONG, collector, wait_until


class Operator(unittest.TestCase):
    def test_what_was_answered_is_seen_by_the_next_read(self):
        with collector() as it:
            it.start()
            it.create("long", periods=1 << 15)
            stop = threading.Event()

            def load():
                number = 0
                while not stop.is_set():
                    lines = ['{"client":"%032x","view":0,"period":1}' % (number + i) for i in range(50)]
                    number += 50
                    it.post("long", lines)

            thread = threading.Thread(target=load)
            thread.start()
            try:
                for period in range(2, 22):
                    it.advance("long")
                    self.assertEqual(it.get("/v1/metrics/long")["current_period"], period)
                    it.create(f"m{period}", periods=4)
                    self.assertEqual(it.get(f"/v1/metrics/m{period}")["name"], f"m{period}")
            finally:
                stop.set()
                thread.join()

    def test_an_advance_that_expects_a_period(self):
        with collector() as it:
            it.start()
            it.create("m", periods=4)

            def advance(body):
                status, answer, _ = it.call("POST", "/v1/metrics/m/advance", body, admin=True)
                return status, answer.get("current_period") or answer["error"]["code"]

            self.assertEqual(advance('{"period":1}'), (200, 2))
            self.assertEqual(advance('{"period":1}'), (409, "unexpected_period"))  # as a retry would
            self.assertEqual(advance('{"period":3}'), (409, "unexpected_period"))
            self.assertEqual(advance('{"period":2}'), (200, 3))
            self.assertEqual(advance(""), (200, 4))
            for wrong in ("{}", '{"period":"1"}', '{"period":0}', "[]", "x", '{"period":1,"more":2}'):
                self.assertEqual(advance(wrong), (400, "bad_advance"), wrong)
            self.assertEqual(it.get("/v1/metrics/m")["current_period"], 4)

    def test_a_signal_right_after_the_start(self):
        for _ in range(5):
            with collector() as it:
                self.assertEqual(it.start().stop(), 0)


class Years(unittest.TestCase):
    def test_a_closed_metric_keeps_its_sums_and_forgets_its_devices(self):
        with collector() as it:
            it.start()
            chance = random.Random(31)
            plan = it.create("old", periods=4)["plan"]
            it.create("young", periods=4)
            it.advance("old", 4)
            devices = [Device(plan, chance) for _ in range(3000)]
            for at in range(0, 3000, 500):
                it.post("old", [line for device in devices[at:at + 500] for line in device.lines(chance)])
            Sums(plan, devices).check(self, it.get("/v1/metrics/old/sums"))
            state = it.metric("futurerand_state_bytes")
            it.advance("old", 1)
            wait_until(lambda: it.metric("futurerand_state_bytes") < state - 24 * 3000)
            for how in (it.kill, it.stop, it.stop):
                Sums(plan, devices).check(self, it.get("/v1/metrics/old/sums"))
                self.assertEqual(it.get("/v1/metrics/old")["devices"], 3000)
                self.assertEqual(it.post("old", devices[0].lines(chance))[1]["errors"][0]["reason"], "closed")
                how()
                it.start()
            newest = sorted(it.data.glob("checkpoint-*"))[-1]
            self.assertLess(newest.stat().st_size, 24 * 3000)

    def test_a_disk_that_does_not_come_back(self):
        with collector("--stall-ms", "1000", disk=True) as it:
            it.start()
            it.create("m")
            wait_until(lambda: it.call("GET", "/readyz")[1]["status"] == "ready")
            it.fault("hang", True)
            writer = threading.Thread(target=lambda: it.post("m", ['{"client":"%032x","view":0,"period":1}' % 1], timeout=120))
            writer.start()
            try:
                wait_until(lambda: it.call("GET", "/readyz")[0] == 503)
                status, answer, _ = it.call("GET", "/readyz")
                self.assertEqual((status, answer["status"]), (503, "stalled"))
                self.assertEqual(it.get("/healthz")["status"], "ok")  # it lives, and reads are answered
                self.assertEqual(it.get("/v1/metrics/m")["devices"], 0)
            finally:
                it.fault("hang", False)
                writer.join()
            wait_until(lambda: it.call("GET", "/readyz")[0] == 200)
            self.assertEqual(it.get("/v1/metrics/m")["devices"], 1)

    def test_what_prometheus_reads(self):
        with collector("--checkpoint-bytes", "4096") as it:
            it.start()
            it.create("m", protocol="optimal")
            for at in range(0, 2000, 100):
                it.post("m", ['{"client":"%032x","view":0,"period":1}' % (at + i) for i in range(100)])
            wait_until(lambda: "futurerand_checkpoint_age_seconds" in it.call("GET", "/metrics")[1].decode())
            self.assertLess(it.metric("futurerand_checkpoint_age_seconds"), 600)
            self.assertGreater(it.metric("futurerand_checkpoint_bytes"), 100)
            self.assertGreater(it.metric("futurerand_state_bytes"), 24 * 2000)
            self.assertGreater(it.metric("futurerand_disk_free_bytes"), 0)
            self.assertEqual(it.metric("futurerand_commit_seconds_count"), it.metric("futurerand_log_groups_total"))
            self.assertEqual(it.metric('futurerand_commit_seconds_bucket{le="+Inf"}'), it.metric("futurerand_commit_seconds_count"))
            self.assertGreater(it.metric("futurerand_checkpoint_slice_seconds_count"), 0)
            # Every line has Prometheus's form.
            for line in it.call("GET", "/metrics")[1].decode().splitlines():
                self.assertRegex(line, r'^(# (HELP|TYPE) .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9.]+)$')


class Neighbours(unittest.TestCase):
    def test_a_flood_of_one_metric_leaves_another_alone(self):
        """A neighbour is served and counted while another metric is flooded; bench/collector_latency_bench has the figures."""
        with collector() as it:
            it.start()
            chance = random.Random(41)
            it.create("a", protocol="optimal")
            plan = it.create("b", periods=8)["plan"]
            it.advance("b", 8)
            stop, sent = threading.Event(), [0, 0, 0]

            def flood(which):
                random_bits = random.Random(which)
                while not stop.is_set():
                    lines = ['{"client":"%032x","view":0,"period":1}' % random_bits.getrandbits(128) for _ in range(20_000)]
                    if it.post("a", lines, timeout=120)[0] == 200:
                        sent[which] += len(lines)

            floods = [threading.Thread(target=flood, args=(which,)) for which in range(3)]
            for thread in floods:
                thread.start()
            devices, times = [Device(plan, chance) for _ in range(60 if not LONG else 600)], []
            try:
                for device in devices:
                    begin = time.monotonic()
                    self.assertEqual(it.post("b", device.lines(chance), timeout=120)[0], 200)
                    times.append(time.monotonic() - begin)
            finally:
                stop.set()
                for thread in floods:
                    thread.join()
            self.assertGreater(min(sent), 0)
            self.assertEqual(it.get("/v1/metrics/a")["devices"], sum(sent))
            Sums(plan, devices).check(self, it.get("/v1/metrics/b/sums"))
            self.assertLess(sorted(times)[len(times) // 2], 5)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
