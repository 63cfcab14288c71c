"""The Python wheel of pyproject.toml, built from this build and installed by pip: usage: wheel_test.py FUTURERAND [unittest arguments]"""
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = "/usr/bin/python3"  # Debian's Python, with Debian's numpy
BUILD = None


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, **options)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def hook(call):
    """Calls a hook of the backend named in pyproject.toml, as pip does."""
    system = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]
    script = f"import sys; sys.path[:0] = {system['backend-path']!r}; import {system['build-backend']} as backend; print(backend.{call})"
    return run(PYTHON, "-B", "-c", script, cwd=ROOT).splitlines()[-1]


@unittest.skipUnless(pathlib.Path(PYTHON).exists(), "needs Debian's Python")
class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="futurerand-wheel-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.version = re.search(r"project\(futurerand VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]

    def built(self, name="wheels"):
        target = self.folder / name
        target.mkdir()
        return target / hook(f"build_wheel({str(target)!r}, {{'build': {str(BUILD)!r}}})")

    def test_pip_installs_it_and_it_certifies(self):
        wheel, site = self.built(), self.folder / "site"
        self.assertTrue(wheel.name.startswith(f"futurerand-{self.version}-cp3"), wheel.name)
        run(PYTHON, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target", site, wheel)
        said = run(PYTHON, "-B", "-c", "import futurerand; print(futurerand.__file__, futurerand.__version__, "
                   "futurerand.audit('innovation', periods=8, changes=2).certified)", env={**os.environ, "PYTHONPATH": str(site)})
        self.assertEqual(said.split(), [str(site / "futurerand/__init__.py"), self.version, "True"])

    def test_it_has_the_module_and_nothing_else(self):
        with zipfile.ZipFile(self.built()) as wheel:
            self.assertIsNone(wheel.testzip())
            names = set(wheel.namelist())
            info = f"futurerand-{self.version}.dist-info"
            sources = {f"futurerand/{path.name}" for path in (ROOT / "bindings/python/futurerand").iterdir() if path.is_file()}
            (native,) = [name for name in names if name.endswith(".so")]
            self.assertEqual(names - {native}, sources | {f"{info}/{name}" for name in ("METADATA", "LICENSE", "WHEEL", "RECORD")})
            self.assertRegex(wheel.read(f"{info}/METADATA").decode(), rf"(?m)^Version: {re.escape(self.version)}$")
            self.assertEqual({row.split(",")[0] for row in wheel.read(f"{info}/RECORD").decode().splitlines()}, names)

    def test_the_same_build_gives_the_same_bytes(self):
        self.assertEqual(self.built("one").read_bytes(), self.built("two").read_bytes())

    @unittest.skipUnless((ROOT / ".git").exists(), "needs the files under version control")
    def test_the_source_archive_has_what_a_build_needs(self):
        with tarfile.open(self.folder / hook(f"build_sdist({str(self.folder)!r})")) as archive:
            names = set(archive.getnames())
        for name in ("PKG-INFO", "pyproject.toml", "CMakeLists.txt", "LICENSE", "README.md", "bindings/python/build_backend.py",
                     "futurerand/core/law/law.cpp"):
            self.assertIn(f"futurerand-{self.version}/{name}", names)


if __name__ == "__main__":
    BUILD = pathlib.Path(os.path.abspath(sys.argv.pop(1))).parent
    unittest.main()
