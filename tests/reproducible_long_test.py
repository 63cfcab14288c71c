"""Debian packages are reproducible: usage: reproducible_long_test.py FUTURERAND [unittest arguments]

Copies the tree into two folders with names of different lengths, builds the packages in each without the compiler cache, at
different times and under different conditions, and compares all bytes. A difference is shown by the file inside the package."""
import filecmp
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The page and the module change no compiled byte of the command. Without them a build takes half as long.
LITTLE = "-DFUTURERAND_PAGE=OFF -DFUTURERAND_CLUSTER=OFF"


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=7200, **options)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def contents(package, folder):
    """Unpacks a package; returns its files with their digests and attributes."""
    folder.parent.mkdir(exist_ok=True)
    run("dpkg-deb", "--raw-extract", package, folder)
    return {str(path.relative_to(folder)): (oct(path.lstat().st_mode), int(path.lstat().st_mtime),
                                            path.read_bytes() if path.is_file() and not path.is_symlink() else None)
            for path in sorted(folder.rglob("*"))}


class Packages(unittest.TestCase):
    def test_two_builds_give_the_same_bytes(self):
        with tempfile.TemporaryDirectory(prefix="futurerand-twice-") as folder:
            made = []
            for place, mask, zone in (("a", "022", "UTC"), ("another-much-longer-place", "027", "Pacific/Apia")):
                tree, output = pathlib.Path(folder) / place / "futurerand", pathlib.Path(folder) / place / "packages"
                listed = run("git", "-C", ROOT, "ls-files", "-z").split("\0")
                for name in filter(None, listed):
                    if (ROOT / name).is_file():
                        (tree / name).parent.mkdir(parents=True, exist_ok=True)
                        shutil.copy2(ROOT / name, tree / name)
                flags = "" if os.environ.get("FUTURERAND_LONG") else LITTLE
                run("sh", "-c", f'umask {mask}; exec "$0" "$1"', tree / "tools/package", output,
                    env={**os.environ, "CCACHE_DISABLE": "1", "TZ": zone, "CMAKE_FLAGS": flags})
                made.append(output)
                self.assertEqual(run("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=output), "")
            names = [sorted(path.name for path in output.glob("*.deb")) for output in made]
            self.assertEqual(names[0], names[1])
            self.assertIn("futurerand", {name.split("_")[0] for name in names[0]})
            for name in names[0]:
                with self.subTest(name):
                    if filecmp.cmp(made[0] / name, made[1] / name, shallow=False):
                        continue
                    one, other = (contents(output / name, output / "unpacked" / name) for output in made)
                    different = [path for path in sorted(one.keys() | other.keys()) if one.get(path) != other.get(path)]
                    self.fail(f"{name} differs in {different or 'the order of its files or its own headers'}")
            self.assertTrue(filecmp.cmp(made[0] / "futurerand.spdx.json", made[1] / "futurerand.spdx.json", shallow=False))


if __name__ == "__main__":
    del sys.argv[1]  # the command of this build is not used
    unittest.main()
