"""A minimal Debian 12, booted by its own systemd, for tests of package installation.

debootstrap creates the root from the machine's own apt sources. It runs in its own namespaces (processes, mounts, network: loopback
only) and its own cgroup. It sees nothing of the machine except the kernel. Needs root and cgroup2.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

# The minimum for systemd: no devices of the machine, and no writable kernel files.
BOOT = r"""
set -e
cd "$0"
mount --make-rprivate /
mount --bind . .
cd "$0"
mount -t proc proc proc
mount --bind -o ro proc/sys proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
mkdir dev/shm dev/pts
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir -p mnt/machine
pivot_root . mnt/machine
umount -l /mnt/machine
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --show-status=0
"""


def run(*command, **options):
    """Returns the output of a command. The command must not fail."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=1800, **options)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def mirror():
    """Returns the machine's own Debian mirror."""
    for path in (pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))):
        found = re.search(r"https?://\S+/debian/?(?=\s)", path.read_text()) if path.is_file() else None
        if found:
            return found[0]
    return "http://deb.debian.org/debian"


def cgroups():
    """Returns the mount point of cgroup2, or None."""
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, kind = line.partition(" - ")
        if kind.startswith("cgroup2 "):
            return pathlib.Path(fields.split()[4])
    return None


class FreshDebian:
    """Use it as a context; boot() starts it."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="futurerand-debian-"))
        self.root = self.folder / "root"
        self.cgroup = cgroups() / self.folder.name
        self.process = None
        run("debootstrap", "--variant=minbase", "--include=systemd-sysv,openssl", "bookworm", self.root, mirror())
        return self

    def __exit__(self, *_):
        if self.process is not None:
            os.kill(self.first, signal.SIGKILL)  # and with it all its children
            self.process.wait(60)
        deadline = time.monotonic() + 60
        while self.cgroup.exists() and time.monotonic() < deadline:
            for folder in sorted(self.cgroup.rglob("*"), key=lambda path: -len(path.parts)):
                if folder.is_dir():
                    self.remove_cgroup(folder)
            self.remove_cgroup(self.cgroup)
            time.sleep(0.05)
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def remove_cgroup(folder):
        try:
            folder.rmdir()
        except OSError:
            pass  # its processes have not ended yet

    def prepare(self, *command):
        """Runs a command in its root before it boots, with the machine's network."""
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        return run("chroot", self.root, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", *command)

    def boot(self):
        self.cgroup.mkdir()
        enter = f'echo $$ > "{self.cgroup}/cgroup.procs"; exec "$@"'
        self.process = subprocess.Popen(
            ["sh", "-c", enter, "sh", "unshare", "--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup", "--fork", "--kill-child",
             "sh", "-c", BOOT, self.root], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        deadline = time.monotonic() + 300
        while True:
            assert self.process.poll() is None and time.monotonic() < deadline, "it does not boot"
            started = children.read_text().split()
            if started:
                self.first = int(started[0])
                done = self.attempt("systemctl is-system-running")
                if done.stdout.strip() in ("running", "degraded"):
                    return
            time.sleep(0.2)

    def attempt(self, script):
        """Runs a script in it, as root, in root's home folder. Returns the finished process."""
        return subprocess.run(["nsenter", "--target", str(self.first), "--all", "env", "-i", "HOME=/root", "LC_ALL=C",
                               "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                               "bash", "-c", "cd /root && set -eo pipefail\n" + script],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)

    def type(self, script):
        """Runs a script in it and returns the output. The script must not fail."""
        done = self.attempt(script)
        assert done.returncode == 0, (script, done.stdout[-3000:], done.stderr[-3000:])
        return done.stdout

    def browse(self, url):
        """Returns the document of a page in a browser, once the page is idle."""
        profile = self.folder / "browser"
        return run("nsenter", "--target", self.first, "--net", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
                   "--disable-background-networking", f"--user-data-dir={profile}", "--virtual-time-budget=20000", "--dump-dom", url)
