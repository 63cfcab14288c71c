#!/usr/bin/python3 -B
"""What a device stores and sends: the tables of docs/porting.md.

usage: bench/sizes.py [BUILD_FOLDER]     (build/release if not given). It also lists build/arm64 and build/windows, if they are built.

Each row of the second table is the mean of twenty devices that observe a whole year and deliver every line. Requests are periods in
which something is due: a device sends all its metrics in one request.
"""
import ctypes
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "release").resolve()
DEVICES = 20
HOUR, DAY, WEEK = 3600, 86400, 604800
YES_NO = ["--value", "yes_no"]
METRICS = [
    ("yes/no, weekly", WEEK, 52, YES_NO, lambda: random.getrandbits(1)),
    ("yes/no, daily", DAY, 365, YES_NO, lambda: random.getrandbits(1)),
    ("number, daily", DAY, 365, ["--value", "number"], random.random),
    ("20 labels, daily", DAY, 365, ["--value", "category", "--labels", "20"], lambda: str(random.randrange(1, 21))),
    ("32 buckets, daily", DAY, 365, ["--value", "distribution", "--buckets", "32"], random.random),
    ("text, daily", DAY, 365, ["--value", "text"], lambda: f"text {random.randrange(100)}"),
    ("yes/no, daily, `hybrid`", DAY, 365, [*YES_NO, "--protocol", "hybrid"], lambda: random.getrandbits(1)),
    ("yes/no, hourly for 6 weeks", HOUR, 1008, YES_NO, lambda: random.getrandbits(1)),
]


def libraries():
    """Yields name, bytes and bytes after gzip of each library without its symbols."""
    for name, file, strip in [
        ("`libfuturerand.so`, x86-64", BUILD / "bindings/c/libfuturerand.so", "strip"),
        ("`libfuturerand.so`, arm64 *", BUILD.parent / "arm64/bindings/c/libfuturerand.so", "aarch64-linux-gnu-strip"),
        ("`libfuturerand.dll`, Windows * **", BUILD.parent / "windows/bindings/c/libfuturerand.dll", "x86_64-w64-mingw32-strip"),
        ("`futurerand.wasm`", BUILD / "bindings/js/package/futurerand.wasm", None),
    ]:
        if not file.exists():
            continue
        with tempfile.NamedTemporaryFile() as stripped:
            stripped.write(file.read_bytes())
            stripped.flush()
            if strip:
                subprocess.run([strip, "--strip-unneeded", stripped.name], check=True)
            contents = pathlib.Path(stripped.name).read_bytes()
        yield name, len(contents), len(gzip.compress(contents, 9))


class Device:
    """One device of one metric in a folder, through the C library."""

    library = ctypes.CDLL(str(BUILD / "bindings/c/libfuturerand.so"))

    def __init__(self, folder, plan, period_seconds):
        self.folder = pathlib.Path(folder)
        self.error = ctypes.create_string_buffer(512)
        self.device, self.metric, self.client = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        text = json.dumps(plan).encode()
        self.call("fr_device_open_folder", str(folder).encode(), b"1", None, None, ctypes.byref(self.device))
        self.call("fr_metric_create", b"metric", text, ctypes.c_size_t(len(text)), ctypes.c_int64(1_700_000_000),
                  ctypes.c_int64(period_seconds), ctypes.byref(self.metric))
        self.call("fr_client_open", self.device, self.metric, 1, ctypes.byref(self.client))

    def call(self, function, *arguments):
        if getattr(self.library, function)(*arguments, self.error) != 0:
            sys.exit(f"sizes: {function}: {self.error.raw[4:].split(bytes(1))[0].decode()}")

    def observe(self, period, value):
        """Returns the bytes that are due afterwards, and delivers them."""
        if isinstance(value, float):
            self.call("fr_client_observe_number", self.client, period, ctypes.c_double(value))
        elif isinstance(value, str):
            self.call("fr_client_observe_text", self.client, period, value.encode(), ctypes.c_size_t(len(value)))
        else:
            self.call("fr_client_observe", self.client, period, value)
        text = ctypes.c_void_p()
        self.call("fr_client_lines", self.client, ctypes.byref(text))
        lines = ctypes.string_at(text)
        self.library.fr_free(text)
        if lines:
            self.call("fr_client_acknowledge", self.client, lines, ctypes.c_size_t(len(lines)), None, ctypes.c_size_t(0))
        return len(lines)

    def state_bytes(self):
        return sum(file.stat().st_size for file in self.folder.glob("metric-*"))

    def close(self):
        for name in ["client", "metric", "device"]:
            getattr(self.library, f"fr_{name}_close")(ctypes.byref(getattr(self, name)))


def year_of(period_seconds, periods, arguments, value):
    """Returns the largest state in bytes, and requests and bytes sent in a year: means over devices."""
    audit = subprocess.run([BUILD / "futurerand", "audit", "--periods", str(periods), "--changes", "3", "--epsilon", "1", "--format",
                            "json", *arguments], check=True, capture_output=True, text=True)
    plan = json.loads(audit.stdout)["plan"]
    state = requests = sent = 0
    for _ in range(DEVICES):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            device = Device(folder, plan, period_seconds)
            largest, now = 0, value()
            for period in range(1, periods + 1):
                now = value() if random.random() < 4 / periods else now
                due = device.observe(period, now)
                requests += due > 0
                sent += due
                largest = max(largest, device.state_bytes())
            state += largest
            device.close()
    years = DEVICES * periods * period_seconds / (365 * DAY)
    return state / DEVICES, requests / years, sent / years


def main():
    random.seed(1)
    print("| library | KB | KB after gzip |\n|---|---|---|")
    for name, size, packed in libraries():
        print(f"| {name} | {size / 1000:.0f} | {packed / 1000:.0f} |")
    print("\n| metric | largest state, bytes | requests a year | KB sent a year |\n|---|---|---|---|")
    for name, *metric in METRICS:
        state, requests, sent = year_of(*metric)
        print(f"| {name} | {state:.0f} | {requests:.0f} | {sent / 1000:.0f} |", flush=True)


if __name__ == "__main__":
    main()
