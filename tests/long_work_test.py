"""Long work on a terminal shows its progress and remaining time, and Ctrl-C ends it: usage: long_work_test.py FUTURERAND"""
import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cli_test

BAR = rb"\[[#.]+\] \d+%"


class LongWork(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    @contextlib.contextmanager
    def on_terminal(self, *arguments, stdin=subprocess.DEVNULL):
        """Runs the command on a terminal. Yields the process and see(), a function to read up to a pattern."""
        master, terminal = pty.openpty()
        process = subprocess.Popen([cli_test.COMMAND, *arguments], stdin=stdin, stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        seen = b""

        def see(pattern):
            nonlocal seen
            deadline = time.monotonic() + 120
            while not re.search(pattern, seen):
                self.assertLess(time.monotonic(), deadline, seen[-500:])
                if not select.select([master], [], [], 1)[0]:
                    continue
                try:
                    seen += os.read(master, 4096)
                except OSError:  # the other side has closed
                    self.fail(f"ended with {process.wait(60)} after {seen[-500:]}")

        # An unread terminal would block its writer.
        reader = threading.Thread(target=lambda: self.drain(master), daemon=True)
        try:
            yield process, see
            reader.start()
            process.wait(120)
        finally:
            process.kill()
            process.wait()
            if reader.is_alive():
                reader.join(60)
            os.close(master)

    @staticmethod
    def drain(master):
        with contextlib.suppress(OSError):
            while os.read(master, 4096):
                pass

    def assert_stops(self, *arguments, after):
        with self.on_terminal(*arguments) as (process, see):
            see(after)
            process.send_signal(signal.SIGINT)
        self.assertEqual(process.returncode, 130)

    def test_a_simulation_of_a_trillion_users(self):
        self.assert_stops("simulate", "--users", str(2 ** 40), after=rb"simulate \[[#.]+\] 0%, about [\d,]+ (h|days) left")

    def test_a_sweep(self):
        page = self.path("page.html")
        self.assert_stops("compare", "--sweep", f"users=1,{2 ** 40}", "--html", page,
                          after=rb"sweep of users " + BAR + rb", about")
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_curves_of_a_comparison(self):
        # With few users the curves take most of the time.
        page = self.path("page.html")
        self.assert_stops("compare", "--users", "2", "--trials", "1", "--periods", "1048576", "--changes", "4096",
                          "--engine", "sums", "--html", page, after=rb"error against k " + BAR)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_plan_that_searches(self):
        self.assert_stops("plan", "--periods", "1048576", "--changes", "4096", "--estimator", "trend", "--target-error", "0.001",
                          after=rb"plan " + BAR)

    def test_a_values_file(self):
        values = self.path("values.csv", "user,period,value\n" + "".join(f"{user},1,1\n" for user in range(20_000)))
        with self.on_terminal("randomize", "--values", values, "--periods", "2", "--output", self.path("out")) as (process, see):
            see(rb"reading \S+values.csv " + BAR)
            see(rb"randomize " + BAR)
        self.assertEqual(process.returncode, 0)
        # The last output on the line erases the progress.
        with self.on_terminal("simulate", "--values", values, "--periods", "2") as (process, see):
            see(rb"reading \S+values.csv " + BAR + rb"\r\x1b\[K")
        self.assertEqual(process.returncode, 0)

    def test_a_values_file_that_does_not_end(self):
        values = self.path("values.csv")
        os.mkfifo(values)
        with self.on_terminal("randomize", "--values", values, "--periods", "2", "--output", self.path("out")) as (process, _):
            with open(values, "w") as writer:  # once there is a reader
                writer.write("user,period,value\n" * 10)
                writer.flush()
                process.send_signal(signal.SIGINT)
                process.wait(60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(os.listdir(self.folder), ["values.csv"])

    def test_reports(self):
        values, reports = self.path("values.csv", "user,period,value\n"), self.path("reports.jsonl")
        subprocess.run([cli_test.COMMAND, "randomize", "--values", values, "--users", "2000", "--periods", "4",
                        "--output", reports], check=True, timeout=120)
        with self.on_terminal("estimate", "--reports", reports) as (process, see):
            see(rb"estimate " + BAR)
        self.assertEqual(process.returncode, 0)
        # The pipe stays open and empty.
        with open(reports, "rb") as file:
            some = file.read(100_000)
        end, feed = os.pipe()
        os.write(feed, some[:60_000])
        try:
            with self.on_terminal("estimate", "--output", self.path("estimates"), stdin=end) as (process, _):
                deadline = time.monotonic() + 60
                while not any(name.startswith("estimates") for name in os.listdir(self.folder)):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.02)
                process.send_signal(signal.SIGINT)
        finally:
            os.close(end)
            os.close(feed)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(sorted(os.listdir(self.folder)), ["reports.jsonl", "values.csv"])


if __name__ == "__main__":
    cli_test.COMMAND = sys.argv.pop(1)
    unittest.main()
