"""All attacks of untrusted clients at once, beside a healthy fleet: usage: adversary_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE

For ten seconds, and a minute with FUTURERAND_LONG=1: then the fleet's slowest answers are checked too.
"""
import gzip
import http.client
import random
import socket
import sys
import threading
import time
import unittest

import harness
from devices import Device, Sums
from harness import LONG, collector

SECONDS = 60 if LONG else 10


class Adversary:
    """Threads with one attack each, until they are stopped. Their answers do not matter."""

    def __init__(self, it):
        self.it, self.stop, self.done = it, threading.Event(), {}
        self.threads = [threading.Thread(target=self.run, args=(deed,)) for deed in
                        (self.bombs, self.bad_lines, self.announcers, self.slow_readers, self.dead_streams, self.fakes,
                         self.smugglers, self.pages, self.long_lines)]
        for thread in self.threads:
            thread.start()

    def run(self, deed):
        while not self.stop.is_set():
            try:
                deed()
            except (OSError, http.client.HTTPException, ValueError):
                pass
            self.done[deed.__name__] = self.done.get(deed.__name__, 0) + 1
            time.sleep(0.01)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def send(self, body, address="203.0.113.1", **headers):
        return self.it.call("POST", "/v1/metrics/m/reports", body, timeout=20,
                            headers={"X-Forwarded-For": address, **headers})

    BOMB = gzip.compress(b"x\n" * (4 << 20))
    BAD = b"{}\n" * 700_000
    LONG_LINE = b'{"client":"%032x","index":1,"signs":"' % 5 + b"+" * 300_000 + b'"}'

    def bombs(self):
        self.send(self.BOMB, **{"Content-Encoding": "gzip"})

    def bad_lines(self):
        self.send(self.BAD)

    def held(self, request, count, seconds):
        connections = []
        try:
            for _ in range(count):
                connection = socket.socket()
                connections.append(connection)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.settimeout(5)
                connection.connect(("127.0.0.1", self.it.port))
                connection.sendall(request)
            self.stop.wait(seconds)
        finally:
            for connection in connections:
                connection.close()

    def announcers(self):
        self.held(b"POST /v1/metrics/m/reports HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n" + b"x" * 1000, 64, 3)

    def slow_readers(self):
        self.held(b"GET /v1/metrics/long/sums HTTP/1.1\r\nHost: x\r\n\r\n", 16, 3)

    def dead_streams(self):
        self.held(b"GET /v1/metrics/m/events HTTP/1.1\r\nHost: x\r\n\r\n", 64, 3)

    def fakes(self):
        chance = random.Random()
        lines = ['{"client":"%032x","view":0,"period":1}' % chance.getrandbits(128) for _ in range(3000)]
        self.send("\n".join(lines), address="198.51.100.%d" % chance.randrange(4))

    def smugglers(self):
        self.held(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\nGET / HTTP/1.1\r\n\r\n", 4, 0.1)

    def pages(self):
        self.send(b"x", Origin="https://evil.test")

    def long_lines(self):
        self.send(self.LONG_LINE)


class Together(unittest.TestCase):
    def test_a_fleet_among_strangers(self):
        with collector("--trusted-proxy", "127.0.0.1", "--enrolments-per-hour", "20000", "--lines-per-second", "5000",
                       "--max-bodies-mib", "64", "--max-streams", "32") as it:
            it.start()
            plan = it.create("m", periods=8)["plan"]
            it.create("long", periods=1 << 16)
            it.advance("m", 8)
            devices, times = [], []
            lock = threading.Lock()
            adversary = Adversary(it)
            end = time.monotonic() + SECONDS
            failures = []

            def fleet(seed):
                mine = random.Random(seed)
                try:
                    while time.monotonic() < end:
                        # Their own metric, to keep fake devices out of its sums.
                        some = [Device(plan, mine) for _ in range(5)]
                        body = "\n".join(line for device in some for line in device.lines(mine))
                        while True:
                            begin = time.monotonic()
                            try:
                                status = it.call("POST", "/v1/metrics/fleet/reports", body, timeout=120)[0]
                            except (OSError, http.client.HTTPException):
                                status = 503  # devices try again
                            took = time.monotonic() - begin
                            if status == 200:
                                break
                            self.assertIn(status, (429, 503))
                            time.sleep(0.1)
                        with lock:
                            devices.extend(some)
                            times.append(took)
                        time.sleep(mine.uniform(0, 0.1))
                except BaseException as failure:  # reported below
                    failures.append(failure)

            plan = it.create("fleet", periods=8)["plan"]
            it.advance("fleet", 8)
            threads = [threading.Thread(target=fleet, args=(seed,)) for seed in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            adversary.end()
            self.assertFalse(failures, failures[:1])
            self.assertEqual(len(adversary.done), 9, "every stranger has done something")
            Sums(plan, devices).check(self, it.get("/v1/metrics/fleet/sums"))
            times.sort()
            print(f"{len(times)} requests of the fleet: median {1e3 * times[len(times) // 2]:.0f} ms, "
                  f"p99 {1e3 * times[len(times) * 99 // 100]:.0f} ms, slowest {1e3 * times[-1]:.0f} ms; "
                  f"strangers: {adversary.done}; memory at most {it.peak_bytes() >> 20} MiB")
            if LONG:
                self.assertLess(times[len(times) * 99 // 100], 1)
            self.assertLess(times[len(times) // 2], 10)
            self.assertGreater(len(times), 3)
            it.kill()
            it.start()
            Sums(plan, devices).check(self, it.get("/v1/metrics/fleet/sums"))


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
