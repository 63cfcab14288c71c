"""Clocks that jump: usage: clock_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]

The collector's own clock is moved while it runs, as a wrong time server or a virtual machine's host would.
"""
import pathlib
import random
import sys
import time
import unittest

import harness
from devices import Device, Sums
from harness import collector, wait_until

FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"


class ClockTest(unittest.TestCase):
    def clock(self, it):
        """Returns how to start a collector whose clock follows a file, and how to move it."""
        self.assertTrue(pathlib.Path(FAKETIME).exists(), "expected Debian's faketime")
        file = it.folder / "clock-offset"

        def move(offset):
            (it.folder / "next").write_text(offset + "\n")
            (it.folder / "next").rename(file)

        move("+0d")
        wrapper = ("env", f"LD_PRELOAD={FAKETIME}", f"FAKETIME_TIMESTAMP_FILE={file}", "FAKETIME_NO_CACHE=1", "DONT_FAKE_MONOTONIC=1")
        return wrapper, move

    def send(self, it, device, first, last, name="hours"):
        return it.post(name, [device.report(first, last)])[:2]


class Jumps(ClockTest):
    def test_sixty_days_for_three_seconds(self):
        chance = random.Random(61)
        with collector() as it:
            wrapper, move = self.clock(it)
            it.start(wrapper=wrapper)
            # Period 5 is running: the reports of the first four are due.
            plan = it.create("hours", clock="wall", periods=8, period_seconds=3600, start=int(time.time()) - 4 * 3600 - 1800,
                             protocol="repeated", epsilon="4")["plan"]
            devices = [Device(plan, chance) for _ in range(20)]
            self.assertEqual(it.post("hours", [line for one in devices for line in (one.enrolment(), one.report(1, 1))])[1]["accepted"], 40)
            move("+60d")
            wait_until(lambda: it.post("hours", [devices[0].report(2, 2)])[0] == 503)
            begin = time.monotonic()
            while time.monotonic() - begin < 3:
                status, answer = self.send(it, devices[0], 2, 2)
                self.assertEqual((status, answer["error"]["code"]), (503, "clock_stopped"))
                time.sleep(0.2)
            self.assertTrue([line for line in it.said if "the clock says" in line], it.said)
            move("+0d")
            wait_until(lambda: self.send(it, devices[0], 2, 2)[0] == 200)
            self.assertEqual(it.get("/v1/metrics/hours")["current_period"], 5)
            # A start with a wrong clock: it compares with its saved time.
            wait_until(lambda: (it.data / "clock").exists())
            it.kill()
            move("+60d")
            it.start(wrapper=wrapper)
            self.assertEqual(self.send(it, devices[1], 2, 2)[0], 503)
            # The operator confirms it: the metric is over. The records of its devices stay.
            self.assertEqual(it.call("POST", "/v1/clock/confirm", admin=True)[0], 200)
            wait_until(lambda: it.get("/v1/metrics/hours")["state"] == "closed")
            time.sleep(2)
            move("+0d")
            self.assertEqual(self.send(it, devices[1], 2, 2)[0], 503)
            self.assertEqual(it.call("POST", "/v1/clock/confirm", admin=True)[0], 200)
            status, answer = self.send(it, devices[1], 2, 2)
            self.assertEqual((status, answer["accepted"]), (200, 1), answer)
            for device in devices:
                self.assertEqual(self.send(it, device, 2, 4)[0], 200)
                device.signs = {index: sign for index, sign in device.signs.items() if index <= 4}
            Sums(plan, devices).check(self, it.get("/v1/metrics/hours/sums"))

    def test_a_new_time_is_believed_in_the_end(self):
        with collector("--clock-patience", "2") as it:
            wrapper, move = self.clock(it)
            it.start(wrapper=wrapper)
            it.create("hours", clock="wall", periods=8, period_seconds=3600, start=int(time.time()) - 1800, protocol="optimal")
            move("+2h")
            enrolment = '{"client":"%032x","view":0,"period":1}'
            wait_until(lambda: it.post("hours", [enrolment % 1])[0] == 503)
            wait_until(lambda: it.post("hours", [enrolment % 2])[0] == 200)
            self.assertEqual(it.get("/v1/metrics/hours")["current_period"], 3)


