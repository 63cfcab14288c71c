"""Finds the commands in our documents, and runs them as written."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<kind>[a-z]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def fences(path, section=""):
    """Returns (kind, text, mark) of every fenced block in the document, or in one of its sections. `mark` is the comment on the line
    before the block, or None."""
    text = pathlib.Path(path).read_text()
    if section:
        text = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    for found in FENCE.finditer(text):
        yield found["kind"], found["text"], found["mark"]


def commands_of(text):
    """Returns the commands of a shell block, each with its continuation lines."""
    commands, open_loops, quoted = [], 0, False
    for line in text.splitlines():
        if line.strip() == "" or (line.lstrip().startswith("#") and not quoted):
            continue
        goes_on = commands and (quoted or open_loops or commands[-1].endswith("\\"))
        if goes_on:
            commands[-1] += "\n" + line
        else:
            commands.append(line)
        quoted ^= line.count("'") % 2 == 1
        open_loops += len(re.findall(r"\b(?:do|then)\b", line)) - len(re.findall(r"\b(?:done|fi)\b", line))
    return commands


class Sandbox:
    """A folder like the root of a clone after ./run, with its own port for the collector."""

    def __init__(self, program):
        self.program = pathlib.Path(program).resolve()

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="futurerand-docs-"))
        (self.folder / "build").mkdir()
        (self.folder / "build" / "release").symlink_to(self.program.parent)
        (self.folder / "tests").symlink_to(ROOT / "tests")
        run = self.folder / "run"
        run.write_text('#!/bin/sh\nif [ $# -eq 0 ]; then set -- demo; fi\nexec futurerand "$@"\n')
        run.chmod(0o755)
        self.port = free_port()
        self.sessions = []
        return self

    def run(self, script, timeout=240):
        """Runs the script with bash and stops at the first failed command. Background processes stay until the sandbox
        closes."""
        path = self.folder / "script"
        path.write_text("set -eo pipefail\n" + re.sub(r"\b8080\b", str(self.port), script))
        environment = {**os.environ, "PATH": f"{self.program.parent}:{self.program.parent}/examples:{os.environ['PATH']}"}
        with open(self.folder / "out", "wb") as out, open(self.folder / "errors", "wb") as errors:
            process = subprocess.Popen(["bash", str(path)], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=errors, start_new_session=True)
            self.sessions.append(process.pid)
            status = process.wait(timeout)
        return status, (self.folder / "out").read_text(), (self.folder / "errors").read_text()

    def __exit__(self, *_):
        for session in self.sessions:
            try:
                os.killpg(session, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)
