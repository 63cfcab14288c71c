"""Collectors with shared work over PostgreSQL: usage: cluster_test.py FUTURERAND [unittest arguments]"""
import datetime
import json
import os
import pathlib
import random
import signal
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import harness
from devices import Device, Fleet, Sums
from clusters import cluster, estimate_texts


class Sharing(unittest.TestCase):
    def test_two_collectors_count_as_one(self):
        """Every collector accepts every request, a killed one is replaced, and the sums are exactly the fleet's."""
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
            # Lines resent through the other one are duplicates.
            lines = [line for device in devices[:50] for line in device.lines(chance)]
            status, answer, _ = second.post("both", lines)
            self.assertEqual((status, answer["accepted"], answer["duplicates"]), (200, 0, len(lines)))
            first.kill()
            it.wait_for_owners(second)
            more = [Device(plan, chance, chance.randint(1, 16)) for _ in range(100)]
            Fleet(second, "both", plan, more, threads=2, seed=4).join()
            it.wait_for_sums(second, "both", Sums(plan, devices + more))
            # An orderly stop hands over at once. A new collector takes its share.
            third = it.add()
            it.wait_for_owners(second, third)
            self.assertEqual(second.stop(), 0)
            it.wait_for_owners(third)
            it.wait_for_sums(third, "both", Sums(plan, devices + more))


class Values(unittest.TestCase):
    def test_labels_and_texts_are_those_of_one_collector(self):
        """Sums by row and candidates survive a killed collector, and all collectors see them."""
        chance = random.Random(22)
        label = {"kind": "category", "labels": ["a", "b", "c", "d", "e"]}
        with cluster(shards=4) as it, harness.collector() as alone:
            alone.start()
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            metrics = {"label": {"protocol": "innovation", "periods": 8, "value": label},
                       "text": {"protocol": "innovation", "periods": 8, "value": {"kind": "text", "hash_bits": 8}},
                       "segments": {"protocol": "innovation", "periods": 8, "value": label,
                                    "segment": {"name": "platform", "values": ["linux", "mac", "windows"]}}}
            for name, definition in metrics.items():
                plan = first.create(name, **definition)["plan"]
                alone.create(name, **definition)
                for one in (first, alone):
                    one.advance(name, 8)
                devices = [Device(plan, chance, chance.randint(1, 8)) for _ in range(60)]
                for i, device in enumerate(devices):
                    lines = device.lines(chance)
                    self.assertEqual((first, second)[i % 2].post(name, lines)[1]["rejected"], 0)
                    self.assertEqual(alone.post(name, lines)[1]["rejected"], 0)
                it.wait_for_sums(second, name, Sums(plan, devices))
            for one in (first, alone):
                body = json.dumps({"candidates": ["x", "y"]})
                self.assertEqual(one.call("PUT", "/v1/metrics/text/candidates", body, admin=True)[0], 200)
            first.kill()
            it.wait_for_owners(second)
            for name, query in (("label", ""), ("label", "?window=3&label=c"), ("text", ""), ("text", "?label=z"),
                                ("segments", "?by=segment"), ("segments", "?segment=mac&window=3"), ("segments", "?segment=mac&against=linux")):
                path = f"/v1/metrics/{name}/estimates{query}"
                self.assertEqual(second.get(path)["periods"], alone.get(path)["periods"])
            for one in (second, alone):
                for body in ('{"period":3,"text":"a note"}', '{"period":2,"text":"another"}', '{"period":3,"text":""}'):
                    self.assertEqual(one.call("PUT", "/v1/metrics/label/annotations", body, admin=True)[0], 200)
            self.assertEqual(second.get("/v1/metrics/label")["annotations"], [{"period": 2, "date": None, "text": "another"}])
            path = "/v1/metrics/label/difference?before=1..2&after=3..5"
            self.assertEqual(second.get(path)["rows"], alone.get(path)["rows"])
            self.assertEqual(second.get("/v1/metrics/segments/sums")["segments"], alone.get("/v1/metrics/segments/sums")["segments"])
            more = json.dumps({"candidates": ["y", "z"]})
            self.assertEqual(second.call("PUT", "/v1/metrics/text/candidates", more, admin=True)[1]["candidates"], ["x", "y", "z"])
            self.assertEqual(second.call("PUT", "/v1/metrics/label/candidates", more, admin=True)[0], 400)


