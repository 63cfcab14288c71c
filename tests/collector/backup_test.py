"""Backups of a collector that serves: usage: backup_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import os
import pathlib
import queue
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time
import unittest

import harness
from devices import Device, Fleet, Sums
from harness import LONG, Collector, collector, wait_until


def keep(what, *arguments, status=0):
    done = subprocess.run([harness.COMMAND, what, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done
    return done.stderr if status else done.stdout


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir() if path.name not in ("LOCK", "BACKUP")}


class Backup(unittest.TestCase):
    def restored(self, it, backup, name):
        """Returns a collector that serves what was restored, to be used as a context."""
        other = Collector(it.folder / name)
        keep("restore", "--from", backup, "--data", other.data)
        self.assertEqual(bytes_of(backup), bytes_of(other.data))
        return other

    def test_under_load_has_all_that_was_acknowledged_before(self):
        with collector("--checkpoint-bytes", "20000") as it:
            it.start()
            chance = random.Random(12)
            plan = it.create("m", periods=8)["plan"]
            it.advance("m", 8)
            devices = [Device(plan, chance) for _ in range(3000)]
            fleet = Fleet(it, "m", plan, devices, threads=3, seed=5, batch=20)
            others = []
            try:
                for number in range(6):
                    wait_until(lambda: not fleet.working() or it.get("/v1/metrics/m")["devices"] >= 200 * number)
                    before = it.get("/v1/metrics/m")
                    backup = it.folder / f"backup-{number}"
                    self.assertIn("up to commit", keep("backup", "--data", it.data, "--to", backup))
                    after = it.get("/v1/metrics/m")
                    other = self.restored(it, backup, f"restored-{number}")
                    others.append(other)
                    other.start()
                    metric = other.get("/v1/metrics/m")
                    # Snapshots lag behind the durable state, and are never ahead of it.
                    self.assertGreaterEqual(metric["devices"], before["devices"])
                    self.assertGreaterEqual(metric["reports"], before["reports"])
                    self.assertLessEqual(before["devices"], after["devices"])
                    self.assertEqual(other.stop(), 0)
            finally:
                fleet.join()
                for other in others:
                    other.kill()
            Sums(plan, devices).check(self, it.get("/v1/metrics/m/sums"))
            # At rest the answers are the very same, and devices continue.
            keep("backup", "--data", it.data, "--to", it.folder / "last")
            other = self.restored(it, it.folder / "last", "restored-last")
            try:
                other.start()
                for path in ("/v1/metrics/m/sums", "/v1/metrics/m/estimates"):
                    self.assertEqual(other.get(path), it.get(path))
                lines = [line for device in devices[:50] for line in device.lines(chance)]
                self.assertEqual(other.post("m", lines)[1]["duplicates"], len(lines))
            finally:
                other.kill()

    def test_an_older_one_ends_no_device_and_counts_each_report_once(self):
        names = ("repeated", "innovation", "optimal")
        with collector() as it:
            it.start()
            for name in names:
                it.create(name, protocol=name)

            def report(collector, device):
                values = [word for name in names for word in (name, str(device % 2))]
                done = subprocess.run([EXAMPLE_DEVICE, f"http://127.0.0.1:{collector.port}", it.folder / f"device-{device}", *values],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done)

            def period(collector, devices):
                for name in names:
                    collector.advance(name)
                for device in devices:
                    report(collector, device)

            for _ in range(3):
                period(it, range(20))
            keep("backup", "--data", it.data, "--to", it.folder / "older")
            for _ in range(5):
                period(it, range(30))  # ten of them enrol after the backup
            full = {name: it.get(f"/v1/metrics/{name}/sums") for name in names}
            self.assertEqual(it.stop(), 0)
            other = self.restored(it, it.folder / "older", "restored")
            try:
                other.start()
                for name in names:
                    self.assertEqual(other.get(f"/v1/metrics/{name}")["devices"], 20)
                    other.advance(name, 5)
                for _ in range(8):  # in the end every device has had something to report
                    period(other, range(30))
                for name in names:
                    self.assertEqual(other.get(f"/v1/metrics/{name}")["devices"], 30)
                    after = other.get(f"/v1/metrics/{name}/sums")
                    for old, new in zip(full[name]["views"], after["views"], strict=True):
                        self.assertEqual(old["enrolled"], new["enrolled"])
                        known = sum(count > 0 for count in old["counts"])
                        self.assertEqual(old["counts"][:known], new["counts"][:known])
                        self.assertEqual(old["sums"][:known], new["sums"][:known])
            finally:
                other.kill()

    @unittest.skipUnless(LONG, "takes minutes")
    def test_reports_are_hardly_slower_meanwhile(self):
        """Windows with and without a backup take turns, so that other load of the machine affects both."""
        with collector("--enrolments-per-hour", "0", "--lines-per-second", "0") as it:
            it.start()
            it.create("m", protocol="optimal")
            bits, bodies, stop, sent = random.Random(3), queue.Queue(), threading.Event(), [0] * 4

            def body():
                return "".join('{"client":"%032x","view":0,"period":1}\n' % bits.getrandbits(128) for _ in range(200)).encode()

            def load(which):
                connection = it.connect(120)
                while not stop.is_set():
                    connection.request("POST", "/v1/metrics/m/reports", bodies.get())
                    answer = connection.getresponse()
                    answer.read()
                    assert answer.status == 200, answer.status
                    sent[which] += 200
                connection.close()

            def rate(goes_on):
                begin, before = time.monotonic(), sum(sent)
                while goes_on(time.monotonic() - begin):
                    while bodies.qsize() < 200:
                        bodies.put(body())
                    time.sleep(0.005)
                return (sum(sent) - before) / (time.monotonic() - begin)

            threads = [threading.Thread(target=load, args=(which,)) for which in range(4)]
            for thread in threads:
                thread.start()
            ratios = []
            try:
                rate(lambda seconds: seconds < 20)  # so that there is something to copy
                before = rate(lambda seconds: seconds < 3)
                for number in range(8):
                    copying = subprocess.Popen([harness.COMMAND, "backup", "--data", it.data, "--to", it.folder / f"b{number}"],
                                               stdout=subprocess.DEVNULL)
                    during = rate(lambda seconds: copying.poll() is None)
                    self.assertEqual(copying.wait(120), 0)
                    after = rate(lambda seconds: seconds < 3)
                    ratios.append(during / ((before + after) / 2))
                    before = after
            finally:
                stop.set()
                for _ in threads:
                    bodies.put(body())
                for thread in threads:
                    thread.join()
            mean, error = statistics.mean(ratios), statistics.stdev(ratios) / len(ratios) ** 0.5
            print(f"during a backup {mean:.3f} of the reports a second without one, standard error {error:.3f}, "
                  f"{len(ratios)} windows of each: {' '.join(f'{ratio:.2f}' for ratio in ratios)}")
            if error > 0.05:
                self.skipTest("this machine is too busy with other things to tell")
            self.assertGreater(mean, 0.8)

    def test_what_was_deleted_is_not_in_later_ones(self):
        with collector() as it:
            it.start()
            for name in ("gone", "kept"):
                it.create(name)
                it.post(name, ['{"client":"%s","view":0,"period":1}' % (name * 4).encode().ljust(16)[:16].hex()])
            keep("backup", "--data", it.data, "--to", it.folder / "before")
            self.assertTrue(any(b"gonegone" in content for content in bytes_of(it.folder / "before").values()))
            it.call("DELETE", "/v1/metrics/gone", admin=True)
            wait_until(lambda: len(list(it.data.glob("checkpoint-????????????????????"))) == 1)
            keep("backup", "--data", it.data, "--to", it.folder / "after")
            self.assertFalse(any(b"gone" in content for content in bytes_of(it.folder / "after").values()))
            self.assertTrue(any(b"keptkept" in content for content in bytes_of(it.folder / "after").values()))

    def test_is_refused_where_something_is_or_was_damaged(self):
        with collector() as it:
            it.start()
            it.create("m")
            backup = it.folder / "backup"
            keep("backup", "--data", it.data, "--to", backup)
            self.assertIn("is not empty", keep("backup", "--data", it.data, "--to", backup, status=1))
            self.assertIn("is not empty", keep("restore", "--from", backup, "--data", it.data, status=1))
            self.assertIn("no data folder", keep("backup", "--data", it.folder / "none", "--to", it.folder / "x", status=1))
            self.assertIn("is no backup", keep("restore", "--from", it.data, "--data", it.folder / "y", status=1))
            for name in sorted(bytes_of(backup)):
                broken = it.folder / f"broken-{name}"
                shutil.copytree(backup, broken)
                content = bytearray((broken / name).read_bytes())
                content[len(content) // 2] ^= 1
                (broken / name).write_bytes(content)
                target = it.folder / f"from-{name}"
                keep("restore", "--from", broken, "--data", target, status=1)
                self.assertFalse((target / "FORMAT").exists())
            (backup / "BACKUP").write_text("futurerand backup 2\n")
            self.assertIn("or a newer one, can restore it", keep("restore", "--from", backup, "--data", it.folder / "z", status=1))
            # A log that is damaged is said, not copied as if it ended there.
            it.stop()
            log = sorted(it.data.glob("log-*"))[0]
            for checkpoint in it.data.glob("checkpoint-*"):
                checkpoint.unlink()
            log.unlink()
            self.assertIn("no backup of", keep("backup", "--data", it.data, "--to", it.folder / "w", status=1))

    def test_versions_are_refused_with_the_one_that_reads_them(self):
        with collector() as it:
            it.start()
            it.stop()
            (it.data / "FORMAT").write_text("futurerand collector 9\nneeds futurerand 7.1.0\n")
            self.assertIn("futurerand 7.1.0 and later can read it",
                          keep("backup", "--data", it.data, "--to", it.folder / "b", status=1))
            it.start()
            self.assertEqual(it.wait(), 1)
            self.assertIn("futurerand 7.1.0 and later can read it", " ".join(it.said))


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = os.path.abspath(sys.argv[1]), sys.argv[2]
    EXAMPLE_DEVICE = os.path.abspath(sys.argv[3])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
