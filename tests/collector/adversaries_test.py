"""Lying devices against a real collector: usage: adversaries_test.py FUTURERAND DISK_LAYER [unittest arguments]

Values beyond the contribution cap are not counted, an alarm reports them, and no retry, crash or checkpoint changes either.
The counts are held against the definition (estimator/active.md), device by device, from the plan's own numbers.
"""
import json
import random
import sys
import unittest

import harness
from harness import collector

PERIODS = 48
HONEST, LIARS = 600, 30


def filter_of(plan):
    """kappa and the response r of a law with an unknown start (core/law/innovation.md)."""
    law = plan["views"][0]["law"]
    *levels, steady = [gap / 2**40 for gap in law["gaps"]]
    lags = law["start_levels"]
    changes, starts = levels[:-lags], levels[-lags:]
    gaps = []
    for change, start in zip(changes, starts):
        gaps.append(min([change, 2 * start - steady] + gaps[-1:]))
    gaps.append(steady)
    kappa = gaps[0] + gaps[-1]
    phi = [(a - b) / kappa for a, b in zip(gaps, gaps[1:])]
    response = [1.0]
    while len(response) < plan["periods"]:
        response.append(sum(p * r for p, r in zip(phi, reversed(response))))
    return kappa, response


def counted(plan, signs):
    """Returns a device's unclipped estimate for each period; it joined in period 1."""
    kappa, response = filter_of(plan)
    return [1 / 2 + sum(response[t - s] * signs[s] / kappa for s in range(t + 1)) for t in range(len(signs))]


class Liars(unittest.TestCase):
    def send(self, it, metric, devices, first, end):
        lines = []
        for number, signs in enumerate(devices):
            client = f"{number * 7919 % 65536:04x}{number:028x}"  # over many shards
            if first == 1:
                lines.append(json.dumps({"client": client, "view": 0, "period": 1}))
            text = "".join("+" if sign > 0 else "-" for sign in signs[first - 1:end - 1])
            lines.append(json.dumps({"client": client, "index": first, "signs": text}))
        for again in range(2):  # duplicates count once
            status, answer, _ = it.post(metric, lines)
            self.assertEqual(status, 200, answer)
            self.assertEqual(answer["rejected"], 0, answer)

    def test_they_are_cut_off_and_noticed(self):
        random.seed(17)
        devices = [[random.choice((1, -1)) for _ in range(PERIODS)] for _ in range(HONEST)] + [[1] * PERIODS] * LIARS
        metric = {"periods": PERIODS, "max_changes": 2, "epsilon": "1", "clock": "manual", "protocol": "innovation"}
        with collector() as it:
            it.start()
            it.create("capped", **metric)
            it.create("plain", **metric, transcript_cap=False)
            self.assertTrue(it.get("/v1/metrics/capped")["transcript_cap"])
            self.assertFalse(it.get("/v1/metrics/plain")["transcript_cap"])
            answers = {}
            for first, end in ((1, 11), (11, 40), (40, PERIODS + 1)):
                for name in ("capped", "plain"):
                    it.advance(name, end - first)
                    self.send(it, name, devices, first, end)
                answers = {name: it.get(f"/v1/metrics/{name}/estimates") for name in ("capped", "plain")}
                it.kill() if end == 40 else self.assertEqual(it.stop(), 0)  # then from its log, or from a checkpoint
                it.start()
                for name, before in answers.items():
                    self.assertEqual(it.get(f"/v1/metrics/{name}/estimates"), before)
            capped, plain = answers["capped"], answers["plain"]
            self.assertIn("exceed the contribution cap", capped["alarm"])
            self.assertNotIn("exceed the contribution cap", plain["alarm"] or "")

            plan = it.get("/v1/metrics/capped")["plan"]
            of_each = [counted(plan, signs) for signs in devices]
            most = of_each[-1][-1]  # a device with only plus signs
            self.assertAlmostEqual(plain["one_device_moves_at_most"], most, delta=1e-6)
            limit = capped["one_device_moves_at_most"]
            for t in range(PERIODS):
                found, truth = plain["periods"][t]["estimate"], sum(device[t] for device in of_each)
                self.assertAlmostEqual(found, truth, delta=1e-6 * abs(truth))
            # In the end all have the same age, and no honest device exceeds the cap.
            of_liars = capped["periods"][-1]["estimate"] - sum(device[-1] for device in of_each[:HONEST])
            self.assertLessEqual(of_liars / LIARS, limit)
            self.assertGreater(of_liars / LIARS, 0.99 * limit)
            self.assertLess(limit, 0.99 * most)
            # Honest noise raises no alarm.
            it.create("honest", **metric)
            it.advance("honest", PERIODS)
            self.send(it, "honest", devices[:HONEST], 1, PERIODS + 1)
            self.assertFalse(it.get("/v1/metrics/honest/estimates")["alarm"])


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
