#!/usr/bin/python3
"""The solver of the limit, against cases by hand and other laws: usage: limit_test.py FUTURERAND"""
import json
import math
import pathlib
import subprocess
import sys
import unittest

SOLVER = pathlib.Path(__file__).resolve().parent.parent / "tools" / "limit"


def ask(*arguments):
    # Debian's Python has numpy; the one in PATH may not.
    return subprocess.run(["/usr/bin/python3", "-B", SOLVER, *map(str, arguments)], capture_output=True, text=True)


def solve(periods, changes, epsilon, *more):
    done = ask("--periods", periods, "--changes", changes, "--epsilon", epsilon, *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def root_trace(matrix):
    """tr S^1/2 by Newton's iteration for the root of a matrix (Denman and Beavers), without numpy."""
    size = len(matrix)
    unit = [[float(i == j) for j in range(size)] for i in range(size)]

    def inverse(of):
        rows = [list(a) + list(b) for a, b in zip(of, unit)]
        for i in range(size):
            pivot = max(range(i, size), key=lambda r: abs(rows[r][i]))
            rows[i], rows[pivot] = rows[pivot], rows[i]
            rows[i] = [value / rows[i][i] for value in rows[i]]
            for r in range(size):
                if r != i:
                    rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
        return [row[size:] for row in rows]

    root, rest = matrix, unit
    for _ in range(30):
        root, rest = (
            [[(a + b) / 2 for a, b in zip(x, y)] for x, y in zip(root, inverse(rest))],
            [[(a + b) / 2 for a, b in zip(x, y)] for x, y in zip(rest, inverse(root))])
    return sum(root[i][i] for i in range(size))


def bound_of_independent_changes(periods, changes, epsilon):
    """The bound of a suboptimal law: k independent uniform times."""
    times = [(t + 0.5) / periods for t in range(periods)]
    mean = [(1 - 2 * t) ** changes for t in times]
    matrix = [[((1 - 2 * abs(t - s)) ** changes - mean[i] * mean[j]) / 4 for j, s in enumerate(times)]
              for i, t in enumerate(times)]
    trace = sum(matrix[i][i] for i in range(periods))
    return math.sqrt((root_trace(matrix) ** 2 / math.sinh(epsilon / 2) ** 2 - trace) / periods)


class Limit(unittest.TestCase):
    def test_where_values_may_change_in_every_period(self):
        # Then fair coins are best: S is a quarter of the unit matrix.
        for periods in (2, 3, 4):
            for epsilon in (0.5, 1, 2):
                answer = solve(periods, periods, epsilon)
                by_hand = math.sqrt(periods / 4 / math.sinh(epsilon / 2) ** 2 - 0.25)
                self.assertAlmostEqual(answer["limit"] / by_hand, 1, 6)
                self.assertAlmostEqual(answer["dual"] / by_hand, 1, 4)

    def test_the_dual_closes(self):
        for periods, changes, epsilon in ((16, 1, 1), (16, 3, 0.5), (32, 4, 1)):
            answer = solve(periods, changes, epsilon)
            self.assertLessEqual(answer["limit"], answer["dual"])
            self.assertLess(answer["dual"] / answer["limit"], 1.01)
            other = bound_of_independent_changes(periods, changes, epsilon)
            self.assertGreater(answer["limit"], other)

    def test_a_search_that_is_cut_short_is_known_by_its_dual(self):
        answer = solve(16, 4, 1, "--steps", 0)
        self.assertGreater(answer["dual"] / answer["limit"], 1.05)

    def test_what_is_refused(self):
        for arguments in (("--periods", 1), ("--changes", 5), ("--changes", 0), ("--epsilon", 0), ("--epsilon", "nan")):
            done = ask(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("expected", done.stderr)


if __name__ == "__main__":
    sys.argv[1:2] = []
    unittest.main()