class Seasons(ClockTest):
    """A jumping clock ends no season of a metric without an end."""

    season = "endless/seasons/1"

    def create(self, it, name):
        it.create(name, clock="wall", periods=8, max_changes=1, period_seconds=3600, protocol="innovation", epsilon="4",
                  start=int(time.time()) - 4 * 3600 - 1800, seasons={"every": 8})

    def devices(self, it, chance):
        """Begins a season whose fifth period is running. Returns its plan and its devices."""
        self.create(it, "endless")
        plan = it.get("/v1/metrics/endless")["plan"]
        devices = [Device(plan, chance) for _ in range(20)]
        lines = [line for one in devices for line in (one.enrolment(), one.report(1, 1))]
        status, answer = it.post(self.season, lines)[:2]
        self.assertEqual((status, answer["accepted"]), (200, 40), answer)
        return plan, devices

    def finish(self, it, plan, devices):
        """Every device reports the rest of what is due, and the sums are exact."""
        for device in devices:
            status, answer = self.send(it, device, 2, 4, self.season)
            self.assertEqual((status, answer["rejected"]), (200, 0), answer)
            device.signs = {index: sign for index, sign in device.signs.items() if index <= 4}
        Sums(plan, devices).check(self, it.get(f"/v1/metrics/{self.season}/sums"))

    def test_a_jump_stops_them(self):
        chance = random.Random(62)
        with collector("--erase-after", "1") as it:
            wrapper, move = self.clock(it)
            it.start(wrapper=wrapper)
            plan, devices = self.devices(it, chance)
            for offset in ("+60d", "-60d"):
                move(offset)
                wait_until(lambda: self.send(it, devices[0], 2, 2, self.season)[0] == 503)
                begin = time.monotonic()
                while time.monotonic() - begin < 3:  # longer than until the erasure of a season that is over
                    status, answer = self.send(it, devices[0], 2, 2, self.season)
                    self.assertEqual((status, answer["error"]["code"]), (503, "clock_stopped"))
                    time.sleep(0.2)
                move("+0d")
                wait_until(lambda: self.send(it, devices[0], 2, 2, self.season)[0] == 200)
            self.assertFalse([line for line in it.said if "is final" in line], it.said)
            self.finish(it, plan, devices)

    def test_they_close_and_are_erased_in_two_steps(self):
        """An operator confirms a wrong time: the season is closed, keeps its devices, and goes on when the clock is right again."""
        chance = random.Random(63)
        with collector() as it:
            wrapper, move = self.clock(it)
            it.start(wrapper=wrapper)
            plan, devices = self.devices(it, chance)
            self.create(it, "late")  # nobody has reported to it, so the collector has no season of it yet
            first = Device(plan, chance).enrolment()
            enrol = lambda: it.post("late/seasons/1", [first])[:2]

            def confirm(offset):
                move(offset)

                def is_believed():
                    self.assertEqual(it.call("POST", "/v1/clock/confirm", admin=True)[0], 200)
                    return (it.get("/v1/metrics/endless")["current_period"] == 5) == (offset == "+0d")

                wait_until(is_believed)

            confirm("+60d")
            status, answer = self.send(it, devices[0], 2, 2, self.season)
            self.assertEqual((status, answer["errors"][0]["reason"]), (200, "closed"), answer)
            self.assertEqual(enrol()[1]["errors"][0]["reason"], "closed")
            time.sleep(3)
            self.assertFalse([line for line in it.said if "is final" in line], it.said)
            # The clock goes back, and nobody has confirmed that yet: no device gives the season up.
            move("+0d")
            wait_until(lambda: self.send(it, devices[0], 2, 2, self.season)[0] == 503)
            status, answer = enrol()
            self.assertEqual((status, answer["error"]["code"]), (503, "clock_stopped"))
            it.kill()
            it.start(wrapper=wrapper)
            confirm("+0d")
            status, answer = enrol()
            self.assertEqual((status, answer["accepted"]), (200, 1), answer)
            self.finish(it, plan, devices)
            # The same after the stated time: now it is final for good.
            it.stop()
            it.flags = ("--erase-after", "1")
            it.start(wrapper=wrapper)
            confirm("+60d")
            wait_until(lambda: [line for line in it.said if "is final" in line])
            sums = it.get("/v1/metrics/endless/estimates?from=1&to=4")
            confirm("+0d")
            status, answer = self.send(it, devices[0], 2, 2, self.season)
            self.assertEqual((status, answer["errors"][0]["reason"]), (200, "closed"), answer)
            self.assertEqual(it.get("/v1/metrics/endless/estimates?from=1&to=4")["periods"], sums["periods"])


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