class Moving(unittest.TestCase):
    def test_who_meets_a_shard_on_its_way_waits_for_it(self):
        """One joins, one is drained, one stops: no collector rejects a request."""
        chance = random.Random(32)
        with cluster(shards=8, lease_ms=30_000) as it:  # nobody waits for the end of one
            first = it.add()
            it.wait_for_owners(first)
            plan = first.create("moving", periods=16)["plan"]
            first.advance("moving", 16)
            members, devices, failures, over = [first], [], [], threading.Event()

            def send():
                while not over.is_set() and not failures:
                    more = [Device(plan, chance) for _ in range(10)]
                    devices.extend(more)
                    for member in members[:2]:  # the second one has nothing new
                        status, answer, _ = member.post("moving", [line for one in more for line in one.lines(chance)])
                        if (status, answer.get("rejected")) != (200, 0):
                            failures.append((status, answer))

            sending = threading.Thread(target=send)
            sending.start()
            try:
                second = it.add()
                members.append(second)
                it.wait_for_owners(first, second)
                first.create("beside", periods=8)
                it.command("drain", it.file, first.address)
                it.wait_for_owners(second)
                it.command("drain", it.file, first.address, "--undo")
                third = it.add()
                it.wait_for_owners(first, second, third)
                self.assertEqual(third.stop(), 0)
                it.wait_for_owners(first, second)
            finally:
                over.set()
                sending.join()
            self.assertEqual(failures, [])
            for member in members:
                it.wait_for_sums(member, "moving", Sums(plan, devices))
            # Each released a shard only after writing all of it, including the checkpoint.
            self.assertEqual([line for member in it.members for line in member.said
                              if "belongs to another collector" in line or "taken over" in line], [])

    def test_who_wakes_up_too_late_disturbs_nobody(self):
        """The epoch rejects a stopped collector's append. The reports go to the new owner, and it keeps the shard."""
        chance = random.Random(33)
        with cluster(shards=4) as it:
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            plan = first.create("late", periods=16)["plan"]
            first.advance("late", 16)
            devices = [Device(plan, chance) for _ in range(80)]
            os.kill(second.process.pid, signal.SIGSTOP)
            late = Fleet(second, "late", plan, devices[:40], threads=4, seed=8)
            it.wait_for_owners(first)
            os.kill(second.process.pid, signal.SIGCONT)
            late.join()
            Fleet(first, "late", plan, devices[40:], threads=2, seed=9).join()
            for member in (first, second):
                it.wait_for_sums(member, "late", Sums(plan, devices))
            self.assertEqual([line for line in first.said if "the log failed" in line or "taken over" in line], [])

    def test_who_stops_while_it_takes_a_shard_gives_it_back(self):
        with cluster(shards=4, lease_ms=60_000, own_servers=True) as it:
            first = it.add()
            it.wait_for_owners(first)
            first.create("stopping", periods=16)  # each shard has something to read
            self.assertEqual(first.stop(), 0)
            server = it.groups[0].primary
            slow = threading.Thread(target=server.sql, args=("BEGIN; LOCK TABLE checkpoint; SELECT pg_sleep(3); COMMIT",))
            slow.start()
            harness.wait_until(lambda: server.sql("SELECT count(*) FROM pg_locks WHERE relation = 'checkpoint'::regclass AND granted") != "0")
            second = it.add()
            harness.wait_until(lambda: server.sql("SELECT count(*) FROM shard WHERE owner IS NOT NULL") != "0")
            self.assertEqual(second.stop(), 0)
            slow.join()
            self.assertEqual(server.sql("SELECT count(*) FROM shard WHERE owner IS NOT NULL"), "0")


