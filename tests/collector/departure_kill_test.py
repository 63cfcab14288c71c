"""kill -9 at random moments of leaving, of being forgotten and of trying to join again: usage: departure_kill_test.py FUTURERAND
DISK_LAYER EXAMPLE_DEVICE [unittest arguments]. FUTURERAND_LONG=1 kills 200 times each."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import futurerand
import harness
from harness import collector

PERIODS, OBSERVED = 64, 24
KILLS = 200 if harness.LONG else 8
READY = "ready"


def post(url, lines):
    with urllib.request.urlopen(urllib.request.Request(url, data=lines.encode()), timeout=60) as answer:
        return answer.read().decode()


def run_device(what, folder, url, document):
    """One run of a device: it goes on from where it was, prints each text before it sends it, and ends with exit status 0 once
    the collector has acknowledged its departure."""
    metric = futurerand.Metric.accept(pathlib.Path(document).read_text())
    print(READY, flush=True)  # from here on it may be killed: before, there is nothing to interrupt
    with futurerand.Device(folder, ceiling="1") as device:
        try:
            client = device.open(metric, 1)
        except futurerand.RefusedError as error:
            # It was killed after the ledger was charged and before the state was saved: the metric is spent.
            return 9 if "its state is gone" in str(error) else 1
        chance = random.Random()
        while not client.about()["left"]:
            period = client.about()["period"]
            if period >= OBSERVED:
                (client.forget if what == "forget" else client.leave)(period)
                break
            client.observe(period + 1, chance.random() < 0.5)
            if chance.random() < 0.5:
                send(client, url)
        send(client, url)
        if what == "rejoin":
            client.close()
            client = device.open(metric, 1)  # it left, for good
            try:
                client.observe(OBSERVED + 5, 1)
                return 7
            except futurerand.RefusedError:
                pass
            send(client, url)
        return 0 if client.lines() == "" else 8


def send(client, url):
    lines = client.lines()
    if lines:
        sys.stdout.write(lines)
        sys.stdout.flush()
        client.acknowledge(lines, post(url, lines))


class Kills(unittest.TestCase):
    def test_nothing_is_sent_twice_differently_and_nothing_is_under_counted(self):
        chance = random.Random(5)
        for what in ("leave", "forget", "rejoin"):
            with self.subTest(what), collector() as it, tempfile.TemporaryDirectory() as scope:
                it.start()
                it.create("m", protocol="innovation", periods=PERIODS, max_changes=1, epsilon="1")
                it.advance("m", OBSERVED + 2)
                document = pathlib.Path(scope) / "metric.json"
                document.write_text(json.dumps(it.get("/v1/metrics/m")))
                url = f"http://127.0.0.1:{it.port}/v1/metrics/m/reports"
                kills = ended = 0
                ids = set()
                while kills < KILLS:
                    folder = pathlib.Path(scope) / f"device-{ended}"
                    said = ""
                    while True:
                        run = subprocess.Popen([sys.executable, "-B", __file__, "device", what, str(folder), url, str(document)],
                                               stdout=subprocess.PIPE, text=True)
                        self.assertEqual(run.stdout.readline().strip(), READY)
                        delay = chance.uniform(0, 0.3) if kills < KILLS else 60
                        try:
                            out, _ = run.communicate(timeout=delay)
                        except subprocess.TimeoutExpired:
                            run.send_signal(signal.SIGKILL)
                            out, _ = run.communicate()
                            kills += 1
                        said += out
                        if run.returncode in (0, 9):
                            break
                        self.assertEqual(run.returncode, -signal.SIGKILL)
                    ended += 1
                    mine = self.check(what, said, folder, run.returncode == 9)
                    self.assertFalse(ids & mine)
                    ids |= mine
                sums = it.get("/v1/metrics/m/sums")["views"][0]
                status = it.get("/v1/metrics/m")
                self.assertEqual(status["devices"], 0 if what == "forget" else len(ids))
                if what == "forget":
                    self.assertEqual(set(sums["counts"]), {0})
                    self.assertEqual(set(sums["sums"]), {0})
                it.kill()
                it.start()
                self.assertEqual(it.get("/v1/metrics/m/sums")["views"][0], sums)
                self.assertEqual(it.stop(), 0)

    def check(self, what, said, folder, lost):
        """One index has one sign, one device one id, and the ledger has been charged for it."""
        signs, ids = {}, set()
        for text in said.splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                continue  # it was killed while it wrote
            ids.add(line["client"])
            for at, sign in enumerate(line.get("signs", "")):
                self.assertEqual(signs.setdefault(line["index"] + at, sign), sign, text)
        self.assertEqual(len(ids), 0 if lost else 1)
        with futurerand.Device(folder, ceiling="1") as device:
            ledger = device.ledger()
            self.assertEqual(ledger["spent"], "1")
            charged = {metric["client"] for metric in ledger["metrics"]}
            self.assertTrue(ids <= charged and len(charged) == 1)
            [metric] = device.history()["metrics"]
            self.assertEqual(metric["standing"], "lost" if lost else "forgotten" if what == "forget" else "left")
        return ids


if __name__ == "__main__":
    if sys.argv[1] == "device":
        sys.exit(run_device(*sys.argv[2:]))
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
