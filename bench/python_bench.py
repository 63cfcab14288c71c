#!/usr/bin/python3 -B
"""Python beside the command: what `simulate` takes in each, in turns, and observations a second in bulk.

usage: python_bench.py BUILD_FOLDER [ROUNDS]
"""
import json
import pathlib
import subprocess
import sys
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
sys.path.insert(0, str(BUILD / "python"))

import numpy as np  # noqa: E402

import futurerand  # noqa: E402

SETTING = dict(users=20_000, periods=256, changes=4, trials=5, seed=1, threads=1)


def by_command():
    flags = [part for name, value in SETTING.items() for part in (f"--{name}", str(value))]
    said = subprocess.run([BUILD / "futurerand", "simulate", "--protocol", "hybrid", *flags, "--format", "json"],
                          capture_output=True, check=True)
    return json.loads(said.stdout)["seconds"]


def in_python():
    begin = time.perf_counter()
    futurerand.simulate("hybrid", **SETTING)
    return time.perf_counter() - begin


def observations(periods, clients):
    plan = futurerand.audit("innovation", periods=periods, changes=4, epsilon="1").plan
    metric = futurerand.Metric.create("bench", plan)
    opened = [futurerand.Device(futurerand.MemoryStore(), ceiling="1").open(metric, 1) for _ in range(clients)]
    numbers, values = np.arange(1, periods + 1), np.arange(periods) // 256 % 2
    begin = time.perf_counter()
    for client in opened:
        client.observe_many(numbers, values)
    return periods * clients / (time.perf_counter() - begin)


in_python()  # warms up
times = [(by_command(), in_python()) for _ in range(ROUNDS)]
command, python = (min(column) for column in zip(*times))
print(f"simulate: command {command:.3f} s, Python {python:.3f} s, {python / command:.3f} times (least of {ROUNDS}, in turns)")
for periods, clients in ((1024, 1000), (256, 1000)):
    print(f"observe_many: {observations(periods, clients) / 1e6:.1f} million observations a second "
          f"({clients} clients, {periods} periods each)")
