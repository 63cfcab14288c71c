"""The package on a fresh Debian: installed, started, upgraded, removed and purged in a root that debootstrap makes.

usage: packages_long_test.py FUTURERAND [unittest arguments]; as root, with the machine's own apt sources
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = None  # the folder of the build


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=1800, **options)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def mirror():
    """Returns where this machine gets its packages."""
    for path in (pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))):
        found = re.search(r"https?://\S+/debian/?(?=\s)", path.read_text()) if path.is_file() else None
        if found:
            return found[0]
    return "http://deb.debian.org/debian"


class FreshRoot(unittest.TestCase):
    def test_installs_starts_upgrades_and_purges(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="futurerand-root-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        root = folder / "root"
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", folder, cwd=folder)
        package = next(folder.glob("futurerand_*.deb"))
        run("debootstrap", "--variant=minbase", "bookworm", root, mirror())
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        # Nothing is started there but by this test.
        (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (root / "usr/sbin/policy-rc.d").chmod(0o755)

        def inside(*command):
            return run("chroot", root, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", *command)

        shutil.copy(package, root / "tmp/first.deb")
        inside("apt-get", "-q", "install", "-y", "--no-install-recommends", "/tmp/first.deb")
        token = root / "etc/futurerand/admin-token"
        self.assertEqual(token.stat().st_mode & 0o777, 0o600)
        secret = token.read_text()
        self.assertGreater(len(secret), 30)
        self.assertRegex(inside("futurerand", "--version"), "^futurerand ")

        # It is started as the unit would start it.
        (root / "var/lib/futurerand").mkdir(parents=True, exist_ok=True)
        server = subprocess.Popen(["chroot", root, "futurerand", "serve", "--data", "/var/lib/futurerand", "--listen", "127.0.0.1:0",
                                   "--admin-token-file", "/etc/futurerand/admin-token"], stderr=subprocess.PIPE, text=True)
        try:
            deadline, url = time.monotonic() + 120, None
            while url is None and time.monotonic() < deadline:
                found = re.search(r"http://127\.0\.0\.1:\d+", server.stderr.readline())
                url = found[0] if found else None
            self.assertIsNotNone(url)
            inside("futurerand", "swarm", "--to", url, "--metric", "try", "--create", "--admin-token-file",
                   "/etc/futurerand/admin-token", "--devices", "100", "--periods", "4")
        finally:
            server.terminate()
            self.assertEqual(server.wait(120), 0)
            server.stderr.close()

        # The next version has the same files under a higher number. Token, flags and data stay.
        settings = root / "etc/futurerand/serve.toml"
        settings.write_text('listen = "127.0.0.1:9"\n')
        run("dpkg-deb", "--raw-extract", package, folder / "next")
        control = folder / "next/DEBIAN/control"
        control.write_text(re.sub(r"^Version: .*$", "Version: 999.0-1", control.read_text(), flags=re.M))
        run("dpkg-deb", "--root-owner-group", "--build", folder / "next", root / "tmp/next.deb")
        inside("apt-get", "-q", "install", "-y", "--no-install-recommends", "/tmp/next.deb")
        self.assertEqual(inside("dpkg-query", "--show", "--showformat=${Version}", "futurerand"), "999.0-1")
        self.assertEqual(token.read_text(), secret)
        self.assertIn("127.0.0.1:9", settings.read_text())
        self.assertTrue((root / "var/lib/futurerand/FORMAT").exists())

        inside("apt-get", "-q", "remove", "-y", "futurerand")
        self.assertFalse((root / "usr/bin/futurerand").exists())
        self.assertTrue(token.exists())
        self.assertTrue((root / "var/lib/futurerand/FORMAT").exists())
        inside("apt-get", "-q", "purge", "-y", "futurerand")
        for left in ("etc/futurerand", "var/lib/futurerand", "lib/systemd/system/futurerand.service",
                     "usr/share/doc/futurerand"):
            self.assertFalse((root / left).exists(), left)
        self.assertEqual(inside("sh", "-c", "dpkg-query --show futurerand 2>/dev/null || true"), "")


if __name__ == "__main__":
    BUILD = pathlib.Path(os.path.abspath(sys.argv[1])).parent
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
