"""Records that a TPM 2.0 counts, by swtpm: no old copy of a folder is taken, on this machine or on another. usage: tpm_test.py
[unittest arguments], with PYTHONPATH naming the folder of the Python module."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import futurerand


class Tpm:
    """swtpm on a socket of its own, in a folder; a second one is another machine's."""

    def __init__(self, test, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.socket = self.folder / "socket"
        self.name = f"swtpm:path={self.socket}"
        self.process = None
        test.addCleanup(self.stop)
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={self.folder}", "--server", f"type=unixio,path={self.socket}",
             "--ctrl", f"type=unixio,path={self.socket}.ctrl", "--flags", "not-need-init,startup-clear"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not self.socket.exists() and time.monotonic() < deadline:
            time.sleep(0.01)

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None


class OldCopies(unittest.TestCase):
    def setUp(self):
        scope = tempfile.TemporaryDirectory(prefix="futurerand-tpm-")
        self.addCleanup(scope.cleanup)
        self.scope = pathlib.Path(scope.name)
        self.tpm = Tpm(self, self.scope / "tpm")
        self.folder = self.scope / "state"
        plan = futurerand.audit("repeated", periods=16, changes=2, epsilon="1").plan
        self.metric = futurerand.Metric.create("m", plan)

    def device(self, folder=None, tpm=None, **options):
        return futurerand.Device(folder or self.folder, ceiling="4", tpm=(tpm or self.tpm).name, machine="here", **options)

    def run_to(self, period):
        """One run of a program: it goes on from where it was, and its last lines are acknowledged."""
        with self.device() as device, device.open(self.metric, 1) as client:
            client.observe(period, period % 2)
            lines = client.lines()
            if lines:
                client.acknowledge(lines)
            return lines

    def copy(self, name):
        shutil.copytree(self.folder, self.scope / name)
        return self.scope / name

    def refused(self, folder, kind=futurerand.DamagedError, **options):
        with self.assertRaises(kind) as caught:
            with self.device(folder, **options) as device:
                device.open(self.metric, 1)
        return str(caught.exception)

    def test_a_copy_or_a_restored_folder_is_refused(self):
        with self.device():
            pass
        before_joining = self.copy("before-joining")
        self.run_to(1)
        copies = [before_joining]
        for period in (2, 3, 4):
            copies.append(self.copy(f"before-{period}"))
            self.run_to(period)
        latest = self.copy("latest")
        for old in copies:
            # Restored in its place, on the same machine.
            shutil.rmtree(self.folder)
            shutil.copytree(old, self.folder)
            self.assertIn("not an old copy", self.refused(self.folder))
        # A folder that was emptied is a copy from before joining.
        shutil.rmtree(self.folder)
        self.assertIn("not an old copy", self.refused(self.folder))
        # The latest one, at another place: it has another index there. And in its place it goes on.
        self.refused(latest)
        shutil.rmtree(self.folder)
        shutil.copytree(latest, self.folder)
        self.run_to(5)
        # Once it went on, the copy of a moment ago is old.
        shutil.rmtree(self.folder)
        shutil.copytree(latest, self.folder)
        self.refused(self.folder)

    def test_another_machine_is_refused_with_its_tpm_and_without(self):
        self.run_to(1)
        other = Tpm(self, self.scope / "other")
        elsewhere = self.copy("elsewhere")
        self.refused(elsewhere, tpm=other)
        # In the same place, too: the other TPM never counted there.
        self.refused(self.folder, tpm=other)
        # Without a TPM: the records know that they are counted. Another identity retires them.
        with self.assertRaises(futurerand.DamagedError):
            futurerand.Device(self.folder, ceiling="4", machine="here").open(self.metric, 1)
        copy = self.copy("copy")
        with self.assertRaises(futurerand.FuturerandError):
            futurerand.Device(copy, ceiling="4", machine="there")
        self.run_to(2)

    def test_the_tpm_counts_once_a_period_and_survives_its_own_restart(self):
        self.run_to(1)
        index = self.index()
        before = self.count(index)
        for period in (2, 3, 4, 5):
            self.run_to(period)
        self.assertEqual(self.count(index) - before, 4)
        self.tpm.stop()
        with self.assertRaises(futurerand.NotFoundError) as caught:
            self.run_to(6)
        self.assertEqual(caught.exception.action, "tell_operator")
        self.tpm.start()
        self.run_to(6)

    def test_a_kill_at_any_moment_loses_nothing(self):
        """kill -9 in the middle of runs: the device goes on, and no index ever has two signs."""
        self.run_to(1)
        signs = {}
        for attempt in range(6):
            run = os.fork()
            if run == 0:
                try:
                    self.run_to(2 + attempt)
                finally:
                    os._exit(0)
            time.sleep(0.02 * attempt)
            os.kill(run, signal.SIGKILL)
            os.waitpid(run, 0)
            with self.device() as device, device.open(self.metric, 1) as client:
                client.begin_period(16)
                for line in device.history()["metrics"][0]["sent"] + device.history()["metrics"][0]["waiting"]:
                    report = json.loads(line)
                    for at, sign in enumerate(report.get("signs", "")):
                        self.assertEqual(signs.setdefault(report["index"] + at, sign), sign)
        self.run_to(10)

    def test_an_index_of_the_application(self):
        with self.device(tpm_index=0x01800123) as device:
            device.open(self.metric, 1).close()
        self.assertIn("0x01800123", self.refused(self.folder))
        with self.assertRaisesRegex(ValueError, "owner's"):
            self.device(tpm_index=5)
        with self.assertRaises(TypeError):
            futurerand.Device(futurerand.MemoryStore(), ceiling="4", tpm="swtpm")

    # tpm2-tools is not needed: the counter's record says which index it is and how far it counted.
    def index(self):
        record = (self.folder / "counter").read_bytes()
        at = record.index(b"tpm 0x")
        return record[at:at + 14].decode()

    def count(self, index):
        record = (self.folder / "counter").read_bytes()
        at = record.index(index.encode()) + 14
        return int.from_bytes(record[at:at + 8], "little")


if __name__ == "__main__":
    unittest.main()
