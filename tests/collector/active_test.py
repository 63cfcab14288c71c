"""Active devices, from real clients to estimates: usage: active_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import json
import subprocess
import sys
import time
import unittest

import harness
from harness import collector


def client(number):
    return f"{number:032x}"


class Active(unittest.TestCase):
    def swarm(self, it, metric, *flags):
        result = subprocess.run(
            [harness.COMMAND, "swarm", "--to", f"http://127.0.0.1:{it.port}", "--metric", metric,
             "--admin-token-file", str(it.folder / "token"), "--format", "json", *flags],
            capture_output=True, text=True, timeout=600)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def send(self, it, metric, *lines):
        status, answer, _ = it.post(metric, [json.dumps(line) for line in lines])
        self.assertEqual(status, 200, answer)
        return answer

    def test_every_mishap_and_a_crash(self):
        """Departed devices are no longer counted, even after a restart."""
        with collector() as it:
            it.start()
            answer = self.swarm(it, "m", "--create", "--protocol", "innovation", "--periods", "24", "--epsilon", "4", "--devices", "400",
                                "--batch", "50", "--dropout", "0.05", "--late", "0.2", "--duplicate", "0.2", "--lost", "0.2",
                                "--join-late", "0.5", "--connections", "3")
            self.assertTrue(answer["sums_match"])
            self.assertEqual(answer["rejected"], 0)
            self.assertGreater(answer["duplicates"], 0)
            self.assertEqual(it.get("/v1/metrics/m")["inactive_after"], 3)
            active = it.get("/v1/metrics/m/estimates")
            self.assertEqual(active["estimand"], "active")
            self.assertIn("missing for 3 periods", active["counted"])
            # A twentieth of 400 drops out in each of 24 periods.
            expected = [row["expected"] for row in active["periods"]]
            self.assertLess(expected[-1], 250)
            self.assertGreater(expected[-1], 30)
            paths = [f"/v1/metrics/m/estimates?estimator={kind}" for kind in ("online", "hindsight", "trend")]
            before = {path: it.get(path) for path in paths}
            it.kill()
            it.start()
            self.assertEqual({path: it.get(path) for path in paths}, before)
            self.assertEqual(it.stop(), 0)  # now from a checkpoint
            it.start()
            self.assertEqual({path: it.get(path) for path in paths}, before)

    def test_protocols_that_report_rarely_count_all_that_ever_enrolled(self):
        with collector() as it:
            it.start()
            small = {"periods": 16, "max_changes": 2, "epsilon": "1", "clock": "manual"}
            for protocol in ("hybrid", "optimal", "snapshot", "future_rand"):
                with self.subTest(protocol):
                    self.assertEqual(it.create(protocol, **small, protocol=protocol).get("inactive_after", 0), 0)
                    self.assertEqual(it.get(f"/v1/metrics/{protocol}/estimates")["estimand"], "enrolled")
                    status, answer, _ = it.call("GET", f"/v1/metrics/{protocol}/estimates?estimand=active")
                    self.assertEqual(status, 400)
                    self.assertIn("report too rarely to show which of them are active; expected protocol innovation", json.dumps(answer))
                    status, answer, _ = it.call("PUT", "/v1/metrics/m", json.dumps({**small, "protocol": protocol, "inactive_after": 3}),
                                                admin=True)
                    self.assertEqual(status, 400)
                    self.assertIn("report too rarely", json.dumps(answer))

    def test_long_metrics_count_devices_until_they_leave(self):
        """The 2,001st of 4,096 periods runs. Of 40 devices one left in each period from 1,901 on."""
        left = {client(i): 1901 + i for i in range(40)}
        with collector() as it:
            it.start()

            def report(device, first, last):
                line = {"client": device, "index": first, "signs": "+-"[last % 2] * (last - first + 1)}
                self.assertEqual(self.send(it, "m", line)["accepted"], 1)

            def check(when):
                harness.wait_until(lambda: it.get("/v1/metrics/m/estimates")["periods"])
                answer = it.get("/v1/metrics/m/estimates")
                self.assertEqual(answer["estimand"], "active")
                rows = answer["periods"][:1997]
                self.assertTrue(all(row["reports"] == row["expected"] for row in rows))
                expected = [sum(t < n for n in left.values()) for t in range(1, 1998)]
                self.assertEqual([row["expected"] for row in rows], expected, when)

            it.create("m", periods=4096, max_changes=1, epsilon="4", protocol="innovation", clock="wall", period_seconds=3600,
                      start=int(time.time() - 2000.5 * 3600))
            for device, n in left.items():
                self.send(it, "m", {"client": device, "view": 0, "period": 1})
                report(device, 1, n - 1)
            check("at first")
            # Devices return after a long absence, and leave again.
            for device, n in ((client(1), 1903), (client(5), 1996)):
                report(device, left[device], n - 1)
                left[device] = n
            for again in (None, it.kill, it.stop):
                if again:
                    again()
                    it.start()
                check(again)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
