"""Notes on dates, and the difference of two stretches: usage: annotation_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import calendar
import json
import os
import random
import subprocess
import sys
import time
import unittest
from datetime import datetime, timedelta, timezone

import harness
from devices import Device
from harness import collector
from metric_command import metric_command

DAY = 86400
WEEKLY = {"periods": 8, "max_changes": 2, "epsilon": "1", "period_seconds": 7 * DAY, "time_zone": "America/New_York"}


def note(it, name, **body):
    return it.call("PUT", f"/v1/metrics/{name}/annotations", json.dumps(body), admin=True)[:2]


class Annotations(unittest.TestCase):
    def put(self, it, name, **body):
        status, answer = note(it, name, **body)
        self.assertEqual(status, 200, answer)
        return [(one["period"], one["date"], one["text"]) for one in answer.get("annotations", [])]

    def test_they_survive_and_are_on_the_right_day(self):
        with collector("--checkpoint-bytes", "20000") as it:
            it.start()
            definition = {**WEEKLY, "start": time.strftime("%Y-%m-%d", time.gmtime(time.time() - 20 * DAY))}
            status, created = it.call("PUT", "/v1/metrics/m", json.dumps(definition), admin=True)[:2]
            self.assertEqual(status, 201, created)
            first = created["begins"]
            day = lambda n: time.strftime("%Y-%m-%d", time.gmtime(calendar.timegm(time.strptime(first, "%Y-%m-%d")) + n * DAY + DAY / 2))
            self.assertEqual(self.put(it, "m", date=first, text="start"), [(1, first, "start")])
            self.put(it, "m", date=day(7), text="week two")
            # Late in the evening in New York it is the next day in London: the note is on New York's day.
            utc = created["start"] + 7 * DAY - 3600
            instant = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(utc))
            local = self.put(it, "m", date=instant, text="late")
            self.assertEqual([row[0] for row in local], [1, 1, 2])
            self.assertEqual(local[1][2], "late")
            self.assertEqual(len(local[1][1]), len("2026-11-12 23:00"))
            self.assertEqual(self.put(it, "m", date=day(7), text="anew")[-1], (2, day(7), "anew"))
            self.assertEqual(self.put(it, "m", date=day(55), text="last day")[-1][0], 8)
            for body, message in [({"date": day(56), "text": "x"}, "expected from"), ({"date": "2001-01-01", "text": "x"}, "the metric's time"),
                                  ({"date": "tomorrow", "text": "x"}, "date"), ({"text": "x"}, "expected a date or a period"),
                                  ({"date": first, "period": 1, "text": "x"}, "expected a date or a period"), ({"period": 9, "text": "x"}, "period"),
                                  ({"date": first, "text": "a\nb"}, "control character"), ({"date": first, "text": "x" * 201}, "at most 200"),
                                  ({"date": first}, "text")]:
                status, answer = note(it, "m", **body)
                self.assertEqual((status, answer["error"]["code"]), (400, "bad_annotation"), body)
                self.assertIn(message, answer["error"]["message"])
            before = it.get("/v1/metrics/m")["annotations"]
            self.assertEqual([one["text"] for one in before], ["start", "late", "anew", "last day"])
            it.kill()
            it.start()
            self.assertEqual(it.get("/v1/metrics/m")["annotations"], before)
            self.assertEqual(self.put(it, "m", date=day(7), text="")[-1][2], "last day")
            it.stop()  # a checkpoint, then nothing but it
            it.start()
            self.assertEqual(len(it.get("/v1/metrics/m")["annotations"]), 3)

    def test_they_are_bounded_exported_and_end_with_the_metric(self):
        with collector() as it:
            it.start()
            it.create("m", periods=256)
            for period in range(1, 201):
                self.put(it, "m", period=period, text=f"note {period}")
            status, answer = note(it, "m", period=201, text="one more")
            self.assertEqual((status, answer["error"]["code"]), (409, "cannot_annotate"))
            self.put(it, "m", period=7, text="")
            self.assertEqual(len(self.put(it, "m", period=201, text="room again")), 200)
            self.assertEqual(it.get("/v1/metrics/m/estimates")["annotations"], it.get("/v1/metrics/m")["annotations"])
            self.assertEqual(it.call("POST", "/v1/metrics/m/close", admin=True)[0], 200)
            status, answer = note(it, "m", period=8, text="too late")
            self.assertEqual((status, answer["error"]["code"]), (409, "cannot_annotate"))
            self.assertIn("is closed", answer["error"]["message"])
            exported = it.call("GET", "/v1/metrics/m/export", admin=True)[1]
            self.assertEqual(it.call("POST", "/v1/metrics/copy/import", json.dumps(exported), admin=True)[0], 201)
            it.kill()
            it.start()
            self.assertEqual(it.get("/v1/metrics/copy")["annotations"], it.get("/v1/metrics/m")["annotations"])
            exported["annotations"].append(exported["annotations"][0] | {"text": ""})
            self.assertEqual(it.call("POST", "/v1/metrics/bad/import", json.dumps(exported), admin=True)[0], 400)

    def test_the_command_sets_and_removes_them(self):
        with collector() as it:
            it.start()
            it.create("m")
            self.assertIn("period 3           Release 2.0", metric_command(it, "annotate", "m", "--period", 3, "--text", "Release 2.0"))
            self.assertIn("has no annotations", metric_command(it, "annotate", "m", "--period", 3, "--remove"))
            self.assertIn("expected --date", metric_command(it, "annotate", "m", "--text", "x", status=2))
            self.assertIn("expected --text", metric_command(it, "annotate", "m", "--period", 3, status=2))
            self.assertIn("manual clock", metric_command(it, "annotate", "m", "--date", "2026-11-12", "--text", "x", status=1))


class Differences(unittest.TestCase):
    def test_a_file_and_a_collector_answer_alike(self):
        chance = random.Random(32)
        with collector() as it:
            it.start()
            plan = it.create("m", periods=16, protocol="innovation")["plan"]
            it.advance("m", 16)
            lines = [line for device in [Device(plan, chance) for _ in range(300)] for line in device.lines(chance)]
            self.assertEqual(it.post("m", lines)[1]["rejected"], 0)
            found = it.get("/v1/metrics/m/difference?before=2..6&after=9..14&level=0.9")
            [row] = found["rows"]
            reports = it.folder / "reports"
            reports.write_text("\n".join([json.dumps({"futurerand": 1, "plan": plan, "seeded": False}), *lines]) + "\n")
            run = lambda *more: subprocess.run([harness.COMMAND, "estimate", "--reports", reports, "--incomplete", "--level", "0.9",
                                                "--before", "2..6", "--after", "9..14", *more], capture_output=True, text=True)
            self.assertEqual(json.loads(run("--format", "json").stdout)["rows"], [row])
            self.assertIn(row["sentence"], run().stdout)
            self.assertIn("expected text or json", run("--format", "csv").stderr)
            # The means are those of the periods, and the band is narrower than for independent ones.
            periods = it.get("/v1/metrics/m/estimates")["periods"]
            for side, first, last in (("before", 2, 6), ("after", 9, 14)):
                mean = sum(one["estimate"] for one in periods[first - 1:last]) / (last - first + 1)
                self.assertAlmostEqual(row[side]["estimate"], mean, 6)
            change = row["difference"]
            self.assertAlmostEqual(change["share"], row["after"]["share"] - row["before"]["share"], 9)
            self.assertLess(change["share_stddev"] ** 2, row["before"]["share_stddev"] ** 2 + row["after"]["share_stddev"] ** 2)
            self.assertEqual(row["clear"], change["share_lower"] > 0 or change["share_upper"] < 0)

    def test_numbers_and_labels_have_their_figures(self):
        chance = random.Random(33)
        with collector() as it:
            it.start()
            number = {"kind": "number", "low": 10, "high": 30, "unit": "ms"}
            label = {"kind": "category", "labels": ["a", "b", "c"]}
            for name, value in (("number", number), ("label", label)):
                plan = it.create(name, periods=8, protocol="innovation", value=value)["plan"]
                it.advance(name, 8)
                devices = [Device(plan, chance) for _ in range(300)]
                self.assertEqual(it.post(name, [line for device in devices for line in device.lines(chance)])[1]["rejected"], 0)
            [row] = it.get("/v1/metrics/number/difference?before=1..3&after=5..8")["rows"]
            self.assertAlmostEqual(row["difference"]["mean"], 20 * row["difference"]["share"], 9)
            self.assertAlmostEqual(row["before"]["mean"], 10 + 20 * row["before"]["share"], 9)
            self.assertIn("the mean", row["sentence"].lower())
            rows = it.get("/v1/metrics/label/difference?before=1..3&after=5..8")["rows"]
            self.assertEqual([row["label"] for row in rows], ["a", "b", "c"])
            self.assertEqual(it.get("/v1/metrics/label/difference?before=1..3&after=5..8&label=b")["rows"], [rows[1]])
            self.assertEqual(it.call("GET", "/v1/metrics/label/difference?before=1..3&after=5..8&label=x")[0], 400)
            self.assertEqual(it.call("GET", "/v1/metrics/number/difference?before=1..3&after=5..8&label=x")[0], 400)
            it.create("rare", protocol="optimal")
            it.advance("rare", 4)
            answer = it.call("GET", "/v1/metrics/rare/difference?before=1..1&after=2..3")[1]
            self.assertIn("needs counts of active devices", answer["error"]["message"])


class Created(unittest.TestCase):
    def test_the_command_says_what_a_metric_gives_before_it_makes_it(self):
        with collector() as it:
            it.start()
            year = datetime.now(timezone.utc).year + 1
            start = f"{year}-02-01"
            common = ("create", "dark-mode", "--periods", 64, "--start", start, "--time-zone", "Europe/Berlin", "--users", 40000)
            said = metric_command(it, *common, "--description", "Did you play today?", "--dry-run")
            end = datetime.fromisoformat(start) + timedelta(days=63)
            self.assertIn(f"64 periods, Feb 1 – Apr {end.day}, {year} (Europe/Berlin)", said)
            self.assertRegex(said, r"with 40,000 devices, a figure of one period is off by up to [\d.]+ percentage points \(95% confidence\)")
            self.assertRegex(said, r"a change of [\d.]+ percentage points between two periods can be seen")
            self.assertIn("warning: this sounds like a habit", said)
            self.assertEqual(it.call("GET", "/v1/metrics/dark-mode")[0], 404)
            said = metric_command(it, *common, "--description", "Is dark mode on?")
            self.assertNotIn("warning", said)
            self.assertIn("created dark-mode", said)
            metric = it.get("/v1/metrics/dark-mode")
            self.assertEqual((metric["plan"]["periods"], metric["time_zone"], metric["begins"]), (64, "Europe/Berlin", start))
            few = metric_command(it, "create", "few", "--users", 40, "--dry-run")
            self.assertIn("too noisy to be useful", few)
            number = metric_command(it, "create", "speed", "--value", '{"kind":"number","low":0,"high":100,"unit":"ms"}', "--dry-run")
            self.assertRegex(number, r"off by up to [\d.]+ ms")
            self.assertIn("expected hour, day, week", metric_command(it, "create", "x", "--period", "month", status=2))
            self.assertIn("--value is no JSON", metric_command(it, "create", "x", "--value", "{", status=2))

    def test_days_begin_at_midnight_unless_a_start_is_named(self):
        with collector() as it:
            it.start()

            def create(name, *flags):
                before = time.time()
                metric_command(it, "create", name, "--periods", 8, *flags)
                return it.get(f"/v1/metrics/{name}")["start"], before, time.time()

            for zone, ahead in (("UTC", 0), ("Etc/GMT-13", 13), ("Etc/GMT+11", -11)):
                for length in ("day", "week"):
                    start, before, after = create(f"{length}{ahead}", "--period", length, "--time-zone", zone)
                    self.assertEqual((start + 3600 * ahead) % DAY, 0)
                    self.assertTrue(before - DAY < start <= after, (start, before, after))
            start, before, after = create("hourly", "--period", "hour")
            self.assertTrue(int(before) <= start <= after, (start, before, after))
            # Asking again leaves the start alone.
            later = f"{datetime.now(timezone.utc).year + 1}-02-01"
            first, _, _ = create("again", "--start", later)
            self.assertEqual(create("again")[0], first)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = os.path.abspath(sys.argv[1]), sys.argv[2]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
