"""One answer everywhere: the same reports give the same bytes through HTTP, the command and Python.
usage: answers_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments], with the module in PYTHONPATH"""
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import futurerand

import harness

PROTOCOLS = ["innovation", "hybrid", "pulse", "optimal", "future_rand", "warner", "erlingsson", "bun", "snapshot", "repeated", "once"]
ESTIMATORS = ["online", "hindsight", "trend"]
COLUMNS = "period,from,to,estimate,stddev,lower,upper,share,share_lower,share_upper,reports,expected"
PERIODS = 16
FIRST_JOINED = 3  # nobody has joined before


def signs_of(view, chance, count):
    """Random ones, and no more pluses than the law has."""
    pluses, signs = view["law"].get("pulses", count), ""
    for _ in range(count):
        signs += chance.choice("++-") if signs.count("+") < pluses else "-"
    return signs


def device_lines(plan, chance, joined, left):
    """All lines of a device that joins in one period and sends nothing from another on."""
    number = chance.randrange(len(plan["views"]))
    view = plan["views"][number]
    indices = plan["periods"] >> view["order"]
    stride = -(-indices // view["law"]["signs"]) if view["kind"] == "snapshot" else 1
    start = chance.randint(1, stride) if view["kind"] == "snapshot" else 0
    client = "%032x" % chance.getrandbits(128)
    enrolment = {"client": client, "view": number, "period": joined}
    if start:
        enrolment["index"] = start
    due = [j for j in range(start or 1, indices + 1, stride) if joined <= j << view["order"] < left]
    if view["kind"] == "once":
        due = due[:1]
    lines = [enrolment]
    if due:
        lines.append({"client": client, "index": due[0], "signs": signs_of(view, chance, len(due))})
    return [json.dumps(line, separators=(",", ":")) for line in lines]


# The parameters of a protocol, if they differ from those of the other metrics.
SERVED = {"pulse": {"max_changes": 1, "initial": "zero"}, "once": {"max_changes": 0}}


def devices_lines(plan, chance, last):
    """Some devices that join late, some that leave early; the others report until a period is over."""
    lines = []
    for number in range(120):
        joined = chance.randint(FIRST_JOINED, 6) if number % 3 else FIRST_JOINED
        if number == 1 and plan["protocol"] == "once":
            joined = last  # its only report shows a file up to where the clock stands
        left = chance.randint(joined + 1, last) if number % 5 == 0 else last + 1
        lines += device_lines(plan, chance, joined, left)
    return lines


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.file = pathlib.Path(folder.name) / "reports.jsonl"
        cls.it = cls.enterClassContext(harness.collector()).start()

    def fold(self, protocol, last):
        """Sends devices to a new metric whose clock stands after a period, and writes the same lines to the file."""
        name = f"{protocol}-{last}"
        plan = self.it.create(name, protocol=protocol, periods=PERIODS, test=True,
                              **SERVED.get(protocol, {}))["plan"]
        self.it.advance(name, last)
        lines = devices_lines(plan, random.Random(name), last)
        status, answer, _ = self.it.post(name, lines)
        self.assertEqual((status, answer["accepted"], answer["rejected"]), (200, len(lines), 0), answer)
        header = json.dumps({"futurerand": 1, "plan": plan, "seeded": True}, separators=(",", ":"))
        self.file.write_text("\n".join([header, *lines]) + "\n")
        return name

    def http(self, name, query, accept):
        path = f"/v1/metrics/{name}/estimates?" + "&".join(f"{key}={value}" for key, value in query.items())
        status, answer, _ = self.it.call("GET", path, headers={"Accept": accept})
        self.assertEqual(status, 200, answer)
        return answer

    def command(self, query, form):
        flags = [text for key, value in query.items() for text in ("--" + key, str(value))]
        return subprocess.run([harness.COMMAND, "estimate", "--reports", self.file, "--incomplete", "--format", form, *flags],
                              check=True, capture_output=True).stdout

    def assert_same(self, name, query):
        csv = self.http(name, query, "text/csv")
        self.assertEqual(csv.decode().splitlines()[0], COLUMNS)
        self.assertEqual(self.command(query, "csv"), csv)
        result = futurerand.estimate(str(self.file), incomplete=True, **query)
        self.assertEqual(result.to_csv().encode(), csv)
        # The document differs only in the source of the reports.
        document = self.http(name, query, "application/json")
        self.assertEqual(document.pop("metric"), name)
        for other in (json.loads(self.command(query, "json")), dict(result.document)):
            self.assertIsNone(other.pop("metric"))
            self.assertEqual(other, document)
        return csv.decode().splitlines()[1:], document

    def test_every_protocol_estimator_and_estimand(self):
        for protocol, last in itertools.product(PROTOCOLS, (PERIODS, 11)):
            name = self.fold(protocol, last)
            estimands = ["active", "enrolled"] if protocol == "innovation" else ["enrolled"]
            for estimator, estimand in itertools.product(ESTIMATORS, estimands):
                with self.subTest(protocol=protocol, last=last, estimator=estimator, estimand=estimand):
                    query = {"estimator": estimator, "estimand": estimand, "level": 0.9}
                    rows, document = self.assert_same(name, query)
                    self.assertEqual(len(rows), last)
                    # Nobody had joined: unknown, not a certain 0.
                    for period, row in enumerate(rows[: FIRST_JOINED - 1], start=1):
                        self.assertEqual(row, f"{period},,,,,,,,,,0,0")
                    self.assertRegex(rows[-1], r"\A\d+,,,[^,]+,[^,]+,[^,]+,[^,]+,[^,]+,[^,]+,[^,]+,\d+,\d+\Z")
                    self.check_shares(document["periods"])

    def check_shares(self, rows):
        """A share is of the devices counted in its own period."""
        for row in rows[FIRST_JOINED - 1:]:
            for share, count in (("share", "estimate"), ("share_lower", "lower"), ("share_upper", "upper")):
                if row[count] is None:
                    self.assertIsNone(row[share])
                else:
                    self.assertAlmostEqual(row[share] * row["devices"], row[count], places=6)
        self.assertLess(rows[FIRST_JOINED - 1]["devices"], rows[6]["devices"])

    def test_the_default_and_a_band_over_all_periods(self):
        for protocol in ("innovation", "hybrid"):
            name = self.fold(protocol, 13)
            self.assert_same(name, {})
            self.assert_same(name, {"band": "simultaneous", "level": 0.5})

    def test_the_alarm_is_that_of_the_online_estimates(self):
        # Everybody sends plus: no honest devices would.
        plan = self.it.create("alarm", protocol="innovation", periods=PERIODS, test=True)["plan"]
        self.it.advance("alarm", PERIODS)
        lines = []
        for number in range(3000):
            lines += [json.dumps({"client": "%032x" % number, "view": 0, "period": 1}),
                      json.dumps({"client": "%032x" % number, "index": 1, "signs": "+" * PERIODS})]
        status, answer, _ = self.it.post("alarm", lines)
        self.assertEqual((status, answer["rejected"]), (200, 0))
        self.file.write_text("\n".join([json.dumps({"futurerand": 1, "plan": plan, "seeded": True}), *lines]) + "\n")
        for estimand in ("active", "enrolled"):
            alarms = {self.assert_same("alarm", {"estimator": kind, "estimand": estimand})[1]["alarm"] for kind in ESTIMATORS}
            self.assertEqual(len(alarms), 1)
            self.assertTrue(alarms.pop())

    def test_few_devices_are_too_noisy(self):
        name = self.fold("hybrid", 12)
        self.assertIn("too noisy to be useful", self.assert_same(name, {})[1]["warning"])


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = os.path.abspath(sys.argv[1]), sys.argv[2]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
