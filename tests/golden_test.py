#!/usr/bin/python3 -B
"""Seeded results, lines and documents stay the same, byte for byte.

usage: golden_test.py FUTURERAND [--write]   (--write: record what it prints now, after a change on purpose; tools/golden)
"""
import gzip
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "data" / "golden"
VALUES = str(HERE / "data" / "abseil-large-files.csv")
PLANNED = "innovation hybrid optimal future_rand warner erlingsson bun snapshot repeated".split()
AT_MOST_ONE = ("bun", "future_rand", "future_scaled")
RIVALS = "future_scaled exsub ddrm lpa sparse_vector thresh rappor dbitflip central_tree".split()

# The duration is not a result.
SECONDS = re.compile(r'"seconds": [0-9.e+-]+')
# Neither is the version.
VERSION = re.compile(r'"version": "[0-9.]+"')
# Later keys of `simulate`. All others must stay unchanged.
ADDED = re.compile(r'^  "(?:seed|warning)": .*\n', re.MULTILINE)


def commands():
    """Yields (name, arguments, standard input) of each golden file."""
    for protocol in PLANNED:
        common = ["--protocol", protocol, "--periods", "256", "--changes", "4"]
        yield f"randomize_{protocol}", ["randomize", "--values", VALUES, "--seed", "7", *common], None
        yield f"audit_{protocol}", ["audit", *common, "--format", "json"], None
    quiet = ["--periods", "64", "--changes", "3", "--epsilon", "4"]
    yield "randomize_quiet", ["randomize", "--protocol", "hybrid", "--values", VALUES, "--seed", "8", "--periods", "256",
                              "--changes", "3", "--epsilon", "4"], None
    for protocol in RIVALS:
        # The paper's law is for an epsilon of at most 1.
        settings = ["--periods", "64", "--changes", "3", "--epsilon", "1"] if protocol in AT_MOST_ONE else quiet
        yield f"audit_{protocol}", ["audit", "--protocol", protocol, *settings, "--format", "json"], None
    for engine in ("users", "sums"):
        for protocol in PLANNED + RIVALS:
            epsilon = ["--epsilon", "1"] if protocol in AT_MOST_ONE else ["--epsilon", "2"]
            yield (f"simulate_{engine}_{protocol}",
                   ["simulate", "--protocol", protocol, "--users", "500", "--periods", "24", "--changes",
                    "3", *epsilon, "--trials", "2", "--seed", "5", "--engine", engine, "--format", "json"],
                   None)
    for population in ("adoption", "seasonal", "churn", "static"):
        yield (f"simulate_{population}",
               ["simulate", "--population", population, "--users", "2000", "--periods", "64", "--trials",
                "2", "--seed", "5", "--format", "json"], None)
    yield "plan", ["plan", "--format", "json"], None
    yield "plan_text", ["plan", "--target-error", "0.01"], None
    yield "plan_epsilon_4", ["plan", "--periods", "64", "--epsilon", "4", "--format", "json"], None
    for protocol in PLANNED + ["quiet"]:
        for estimator in ("online", "hindsight", "trend") if protocol in ("innovation", "hybrid", "quiet") else ("online",):
            yield (f"estimate_{protocol}_{estimator}",
                   ["estimate", "--estimator", estimator, "--uncapped", "--format", "csv"], f"randomize_{protocol}")
    yield "estimate_innovation_capped", ["estimate", "--format", "csv"], "randomize_innovation"


def main(arguments):
    program, write = arguments[0], "--write" in arguments
    broken = []
    for name, command, source in commands():
        lines = gzip.decompress((GOLDEN / f"{source}.gz").read_bytes()) if source else b""
        run = subprocess.run([program, *command], input=lines, capture_output=True, timeout=300)
        text = SECONDS.sub('"seconds": 0', run.stdout.decode())
        text = VERSION.sub('"version": "0"', text)
        if name.startswith("simulate"):
            text = ADDED.sub("", text)
        got = f"{text}exit status {run.returncode}\n" if not name.startswith("randomize") else text
        path = GOLDEN / f"{name}.gz"
        if write:
            path.write_bytes(gzip.compress(got.encode(), mtime=0))
        elif got.encode() != gzip.decompress(path.read_bytes()):
            before = gzip.decompress(path.read_bytes()).decode().splitlines()
            first = next((i for i, (a, b) in enumerate(zip(before, got.splitlines())) if a != b), len(before))
            broken.append(name)
            print(f"{name}: {' '.join(command)}: line {first + 1} differs\n"
                  f"  was {before[first:first + 1]}\n  is  {got.splitlines()[first:first + 1]}")
    if broken:
        print(f"{len(broken)} of {len(list(commands()))} golden files differ")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
