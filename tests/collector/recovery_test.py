"""What a start makes of a data folder: usage: recovery_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

import harness
from harness import Collector, Device, Sums, collector

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "data" / "golden" / "collector"
SMALL = ("--checkpoint-bytes", "4096")  # so that a few requests make checkpoints


def files(it, kind):
    """Returns the files log-N or checkpoint-N, by rising number."""
    return sorted(path for path in it.data.glob(kind + "-*") if path.suffix != ".new")


class Written:
    """A folder with some reports in it, and what its sums must be."""

    def __init__(self, it, requests=30, seed=16, stop=False, name="m", sealed=True):
        self.it, self.name = it, name
        chance = random.Random(seed)
        it.start()
        self.plan = it.create(name, periods=8)["plan"]
        it.advance(name, 8)
        self.devices = [Device(self.plan, chance) for _ in range(requests)]
        for device in self.devices:
            it.post(name, device.lines(chance))
        if stop:
            it.stop()
        else:
            if sealed:
                self.wait_for_mark()
            it.kill()

    def wait_for_mark(self):
        """The mark follows the log within seconds once nothing is written."""
        sequence, deadline = self.it.get("/healthz")["sequence"], time.monotonic() + 60
        while mark(self.it) < sequence:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def send_all(self):
        chance = random.Random(99)
        for device in self.devices:
            status, answer, _ = self.it.post(self.name, device.lines(chance))
            assert (status, answer["rejected"]) == (200, 0), answer

    def check(self, test):
        Sums(self.plan, self.devices).check(test, self.it.get(f"/v1/metrics/{self.name}/sums"))


def mark(it):
    """Returns the number of the mark, as mark.hpp says: of two places, the higher one counts."""
    data = (it.data / "mark").read_bytes()
    return max(int.from_bytes(data[at + 8:at + 16], "little") for at in (0, 4096))


def records(log):
    """Returns where the records of a log file begin, as log_file.hpp says, and where they end."""
    data, at, starts = log.read_bytes(), 32, []
    while at + 24 <= len(data) and int.from_bytes(data[at + 16:at + 24], "little") != 0:
        starts.append(at)
        length = int.from_bytes(data[at + 8:at + 16], "little")
        at += (24 + length + 7) // 8 * 8
    return starts, at


def refused(test, it):
    it.start()
    test.assertFalse(it.started(), it.said)
    test.assertEqual(it.wait(), 1)
    it.process = None
    return it.said[-1]


def zero(path, begin, end):
    with open(path, "r+b") as file:
        file.seek(begin)
        file.write(bytes(end - begin))


class Tails(unittest.TestCase):
    """What a crash leaves behind the last group."""

    def test_a_torn_tail_is_cut_and_said(self):
        for cut in (1, 5, 20, 40):
            with self.subTest(cut=cut), collector() as it:
                written = Written(it, sealed=False)
                log = files(it, "log")[-1]
                starts, end = records(log)
                # The mark may know of the last group: what a crash leaves is not known to it.
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
        """The last group lost its first page, or one in its middle: nobody was told that it is durable."""
        with collector() as it:
            written = Written(it, requests=4)
            it.start()
            big = [Device(written.plan, random.Random(10_000 + i)) for i in range(2000)]
            before, mark_before = it.get("/v1/metrics/m/sums"), (it.data / "mark").read_bytes()
            it.post("m", [line for device in big for line in device.lines(random.Random(1))])
            it.kill()
            # It is as if the machine had stopped during that group: then the mark does not know it.
            (it.data / "mark").write_bytes(mark_before)
            log = files(it, "log")[-1]
            whole = log.read_bytes()
            starts, end = records(log)
            last = starts[-1]
            self.assertGreater(end - last, 12_000)
            page = (last // 4096 + 1) * 4096
            for name, begin, stop in (("first", last, page), ("middle", page, page + 4096), ("last", end - 100, end)):
                with self.subTest(page=name):
                    log.write_bytes(whole)
                    (it.data / "mark").write_bytes(mark_before)
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
        """kill -9 at the n-th file-changing call of a start, for every call and n; then a start that is left alone."""
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

    def test_a_folder_of_version_1(self):
        with tempfile.TemporaryDirectory(prefix="futurerand-") as place:
            with tarfile.open(GOLDEN / "checkpoint.tar.gz") as archive:
                archive.extractall(place)
            seen = []

            def check(it):
                seen.append(it.get("/v1/metrics/hybrid/sums"))
                self.assertEqual(seen[0], seen[-1])
                self.assertGreater(seen[-1]["devices"], 0)

            self.assertGreaterEqual(self.kill_everywhere(place, check), 15)


class Damage(unittest.TestCase):
    def test_a_flipped_bit_stops_the_start_and_repair_goes_on(self):
        with collector() as it:
            written = Written(it)
            log = files(it, "log")[-1]
            whole = log.read_bytes()
            starts, end = records(log)
            chance = random.Random(18)
            places = [0, 9, 20, starts[0], starts[0] + 5, starts[0] + 9, starts[0] + 17, end // 2, starts[-1] + 30]
            for place in places + [chance.randrange(end - 8) for _ in range(4)]:
                with self.subTest(place=place, of=end):
                    broken = bytearray(whole)
                    broken[place] ^= 1 << chance.randrange(8)
                    log.write_bytes(broken)
                    if any((24 + int.from_bytes(whole[at + 8:at + 16], "little")) <= place - at
                           < (24 + int.from_bytes(whole[at + 8:at + 16], "little") + 7) // 8 * 8 for at in starts) or 28 <= place < 32:
                        continue  # zeros between records mean nothing
                    said = refused(self, it)
                    self.assertIn("damaged", said)
                    self.assertIn(log.name, said)
                    self.assertIn("at byte", said)
                    self.assertEqual(log.read_bytes(), bytes(broken))
            broken = bytearray(whole)
            broken[starts[len(starts) // 2] + 2] ^= 1
            log.write_bytes(broken)
            it.flags = ("--repair",)
            it.start()
            self.assertTrue(it.started(), it.said)
            said = " | ".join(line for line in it.said if "repair" in line)
            self.assertRegex(said, r"kept everything up to group \d+; lost groups \d+ to \d+")
            self.assertEqual((it.data / "before-repair-1" / log.name).read_bytes(), bytes(broken))
            written.send_all()
            written.check(self)
            it.stop()
            it.start()
            self.assertTrue([line for line in it.said if "nothing is damaged" in line], it.said)
            self.assertFalse((it.data / "before-repair-2").exists())
            it.flags = ()
            it.stop()
            it.start()
            written.check(self)

    def test_missing_files_are_noticed(self):
        with collector(*SMALL) as it:
            written = Written(it, requests=120)
            logs, checkpoints = files(it, "log"), files(it, "checkpoint")
            self.assertGreater(len(logs), 1)
            # An older file of the log is needed only if there is no checkpoint after it.
            for missing in (logs[-1:], logs[-2:-1] + checkpoints, checkpoints, [it.data / "mark"], [it.data / "FORMAT"]):
                with self.subTest(missing=[path.name for path in missing]):
                    if missing == checkpoints and logs[0].name.endswith("1") and len(checkpoints) == 1:
                        continue  # the log still has everything
                    for path in missing:
                        path.rename(it.folder / path.name)
                    said = refused(self, it)
                    self.assertRegex(said, "missing|no file FORMAT|no file of the log")
                    for path in missing:
                        (it.folder / path.name).rename(path)
            it.start()
            written.check(self)

    def test_one_of_two_checkpoints_may_be_damaged(self):
        for flags in (SMALL, (*SMALL, "--keep-log")):
            with self.subTest(flags=flags), collector(*flags) as it:
                written = Written(it, requests=150, stop=True)
                checkpoints = files(it, "checkpoint")
                self.assertEqual(len(checkpoints), 2)
                for path in checkpoints[::-1] if "--keep-log" in flags else checkpoints[-1:]:
                    broken = bytearray(path.read_bytes())
                    broken[len(broken) // 3] ^= 8
                    path.write_bytes(broken)
                    it.start()
                    self.assertTrue(it.started(), it.said)
                    self.assertTrue([line for line in it.said if path.name in line and "damaged" in line], it.said)
                    written.check(self)
                    it.kill()
                if "--keep-log" not in flags:
                    broken = bytearray(checkpoints[0].read_bytes())
                    broken[len(broken) // 2] ^= 8
                    checkpoints[0].write_bytes(broken)
                    said = refused(self, it)
                    self.assertIn(checkpoints[0].name, said)
                    # There is nothing to begin with: repair refuses too, and leaves all as it was.
                    it.flags = ("--repair",)
                    before = {path.name: path.read_bytes() for path in it.data.iterdir() if path.is_file()}
                    self.assertIn("nothing can be kept", refused(self, it))
                    self.assertEqual({path.name: path.read_bytes() for path in it.data.iterdir() if path.is_file()}, before)

    def test_only_an_empty_folder_becomes_a_new_one(self):
        with collector() as it:
            it.data.mkdir()
            (it.data / "holiday.jpg").write_bytes(b"a picture")
            self.assertIn("not empty", refused(self, it))
            it.flags = ("--repair",)
            self.assertIn("not empty", refused(self, it))
            self.assertEqual([path.name for path in it.data.iterdir() if path.name != "LOCK"], ["holiday.jpg"])

    def test_a_damaged_folder_of_version_1_is_repaired_up_to_the_damage(self):
        with collector() as it:
            it.data.mkdir()
            with tarfile.open(GOLDEN / "log.tar.gz") as archive:
                archive.extractall(it.data)
            log = max(it.data.glob("*.log"), key=lambda path: path.stat().st_size)
            broken = bytearray(log.read_bytes())
            broken[len(broken) * 3 // 4] ^= 1
            log.write_bytes(broken)
            said = refused(self, it)
            self.assertIn("damaged", said)
            self.assertIn("--repair", said)
            it.flags = ("--repair",)
            it.start()
            self.assertTrue(it.started(), it.said)
            self.assertIn("repair: keeping what comes before", " ".join(it.said))
            devices = it.get("/v1/metrics/hybrid")["devices"]
            self.assertGreater(devices, 0)
            self.assertEqual((it.data / "version-1" / log.name).read_bytes(), bytes(broken))
            it.flags = ()
            it.stop()
            it.start()
            self.assertEqual(it.get("/v1/metrics/hybrid")["devices"], devices)

    def test_an_unknown_version_is_refused(self):
        with collector() as it:
            Written(it, requests=2)
            for version in ("futurerand collector 4\n", "futurerand collector 3", "futurerand collector 2", "", "\x00\xff" * 100):
                (it.data / "FORMAT").write_text(version)
                self.assertIn("unknown version", refused(self, it))


class Restarts(unittest.TestCase):
    def test_short_lives_do_not_pile_up_log(self):
        """What a start replays counts towards the next checkpoint, and SIGTERM takes one."""
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
        """Kills fall between the slices of checkpoints too; every life starts from the newest one."""
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
                # Starting on a full disk works: it answers what it knows, and takes nothing.
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