class News(unittest.TestCase):
    def test_a_metric_is_known_to_who_was_not_told(self):
        """A collector unreachable for the others asks the database before it answers that a metric does not exist."""
        chance = random.Random(34)
        with cluster(shards=4) as it:
            first = it.add()
            it.wait_for_owners(first)
            nowhere = f"127.0.0.1:{harness.free_port()}"
            second = it.add("--advertise", nowhere)
            harness.wait_until(lambda: len(it.owners().get(nowhere, [])) == 2)
            for number in range(10):
                name = f"new-{number}"
                plan = first.create(name, clock="wall", periods=16, period_seconds=3600)["plan"]
                lines = [Device(plan, chance).enrolment() for _ in range(20)]
                status, answer, _ = second.post(name, lines)
                self.assertEqual((status, answer.get("accepted")), (200, 20), answer)
                first.create(f"read-{number}", periods=8)
                self.assertEqual(second.get(f"/v1/metrics/read-{number}")["plan"]["periods"], 8)
            # Unknown names cost few lookups, for any number of requests.
            asked, over = [0], time.monotonic() + 2

            def ask():
                while time.monotonic() < over:
                    self.assertEqual(second.call("GET", f"/v1/metrics/no-{chance.random()}")[0], 404)
                    asked[0] += 1

            askers = [threading.Thread(target=ask) for _ in range(8)]
            for asker in askers:
                asker.start()
            for asker in askers:
                asker.join()
            self.assertLess(asked[0], 8 * 2 / 0.1 + 16)  # each waits for a lookup, and lookups are 100 ms apart


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

            def export(member, name):
                status, document, _ = member.call("GET", f"/v1/metrics/{name}/export", admin=True)
                self.assertEqual(status, 200, document)
                return json.dumps(document)

            status, answer, _ = first.call("POST", "/v1/metrics/moves/import", export(embedded, "moves"), admin=True)
            self.assertEqual(status, 201, answer)
            for member in (first, second):
                it.wait_for_sums(member, "moves", Sums(plan, devices))
                self.assertEqual(estimate_texts(member, "moves"), estimate_texts(embedded, "moves"))
            # Move it back under the same name, after deleting it there.
            back = export(second, "moves")
            self.assertEqual(embedded.call("DELETE", "/v1/metrics/moves", admin=True)[0], 200)
            self.assertEqual(embedded.call("POST", "/v1/metrics/moves/import", back, admin=True)[0], 201)
            self.assertEqual(estimate_texts(embedded, "moves"), estimate_texts(first, "moves"))
            # Deleting it on one deletes it on all, even for the next owner of its shards. Its name is free again.
            self.assertEqual(second.call("DELETE", "/v1/metrics/moves", admin=True)[0], 200)
            for member in (first, second):
                self.assertEqual(member.call("GET", "/v1/metrics/moves/sums")[0], 404)
            second.create("moves", periods=8)
            second.kill()
            it.wait_for_owners(first)
            self.assertEqual(first.get("/v1/metrics/moves")["devices"], 0)
            self.assertEqual(first.get("/v1/metrics/moves")["plan"]["periods"], 8)


    def test_it_is_reopened_in_every_shard_until_its_devices_are_erased(self):
        chance = random.Random(29)
        with cluster(shards=4) as it:
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            plan = first.create("m", periods=16)["plan"]
            first.advance("m", 16)
            devices = [Device(plan, chance) for _ in range(60)]
            lines = [line for device in devices for line in device.lines(chance)]
            half = len(lines) // 2
            self.assertEqual(first.post("m", lines[:half])[1]["rejected"], 0)

            def close(member, closed=True):
                status, answer, _ = member.call("POST", "/v1/metrics/m/close", json.dumps({"closed": closed}), admin=True)
                return status, answer.get("error", {}).get("code", answer.get("state"))

            def reasons(member):
                return {error["reason"] for error in member.post("m", lines[half:])[1]["errors"]}

            self.assertEqual(close(first, False), (200, "grace"))  # it is open
            self.assertEqual(close(first), (200, "closed"))
            self.assertEqual(reasons(second), {"closed"})
            # The next owner of the shards knows it too.
            second.kill()
            it.wait_for_owners(first)
            self.assertEqual(reasons(first), {"closed"})
            self.assertEqual(close(first, False), (200, "grace"))
            self.assertEqual(first.post("m", lines)[1], {"accepted": len(lines) - half, "duplicates": half, "rejected": 0,
                                                         "early": 0, "errors": []})
            it.wait_for_sums(first, "m", Sums(plan, devices))
            # A collector with other flags erases at once. Then the metric cannot reopen.
            self.assertEqual(first.stop(), 0, first.said)
            last = it.add("--erase-after", "0")
            it.wait_for_owners(last)
            self.assertEqual(close(last), (200, "closed"))
            harness.wait_until(lambda: sum("is closed: its sums stay" in line for line in last.said) == 4)
            self.assertEqual(close(last, False), (409, "erased"))
            it.wait_for_sums(last, "m", Sums(plan, devices))


