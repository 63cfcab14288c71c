"""TLS on both sides, and the trusted certificates: usage: tls_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import json
import os
import pathlib
import random
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest

import harness
from authority import Authority, openssl
from devices import Device
from harness import collector, wait_until

DEVICE = None
SUBMIT = "a-token-for-devices"


class Secure(unittest.TestCase):
    """TLS, with real certificates."""

    @classmethod
    def setUpClass(cls):
        cls.scope = tempfile.TemporaryDirectory(prefix="futurerand-tls-")
        cls.folder = pathlib.Path(cls.scope.name)
        cls.authority = Authority(cls.folder / "trusted")
        cls.good = cls.authority.issue("good")

    @classmethod
    def tearDownClass(cls):
        cls.scope.cleanup()

    def serve(self, identity, *flags):
        return collector("--tls-certificate", str(identity[0]), "--tls-key", str(identity[1]), *flags)

    def call(self, it, method, path, body=None, admin=False):
        """Calls the collector over TLS, with Python's own client."""
        import http.client
        context = ssl.create_default_context(cafile=self.authority.file)
        connection = http.client.HTTPSConnection("127.0.0.1", it.port, timeout=60, context=context)
        try:
            connection.request(method, path, body, {"Authorization": "Bearer " + harness.TOKEN} if admin else {})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def create(self, it, name):
        status, answer = self.call(it, "PUT", f"/v1/metrics/{name}", json.dumps(
            {"periods": 4, "max_changes": 2, "epsilon": "1", "clock": "manual"}), admin=True)
        self.assertEqual(status, 201, answer)

    def audit(self, it, host="127.0.0.1", ca_file=None, environment=None):
        flags = [] if ca_file is None else ["--ca-file", str(ca_file)]
        return subprocess.run([harness.COMMAND, "audit", "--metric", f"https://{host}:{it.port}/v1/metrics/m", *flags],
                              capture_output=True, text=True, timeout=60, env={**os.environ, **(environment or {})})

    def test_a_fleet_and_a_device_report(self):
        submit = self.folder / "submit"
        submit.write_text(SUBMIT + "\n")
        with self.serve(self.good, "--submit-token-file", str(submit)) as it:
            it.start()
            url = f"https://127.0.0.1:{it.port}"
            swarm = subprocess.run(
                [harness.COMMAND, "swarm", "--to", url, "--metric", "fleet", "--create", "--admin-token-file", it.folder / "token",
                 "--submit-token-file", submit, "--ca-file", self.authority.file, "--devices", "200", "--periods", "8"],
                capture_output=True, text=True, timeout=120)
            self.assertEqual(swarm.returncode, 0, swarm.stderr)
            self.assertIn("exactly", swarm.stdout)
            self.create(it, "m")

            def device(**environment):
                return subprocess.run([DEVICE, url, str(it.folder / "device"), "m", "1"], capture_output=True, text=True,
                                      timeout=60, env={**os.environ, **environment})

            trusted = {"DEVICE_CA_FILE": str(self.authority.file)}
            self.assertIn("certificate", device().stderr)  # the system does not know this authority
            refused = device(**trusted)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("401", refused.stderr)
            self.assertEqual(device(**trusted, DEVICE_TOKEN=SUBMIT).returncode, 0)
            self.assertEqual(json.loads(self.call(it, "GET", "/v1/metrics/m")[1])["devices"], 1)
            figures = self.call(it, "GET", "/metrics")[1].decode()
            self.assertRegex(figures, r'futurerand_tls_handshakes_total\{outcome="done"\} [1-9]')
            self.assertRegex(figures, r'futurerand_tls_handshakes_total\{outcome="failed"\} [1-9]')
            self.assertEqual(it.stop(), 0)

    def test_only_certificates_that_prove_the_host_are_believed(self):
        other = Authority(self.folder / "other", "Other")
        cases = {
            "good": (self.good, None),
            "expired": (self.authority.issue("expired", days=(-3, -1)), "expired"),
            "not_yet": (self.authority.issue("not_yet", days=(1, 3)), "not yet valid"),
            "wrong_host": (self.authority.issue("wrong_host", "DNS:elsewhere.test,IP:127.0.0.2"), "mismatch"),
            "no_host": (self.authority.issue("no_host", "email:a@b.test"), "mismatch"),
            "self_signed": (self.authority.self_signed(), "self-signed"),
            "of_another": (other.issue("of_another"), "local issuer"),
        }
        for name, (identity, reason) in cases.items():
            with self.subTest(name), self.serve(identity) as it:
                it.start()
                if reason is None:
                    self.create(it, "m")
                result = self.audit(it, ca_file=self.authority.file)
                self.assertEqual(result.returncode, 0 if reason is None else 1, result.stderr)
                if reason is not None:
                    self.assertRegex(result.stderr, "certificate of 127.0.0.1 is refused.*" + reason)

    def test_a_plain_call_is_told_to_use_https(self):
        with self.serve(self.good) as it:
            it.start()
            result = subprocess.run([harness.COMMAND, "audit", "--metric", f"http://127.0.0.1:{it.port}/v1/metrics/m"],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"if it expects TLS, use https://127.0.0.1:{it.port}", result.stderr)

    def test_nothing_switches_the_check_off(self):
        for command in (["swarm"], ["audit"], ["metric", "list"], ["serve"]):
            for flag in ("--insecure", "--no-verify", "-k"):
                done = subprocess.run([harness.COMMAND, *command, flag], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 2, (command, flag))
            helped = subprocess.run([harness.COMMAND, *command, "--help"], capture_output=True, text=True, timeout=60).stdout
            self.assertNotRegex(helped, "(?i)insecure|not verif|without verif")

    def test_a_name_is_checked_as_well_as_an_address(self):
        named = self.authority.issue("named", "DNS:localhost")
        with self.serve(named) as it:
            it.start()
            context = ssl.create_default_context(cafile=self.authority.file)
            with context.wrap_socket(socket.create_connection(("127.0.0.1", it.port), 60), server_hostname="localhost"):
                pass
            # There is no metric: a client that learns this has trusted the certificate.
            self.assertIn("no metric", self.audit(it, "localhost", self.authority.file).stderr)
            self.assertIn("mismatch", self.audit(it, "127.0.0.1", self.authority.file).stderr)

    def test_a_pinned_authority_is_the_only_one_and_the_system_has_its_own(self):
        with self.serve(self.good) as it:
            it.start()
            other = Authority(self.folder / "pinned", "Pinned")
            self.assertIn("is refused", self.audit(it, ca_file=other.file, environment={"SSL_CERT_FILE": str(self.authority.file)}).stderr)
            self.assertIn("is refused", self.audit(it).stderr)
            # OpenSSL's own variable moves the system's roots.
            self.assertIn("no metric", self.audit(it, environment={"SSL_CERT_FILE": str(self.authority.file)}).stderr)
            self.assertIn("certificate authorities", self.audit(it, ca_file="/nowhere").stderr)

    def test_versions_and_ciphers(self):
        with self.serve(self.good) as it:
            it.start()

            def shake(*flags):
                # Security level 0 lets this client offer weak ciphers: the server must reject them.
                return subprocess.run(
                    ["openssl", "s_client", "-connect", f"127.0.0.1:{it.port}", "-CAfile", str(self.authority.file),
                     "-verify_return_error", *flags], input=b"", capture_output=True, timeout=60)

            for flags, version in ((["-tls1_2"], b"TLSv1.2"), (["-tls1_3"], b"TLSv1.3"), ([], b"TLSv1.3")):
                result = shake(*flags)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(version, result.stdout)
            for old in ("-tls1", "-tls1_1"):
                self.assertNotEqual(shake(old, "-cipher", "ALL:@SECLEVEL=0").returncode, 0, old)
            for weak in ("AES128-GCM-SHA256", "AES256-SHA", "ECDHE-ECDSA-AES128-SHA", "NULL", "aNULL", "3DES"):
                self.assertNotEqual(shake("-tls1_2", "-cipher", weak + ":@SECLEVEL=0").returncode, 0, weak)
            self.assertEqual(shake("-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305").returncode, 0)
            renegotiated = subprocess.run(
                ["openssl", "s_client", "-connect", f"127.0.0.1:{it.port}", "-tls1_2"], input=b"R\nGET / HTTP/1.1\r\n\r\n",
                capture_output=True, timeout=60)
            self.assertNotIn(b"HTTP/1.1 200", renegotiated.stdout)
            self.assertEqual(self.call(it, "GET", "/healthz")[0], 200)

    def test_plain_http_and_noise_are_not_served(self):
        with self.serve(self.good) as it:
            it.start()
            self.assertNotIn(b"HTTP", it.raw(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"))
            chance = random.Random(7)
            for _ in range(20):
                it.raw(bytes([22, 3, 1]) + chance.randbytes(chance.randrange(400)) + b"\x00" * 20000)
            self.assertEqual(self.call(it, "GET", "/healthz")[0], 200)

    def test_slow_and_half_open_connections_end(self):
        with self.serve(self.good, "--header-timeout-ms", "1000", "--body-timeout-ms", "1000", "--max-connections", "12") as it:
            it.start()
            context = ssl.create_default_context(cafile=self.authority.file)
            silent = [socket.create_connection(("127.0.0.1", it.port), 60) for _ in range(3)]
            half = [socket.create_connection(("127.0.0.1", it.port), 60) for _ in range(3)]
            for connection in half:
                connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")  # the beginning of a hello
            slow = [context.wrap_socket(socket.create_connection(("127.0.0.1", it.port), 60), server_hostname="127.0.0.1")
                    for _ in range(4)]
            for connection in slow[:2]:
                connection.sendall(b"GET / HTTP/1.1\r\nHost:")
            for connection in slow[2:]:
                connection.sendall(b"POST /v1/metrics/x/reports HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\nab")
            self.assertEqual(self.call(it, "GET", "/healthz")[0], 200)
            for connection in silent + half + slow:
                try:
                    answer = connection.recv(4096)  # returns when the collector ends it
                    self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 408"), answer)
                except (ssl.SSLError, ConnectionError):
                    pass
                connection.close()
            # Connections beyond the limit are closed, and may come again after others end.
            held = [socket.create_connection(("127.0.0.1", it.port), 60) for _ in range(12)]
            try:
                self.call(it, "GET", "/healthz")
            except (OSError, ssl.SSLError):
                pass
            for connection in held:
                connection.close()

            def served():
                try:
                    return self.call(it, "GET", "/healthz")[0] == 200
                except OSError:
                    return False

            wait_until(served)
            self.assertEqual(it.stop(), 0)

    def test_a_new_certificate_without_a_restart(self):
        files = [self.folder / "current.pem", self.folder / "current.key"]
        for file, content in zip(files, self.good):
            file.write_bytes(content.read_bytes())
        with self.serve(files) as it:
            it.start()
            context = ssl.create_default_context(cafile=self.authority.file)

            def shown():
                with context.wrap_socket(socket.create_connection(("127.0.0.1", it.port), 60), server_hostname="127.0.0.1") as connection:
                    return dict(entry[0] for entry in connection.getpeercert()["subject"])["commonName"]

            held = context.wrap_socket(socket.create_connection(("127.0.0.1", it.port), 60), server_hostname="127.0.0.1")
            self.assertEqual(shown(), "good")
            for file, content in zip(files, self.authority.issue("next")):
                file.write_bytes(content.read_bytes())
            it.process.send_signal(signal.SIGHUP)
            wait_until(lambda: shown() == "next")
            files[1].write_text("not a key")
            it.process.send_signal(signal.SIGHUP)
            wait_until(lambda: any("kept the old TLS certificate" in line for line in it.said))
            self.assertEqual(shown(), "next")
            held.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")  # open all the while
            self.assertTrue(held.recv(4096).startswith(b"HTTP/1.1 200"))
            held.close()

    def test_a_wrong_identity_is_no_start(self):
        locked = self.folder / "locked.key"
        openssl("pkcs8", "-topk8", "-in", str(self.good[1]), "-out", str(locked), "-passout", "pass:secret")
        empty = self.folder / "empty"
        empty.write_text("")
        other = self.authority.issue("other_key")
        for certificate, key, word in ((self.good[0], other[1], "key"), (self.good[0], locked, "password"), (empty, self.good[1], "certificate"),
                                       (self.good[0], "/nowhere", "key"), ("/nowhere", self.good[1], "certificate")):
            result = subprocess.run([harness.COMMAND, "serve", "--data", self.folder / "data", "--listen", "127.0.0.1:0", "--tls-certificate",
                                     certificate, "--tls-key", key], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, rf"\Afuturerand: [^\n]*{word}[^\n]*\n\Z")
        half = subprocess.run([harness.COMMAND, "serve", "--data", self.folder / "data", "--tls-key", self.good[1]],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(half.returncode, 2)

    def test_many_devices_at_once_lose_nothing(self):
        with self.serve(self.good) as it:
            it.start()
            self.create(it, "m")
            plan = json.loads(self.call(it, "GET", "/v1/metrics/m")[1])["plan"]
            chance = random.Random(11)
            for size in (1, 100, 3000):  # small ones, and such that take many TLS records
                lines = "\n".join(Device(plan, chance).enrolment() for _ in range(size))
                status, answer = self.call(it, "POST", "/v1/metrics/m/reports", lines)
                self.assertEqual((status, json.loads(answer)["accepted"]), (200, size))


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER, DEVICE = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
