"""The package on a fresh Debian with its own systemd: follows docs/deploy.md word for word, then upgrades, removes and purges.

usage: packages_long_test.py FUTURERAND [unittest arguments]; as root, with the machine's own apt sources
"""
import json
import os
import pathlib
import re
import shutil
import sys
import time
import unittest

from documents import ROOT, fences
from fresh_debian import FreshDebian, cgroups, run

BUILD = None  # the folder of the build
TYPED = "packages_long_test.py types it"
PATIENCE = 300  # seconds from the package to the first estimate


def typed(section):
    """Returns the commands for this test in a section of docs/deploy.md."""
    return [text for kind, text, mark in fences(ROOT / "docs" / "deploy.md", section) if kind == "sh" and mark and TYPED in mark]


@unittest.skipIf(os.geteuid() != 0 or cgroups() is None, "needs root and cgroup2")
class OnAFreshDebian(unittest.TestCase):
    def test_the_life_of_the_package(self):
        with FreshDebian() as debian:
            self.debian = debian
            run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", debian.folder, cwd=debian.folder)
            self.package = next(debian.folder.glob("futurerand_*.deb"))
            shutil.copy(self.package, debian.root / "root")
            # Downloads for apt. The rest happens without a network.
            begin = time.monotonic()
            debian.prepare("apt-get", "-q", "install", "-y", "--download-only", f"/root/{self.package.name}")
            self.fetching = time.monotonic() - begin
            debian.boot()
            for part in (self.first_estimate, self.open_to_devices, self.change_a_token, self.socket, self.upgrade, self.purge):
                with self.subTest(part.__name__):
                    part()

    def served(self, path, *, token=None, tls=True):
        """Returns the status of a GET from the machine itself. The machine has no curl."""
        header = f"\\r\\nAuthorization: Bearer $(head -1 {token})" if token else ""
        ask = f'printf "GET {path} HTTP/1.1\\r\\nHost: 127.0.0.1{header}\\r\\nConnection: close\\r\\n\\r\\n"'
        if tls:
            answer = self.debian.type(f"({ask}; sleep 1) | openssl s_client -quiet -verify_return_error -CAfile ca.pem "
                                      "-connect 127.0.0.1:8080 2>/dev/null")
        else:
            answer = self.debian.type(f"exec 3<>/dev/tcp/127.0.0.1/8080; {ask} >&3; cat <&3")
        return int(answer.split()[1])

    def main_process(self):
        return self.debian.type("systemctl show --property MainPID --value futurerand").strip()

    def first_estimate(self):
        begin = time.monotonic()
        (block,) = typed("From the package")
        self.debian.type(block)
        text = (ROOT / "docs" / "deploy.md").read_text()
        page = self.debian.browse(re.search(r"http://127\.0\.0\.1:8080/#/metric/first", text)[0])
        took = time.monotonic() - begin
        words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
        self.assertRegex(words, r"\d of 2,000 devices, give or take [\d,]+ Period 16 of 16")
        print(f"from the package to the first estimate on the page: {took:.0f} s, and {self.fetching:.0f} s for apt to fetch "
              "what it needs")
        self.assertLess(took + self.fetching, PATIENCE)
        self.assertEqual(self.debian.type("systemctl is-active futurerand").strip(), "active")
        self.assertEqual(self.debian.type("systemctl is-enabled futurerand").strip(), "enabled")
        # Its user, and the readers of the token.
        self.assertEqual(self.debian.type(f"stat -c %U /proc/{self.main_process()}").strip(), "futurerand")
        self.assertEqual(self.debian.type("stat -c '%a %U %G' /etc/futurerand /etc/futurerand/admin-token /var/lib/futurerand"),
                         "750 root futurerand\n640 root futurerand\n700 futurerand futurerand\n")
        self.assertEqual(self.served("/readyz", tls=False), 200)

    def open_to_devices(self):
        # Certificates and tokens as in the document's section without systemd.
        made = next(text for kind, text, mark in fences(ROOT / "docs" / "deploy.md", "Open to devices") if kind == "sh")
        (installed,) = typed("Open to devices")
        self.debian.type(made)
        self.debian.type(installed)
        self.assertEqual(self.served("/readyz"), 200)
        self.assertEqual(self.served("/v1/metrics/first"), 401)
        self.assertEqual(self.served("/v1/metrics/first", token="read-tokens"), 200)

    def change_a_token(self):
        before, process = self.debian.type("cat read-tokens"), self.main_process()
        add, drop = typed("Changing a token")
        path = "/v1/metrics/first"
        self.debian.type(add)
        self.wait_for(path, "/etc/futurerand/read-tokens", 200)
        self.assertEqual(self.served(path, token="read-tokens"), 200)
        self.assertNotEqual(self.debian.type("head -1 /etc/futurerand/read-tokens"), before)
        self.debian.type(drop)
        self.wait_for(path, "read-tokens", 401)
        self.assertEqual(self.served(path, token="/etc/futurerand/read-tokens"), 200)
        # A bad file fails the reload and changes nothing.
        self.debian.type("cp -p /etc/futurerand/read-tokens good && echo short > /etc/futurerand/read-tokens")
        self.assertNotEqual(self.debian.attempt("systemctl reload futurerand").returncode, 0)
        self.debian.type("cp -p good /etc/futurerand/read-tokens && systemctl reload futurerand")
        self.assertEqual(self.served(path, token="good"), 200)
        self.assertEqual(self.main_process(), process, "nothing of this is a restart")

    def wait_for(self, path, token, status):
        deadline = time.monotonic() + 60
        while self.served(path, token=token) != status:
            self.assertLess(time.monotonic(), deadline)

    def socket(self):
        """A request during a restart waits and gets an answer."""
        self.debian.type("systemctl stop futurerand && systemctl start futurerand.socket")
        self.assertEqual(self.debian.attempt("systemctl is-active futurerand").stdout.strip(), "inactive")
        self.assertEqual(self.served("/readyz"), 200)
        self.assertEqual(self.debian.type("systemctl is-active futurerand").strip(), "active")
        self.debian.type("systemctl stop futurerand.socket futurerand && systemctl start futurerand")

    def upgrade(self):
        """Installs the same files under a higher number. Tokens, flags and data stay."""
        debian, process = self.debian, self.main_process()
        kept = "cat /etc/futurerand/admin-token /etc/futurerand/serve.toml /etc/futurerand/read-tokens"
        before = debian.type(kept)
        run("dpkg-deb", "--raw-extract", self.package, debian.folder / "next")
        control = debian.folder / "next/DEBIAN/control"
        control.write_text(re.sub(r"^Version: .*$", "Version: 999.0-1", control.read_text(), flags=re.M))
        run("dpkg-deb", "--root-owner-group", "--build", debian.folder / "next", debian.root / "root/next.deb")
        debian.type("apt-get -q install -y ./next.deb")
        self.assertEqual(debian.type("dpkg-query --show --showformat='${Version}' futurerand"), "999.0-1")
        self.assertEqual(debian.type(kept), before)
        self.assertEqual(debian.type("systemctl is-active futurerand").strip(), "active")
        self.assertNotEqual(self.main_process(), process, "the new version runs")
        self.assertEqual(self.served("/v1/metrics/first", token="/etc/futurerand/read-tokens"), 200)
        listed = json.loads(debian.type("futurerand metric list --to https://127.0.0.1:8080 --ca-file ca.pem "
                                        "--admin-token-file /etc/futurerand/admin-token --format json"))
        self.assertIn("first", json.dumps(listed))

    def purge(self):
        debian = self.debian
        debian.type("apt-get -q remove -y futurerand")
        self.assertNotEqual(debian.attempt("systemctl is-active futurerand").returncode, 0)
        self.assertFalse((debian.root / "usr/bin/futurerand").exists())
        self.assertTrue((debian.root / "etc/futurerand/admin-token").exists())
        self.assertTrue((debian.root / "var/lib/futurerand/FORMAT").exists())
        # Purging deletes the package's own files and keeps the operator's.
        debian.type("cd /etc/futurerand && rm read-tokens submit-tokens server.pem server.key")
        debian.type("apt-get -q purge -y futurerand")
        for left in ("etc/futurerand", "var/lib/futurerand", "lib/systemd/system/futurerand.service",
                     "etc/systemd/system/multi-user.target.wants/futurerand.service", "usr/share/doc/futurerand"):
            self.assertFalse(os.path.lexists(debian.root / left), left)
        self.assertNotEqual(debian.attempt("getent passwd futurerand || getent group futurerand").returncode, 0)
        self.assertEqual(debian.type("dpkg-query --show futurerand 2>/dev/null || true"), "")


if __name__ == "__main__":
    BUILD = pathlib.Path(os.path.abspath(sys.argv[1])).parent
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
