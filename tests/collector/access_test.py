"""Access rules of every call: usage: access_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import contextlib
import signal
import sys
import time
import unittest

import harness
from harness import collector, wait_until

READ, SUBMIT = "a-token-for-readers", "a-token-for-devices"


def bearer(token):
    return {"Authorization": "Bearer " + token}


class Tokens(unittest.TestCase):
    # Calls of each kind of access, with their status for the right token.
    CALLS = {
        "read": [("GET", "/v1/metrics", 200), ("GET", "/v1/metrics/m/estimates", 200), ("GET", "/v1/metrics/m/sums", 200),
                 ("GET", "/metrics", 200), ("GET", "/v1/plan?periods=4", 200), ("HEAD", "/v1/metrics/m/sums", 200),
                 ("GET", "/v1/metrics/none/sums", 404)],
        "submit": [("POST", "/v1/metrics/m/reports", 200)],
        "terms": [("GET", "/v1/metrics/m", 200), ("GET", "/v1/metrics/none", 404)],
        "admin": [("POST", "/v1/metrics/m/advance", 200)],
        "anyone": [("GET", "/healthz", 200), ("GET", "/readyz", 200), ("GET", "/v1", 200), ("GET", "/v1/openapi.yaml", 200), ("GET", "/", 200)],
    }

    def statuses(self, it, token):
        """Returns, for each kind of access, the statuses of its calls with this token."""
        headers = bearer(token) if token else {}
        return {access: [it.call(method, path, headers=headers)[0] for method, path, _ in calls]
                for access, calls in self.CALLS.items()}

    def check(self, it, token, opened, refused):
        for access, got in self.statuses(it, token).items():
            expected = [right for _, _, right in self.CALLS[access]] if access in opened else [refused] * len(got)
            self.assertEqual(got, expected, (token, access))

    def start(self, it, **lists):
        for kind, tokens in lists.items():
            (it.folder / kind).write_text("\n".join(tokens) + "\n")
            it.flags += (f"--{kind}-token-file", str(it.folder / kind))
        it.start()
        it.create("m", periods=64)

    def test_each_kind_opens_its_calls_and_no_others(self):
        with collector() as it:
            self.start(it, read=[READ], submit=[SUBMIT])
            self.check(it, None, ["anyone"], 401)
            self.check(it, "a-token-of-nobody", ["anyone"], 401)
            with contextlib.closing(it.connect()) as connection:  # guesses are slow
                begin = time.monotonic()
                for guess in range(5):
                    connection.request("GET", "/v1/metrics", headers=bearer(f"a-token-number-{guess}"))
                    response = connection.getresponse()
                    self.assertEqual((response.status, bool(response.read())), (401, True))
                self.assertGreater(time.monotonic() - begin, 0.9)
            self.check(it, READ[:-1], ["anyone"], 401)
            self.check(it, READ + "x", ["anyone"], 401)
            self.check(it, READ, ["anyone", "read", "terms"], 403)
            self.check(it, SUBMIT, ["anyone", "submit", "terms"], 403)
            self.check(it, harness.TOKEN, list(self.CALLS), None)
            for headers in ({"Authorization": READ}, {"Authorization": "Basic " + READ}, {"Authorization": "bearer" + READ}):
                self.assertEqual(it.call("GET", "/v1/metrics", headers=headers)[0], 401)
            self.assertEqual(it.call("GET", "/v1/metrics?token=" + READ)[0], 401)  # never in an address
            status, answer, headers = it.call("GET", "/v1/metrics")
            self.assertEqual((status, answer["error"]["code"], headers["WWW-Authenticate"]), (401, "unauthorized", "Bearer"))
            count = lambda: it.call("GET", "/metrics", headers=bearer(READ))[1].decode()
            self.assertRegex(count(), r'futurerand_refused_total\{reason="token"\} [1-9]')
            said = " ".join(it.said)
            for secret in (READ, SUBMIT, harness.TOKEN):
                self.assertNotIn(secret, said)

    def test_what_has_no_tokens_is_open(self):
        with collector() as it:
            self.start(it)
            self.check(it, None, ["anyone", "read", "submit", "terms"], 401)
        with collector() as it:  # a device without a token must still read the metric's definition
            self.start(it, read=[READ])
            self.check(it, None, ["anyone", "submit", "terms"], 401)
        with collector() as it:
            self.start(it, submit=[SUBMIT])
            self.check(it, None, ["anyone", "read", "terms"], 401)

    def test_tokens_are_rotated_without_a_restart(self):
        old, new = "the-old-read-token", "the-new-read-token"
        with collector() as it:
            self.start(it, read=["# since May", old])
            status = lambda token: it.call("GET", "/v1/metrics", headers=bearer(token))[0]
            reloads = lambda: sum("read the tokens again" in line for line in it.said)

            def reload(text):
                before = reloads()
                (it.folder / "read").write_text(text)
                it.process.send_signal(signal.SIGHUP)
                wait_until(lambda: reloads() > before)

            self.assertEqual((status(old), status(new)), (200, 401))
            reload(f"{new}\r\n{old}\r\n")
            self.assertEqual((status(old), status(new), status("neither-of-the-two")), (200, 200, 401))
            reload(new + "\n")
            self.assertEqual((status(old), status(new)), (401, 200))
            # An unreadable file changes nothing: old tokens still work, and new ones do not.
            for broken in ("", "short\n"):
                (it.folder / "read").write_text(broken)
                before = sum("kept the old tokens" in line for line in it.said)
                it.process.send_signal(signal.SIGHUP)
                wait_until(lambda: sum("kept the old tokens" in line for line in it.said) > before)
                self.assertEqual((status(old), status(new), status("")), (401, 200, 401))
            self.assertEqual(it.get("/healthz")["status"], "ok")
            self.assertEqual(it.stop(), 0)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
