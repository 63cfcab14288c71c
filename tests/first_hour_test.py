"""Follows README from the built program to an estimate of two own devices: usage: first_hour_test.py FUTURERAND"""
import json
import re
import sys
import unittest

from documents import ROOT, Sandbox, commands_of, fences

PROGRAM = None
MARK = "run by tests/first_hour_test.py"


class FirstHour(unittest.TestCase):
    def test_six_commands_to_a_first_estimate(self):
        (text,) = [text for _, text, mark in fences(ROOT / "README.md") if mark == MARK]
        commands = commands_of(text)
        self.assertLessEqual(len(commands), 6)
        with Sandbox(PROGRAM) as sandbox:
            status, output, errors = sandbox.run("\n".join(commands))
            self.assertEqual(status, 0, output + errors)
            # The last command's answer, and its inputs.
            answer = json.loads(output.strip().splitlines()[-1])
            last = answer["periods"][-1]
            self.assertEqual(last["period"], 4)
            self.assertIsNotNone(last["estimate"])
            self.assertLess(last["lower"], last["upper"])
            self.assertEqual((last["reports"], last["expected"]), (2, 2))
            self.assertIsNone(answer["note"])
            # Each of the ten runs names its certified plan. A reviewer finds the same plan deployed.
            digests = re.findall(r"^dark-mode: certified plan (sha256:[0-9a-f]{64})$", output, re.MULTILINE)
            self.assertEqual(len(digests), 10)
            status, audited, errors = sandbox.run(
                "futurerand audit --metric http://127.0.0.1:8080/v1/metrics/dark-mode --format json")
            self.assertEqual(status, 0, errors)
            self.assertEqual(set(digests), {json.loads(audited)["digest"]})
            # Two devices hide nobody: it speaks of these two, not of a hundred thousand.
            self.assertEqual(json.loads(audited)["shuffled"]["users"], 2)
            self.assertIsNone(json.loads(audited)["shuffled"]["central_epsilon"])
            # Nobody else on the machine reads the token, and git does not see it.
            self.assertEqual((sandbox.folder / "token").stat().st_mode & 0o077, 0)
            self.assertIn("/token\n", (ROOT / ".gitignore").read_text())
            # Ann and Bob enrol in the first period, with one line each.
            self.assertGreaterEqual(len(re.findall(r"^dark-mode: 1 line accepted$", output, re.MULTILINE)), 2)
            status, output, errors = sandbox.run("curl -sf http://127.0.0.1:8080/v1/metrics/dark-mode")
            self.assertEqual(status, 0, errors)
            metric = json.loads(output)
            # The fleet is healthy, and the operator has nothing to do.
            self.assertEqual((metric["devices"], metric["rejected"], metric["early"]), (2, 0, 0))
            self.assertGreater(metric["accepted"], 2)
            self.assertTrue((sandbox.folder / "ann").is_dir() and (sandbox.folder / "bob").is_dir())
            # A wrong command is named, and changes nothing.
            status, _, errors = sandbox.run("example_device http://127.0.0.1:8080 eve dark-mode 2")
            self.assertEqual((status, (sandbox.folder / "eve").exists()), (1, False))
            self.assertIn("usage: URL FOLDER METRIC 0|1", errors)
            status, _, errors = sandbox.run("futurerand metric close dark-mode --yes --to http://127.0.0.1:8080")
            self.assertEqual(status, 1)
            self.assertIn("401: this call needs 'Authorization: Bearer <admin token>'; expected --admin-token-file", errors)

    def test_it_is_where_a_reader_looks(self):
        self.assertRegex((ROOT / "README.md").read_text(), rf"(?s)## Your own first estimate.*?<!-- {re.escape(MARK)} -->")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
