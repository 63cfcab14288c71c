"""Every cause has one code and one action, in each language: usage: errors_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE
[unittest arguments]. PACKAGE names the folder of the JavaScript package, if it was built."""
import contextlib
import datetime
import http.client
import http.server
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import futurerand
import harness
from authority import Authority
from connect_proxy import ConnectProxy
from harness import collector

DEVICE = None
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ACTIONS = {"invalid": "fix_call", "not_started": "retry_later", "unreachable": "retry_later", "unauthorized": "tell_operator", "untrusted": "tell_operator",
           "not_found": "tell_operator", "refused": "give_up", "busy": "retry_later", "no_room": "retry_later", "damaged": "give_up"}
SCRIPT = """
const [url, metric, token, folder] = process.argv.slice(1);
const { Client, FileStore, MemoryStore } = await import(process.env.PACKAGE + "/node.js");
try {
  const store = folder ? new FileStore(folder) : new MemoryStore();
  const client = await Client.open({ url, metric, store, ceiling: "4", token: token || undefined, timeout: 5000 });
  await client.observe(client.currentPeriod, 1);
  await client.send({ attempts: 1 });
  console.log("ok");
} catch (error) {
  console.log([error.code, error.action, error.message].join("|"));
}
"""


class Answering(http.server.BaseHTTPRequestHandler):
    """Gives one answer to every request."""

    def do_GET(self):
        self.send_response(self.server.status)
        self.send_header("Location", "https://portal.example/")
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def answering(status, body):
    """The address of a server on the loopback with one answer."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        server.status, server.body = status, body.encode()
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Errors(unittest.TestCase):
    """A device that cannot take part now must not give up for good."""

    @classmethod
    def setUpClass(cls):
        cls.scope = tempfile.TemporaryDirectory(prefix="futurerand-errors-")
        cls.folder = pathlib.Path(cls.scope.name)
        cls.authority = Authority(cls.folder / "trusted")
        cls.other = Authority(cls.folder / "other", "Other")
        cls.good = cls.authority.issue("good")
        cls.lapsed = cls.authority.issue("lapsed", days=(-3, -1))
        cls.elsewhere = cls.authority.issue("elsewhere", "DNS:elsewhere.example")
        library = pathlib.Path(DEVICE).resolve().parent.parent / "bindings/c"
        cls.in_c99 = cls.folder / "device"
        subprocess.run(["cc", "-std=c99", ROOT / "examples/device.c", "-I", ROOT / "bindings/c", "-L", library, "-lfuturerand",
                        f"-Wl,-rpath,{library}", "-o", cls.in_c99], check=True, timeout=60)

    @classmethod
    def tearDownClass(cls):
        cls.scope.cleanup()

    def languages(self):
        return [self.in_cpp, self.in_c, self.in_python, *([self.in_javascript] if os.environ.get("PACKAGE") else [])]

    def in_cpp(self, *arguments):
        return self.of_a_program(DEVICE, *arguments)

    def in_c(self, *arguments):
        return self.of_a_program(self.in_c99, *arguments)

    def of_a_program(self, program, url, metric, ca_file, token, folder):
        environment = {**os.environ, "DEVICE_CA_FILE": str(ca_file)} if ca_file else dict(os.environ)
        if token:
            environment["DEVICE_TOKEN"] = token
        with tempfile.TemporaryDirectory(prefix="futurerand-errors-") as new:
            done = subprocess.run([program, url, folder or new, metric, "1"], capture_output=True, text=True, timeout=60, env=environment)
        return done.stderr if done.returncode else "ok"

    def in_python(self, url, metric, ca_file, token, folder):
        try:
            place = futurerand.Server(url, token=token, ca_file=ca_file, timeout=5)
            with futurerand.Client.open(place, metric, store=folder or futurerand.MemoryStore(), ceiling="4") as client:
                client.observe(client.metric.current_period, 1)
                client.send()
            return "ok"
        except futurerand.FuturerandError as error:
            return "|".join([error.code, error.action, str(error)])

    def in_javascript(self, url, metric, ca_file, token, folder):
        trusted = {"NODE_EXTRA_CA_CERTS": str(ca_file)} if ca_file else {}
        done = subprocess.run(["node", "--input-type=module", "-e", SCRIPT, url, metric, token or "", folder or ""], capture_output=True,
                              text=True, timeout=60, env={**os.environ, **trusted})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def each(self, code, url, metric="m", message=".", ca_file=None, token=None, folder=None):
        for language in self.languages():
            with self.subTest(language.__name__):
                said = language(url, metric, ca_file, token, folder)
                if code == "ok":
                    self.assertEqual(said, "ok")
                elif language in (self.in_cpp, self.in_c):  # they print no code
                    self.assertRegex(said, message)
                    self.assertIn(f"({ACTIONS[code].replace('_', ' ')})", said)
                else:
                    self.assertRegex(said, f"{code}\\|{ACTIONS[code]}\\|.*{message}")

    def serve(self, identity, *flags):
        return collector("--tls-certificate", str(identity[0]), "--tls-key", str(identity[1]), *flags)

    def test_a_certificate_that_proves_nothing(self):
        for name, identity, ca_file in (("lapsed", self.lapsed, self.authority.file), ("unknown", self.good, self.other.file),
                                        ("default", self.good, None), ("another host's", self.elsewhere, self.authority.file)):
            with self.subTest(name), self.serve(identity) as it:
                it.start()
                self.each("untrusted", f"https://127.0.0.1:{it.port}", message="certificate", ca_file=ca_file)
                it.stop()

    def test_a_proxy_and_its_exceptions(self):
        """Each language reaches a collector through $HTTPS_PROXY, and nobody through it whom $NO_PROXY names."""
        proxy = ConnectProxy(self)
        with self.serve(self.good) as it:
            it.start()
            trusted = ssl.create_default_context(cafile=self.authority.file)
            it.connect = lambda timeout=30: http.client.HTTPSConnection("127.0.0.1", it.port, timeout=timeout, context=trusted)
            it.create("m", periods=4)
            url = f"https://127.0.0.1:{it.port}"
            for exceptions, through in (("", 1), ("127.0.0.1", 0)):
                with unittest.mock.patch.dict(os.environ, {"HTTPS_PROXY": proxy.url, "NO_PROXY": exceptions}):
                    for send in self.languages():
                        proxy.asked.clear()
                        self.assertEqual(send(url, "m", self.authority.file, None, None), "ok")
                        self.assertEqual(set(proxy.asked), {f"127.0.0.1:{it.port}"} if through else set(), send)
            it.stop()

    def test_a_proxy_that_makes_no_connection(self):
        for status, code in ((407, "unauthorized"), (502, "unreachable")):
            proxy = ConnectProxy(self, status)
            with self.subTest(status), unittest.mock.patch.dict(os.environ, {"HTTPS_PROXY": proxy.url, "NO_PROXY": ""}):
                self.each(code, "https://collector.invalid", message=str(status))
                self.assertEqual(set(proxy.asked), {"collector.invalid:443"})

    def test_a_token_that_was_rotated(self):
        tokens = self.folder / "submit"
        tokens.write_text("an-old-token-for-devices\n")
        with collector("--submit-token-file", str(tokens)) as it:
            it.start()
            it.create("m", periods=4)
            url = f"http://127.0.0.1:{it.port}"
            self.each("ok", url, token="an-old-token-for-devices")
            it.stop()
            tokens.write_text("a-new-token-for-devices\n")
            it.start()
            url = f"http://127.0.0.1:{it.port}"
            self.each("unauthorized", url, token="an-old-token-for-devices", message="401")
            self.each("unauthorized", url, message="401")
            self.each("ok", url, token="a-new-token-for-devices")
            it.stop()

    def test_a_metric_that_starts_tomorrow_is_over_or_is_not_there(self):
        with collector() as it:
            it.start()
            url = f"http://127.0.0.1:{it.port}"
            tomorrow = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0) + datetime.timedelta(days=1)
            it.create("tomorrow", clock="wall", start=tomorrow.strftime("%Y-%m-%dT%H:%M:%SZ"), period_seconds=86400, periods=4)
            self.each("not_started", url, "tomorrow", message=tomorrow.strftime("starts on %Y-%m-%d 00:00 UTC"))
            it.create("short", periods=2)
            for _ in range(2):
                it.advance("short")
            self.each("refused", url, "short", message="is over")
            it.create("dear", periods=4, epsilon="5")
            self.each("refused", url, "dear", message="this device has 4 of 4 left")
            self.each("not_found", url, "nowhere", message="404")
            it.create("full", periods=4, max_devices=1)
            self.assertEqual(self.in_cpp(url, "full", None, None, None), "ok")
            self.each("no_room", url, "full", message="too_many_devices")
            it.stop()

    def test_a_folder_that_is_in_use_or_damaged(self):
        """Each language goes on from the state of the others, and none from one that it does not hold or cannot trust."""
        with collector() as it, tempfile.TemporaryDirectory(prefix="futurerand-errors-") as folder:
            it.start()
            it.create("m", periods=4)
            url = f"http://127.0.0.1:{it.port}"
            self.each("ok", url, folder=folder)
            self.assertEqual(it.get("/v1/metrics/m")["devices"], 1)
            with futurerand.Device(folder, ceiling="4"):
                self.each("busy", url, message="in use", folder=folder)
            ledger = pathlib.Path(folder, "ledger")
            whole = ledger.read_bytes()
            ledger.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
            self.each("damaged", url, folder=folder)
            ledger.write_bytes(whole)
            self.each("ok", url, folder=folder)
            it.stop()

    def test_terms_that_changed_and_a_state_that_is_lost(self):
        with collector() as it, tempfile.TemporaryDirectory(prefix="futurerand-errors-") as folder:
            it.start()
            it.create("m", clock="wall", period_seconds=86400, periods=4)
            document = it.get("/v1/metrics/m")
            url = f"http://127.0.0.1:{it.port}"
            self.each("ok", url, folder=folder)
            with answering(200, json.dumps({**document, "period_seconds": 43200})) as other:
                self.each("refused", other, message="the same terms", folder=folder)
            document["plan"]["epsilon"] = "0.5"
            with answering(200, json.dumps(document)) as false:
                self.each("refused", false, message="epsilon")
            [state] = pathlib.Path(folder).glob("metric-*")
            state.unlink()
            self.each("refused", url, message="its state is gone", folder=folder)
            it.stop()

    def test_a_folder_of_another_machine_and_one_that_cannot_be_made(self):
        with collector() as it, tempfile.TemporaryDirectory(prefix="futurerand-errors-") as folder:
            it.start()
            it.create("m", periods=4)
            url = f"http://127.0.0.1:{it.port}"
            state = pathlib.Path(folder, "state")
            futurerand.Device(state, ceiling="4", machine="elsewhere").close()
            identity = pathlib.Path("/etc/machine-id")
            known = identity.exists() and re.match("[0-9a-f]{32}", identity.read_text())
            self.each("refused" if known else "not_found", url, message="machine", folder=str(state))
            pathlib.Path(folder, "file").write_text("")
            self.each("no_room", url, folder=f"{folder}/file/state")
            it.stop()

    def test_an_address_that_is_none(self):
        self.each("invalid", "ftp://127.0.0.1", message="expected")

    def test_a_portal_in_the_place_of_the_collector(self):
        for status in (200, 302):
            with answering(status, "<html>Please sign in</html>") as url:
                self.each("untrusted", url)

    def test_a_collector_without_time(self):
        for status in (429, 503):
            with answering(status, '{"error":{"code":"busy","message":"try again"}}') as url:
                self.each("unreachable", url, message=str(status))

    def test_no_collector(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # nobody listens
            self.each("unreachable", f"http://127.0.0.1:{taken.getsockname()[1]}")


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER, DEVICE = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
