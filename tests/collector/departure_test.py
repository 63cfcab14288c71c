"""Devices that leave and devices that are forgotten, by a real collector: usage: departure_test.py FUTURERAND DISK_LAYER
EXAMPLE_DEVICE [unittest arguments]"""
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

import futurerand
import harness
from harness import collector

PERIODS = 12


class Fleet:
    """Devices that report every period, and the same ones without those of `gone`, in a second metric."""

    def __init__(self, it, name, devices, **definition):
        self.it, self.name = it, name
        it.create(name, protocol="innovation", periods=PERIODS, max_changes=1, epsilon="2", **definition)
        self.metric = futurerand.Metric.accept(it.get(f"/v1/metrics/{name}"))
        self.devices = [futurerand.Device(futurerand.MemoryStore(), ceiling="4") for _ in range(devices)]
        self.clients = [device.open(self.metric, 1) for device in self.devices]

    def send(self, clients, answer_of=None):
        lines = [client.lines() for client in clients]
        body = "".join(lines)
        if not body:
            return None
        status, answer = self.it.call("POST", f"/v1/metrics/{self.name}/reports", body)[:2]
        assert status == 200, answer
        if not answer["errors"]:
            for client, mine in zip(clients, lines):
                if mine:
                    client.acknowledge(mine)
        return answer

    def observe(self, period, chance):
        for client in self.clients:
            if not client.about()["left"]:
                client.observe(period, chance.random() < 0.5)
            client.begin_period(period)

    def period(self, period, chance):
        self.observe(period, chance)
        self.send(self.clients)
        self.it.advance(self.name)

    def sums(self):
        return self.it.get(f"/v1/metrics/{self.name}/sums")

    def active(self, period):
        return next(row for row in self.it.get(f"/v1/metrics/{self.name}/estimates")["periods"] if row["period"] == period)


