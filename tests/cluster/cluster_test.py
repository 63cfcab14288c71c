"""Collectors that share their work over PostgreSQL: usage: cluster_test.py FUTURERAND [unittest arguments]"""
import json
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import harness
from clusters import cluster
from harness import Device, Fleet, Sums


class Sharing(unittest.TestCase):
    def test_two_collectors_count_as_one(self):
        """Any takes any request, a killed one is replaced, and the sums are the fleet's exactly."""
        chance = random.Random(21)
        with cluster(shards=8) as it:
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            plan = first.create("both", periods=16)["plan"]
            self.assertEqual(second.get("/v1/metrics/both")["current_period"], 1)
            first.advance("both", 8)
            second.advance("both", 8)
            self.assertEqual(first.get("/v1/metrics/both")["current_period"], 17)
            devices = [Device(plan, chance, chance.randint(1, 16)) for _ in range(400)]
            for member, share in ((first, devices[:200]), (second, devices[200:])):
                for device in share[:10]:
                    status, answer, _ = member.post("both", device.lines(chance))
                    self.assertEqual((status, answer["rejected"]), (200, 0))
                Fleet(member, "both", plan, share, threads=2, seed=3).join()
            for member in (first, second):
                it.wait_for_sums(member, "both", Sums(plan, devices))
            # What is sent again through the other one is known.
            lines = [line for device in devices[:50] for line in device.lines(chance)]
            status, answer, _ = second.post("both", lines)
            self.assertEqual((status, answer["accepted"], answer["duplicates"]), (200, 0, len(lines)))
            first.kill()
            it.wait_for_owners(second)
            more = [Device(plan, chance, chance.randint(1, 16)) for _ in range(100)]
            Fleet(second, "both", plan, more, threads=2, seed=4).join()
            it.wait_for_sums(second, "both", Sums(plan, devices + more))
            # One that stops in order hands over at once; one that starts takes its share.
            third = it.add()
            it.wait_for_owners(second, third)
            self.assertEqual(second.stop(), 0)
            it.wait_for_owners(third)
            it.wait_for_sums(third, "both", Sums(plan, devices + more))


class Lives(unittest.TestCase):
    def test_a_metric_ends_moves_and_is_deleted(self):
        """From an embedded collector into a cluster and back: the same estimates, byte for byte."""
        chance = random.Random(22)
        with harness.collector() as embedded, cluster(shards=4) as it:
            embedded.start()
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            plan = embedded.create("moves", periods=16)["plan"]
            embedded.advance("moves", 16)
            devices = [Device(plan, chance, chance.randint(1, 16)) for _ in range(200)]
            for device in devices:
                self.assertEqual(embedded.post("moves", device.lines(chance))[0], 200)
            self.assertEqual(embedded.call("POST", "/v1/metrics/moves/close", admin=True)[0], 200)

            def estimates(member, name):
                return member.call("GET", f"/v1/metrics/{name}/estimates?estimator=hindsight")[1]

            def export(member, name):
                status, document, _ = member.call("GET", f"/v1/metrics/{name}/export", admin=True)
                self.assertEqual(status, 200, document)
                return json.dumps(document)

            status, answer, _ = first.call("POST", "/v1/metrics/moves/import", export(embedded, "moves"), admin=True)
            self.assertEqual(status, 201, answer)
            for member in (first, second):
                it.wait_for_sums(member, "moves", Sums(plan, devices))
                self.assertEqual(estimates(member, "moves"), estimates(embedded, "moves"))
            # Back, under the same name, once it is gone there.
            back = export(second, "moves")
            self.assertEqual(embedded.call("DELETE", "/v1/metrics/moves", admin=True)[0], 200)
            self.assertEqual(embedded.call("POST", "/v1/metrics/moves/import", back, admin=True)[0], 201)
            self.assertEqual(estimates(embedded, "moves"), estimates(first, "moves"))
            # Deleted on one, gone on all, also for whoever loads the shards next; its name is free again.
            self.assertEqual(second.call("DELETE", "/v1/metrics/moves", admin=True)[0], 200)
            for member in (first, second):
                self.assertEqual(member.call("GET", "/v1/metrics/moves/sums")[0], 404)
            second.create("moves", periods=8)
            second.kill()
            it.wait_for_owners(first)
            self.assertEqual(first.get("/v1/metrics/moves")["devices"], 0)
            self.assertEqual(first.get("/v1/metrics/moves")["plan"]["periods"], 8)


class Operators(unittest.TestCase):
    def test_drain(self):
        with cluster(shards=4) as it:
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            it.command("drain", it.file, first.address)
            it.wait_for_owners(second)
            self.assertIn("draining", it.command("status", it.file))
            it.command("drain", it.file, first.address, "--undo")
            it.wait_for_owners(first, second)
            self.assertIn("no collector has", it.command("drain", it.file, "10.0.0.1:1", expected=2))


if __name__ == "__main__":
    harness.COMMAND = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
