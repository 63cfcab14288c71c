"""What the Python client sends and what it takes for an answer: servers that redirect, never end, or answer late.

usage: PYTHONPATH=build/release/python server_test.py FUTURERAND [unittest arguments]
"""
import http.server
import json
import os
import pathlib
import ssl
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import futurerand

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "collector"))
from authority import Authority  # noqa: E402
from connect_proxy import ConnectProxy  # noqa: E402


def sections_of(body):
    """The lines of each metric of a request."""
    sections = {}
    for line in body.splitlines():
        if line.startswith('{"metric":'):
            sections[line] = []
        else:
            list(sections.values())[-1].append(line)
    return [(json.loads(head), lines) for head, lines in sections.items()]


def answered(body, answer_of):
    """The answer to a request; `answer_of(name, lines)` gives the status and the answer of a section."""
    said = [(head, *answer_of(head["metric"], lines)) for head, lines in sections_of(body)]
    return json.dumps({"metrics": [{**head, "status": status, "answer": answer} for head, status, answer in said]}).encode()


def took(lines):
    return {"accepted": len(lines), "duplicates": 0, "rejected": 0, "errors": []}


def accepted(body):
    return answered(body, lambda _, lines: (200, took(lines)))


class Scripted:
    """A server whose `answer(request, body)` may be changed; it notes every request."""

    def __init__(self, test, identity=None):
        self.seen, self.answer = [], None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def handle_request(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                outer.seen.append((self.command, self.path, dict(self.headers), body))
                outer.answer(self, body)

            do_GET = do_POST = do_HEAD = handle_request

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if identity is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*identity)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        thread.start()
        test.addCleanup(self.server.server_close)
        test.addCleanup(thread.join)
        test.addCleanup(self.server.shutdown)
        self.url = f"http{'' if identity is None else 's'}://127.0.0.1:{self.server.server_port}"


def reply(request, body, status=200, **headers):
    request.send_response(status)
    for name, value in {"Content-Length": len(body), **headers}.items():
        request.send_header(name.replace("_", "-"), str(value))
    request.end_headers()
    request.wfile.write(body)


