"""The HTTP API of a collector that runs: usage: http_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import gzip
import json
import pathlib
import random
import re
import socket
import subprocess
import sys
import time
import unittest

import harness
from devices import Device, Sums
from harness import collector


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scope = collector("--max-body-bytes", "200000")
        cls.it = cls.scope.__enter__().start()

    @classmethod
    def tearDownClass(cls):
        cls.scope.__exit__(None, None, None)

    def error(self, expected, code, *arguments, **options):
        status, answer, headers = self.it.call(*arguments, **options)
        self.assertEqual((status, answer["error"]["code"]), (expected, code))
        self.assertTrue(answer["error"]["message"])
        return headers

    def test_creating_a_metric(self):
        body = json.dumps({"periods": 8, "max_changes": 1, "epsilon": 0.5, "period_seconds": 60,
                           "start": "2926-01-01T00:00:00Z", "protocol": "optimal"})
        path = "/v1/metrics/created"
        self.error(401, "unauthorized", "PUT", path, body)
        self.error(401, "unauthorized", "PUT", path, body, headers={"Authorization": "Bearer wrong"})
        self.error(400, "bad_metric", "PUT", path, body.replace("2926", "2020"), admin=True)
        self.assertEqual(self.it.call("PUT", path, body, admin=True)[0], 201)
        for words in ("created metric 'created'", "the admin token is missing or wrong"):
            deadline = time.monotonic() + 60  # what it says comes through a pipe
            while not any(words in line for line in self.it.said) and time.monotonic() < deadline:
                time.sleep(0.02)
            self.assertTrue(any(words in line for line in self.it.said), words)
        self.assertEqual(self.it.call("PUT", path, body, admin=True)[0], 200)
        self.error(409, "exists", "PUT", path, body.replace("60", "61"), admin=True)
        metric = self.it.get(path)
        self.assertEqual(metric["plan"]["epsilon"], "0.5")
        self.assertEqual(metric["period_seconds"], 60)
        self.assertEqual(metric["start"], 30168460800)
        self.assertTrue(metric["certificate"]["certified"])
        self.assertIn("created", [m["name"] for m in self.it.get("/v1/metrics")["metrics"]])

    def test_refusing_a_metric(self):
        good = {"periods": 8, "max_changes": 1, "epsilon": "1", "clock": "manual"}
        for key, value in [("periods", 0), ("periods", "8"), ("max_changes", -1), ("epsilon", "1e3"),
                           ("epsilon", 99), ("protocol", "central_tree"), ("clock", "sun"), ("surprise", 1),
                           ("period_seconds", 0), ("start", "yesterday")]:
            with self.subTest(key=key, value=value):
                self.error(400, "bad_metric", "PUT", "/v1/metrics/bad", json.dumps({**good, key: value}), admin=True)
        self.error(400, "bad_metric", "PUT", "/v1/metrics/bad", "{", admin=True)
        self.error(400, "bad_metric", "PUT", "/v1/metrics/a%20b", json.dumps(good), admin=True)
        self.error(400, "bad_metric", "PUT", "/v1/metrics/bad", json.dumps({**good, "clock": "wall"}), admin=True)

    def test_reports_and_estimates(self):
        it, chance = self.it, random.Random(1)
        plan = it.create("flow", periods=16)["plan"]
        devices = [Device(plan, chance) for _ in range(300)]
        lines = [line for device in devices for line in device.lines(chance)]
        status, answer, _ = it.post("flow", lines)
        self.assertEqual(status, 200)
        self.assertEqual(answer["accepted"], 300)  # enrolments; reports are early
        self.assertEqual({error["reason"] for error in answer["errors"]}, {"early", "gap"})
        it.advance("flow", 16)
        status, answer, _ = it.post("flow", lines)
        self.assertEqual((answer["accepted"], answer["duplicates"], answer["rejected"]), (len(lines) - 300, 300, 0))
        status, answer, _ = it.post("flow", lines, headers={"Content-Encoding": "identity"})
        self.assertEqual((answer["accepted"], answer["duplicates"]), (0, len(lines)))
        Sums(plan, devices).check(self, it.get("/v1/metrics/flow/sums"))
        estimates = it.get("/v1/metrics/flow/estimates")
        self.assertEqual([row["period"] for row in estimates["periods"]], list(range(1, 17)))
        for row in estimates["periods"]:
            self.assertEqual(row["reports"], row["expected"])
            self.assertLess(row["lower"], row["estimate"])
            self.assertLess(row["estimate"], row["upper"])
        part = it.get("/v1/metrics/flow/estimates?from=3&to=5&estimator=hindsight&level=0.5&band=simultaneous")
        self.assertEqual([row["period"] for row in part["periods"]], [3, 4, 5])
        status, csv, headers = it.call("GET", "/v1/metrics/flow/estimates", headers={"Accept": "text/csv"})
        self.assertTrue(headers["Content-Type"].startswith("text/csv"))
        rows = csv.decode().splitlines()
        self.assertTrue(rows[0].startswith("period,from,to,estimate,stddev,lower,upper"))
        self.assertEqual(len(rows), 17)
        self.assertAlmostEqual(float(rows[1].split(",")[3]), estimates["periods"][0]["estimate"])
        for query in ["from=0", "to=17", "level=1", "level=x", "estimator=oracle", "band=wide"]:
            self.error(400, "bad_query", "GET", "/v1/metrics/flow/estimates?" + query)

    def test_nothing_is_known_before_the_first_period_is_over(self):
        self.it.create("fresh")
        self.assertEqual(self.it.get("/v1/metrics/fresh/estimates")["periods"], [])
        self.it.advance("fresh")
        row = self.it.get("/v1/metrics/fresh/estimates")["periods"][0]
        self.assertEqual((row["reports"], row["expected"]), (0, 0))
        # Without devices nothing is known, not even a count of 0.
        self.assertEqual([row[key] for key in ("estimate", "stddev", "lower", "upper")], [None] * 4)
        self.assertIn("No device has joined", self.it.get("/v1/metrics/fresh/estimates")["note"])

    def test_bad_lines_are_named_and_the_others_count(self):
        it, chance = self.it, random.Random(2)
        plan = it.create("mixed", periods=4, protocol="optimal")["plan"]
        it.advance("mixed", 4)
        device = Device(plan, chance)
        last = max(device.signs)
        lines = [device.enrolment(), "nonsense", "", device.report(1, 1), '{"client":"%s","index":9,"signs":"+"}' % device.id,
                 '{"client":"%s","index":1,"signs":"+"}' % ("0" * 32), "{" + "x" * 70000, '{"client":"%s","view":99,"period":1}' % ("1" * 32)]
        status, answer, _ = it.post("mixed", lines)
        self.assertEqual((status, answer["accepted"], answer["rejected"]), (200, 2, 5))
        self.assertEqual([(error["line"], error["reason"]) for error in answer["errors"]],
                         [(2, "malformed"), (5, "bad_index"), (6, "unknown_client"), (7, "too_long"), (8, "bad_view")])
        if last > 2:
            status, answer, _ = it.post("mixed", [device.report(3, 3)])
            self.assertEqual(answer["errors"], [{"line": 1, "reason": "gap", "expected": 2}])

    def test_gzip(self):
        it, chance = self.it, random.Random(3)
        plan = it.create("packed")["plan"]
        lines = "\n".join(Device(plan, chance).enrolment() for _ in range(100)).encode()
        path, packed = "/v1/metrics/packed/reports", {"Content-Encoding": "gzip"}
        status, answer, _ = it.call("POST", path, gzip.compress(lines), headers=packed)
        self.assertEqual((status, answer["accepted"]), (200, 100))
        self.error(413, "too_large", "POST", path, gzip.compress(b"\n" * 50_000_000), headers=packed)
        self.error(400, "bad_gzip", "POST", path, gzip.compress(lines)[:-9], headers=packed)
        self.error(400, "bad_gzip", "POST", path, b"plain", headers=packed)
        self.error(415, "bad_encoding", "POST", path, b"x", headers={"Content-Encoding": "br"})

    def test_headers_and_seeds(self):
        plan = self.it.create("real")["plan"]
        header = {"futurerand": 1, "plan": plan, "seeded": False}
        self.assertEqual(self.it.post("real", [json.dumps(header)])[0], 200)
        self.error(403, "seeded", "POST", "/v1/metrics/real/reports", json.dumps({**header, "seeded": True}))
        other = self.it.create("other", periods=32)["plan"]
        self.error(409, "plan_mismatch", "POST", "/v1/metrics/real/reports", json.dumps({**header, "plan": other}))
        test = self.it.create("rehearsal", test=True)["plan"]
        self.assertEqual(self.it.post("rehearsal", [json.dumps({"futurerand": 1, "plan": test, "seeded": True})])[0], 200)

    def test_clock(self):
        it = self.it
        it.create("short", periods=2)
        self.error(401, "unauthorized", "POST", "/v1/metrics/short/advance")
        states = [it.get("/v1/metrics/short")["state"]]
        for _ in range(3):
            it.advance("short")
            states.append(it.get("/v1/metrics/short")["state"])
        self.assertEqual(states, ["open", "open", "grace", "closed"])
        self.error(409, "cannot_advance", "POST", "/v1/metrics/short/advance", admin=True)
        status, answer, _ = it.post("short", ['{"client":"%s","view":0,"period":1}' % ("2" * 32)])
        self.assertEqual(answer["errors"][0]["reason"], "closed")
        it.create("wall", clock="wall", period_seconds=3600, start=time.time() - 7200)
        self.assertEqual(it.get("/v1/metrics/wall")["current_period"], 3)
        self.error(409, "cannot_advance", "POST", "/v1/metrics/wall/advance", admin=True)
        it.create("soon", clock="wall", period_seconds=3600, start=time.time() + 7200)
        self.assertEqual(it.get("/v1/metrics/soon")["state"], "waiting")

    def test_events(self):
        it, chance = self.it, random.Random(4)
        plan = it.create("live", protocol="snapshot", periods=4)["plan"]
        devices = [Device(plan, chance) for _ in range(40)]
        it.post("live", [device.enrolment() for device in devices])
        connection = it.connect()
        connection.request("GET", "/v1/metrics/live/events")
        stream = connection.getresponse()
        self.assertEqual(stream.headers["Content-Type"], "text/event-stream")
        it.advance("live")
        it.post("live", [device.report(1, 1) for device in devices if device.index == 1])
        seen, deadline = None, time.monotonic() + 20
        while time.monotonic() < deadline:
            line = stream.readline().decode()
            if line.startswith("data: ") and "estimate" in line:
                seen = json.loads(line[6:])
                if seen["reports"] > 0:
                    break
        connection.close()
        self.assertEqual((seen["period"], seen["reports"]), (1, sum(device.index == 1 for device in devices)))

    def test_paths_and_methods(self):
        self.error(404, "unknown_metric", "GET", "/v1/metrics/none")
        self.error(404, "unknown_metric", "POST", "/v1/metrics/none/reports", "")
        self.error(404, "not_found", "GET", "/nothing/here")
        self.error(405, "bad_method", "PATCH", "/v1/metrics/none")
        self.error(400, "bad_target", "GET", "/%zz")
        self.assertEqual(self.it.get("/healthz")["status"], "ok")
        self.assertIn(b"futurerand_lines_total", self.it.call("GET", "/metrics")[1])
        plan = self.it.get("/v1/plan?users=1000&periods=64&changes=2&epsilon=1")
        self.assertIn("hybrid", [row["name"] for row in plan["protocols"]])
        self.error(400, "bad_query", "GET", "/v1/plan?periods=0")
        self.error(400, "bad_query", "GET", "/v1/plan?epsilon=-1")

    def test_a_path_says_which_methods_it_has(self):
        for method, path, allowed in [("PATCH", "/v1/metrics/none", "PUT, GET, HEAD, DELETE"), ("GET", "/v1/metrics/x/reports", "POST"),
                                      ("POST", "/v1/plan", "GET, HEAD"), ("PUT", "/healthz", "GET, HEAD")]:
            self.assertEqual(self.error(405, "bad_method", method, path)["Allow"], allowed)

    def test_page(self):
        status, page, headers = self.it.call("GET", "/")
        self.assertEqual(status, 200)
        self.assertIn(b"<!doctype html>", page.lower())
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(self.it.call("GET", "/", headers={"If-None-Match": headers["ETag"]})[0], 304)
        status, packed, headers = self.it.call("GET", "/", headers={"Accept-Encoding": "gzip"})
        if headers.get("Content-Encoding") == "gzip":
            packed = gzip.decompress(packed)
        self.assertEqual(packed, page)
        self.assertEqual(self.it.call("HEAD", "/")[1], b"")

    def test_pipelining_and_keep_alive(self):
        one = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        post = b"POST /v1/metrics/none/reports HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
        last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        answer = self.it.raw(one * 5 + post + one + last)
        self.assertEqual(answer.count(b"HTTP/1.1 200"), 7)
        self.assertEqual(answer.count(b"HTTP/1.1 404"), 1)

    def test_hostile_bytes(self):
        self.assertTrue(self.it.raw(b"\x16\x03\x01\x02\x00 not http\r\n\r\n").startswith(b"HTTP/1.1 400"))
        self.assertTrue(self.it.raw(b"GET / HTTP/1.1\r\nX: " + b"y" * 40000 + b"\r\n\r\n").startswith(b"HTTP/1.1 431"))
        answer = self.it.raw(b"GET /healthz HTTP/1.1\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 400") and b"no Host" in answer, answer)
        self.assertTrue(self.it.raw(b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200"))
        big = b"POST /v1/metrics/x/reports HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n"
        self.assertTrue(self.it.raw(big).startswith(b"HTTP/1.1 413"))
        chunked = b"POST /v1/metrics/x/reports HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.assertTrue(self.it.raw(chunked + b"30000\r\n" + b"z" * 0x30000 + b"\r\n" * 10).startswith(b"HTTP/1.1 4"))
        self.error(413, "too_large", "POST", "/v1/metrics/x/reports", b"z" * 300_000)
        self.assertEqual(self.it.get("/healthz")["status"], "ok")


class Documentation(unittest.TestCase):
    def test_lists_the_calls_that_there_are(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "http.md").read_text()
        table = text[text.index("| call | does |"):].split("\n\n")[0]
        documented = {(method, path.split("?")[0], "(admin)" in row) for row in table.splitlines()[2:]
                      for method, path in re.findall(r"`([A-Z]+) (/[^`]*)`", row.split("|")[1])}
        with collector("--demo") as it:
            it.start()
            calls = {(call["method"], call["path"], call["admin"]) for call in it.get("/v1")["calls"]}
        self.assertEqual(documented, calls)


class Limits(unittest.TestCase):
    def test_connections(self):
        with collector("--max-connections", "3") as it:
            it.start()
            held = [socket.create_connection(("127.0.0.1", it.port)) for _ in range(3)]
            for connection in held:  # they work: nobody who waits can make room
                connection.sendall(b"POST /v1/metrics/x/reports HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n")
            time.sleep(0.5)
            status, answer, headers = it.call("GET", "/healthz")
            self.assertEqual((status, answer["error"]["code"]), (503, "connections"))
            self.assertIn("Retry-After", headers)
            for connection in held:
                connection.close()
            deadline = time.monotonic() + 10
            while it.call("GET", "/healthz")[0] != 200:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)

    def test_a_line_of_a_chunk_without_end(self):
        with collector() as it:
            it.start()
            for size in (60_000, 200_000):
                with socket.create_connection(("127.0.0.1", it.port), 10) as connection:
                    head = b"POST /v1/metrics/x/reports HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    connection.sendall(head + b"5;" + b"x" * size + (b"\r\nhello\r\n0\r\n\r\n" if size < 1 << 16 else b""))
                    answer = connection.recv(4096)
                    self.assertIn(answer[:12], (b"HTTP/1.1 404", b"HTTP/1.1 400") if size < 1 << 16 else (b"HTTP/1.1 400",))
            self.assertLess(it.cpu_seconds(), 5)

    def test_slow_senders_do_not_hold_it(self):
        with collector("--header-timeout-ms", "500", "--body-timeout-ms", "500") as it:
            it.start()
            slow = [socket.create_connection(("127.0.0.1", it.port)) for _ in range(20)]
            for connection in slow[:10]:
                connection.sendall(b"GET / HTTP/1.1\r\nHost:")
            for connection in slow[10:]:
                connection.sendall(b"POST /v1/metrics/x/reports HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\nab")
            self.assertEqual(it.get("/healthz")["status"], "ok")
            for connection in slow:
                connection.settimeout(10)
                self.assertEqual(connection.recv(4096)[:12], b"HTTP/1.1 408")
                connection.close()


class Starting(unittest.TestCase):
    def refused(self, status, *flags):
        result = subprocess.run([harness.COMMAND, "serve", *flags], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertRegex(result.stderr, r"\Afuturerand: [^\n]+\n\Z")
        return result.stderr

    def test_clear_refusals(self):
        self.assertIn("--data", self.refused(2))
        with collector() as it:
            it.start()
            token = str(it.folder / "token")
            self.assertIn("in use", self.refused(1, "--data", str(it.folder / "two"), "--create", "--listen", f"127.0.0.1:{it.port}").lower())
            self.assertIn("another process", self.refused(1, "--data", str(it.data), "--listen", "127.0.0.1:0"))
            self.refused(2, "--data", str(it.folder / "three"), "--admin-token-file", str(it.folder / "missing"))
            # A volume that is not mounted is an empty folder: it does not start there.
            (it.folder / "empty").mkdir()
            for folder in ("empty", "missing"):
                self.assertIn("expected the folder of a collector, or --create", self.refused(1, "--data", str(it.folder / folder)))
            self.assertFalse((it.folder / "missing").exists())
            (it.folder / "short").write_text("fifteen-letters\n")
            said = self.refused(2, "--data", str(it.folder / "three"), "--admin-token-file", str(it.folder / "short"))
            self.assertIn("has 15 characters; expected at least 16", said)
            self.refused(2, "--data", str(it.folder / "three"), "--admin-token-file", token, "--listen", "nowhere")
            (it.folder / "file").write_text("")
            self.refused(1, "--data", str(it.folder / "file"), "--listen", "127.0.0.1:0")
            self.refused(1, "--data", "/proc/nowhere", "--listen", "127.0.0.1:0")

    def test_stopping_keeps_everything(self):
        chance = random.Random(5)
        for flags in [(), ("--keep-log",)]:
            with collector(*flags) as it:
                it.start()
                plan = it.create("kept")["plan"]
                it.advance("kept", 16)
                devices = [Device(plan, chance) for _ in range(100)]
                for device in devices[:50]:
                    it.post("kept", device.lines(chance))
                self.assertEqual(it.stop(), 0)
                before = None
                for round in range(2):
                    it.start()
                    after = it.get("/v1/metrics/kept/sums")
                    self.assertEqual(before or after, after)
                    before = after
                    self.assertEqual(it.stop(), 0)
                it.start()
                for device in devices:
                    it.post("kept", device.lines(chance))
                Sums(plan, devices).check(self, it.get("/v1/metrics/kept/sums"))


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
