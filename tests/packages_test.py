"""The Debian packages, made by cpack and unpacked: usage: packages_test.py FUTURERAND [unittest arguments]"""
import gzip
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

BUILD = None  # the folder of the build
# Tags of lintian with a reason to ignore them.
SUPPRESSED = {
    "initial-upload-closes-no-bugs": "this is not Debian's archive",
    "bogus-mail-host": "the project has no address, and the default contact says so (.invalid)",
    "maintscript-calls-ldconfig": "cpack calls it besides the trigger that does it",
}


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, **options)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="futurerand-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", cls.folder, cwd=cls.folder)
        cls.packages = {path.name.split("_")[0]: path for path in cls.folder.glob("*.deb")}
        cls.tree = cls.folder / "tree"
        for package in cls.packages.values():
            run("dpkg-deb", "--extract", package, cls.tree)

    def test_the_command_runs_from_the_tree(self):
        self.assertIn("futurerand", self.packages)
        self.assertRegex(run(self.tree / "usr/bin/futurerand", "--version"), r"^futurerand \d+\.\d+\.\d+$")
        fields = run("dpkg-deb", "--field", self.packages["futurerand"])
        for library in ("libc6", "libstdc++6", "libsodium23"):
            self.assertIn(library, fields)
        # Its dependencies are installed on the build machine.
        needed = re.search(r"^Depends: (.*)$", fields, re.M)[1]
        for name in re.findall(r"(?:^|, )([a-z0-9.+-]+)", needed):
            self.assertTrue(run("dpkg-query", "--show", name), name)

    def test_the_python_module_is_imported_from_the_tree(self):
        self.assertIn("python3-futurerand", self.packages)
        environment = dict(os.environ, PYTHONPATH=str(self.tree / "usr/lib/python3/dist-packages"))
        said = run("/usr/bin/python3", "-B", "-c", "import futurerand; print(futurerand.__file__, futurerand.__version__, "
                   "futurerand.audit('innovation', periods=8, changes=2).certified)", env=environment)
        self.assertRegex(said, rf"^{re.escape(str(self.tree))}/\S+ \d+\.\d+\.\d+ True$")
        needed = run("dpkg-deb", "--field", self.packages["python3-futurerand"], "Depends")
        for package in ("python3 (<< 3.12)", "python3-numpy", "libsodium23", "libfmt9"):
            self.assertIn(package, needed)
        # A notebook does not need the server's libraries.
        self.assertNotIn("libpq5", needed)

    def test_lintian_finds_nothing(self):
        for name, package in self.packages.items():
            with self.subTest(package=name):
                done = subprocess.run(["lintian", "--allow-root", "--no-cfg", "--fail-on",
                                       "error,warning" if name == "futurerand" else "error", "--suppress-tags",
                                       ",".join(SUPPRESSED), str(package)], capture_output=True, text=True, timeout=600)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_command_has_a_page_that_names_its_flags(self):
        pages = self.tree / "usr/share/man/man1"
        commands = re.findall(r"^  ([a-z]+) ", run(self.tree / "usr/bin/futurerand", "--help").partition("Subcommands:")[2], re.M)
        self.assertGreater(len(commands), 8)
        for name in commands:
            page = gzip.decompress((pages / f"futurerand-{name}.1.gz").read_bytes()).decode().replace("\\-", "-")
            for flag in re.findall(r"^  +(?:-\w,)?(--[a-z-]+)", run(self.tree / "usr/bin/futurerand", name, "--help"), re.M):
                self.assertIn(flag, page, name)
        self.assertTrue((pages / "futurerand.1.gz").exists())

    def test_bash_completes_commands_and_flags(self):
        def complete(*words):
            script = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _futurerand; printf "%s\\n" "${COMPREPLY[@]}"')
            return run("bash", "-c", script, self.tree / "usr/share/bash-completion/completions/futurerand", *words).split()

        self.assertEqual(complete("futurerand", "met"), ["metric"])
        self.assertEqual(complete("futurerand", "metric", "del"), ["delete"])
        self.assertEqual(complete("futurerand", "metric", "delete", "--y"), ["--yes"])
        self.assertEqual(complete("futurerand", "metric", "delete", "dark", "--y"), ["--yes"])
        self.assertIn("--checkpoint-bytes", complete("futurerand", "serve", "--"))
        self.assertEqual(complete("futurerand", "manual", "--out"), [])

    def test_fish_completes_commands_and_flags(self):
        def complete(line):
            script = "source $argv[1]; complete --do-complete $argv[2]"
            path = self.tree / "usr/share/fish/vendor_completions.d/futurerand.fish"
            shown = run("fish", "--no-config", "--command", script, path, line).splitlines()
            return [word.partition("\t")[0] for word in shown]

        self.assertEqual(complete("futurerand met"), ["metric"])
        self.assertEqual(complete("futurerand metric del"), ["delete"])
        self.assertNotIn("delete", complete("futurerand metric delete del"))
        self.assertEqual(complete("futurerand metric delete --y"), ["--yes"])
        self.assertIn("--checkpoint-bytes", complete("futurerand serve --"))
        self.assertNotIn("--checkpoint-bytes", complete("futurerand metric delete --"))

    def test_zsh_completes_commands_and_flags(self):
        """Uses a terminal, because zsh completes only there. The command receives the completed words."""
        def complete(*typed):
            master, slave = pty.openpty()
            start = (f"fpath+=({self.tree}/usr/share/zsh/vendor-completions); autoload -U compinit; compinit -u -D; "
                     "futurerand() { print -r -- got $# \"$@\" . }; unsetopt beep; PS1=; print -r -- rea''dy\n")
            shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                     env={**os.environ, "TERM": "dumb", "HOME": str(self.folder)})
            os.close(slave)
            seen = b""

            def wait_for(pattern):
                nonlocal seen
                deadline = time.monotonic() + 60
                while not (found := re.search(pattern, seen)):
                    self.assertLess(time.monotonic(), deadline, seen)
                    if select.select([master], [], [], 1)[0]:
                        seen += os.read(master, 65536)
                return found

            try:
                os.write(master, start.encode())
                wait_for(rb"\nready")
                os.write(master, ("futurerand " + "".join(word + "\t" for word in typed) + "\n").encode())
                return wait_for(rb"\ngot (.*) \.")[1].decode()
            finally:
                shell.kill()
                shell.wait()
                os.close(master)

        self.assertEqual(complete("met", "del", "--y"), "3 metric delete --yes")
        self.assertEqual(complete("ser", "--checkpoint-b"), "2 serve --checkpoint-bytes")

    def test_the_unit_is_one_and_tight(self):
        unit = self.folder / "futurerand.service"
        text = (self.tree / "lib/systemd/system/futurerand.service").read_text()
        self.assertIn("ExecStart=/usr/bin/futurerand serve ", text)
        unit.write_text(re.sub("(?m)^(User|Group)=.*$", r"\1=daemon", text).replace(
            "/usr/bin/futurerand", str(self.tree / "usr/bin/futurerand")))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit, self.tree / "lib/systemd/system/futurerand.socket"],
                              capture_output=True, text=True, timeout=120)
        said = [line for line in done.stderr.splitlines() if "futurerand" in line]
        self.assertEqual(said, [], done.stderr)
        shown = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit],
                               capture_output=True, text=True, timeout=120).stdout
        exposure = float(re.search(r"Overall exposure level for [^:]*: ([0-9.]+)", shown)[1])
        self.assertLess(exposure, 2.5, shown)
        # The unit passes only flags of the command.
        for flag in re.findall(r"--[a-z-]+", " ".join(re.findall(r"^Exec\w+=/usr/bin.*$", text, re.M))):
            self.assertIn(flag, run(self.tree / "usr/bin/futurerand", "serve", "--help"))

    def test_only_the_first_start_makes_the_data_folder(self):
        text = (self.tree / "lib/systemd/system/futurerand.service").read_text()
        (start,) = re.findall(r"(?m)^ExecStart=(.*)$", text)
        scripts = self.folder / "scripts"
        run("dpkg-deb", "--control", self.packages["futurerand"], scripts)
        first = re.search(r'\[ -z "\$2" \]; then.*?echo (CREATE=\S+) > "\$folder/first-start"', (scripts / "postinst").read_text(), re.S)
        self.assertIn("EnvironmentFile=-/etc/futurerand/first-start\n", text)
        self.assertIn("ExecStartPost=+/bin/rm -f /etc/futurerand/first-start\n", text)
        data, config = self.folder / "volume", self.folder / "empty.toml"
        data.mkdir()
        config.write_text('listen = "127.0.0.1:0"\n')

        def begin(environment):
            words = dict(word.split("=", 1) for word in environment)
            line = start.replace("/usr/bin/futurerand", str(self.tree / "usr/bin/futurerand")).replace("${STATE_DIRECTORY}", str(data))
            line = line.replace("/etc/futurerand/serve.toml", str(config)).replace("$CREATE", words.get("CREATE", ""))
            process = subprocess.Popen(line.split(), stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.stderr.close)
            said = ""
            for row in process.stderr:
                said += row
                if "listening on" in row:
                    process.send_signal(signal.SIGTERM)
            return process.wait(120), said

        status, said = begin([])  # the volume is not mounted
        self.assertNotEqual(status, 0)
        self.assertIn("is empty or missing", said)
        self.assertEqual(begin([first[1]])[0], 0)
        self.assertTrue((data / "FORMAT").exists())
        self.assertEqual(begin([])[0], 0)

    def test_the_packaged_configuration_is_in_order(self):
        text = (self.tree / "etc/futurerand/serve.toml").read_text()
        for place in re.findall(r'"(/etc/futurerand/[^"]+)"', text):
            name = self.folder / place.rpartition("/")[2]
            name.write_text("a-token-for-tests\n")
            text = text.replace(place, str(name))
        path = self.folder / "serve.toml"
        path.write_text(text)
        command = (self.tree / "usr/bin/futurerand", "serve", "--data", self.folder / "nowhere", "--check-config", "--config", path)
        self.assertIn("the configuration is valid", run(*command))
        # Commented-out lines are flags too.
        helped = run(self.tree / "usr/bin/futurerand", "serve", "--help")
        for flag in re.findall(r"(?m)^#?([a-z-]+) = ", text):
            self.assertIn(f"--{flag} ", helped)

    def test_the_manager_is_told_and_may_pass_a_socket(self):
        for path in (str(self.folder / "notify"), "\0futurerand-notify-%d" % os.getpid()):
            told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.addCleanup(told.close)
            told.bind(path)
            told.settimeout(120)
            listening = socket.socket()
            self.addCleanup(listening.close)
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            environment = dict(os.environ, NOTIFY_SOCKET=path.replace("\0", "@"), LISTEN_FDS="1")
            data = self.folder / ("data" + str(listening.getsockname()[1]))
            # The shell becomes the command and keeps its process id.
            process = subprocess.Popen(
                ["bash", "-c", 'exec 3<&"$0"; export LISTEN_PID=$$; exec "$@"', str(listening.fileno()),
                 self.tree / "usr/bin/futurerand", "serve", "--data", data, "--create", "--listen", "127.0.0.1:1"],
                env=environment, pass_fds=[listening.fileno()], stderr=subprocess.DEVNULL)
            try:
                self.assertEqual(told.recv(4096), b"READY=1")
                port = listening.getsockname()[1]
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60) as answer:
                    self.assertEqual(answer.status, 200)
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
                    self.assertIn(b"<html", answer.read())  # the page is embedded
                process.send_signal(signal.SIGTERM)
                self.assertEqual(told.recv(4096), b"STOPPING=1")
                self.assertEqual(process.wait(120), 0)
            finally:
                process.kill()
                process.wait()


if __name__ == "__main__":
    BUILD = pathlib.Path(os.path.abspath(sys.argv[1])).parent
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
