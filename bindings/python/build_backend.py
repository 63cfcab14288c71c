"""The build backend of pyproject.toml (PEP 517): builds wheels with CMake, without other Python packages.

The module links Debian's libraries, so a wheel works on the machine that built it and on its like. Settings of `pip --config-settings`:
`build=FOLDER` uses this finished CMake build instead of a new one.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _version():
    return re.search(r"project\(futurerand VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def _name():
    return f"futurerand-{_version()}"


def _metadata():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {_version()}", f"Summary: {project['description']}",
             f"License: {project['license']['text']}", f"Requires-Python: {project['requires-python']}",
             *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
             *(f"Requires-Dist: {dependency}" for dependency in project["dependencies"]), "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text()


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _built(folder):
    """Configures and builds the module in a folder."""
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DBUILD_TESTING=OFF",
                    "-DFUTURERAND_PAGE=OFF", "-DFUTURERAND_CLUSTER=OFF", "-DFUTURERAND_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}",
                    "-GNinja"], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "futurerand_python_package"], check=True)
    return folder


def _installed(build, prefix):
    """Installs the module of a build and returns its files by their place in a wheel."""
    subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", "python", "--strip"], check=True,
                   stdout=subprocess.DEVNULL)
    site = next(pathlib.Path(prefix).rglob("dist-packages"))
    # The documents of Debian's packages are installed beside the module, and stay out.
    return {str(path.relative_to(site)): path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file()}


def _write_wheel(path, files):
    info = f"{_name()}.dist-info"
    files = {**files, f"{info}/METADATA": _metadata().encode(), f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: futurerand {_version()}\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()}
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(content)}\n")
            wheel.writestr(_entry(name), content)
        wheel.writestr(_entry(f"{info}/RECORD"), "".join(rows) + f"{info}/RECORD,,\n")


def _entry(name):
    """An entry with a fixed time, so that the same build gives the same wheel."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
    return entry


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"{_name()}-{_tag()}.whl"
    with tempfile.TemporaryDirectory(prefix="futurerand-wheel-") as work:
        build = (config_settings or {}).get("build") or _built(os.path.join(work, "build"))
        _write_wheel(pathlib.Path(wheel_directory) / name, _installed(build, os.path.join(work, "prefix")))
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files under version control, and PKG-INFO."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout.decode().split("\0")
    path = pathlib.Path(sdist_directory) / f"{_name()}.tar.gz"
    with tempfile.NamedTemporaryFile("w", suffix=".PKG-INFO") as information, tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        information.write(_metadata())
        information.flush()
        archive.add(information.name, f"{_name()}/PKG-INFO")
        for name in filter(None, listed):
            if (ROOT / name).is_file():
                archive.add(ROOT / name, f"{_name()}/{name}", recursive=False)
    return path.name
