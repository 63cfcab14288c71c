"""Monitoring a collector: usage: watching_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import http.client
import json
import pathlib
import random
import re
import ssl
import sys
import tempfile
import time
import unittest

import yaml

import harness
from authority import Authority
from devices import Device
from harness import collector, wait_until
from promql import complaints, figures

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"


def expressions():
    """Returns (place, expression) for every query of the dashboard and the alerts."""
    for group in yaml.safe_load((DEPLOY / "alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"])[1]


class Figures(unittest.TestCase):
    """Returns the figures of a collector with TLS, reports and a checkpoint, so that every figure is present."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            authority = Authority(folder)
            certificate, key = authority.issue("server")
            cls.context = ssl.create_default_context(cafile=authority.file)
            with collector("--tls-certificate", str(certificate), "--tls-key", str(key), "--checkpoint-bytes", "4096") as cls.it:
                cls.it.connect = cls.connect
                cls.it.start()
                cls.begin = time.time()
                cls.work(cls.it)
                cls.text = cls.it.call("GET", "/metrics")[1].decode()
        cls.known = figures(cls.text)

    @classmethod
    def connect(cls, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", cls.it.port, timeout=timeout, context=cls.context)

    @classmethod
    def work(cls, it):
        chance = random.Random(3)
        plan = it.create("m", periods=8)["plan"]
        devices = [Device(plan, chance) for _ in range(200)]
        it.post("m", [device.enrolment() for device in devices])
        it.advance("m", 3)
        cls.sent = devices[:120]
        due = [(device, j) for device in cls.sent for j in sorted(device.signs) if j << device.order <= 3]
        for device, j in due:
            if not device.index:
                it.post("m", [device.report(j, j)])
        for device in cls.sent:
            if device.index and device.index << device.order <= 3 and device.signs:
                it.post("m", [device.report(device.index, device.index)])
        cls.plan, cls.devices = plan, devices
        it.post("m", ["nonsense", '{"client":"%032x","index":1,"signs":"+"}' % 5, devices[0].enrolment()])
        it.post("m", ["nonsense", '{"client":"%032x","view":99,"period":1}' % 6])
        it.call("POST", "/v1/metrics/m/advance")
        wait_until(lambda: "futurerand_checkpoint_age_seconds" in it.call("GET", "/metrics")[1].decode())

    def value(self, name, **labels):
        for line in self.text.splitlines():
            found = re.fullmatch(r"([a-z_]+)(\{.*\})? (\S+)", line)
            if found and found[1] == name and labels.items() <= dict(re.findall(r'([a-z_]+)="([^"]*)"', found[2] or "")).items():
                return float(found[3])
        raise AssertionError(f"no {name} {labels}")

    def test_every_figure_is_explained_once(self):
        helps, types = (re.findall(rf"^# {word} ([a-z_]+) (.+)$", self.text, re.MULTILINE) for word in ("HELP", "TYPE"))
        self.assertEqual([name for name, _ in helps], [name for name, _ in types])
        self.assertEqual(len(helps), len(set(name for name, _ in helps)))
        kinds = dict(types)
        for name in self.known:
            family = re.sub("_(bucket|sum|count)$", "", name)
            self.assertIn(name if name in kinds else family, kinds)
            if family not in kinds:
                self.assertEqual(kinds[name] == "counter", name.endswith("_total"), name)

    def test_the_newest_estimate_is_the_one_of_the_api(self):
        with collector() as it:
            it.start()
            chance = random.Random(5)
            plan = it.create("crashes", periods=8, epsilon="4", initial="zero", protocol="innovation", max_changes=1)["plan"]
            ids = ["%032x" % chance.getrandbits(128) for _ in range(200)]
            it.post("crashes", [json.dumps({"client": one, "view": 0, "period": 1}) for one in ids])
            self.assertNotIn("futurerand_share{", it.call("GET", "/metrics")[1].decode())  # no period is over
            it.advance("crashes", 3)
            it.post("crashes", [json.dumps({"client": one, "index": 1, "signs": "++-"}) for one in ids])
            row = it.get("/v1/metrics/crashes/estimates")["periods"][-1]

            def values():
                text = it.call("GET", "/metrics")[1].decode()
                return {name: float(value) for name, value in re.findall(r'^(futurerand_\w+){metric="crashes",label=""} (\S+)$', text, re.MULTILINE)}

            wait_until(lambda: values().get("futurerand_counted_devices") == 200)
            self.assertEqual(values(), {"futurerand_estimate": row["estimate"], "futurerand_estimate_lower": row["lower"],
                                        "futurerand_estimate_upper": row["upper"], "futurerand_share": row["share"],
                                        "futurerand_share_lower": row["share_lower"], "futurerand_share_upper": row["share_upper"],
                                        "futurerand_counted_devices": row["devices"]})
            self.assertEqual(plan["protocol"], "innovation")

    def test_segments_have_gauges_of_their_own(self):
        with collector() as it:
            it.start()
            it.create("crashes", periods=8, epsilon="4", protocol="innovation", max_changes=1,
                      segment={"name": "platform", "values": ["linux", "mac"]})
            ids = ["%032x" % one for one in range(1, 91)]
            it.post("crashes", [json.dumps({"client": one, "view": 0, "period": 1, "segment": "mac" if i % 3 == 0 else "linux"})
                                for i, one in enumerate(ids)])
            it.advance("crashes", 2)
            it.post("crashes", [json.dumps({"client": one, "index": 1, "signs": "+-"}) for one in ids])
            rows = {row["segment"]: row for row in it.get("/v1/metrics/crashes/estimates?by=segment&from=2")["periods"]}

            def shares():
                text = it.call("GET", "/metrics")[1].decode()
                found = re.findall(r'^futurerand_share{metric="crashes",label="",segment="(\w+)"} (\S+)$', text, re.MULTILINE)
                return {segment: float(value) for segment, value in found}

            wait_until(lambda: shares() == {name: row["share"] for name, row in rows.items()})
            self.assertEqual({name: row["devices"] for name, row in rows.items()}, {"linux": 60, "mac": 30})

    def test_reasons_are_counted(self):
        self.assertEqual(self.value("futurerand_line_errors_total", reason="malformed"), 2)
        self.assertEqual(self.value("futurerand_line_errors_total", reason="unknown_client"), 1)
        self.assertEqual(self.value("futurerand_line_errors_total", reason="bad_view"), 1)
        self.assertEqual(self.value("futurerand_line_errors_total", reason="too_long"), 0)
        self.assertEqual(self.value("futurerand_lines_total", metric="m", outcome="duplicate"), 1)
        self.assertEqual(self.value("futurerand_refused_total", reason="token"), 1)

    def test_lag(self):
        """Counts the due and the received reports of period 3."""
        def due(devices):
            return sum(j << device.order == 3 for device in devices for j in device.signs)
        self.assertEqual(self.value("futurerand_reports_due", metric="m"), due(self.devices))
        self.assertEqual(self.value("futurerand_reports_due_received", metric="m"), due(self.sent))
        self.assertGreater(due(self.devices), due(self.sent))
        self.assertGreater(due(self.sent), 0)

    def test_the_process(self):
        version = self.known["futurerand_build_info"][0]
        self.assertRegex(version["version"], r"\A\d+\.\d+\.\d+\Z")
        self.assertTrue(version["compiler"])
        self.assertLess(abs(self.value("process_start_time_seconds") - self.begin), 60)
        self.assertGreater(self.value("process_resident_memory_bytes"), 1 << 20)
        self.assertGreater(self.value("process_open_fds"), 5)
        self.assertGreater(self.value("process_max_fds"), 100)
        self.assertGreater(self.value("process_cpu_seconds_total"), 0)

    def test_dashboard_and_alerts_read_what_there_is(self):
        count = 0
        for where, expression in expressions():
            with self.subTest(where, expression=expression):
                self.assertEqual(complaints(expression, self.known), [])
                count += 1
        self.assertGreater(count, 30)
        shown = " ".join(expression for _, expression in expressions())
        unwatched = {name for name in self.known if not name.endswith(("_sum", "_count")) and name not in shown}
        self.assertEqual(unwatched, set())

    def test_alerts_say_how_bad_it_is_and_what_to_do(self):
        for group in yaml.safe_load((DEPLOY / "alerts.yaml").read_text())["groups"]:
            for rule in group["rules"]:
                self.assertEqual(set(rule), {"alert", "expr", "for", "labels", "annotations"}, rule)
                self.assertIn(rule["labels"]["severity"], ("page", "ticket"))
                self.assertEqual(set(rule["annotations"]), {"summary"})

    def test_complaints_are_made(self):
        for wrong in ["rate(futurerand_nothing_total[5m])", "futurerand_devices > (1", 'futurerand_lines_total{outcome="lost"}',
                      'futurerand_devices{outcome="accepted"}', "sum by (shape) (futurerand_devices)", "rate(futurerand_lines_total[5q])", "1 + 1"]:
            self.assertNotEqual(complaints(wrong, self.known), [], wrong)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
