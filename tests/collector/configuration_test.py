"""How a collector is configured: usage: configuration_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import harness
from authority import Authority
from harness import collector, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Configuration(unittest.TestCase):
    def setUp(self):
        scope = tempfile.TemporaryDirectory(prefix="futurerand-config-")
        self.addCleanup(scope.cleanup)
        self.folder = pathlib.Path(scope.name)
        (self.folder / "token").write_text("a-token-in-a-file\n")

    def check(self, text, *flags, environment=None):
        """Runs `serve --check-config` with this file, and returns its status and output."""
        file = self.folder / "serve.toml"
        file.write_text(text)
        result = subprocess.run([harness.COMMAND, "serve", "--check-config", "--config", file, *flags], capture_output=True, text=True,
                                timeout=60, env={**os.environ, **(environment or {})})
        return result.returncode, result.stdout + result.stderr

    def flags(self):
        """Returns the flags of `serve` for a file, with the form of their values, or nothing if they take none."""
        text = subprocess.run([harness.COMMAND, "serve", "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
        found = dict(re.findall(r"^  (?:-\w,)?--([a-z-]+)(?: ([A-Z|a-z:]+))?", text, re.MULTILINE))
        return {name: kind for name, kind in found.items() if name not in ("help", "config")}

    def test_a_file_has_every_flag(self):
        data, token = self.folder / "data", self.folder / "token"
        certificate, key = Authority(self.folder / "authority").issue("server")
        values = {"data": data, "listen": "127.0.0.1:0", "admin-token-file": token, "read-token-file": token, "submit-token-file": token,
                  "tls-certificate": certificate, "tls-key": key, "log-format": "json", "trusted-proxy": ["10.0.0.0/8", "::1"],
                  "host": ["a.test", "b.test"], "allow-origin": ["https://a.test"], "frame-ancestor": ["https://wiki.test"], "threads": 3, "max-connections": 100, "max-connections-of-address": 50,
                  "max-body-bytes": 5000, "max-bodies-mib": 10, "header-timeout-ms": 1000, "body-timeout-ms": 1000,
                  "checkpoint-bytes": 5000, "max-state-mib": 100, "max-streams": 5, "stall-ms": 100, "clock-patience": 60, "erase-after": 3600, "lines-per-second": 5.5,
                  "enrolments-per-hour": 7}
        flags = self.flags()
        self.assertIn("data", flags)
        self.assertGreater(len(flags), 20)
        lines = []
        for name, kind in flags.items():
            if name in values:
                value = values[name]
                lines.append(f"{name} = {json.dumps(str(value) if isinstance(value, pathlib.Path) else value)}")
            elif not kind:
                lines.append(f"{name} = false")
        self.assertEqual(self.check("\n".join(lines)), (0, "the configuration is valid\n"))
        self.assertEqual(set(values) - set(flags), set())

    def test_a_broken_file_is_refused_and_serves_nothing(self):
        for text in ('data = "data\n', "data = 'data\n", "data = [1\n", "data\n", '[serve\ndata = "x"\n'):
            status, said = self.check(text)
            self.assertEqual(status, 2, (text, said))
            self.assertIn("is no TOML", said)
        before = set(self.folder.iterdir())
        done = subprocess.run([harness.COMMAND, "serve", "--create", "--config", self.folder / "serve.toml"], capture_output=True,
                              text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(set(self.folder.iterdir()), before)

    def test_the_file_is_believed(self):
        with collector() as it:
            (it.folder / "serve.toml").write_text('# ours\nmax-body-bytes = 2000\nhost = ["a.test", "127.0.0.1"]\ndemo = true\nlog-format = "json"\n')
            it.flags = ("--config", str(it.folder / "serve.toml"))
            it.start()
            self.assertTrue(it.get("/healthz")["demo"])
            self.assertEqual(it.call("POST", "/v1/metrics/m/reports", "x" * 3000)[0], 413)
            self.assertEqual([it.call("GET", "/healthz", headers={"Host": host})[0] for host in ("a.test", "b.test")], [200, 421])
            it.create("m")
            wait_until(lambda: any("created metric" in line for line in it.said))
            events = [json.loads(line) for line in it.said]  # every line is one
            for event in events:
                self.assertEqual(set(event), {"time", "level", "program", "event", "message"})
                self.assertRegex(event["time"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
                self.assertEqual((event["program"], event["level"]), ("serve", "info"))
            self.assertEqual(it.stop(), 0)
            self.assertIn("everything is on disk", json.loads(it.said[-1])["message"])
            self.assertEqual([event["event"] for event in events], ["listening", "metric_created"])
            self.assertEqual(json.loads(it.said[-1])["event"], "stopped")
            # An end before serving is an event too.
            (it.data / "FORMAT").write_text("futurerand collector 9\n")
            it.said.clear()
            it.start()
            self.assertEqual(it.wait(), 1)
            last = [json.loads(line) for line in it.said][-1]
            self.assertEqual((last["event"], last["level"]), ("start_failed", "fatal"))
            self.assertIn("FORMAT", last["message"])

    def test_what_is_stronger(self):
        good = f'data = "{self.folder}/data"\nthreads = 0\n'
        self.assertEqual(self.check(good)[0], 2)
        self.assertEqual(self.check(good, "--threads", "2")[0], 0)
        self.assertEqual(self.check(good, "--threads=2")[0], 0)
        token = f'data = "{self.folder}/data"\nadmin-token-file = "/nowhere"\n'
        self.assertEqual(self.check(token)[0], 2)
        self.assertEqual(self.check(token, environment={"FUTURERAND_ADMIN_TOKEN_FILE": str(self.folder / "token")})[0], 0)
        self.assertEqual(self.check(token, "--admin-token-file", "/nowhere/else",
                                    environment={"FUTURERAND_ADMIN_TOKEN_FILE": str(self.folder / "token")})[0], 2)

    def test_secrets_have_their_places_in_the_environment(self):
        data = f'data = "{self.folder}/data"\n'
        for kind in ("ADMIN", "READ", "SUBMIT"):
            status, said = self.check(data, environment={f"FUTURERAND_{kind}_TOKEN_FILE": "/nowhere"})
            self.assertEqual(status, 2)
            self.assertIn("/nowhere", said)
        certificate, key = Authority(self.folder / "authority").issue("server")
        self.assertEqual(self.check(data, environment={"FUTURERAND_TLS_CERTIFICATE": str(certificate), "FUTURERAND_TLS_KEY": str(key)})[0], 0)
        self.assertEqual(self.check(data, environment={"FUTURERAND_TLS_CERTIFICATE": str(key), "FUTURERAND_TLS_KEY": str(key)})[0], 2)

    def test_what_is_wrong_is_named(self):
        data = f'data = "{self.folder}/data"\n'
        file = self.folder / "file"
        file.write_text("")
        expired = Authority(self.folder / "authority").issue("expired", days=(-2, -1))
        for text, word in [("", "--data"), (data + "thread = 2\n", "thread"), (data + "[serve]\nthreads = 2\n", "serve"), (data + 'threads = "many"\n', "threads"),
                           (data + 'listen = "nowhere"\n', "--listen"), (data + 'listen = "a.test:80"\n', "--listen"), (f'data = "{file}"\n', "not a folder"),
                           (data + 'config = "other.toml"\n', "config"), (data + 'frame-ancestor = ["*"]\n', "--frame-ancestor"), (data + 'trusted-proxy = ["x"]\n', "--trusted-proxy"),
                           (data + f'admin-token-file = "{file}"\n', "token"), (data + 'log-format = "xml"\n', "--log-format"),
                           (data + f'tls-certificate = "{expired[0]}"\n', "tls-key"),
                           (data + f'tls-certificate = "{expired[0]}"\ntls-key = "{expired[1]}"\n', "expired")]:
            with self.subTest(text):
                status, said = self.check(text)
                self.assertEqual(status, 2, said)
                self.assertIn(word, said)
        self.assertFalse((self.folder / "data").exists())  # looking does nothing
        for wrong in (f'data = "{self.folder}/data\n', "data = unquoted\n", data + data, data + "threads = 2 3\n", data + "threads =\n",
                      data + 'host = ["a.test"\n', data + 'log-format = "\\q"\n', "data\n", data + "listen = 2026-11-18\n"):
            with self.subTest(wrong):
                status, said = self.check(wrong)
                self.assertEqual(status, 2, said)
                self.assertIn(str(self.folder / "serve.toml"), said)
        self.assertRegex(self.check(data + 'log-format = "text\n')[1], r"line 2:")
        result = subprocess.run([harness.COMMAND, "serve", "--config", "/nowhere"], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nowhere", result.stderr)

    def test_the_example_is_in_order(self):
        text = (ROOT / "deploy" / "serve.toml").read_text()
        for place in re.findall(r'"(/[^"]+)"', text):
            name = place.rsplit("/", 1)[1]
            if "token" in name:
                text = text.replace(place, str(self.folder / "token"))
            elif name.endswith((".pem", ".key")):
                pair = Authority(self.folder / "authority").issue("server") if not (self.folder / "authority").exists() else pair
                text = text.replace(place, str(pair[0 if name.endswith(".pem") else 1]))
            else:
                text = text.replace(place, str(self.folder / name))
        self.assertEqual(self.check(text), (0, "the configuration is valid\n"))
        # Flags in comments count too.
        known = set(self.flags())
        self.assertLessEqual(set(re.findall(r"^#?([a-z-]+) = ", text, re.MULTILINE)), known)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
