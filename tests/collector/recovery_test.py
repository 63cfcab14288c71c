"""Recovery at the start after a crash: usage: recovery_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import http.client
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import harness
from data_folder import SMALL, Written, files, records, zero
from devices import Device, Sums
from harness import Collector, collector


class Tails(unittest.TestCase):
    """Possible bytes after the last batch, left by a crash."""

    def test_a_torn_tail_is_cut_and_said(self):
        for cut in (1, 5, 20, 40):
            with self.subTest(cut=cut), collector() as it:
                written = Written(it, sealed=False)
                log = files(it, "log")[-1]
                starts, end = records(log)
                # The mark may include the last batch, but never the bytes left by a crash.
                with open(log, "r+b") as file:
                    file.truncate(end)
                    file.seek(end)
                    torn = bytes(random.Random(cut).randrange(256) for _ in range(cut))
                    file.write(torn)
                it.start()
                said = [line for line in it.said if "torn tail" in line]
                self.assertEqual(len(said), 1, it.said)
                self.assertIn(log.name, said[0])
                written.check(self)
                it.kill()
                self.assertEqual(records(log)[1], end)
                it.start()
                self.assertFalse([line for line in it.said if "torn tail" in line])
                written.check(self)

    def test_pages_out_of_order(self):
        """The last batch lost its first page or a middle one. It was never acknowledged."""
        with collector() as it:
            written = Written(it, requests=4)
            it.start()
            big = [Device(written.plan, random.Random(10_000 + i)) for i in range(2000)]
            before, mark_before = it.get("/v1/metrics/m/sums"), (it.data / "high_water_mark").read_bytes()
            it.post("m", [line for device in big for line in device.lines(random.Random(1))])
            it.kill()
            # As if the machine had stopped during the batch, so the mark does not include it.
            (it.data / "high_water_mark").write_bytes(mark_before)
            log = files(it, "log")[-1]
            whole = log.read_bytes()
            starts, end = records(log)
            last = starts[-1]
            self.assertGreater(end - last, 12_000)
            page = (last // 4096 + 1) * 4096
            for name, begin, stop in (("first", last, page), ("middle", page, page + 4096), ("last", end - 100, end)):
                with self.subTest(page=name):
                    log.write_bytes(whole)
                    (it.data / "high_water_mark").write_bytes(mark_before)
                    zero(log, begin, stop)
                    it.start()
                    self.assertTrue(it.started(), it.said)
                    self.assertTrue([line for line in it.said if "torn tail" in line], it.said)
                    self.assertGreaterEqual(it.get("/v1/metrics/m")["devices"], 4)
                    it.kill()
            log.write_bytes(whole)
            it.start()
            it.post("m", [line for device in big for line in device.lines(random.Random(1))])
            Sums(written.plan, written.devices + big).check(self, it.get("/v1/metrics/m/sums"))
            self.assertNotEqual(before, it.get("/v1/metrics/m/sums"))


class Starts(unittest.TestCase):
    CALLS = ("pwritev", "ftruncate", "fdatasync", "fsync", "rename", "unlink", "mkdir")

    def kill_everywhere(self, folder, check):
        """kill -9 at the n-th file-changing call of a start, for every call and n, followed by an undisturbed start."""
        if subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
            self.skipTest("strace may not trace here")
        killed = 0
        with tempfile.TemporaryDirectory(prefix="futurerand-") as place:
            for call in self.CALLS:
                for number in range(1, 100):
                    it = Collector(pathlib.Path(place) / f"{call}-{number}")
                    if folder is not None:
                        shutil.copytree(folder, it.data)
                    it.start(wrapper=["strace", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"])
                    listening = it.started()
                    it.kill()
                    killed += not listening
                    it.start()
                    try:
                        self.assertTrue(it.started(), (call, number, it.said))
                        check(it)
                    finally:
                        it.kill()
                    if listening:
                        break  # a start has no more of these calls
        return killed

    def test_a_new_folder(self):
        self.assertGreaterEqual(self.kill_everywhere(None, lambda it: it.create("m")), 8)

    def test_a_torn_folder(self):
        with collector(*SMALL) as it:
            written = Written(it)
            log = files(it, "log")[-1]
            with open(log, "r+b") as file:
                file.truncate(records(log)[1])
                file.seek(records(log)[1])
                file.write(b"torn" * 10)
            (it.data / "checkpoint-00000000000000009999.new").write_bytes(b"was being made")
            saved = it.folder / "saved"
            shutil.copytree(it.data, saved)

            def check(started):
                Sums(written.plan, written.devices).check(self, started.get("/v1/metrics/m/sums"))

            self.assertGreaterEqual(self.kill_everywhere(saved, check), 3)


class Checkpoints(unittest.TestCase):
    # A checkpoint has hundreds of small writes. Try some of them, and all other calls.
    CALLS = {"pwritev": (2, 40, 300), "fdatasync": range(1, 100), "fsync": range(1, 100), "rename": range(1, 100), "unlink": range(1, 100)}

    def test_a_kill_at_every_call_of_one(self):
        """kill -9 at the n-th file-changing call of any thread during checkpoints. Acknowledged reports still count."""
        if subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
            self.skipTest("strace may not trace here")
        with collector(*SMALL) as it:
            written = Written(it, requests=150, stop=True)
            self.assertEqual(len(files(it, "checkpoint")), 2)  # the next one deletes an old one
            saved = it.folder / "saved"
            shutil.copytree(it.data, saved)
            killed = set()
            for call, numbers in self.CALLS.items():
                for number in numbers:
                    if not self.die_at(call, number, saved, written, it.folder / f"{call}-{number}"):
                        break  # no thread makes this many calls
                    killed.add(call)
            self.assertEqual(killed, set(self.CALLS))

    def die_at(self, call, number, saved, written, folder):
        """Returns whether it was killed there. Checks that the next start has all acknowledged reports."""
        it = Collector(folder, *SMALL)
        shutil.copytree(saved, it.data)
        it.start(wrapper=["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"])
        sent = [Device(written.plan, random.Random(5000 + seed)) for seed in range(2)]
        acknowledged = 0
        try:
            for device in sent if it.started() else ():
                it.post("m", device.lines(random.Random(1)))
                acknowledged += 1
            for child in pathlib.Path(f"/proc/{it.process.pid}/task/{it.process.pid}/children").read_text().split():
                os.kill(int(child), signal.SIGTERM)  # strace itself would not pass it on
        except (OSError, http.client.HTTPException):
            pass
        died = it.wait() != 0
        it.start()
        try:
            self.assertTrue(it.started(), (call, number, it.said))
            sums = it.get("/v1/metrics/m/sums")
        finally:
            it.kill()
        known = sums["devices"] - len(written.devices)
        # An unanswered request counts completely or not at all.
        self.assertIn(known, (acknowledged, min(acknowledged + 1, len(sent))), (call, number))
        Sums(written.plan, written.devices + sent[:known]).check(self, sums)
        return died


class Restarts(unittest.TestCase):
    def test_short_lives_do_not_pile_up_log(self):
        """Replayed log counts towards the next checkpoint, and SIGTERM writes one."""
        with collector("--checkpoint-bytes", "20000") as it:
            written = Written(it, requests=5)
            most = 0
            for life in range(12):
                it.start()
                for device in range(30):
                    it.post("m", Device(written.plan, random.Random(1000 * life + device)).lines(random.Random(2)))
                it.kill()
                log = files(it, "log")
                newest = max([int(path.name[-20:]) for path in files(it, "checkpoint")], default=0)
                most = max(most, sum(records(path)[1] for path in log if int(path.name[-20:]) > newest))
            self.assertLess(most, 3 * 20_000)
            it.start()
            devices = it.get("/v1/metrics/m")["devices"]
            self.assertEqual(it.stop(), 0)
            last = files(it, "log")[-1]
            self.assertEqual(records(last)[0], [], "nothing is left to replay")
            it.start()
            self.assertEqual(it.get("/v1/metrics/m")["devices"], devices)

    def test_a_checkpoint_is_cut_while_reports_arrive(self):
        """Kills also fall between slices of checkpoints. Every start uses the newest complete one."""
        with collector(*SMALL) as it:
            it.start()
            plan = it.create("m", periods=8)["plan"]
            it.create("other", periods=8)
            it.advance("m", 8)
            devices = []
            for life in range(10):
                chance = random.Random(life)
                more = [Device(plan, chance) for _ in range(60)]
                devices += more
                for i in range(0, 60, 4):
                    lines = [line for device in more[i:i + 4] for line in device.lines(chance)]
                    self.assertEqual(it.post("m", lines)[0], 200)
                it.kill()
                it.start()
                Sums(plan, devices).check(self, it.get("/v1/metrics/m/sums"))
            self.assertGreater(len(files(it, "checkpoint")), 0)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
