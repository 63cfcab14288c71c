"""The collector survives kills: usage: survival_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import random
import sys
import time
import unittest

import harness
from devices import Device, Fleet, Sums
from harness import LONG, collector, free_port


class Crashes(unittest.TestCase):
    def crash(self, disk, seed):
        """After kill -9 at random moments under load, the fleet retrying, the sums equal the fleet's exactly."""
        chance, rounds = random.Random(seed), 50 if LONG else 8
        # A small checkpoint size makes crashes during checkpoints likely.
        with collector("--checkpoint-bytes", "65536", disk=disk, port=free_port()) as it:
            it.start()
            plan = it.create("crash", periods=16)["plan"]
            it.advance("crash", 16)
            every = [Device(plan, chance, chance.randint(1, 16)) for _ in range(rounds * 700)]
            fleet, crashes = Fleet(it, "crash", plan, every, threads=4, seed=seed, batch=2), 0
            for _ in range(rounds):
                time.sleep(chance.uniform(0.0, 0.2))
                crashes += fleet.working()
                it.kill()
                it.start()
            fleet.join()
            self.assertGreaterEqual(crashes, rounds * 3 // 4, "most crashes must fall under load")
            # Everything is resent, and nothing is new.
            last = Fleet(it, "crash", plan, every, threads=2, seed=seed - 1, batch=500, duplicates=0)
            last.join()
            sums = it.get("/v1/metrics/crash/sums")
            Sums(plan, every).check(self, sums)
            self.assertEqual(it.stop(), 0)
            it.start()
            self.assertEqual(it.get("/v1/metrics/crash/sums"), sums)

    def test_kill_9_under_load(self):
        self.crash(disk=False, seed=11)

    def test_kill_9_and_everything_unsynced_is_lost(self):
        self.crash(disk=True, seed=12)

    def test_the_layer_shows_a_missing_sync(self):
        """The test above would notice skipped syncs."""
        chance = random.Random(13)
        with collector(disk=True) as it:
            it.start()
            plan = it.create("lied")["plan"]
            it.fault("lie", True)
            self.assertEqual(it.post("lied", [Device(plan, chance).enrolment()])[0], 200)
            it.kill()
            it.fault("lie", False)
            it.start()
            self.assertEqual(it.get("/v1/metrics/lied")["devices"], 0)


class Disks(unittest.TestCase):
    def test_full_disk(self):
        chance = random.Random(14)
        with collector(disk=True) as it:
            it.start()
            plan = it.create("full", periods=8)["plan"]
            it.advance("full", 8)
            devices = [Device(plan, chance) for _ in range(60)]
            for device in devices[:20]:
                self.assertEqual(it.post("full", device.lines(chance))[0], 200)
            before = it.get("/v1/metrics/full/sums")
            it.fault("full", True)
            for device in devices[20:40]:
                status, answer, headers = it.post("full", device.lines(chance))
                self.assertEqual((status, answer["error"]["code"]), (503, "no_room"))
                self.assertIn("Retry-After", headers)
            self.assertEqual(it.get("/v1/metrics/full/sums"), before)
            self.assertEqual(it.call("GET", "/healthz")[0], 503)
            it.fault("full", False)
            deadline = time.monotonic() + 30
            while it.post("full", devices[20].lines(chance))[0] != 200:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.2)
            self.assertEqual(it.get("/healthz")["status"], "ok")
            for device in devices[20:]:
                self.assertEqual(it.post("full", device.lines(chance))[0], 200)
            Sums(plan, devices).check(self, it.get("/v1/metrics/full/sums"))
            it.kill()
            it.start()
            Sums(plan, devices).check(self, it.get("/v1/metrics/full/sums"))

    def test_failed_sync_stops_the_process(self):
        chance = random.Random(15)
        with collector(disk=True) as it:
            it.start()
            plan = it.create("eio")["plan"]
            it.post("eio", [Device(plan, chance).enrolment()])
            it.fault("eio", True)
            with self.assertRaises(Exception):
                it.post("eio", [Device(plan, chance).enrolment()])
            self.assertEqual(it.wait(), 1)
            self.assertIn("sync failed", it.said[-1])
            it.process = None
            it.fault("eio", False)
            it.start()
            self.assertIn(it.get("/v1/metrics/eio")["devices"], (1, 2))


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
