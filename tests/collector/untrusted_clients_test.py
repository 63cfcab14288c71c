"""What untrusted clients can cost: usage: untrusted_clients_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import contextlib
import gzip
import http.client
import itertools
import json
import pathlib
import random
import socket
import sys
import threading
import time
import unittest

import harness
from harness import collector, wait_until

PACKED = {"Content-Encoding": "gzip"}


def from_address(address):
    return {"X-Forwarded-For": address}


def enrolments(first, count):
    return ['{"client":"%032x","view":0,"period":1}' % number for number in range(first, first + count)]


def begin_post(it, length, sent=b"", name="m", address="127.0.0.1", encoding=""):
    """Returns a connection that announced a body of this length, and sent some of it."""
    connection = socket.create_connection(("127.0.0.1", it.port), 60, source_address=(address, 0))
    encoding = f"Content-Encoding: {encoding}\r\n" if encoding else ""
    connection.sendall(f"POST /v1/metrics/{name}/reports HTTP/1.1\r\nHost: x\r\n{encoding}Content-Length: {length}\r\n\r\n".encode() + sent)
    return connection


class Work(unittest.TestCase):
    """Work and memory are bounded by what came over the wire."""

    def test_packed_bad_lines(self):
        bodies = [gzip.compress(line * ((8 << 20) // len(line))) for line in
                  (b"x\n", b"{}\n", b'{"client":1}\n', b'{"client":"%032d","index":1,"signs":"+"}\n' % 7)]
        with collector() as it:
            it.start()
            it.create("m", protocol="optimal")
            it.post("m", enrolments(0, 10))
            before = it.cpu_seconds()
            for body in bodies * 5:
                self.assertLess(len(body), 40_000)
                status, answer, _ = it.call("POST", "/v1/metrics/m/reports", body, headers=PACKED, timeout=120)
                self.assertEqual((status, answer["error"]["code"]), (413, "too_large"))
            # One of them took four seconds of CPU and half a GiB.
            self.assertLess(it.cpu_seconds() - before, 8)
            self.assertLess(it.peak_bytes(), 300 << 20)
            self.assertEqual(it.metric('futurerand_refused_total{reason="expansion"}'), 20)
            self.assertEqual(it.post("m", enrolments(10, 10))[0], 200)

    def test_reports_of_one_device_may_be_packed(self):
        with collector() as it:
            it.start()
            it.create("m", periods=4096, protocol="optimal")
            it.advance("m", 1)
            lines = ['{"client":"%032x","index":%d,"signs":"%s"}' % (5, 1 + i, random.Random(i).choice("+-")) for i in range(4000)]
            packed = gzip.compress("\n".join(lines).encode())
            self.assertEqual(it.call("POST", "/v1/metrics/m/reports", packed, headers=PACKED)[0], 200)

    def test_after_many_bad_lines_nothing_more_is_read(self):
        with collector() as it:
            it.start()
            it.create("m", protocol="optimal")
            status, answer, _ = it.post("m", [*enrolments(0, 5), *["x"] * 1000])
            self.assertEqual((status, answer["accepted"], answer["rejected"]), (200, 5, 1000))
            self.assertEqual(len(answer["errors"]), 1000)
            before = it.cpu_seconds()
            for body in (b"x\n" * (3 << 20), b"{}\n" * (2 << 20), b"\xff\n" * (3 << 20)):
                status, answer, _ = it.call("POST", "/v1/metrics/m/reports", b"\n".join(line.encode() for line in enrolments(5, 5)) + b"\n" + body, timeout=120)
                self.assertEqual((status, answer["error"]["code"]), (400, "too_many_bad_lines"))
                self.assertIn("number 1005", answer["error"]["message"])
            self.assertLess(it.cpu_seconds() - before, 5)
            self.assertEqual(it.get("/v1/metrics/m")["devices"], 5)

    def test_lines_of_strangers_are_counted_and_not_all_listed(self):
        with collector() as it:
            it.start()
            it.create("m", protocol="optimal")
            unknown = ['{"client":"%032x","index":1,"signs":"+"}' % number for number in range(60_000)]
            status, answer, _ = it.post("m", unknown, timeout=120)
            self.assertEqual((status, answer["rejected"], len(answer["errors"]), answer["errors_not_shown"]), (200, 60_000, 1000, 59_000))

    def test_a_line_that_is_too_long_is_told_what_is_expected(self):
        with collector() as it:
            it.start()
            plan = it.create("m", periods=1 << 17, protocol="optimal")["plan"]
            view = next(number for number, view in enumerate(plan["views"]) if view["order"] == 0)
            it.advance("m", 3)
            client = "%032x" % 77
            lines = ['{"client":"%s","view":%d,"period":1}' % (client, view), '{"client":"%s","index":1,"signs":"+"}' % client,
                     '{"client":"%s","index":1,"signs":"%s"}' % (client, "+" * 70_000), "x" * 70_000]
            status, answer, _ = it.post("m", lines)
            self.assertEqual((status, answer["accepted"], answer["rejected"]), (200, 2, 2))
            self.assertEqual([(error["line"], error["reason"], error.get("expected")) for error in answer["errors"]],
                             [(3, "too_long", 2), (4, "too_long", None)])
            self.assertIn("65536", answer["errors"][0]["message"])


class Floods(unittest.TestCase):
    """One address asks for all the work it can get; reports of others hardly wait for it."""

    @contextlib.contextmanager
    def flood(self, it, connections, ask):
        """Keeps so many connections from 127.0.0.9 asking."""
        over, answers = threading.Event(), []

        def keep_asking():
            while not over.is_set():
                with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(http.client.HTTPConnection(
                        "127.0.0.1", it.port, timeout=60, source_address=("127.0.0.9", 0))) as connection:
                    ask(connection)
                    answers.append(connection.getresponse().status)

        threads = [threading.Thread(target=keep_asking) for _ in range(connections)]
        for thread in threads:
            thread.start()
        try:
            yield answers
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def median(self, it, post, times=9):
        """Returns the median time that a report of 127.0.0.1 takes."""
        took = []
        for number in range(times):
            begin = time.monotonic()
            self.assertEqual(post(number)[0], 200)
            took.append(time.monotonic() - begin)
        return sorted(took)[times // 2]

    def test_plans(self):
        with collector() as it:
            it.start()
            it.create("m", protocol="optimal")
            users = itertools.count(1_000_000)
            ask = lambda connection: connection.request("GET", f"/v1/plan?users={next(users)}&periods=65536&changes=64&epsilon=1")
            with self.flood(it, 4, ask) as answers:
                wait_until(lambda: answers)
                took = self.median(it, lambda number: it.post("m", enrolments(number, 1)))
                self.assertLess(took, 0.7)
            self.assertLessEqual(set(answers), {200, 429})
            # A repeated question need not wait.
            query = "/v1/plan?users=77&periods=65536&changes=64&epsilon=1"
            first = it.get(query)
            begin = it.cpu_seconds()
            for _ in range(50):
                self.assertEqual(it.get(query), first)
            self.assertLess(it.cpu_seconds() - begin, 0.5)

    def test_plans_that_wait_do_not_keep_it_from_ending(self):
        with collector() as it, contextlib.ExitStack() as opened:
            it.start()
            begin = time.monotonic()
            it.get("/v1/plan?users=5&periods=65536&changes=64&epsilon=1")
            one = time.monotonic() - begin
            for number in range(240):
                connection = http.client.HTTPConnection("127.0.0.1", it.port, timeout=60,
                                                        source_address=(f"127.0.0.{10 + number // 8}", 0))
                opened.callback(connection.close)
                connection.request("GET", f"/v1/plan?users={1_000_000 + number}&periods=65536&changes=64&epsilon=1")
            begin = time.monotonic()
            self.assertEqual(it.stop(), 0)
            self.assertLess(time.monotonic() - begin, 20 + 3 * one)

    def test_deep_json(self):
        """A packed body of nested arrays is not made a tree; large bodies of others are read in turns with it."""
        chance = random.Random(4)
        lines = ('{"client":' + "".join(chance.choices(("[", '{"":', "[0,"), k=20_000)) for _ in range(139))
        body = gzip.compress("\n".join(lines).encode())
        self.assertLess(len(body), 1_000_000)
        with collector() as it:
            it.start()
            it.create("m", protocol="optimal")
            begin = it.cpu_seconds()
            status, answer, _ = it.call("POST", "/v1/metrics/m/reports", body, headers=PACKED, timeout=120)
            self.assertEqual((status, answer["rejected"]), (200, 139))
            self.assertLess(it.cpu_seconds() - begin, 0.25)
            ask = lambda connection: connection.request("POST", "/v1/metrics/m/reports", body, PACKED)
            with self.flood(it, 8, ask) as answers:
                wait_until(lambda: answers)
                large = [gzip.compress("\n".join(enrolments(1_000 * number, 1_000)).encode()) for number in range(9)]
                post = lambda number: it.call("POST", "/v1/metrics/m/reports", large[number], headers=PACKED)
                self.assertLess(self.median(it, post), 3)
            self.assertEqual(set(answers), {200})

    def test_bodies_that_wait_to_be_read(self):
        """One address sends more than can be read, plain or packed. Few of its bodies wait, and large ones of others take turns with them."""
        chance = random.Random(8)
        lines = ('{"client":"%032x","index":1,"signs":"+"}' % chance.getrandbits(128) for _ in range(100_000))
        plain = "\n".join(lines).encode()
        self.assertGreater(len(plain), 6 << 20)
        for packed in (False, True):
            body, headers = (gzip.compress(plain, 1), PACKED) if packed else (plain, {})
            with self.subTest(packed=packed), collector("--max-body-bytes", str(8 << 20)) as it:
                it.start()
                it.create("m", protocol="optimal")
                ask = lambda connection: connection.request("POST", "/v1/metrics/m/reports", body, headers)
                with self.flood(it, 24, ask) as answers:
                    wait_until(lambda: 429 in answers and 200 in answers, seconds=120)
                    large = ["\n".join(enrolments(10_000 * number, 10_000)).encode() for number in range(5)]
                    if packed:
                        large = [gzip.compress(text) for text in large]
                    post = lambda number: it.call("POST", "/v1/metrics/m/reports", large[number], headers=headers, timeout=60)
                    self.assertLess(self.median(it, post, times=5), 5)
                self.assertLessEqual(set(answers), {200, 429})
                self.assertEqual(it.get("/v1/metrics/m")["devices"], 50_000)


class SilentConnections(unittest.TestCase):
    def test_they_make_room_and_leave_descriptors_to_the_log(self):
        """The process may open 1,024 files. 1,100 silent sockets of one address shut everyone out for a minute, and the log too."""
        with collector("--checkpoint-bytes", "4096") as it:
            it.start(wrapper=("prlimit", "--nofile=1024:1024"))
            it.create("m", protocol="optimal")
            held = [socket.create_connection(("127.0.0.1", it.port), 60, source_address=("127.0.0.9", 0)) for _ in range(1100)]
            for connection in held[::3]:
                with contextlib.suppress(OSError):  # it may have been closed already
                    connection.sendall(b"GET / HT")
            begin = time.monotonic()
            for number in range(40):
                status, answer = it.post("m", enrolments(100 * number, 100))[:2]
                self.assertEqual(status, 200, answer)
            self.assertLess(time.monotonic() - begin, 8)
            wait_until(lambda: list(it.data.glob("checkpoint-*")))
            self.assertFalse([line for line in it.said if "no checkpoint" in line], it.said)
            self.assertLess(len(list(pathlib.Path(f"/proc/{it.process.pid}/fd").iterdir())), 1024 - 100)
            for connection in held:
                connection.close()
            self.assertEqual(it.get("/v1/metrics/m")["devices"], 4000)

    def test_one_address_has_its_share(self):
        with collector("--max-connections-of-address", "10") as it:
            it.start()
            held = [socket.create_connection(("127.0.0.1", it.port), 60, source_address=("127.0.0.9", 0)) for _ in range(40)]
            wait_until(lambda: it.metric("futurerand_connections") <= 11)
            # The last ones are still open.
            held[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertIn(b"200 OK", held[-1].recv(4096))
            for connection in held:
                connection.close()


class Bodies(unittest.TestCase):
    def test_what_is_announced_takes_no_room(self):
        with collector("--max-bodies-mib", "4") as it:
            it.start()
            it.create("m", protocol="optimal")
            held = [begin_post(it, 8 << 20, b"x") for _ in range(40)]
            status, answer, _ = it.post("m", enrolments(0, 20_000))
            self.assertEqual((status, answer["accepted"]), (200, 20_000))
            for connection in held:
                connection.close()

    def test_large_ones_leave_room_for_small_ones(self):
        with collector("--max-bodies-mib", "1") as it:
            it.start()
            it.create("m", protocol="optimal")
            held, answered, pause = [], [], 0.05

            def crowded():
                """One large body is under way. Whichever of two comes later is refused: it must be the second."""
                nonlocal pause
                for connection in held:
                    connection.close()
                held[:] = [begin_post(it, 1_000_000, b"x" * 700_000)]
                time.sleep(pause)  # the kernel takes it at once, the collector a little later
                pause *= 2
                answered[:] = it.call("POST", "/v1/metrics/m/reports", b"z" * 200_000)
                small = it.post("m", enrolments(0, 500))[0]
                return answered[0] == 429 and small == 200

            wait_until(crowded)
            self.assertEqual(answered[1]["error"]["code"], "busy")
            self.assertIn("Retry-After", answered[2])
            held[0].close()
            wait_until(lambda: it.call("POST", "/v1/metrics/m/reports", "\n".join(enrolments(0, 4000)))[0] == 200)

    def test_those_of_one_address_leave_room_for_those_of_others(self):
        """One address sends most of many large bodies and then waits, plain or packed. It may hold a quarter of the memory."""
        for encoding in ("", "gzip"):
            with self.subTest(encoding=encoding), collector("--max-bodies-mib", "8", "--body-timeout-ms", "100000") as it:
                it.start()
                it.create("m", protocol="optimal")
                held = []
                for _ in range(20):
                    held.append(begin_post(it, 1 << 20, address="127.0.0.9", encoding=encoding))
                    with contextlib.suppress(OSError):  # it may have been refused already
                        held[-1].sendall(b"x" * 1_000_000)
                refused = {}

                def most_are_refused():
                    for number, connection in enumerate(held):
                        connection.settimeout(0.01)
                        try:
                            refused.setdefault(number, connection.recv(4096))
                        except TimeoutError:
                            continue
                        except OSError:  # it was closed while this end still sent
                            refused.setdefault(number, b"")
                    return len(refused) >= 18

                wait_until(most_are_refused)
                answers = [answer for answer in refused.values() if answer]
                self.assertTrue(answers)
                for answer in answers:
                    self.assertEqual(answer[:12], b"HTTP/1.1 429")
                    self.assertIn(b"Retry-After", answer)
                for number in range(3):
                    lines = enrolments(20_000 * number, 20_000)
                    body = "\n".join(lines).encode()
                    status, answer, _ = it.call("POST", "/v1/metrics/m/reports", gzip.compress(body) if encoding else body,
                                                headers=PACKED if encoding else None)
                    self.assertEqual((status, answer.get("accepted")), (200, 20_000), answer)
                for connection in held:
                    connection.close()

    def test_a_body_must_come_on(self):
        with collector("--body-timeout-ms", "1000") as it:
            it.start()
            connection = begin_post(it, 1_000_000)
            connection.settimeout(0.05)
            deadline = time.monotonic() + 60
            while True:
                self.assertLess(time.monotonic(), deadline, "it is still waited for")
                try:
                    connection.sendall(b"x")
                    self.assertEqual(connection.recv(4096)[:12], b"HTTP/1.1 408")
                    break
                except TimeoutError:
                    pass
                except OSError:
                    break  # closed
            connection.close()


class Readers(unittest.TestCase):
    def test_who_does_not_read_a_large_answer_is_dropped(self):
        with collector("--body-timeout-ms", "3000") as it:  # which is also how long a reader may take
            it.start()
            it.create("m", periods=1 << 16)
            size = len(it.call("GET", "/v1/metrics/m/sums")[1]["views"][0]["sums"])
            self.assertGreater(size, 1000)
            held = []
            for _ in range(8):
                connection = socket.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", it.port))
                connection.sendall(b"GET /v1/metrics/m/sums HTTP/1.1\r\nHost: x\r\n\r\n" * 4)
                held.append(connection)
            wait_until(lambda: it.metric("futurerand_connections") == 1)
            for connection in held:
                connection.close()

    def test_streams_are_few_and_end(self):
        with collector("--max-streams", "3") as it:
            it.start()
            it.create("m", periods=4096)
            held = []
            for _ in range(3):
                connection = it.connect()
                connection.request("GET", "/v1/metrics/m/events")
                self.assertEqual(connection.getresponse().status, 200)
                held.append(connection)
            status, answer, headers = it.call("GET", "/v1/metrics/m/events")
            self.assertEqual((status, answer["error"]["code"]), (503, "streams"))
            self.assertIn("Retry-After", headers)
            self.assertEqual(it.metric("futurerand_streams"), 3)
            for connection in held:
                connection.close()

            def are_gone():
                it.advance("m")  # they are written to, which shows it
                return it.metric("futurerand_streams") == 0

            wait_until(are_gone)

    @unittest.skipUnless(harness.LONG, "a minute until the buffers of both kernels are full")
    def test_a_stream_that_stays_open_and_is_never_read_ends(self):
        with collector("--body-timeout-ms", "3000") as it:
            it.start()
            it.create("m", periods=4096)
            with socket.socket() as held:
                held.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2304)
                held.connect(("127.0.0.1", it.port))
                held.sendall(b"GET /v1/metrics/m/events HTTP/1.1\r\nHost: x\r\n\r\n")
                wait_until(lambda: it.metric("futurerand_streams") == 1)

                def is_gone():
                    it.advance("m")
                    time.sleep(0.1)
                    return it.metric("futurerand_streams") == 0

                wait_until(is_gone, 300)


class Devices(unittest.TestCase):
    def test_no_more_than_the_definition_says(self):
        with collector() as it:
            it.start()
            it.create("m", protocol="optimal", max_devices=100)
            status, answer, _ = it.post("m", enrolments(0, 150))
            self.assertEqual((status, answer["accepted"], answer["rejected"]), (200, 100, 50))
            self.assertEqual(answer["errors"][0], {"line": 101, "reason": "too_many_devices"})
            it.kill()
            it.start()
            self.assertEqual(it.post("m", enrolments(0, 100))[1]["duplicates"], 100)
            self.assertEqual(it.post("m", enrolments(100, 1))[1]["rejected"], 1)

    def test_rates_of_an_address(self):
        with collector("--trusted-proxy", "127.0.0.1/32", "--enrolments-per-hour", "1000", "--lines-per-second", "500") as it:
            it.start()
            it.create("m", protocol="optimal")
            one, other = from_address("192.0.2.1"), from_address("203.0.113.5, 198.51.100.7")
            self.assertEqual(it.post("m", enrolments(0, 1500), headers=one)[0], 200)
            status, answer, headers = it.post("m", enrolments(1500, 1), headers=one)
            self.assertEqual((status, answer["error"]["code"]), (429, "rate"))
            self.assertIn("Retry-After", headers)
            # A forged address in front of the real one has no effect.
            self.assertEqual(it.post("m", enrolments(1500, 1), headers=from_address("8.8.8.8, 192.0.2.1"))[0], 429)
            request = b"POST /v1/metrics/m/reports HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 8.8.8.8\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n"
            line = enrolments(1500, 1)[0].encode()
            self.assertTrue(it.raw(request + b"Content-Length: %d\r\n\r\n" % len(line) + line).startswith(b"HTTP/1.1 429"))
            self.assertEqual(it.post("m", enrolments(1500, 10), headers=other)[0], 200)
            self.assertEqual(it.post("m", enrolments(1510, 2000))[0], 200)  # the operator himself
            lines = ['{"client":"%032x","index":1,"signs":"+"}' % 1] * 20_000
            self.assertEqual(it.post("m", lines, headers=one)[0], 200)
            self.assertEqual(it.post("m", lines[:1], headers=one)[0], 429)
            self.assertEqual(it.metric('futurerand_refused_total{reason="enrolment_rate"}'), 3)
            self.assertEqual(it.metric('futurerand_refused_total{reason="line_rate"}'), 1)

    def test_a_ceiling_of_memory(self):
        with collector("--max-state-mib", "8") as it:
            it.start()
            it.create("m", protocol="optimal")
            it.advance("m", 2)
            sent = 0
            while sent < 2_000_000:
                status, answer, headers = it.post("m", enrolments(sent, 20_000), timeout=120)
                if status != 200:
                    break
                sent += 20_000
            self.assertEqual((status, answer["error"]["code"]), (429, "no_memory"))
            self.assertIn("Retry-After", headers)
            self.assertLess(it.metric("futurerand_state_bytes"), 12 << 20)
            self.assertGreater(it.metric("futurerand_refused_memory_total"), 0)
            status, answer, _ = it.post("m", ['{"client":"%032x","index":1,"signs":"+"}' % 3])
            self.assertEqual((status, answer["accepted"]), (200, 1))


class Smuggling(unittest.TestCase):
    def test_only_one_way_to_read_a_request(self):
        with collector() as it:
            it.start()
            inner = b"GET /v1/metrics HTTP/1.1\r\nHost: x\r\n\r\n"
            for headers in (b"Transfer-Encoding: xchunked", b"Transfer-Encoding: chunked, chunked", b"Transfer-Encoding: gzip, chunked",
                            b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: identity",
                            b"Transfer-Encoding: chunked\r\nContent-Length: 5", b"Transfer-Encoding: ", b"Host: y",
                            b"Content-Length: 1\r\nContent-Length: 2", b"Content-Length: -1", b"Content-Length: 0x1"):
                with self.subTest(headers=headers):
                    answer = it.raw(b"POST /v1/metrics/m/reports HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n\r\n" + inner)
                    self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer)
                    self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
            answer = it.raw(b"POST /v1/metrics/m/reports HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n0\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 404"), answer)
            answer = it.raw(b"POST /v1/metrics/m/reports HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer)

    def test_hosts(self):
        with collector("--host", "collector.test") as it:
            it.start()
            for host, status in (("collector.test", 200), ("COLLECTOR.test:8080", 200), ("evil.test", 421), ("127.0.0.1", 421)):
                self.assertEqual(it.call("GET", "/healthz", headers={"Host": host})[0], status, host)

    def test_pages_of_others(self):
        with collector("--allow-origin", "https://friend.test") as it:
            it.start()
            it.call("PUT", "/v1/metrics/m", json.dumps({"periods": 4, "max_changes": 1, "epsilon": 1, "clock": "manual"}), admin=True)
            path = "/v1/metrics/m/reports"
            for method, target in (("GET", "/v1/metrics"), ("POST", path), ("OPTIONS", path)):
                status, answer, headers = it.call(method, target, headers={"Origin": "https://evil.test", "Access-Control-Request-Method": "POST"})
                self.assertEqual((status, answer["error"]["code"]), (403, "bad_origin"))
                self.assertNotIn("Access-Control-Allow-Origin", headers)
            friend = {"Origin": "https://friend.test"}
            status, _, headers = it.call("OPTIONS", path, headers={**friend, "Access-Control-Request-Method": "POST"})
            self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (204, "https://friend.test"))
            self.assertIn("POST", headers["Access-Control-Allow-Methods"])
            self.assertIn("Content-Encoding", headers["Access-Control-Allow-Headers"])
            status, _, headers = it.call("POST", path, "\n".join(enrolments(0, 1)), headers=friend)
            self.assertEqual((status, headers["Access-Control-Allow-Origin"], headers["Vary"]), (200, "https://friend.test", "Origin"))
            own = f"http://127.0.0.1:{it.port}"
            self.assertEqual(it.call("GET", "/v1/metrics", headers={"Origin": own})[0], 200)
            self.assertEqual(it.metric('futurerand_refused_total{reason="origin"}'), 3)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
