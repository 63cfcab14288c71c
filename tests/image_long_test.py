"""The OCI image, assembled without a daemon, unpacked and run: usage: image_long_test.py FUTURERAND [unittest arguments]

tools/image assembles it with mmdebstrap and umoci. This test reads the layout by the OCI specification alone: every digest, every
layer in its order. Then it runs the image's own command as the image's user below the unpacked root."""
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from documents import ROOT, fences
from ports import free_port

BUILD = None


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=1800, **options)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


@unittest.skipIf(os.geteuid() != 0 or not shutil.which("umoci") or not shutil.which("mmdebstrap"), "needs root, umoci and mmdebstrap")
class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="futurerand-image-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", cls.folder / "packages", cwd=cls.folder)
        cls.layout = cls.folder / "image"
        # Types the document's command, with this test's folders.
        (typed,) = [text for kind, text, mark in fences(ROOT / "docs/deploy.md", "In a container") if mark and "image_long_test.py" in mark]
        run("sh", "-ec", typed.replace("build/packages", str(cls.folder / "packages")).replace("build/image", str(cls.layout)), cwd=ROOT)
        (named,) = json.loads((cls.layout / "index.json").read_text())["manifests"]
        cls.manifest = json.loads(cls.blob(named))
        cls.config = json.loads(cls.blob(cls.manifest["config"]))
        cls.root = cls.folder / "root"
        cls.root.mkdir()
        cls.diffs = []
        for row in cls.manifest["layers"]:
            content = gzip.decompress(cls.blob(row)) if row["mediaType"].endswith("gzip") else cls.blob(row)
            cls.diffs.append("sha256:" + hashlib.sha256(content).hexdigest())
            path = cls.folder / "layer.tar"
            path.write_bytes(content)
            cls.apply(path)

    @classmethod
    def blob(cls, row):
        """Returns a blob, whose digest and size must be those of its descriptor."""
        kind, _, digest = row["digest"].partition(":")
        content = (cls.layout / "blobs" / kind / digest).read_bytes()
        assert (hashlib.new(kind, content).hexdigest(), len(content)) == (digest, row["size"]), row
        return content

    @classmethod
    def apply(cls, path):
        """Applies a layer: a file .wh.NAME deletes NAME, .wh..wh..opq empties its folder."""
        with tarfile.open(path) as layer:
            for member in layer.getmembers():
                target = cls.root / member.name
                if target.name == ".wh..wh..opq":
                    shutil.rmtree(target.parent, ignore_errors=True)
                    target.parent.mkdir()
                elif target.name.startswith(".wh."):
                    gone = target.with_name(target.name.removeprefix(".wh."))
                    shutil.rmtree(gone) if gone.is_dir() and not gone.is_symlink() else gone.unlink(missing_ok=True)
        run("tar", "--extract", "--numeric-owner", "--exclude=.wh.*", "--file", path, "--directory", cls.root)

    def inside(self, *command, **options):
        return ["chroot", "--userspec=" + self.config["config"]["User"], str(self.root), *command]

    def test_the_layout_is_whole(self):
        self.assertEqual(json.loads((self.layout / "oci-layout").read_text()), {"imageLayoutVersion": "1.0.0"})
        self.assertEqual(len(self.manifest["layers"]), 2)
        self.assertEqual(self.config["rootfs"], {"type": "layers", "diff_ids": self.diffs})

    def test_the_configuration_is_that_of_the_recipe(self):
        config = self.config["config"]
        self.assertEqual((config["User"], config["Entrypoint"], config["StopSignal"]), ("990:990", ["/usr/bin/futurerand"], "SIGTERM"))
        self.assertEqual(config["Cmd"], ["serve", "--data", "/var/lib/futurerand", "--listen", "0.0.0.0:8080"])
        self.assertEqual((list(config["ExposedPorts"]), list(config["Volumes"])), (["8080/tcp"], ["/var/lib/futurerand"]))
        self.assertEqual(config["Labels"]["org.opencontainers.image.licenses"], "Apache-2.0")

    def test_no_secret_and_nothing_of_this_machine_is_in_it(self):
        names = {path.name for path in (self.root / "etc/futurerand").iterdir()}
        self.assertEqual(names, {"serve.toml"})
        self.assertEqual((self.root / "etc/apt/sources.list").read_text(), "deb http://deb.debian.org/debian bookworm main\n")
        self.assertEqual(list((self.root / "tmp").iterdir()), [])
        self.assertEqual([path for path in (self.root / "var/lib/apt/lists").glob("*_*")], [])
        self.assertFalse((self.root / "etc/resolv.conf").exists())
        state = (self.root / "var/lib/futurerand").stat()
        self.assertEqual((state.st_uid, state.st_gid, state.st_mode & 0o777), (990, 990, 0o700))

    def test_it_serves_as_its_user(self):
        config, port = self.config["config"], free_port()
        said = run(*self.inside(*config["Entrypoint"], "--version"))
        self.assertRegex(said, r"^futurerand \d+\.\d+\.\d+$")
        words = [*config["Entrypoint"], *config["Cmd"]]
        words[words.index("0.0.0.0:8080")] = f"127.0.0.1:{port}"
        # A volume that is not mounted is an error, in a container too.
        empty = subprocess.run(self.inside(*words), capture_output=True, text=True, timeout=60)
        self.assertNotEqual(empty.returncode, 0)
        self.assertIn("empty or missing", empty.stderr)
        process = subprocess.Popen(self.inside(*words, "--create"), stderr=subprocess.DEVNULL)
        try:
            self.assertEqual(self.status(port), 200)
            with open(f"/proc/{process.pid}/status") as file:
                self.assertRegex(file.read(), r"(?m)^Uid:\s+990\s+990\s+990\s+990$")
            process.send_signal(getattr(signal, config["StopSignal"]))
            self.assertEqual(process.wait(60), 0)
        finally:
            process.kill()
            process.wait()

    def status(self, port):
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as answer:
                    return answer.status
            except (urllib.error.URLError, ConnectionError):
                self.assertLess(time.monotonic(), deadline, "it does not serve")
                time.sleep(0.1)


if __name__ == "__main__":
    BUILD = pathlib.Path(os.path.abspath(sys.argv.pop(1))).parent
    unittest.main()
