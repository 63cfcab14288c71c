"""A collector started for real."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from ports import free_port  # of whoever starts collectors

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
        return ["--data", self.data, "--create"]

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