class Departure(unittest.TestCase):
    def test_who_left_is_departed_at_once_and_who_is_silent_is_not(self):
        chance = random.Random(1)
        with collector() as it:
            it.start()
            fleet = Fleet(it, "m", 40)
            for period in range(1, 5):
                fleet.period(period, chance)
            leaving, silent, staying = fleet.clients[:10], fleet.clients[10:20], fleet.clients[20:]
            for client in leaving:
                client.leave(5)
            answer = fleet.send(leaving)
            self.assertEqual((answer["accepted"], answer["rejected"]), (10, 0))
            self.assertEqual(fleet.send(leaving), None)  # once a period
            fleet.clients = staying
            fleet.period(5, chance)
            for client in staying:
                client.begin_period(6)
            fleet.send(staying)
            # Period 5: 20 report, 10 are silent for two periods, and 10 left.
            row = fleet.active(5)
            self.assertEqual(row["expected"], 30, row)
            self.assertEqual(row["reports"], 20, row)
            before = it.get("/v1/metrics/m/estimates"), fleet.sums()
            it.kill()
            it.start()
            self.assertEqual((it.get("/v1/metrics/m/estimates"), fleet.sums()), before)
            # Again, after a crash: a duplicate. Its late reports are rejected.
            for client in leaving:
                client.begin_period(8)
            self.assertEqual(fleet.send(leaving)["duplicates"], 10)
            late = json.dumps({"client": leaving[0].about()["client"], "index": 5, "signs": "+"})
            self.assertEqual(it.post("m", [late])[1]["errors"][0]["reason"], "left")
            self.assertEqual((it.get("/v1/metrics/m/estimates"), fleet.sums()), before)
            self.assertEqual(it.stop(), 0)

    def test_who_is_forgotten_was_never_there_even_after_kills_exports_and_old_backups(self):
        chance = random.Random(2)
        with collector() as it:
            it.start()
            fleet = Fleet(it, "m", 30)
            for period in range(1, 5):
                fleet.period(period, chance)
            for client in fleet.clients:
                client.begin_period(5)
            fleet.send(fleet.clients)
            self.assertEqual(it.stop(), 0)
            shutil.copytree(it.data, it.folder / "older")
            it.start()
            forgotten = fleet.clients[:10]
            ids = [client.about()["client"] for client in forgotten]
            for client in forgotten:
                client.forget(5)
            answer = fleet.send(forgotten)
            self.assertEqual((answer["accepted"], answer["rejected"]), (10, 0))
            it.kill()  # what was answered is durable
            it.start()
            after = fleet.sums()
            # The oracle: a collector with the lines of the others alone.
            only = self.lines_of(fleet.devices[10:])
            it.create("oracle", protocol="innovation", periods=PERIODS, max_changes=1, epsilon="2")
            it.advance("oracle", 4)
            status, told = it.call("POST", "/v1/metrics/oracle/reports", only)[:2]
            self.assertEqual((status, told["errors"]), (200, []))
            oracle = it.get("/v1/metrics/oracle/sums")
            self.assertEqual(after["views"], oracle["views"])
            rows = [it.get(f"/v1/metrics/{name}/estimates")["periods"] for name in ("m", "oracle")]
            self.assertEqual(rows[0], rows[1])
            self.assertEqual(it.get("/v1/metrics/m")["devices"], 20)
            exports = [it.call("GET", f"/v1/metrics/{name}/export", admin=True)[1] for name in ("m", "oracle")]
            self.assertEqual(exports[0]["sums"]["views"], exports[1]["sums"]["views"])
            self.assertEqual(exports[0]["presence"], exports[1]["presence"])
            # A delayed enrolment does not bring a device back, and nothing else does.
            lines = [json.dumps({"client": ids[0], "view": 0, "period": 1}), json.dumps({"client": ids[0], "index": 1, "signs": "+"}),
                     json.dumps({"client": ids[0], "leave": 5}), json.dumps({"client": ids[0], "forget": True})]
            for _ in range(2):
                answer = it.post("m", lines)[1]
                self.assertEqual([error["reason"] for error in answer["errors"]], ["forgotten", "unknown_client"])
                self.assertEqual(answer["duplicates"], 2)
                self.assertEqual(it.stop(), 0)
                it.start()
            self.assertEqual(fleet.sums(), after)
            # An older backup comes back, and the devices say it again in the next period.
            self.assertEqual(it.stop(), 0)
            shutil.rmtree(it.data)
            shutil.copytree(it.folder / "older", it.data)
            it.start()
            self.assertNotEqual(fleet.sums()["views"], oracle["views"])
            it.advance("m")
            for client in forgotten:
                client.begin_period(6)
            self.assertEqual(fleet.send(forgotten)["accepted"], 10)
            self.assertEqual(fleet.sums()["views"], oracle["views"])
            self.assertEqual(it.stop(), 0)

    def lines_of(self, devices):
        """All that these devices ever sent, as they show it themselves."""
        return "".join(line + "\n" for device in devices for line in device.history()["metrics"][0]["sent"])

    def test_a_user_sees_what_the_device_says_of_itself(self):
        """`futurerand device show` prints the same as history() gives to an application's settings page."""
        with collector() as it:
            it.start()
            it.create("m", protocol="innovation", periods=PERIODS, max_changes=1, epsilon="2")
            place = futurerand.Server(f"http://127.0.0.1:{it.port}")
            folder = it.folder / "device"
            with futurerand.Device(folder, ceiling="4", machine="here") as device:
                with device.open(futurerand.Metric.fetch(place, "m"), 1) as client:
                    client.observe(1, 1)
                    device.send(place)
                    client.observe(2, 0)
                history = device.history()

            def show(*flags):
                done = subprocess.run([harness.COMMAND, "device", "show", str(folder), *flags], capture_output=True, text=True, check=True)
                return done.stdout

            self.assertEqual(json.loads(show("--format", "json")), history)
            [metric] = history["metrics"]
            self.assertEqual((len(metric["sent"]), len(metric["waiting"])), (1, 1))
            text = show()
            for said in (*metric["sent"], *metric["waiting"], "epsilon        2 of 4 spent, 2 left", "machine        bound",
                         "participation  on", "50% cannot become more than 88%"):
                self.assertIn(said, text)
            # Showing changes nothing, and a copy that retired is still shown.
            with self.assertRaisesRegex(futurerand.RefusedError, "another machine"):
                futurerand.Device(folder, ceiling="4", machine="there")
            self.assertIn("machine        retired", show())
            with self.assertRaisesRegex(futurerand.RefusedError, "retired"):
                futurerand.Device(folder, ceiling="4", machine="here")

    def test_a_metric_without_transcripts_says_so_and_the_device_leaves(self):
        with collector() as it:
            it.start()
            it.create("m", periods=4)
            client = futurerand.Device(futurerand.MemoryStore(), ceiling="4").open(futurerand.Metric.accept(it.get("/v1/metrics/m")), 1)
            place = futurerand.Server(f"http://127.0.0.1:{it.port}")
            client.send(place)
            client.forget(1)
            with self.assertRaisesRegex(futurerand.RefusedError, "no transcripts"):
                client.send(place)
            # It left in the same call: the enrolment and the departure are all that was accepted.
            self.assertEqual(client.lines(), "")
            self.assertEqual(client.send(place)["accepted"], 0)
            status = it.get("/v1/metrics/m")
            self.assertEqual((status["devices"], status["accepted"]), (1, 2))
            self.assertEqual(it.stop(), 0)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
