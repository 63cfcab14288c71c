"""Data folders with known contents, and a parser of their files by the headers of collector/log."""
import random
import time

from devices import Device, Sums

SMALL = ("--checkpoint-bytes", "4096")  # a few requests trigger a checkpoint


def files(it, kind):
    """Returns the files log-N or checkpoint-N, by rising number."""
    return sorted(path for path in it.data.glob(kind + "-*") if path.suffix != ".new")


class Written:
    """A folder with some reports, and its expected sums."""

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
        """Waits for the mark. It follows an idle log within seconds."""
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
    """Returns the number of the mark by high_water_mark.hpp: the higher of two places."""
    data = (it.data / "high_water_mark").read_bytes()
    return max(int.from_bytes(data[at + 8:at + 16], "little") for at in (0, 4096))


def records(log):
    """Returns the offsets of the records of a log file by log_file.hpp, and their end."""
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
