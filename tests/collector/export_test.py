"""Export, merge and import of a metric: usage: export_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]"""
import json
import os
import random
import subprocess
import sys
import unittest

import harness
from devices import Device, Sums
from harness import collector
from metric_command import metric_command


class Taken(unittest.TestCase):
    def test_active_devices_and_labels_are_exported_merged_and_imported(self):
        chance = random.Random(12)
        value = {"kind": "category", "labels": ["a", "b", "c", "d", "e"]}
        definition = dict(periods=8, protocol="innovation", value=value)
        with collector() as east, collector() as west, collector() as both:
            files, fleets = [], []
            for it, count in ((east, 60), (west, 90)):
                it.start()
                plan = it.create("m", **definition)["plan"]
                it.advance("m", 8)
                devices = [Device(plan, chance) for _ in range(count)]
                fleets.append([device.lines(chance) for device in devices])
                if it is west:  # a third of its devices leaves after period 4
                    fleets[1] = [lines if i % 3 else [lines[0], json.dumps({**json.loads(lines[1]), "signs": json.loads(lines[1])["signs"][:4]})]
                                 for i, lines in enumerate(fleets[1])]
                for lines in fleets[-1]:
                    self.assertEqual(it.post("m", lines)[1]["rejected"], 0)
                files.append(it.folder / "m.json")
                metric_command(it, "export", "m", "--output", files[-1])
            # One collector with all devices gives the same answer as the two together.
            both.start()
            both.create("m", **definition)
            both.advance("m", 8)
            for lines in fleets[0] + fleets[1]:
                both.post("m", lines)
            merged = east.folder / "both.json"
            metric_command(east, "merge", *files, "--output", merged)
            metric_command(both, "import", "merged", "--file", merged)
            rows = both.get("/v1/metrics/m/estimates")["periods"]
            self.assertEqual(len(rows), 8 * 5)
            self.assertLess(rows[-1]["devices"], 150)
            for restart in (both.kill, both.stop, None):
                self.assertEqual(both.get("/v1/metrics/merged/estimates")["periods"], rows)
                self.assertEqual(json.loads(metric_command(both, "export", "merged"))["presence"], json.loads(merged.read_text())["presence"])
                if restart:
                    restart()
                    both.start()
            for change in (lambda d: d.pop("presence"), lambda d: d["presence"].append(d["presence"][0]),
                           lambda d: d["presence"][0]["devices"].__setitem__(0, 7), lambda d: d["presence"][0]["rows"][3].pop(),
                           lambda d: d["presence"][0]["missing_devices"].pop(), lambda d: d["presence"][0]["estimates"].__setitem__(0, 0.5)):
                document = json.loads(merged.read_text())
                change(document)
                status, answer = both.call("POST", "/v1/metrics/wrong/import", json.dumps(document), admin=True)[:2]
                self.assertEqual((status, answer["error"]["code"]), (400, "bad_import"), answer)

    def test_two_collectors_of_different_devices_are_one_metric(self):
        chance = random.Random(8)
        fleets, files = [], []
        with collector() as east, collector() as west, collector() as all_of_it:
            for it, count in ((east, 40), (west, 70)):
                it.start()
                plan = it.create("m", periods=8)["plan"]
                devices = [Device(plan, chance) for _ in range(count)]
                it.advance("m", 8)
                for device in devices:
                    self.assertEqual(it.post("m", device.lines(chance))[1]["rejected"], 0)
                fleets += devices
                files.append(it.folder / "m.json")
                metric_command(it, "export", "m", "--output", files[-1])
            both = east.folder / "both.json"
            metric_command(east, "merge", *files, "--output", both)
            all_of_it.start()
            all_of_it.create("taken")
            self.assertIn("imported m", metric_command(all_of_it, "import", "m", "--file", both))
            self.assertIn("exists", metric_command(all_of_it, "import", "m", "--file", both, status=1))
            self.assertIn("exists", metric_command(all_of_it, "import", "taken", "--file", both, status=1))
            for how in (all_of_it.kill, all_of_it.stop, None):
                Sums(plan, fleets).check(self, all_of_it.get("/v1/metrics/m/sums"))
                self.assertEqual(all_of_it.get("/v1/metrics/m")["state"], "closed")
                self.assertEqual(all_of_it.get("/v1/metrics/m")["devices"], 110)
                self.assertEqual(len(all_of_it.get("/v1/metrics/m/estimates")["periods"]), 8)
                # The export equals the import.
                again = json.loads(metric_command(all_of_it, "export", "m"))
                self.assertEqual(again, json.loads(both.read_text()))
                if how:
                    how()
                    all_of_it.start()
            # The same file twice, another plan and another clock are refused.
            self.assertIn("the very same sums", metric_command(east, "merge", files[0], files[0], status=2))
            for keys, said in (({"epsilon": "2"}, "different plans"), ({"clock": "wall", "period_seconds": 9}, "different clocks")):
                name = "other-" + next(iter(keys))
                west.create(name, periods=8, **keys)
                metric_command(west, "export", name, "--output", west.folder / "other.json")
                self.assertIn(said, metric_command(west, "merge", files[0], west.folder / "other.json", status=2))

    def test_what_overlaps_is_not_merged(self):
        chance = random.Random(9)
        with collector() as it, collector() as copy, collector() as other:
            it.start()
            plan = it.create("m", periods=8)["plan"]
            it.advance("m", 8)
            files = {name: it.folder / f"{name}.json" for name in ("earlier", "later", "restored", "other", "both", "imported")}

            def take(place, name, devices, metric="m"):
                for _ in range(devices):
                    self.assertEqual(place.post(metric, Device(plan, chance).lines(chance))[1]["rejected"], 0)
                metric_command(place, "export", metric, "--output", files[name])

            take(it, "earlier", 20)
            backup = it.folder / "backup"
            for command in (("backup", "--data", it.data, "--to", backup), ("restore", "--from", backup, "--data", copy.data)):
                subprocess.run([harness.COMMAND, *map(str, command)], check=True, capture_output=True, timeout=120)
            take(it, "later", 1)
            copy.start()
            take(copy, "restored", 2)
            other.start()
            other.create("m", periods=8)
            other.advance("m", 8)
            take(other, "other", 3)

            def refused(*names):
                self.assertIn("overlap", metric_command(it, "merge", *(files[name] for name in names), status=2), names)

            refused("earlier", "later")
            refused("later", "restored")
            metric_command(it, "merge", files["later"], files["other"], "--output", files["both"])
            refused("both", "other")
            refused("restored", "both")
            metric_command(other, "import", "taken", "--file", files["both"])
            metric_command(other, "export", "taken", "--output", files["imported"])
            refused("imported", "earlier")
            # The devices' document does not have it.
            self.assertNotIn("sources", it.get("/v1/metrics/m"))

    def test_what_no_devices_sent_is_refused(self):
        with collector() as it:
            it.start()
            it.create("m", periods=2, protocol="optimal")
            it.advance("m", 2)
            it.post("m", ['{"client":"%032x","view":0,"period":1}' % 1, '{"client":"%032x","index":1,"signs":"+-"}' % 1])
            good = json.loads(metric_command(it, "export", "m"))

            def broken(change):
                document = json.loads(json.dumps(good))
                change(document)
                return it.call("POST", "/v1/metrics/n/import", json.dumps(document), admin=True)

            view = lambda document: document["sums"]["views"][0]
            for change in (
                    lambda d: d.update(format="futurerand metric 2"), lambda d: d.update(more=1), lambda d: d.pop("sums"),
                    lambda d: d.update(period=10**6), lambda d: view(d)["sums"].append(0),
                    lambda d: view(d)["sums"].__setitem__(0, 2), lambda d: view(d)["sums"].__setitem__(0, 0),
                    lambda d: view(d)["counts"].__setitem__(0, 2), lambda d: view(d)["counts"].__setitem__(0, -1),
                    lambda d: view(d)["enrolled"].__setitem__(0, 2**60), lambda d: d["definition"].update(name=""),
                    lambda d: d["definition"].update(plan="{}"), lambda d: d["sums"]["views"].pop()):
                status, answer, _ = broken(change)
                self.assertEqual((status, answer["error"]["code"]), (400, "bad_import"))
            self.assertIn("or a newer one, can read it", broken(lambda d: d.update(format="futurerand metric 2"))[1]["error"]["message"])
            self.assertEqual(broken(lambda d: None)[0], 201)


if __name__ == "__main__":
    harness.COMMAND, harness.DISK_LAYER = os.path.abspath(sys.argv[1]), sys.argv[2]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
