"""Collectors that share their work over PostgreSQL: usage: cluster_test.py FUTURERAND [unittest arguments]"""
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


if __name__ == "__main__":
    harness.COMMAND = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
