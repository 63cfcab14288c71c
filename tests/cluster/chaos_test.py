"""A cluster under attack: usage: chaos_test.py FUTURERAND [unittest arguments]

Three collectors over two databases, each with a synchronous standby; one collector's clock is an hour ahead. Every few seconds
one collector is killed, or stopped for longer than its lease and continued while requests wait in its sockets, or a primary is
lost and its standby promoted. Meanwhile strangers hold silent connections and ask for plans. Every answer is compared with a
model of what was acknowledged before it (model.py). One minute, or ten with --long.
"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import harness
import postgres
from clusters import cluster
from devices import Device, Sums, send_until_taken
from harness import LONG, wait_until
from model import Model

import threading

LEASE_MS = 2000
SECONDS = 600 if LONG else 50


class Anyone:
    """Calls any running collector, like a load balancer without sticky sessions."""

    def __init__(self, members, chance):
        self.members, self.chance = members, chance

    def connect(self, timeout):
        return self.chance.choice(self.members).connect(timeout)


class Sender(threading.Thread):
    """Creates devices that send all their lines, until the time is over."""

    def __init__(self, members, plan, seed):
        super().__init__()
        self.members, self.plan, self.chance = members, plan, random.Random(seed)
        self.devices, self.failure, self.over = [], None, threading.Event()
        self.acknowledged, self.times, self.model = 0, [], Model()

    def send(self, batch):
        """Sends lines to one collector after another until they are accepted, and maybe once more. The model judges each answer."""
        times = 2 if self.chance.random() < 0.1 else 1
        deadline = time.monotonic() + 600
        while times > 0:
            assert time.monotonic() < deadline, "it could not be delivered in time"
            self.model.sending(batch)
            began = time.monotonic()
            try:
                with contextlib.closing(Anyone(self.members, self.chance).connect(timeout=20)) as connection:
                    connection.request("POST", "/v1/metrics/chaos/reports", body="\n".join(batch))
                    response = connection.getresponse()
                    answer = json.loads(response.read())
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.02)
                continue
            if response.status == 200:
                self.model.check(batch, answer)
                assert answer["rejected"] == 0, (answer, "a device would give up")
                self.times.append(time.monotonic() - began)
                times -= 1
                continue
            assert response.status in (429, 503), (response.status, answer)
            time.sleep(0.02)

    def run(self):
        try:
            while not self.over.is_set():
                devices = [Device(self.plan, self.chance, self.chance.randint(1, 16)) for _ in range(20)]
                lines = []
                for device in devices:
                    own = device.lines(self.chance)
                    self.model.add(device, own)
                    lines += own
                batches = [lines[i:i + 40] for i in range(0, len(lines), 40)]
                # Each attempt goes to another collector. An already durable part counts once.
                self.devices += devices
                for batch in batches:
                    self.send(batch)
                    self.acknowledged += len(batch)
        except BaseException as failure:  # reported by the test
            self.failure = failure


class Strangers(threading.Thread):
    """Hold silent connections, and ask for plans, from another address."""

    def __init__(self, members, seed):
        super().__init__()
        self.members, self.chance, self.over = members, random.Random(seed), threading.Event()

    def run(self):
        held = []
        while not self.over.is_set():
            member = self.chance.choice(self.members)
            with contextlib.suppress(OSError, http.client.HTTPException):
                held.append(socket.create_connection(("127.0.0.1", member.port), 1, source_address=("127.0.0.9", 0)))
                with contextlib.closing(member.connect(timeout=2)) as connection:
                    connection.request("GET", f"/v1/plan?users={self.chance.randrange(1, 1 << 30)}&periods=1024")
                    connection.getresponse().read()
            if len(held) > 200:
                held.pop(0).close()
            time.sleep(0.05)
        for connection in held:
            connection.close()


class TheModel(unittest.TestCase):
    def test_notices_what_cannot_be(self):
        """Answers of a stale owner to a device acknowledged by another collector."""
        plan = {"periods": 4, "views": [{"order": 0, "kind": "tree"}]}
        device = Device(plan, random.Random(1))
        lines = [device.enrolment(), device.report(1, 1), device.report(2, 2), device.report(3, 4)]
        model = Model()
        model.add(device, lines)
        taken = lambda accepted, duplicates: {"accepted": accepted, "duplicates": duplicates, "rejected": 0, "errors": []}
        refused = lambda error: {"accepted": 0, "duplicates": 0, "rejected": 1, "errors": [{"line": 1, **error}]}
        model.sending(lines[1:2])
        model.check(lines[1:2], refused({"reason": "unknown_client"}))  # it is not enrolled
        model.sending(lines[:2])
        model.check(lines[:2], taken(2, 0))
        model.sending(lines[2:3])  # without an answer it may count
        model.sending(lines[3:])
        model.check(lines[3:], refused({"reason": "gap", "expected": 2}))
        for answer in (refused({"reason": "unknown_client"}), refused({"reason": "gap", "expected": 1}),
                       refused({"reason": "closed"}), taken(2, 0), taken(0, 0)):
            with self.assertRaises(AssertionError, msg=answer):
                model.check(lines[3:], answer)
        with self.assertRaises(AssertionError):
            model.check(lines[:1], taken(1, 0))  # a duplicate


class Chaos(unittest.TestCase):
    def test_nothing_is_lost_and_nothing_counts_twice(self):
        chance = random.Random(31)
        with cluster(databases=2, standby=True, shards=8, lease_ms=LEASE_MS) as it:
            ahead = ("env", f"LD_PRELOAD={postgres.FAKETIME}", "FAKETIME=+3600s", "DONT_FAKE_MONOTONIC=1")
            self.wrappers = {}
            members = []
            for wrapper in ((), (), ahead):
                members.append(it.add("--checkpoint-bytes", "65536", port=harness.free_port(), wrapper=wrapper))
                self.wrappers[members[-1]] = wrapper
            it.wait_for_owners(*members)
            plan = members[0].create("chaos", periods=16)["plan"]
            members[1].advance("chaos", 16)
            senders = [Sender(members, plan, seed) for seed in range(3)]
            strangers = Strangers(members, 77)
            for thread in (*senders, strangers):
                thread.start()
            try:
                faults = self.attack(it, members, senders, chance)
            finally:
                for thread in (*senders, strangers):
                    thread.over.set()
            for thread in (*senders, strangers):
                thread.join()
            for sender in senders:
                if sender.failure:
                    raise sender.failure
            times = sorted(took for sender in senders for took in sender.times)
            print(f"an answer took {times[len(times) // 2]:.3f} s in the median, {times[len(times) * 99 // 100]:.3f} s at the 99th percentile")
            devices = [device for sender in senders for device in sender.devices]
            print(f"{faults}; {sum(sender.acknowledged for sender in senders)} lines of {len(devices)} devices", flush=True)
            for fault in ("kill", "pause", "fail_over"):
                self.assertGreater(faults[fault], 0, fault)
            for member in members:
                it.wait_for_sums(member, "chaos", Sums(plan, devices))
            # New collectors also read everything from the logs.
            for member in members:
                self.assertEqual(member.stop(), 0, member.said)
            fresh = it.add()
            it.wait_for_owners(fresh)
            it.wait_for_sums(fresh, "chaos", Sums(plan, devices))
            lines = [line for device in devices for line in device.lines(chance)]
            totals = send_until_taken(fresh, "chaos", [lines[i:i + 2000] for i in range(0, len(lines), 2000)], chance,
                                      stop_after=600)
            self.assertEqual((totals["accepted"], totals["duplicates"], totals["rejected"]), (0, len(lines), 0))

    def attack(self, it, members, senders, chance):
        faults = {"kill": 0, "pause": 0, "fail_over": 0}
        kinds = ["kill", "pause", "fail_over"]
        began = time.monotonic()
        while time.monotonic() - began < SECONDS or 0 in faults.values():
            kind = kinds[sum(faults.values()) % 3] if 0 in faults.values() else chance.choice(kinds)
            victim = chance.choice(members)
            before = sum(sender.acknowledged for sender in senders)
            if kind == "kill":
                victim.kill()
                time.sleep(chance.uniform(0, 1))
                victim.start(timeout=120, wrapper=self.wrappers[victim])
            elif kind == "pause":
                os.kill(victim.process.pid, signal.SIGSTOP)
                others = [member for member in members if member is not victim]
                wait_until(lambda: victim.address not in it.owners(), 120)
                it.wait_for_owners(*others)
                os.kill(victim.process.pid, signal.SIGCONT)
            else:
                group = chance.choice(it.groups)
                group.fail_over()
                group.ports = [group.primary.port]
                # The operator gives the collectors the address of the new standby, one after the other.
                group.add_standby()
                group.ports = [group.primary.port, group.standby.port]
                it.write_file(it.file)
                for member in members:
                    self.assertEqual(member.stop(), 0, member.said)
                    member.start(timeout=120, wrapper=self.wrappers[member])
            faults[kind] += 1
            # New reports are accepted before the next fault.
            wait_until(lambda: sum(sender.acknowledged for sender in senders) > before + 100
                       or any(sender.failure for sender in senders), 120)
        return faults


if __name__ == "__main__":
    harness.COMMAND = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
