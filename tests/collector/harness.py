"""A collector started for real, and a small fleet that knows what its sums must be."""
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

TOKEN = "a-token-for-tests"
COMMAND = None  # the futurerand binary
DISK_LAYER = None  # disk_layer's library
LONG = os.environ.get("FUTURERAND_LONG") == "1"


def wait_until(condition, seconds=60, pause=0.02):
    """Waits for what happens soon, on however busy a machine."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(pause)


def free_port():
    """Returns a port that is free, for a collector that must come back where it was."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Collector:
    """`futurerand serve` on a free port. Stops with the test, whatever happens."""

    def __init__(self, folder, *flags, disk=False, port=0):
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.faults = self.folder / "faults"
        self.faults.mkdir(parents=True, exist_ok=True)
        (self.folder / "token").write_text(TOKEN + "\n")
        self.flags, self.disk, self.port = flags, disk, port
        self.process = None
        self.said = []

    def start(self, timeout=60, wrapper=()):
        """Starts the collector. `wrapper` is a command that runs it, such as strace."""
        environment = dict(os.environ)
        if self.disk:
            environment.update(LD_PRELOAD=DISK_LAYER, DISK_FOLDER=str(self.data), DISK_FAULTS=str(self.faults))
        self.said = []
        self.process = subprocess.Popen(
            [*wrapper, COMMAND, "serve", *self.place(), "--listen", f"127.0.0.1:{self.port}",
             "--admin-token-file", self.folder / "token", *self.flags],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment)
        ready = threading.Event()

        def listen(stream):
            for line in stream:
                self.said.append(line.rstrip("\n"))
                found = re.search(r"listening on https?://127\.0\.0\.1:(\d+)/", line)
                if found:
                    self.port = int(found[1])
                    ready.set()
            ready.set()

        self.reader = threading.Thread(target=listen, args=(self.process.stderr,), daemon=True)
        self.reader.start()
        if not ready.wait(timeout):
            raise AssertionError("the collector does not start: " + " | ".join(self.said))
        return self

    def place(self):
        """Returns where its log is."""
        return ["--data", self.data]

    def started(self):
        return any("listening on" in line for line in self.said)

    def wait(self, timeout=60):
        status = self.process.wait(timeout)
        self.reader.join(timeout)
        self.process.stderr.close()
        return status

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            # The wrapper ends with the collector; the other way round the collector would go on.
            for child in pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
                os.kill(int(child), signal.SIGKILL)
            self.process.send_signal(signal.SIGKILL)
        if self.process is not None:
            self.wait()
            self.process = None

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.wait()
        self.process = None
        return status

    def fault(self, name, on):
        path = self.faults / name
        path.touch() if on else path.unlink(missing_ok=True)

    def metric(self, name):
        """Returns the value of one line of GET /metrics, by its name and labels."""
        for line in self.call("GET", "/metrics")[1].decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        raise AssertionError(f"no {name} in GET /metrics")

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_bytes(self):
        """Returns the most memory that it had at once."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])

    def raw(self, text, timeout=60):
        """Sends bytes, and returns all that comes until the collector closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as connection:
            connection.sendall(text)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
            return answer

    def connect(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, body=None, headers=None, admin=False, timeout=30):
        connection = self.connect(timeout)
        try:
            headers = dict(headers or {})
            if admin:
                headers["Authorization"] = "Bearer " + TOKEN
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            text = response.read()
            kind = response.headers.get("Content-Type", "")
            return response.status, json.loads(text) if kind == "application/json" and text else text, response.headers
        finally:
            connection.close()

    def get(self, path, **options):
        status, answer, _ = self.call("GET", path, **options)
        assert status == 200, (status, answer)
        return answer

    def create(self, name, **definition):
        definition = {"periods": 16, "max_changes": 2, "epsilon": "1", "protocol": "hybrid",
                      "clock": "manual", **definition}
        if definition["clock"] == "wall":
            del definition["clock"]
        status, answer, _ = self.call("PUT", f"/v1/metrics/{name}", json.dumps(definition), admin=True)
        assert status in (200, 201), (status, answer)
        return answer

    def advance(self, name, times=1):
        for _ in range(times):
            status, answer, _ = self.call("POST", f"/v1/metrics/{name}/advance", admin=True)
            assert status == 200, (status, answer)

    def post(self, name, lines, **options):
        return self.call("POST", f"/v1/metrics/{name}/reports", "\n".join(lines), **options)


@contextlib.contextmanager
def collector(*flags, **options):
    folder = tempfile.mkdtemp(prefix="futurerand-")
    it = Collector(folder, *flags, **options)
    try:
        yield it
    finally:
        it.kill()
        shutil.rmtree(folder, ignore_errors=True)


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
        self.signs = {j: chance.choice("+-") for j in due}

    def enrolment(self):
        line = {"client": self.id, "view": self.view, "period": self.period}
        if self.index:
            line["index"] = self.index
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
    """Returns what GET .../sums must say once everything that the devices send has arrived."""

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
