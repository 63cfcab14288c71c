"""A damaged data folder: usage: damage_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import contextlib
import fcntl
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import harness
from devices import Device
from data_folder import SMALL, Written, files, records, refused
from harness import collector


@contextlib.contextmanager
def mounted(test, image, place, size=0, options="loop"):
    """A file system in a file; a new one of this size if there is none."""
    if size:
        image.write_bytes(b"")
        os.truncate(image, size)
        subprocess.run(["mkfs.ext4", "-qF", image], check=True)
    place.mkdir(exist_ok=True)
    if subprocess.run(["mount", "-o", options, image, place], capture_output=True).returncode != 0:
        test.skipTest("mounting needs root and loop devices")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@contextlib.contextmanager
def bad_disk(test, place, content):
    """A file with an unreadable second half: the disk ends before it."""
    image, disk = pathlib.Path(place) / "bad", pathlib.Path(place) / "bad-disk"
    with mounted(test, image, disk, size=16 << 20):
        path = disk / "file"
        with open(path, "wb") as file:
            file.write(content)
            os.fsync(file.fileno())
            size = os.statvfs(disk).f_bsize
            number = len(content) // 2 // size
            block, = struct.unpack("i", fcntl.ioctl(file.fileno(), 1, struct.pack("i", number)))  # FIBMAP
    with mounted(test, image, disk, options="loop,ro"):
        os.truncate(image, block * size)
        yield path


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
            self.assertRegex(said, r"kept everything up to commit \d+; lost commits \d+ to \d+")
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
            for missing in (logs[-1:], logs[-2:-1] + checkpoints, checkpoints, [it.data / "high_water_mark"], [it.data / "FORMAT"]):
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

    def test_what_was_acknowledged_a_moment_ago_is_missed(self):
        """It was killed within a second of the last write: the mark on the disk may not have followed yet."""
        for lost in ("bit", "file"):
            with self.subTest(lost=lost), collector(*SMALL) as it:
                written = Written(it, requests=150, stop=True)
                it.start()
                if lost == "file":  # the checkpoint at the start of it proves that there was a file
                    it.kill()
                    log = files(it, "log")[-1]
                    log.rename(it.folder / "log")
                    self.assertRegex(refused(self, it), rf"{log.name} is missing")
                    (it.folder / "log").rename(log)
                else:
                    chance = random.Random(5)
                    for _ in range(3):
                        written.devices.append(Device(written.plan, chance))
                        self.assertEqual(it.post("m", written.devices[-1].lines(chance))[0], 200)
                    it.kill()
                    log = files(it, "log")[-1]
                    whole = log.read_bytes()
                    broken = bytearray(whole)
                    broken[records(log)[0][-1] + 30] ^= 1
                    log.write_bytes(broken)
                    self.assertRegex(refused(self, it), r"commit \d+ was acknowledged")
                    log.write_bytes(whole)
                it.start()
                written.check(self)

    def test_a_sector_that_cannot_be_read(self):
        """The newest checkpoint lies on a disk with a bad sector: the error names the place, and the start uses the older one. For a log the error names the place."""
        for kind, stop in (("checkpoint", True), ("log", False)):
            with self.subTest(kind=kind), collector(*(SMALL if stop else ())) as it, tempfile.TemporaryDirectory() as place:
                written = Written(it, requests=150, stop=stop)
                path = files(it, kind)[-1]
                kept = path.read_bytes()
                path.unlink()
                said = rf"{path.name} at byte \d+ of {len(kept)}: Input/output error"
                with bad_disk(self, place, kept) as on_bad_disk:
                    path.symlink_to(on_bad_disk)
                    if stop:
                        it.start()
                        self.assertTrue(it.started(), it.said)
                        self.assertRegex(" | ".join(it.said), said)
                        written.check(self)
                        it.kill()
                    else:
                        self.assertRegex(refused(self, it), said)
                    path.unlink(missing_ok=True)
                path.write_bytes(kept)
                if not stop:
                    it.start()
                    written.check(self)

    def test_power_fails_when_a_repair_has_cut_the_log(self):
        """The disk's contents at that moment: the cut log, and a copy of the original."""
        with tempfile.TemporaryDirectory() as place, collector() as it:
            image, crashed = pathlib.Path(place) / "disk", pathlib.Path(place) / "crashed"
            with mounted(self, image, pathlib.Path(place) / "live", size=64 << 20) as disk:
                it.data = disk / "data"
                Written(it)
                log = files(it, "log")[-1]
                starts, _ = records(log)
                broken = bytearray(log.read_bytes())
                broken[starts[len(starts) // 2] + 2] ^= 1
                log.write_bytes(broken)
                subprocess.run(["sync", "-f", disk], check=True)
                before = {path.name: path.read_bytes() for path in it.data.iterdir() if path.is_file() and path.name != "LOCK"}
                it.flags = ("--repair",)
                it.start()
                self.assertTrue(it.started(), it.said)
                shutil.copy(image, crashed)
                it.kill()
            with mounted(self, crashed, pathlib.Path(place) / "later") as disk:
                copy = {path.name: path.read_bytes() for path in (disk / "data" / "before-repair-1").iterdir()}
                self.assertEqual({name: len(data) for name, data in copy.items()}, {name: len(data) for name, data in before.items()})
                self.assertEqual(copy, before)

    def test_a_folder_that_cannot_be_listed_is_not_empty(self):
        with collector(disk=True) as it:
            written = Written(it)
            it.fault("unlisted", True)
            self.assertRegex(refused(self, it), "cannot list .*Input/output error")
            it.fault("unlisted", False)
            it.start()
            written.check(self)

    def test_a_start_reads_the_disk_and_not_memory(self):
        """After a failed sync, memory may differ from the disk. Here the disk changes behind the memory's back."""
        with tempfile.TemporaryDirectory() as place, collector() as it:
            image = pathlib.Path(place) / "disk"
            with mounted(self, image, pathlib.Path(place) / "live", size=64 << 20) as disk:
                it.data = disk / "data"
                Written(it)
                subprocess.run(["sync", "-f", disk], check=True)
                log = files(it, "log")[-1]
                starts, _ = records(log)
                whole = log.read_bytes()  # in memory now
                middle = starts[len(starts) // 2] + 2
                with open(image, "r+b") as under:
                    at = under.read().index(whole[middle - 64:middle + 64]) + 64
                    under.seek(at)
                    under.write(bytes([whole[middle] ^ 1]))
                self.assertEqual(log.read_bytes(), whole)
                self.assertRegex(refused(self, it), rf"{log.name} at byte \d+")

    def test_only_an_empty_folder_becomes_a_new_one(self):
        with collector() as it:
            it.data.mkdir()
            (it.data / "holiday.jpg").write_bytes(b"a picture")
            self.assertIn("not empty", refused(self, it))
            it.flags = ("--repair",)
            self.assertIn("not empty", refused(self, it))
            self.assertEqual([path.name for path in it.data.iterdir() if path.name != "LOCK"], ["holiday.jpg"])

    def test_an_unknown_version_is_refused(self):
        with collector() as it:
            Written(it, requests=2)
            for version in ("futurerand collector 2\n", "futurerand collector 1", "futurerand collector 0\n", "", "\x00\xff" * 100):
                (it.data / "FORMAT").write_text(version)
                self.assertIn("unknown version", refused(self, it))


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
