"""A cluster under attack: usage: chaos_test.py FUTURERAND [unittest arguments]

Three collectors over two databases, each with a synchronous standby. Every few seconds one collector is killed, or stopped
for longer than its lease and continued, or a primary is lost and its standby promoted. One minute, or ten with --long.
"""
import os
import pathlib
import random
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import harness
from clusters import cluster
from devices import Device, Sums, send_until_taken
from harness import LONG, wait_until

import threading

LEASE_MS = 2000
SECONDS = 600 if LONG else 50


class Anyone:
    """Calls whichever collector is there, as a load balancer without sticky sessions would."""

    def __init__(self, members, chance):
        self.members, self.chance = members, chance

    def connect(self, timeout):
        return self.chance.choice(self.members).connect(timeout)


class Sender(threading.Thread):
    """Devices that are born, and send all they ever send, until the time is over."""

    def __init__(self, members, plan, seed):
        super().__init__()
        self.members, self.plan, self.chance = members, plan, random.Random(seed)
        self.devices, self.failure, self.over = [], None, threading.Event()
        self.acknowledged = 0

    def run(self):
        try:
            while not self.over.is_set():
                devices = [Device(self.plan, self.chance, self.chance.randint(1, 16)) for _ in range(20)]
                lines = [line for device in devices for line in device.lines(self.chance)]
                batches = [lines[i:i + 40] for i in range(0, len(lines), 40)]
                # Each attempt goes to another collector; a part that is durable already counts once.
                self.devices += devices
                for batch in batches:
                    it = Anyone(self.members, self.chance)
                    send_until_taken(it, "chaos", [batch], self.chance, stop_after=600, duplicates=0.1)
                    self.acknowledged += len(batch)
        except BaseException as failure:  # told by the test
            self.failure = failure


class Chaos(unittest.TestCase):
    def test_nothing_is_lost_and_nothing_counts_twice(self):
        chance = random.Random(31)
        with cluster(databases=2, standby=True, shards=8, lease_ms=LEASE_MS) as it:
            members = [it.add("--checkpoint-bytes", "65536", port=harness.free_port()) for _ in range(3)]
            it.wait_for_owners(*members)
            plan = members[0].create("chaos", periods=16)["plan"]
            members[1].advance("chaos", 16)
            senders = [Sender(members, plan, seed) for seed in range(3)]
            for sender in senders:
                sender.start()
            faults = self.attack(it, members, senders, chance)
            for sender in senders:
                sender.over.set()
            for sender in senders:
                sender.join()
                if sender.failure:
                    raise sender.failure
            devices = [device for sender in senders for device in sender.devices]
            print(f"{faults}; {sum(sender.acknowledged for sender in senders)} lines of {len(devices)} devices", flush=True)
            for fault in ("kill", "pause", "fail_over"):
                self.assertGreater(faults[fault], 0, fault)
            for member in members:
                it.wait_for_sums(member, "chaos", Sums(plan, devices))
            # The logs themselves are read as well, by collectors that never saw any of it.
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
                victim.start(timeout=120)
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
                # The operator tells the collectors where the new standby is, one after the other.
                group.add_standby()
                group.ports = [group.primary.port, group.standby.port]
                it.write_file(it.file)
                for member in members:
                    self.assertEqual(member.stop(), 0, member.said)
                    member.start(timeout=120)
            faults[kind] += 1
            # It goes on: something new is taken before the next blow.
            wait_until(lambda: sum(sender.acknowledged for sender in senders) > before + 100
                       or any(sender.failure for sender in senders), 120)
        return faults


if __name__ == "__main__":
    harness.COMMAND = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
