#!/usr/bin/python3
"""Reports per second of our devices, relative to a Python implementation with one report at a time.

usage: bench/speed.py [BUILD_FOLDER]     (build/release if not given); prints the table of docs/speed.md
"""
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy

PERIODS, CHANGES, USERS = 1024, 4, 1_000_000
ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "release"


def output(*command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


class PythonDevice:
    """[OWW22] Alg. 1 and 3 with the integers of our law: the same inputs, the same distribution."""

    def __init__(self, law, generator):
        self.generator = generator
        self.order = generator.integers(PERIODS.bit_length())
        noise = numpy.where(generator.random(CHANGES) < law["flip"] / 2**64, -1, 1)
        if not law["first_kept"] <= numpy.count_nonzero(noise < 0) <= law["last_kept"]:
            while True:  # draws a uniform vector from outside the annulus
                noise = generator.choice([-1, 1], CHANGES)
                if not law["first_kept"] <= numpy.count_nonzero(noise < 0) <= law["last_kept"]:
                    break
        self.noise = noise
        self.used = 0
        self.value_at_end = 0

    def observe(self, period, value):
        """The report that is due at the end of this period, or None."""
        if period % (1 << self.order):
            return None
        change, self.value_at_end = value - self.value_at_end, value
        if change == 0 or self.used == CHANGES:
            return 1 - 2 * self.generator.integers(2)
        self.used += 1
        return change * self.noise[self.used - 1]


def python_reports_per_second(seconds=2.0):
    law = output(BUILD / "futurerand", "audit", "--protocol", "future_rand", "--changes", str(CHANGES),
                 "--epsilon", "1", "--format", "json")["integers"]
    generator = numpy.random.default_rng(1)
    reports, start = 0, time.perf_counter()
    while time.perf_counter() < start + seconds:
        flips = set(1 + generator.choice(PERIODS, CHANGES, replace=False))
        device, value = PythonDevice(law, generator), 0
        for period in range(1, PERIODS + 1):
            value ^= period in flips
            reports += device.observe(period, value) is not None
    return reports / (time.perf_counter() - start)


def device_reports_per_second(name):
    run = output(BUILD / "bench" / "speed_bench", f"--benchmark_filter=^{name}$", "--benchmark_format=json",
                 "--benchmark_min_time=1")
    return run["benchmarks"][0]["items_per_second"]


def simulated_reports_per_second(engine, threads):
    run = output(BUILD / "futurerand", "simulate", "--protocol", "future_rand", "--users", str(USERS),
                 "--periods", str(PERIODS), "--changes", str(CHANGES), "--trials", "1", "--seed", "1",
                 "--engine", engine, "--threads", str(threads), "--format", "json")
    return run["users"] * run["bits_per_user"] / run["seconds"]


def best_of_three(measure, *arguments):
    return max(measure(*arguments) for _ in range(3))


def main():
    cores = os.cpu_count()
    rows = [("Python and numpy, one report at a time", python_reports_per_second),
            ("our device, observing every period", device_reports_per_second, "every_period"),
            ("our device, observing changes only", device_reports_per_second, "changes_only"),
            ("`simulate --engine users`, 1 thread", simulated_reports_per_second, "users", 1),
            (f"`simulate --engine users`, {cores} threads", simulated_reports_per_second, "users", cores),
            (f"`simulate --engine sums`, {cores} threads", simulated_reports_per_second, "sums", cores)]
    rows = [(name, best_of_three(*measure)) for name, *measure in rows]
    print(f"The table is for `future_rand`, {PERIODS} periods, {CHANGES} changes and {cores} cores. `simulate` has {USERS:,} users,"
          " and its time includes the population and\nthe estimates. Each figure is the best of three runs.\n")
    print("| program | reports per second | relative to Python |\n|---|---:|---:|")
    for name, speed in rows:
        print(f"| {name} | {speed:,.0f} | {speed / rows[0][1]:,.0f} x |")


if __name__ == "__main__":
    main()
