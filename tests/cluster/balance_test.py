"""A cluster behind a plain TCP load balancer, and a rolling restart of it: usage: balance_test.py FUTURERAND [unittest arguments]"""
import json
import pathlib
import random
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import harness
from devices import Device, Sums
from balancer import balancer
from clusters import cluster


class Sender(threading.Thread):
    """Devices that send all their lines. Each request uses a new connection and is repeated until it is accepted."""

    def __init__(self, front, name, plan, seed):
        super().__init__()
        self.front, self.name_, self.plan, self.chance = front, name, plan, random.Random(seed)
        self.over, self.devices, self.failure = threading.Event(), [], None
        self.requests = self.refused = 0
        self.longest = 0.0  # seconds from a request's first attempt to its acceptance

    def attempt(self, body):
        connection = self.front.connect(timeout=20)
        try:
            connection.request("POST", f"/v1/metrics/{self.name_}/reports", body=body)
            response = connection.getresponse()
            answer = json.loads(response.read())
            assert response.status in (200, 429, 503), (response.status, answer)
            assert response.status != 200 or answer["rejected"] == 0, answer
            return response.status == 200
        except (OSError, harness.http.client.HTTPException, ValueError):
            return False
        finally:
            connection.close()

    def run(self):
        try:
            while not self.over.is_set():
                devices = [Device(self.plan, self.chance, self.chance.randint(1, 16)) for _ in range(10)]
                self.devices += devices
                body = "\n".join(line for device in devices for line in device.lines(self.chance))
                began = time.monotonic()
                while not self.attempt(body):
                    self.refused += 1
                    time.sleep(0.05)
                self.requests += 1
                self.longest = max(self.longest, time.monotonic() - began)
        except BaseException as failure:  # reported by the test
            self.failure = failure


class Balance(unittest.TestCase):
    def test_no_sticky_sessions_and_a_rolling_restart(self):
        """Retries cover every failure during a rolling restart."""
        with cluster(shards=8, lease_ms=3000) as it:
            members = [it.add(port=harness.free_port()) for _ in range(3)]
            it.wait_for_owners(*members)
            with balancer(members) as front:
                plan = members[0].create("rolling", periods=16)["plan"]
                members[1].advance("rolling", 16)
                senders = [Sender(front, "rolling", plan, seed) for seed in range(3)]
                for sender in senders:
                    sender.start()
                for member in members:
                    self.assertEqual(member.stop(), 0, member.said)
                    member.start(timeout=120)
                    it.wait_for_owners(*members)
                for sender in senders:
                    sender.over.set()
                for sender in senders:
                    sender.join()
                    if sender.failure:
                        raise sender.failure
                requests, refused = (sum(getattr(sender, what) for sender in senders) for what in ("requests", "refused"))
                longest = max(sender.longest for sender in senders)
                print(f"{requests} requests, {refused} attempts failed, the longest request took {longest:.1f} s "
                      "with its retries", flush=True)
                # A second or two on an idle machine. A takeover must not wait for a lease: 3 s per member.
                self.assertLess(longest, 30)
                self.assertGreater(min(front.taken.values()), 0)
                devices = [device for sender in senders for device in sender.devices]
                for member in members:
                    it.wait_for_sums(member, "rolling", Sums(plan, devices))

    def test_a_fleet_through_the_balancer(self):
        """`swarm` reads the sums through the balancer and checks them, or it spreads its devices itself."""
        with cluster(shards=4) as it:
            members = [it.add() for _ in range(2)]
            it.wait_for_owners(*members)

            def swarm(to, name):
                done = subprocess.run(
                    [harness.COMMAND, "swarm", "--to", to, "--metric", name, "--create",
                     "--admin-token-file", members[0].folder / "token", "--devices", "2000", "--periods", "16",
                     "--connections", "4"], capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)

            with balancer(members) as front:
                swarm(f"http://127.0.0.1:{front.port}", "fleet")
                self.assertGreater(min(front.taken.values()), 0)
            with balancer(members[:1]) as one, balancer(members[1:]) as other:
                swarm(f"http://127.0.0.1:{one.port},http://127.0.0.1:{other.port}", "spread")
                for front in (one, other):
                    self.assertGreater(min(front.taken.values()), 0)


if __name__ == "__main__":
    harness.COMMAND = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
