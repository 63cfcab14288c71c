"""Devices that send coins for values, and know what the collector's sums must be."""
import http.client
import json
import random
import threading
import time


class Device:
    """Sends what a device would, with coins instead of values: the server cannot tell."""

    def __init__(self, plan, chance, period=1):
        self.id = "%032x" % chance.getrandbits(128)
        self.view = chance.randrange(len(plan["views"]))
        shape = plan["views"][self.view]
        self.order, self.kind = shape["order"], shape["kind"]
        self.period = period
        indices = plan["periods"] >> self.order
        self.index = chance.randint(1, indices) if self.kind == "snapshot" else 0
        if self.index:
            due = [self.index] if self.index << self.order >= period else []
        else:
            due = [j for j in range(1, indices + 1) if j << self.order >= period]
        self.segment = chance.choice(plan["segment"]["values"]) if "segment" in plan else None
        pluses = shape.get("law", {}).get("pulses", len(due))  # more of them are refused
        self.signs = {}
        for j in due:
            self.signs[j] = chance.choice("+-") if pluses > 0 else "-"
            pluses -= self.signs[j] == "+"

    def enrolment(self):
        line = {"client": self.id, "view": self.view, "period": self.period}
        if self.index:
            line["index"] = self.index
        if self.segment:
            line["segment"] = self.segment
        return json.dumps(line, separators=(",", ":"))

    def report(self, first, last):
        signs = "".join(self.signs[j] for j in range(first, last + 1))
        return json.dumps({"client": self.id, "index": first, "signs": signs}, separators=(",", ":"))

    def lines(self, chance, longest=4):
        """Returns everything that the device ever sends, in order, in runs of random length."""
        lines, due = [self.enrolment()], sorted(self.signs)
        while due:
            run = due[: chance.randint(1, longest)]
            due = due[len(run):]
            lines.append(self.report(run[0], run[-1]))
        return lines


class Sums:
    """Returns the expected answer of GET .../sums after all lines of the devices."""

    def __init__(self, plan, devices):
        periods = plan["periods"]
        self.views = []
        for view in plan["views"]:
            indices = periods >> view["order"]
            self.views.append({"sums": [0] * indices, "counts": [0] * indices, "enrolled": [0] * periods})
            if view["kind"] == "snapshot":
                self.views[-1]["snapshot_devices"] = [0] * indices
        for device in devices:
            view = self.views[device.view]
            view["enrolled"][device.period - 1] += 1
            if device.index and device.signs:
                view["snapshot_devices"][device.index - 1] += 1
            for index, sign in device.signs.items():
                view["sums"][index - 1] += 1 if sign == "+" else -1
                view["counts"][index - 1] += 1

    def check(self, test, answer):
        for number, (expected, got) in enumerate(zip(self.views, answer["views"], strict=True)):
            for key, value in expected.items():
                test.assertEqual(got[key], value, f"view {number} {key}")


def send_until_taken(it, name, batches, chance, stop_after=120, duplicates=0.0):
    """Posts each batch until it is answered 200; may send some twice. Returns the totals."""
    totals = {"accepted": 0, "duplicates": 0, "rejected": 0}
    connection = None
    deadline = time.monotonic() + stop_after
    path = f"/v1/metrics/{name}/reports"
    for batch in batches:
        body = "\n".join(batch)
        times = 2 if chance.random() < duplicates else 1
        while times > 0:
            if time.monotonic() > deadline:
                raise AssertionError("the fleet could not deliver in time")
            try:
                if connection is None:
                    connection = it.connect(timeout=20)
                connection.request("POST", path, body=body)
                response = connection.getresponse()
                answer = json.loads(response.read())
                if response.status == 200:
                    times -= 1
                    for key in totals:
                        totals[key] += answer[key]
                    continue
                assert response.status in (429, 503), (response.status, answer)
                time.sleep(0.02)
            except (OSError, http.client.HTTPException, ValueError):
                if connection is not None:
                    connection.close()
                connection = None
                time.sleep(0.02)
    if connection is not None:
        connection.close()
    return totals


class Fleet:
    """Several threads of devices that deliver whatever happens to the collector."""

    def __init__(self, it, name, plan, devices, threads, seed, batch=25, duplicates=0.1):
        self.devices, self.totals, self.failures = devices, [], []
        shares = [devices[i::threads] for i in range(threads)]

        def deliver(share, chance):
            try:
                # Lines of several devices are mixed; each device's own lines stay in order.
                queues = [device.lines(chance) for device in share]
                lines = []
                while queues:
                    chance.shuffle(queues)
                    lines += [queue.pop(0) for queue in queues]
                    queues = [queue for queue in queues if queue]
                batches = [lines[i:i + batch] for i in range(0, len(lines), batch)]
                self.totals.append(send_until_taken(it, name, batches, chance, duplicates=duplicates))
            except BaseException as failure:  # told by join()
                self.failures.append(failure)

        self.threads = [threading.Thread(target=deliver, args=(share, random.Random(seed + i)))
                        for i, share in enumerate(shares)]
        for thread in self.threads:
            thread.start()

    def working(self):
        return any(thread.is_alive() for thread in self.threads)

    def join(self):
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise self.failures[0]
