"""A collector that runs, held against openapi.yaml: usage: openapi_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import gzip
import json
import random
import sys
import unittest
import urllib.parse

import harness
from devices import Device
from harness import collector, wait_until
from openapi import FILE, Description
from openapi_fuzz import broken_object, broken_text, value

READ, SUBMIT = "a-token-for-readers", "a-token-for-devices"
MANUAL = {"periods": 8, "max_changes": 2, "epsilon": "1", "clock": "manual"}


class Checked:
    """Calls a collector, and checks every answer."""

    def __init__(self, test, it, description):
        self.test, self.it, self.description = test, it, description

    def __call__(self, method, target, body=None, token=None, headers=None):
        headers = {**({"Authorization": "Bearer " + token} if token else {}), **(headers or {})}
        status, answer, got = self.it.call(method, target, body, headers)
        self.description.check(self.test, method, target, status, answer, got)
        return status, answer

    def stream(self, target, token=None):
        """Returns the head of an event stream, which does not end by itself."""
        connection = self.it.connect()
        try:
            connection.request("GET", target, headers={"Authorization": "Bearer " + token} if token else {})
            response = connection.getresponse()
            answer = "" if response.status == 200 else json.loads(response.read())
            self.description.check(self.test, "GET", target, response.status, answer, response.headers)
            response.close()
            return response.status
        finally:
            connection.close()


class File(unittest.TestCase):
    def test_has_every_call_and_no_other(self):
        description = Description()
        with collector("--demo") as it:
            it.start()
            calls = it.get("/v1")["calls"]
            served = it.call("GET", "/v1/openapi.yaml")[1].decode()
        described = {(method, path, operation["x-access"]) for (method, path), operation in description.operations.items()}
        self.assertEqual(described, {(call["method"], call["path"].replace("...", ""), call["access"]) for call in calls})
        self.assertEqual(served, FILE.read_text())
        names = [operation["operationId"] for operation in description.operations.values()]
        self.assertEqual(len(names), len(set(names)))
        for (method, path), operation in description.operations.items():
            self.assertIn("default", operation["responses"], (method, path))
            self.assertIn("summary", operation, (method, path))

    def test_notices_what_it_does_not_describe(self):
        description = Description()
        good = {"error": {"code": "unknown_metric", "message": "there is none"}}
        headers = {"Content-Type": "application/json"}
        description.check(self, "GET", "/v1/metrics/x", 404, good, headers)
        for method, target, status, answer, head in [
                ("GET", "/v1/metrics/x", 418, good, headers), ("GET", "/v1/metrics/x", 404, {"error": {}}, headers),
                ("GET", "/v1/metrics/x", 404, {**good, "more": 1}, headers), ("GET", "/v1/metrics/x", 404, good, {"Content-Type": "text/html"}),
                ("GET", "/v1/metrics/x", 401, good, headers), ("DELETE", "/v1/plan", 200, good, headers),
                ("GET", "/v1/metrics/x", 200, {"name": "x"}, headers)]:
            with self.assertRaises(AssertionError, msg=(method, target, status, answer)):
                description.check(self, method, target, status, answer, head)


class Answers(unittest.TestCase):
    """Brings about and checks every status that the file has for every call."""

    def test_every_status(self):
        description = Description()
        with collector("--demo", "--max-body-bytes", "200000", "--lines-per-second", "20000") as it:
            it.start()
            self.open_calls(Checked(self, it, description), it)
        with collector("--keep-log", disk=True) as it:
            it.start()
            self.full_disk(Checked(self, it, description), it)
        with collector() as it:
            for kind, token in (("read", READ), ("submit", SUBMIT)):
                (it.folder / kind).write_text(token + "\n")
                it.flags += (f"--{kind}-token-file", str(it.folder / kind))
            it.flags += ("--demo",)
            it.start()
            self.closed_calls(Checked(self, it, description))
        with collector("--lines-per-second", "1", "--trusted-proxy", "127.0.0.1") as it:
            it.start()
            self.hurried(Checked(self, it, description))
        self.assertEqual(description.documented() - description.seen, set())

    def open_calls(self, call, it):
        chance = random.Random(1)
        put = lambda name, body, **options: call("PUT", f"/v1/metrics/{name}", json.dumps(body), harness.TOKEN, **options)[0]
        self.assertEqual([put("m", MANUAL), put("m", MANUAL), put("m", {**MANUAL, "periods": 9}), put("m", {"periods": 8})], [201, 200, 409, 400])
        self.assertEqual(put("wall", {"periods": 8, "max_changes": 2, "epsilon": "1", "period_seconds": 3600}), 201)
        for protocol in ("innovation", "hybrid", "optimal", "future_rand", "warner", "erlingsson", "bun", "snapshot", "repeated"):
            self.assertEqual(put(protocol, {**MANUAL, "protocol": protocol, "epsilon": "1" if protocol in ("future_rand", "bun") else "4"}), 201)
        pulse = {**MANUAL, "protocol": "pulse", "epsilon": "4", "initial": "zero"}
        self.assertEqual([put("pulse", {**pulse, "max_changes": 1}), put("pulse-2", pulse)], [201, 400])
        once = {**MANUAL, "protocol": "once", "max_changes": 0}
        self.assertEqual([put("once", once), put("once-2", {**once, "max_changes": 1}), put("once-3", {**once, "initial": "zero"})], [201, 400, 400])
        self.assertEqual([call("PUT", "/v1/metrics/n", "{}")[0], call("GET", "/v1/metrics/none")[0]], [401, 404])
        for path in ("estimates", "sums", "difference?before=1&after=2"):
            self.assertEqual(call("GET", f"/v1/metrics/none/{path}")[0], 404)
        self.assertEqual([call.stream("/v1/metrics/none/events"), call.stream("/v1/metrics/m/events")], [404, 200])

        advance = "/v1/metrics/m/advance"
        self.assertEqual([call("POST", advance, "{}", harness.TOKEN)[0], call("POST", advance, None, "wrong token")[0],
                          call("POST", "/v1/metrics/none/advance", None, harness.TOKEN)[0],
                          call("POST", "/v1/metrics/wall/advance", None, harness.TOKEN)[0]], [400, 401, 404, 409])
        for _ in range(8):
            self.assertEqual(call("POST", advance, None, harness.TOKEN)[0], 200)
        reports = "/v1/metrics/m/reports"
        plan = call("GET", "/v1/metrics/m")[1]["plan"]
        lines = [line for device in [Device(plan, chance) for _ in range(50)] for line in device.lines(chance)]
        self.assertEqual(call("POST", reports, "\n".join([*lines, "nonsense", '{"client":"%032x","index":1,"signs":"+"}' % 7]))[0], 200)
        header = {"futurerand": 1, "plan": plan, "seeded": False}
        other = call("GET", "/v1/metrics/warner")[1]["plan"]
        self.assertEqual([call("POST", reports, "x\n" * 2000)[0], call("POST", "/v1/metrics/none/reports", "")[0],
                          call("POST", reports, json.dumps({**header, "plan": other}))[0], call("POST", reports, "x" * 300000)[0],
                          call("POST", reports, "x", headers={"Content-Encoding": "br"})[0],
                          call("POST", reports, gzip.compress("\n".join(lines).encode()), headers={"Content-Encoding": "gzip"})[0]],
                         [400, 404, 409, 413, 415, 200])
        sections = ['{"metric":"m"}', *lines, '{"metric":"none"}', lines[0]]
        status, answer = call("POST", "/v1/reports", "\n".join(sections))
        self.assertEqual((status, [part["status"] for part in answer["metrics"]]), (200, [200, 404]))
        self.assertEqual([call("POST", "/v1/reports", lines[0])[0], call("POST", "/v1/reports", "x" * 300000)[0],
                          call("POST", "/v1/reports", "x", headers={"Content-Encoding": "br"})[0]], [400, 413, 415])
        for path in ("", "/estimates", "/estimates?estimator=hindsight&band=simultaneous", "/estimates?estimator=trend&level=0.5&from=2&to=3", "/sums"):
            self.assertEqual(call("GET", "/v1/metrics/m" + path)[0], 200)
            self.assertEqual(call("HEAD", "/v1/metrics/m" + path)[0], 200)
        self.assertEqual(call("GET", "/v1/metrics/m/estimates", headers={"Accept": "text/csv"})[0], 200)
        self.assertEqual(call("GET", "/v1/metrics/m/estimates?level=2")[0], 400)
        self.assertEqual([call("GET", "/v1/metrics/m/difference" + query)[0] for query in ("?before=1..3&after=5..8", "?before=1", "")], [200, 400, 400])
        for path in ("/v1", "/v1/metrics", "/v1/openapi.yaml", "/healthz", "/readyz", "/metrics", "/", "/v1/plan?periods=8&target_error=0.1",
                     "/v1/plan?periods=8&changes=2&value=category&labels=5", "/v1/plan?periods=8&changes=1&value=distribution&range=0,1"):
            self.assertEqual(call("GET", path)[0], 200)
        self.assertEqual([call("GET", "/v1/plan?users=no")[0], call("GET", "/no/such/file")[0], call("GET", "/%zz")[0],
                          call("DELETE", "/v1/plan")[0], call("PATCH", "/v1/metrics/m")[0]], [400, 404, 400, 405, 405])
        self.assertEqual(call("POST", "/v1/clock/confirm", None, harness.TOKEN)[0], 200)
        self.assertEqual([call("GET", "/v1/cluster")[0], call("GET", "/v1/cluster", None, harness.TOKEN)[0]], [401, 404])
        self.seasons(call, put)
        self.ends(call)
        etag = it.call("GET", "/")[2]["ETag"]
        self.assertEqual(call("GET", "/", headers={"If-None-Match": etag})[0], 304)
        play = json.dumps({"users": 100, "periods": 8, "population": "churn", "period_milliseconds": 10})
        self.assertEqual([call("POST", "/v1/playground", play)[0], call("POST", "/v1/playground", "{")[0]], [201, 400])
        self.assertEqual(call("GET", "/v1/metrics", headers={"Origin": "http://evil.test"})[0], 403)

    def seasons(self, call, put):
        endless = {"periods": 8, "max_changes": 1, "epsilon": "1", "period_seconds": 3600, "seasons": {"every": 4, "rest": 8}}
        self.assertEqual([put("endless", endless), put("endless", endless), put("endless-2", {**endless, "seasons": {"every": 3}})], [201, 200, 400])
        path = "/v1/metrics/endless/seasons/"
        line = '{"client":"%032x","view":0,"period":1}' % 7
        reports = lambda body, season=2, **options: call("POST", f"{path}{season}/reports", body, **options)[0]
        self.assertEqual([call("GET", path + "2" + what)[0] for what in ("", "/estimates", "/sums")], [404, 404, 404])
        self.assertEqual([reports(line), reports(line, 3), reports("x\n" * 2000), reports("x" * 300000),
                          reports("x", headers={"Content-Encoding": "br"})], [200, 404, 400, 413, 415])
        other = call("GET", "/v1/metrics/warner")[1]["plan"]
        self.assertEqual(reports(json.dumps({"futurerand": 1, "plan": other, "seeded": False})), 409)
        self.assertEqual(call("POST", "/v1/metrics/endless/reports", line)[0], 409)
        for what in ("", "/estimates", "/sums"):
            self.assertEqual(call("GET", path + "2" + what)[0], 200)
        self.assertEqual(call("GET", path + "2/estimates", headers={"Accept": "text/csv"})[0], 200)
        self.assertEqual(call("GET", path + "2/estimates?level=2")[0], 400)
        for what in ("", "/estimates", "/estimates?from=1", "/sums"):
            self.assertEqual(call("GET", "/v1/metrics/endless" + what)[0], 200)
        self.assertEqual(call("GET", "/v1/metrics/endless/export", None, harness.TOKEN)[0], 200)

    def ends(self, call):
        admin = lambda method, path, body=None: call(method, "/v1/metrics/" + path, body, harness.TOKEN)
        self.assertEqual([admin("POST", "m/archive")[0], admin("POST", "m/archive", "{")[0], admin("POST", "none/archive")[0],
                          admin("POST", "none/close")[0], admin("DELETE", "none")[0], admin("GET", "none/export")[0]],
                         [409, 400, 404, 404, 404, 404])
        document = json.dumps(admin("GET", "m/export")[1])
        self.assertEqual([admin("POST", "m/import", document)[0], admin("POST", "copy/import", "{}")[0], admin("POST", "copy/import", document)[0]],
                         [409, 400, 201])
        self.assertEqual(admin("PUT", "texts", json.dumps({**MANUAL, "protocol": "innovation", "value": {"kind": "text"}}))[0], 201)
        self.assertEqual([admin("PUT", f"{name}/candidates", '{"candidates":["a","b"]}')[0] for name in ("texts", "m", "none")], [200, 400, 404])
        self.assertEqual([call("GET", "/v1/metrics/texts" + path)[0] for path in ("", "/estimates", "/estimates?label=c")], [200, 200, 200])
        self.assertEqual(admin("DELETE", "texts")[0], 200)
        self.assertEqual([admin("PUT", f"{name}/annotations", '{"period":2,"text":"a note"}')[0] for name in ("warner", "none")], [200, 404])
        self.assertEqual([admin("PUT", "warner/annotations", body)[0] for body in ("{", '{"period":99,"text":"x"}')], [400, 400])
        self.assertEqual(admin("PUT", "copy/annotations", '{"period":2,"text":"it is closed"}')[0], 409)
        self.assertEqual([call("GET", "/v1/metrics/warner" + path)[0] for path in ("", "/estimates")], [200, 200])
        segment = {"segment": {"name": "platform", "values": ["linux", "mac"]}}
        self.assertEqual(admin("PUT", "segments", json.dumps({**MANUAL, "protocol": "innovation", **segment}))[0], 201)
        line = json.dumps({"client": "5" * 32, "view": 0, "period": 1, "segment": "mac"}) + "\n"
        for body, errors in ((line, []), (line.replace("mac", "amiga").replace("5", "6"), [{"line": 1, "reason": "bad_segment"}])):
            self.assertEqual(call("POST", "/v1/metrics/segments/reports", body)[1]["errors"], errors)
        self.assertEqual(admin("POST", "segments/advance")[0], 200)
        for query in ("", "?segment=mac", "?by=segment", "?segment=mac&against=linux"):
            self.assertEqual(call("GET", "/v1/metrics/segments/estimates" + query)[0], 200)
        self.assertEqual([call("GET", "/v1/metrics/segments/estimates" + query)[0] for query in ("?segment=amiga", "?against=mac")], [400, 400])
        self.assertEqual([call("GET", "/v1/metrics/segments" + path)[0] for path in ("", "/sums")], [200, 200])
        self.assertEqual(admin("GET", "segments/export")[0], 200)
        self.assertEqual([admin("POST", "warner/close")[0], admin("POST", "warner/close", '{"closed":false}')[0],
                          admin("POST", "warner/close", "{")[0], admin("POST", "copy/close", '{"closed":false}')[0]], [200, 200, 400, 409])
        self.assertEqual([admin("POST", "warner/close")[0], admin("POST", "warner/archive")[0]], [200, 200])
        self.assertTrue(call("GET", "/v1/metrics/warner")[1]["archived"])
        listed = lambda query: [metric["name"] for metric in call("GET", "/v1/metrics?" + query)[1]["metrics"]]
        self.assertEqual((listed("archived=true"), listed("name=opy&state=closed&limit=1")), (["warner"], ["copy"]))
        self.assertIn("next", call("GET", "/v1/metrics?limit=1")[1])
        self.assertEqual(call("GET", "/v1/metrics?limit=0")[0], 400)
        self.assertEqual(admin("DELETE", "copy")[0], 200)

    def full_disk(self, call, it):
        call("PUT", "/v1/metrics/m", json.dumps({**MANUAL, "protocol": "optimal"}), harness.TOKEN)
        seeded = {"futurerand": 1, "plan": call("GET", "/v1/metrics/m")[1]["plan"], "seeded": True}
        self.assertEqual(call("POST", "/v1/metrics/m/reports", json.dumps(seeded))[0], 403)
        self.assertEqual(call("DELETE", "/v1/metrics/m", None, harness.TOKEN)[0], 409)  # its log is kept
        it.fault("full", True)
        self.assertEqual(call("POST", "/v1/metrics/m/reports", '{"client":"%032x","view":0,"period":1}' % 1)[0], 503)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(call("GET", path)[0], 503)
        it.fault("full", False)
        wait_until(lambda: call("GET", "/readyz")[0] == 200)

    def closed_calls(self, call):
        """Makes every call that takes a token without one, and with one of another kind."""
        self.assertEqual(call("PUT", "/v1/metrics/m", json.dumps(MANUAL), harness.TOKEN)[0], 201)
        wrong_kind = {"read": SUBMIT, "submit": READ, "admin": READ}
        for (method, path), operation in call.description.operations.items():
            access = operation["x-access"]
            if access == "anyone":
                continue
            target = path.replace("{name}", "m").replace("{season}", "1")
            self.assertEqual(call(method, target)[0], 401, target)
            self.assertEqual(call(method, target, None, "a-token-of-nobody")[0], 401, target)
            if access in wrong_kind:
                self.assertEqual(call(method, target, None, wrong_kind[access])[0], 403, target)

    def hurried(self, call):
        self.assertEqual(call("PUT", "/v1/metrics/m", json.dumps(MANUAL), harness.TOKEN)[0], 201)
        lines = "\n".join('{"client":"%032x","view":0,"period":1}' % i for i in range(5000))
        headers = {"X-Forwarded-For": "192.0.2.1"}  # this machine itself has no limit
        statuses = [call("POST", "/v1/metrics/m/reports", lines, headers=headers)[0] for _ in range(20)]
        self.assertIn(429, statuses)
        endless = {"periods": 8, "max_changes": 1, "epsilon": "1", "period_seconds": 3600, "seasons": {"every": 4}}
        self.assertEqual(call("PUT", "/v1/metrics/endless", json.dumps(endless), harness.TOKEN)[0], 201)
        statuses = [call("POST", "/v1/metrics/endless/seasons/2/reports", lines, headers=headers)[0] for _ in range(20)]
        self.assertIn(429, statuses)


class Fuzz(unittest.TestCase):
    """Makes requests from the file: those that it describes, and those that it does not."""

    def test_requests(self):
        description, chance = Description(), random.Random(20261116)
        with collector("--demo", "--max-body-bytes", "200000") as it:
            it.start()
            call = Checked(self, it, description)
            call("PUT", "/v1/metrics/m", json.dumps({**MANUAL, "periods": 16, "protocol": "innovation"}), harness.TOKEN)
            for _ in range(10):
                call("POST", "/v1/metrics/m/advance", None, harness.TOKEN)
            for round in range(150 if not harness.LONG else 20_000):
                self.bodies(call, chance)
                self.queries(call, chance)
                self.anything(call, chance)
            self.assertEqual(it.get("/healthz")["status"], "ok")
            self.assertEqual(it.stop(), 0)

    def bodies(self, call, chance):
        method, path = chance.choice([("PUT", "/v1/metrics/{name}"), ("POST", "/v1/metrics/{name}/advance"), ("POST", "/v1/playground"),
                                    ("POST", "/v1/metrics/{name}/archive"), ("POST", "/v1/metrics/{name}/import")])
        schema = call.description.body_schema(method, path)
        target = path.replace("{name}", "f%d" % chance.randrange(40))
        if chance.random() < 0.7:
            status, answer = call(method, target, broken_object(call.description, schema, chance), harness.TOKEN)
            self.assertIn(status, (400, 404), answer)
        elif path not in ("/v1/playground", "/v1/metrics/{name}/import"):  # which start fleets, and are more than a schema tells
            status, answer = call(method, target, json.dumps(value(call.description, schema, chance)), harness.TOKEN)
            self.assertLess(status, 500, answer)

    def queries(self, call, chance):
        path = chance.choice(["/v1/metrics/{name}/estimates"] * 7 + ["/v1/metrics"] * 2 + ["/v1/plan"])
        parameters = [one for one in call.description.parameters("GET", path) if one["in"] == "query"]
        chosen = {one["name"]: str(value(call.description, one["schema"], chance, one["name"])) for one in parameters if chance.random() < 0.3}
        broken = chance.random() < 0.7
        if broken:
            one = chance.choice([one for one in parameters if one["schema"].keys() - {"type"}])
            chosen[one["name"]] = broken_text(call.description, one["schema"], chance)
        else:
            for name in ("from", "to", "target_error"):
                if name in chosen:
                    chosen[name] = {"from": "3", "to": "7", "target_error": "0.5"}[name]
            # These are for metrics with labels or buckets, and a window is no longer than the metric. values_test.py has them.
            for name in ("label", "by", "top", "quantile", "curve", "window", "value", "labels", "range", "buckets", "segment", "against",
                         "segments", "segment_shares"):
                chosen.pop(name, None)
            if "estimator" in chosen and "target_error" in chosen:
                del chosen["target_error"]  # trend does not take it
        status, answer = call("GET", path.replace("{name}", "m") + "?" + urllib.parse.urlencode(chosen))
        self.assertEqual(status, 400 if broken else 200, (chosen, answer))

    def anything(self, call, chance):
        method = chance.choice(["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS", "BREW"])
        path = chance.choice(list(call.description.document["paths"]))
        name = chance.choice(["m", "none", "%2e%2e", "a" * 70, "%00", "a%20b", ".", "%ff", "m/", "{name}"])
        if path.endswith("/events") and method == "GET":
            return  # it does not end
        target = path.replace("{name}", name).replace("{file}", chance.choice(["", "..", "assets/x", "%2e%2e%2fetc", "v2"]))
        body = chance.choice([None, "", "{}", chance.randbytes(chance.randrange(200)), "[" * 1000])
        if method in ("GET", "HEAD"):
            body = None
        token = chance.choice([None, "x", harness.TOKEN])
        if token == harness.TOKEN and name.startswith("m"):
            return  # it is to stay as it is
        status, answer = call(method, target, body, token)
        self.assertLess(status, 500, answer)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
