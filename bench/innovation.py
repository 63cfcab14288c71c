#!/usr/bin/python3
"""Compares the speed of `innovation` with its promised limits.

usage: bench/innovation.py [BUILD_FOLDER]     (build/release if not given); prints a table of docs/speed.md

Times are CPU times, the median of five, since other work on the machine changes them little. The limits of `simulate` are for
two cores, so they allow twice as much CPU time.
"""
import json
import pathlib
import resource
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "release"
TIMES = 5
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}


def bench(program, name):
    """All repetitions of one benchmark."""
    run = subprocess.run([BUILD / "bench" / program, f"--benchmark_filter=^{name}$", "--benchmark_format=json",
                          f"--benchmark_repetitions={TIMES}", "--benchmark_min_time=0.1"],
                         check=True, capture_output=True, text=True)
    return [row for row in json.loads(run.stdout)["benchmarks"] if row["run_type"] == "iteration"]


def milliseconds(program, name):
    return [row["cpu_time"] * MILLISECONDS[row["time_unit"]] for row in bench(program, name)]


def million_reports_a_second(program, name):
    return [row["items_per_second"] / 1e6 for row in bench(program, name)]


def seconds_on_two_cores(engine):
    """Half of the CPU time of a million devices over 1024 periods."""
    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([BUILD / "futurerand", "simulate", "--protocol", "innovation", "--users", "1000000", "--periods",
                        "1024", "--changes", "4", "--trials", "1", "--seed", "1", "--engine", engine],
                       check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 2
    return [once() for _ in range(3)]


ROWS = [
    ("the design, d = 1024 (`make_plan`)", "1,000 ms", "ms", milliseconds, "certificate_bench", "innovation_design/1024"),
    ("the design, d = 4096", "1,000 ms", "ms", milliseconds, "certificate_bench", "innovation_design/4096"),
    ("the certificate on the device, d = 256", "50 ms", "ms", milliseconds, "certificate_bench",
     "innovation_certificate/256"),
    ("the certificate, d = 1024", "150 ms", "ms", milliseconds, "certificate_bench", "innovation_certificate/1024"),
    ("joining after the certificate, d = 256", "1 ms", "ms", milliseconds, "device_bench", "innovation_join/256"),
    ("joining after the certificate, d = 1024", "1 ms", "ms", milliseconds, "device_bench", "innovation_join/1024"),
    ("`observe`, reports a second and core, d = 1024", "20 million or more", "million", million_reports_a_second,
     "device_bench", "innovation_observe"),
    ("estimates of all periods, d = 1024", "1 ms", "ms", milliseconds, "certificate_bench",
     "innovation_estimate/online/1024"),
    ("`simulate --engine users`, a million devices, d = 1024", "30 s on two cores", "s", seconds_on_two_cores, "users"),
    ("`simulate --engine sums`, the same", "5 s on two cores", "s", seconds_on_two_cores, "sums"),
]


def shown(values, unit):
    middle, least, most = (f"{value:.2g}" for value in (statistics.median(values), min(values), max(values)))
    return f"{middle} {unit} ({least} to {most})"


def main():
    print("| `innovation`, k = 4, epsilon 1 | promised | CPU time: median (least to most) |\n|---|---:|---:|", flush=True)
    for what, promised, unit, measure, *arguments in ROWS:
        print(f"| {what} | {promised} | {shown(measure(*arguments), unit)} |", flush=True)


if __name__ == "__main__":
    main()
