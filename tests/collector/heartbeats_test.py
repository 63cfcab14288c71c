"""Heartbeats, from real clients to estimates: usage: heartbeats_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import json
import subprocess
import sys
import time
import unittest

import harness
from harness import collector

METRIC = {"periods": 16, "max_changes": 2, "epsilon": "4", "clock": "manual", "protocol": "optimal", "heartbeats": True}


def client(number):
    return f"{number:032x}"


class Heartbeats(unittest.TestCase):
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
        """Those who fell silent are not counted any more, and nothing of that is forgotten."""
        with collector() as it:
            it.start()
            for protocol in ("hybrid", "optimal", "snapshot"):
                with self.subTest(protocol):
                    answer = self.swarm(it, protocol, "--create", "--heartbeats", "--protocol", protocol, "--periods", "24",
                                        "--epsilon", "4", "--devices", "400", "--batch", "50", "--dropout", "0.05", "--late", "0.2",
                                        "--duplicate", "0.2", "--lost", "0.2", "--join-late", "0.5", "--connections", "3")
                    self.assertTrue(answer["sums_match"])
                    self.assertEqual(answer["rejected"], 0)
                    self.assertGreater(answer["duplicates"], 0)
                    metric = it.get(f"/v1/metrics/{protocol}")
                    self.assertTrue(metric["plan"]["heartbeats"])
                    self.assertEqual(metric["inactive_after"], 3)
                    active = it.get(f"/v1/metrics/{protocol}/estimates")
                    self.assertEqual(active["estimand"], "active")
                    self.assertIn("once its heartbeats are missing for 3 periods", active["counted"])
                    enrolled = it.get(f"/v1/metrics/{protocol}/estimates?estimand=enrolled")
                    self.assertEqual(enrolled["counted"], "all devices that ever enrolled, gone or not")
                    # A twentieth of 400 falls silent in each of 24 periods.
                    there = [row["expected"] for row in active["periods"]]
                    self.assertLess(there[-1], 250)
                    self.assertGreater(there[-1], 30)
            kinds = [(name, f"/v1/metrics/{name}/estimates?estimator={kind}") for name in ("hybrid", "optimal", "snapshot")
                     for kind in ("online", "hindsight", "trend")]
            before = {path: it.get(path) for _, path in kinds}
            it.kill()
            it.start()
            self.assertEqual({path: it.get(path) for _, path in kinds}, before)
            self.assertEqual(it.stop(), 0)  # now from a checkpoint
            it.start()
            self.assertEqual({path: it.get(path) for _, path in kinds}, before)

    def test_says_what_became_of_each(self):
        with collector() as it:
            it.start()
            it.create("m", **METRIC)
            it.create("plain", **{**METRIC, "heartbeats": False})
            ann = client(1)
            it.advance("m", 6)
            enrolled = {"client": ann, "view": 2, "period": 2}  # reports are due in 4, 8, ...
            self.assertEqual(self.send(it, "m", {"client": ann, "alive": 3})["errors"], [{"line": 1, "reason": "unknown_client"}])
            self.assertEqual(self.send(it, "plain", enrolled, {"client": ann, "alive": 1})["errors"],
                             [{"line": 1, "reason": "early"}, {"line": 2, "reason": "no_heartbeats"}])
            answer = self.send(it, "m", enrolled, {"client": ann, "alive": 3}, {"client": ann, "alive": 3}, {"client": ann, "alive": 2},
                               {"client": ann, "alive": 5}, {"client": ann, "alive": 17})
            self.assertEqual((answer["accepted"], answer["duplicates"], answer["rejected"]), (2, 2, 2))
            self.assertEqual(answer["errors"], [{"line": 5, "reason": "gap", "expected": 1}, {"line": 6, "reason": "bad_period"}])
            answer = self.send(it, "m", {"client": ann, "index": 1, "signs": "+"}, {"client": ann, "alive": 4}, {"client": ann, "alive": 5})
            self.assertEqual((answer["accepted"], answer["duplicates"], answer["errors"]), (2, 1, []))
            answer = self.send(it, "m", {"client": ann, "alive": 7})
            self.assertEqual((answer["accepted"], answer["errors"]), (1, [{"line": 1, "reason": "early"}]))
            # Of period 6, which is over, and not of 7, which runs.
            self.assertEqual([row["reports"] for row in it.get("/v1/metrics/m/estimates")["periods"]], [0, 1, 1, 1, 1, 1])

    def test_in_long_metrics_who_is_gone_left_at_the_beginning_of_a_step(self):
        """The 2,001st of 4,096 periods runs. Of 40 devices one left in each period from 1,901 on."""
        long = {"periods": 4096, "max_changes": 1, "epsilon": "4", "clock": "wall", "period_seconds": 3600,
                "start": int(time.time() - 2000.5 * 3600)}
        left = {client(i): 1901 + i for i in range(40)}
        kinds = {"news": ({"protocol": "innovation"}, 0, 4), "beating": ({"protocol": "optimal", "heartbeats": True}, 12, 16)}
        with collector() as it:
            it.start()

            def tell(name, device, first, last):
                word = {"index": first, "signs": "+-"[last % 2] * (last - first + 1)} if name == "news" else {"alive": last}
                self.assertEqual(self.send(it, name, {"client": device, **word})["accepted"], 1)

            def there(name):
                answer = it.get(f"/v1/metrics/{name}/estimates")
                self.assertEqual(answer["estimand"], "active")
                self.assertIn(f"from the beginning of the {kinds[name][2]} periods in which it left", answer["counted"])
                self.assertTrue(all(row["reports"] == row["expected"] for row in answer["periods"][:1997]))
                return [row["expected"] for row in answer["periods"][:1997]]

            def expected(step):
                return [sum(t <= (n - 1) // step * step for n in left.values()) for t in range(1, 1998)]

            for name, (metric, view, step) in kinds.items():
                self.assertEqual(it.create(name, **long, **metric)["inactive_after"], 3)
                for device, n in left.items():
                    self.send(it, name, {"client": device, "view": view, "period": 1})
                    tell(name, device, 1, n - 1)
                harness.wait_until(lambda: it.get(f"/v1/metrics/{name}/estimates")["periods"])
                self.assertEqual(there(name), expected(step))
            # Somebody comes back, was away for long and leaves again, in the same step and in another.
            for device, n in ((client(1), 1903), (client(5), 1996)):
                for name in kinds:
                    tell(name, device, left[device], n - 1)
                left[device] = n
            for again in (None, it.kill, it.stop):
                if again:
                    again()
                    it.start()
                for name, (_, _, step) in kinds.items():
                    harness.wait_until(lambda: it.get(f"/v1/metrics/{name}/estimates")["periods"])
                    self.assertEqual(there(name), expected(step), (name, again))

    def test_refuses_what_is_of_no_use(self):
        with collector() as it:
            it.start()
            for change, words in (({"protocol": "innovation"}, "report in every period"), ({"inactive_after": 0}, "expected one of the two"),
                                  ({"periods": 16385}, "expected at most 16384"), ({"heartbeats": 1}, "heartbeats")):
                status, answer, _ = it.call("PUT", "/v1/metrics/m", json.dumps({**METRIC, **change}), admin=True)
                self.assertEqual(status, 400, answer)
                self.assertIn(words, json.dumps(answer))
            it.create("plain", **{**METRIC, "heartbeats": False})
            status, answer, _ = it.call("GET", "/v1/metrics/plain/estimates?estimand=active")
            self.assertEqual(status, 400)
            self.assertIn("expected heartbeats", json.dumps(answer))


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
