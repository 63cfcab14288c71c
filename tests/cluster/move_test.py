"""A whole collector moves into a cluster and back: usage: move_test.py FUTURERAND [unittest arguments]"""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import harness
from clusters import cluster, estimate_texts
from devices import Device
from harness import wait_until

METRICS = {"leaving": {"protocol": "innovation", "inactive_after": 3}, "hybrid": {"protocol": "hybrid"},
           "ended": {"protocol": "innovation", "inactive_after": 3}, "optimal": {"protocol": "optimal"}}


class Moving(unittest.TestCase):
    def setUp(self):
        self.chance = random.Random(30)
        self.devices, self.ends = {}, {}

    def join(self, it):
        for name, terms in METRICS.items():
            plan = it.create(name, periods=16, **terms)["plan"]
            self.devices[name] = [Device(plan, self.chance, self.chance.randint(1, 12)) for _ in range(120)]
            self.ends[name] = [self.chance.choice([16, 16, self.chance.randint(0, 16)]) for _ in self.devices[name]]

    def lines(self, name, period):
        """Returns the devices' lines of one period: the reports due at the end of the previous one."""
        lines = []
        for device, end in zip(self.devices[name], self.ends[name], strict=True):
            if device.period == period:
                lines.append(device.enrolment())
            lines += [device.report(index, index) for index in device.signs
                      if index << device.order == period - 1 and device.period < period <= end]
        return lines

    def live(self, collectors, name, first, last):
        """Sends each period to all of these, and expects equal answers."""
        for period in range(first, last + 1):
            lines = self.lines(name, period)
            answers = []
            for it in collectors:
                if lines:
                    status, answer, _ = it.post(name, lines)
                    self.assertEqual(status, 200, answer)
                    answers.append(answer)
                it.advance(name)
            self.assertTrue(all(answer == answers[0] for answer in answers), answers)

    def assert_same(self, one, other):
        for name in METRICS:
            wanted = estimate_texts(one, name)
            try:
                wait_until(lambda: estimate_texts(other, name) == wanted)
            except AssertionError:
                self.assertEqual(estimate_texts(other, name), wanted, name)

    def test_there_and_back(self):
        with harness.collector() as stays, harness.collector() as moves, harness.collector() as back, \
                cluster(databases=2, shards=5) as it:
            stays.start()
            moves.start()
            for one in (stays, moves):
                seed = self.chance.getstate()
                self.join(one)
                if one is stays:
                    self.chance.setstate(seed)
                # This number is not reused, so later metrics have other numbers in the cluster.
                if one is moves:
                    one.create("deleted", periods=8)
                    self.assertEqual(one.call("DELETE", "/v1/metrics/deleted", admin=True)[0], 200)
                    one.create("late", periods=8)
            for name in METRICS:
                self.live([stays, moves], name, 1, 9)
            for one in (stays, moves):
                self.assertEqual(one.call("POST", "/v1/metrics/ended/close", admin=True)[0], 200)
                self.assertEqual(one.call("POST", "/v1/metrics/ended/archive", admin=True)[0], 200)
            self.assertIn("process", it.command("import", it.file, "--data", moves.data, expected=1).lower())
            self.assertEqual(moves.stop(), 0)
            self.assertIn("is no data folder", it.command("import", it.file, "--data", it.folder, expected=1))
            self.assertIn("moved 5 metrics", it.command("import", it.file, "--data", moves.data))
            self.assertIn("has counted devices already", it.command("import", it.file, "--data", moves.data, expected=1))
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            self.assert_same(stays, first)
            self.assert_same(stays, second)
            self.assertTrue(second.get("/v1/metrics/ended")["archived"])
            self.assertEqual(first.call("GET", "/v1/metrics/deleted")[0], 404)
            # Running metrics continue there, for every device.
            for name in ("leaving", "hybrid", "optimal"):
                self.live([stays, first], name, 10, 13)
            self.assert_same(stays, second)
            self.assertIn("stop all collectors", it.command("export", it.file, "--data", it.folder / "no", expected=1))
            for member in (first, second):
                self.assertEqual(member.stop(), 0)
            self.assertIn("is not empty", it.command("export", it.file, "--data", moves.data, expected=1))
            self.assertIn("moved 5 metrics", it.command("export", it.file, "--data", back.data))
            back.start()
            self.assert_same(stays, back)
            for name in ("leaving", "hybrid", "optimal"):
                self.live([stays, back], name, 14, 16)
            self.assert_same(stays, back)
            # Everything is known, up to the last report.
            for name in ("leaving", "hybrid", "optimal"):
                lines = [line for period in range(1, 17) for line in self.lines(name, period)]
                status, answer, _ = back.post(name, lines)
                self.assertEqual((status, answer["accepted"], answer["rejected"]), (200, 0, stays.post(name, lines)[1]["rejected"]))
            # The same from its own disk.
            back.kill()
            back.start()
            self.assert_same(stays, back)


if __name__ == "__main__":
    harness.COMMAND = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
