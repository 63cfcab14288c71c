"""Collectors that share their work over PostgreSQL: usage: cluster_test.py FUTURERAND [unittest arguments]"""
import json
import pathlib
import random
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import clusters
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
        """A metric moves from an embedded collector into a cluster and back, and keeps its estimates byte for byte."""
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
            # It goes back under the same name, once it is gone there.
            back = export(second, "moves")
            self.assertEqual(embedded.call("DELETE", "/v1/metrics/moves", admin=True)[0], 200)
            self.assertEqual(embedded.call("POST", "/v1/metrics/moves/import", back, admin=True)[0], 201)
            self.assertEqual(estimates(embedded, "moves"), estimates(first, "moves"))
            # What is deleted on one is gone on all, also for whoever loads the shards next; its name is free again.
            self.assertEqual(second.call("DELETE", "/v1/metrics/moves", admin=True)[0], 200)
            for member in (first, second):
                self.assertEqual(member.call("GET", "/v1/metrics/moves/sums")[0], 404)
            second.create("moves", periods=8)
            second.kill()
            it.wait_for_owners(first)
            self.assertEqual(first.get("/v1/metrics/moves")["devices"], 0)
            self.assertEqual(first.get("/v1/metrics/moves")["plan"]["periods"], 8)


class BadInput(unittest.TestCase):
    def refused(self, it, file, *flags):
        """Returns what a collector says that does not start."""
        member = clusters.Member(it.folder / "refused", file, *flags)
        try:
            member.start()
            self.assertFalse(member.started(), member.said)
            self.assertIn(member.wait(), (1, 2))
            member.process = None
            return member.said[-1]
        finally:
            member.kill()

    def test_what_is_not_this_cluster_is_refused(self):
        with cluster(databases=2, shards=4) as it:
            ours = [group.connection() for group in it.groups]
            other = it.folder / "other.json"
            self.assertIn("another cluster", self.refused(it, it.write_file(other, secret="x" * 40)))
            self.assertIn("of 2 databases; the cluster file lists 1",
                          self.refused(it, it.write_file(other, databases=ours[:1])))
            self.assertIn("in the order", self.refused(it, it.write_file(other, databases=ours[::-1])))
            it.groups[0].primary.sql("CREATE DATABASE empty")
            it.write_file(other, databases=[it.groups[0].connection("empty"), ours[1]])
            self.assertIn("cluster init", self.refused(it, other))
            self.assertIn("other shards", it.command("init", it.file, "--shards", 5, expected=1))
            it.groups[0].primary.sql("UPDATE cluster SET version = 2")
            self.assertIn("version 2; this program knows version 1", self.refused(it, it.file))
            it.groups[0].primary.sql("UPDATE cluster SET version = 1")
            it.groups[0].primary.sql("ALTER SYSTEM SET full_page_writes = off")
            it.groups[0].primary.sql("SELECT pg_reload_conf()")
            self.assertIn("full_page_writes", self.refused(it, it.file))

    def test_a_second_process_with_the_same_address(self):
        with cluster(shards=4) as it:
            first = it.add()
            said = self.refused(it, it.file, "--advertise", first.address)
            self.assertIn("another collector that lives has the address", said)

    def test_a_database_that_goes_away_and_comes_back(self):
        """Answers are 503 while the database is away, at the start too; then all goes on, and nothing is lost."""
        chance = random.Random(23)
        with cluster(shards=4) as it:
            member = it.add()
            it.wait_for_owners(member)
            plan = member.create("away", periods=16)["plan"]
            member.advance("away", 16)
            devices = [Device(plan, chance) for _ in range(40)]
            self.assertEqual(member.post("away", devices[0].lines(chance))[0], 200)
            server = it.groups[0].primary
            server.stop()
            status, _, headers = member.post("away", [line for device in devices for line in device.lines(chance)])
            self.assertEqual(status, 503)
            self.assertIn("Retry-After", headers)
            late = clusters.Member(it.folder / "late", it.file, port=harness.free_port())
            it.members.append(late)
            starting = threading.Thread(target=late.start, args=(300,))
            starting.start()
            harness.wait_until(lambda: any("waiting for it" in line for line in late.said))
            harness.wait_until(lambda: self.answers(late) == 503)
            server.start()
            starting.join()
            it.wait_for_owners(member, late)
            for one in (member, late):
                Fleet(one, "away", plan, devices, threads=1, seed=5).join()
                it.wait_for_sums(one, "away", Sums(plan, devices))

    @staticmethod
    def answers(member):
        try:
            return member.call("GET", "/v1/metrics")[0]
        except OSError:
            return None


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