class Departures(unittest.TestCase):
    def test_who_left_and_who_was_forgotten_are_so_for_every_collector(self):
        """One request has the lines of two metrics. Leaving and erasure arrive through any collector and survive its death."""
        chance = random.Random(35)
        with cluster(shards=4) as it, harness.collector() as alone:
            alone.start()
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            terms = {"periods": 8, "protocol": "innovation", "inactive_after": 3}
            fleets = {}
            for name in ("a", "b"):
                plan = first.create(name, **terms)["plan"]
                alone.create(name, **terms)
                for one in (first, alone):
                    one.advance(name, 5)
                fleets[name] = [Device(plan, chance, chance.randint(1, 3)) for _ in range(60)]

            def post(member, lines):
                body = "".join(f'{{"metric":"{name}"}}\n' + "".join(f"{line}\n" for line in lines[name]) for name in lines)
                status, answer, _ = member.call("POST", "/v1/reports", body)
                self.assertEqual(status, 200, answer)
                return {one["metric"]: (one["status"], one["answer"]) for one in answer["metrics"]}

            def both(member, lines):
                """The cluster answers as one collector does."""
                answers = post(member, lines)
                self.assertEqual(answers, post(alone, lines))
                self.assertEqual({status for status, _ in answers.values()}, {200})
                return {name: answer for name, (_, answer) in answers.items()}

            def sent(share, make):
                return {name: [line for device in fleets[name][share] for line in make(device)] for name in fleets}

            for member, share in ((first, slice(0, 30)), (second, slice(30, 60))):
                both(member, sent(share, lambda device: [device.enrolment(), device.report(device.period, 5)]))
            leaving, forgotten = slice(0, 15), slice(20, 40)
            leave = sent(leaving, lambda device: [json.dumps({"client": device.id, "leave": 6})])
            forget = sent(forgotten, lambda device: [json.dumps({"client": device.id, "forget": True})])
            for answer in (*both(second, leave).values(), *both(first, forget).values()):
                self.assertEqual(answer["rejected"], 0)

            def same(member):
                for name, fleet in fleets.items():
                    harness.wait_until(lambda: estimate_texts(member, name) == estimate_texts(alone, name), 120)
                    views = [one.get(f"/v1/metrics/{name}/sums")["views"] for one in (member, alone)]
                    self.assertEqual(views[0], views[1])
                    kept = fleet[:forgotten.start] + fleet[forgotten.stop:]
                    self.assertEqual(sum(views[0][0]["enrolled"]), len(kept))
                    self.assertEqual(views[0][0]["counts"][4], len(kept))
                    self.assertEqual(views[0][0]["sums"][4], sum(1 if device.signs[5] == "+" else -1 for device in kept))

            for member in (first, second):
                same(member)
            # The next owner of the shards reads it from the log, and so does one without a checkpoint.
            first.kill()
            it.wait_for_owners(second)
            same(second)
            again = both(second, {name: leave[name] + forget[name] for name in fleets})
            self.assertEqual({(answer["accepted"], answer["duplicates"]) for answer in again.values()}, {(0, 35)})
            for name, reason in (("forgotten", "forgotten"), ("left", "left")):
                late = sent(forgotten if name == "forgotten" else leaving,
                            lambda device: [device.enrolment() if name == "forgotten" else device.report(6, 6)])
                for answer in both(second, late).values():
                    self.assertEqual({error["reason"] for error in answer["errors"]}, {reason})
            # The export is that of one collector, too.
            documents = [one.call("GET", "/v1/metrics/a/export", admin=True)[1] for one in (second, alone)]
            for part in ("sums", "presence"):
                self.assertEqual(documents[0][part], documents[1][part], part)


