"""From its first period to its deletion: usage: lifecycle_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import json
import os
import random
import subprocess
import sys
import threading
import unittest

import harness
from devices import Device, Sums
from harness import collector, wait_until
from metric_command import metric_command


def on_disk(it, *needles):
    """Is any of these bytes in any file of the data folder?"""
    found = []
    for path in it.data.rglob("*"):
        try:
            content = path.read_bytes() if path.is_file() else b""
        except FileNotFoundError:  # the collector deletes files meanwhile
            continue
        found += [(path.name, needle) for needle in needles if needle in content]
    return found


def names(answer):
    return [metric["name"] for metric in answer["metrics"]]


class Deleted(unittest.TestCase):
    def test_under_load_it_is_gone_and_its_neighbour_is_exact(self):
        with collector("--checkpoint-bytes", "20000") as it:
            it.start()
            chance = random.Random(5)
            it.create("doomed-metric", protocol="optimal")
            plan = it.create("kept", periods=4)["plan"]
            it.advance("kept", 4)
            seen, stop = [set(), set()], threading.Event()

            def load(which):
                bits = random.Random(which)
                while not stop.is_set():
                    lines = ['{"client":"%032x","view":0,"period":1}' % (0xfeedfacecafe << 80 | bits.getrandbits(80))
                             for _ in range(200)]
                    seen[which].add(it.post("doomed-metric", lines, timeout=120)[0])

            loads = [threading.Thread(target=load, args=(which,)) for which in range(2)]
            for thread in loads:
                thread.start()
            devices = [Device(plan, chance) for _ in range(200)]
            try:
                for number, device in enumerate(devices):
                    self.assertEqual(it.post("kept", device.lines(chance), timeout=120)[0], 200)
                    if number == 100:
                        self.assertTrue(on_disk(it, bytes.fromhex("feedfacecafe")))
                        self.assertEqual(it.call("DELETE", "/v1/metrics/doomed-metric", admin=True, timeout=120)[:2],
                                         (200, {"deleted": "doomed-metric"}))
                        self.assertEqual(it.call("GET", "/v1/metrics/doomed-metric")[0], 404)
            finally:
                stop.set()
                for thread in loads:
                    thread.join()
            for answers in seen:
                self.assertEqual(answers | {200, 404}, {200, 404})
                self.assertIn(404, answers)
            self.assertEqual(it.call("DELETE", "/v1/metrics/doomed-metric", admin=True)[0], 404)
            wait_until(lambda: not on_disk(it, b"doomed-metric", bytes.fromhex("feedfacecafe")))
            Sums(plan, devices).check(self, it.get("/v1/metrics/kept/sums"))
            for how in (it.kill, it.stop):
                how()
                it.start()
                self.assertEqual(names(it.get("/v1/metrics")), ["kept"])
                Sums(plan, devices).check(self, it.get("/v1/metrics/kept/sums"))
            self.assertEqual(on_disk(it, b"doomed-metric", bytes.fromhex("feedfacecafe")), [])
            # The name may be given again, to another plan.
            self.assertEqual(it.create("doomed-metric", periods=2, epsilon="2")["certificate"]["exact_epsilon"], 2.0)
            self.assertEqual(it.get("/v1/metrics/doomed-metric")["devices"], 0)

    def test_a_crash_right_after_it_loses_no_deletion(self):
        with collector() as it:
            it.start()
            for number in range(4):
                it.create(f"m{number}")
                it.post(f"m{number}", ['{"client":"%032x","view":0,"period":1}' % (0xfeedfacecafe << 80 | number)])
                self.assertEqual(it.call("DELETE", f"/v1/metrics/m{number}", admin=True)[0], 200)
                it.kill()
                it.start()
                self.assertEqual(names(it.get("/v1/metrics")), [])
                wait_until(lambda: not on_disk(it, bytes.fromhex("feedfacecafe")))

    def test_not_where_the_log_is_kept_nor_by_strangers(self):
        with collector("--keep-log") as it:
            it.start()
            it.create("m")
            self.assertEqual(it.call("DELETE", "/v1/metrics/m")[0], 401)
            status, answer, _ = it.call("DELETE", "/v1/metrics/m", admin=True)
            self.assertEqual((status, answer["error"]["code"]), (409, "log_kept"))
            for call in ("close", "archive", "import"):
                self.assertEqual(it.call("POST", f"/v1/metrics/m/{call}")[0], 401)
            self.assertEqual(it.call("GET", "/v1/metrics/m/export")[0], 401)
            self.assertEqual(it.get("/v1/metrics/m")["state"], "open")


class Closed(unittest.TestCase):
    def test_it_is_reopened_until_its_devices_are_erased(self):
        with collector() as it:
            it.start()
            chance = random.Random(7)
            plan = it.create("m", periods=4)["plan"]
            it.create("gone", periods=4)
            it.advance("m", 4)
            devices = [Device(plan, chance) for _ in range(50)]
            lines = [line for device in devices for line in device.lines(chance)]
            self.assertEqual(it.post("m", lines[:70])[1]["rejected"], 0)
            self.assertIn("m: closed", metric_command(it, "close", "m", "--yes"))
            self.assertEqual(it.post("m", lines[70:71])[1]["errors"][0]["reason"], "closed")
            for how in (it.kill, it.stop):
                how()
                it.start()
                self.assertEqual(it.get("/v1/metrics/m")["state"], "closed")
            self.assertIn("open again", metric_command(it, "close", "m", "--undo"))
            wait_until(lambda: "is reopened by the operator" in " ".join(it.said))
            self.assertEqual(it.post("m", lines)[1], {"accepted": len(lines) - 70, "duplicates": 70, "rejected": 0, "early": 0, "errors": []})
            Sums(plan, devices).check(self, it.get("/v1/metrics/m/sums"))
            # It ends, and its devices go: nothing is to be reopened.
            it.stop()
            it.flags = ("--erase-after", "0")
            it.start()
            ids = [bytes.fromhex(device.id) for device in devices]
            it.call("POST", "/v1/metrics/m/close", admin=True)
            wait_until(lambda: not on_disk(it, *ids))
            status, answer, _ = it.call("POST", "/v1/metrics/m/close", '{"closed":false}', admin=True)
            self.assertEqual((status, answer["error"]["code"]), (409, "erased"))
            Sums(plan, devices).check(self, it.get("/v1/metrics/m/sums"))
            self.assertEqual(it.call("POST", "/v1/metrics/m/close", '{"closed":1}', admin=True)[0], 400)

    def test_early_it_keeps_its_sums_and_forgets_its_devices(self):
        with collector("--erase-after", "0") as it:
            it.start()
            chance = random.Random(6)
            plan = it.create("m", periods=4, period_seconds=5000, clock="wall", grace_periods=7)["plan"]
            devices = [Device(plan, chance) for _ in range(50)]
            for device in devices:
                device.signs = {}
                it.post("m", [device.enrolment()])
            ids = [bytes.fromhex(device.id) for device in devices]
            self.assertTrue(on_disk(it, *ids))
            status, answer, _ = it.call("POST", "/v1/metrics/m/archive", admin=True)
            self.assertEqual((status, answer["error"]["code"]), (409, "not_closed"))
            status, answer, _ = it.call("POST", "/v1/metrics/m/close", admin=True)
            self.assertEqual((status, answer["state"], answer["ended"], answer["current_period"]), (200, "closed", True, 1))
            self.assertEqual(it.call("POST", "/v1/metrics/m/close", admin=True)[0], 200)
            self.assertEqual(it.post("m", [devices[0].enrolment()])[1]["errors"][0]["reason"], "closed")
            wait_until(lambda: not on_disk(it, *ids))
            for how in (it.kill, it.stop):
                how()
                it.start()
                self.assertEqual(it.get("/v1/metrics/m")["state"], "closed")
                self.assertEqual(it.get("/v1/metrics/m")["devices"], 50)
                self.assertEqual([sum(view["enrolled"]) for view in it.get("/v1/metrics/m/sums")["views"]],
                                 [sum(view["enrolled"]) for view in Sums(plan, devices).views])

    def test_after_the_grace_period_ids_go_from_the_disk(self):
        with collector() as it:
            it.start()
            it.create("m", periods=2, protocol="optimal")
            ids = [b"%016x" % (1 << 62 | number) for number in range(20)]
            it.post("m", ['{"client":"%s","view":0,"period":1}' % identity.hex() for identity in ids])
            self.assertTrue(on_disk(it, *ids))
            it.advance("m", 3)
            wait_until(lambda: not on_disk(it, *ids))
            self.assertEqual(it.get("/v1/metrics/m")["devices"], 20)


class Listed(unittest.TestCase):
    def test_by_name_state_and_page(self):
        with collector() as it:
            it.start()
            for name in ("ant", "bee", "cat", "catfish", "dog"):
                it.create(name, periods=2)
            it.call("POST", "/v1/metrics/bee/close", admin=True)
            it.call("POST", "/v1/metrics/cat/close", admin=True)
            self.assertEqual(it.call("POST", "/v1/metrics/cat/archive", admin=True)[1]["archived"], True)

            def listed(query=""):
                return names(it.get("/v1/metrics" + query))

            self.assertEqual(listed(), ["ant", "bee", "catfish", "dog"])
            self.assertEqual(listed("?archived=true"), ["cat"])
            self.assertEqual(listed("?archived=all"), ["ant", "bee", "cat", "catfish", "dog"])
            self.assertEqual(listed("?archived=all&state=closed"), ["bee", "cat"])
            self.assertEqual(listed("?name=cat"), ["catfish"])
            self.assertEqual(listed("?state=waiting"), [])
            pages, after = [], ""
            while True:
                page = it.get(f"/v1/metrics?limit=2&after={after}")
                pages.append(names(page))
                after = page.get("next")
                if after is None:
                    break
            self.assertEqual(pages, [["ant", "bee"], ["catfish", "dog"]])
            for wrong in ("limit=0", "limit=1001", "limit=x", "state=big", "archived=yes"):
                self.assertEqual(it.call("GET", "/v1/metrics?" + wrong)[0], 400, wrong)
            for wrong in ("{}", "[]", '{"archived":1}', "x"):
                self.assertEqual(it.call("POST", "/v1/metrics/cat/archive", wrong, admin=True)[0], 400, wrong)
            it.stop()
            it.start()
            self.assertEqual(listed("?archived=true"), ["cat"])
            self.assertNotIn("archived", it.call("POST", "/v1/metrics/cat/archive", '{"archived":false}', admin=True)[1])
            self.assertEqual(listed("?name=cat"), ["cat", "catfish"])


class Commands(unittest.TestCase):
    def test_an_operator_needs_no_curl(self):
        with collector() as it:
            it.start()
            for number in range(120):
                it.create(f"m{number:03}", periods=2)
            self.assertEqual(len(metric_command(it, "list").splitlines()), 120)
            self.assertIn("--yes", metric_command(it, "close", "m000", status=2))
            self.assertIn("close it first", metric_command(it, "archive", "m000", status=1))
            self.assertIn("m000: closed", metric_command(it, "close", "m000", "--yes"))
            self.assertIn("archived", metric_command(it, "archive", "m000"))
            self.assertEqual(len(json.loads(metric_command(it, "list", "--format", "json"))["metrics"]), 119)
            self.assertIn("restored m000", metric_command(it, "archive", "m000", "--undo"))
            self.assertIn("cannot be undone", metric_command(it, "delete", "m001", status=2))
            self.assertEqual(it.call("GET", "/v1/metrics/m001")[0], 200)
            metric_command(it, "delete", "m001", "--yes")
            self.assertEqual(it.call("GET", "/v1/metrics/m001")[0], 404)
            self.assertIn("no metric", metric_command(it, "show", "m001", status=1))
            self.assertIn("m002: open", metric_command(it, "show", "m002"))


class Ended(unittest.TestCase):
    def test_figures_are_those_of_the_metric(self):
        with collector() as it:
            it.start()
            it.create("m", periods=4, epsilon="2", protocol="innovation")
            self.assertEqual(it.post("m", ['{"client":"%032x","view":0,"period":1}' % one for one in (1, 2, 3)])[1]["rejected"], 0)
            it.advance("m", 4)
            # The clock is past the last period, which is still number 4 of 4.
            self.assertRegex(metric_command(it, "list"), r"m +grace +4/4 ")
            self.assertIn("period 4 of 4", metric_command(it, "show", "m"))
            audit = subprocess.run([harness.COMMAND, "audit", "--metric", f"http://127.0.0.1:{it.port}/v1/metrics/m"],
                                   capture_output=True, text=True, timeout=60).stdout
            self.assertRegex(audit, r"certified +yes")
            self.assertNotIn("100,000", audit)  # there are three


class Playground(unittest.TestCase):
    def test_deletes_the_metric_that_it_made(self):
        with collector("--demo") as it:
            it.start()
            it.create("real")

            def run():
                body = json.dumps({"users": 100, "periods": 4, "period_milliseconds": 1})
                status, answer, _ = it.call("POST", "/v1/playground", body, timeout=60)
                self.assertEqual(status, 201)
                return answer["metric"]

            first, second = run(), run()
            self.assertEqual(names(it.get("/v1/metrics")), [second, "real"])
            self.assertNotEqual(first, second)
            it.kill()
            it.start()
            wait_until(lambda: names(it.get("/v1/metrics")) == ["real"])


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = os.path.abspath(sys.argv[1]), sys.argv[2]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
