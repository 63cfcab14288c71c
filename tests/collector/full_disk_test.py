"""A full disk, for real: usage: full_disk_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from devices import Device, Sums
from harness import Collector


class FullDisk(unittest.TestCase):
    SIZE = 20 << 20

    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="futurerand-tmpfs-")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.SIZE}", "tmpfs", self.place], capture_output=True)
        if mounted.returncode != 0:
            os.rmdir(self.place)
            self.skipTest("mounting needs root")
        self.it = Collector(pathlib.Path(self.place) / "c")

    def tearDown(self):
        self.it.kill()
        subprocess.run(["umount", "-l", self.place], check=True)
        os.rmdir(self.place)

    def fill(self):
        filler = pathlib.Path(self.place) / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                pass
            try:
                while True:
                    file.write(b"x")
            except OSError:
                pass
        return filler

    def test_a_really_full_disk(self):
        it, chance = self.it, random.Random(14)
        it.flags = ("--checkpoint-bytes", "65536")
        it.start()
        plan = it.create("full", periods=8)["plan"]
        it.advance("full", 8)
        devices = [Device(plan, chance) for _ in range(30_000)]
        lines = {device.id: device.lines(chance) for device in devices}
        at = 0

        def send(count):
            nonlocal at
            some = devices[at:at + count]
            status, answer, headers = it.post("full", [line for device in some for line in lines[device.id]])
            if status == 200:
                self.assertEqual(answer["rejected"], 0)
                at += count
            return status, answer, headers

        self.assertEqual(send(500)[0], 200)
        for round in range(3):
            filler = self.fill()
            for _ in range(60):
                status, answer, headers = send(500)
                if status != 200:
                    break
            self.assertEqual((status, answer["error"]["code"]), (503, "no_room"))
            self.assertIn("Retry-After", headers)
            Sums(plan, devices[:at]).check(self, it.get("/v1/metrics/full/sums"))
            if round == 1:
                # A start on a full disk serves reads and rejects writes.
                it.kill()
                it.start()
                self.assertTrue(it.started(), it.said)
                Sums(plan, devices[:at]).check(self, it.get("/v1/metrics/full/sums"))
                self.assertEqual(send(500)[0], 503)
            if round == 2:
                self.assertEqual(it.stop(), 0)
                it.start()
                Sums(plan, devices[:at]).check(self, it.get("/v1/metrics/full/sums"))
            filler.unlink()
            deadline = time.monotonic() + 60
            while send(500)[0] != 200:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
            Sums(plan, devices[:at]).check(self, it.get("/v1/metrics/full/sums"))
        it.kill()
        it.start()
        Sums(plan, devices[:at]).check(self, it.get("/v1/metrics/full/sums"))


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