class Answers(unittest.TestCase):
    def setUp(self):
        self.server, self.elsewhere = Scripted(self), Scripted(self)
        plan = futurerand.audit("repeated", periods=16, changes=2, epsilon="1").plan
        device = futurerand.Device(futurerand.MemoryStore(), ceiling="4")
        self.client = device.open(futurerand.Metric.create("m", plan), 1)
        self.addCleanup(device.close)
        self.addCleanup(self.client.close)
        self.client.observe(3, 1)
        self.place = futurerand.Server(self.server.url, token="secret", timeout=30)

    def test_redirects_are_refused_and_the_token_and_lines_go_nowhere_else(self):
        lines = self.client.lines()
        self.elsewhere.answer = lambda request, body: reply(request, accepted(lines))
        for status in (300, 301, 302, 303, 307, 308, 399):
            self.server.answer = lambda request, body: reply(request, b"", status, Location=self.elsewhere.url + "/")
            with self.subTest(status=status):
                with self.assertRaisesRegex(futurerand.UntrustedError, "redirect"):
                    self.client.send(self.place)
                with self.assertRaisesRegex(futurerand.UntrustedError, "redirect"):
                    futurerand.Metric.fetch(self.place, "m")
        self.server.answer = lambda request, body: reply(request, b"", 400)
        with self.assertRaisesRegex(futurerand.InvalidError, "answered 400"):
            self.client.send(self.place)
        self.assertEqual(self.elsewhere.seen, [])
        self.assertEqual(self.client.lines(), lines)

    def test_what_the_collector_lost_is_sent_again(self):
        first = self.client.lines()
        self.server.answer = lambda request, body: reply(request, accepted(body))
        self.client.send(self.place)
        self.client.observe(4, 1)

        def restored(request, body):
            lost = {"accepted": 0, "duplicates": 0, "rejected": 1, "errors": [{"line": 1, "reason": "unknown_client"}]}
            reply(request, answered(body, lambda _, lines: (200, lost if len(lines) == 1 else took(lines))))

        self.server.answer = restored
        self.assertEqual(self.client.send(self.place)["accepted"], 2)
        again = [json.loads(line) for line in self.server.seen[-1][3].splitlines()[1:]]
        before = [json.loads(line) for line in first.splitlines()]
        self.assertEqual(again[0], before[0])
        self.assertEqual(again[1]["signs"][:-1], before[1]["signs"])
        self.assertEqual(self.client.lines(), "")

    def test_a_status_says_whether_to_come_back(self):
        kinds = {404: futurerand.NotFoundError, **dict.fromkeys((408, 429, 500, 501, 503), futurerand.UnreachableError),
                 **dict.fromkeys((401, 403, 407), futurerand.UnauthorizedError),
                 **dict.fromkeys((400, 405, 409, 410, 428, 430, 499), futurerand.InvalidError)}
        for status, kind in kinds.items():
            self.server.answer = lambda request, body: reply(request, b"why", status)
            with self.subTest(status=status), self.assertRaisesRegex(futurerand.FuturerandError, f"{status}: why") as caught:
                self.client.send(self.place, attempts=1)
            self.assertIs(type(caught.exception), kind, status)
            self.assertNotEqual(caught.exception.action, "give_up")

    def test_what_is_no_collector_is_not_trusted(self):
        portal = lambda request, body: reply(request, b"<html>log in</html>")
        chatter = lambda request, body: request.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        empty = lambda request, body: reply(request, b"{}")
        for answer in (portal, chatter):
            self.server.answer = answer
            with self.subTest(answer=answer), self.assertRaises(futurerand.UntrustedError):
                self.client.send(self.place)
        for answer in (portal, chatter, empty):
            self.server.answer = answer
            with self.subTest(answer=answer), self.assertRaises(futurerand.UntrustedError):
                futurerand.Metric.fetch(self.place, "m")

    def test_nothing_due_asks_nobody(self):
        self.server.answer = lambda request, body: reply(request, accepted(body))
        self.assertEqual(self.client.send(self.place), {"accepted": 2, "duplicates": 0, "rejected": 0, "early": 0})
        self.assertEqual(self.client.send(self.place), {"accepted": 0, "duplicates": 0, "rejected": 0, "early": 0})
        self.assertEqual(len(self.server.seen), 1)

    def test_a_client_that_asked_for_its_metric_closes_its_device(self):
        plan = futurerand.audit("repeated", periods=16, changes=2, epsilon="1").plan
        document = {"name": "m", "plan": plan, "clock": "manual", "start": None, "period_seconds": None, "current_period": 1}
        with tempfile.TemporaryDirectory() as folder:
            self.server.answer = lambda request, body: reply(request, json.dumps(document).encode())
            for _ in range(2):  # the folder is free again
                client = futurerand.Client.open(self.place, "m", store=folder, ceiling="4")
                with self.assertRaises(futurerand.BusyError):
                    futurerand.Device(folder, ceiling="4")
                client.close()
            # Nor does a metric that it may not join keep it.
            for _ in range(2):
                document["current_period"] = 17
                document["name"] = "n"
                with self.assertRaises(futurerand.FuturerandError) as caught:
                    futurerand.Client.open(self.place, "n", store=folder, ceiling="4")
                self.assertNotIsInstance(caught.exception, futurerand.BusyError)
                futurerand.Device(folder, ceiling="4").close()

    def test_a_secure_server_proves_its_name_by_a_trusted_authority(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, other = (Authority(pathlib.Path(folder) / name) for name in ("ours", "other"))
            secure = Scripted(self, ours.issue("server"))
            secure.answer = lambda request, body: reply(request, accepted(body))
            for ca_file in (None, other.file):
                with self.assertRaisesRegex(futurerand.UntrustedError, "certificate of .* is refused"):
                    self.client.send(futurerand.Server(secure.url, ca_file=ca_file, timeout=5))
            self.assertEqual(secure.seen, [])
            self.assertEqual(self.client.send(futurerand.Server(secure.url, ca_file=ours.file))["accepted"], 2)

    def test_only_200_is_an_acknowledgement(self):
        lines = self.client.lines()
        for status in (201, 202, 206):
            self.server.answer = lambda request, body: reply(request, accepted(body), status)
            with self.subTest(status=status), self.assertRaises(futurerand.UntrustedError):
                self.client.send(self.place)
        self.assertEqual(self.client.lines(), lines)

    def test_answers_are_bounded_in_size(self):
        lines = self.client.lines()
        good = accepted('{"metric":"m"}\n' + lines)
        for length in ({}, {"Content_Length": 1 << 40}):
            self.server.answer = lambda request, body: reply(request, good.ljust((1 << 20) + 1), **length)
            with self.assertRaisesRegex(futurerand.UntrustedError, "longer"):
                self.client.send(self.place)
        self.server.answer = lambda request, body: reply(request, b" " * ((8 << 20) + 1))
        with self.assertRaisesRegex(futurerand.UntrustedError, "longer"):
            futurerand.Metric.fetch(self.place, "m")
        self.assertEqual(self.client.lines(), lines)
        self.server.answer = lambda request, body: reply(request, good.ljust(1 << 20))
        self.assertEqual(self.client.send(self.place)["accepted"], lines.count("\n"))

    def test_a_whole_answer_comes_in_time_or_never(self):
        slow = futurerand.Server(self.server.url, timeout=0.4)
        ended = threading.Event()

        def drip(request, head):
            request.wfile.write(head)
            try:
                while not ended.wait(0.05):
                    request.wfile.write(b"x")
            except OSError:
                pass

        for head in (b"HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n", b"HTTP/1.0 200 OK\r\nX: "):
            self.server.answer = lambda request, body: drip(request, head)
            with self.subTest(head=head):
                begin = time.monotonic()
                with self.assertRaises(futurerand.UnreachableError):
                    self.client.send(slow, attempts=1)
                self.assertLess(time.monotonic() - begin, 10)  # all of it would take 50 s
        ended.set()
        self.assertNotEqual(self.client.lines(), "")

    def test_sends_that_overlap_lose_nothing(self):
        arrived, go_on = threading.Event(), threading.Event()
        first_lines = self.client.lines()

        def first(request, body):
            arrived.set()
            go_on.wait(60)
            reply(request, accepted(body))

        self.server.answer = first
        sent = []
        sending = threading.Thread(target=lambda: sent.append(self.client.send(self.place)))
        sending.start()
        self.assertTrue(arrived.wait(60))
        self.server.answer = lambda request, body: reply(request, b"no", 400)
        self.client.observe(6, 0)
        with self.assertRaises(futurerand.InvalidError):
            self.client.send(self.place)
        go_on.set()
        sending.join(60)
        self.assertEqual(sent[0]["accepted"], first_lines.count("\n"))
        left = json.loads(self.client.lines())  # what only the second one had
        self.assertEqual((left["index"], len(left["signs"])), (3, 3))

    def test_requests_say_nothing_but_their_lines(self):
        self.server.answer = lambda request, body: reply(request, accepted(body))
        lines = self.client.lines()
        self.client.send(self.place)
        [(method, path, headers, body)] = self.server.seen
        self.assertEqual((method, path, body), ("POST", "/v1/reports", '{"metric":"m"}\n' + lines))
        self.assertEqual(headers.pop("Authorization"), "Bearer secret")
        self.assertEqual(set(headers), {"Accept-Encoding", "Content-Type", "Content-Length", "User-Agent", "Host",
                                        "Connection"})
        for timeout in (0, -1, float("nan")):
            with self.assertRaises(ValueError):
                futurerand.Server(self.server.url, timeout=timeout)


class OneRequest(unittest.TestCase):
    """A device with three metrics: one request a period, and each metric's failure its own."""

    def setUp(self):
        self.server = Scripted(self)
        self.place = futurerand.Server(self.server.url, timeout=30)
        plan = futurerand.audit("repeated", periods=16, changes=2, epsilon="1").plan
        self.device = futurerand.Device(futurerand.MemoryStore(), ceiling="4")
        self.clients = {name: self.device.open(futurerand.Metric.create(name, plan), 1) for name in "abc"}
        for client in self.clients.values():
            client.observe(3, 1)
        self.addCleanup(self.device.close)

    def test_all_metrics_go_in_one_request(self):
        self.server.answer = lambda request, body: reply(request, accepted(body))
        self.assertEqual(self.device.send(self.place), {"accepted": 6, "duplicates": 0, "rejected": 0, "early": 0})
        [(_, path, _, body)] = self.server.seen
        self.assertEqual(path, "/v1/reports")
        self.assertEqual([head["metric"] for head, _ in sections_of(body)], list("abc"))
        self.assertEqual(self.device.send(self.place)["accepted"], 0)
        self.assertEqual(len(self.server.seen), 1)
        # A client that is closed is not asked any more.
        self.clients["a"].close()
        for name in "bc":
            self.clients[name].observe(4, 1)
        self.assertEqual(self.device.send(self.place)["accepted"], 2)

    def test_a_section_that_is_not_taken_now_is_tried_again_as_it_was(self):
        seen = []

        def answer(name, lines):
            seen.append((name, lines))
            tries = sum(1 for other, _ in seen if other == name)
            if name == "b" and tries < 3:
                return (429, 503)[tries - 1], {"error": {"code": "rate", "message": "too many lines"}}
            return 200, took(lines)

        self.server.answer = lambda request, body: reply(request, answered(body, answer))
        self.assertEqual(self.device.send(self.place, first_delay=0.001)["accepted"], 6)
        self.assertEqual(sorted(name for name, _ in seen), ["a", "b", "b", "b", "c"])
        self.assertEqual(len({tuple(lines) for name, lines in seen if name == "b"}), 1)
        # It gives up in the end, and the lines wait.
        for client in self.clients.values():
            client.observe(4, 1)
        self.server.answer = lambda request, body: reply(
            request, answered(body, lambda name, lines: (503, None) if name == "b" else (200, took(lines))))
        before = len(self.server.seen)
        with self.assertRaisesRegex(futurerand.UnreachableError, "answered 503"):
            self.device.send(self.place, attempts=3, first_delay=0.001)
        self.assertEqual(len(self.server.seen) - before, 3)
        self.assertEqual([bool(client.lines()) for client in self.clients.values()], [False, True, False])

    def test_one_metric_that_is_refused_does_not_hold_up_the_others(self):
        def answer(name, lines):
            if name == "a":
                return 404, {"error": {"code": "unknown_metric", "message": "no metric 'a'"}}
            if name == "b":
                return 200, {"accepted": 0, "duplicates": 0, "rejected": len(lines), "errors": [{"line": 1, "reason": "closed"}]}
            return 200, took(lines)

        self.server.answer = lambda request, body: reply(request, answered(body, answer))
        with self.assertRaises(futurerand.FuturerandError) as caught:
            self.device.send(self.place)
        self.assertIn(type(caught.exception), (futurerand.NotFoundError, futurerand.RefusedError))
        self.assertEqual([bool(client.lines()) for client in self.clients.values()], [True, True, False])

    def test_an_answer_to_another_request_acknowledges_nothing(self):
        lines = {name: client.lines() for name, client in self.clients.items()}
        for wrong in ({"metrics": []}, {"metrics": [{"metric": "x", "status": 200, "answer": took([])}]}, {}):
            self.server.answer = lambda request, body: reply(request, json.dumps(wrong).encode())
            with self.assertRaises(futurerand.UntrustedError):
                self.device.send(self.place)
        self.assertEqual({name: client.lines() for name, client in self.clients.items()}, lines)


class ThroughAProxy(unittest.TestCase):
    """$HTTPS_PROXY takes lines to a server, and $NO_PROXY keeps them from it."""

    def test_https_goes_through_the_proxy_and_exceptions_do_not(self):
        proxy = ConnectProxy(self)
        plan = futurerand.audit("repeated", periods=16, changes=2, epsilon="1").plan
        with tempfile.TemporaryDirectory() as folder:
            ours = Authority(pathlib.Path(folder) / "ours")
            secure = Scripted(self, ours.issue("server"))
            secure.answer = lambda request, body: reply(request, accepted(body))
            for exceptions, through in (("", 1), ("example.org,127.0.0.1", 0)):
                proxy.asked.clear()
                settings = {"HTTPS_PROXY": proxy.url, "NO_PROXY": exceptions}
                with unittest.mock.patch.dict(os.environ, settings):
                    device = futurerand.Device(futurerand.MemoryStore(), ceiling="4")
                    client = device.open(futurerand.Metric.create("m", plan), 1)
                    self.assertEqual(client.send(futurerand.Server(secure.url, ca_file=ours.file))["accepted"], 1)
                self.assertEqual(len(proxy.asked), through, exceptions)


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()