class Reads(unittest.TestCase):
    def test_those_who_left_are_not_counted(self):
        """The answers equal those of a single collector with the same reports, byte for byte."""
        chance = random.Random(27)
        with harness.collector() as embedded, cluster(shards=4) as it:
            embedded.start()
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            terms = {"periods": 16, "protocol": "innovation", "inactive_after": 3}
            plan = embedded.create("leaving", **terms)["plan"]
            self.assertEqual(first.create("leaving", **terms)["plan"], plan)
            devices = [Device(plan, chance, chance.randint(1, 12)) for _ in range(300)]
            ends = [chance.choice([16, 16, chance.randint(0, 16)]) for _ in devices]
            for period in range(1, 17):
                for member in (embedded, first):
                    member.advance("leaving")
                lines = []
                for device, end in zip(devices, ends, strict=True):
                    if device.period == period:
                        lines.append(device.enrolment())
                    # Some send every period, some send several periods at once.
                    if device.period <= period <= end and (period % 3 == 0 or device.view == 0):
                        due = [index for index in device.signs if index <= period]
                        if due and int(device.id, 16) % 2 == 0:
                            lines.append(device.report(due[-1], due[-1]))
                        elif due and (period % 3 == 0 or period == end):
                            lines.append(device.report(max(due[0], 3 * ((period - 1) // 3) + 1), due[-1]))
                for member in (embedded, second if period % 2 else first):
                    status, answer, _ = member.post("leaving", lines)
                    self.assertEqual(status, 200, answer)
                    if member is embedded:
                        counted = answer
                    else:
                        self.assertEqual(answer, counted)
            wanted = estimate_texts(embedded, "leaving")
            self.assertIn(b'"estimand":"active"', wanted[0])
            self.assertNotEqual(wanted[0], wanted[3])
            for member in (first, second):
                harness.wait_until(lambda: estimate_texts(member, "leaving") == wanted, 120)
            # A new collector reads all of it from the logs.
            first.kill()
            second.kill()
            fresh = it.add()
            it.wait_for_owners(fresh)
            harness.wait_until(lambda: estimate_texts(fresh, "leaving") == wanted, 120)

    def test_an_answer_says_when_it_was_true(self):
        chance = random.Random(28)
        with cluster(shards=4) as it:
            first, second = it.add(), it.add()
            it.wait_for_owners(first, second)
            plan = first.create("when", periods=16)["plan"]
            first.advance("when", 16)

            def as_of(member, what="sums"):
                text = member.get(f"/v1/metrics/when/{what}")["as_of"]
                return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()

            device = Device(plan, chance)
            self.assertEqual(first.post("when", device.lines(chance))[0], 200)
            taken = time.time()
            for member in (first, second):
                for what in ("sums", "estimates"):
                    harness.wait_until(lambda: as_of(member, what) > taken)
                # It includes everything accepted before then.
                Sums(plan, [device]).check(self, member.get("/v1/metrics/when/sums"))
            # Without its database it does not advance.
            it.groups[0].primary.kill()
            stopped = time.time()
            time.sleep(2)
            self.assertLessEqual(as_of(first), stopped + 1)
            self.assertEqual(first.get("/healthz")["cluster"], True)


class Operators(unittest.TestCase):
    def test_what_the_page_is_told_is_what_the_command_tells(self):
        with cluster(databases=2, shards=4, own_servers=True) as it:
            member = it.add()
            it.wait_for_owners(member)
            self.assertEqual(member.call("GET", "/v1/cluster")[0], 401)
            told = member.get("/v1/cluster", admin=True)
            self.assertEqual(told.keys(), it.status().keys())
            self.assertEqual([database["shards"] for database in told["databases"]],
                             [database["shards"] for database in it.status()["databases"]])
            self.assertEqual(told["collectors"], [{"address": member.address, "alive": True, "draining": False, "shards": 4}])
            it.groups[1].primary.stop()
            it.groups[1].primary.process = None
            self.assertIn("does not answer", member.get("/v1/cluster", admin=True)["databases"][1]["error"])

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
