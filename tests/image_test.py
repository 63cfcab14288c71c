"""The recipe of the OCI image is sound: usage: image_test.py FUTURERAND [unittest arguments]

tests/image_long_test.py assembles it. This test reads it, and runs its command line with the command of this build."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True
import containerfile  # noqa: E402

PROGRAM = None
TEXT = (ROOT / "packaging/Containerfile").read_text()


def lint(text):
    """Returns the faults of a recipe. Rules follow the usual linters: a fixed base, no root, small layers, exec forms."""
    recipe = containerfile.Recipe(text)
    faults = []
    if not re.fullmatch(r"[a-z0-9/._-]+:[a-z0-9._-]+", recipe.base or "") or recipe.base.endswith(":latest"):
        faults.append("the base image has no fixed tag")
    if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", recipe.user or ""):
        faults.append("the user is not a number above 0")
    order = [name for name, _ in containerfile.instructions(text)]
    if order[0] != "FROM":
        faults.append("the recipe does not begin with FROM")
    if "USER" in order and "RUN" in order[order.index("USER"):]:
        faults.append("a command runs after USER")
    for script in recipe.scripts:
        if "apt-get install" in script:
            if "apt-get update" not in script:
                faults.append("apt-get install without update in the same layer")
            if "--no-install-recommends" not in script or "--yes" not in script:
                faults.append("apt-get install asks, or installs recommended packages")
            if not re.search(r"rm -rf [^&]*/var/lib/apt/lists", script):
                faults.append("package lists stay in the layer")
        if re.search(r"\b(sudo|curl|wget|chmod 777)\b|(^|&& )apt ", script):
            faults.append("a command fetches from elsewhere, or changes rights")
        if ";" in script:
            faults.append("a failed command would be ignored")
        if "futurerand_*.deb" in script:
            for secret in ("admin-token", "first-start"):
                if not re.search(rf"rm -rf [^&]*/etc/futurerand/{secret}\b", script):
                    faults.append(f"all containers would share {secret}")
    for name in ("entrypoint", "command"):
        if not isinstance(getattr(recipe, name), list):
            faults.append(f"{name} is not in exec form")
    if not recipe.volumes or not recipe.ports or recipe.stop_signal != "SIGTERM":
        faults.append("volume, port or stop signal is missing")
    return faults


class Image(unittest.TestCase):
    def test_the_recipe_has_no_fault(self):
        self.assertEqual(lint(TEXT), [])

    def test_each_fault_is_found(self):
        for old, new, fault in (
                ("debian:bookworm-slim", "debian:latest", "fixed tag"),
                ("debian:bookworm-slim", "debian", "fixed tag"),
                ("USER 990:990", "USER root", "user is not a number"),
                ("USER 990:990", "", "user is not a number"),
                ("&& apt-get update", "", "without update"),
                ("--no-install-recommends ", "", "recommended"),
                ("/var/lib/apt/lists/*", "", "package lists"),
                ("/etc/futurerand/admin-token", "", "share admin-token"),
                ("/etc/futurerand/first-start", "", "share first-start"),
                ("&& apt-get update", "; apt-get update", "ignored"),
                ("EXPOSE 8080", "RUN true\nEXPOSE 8080", "after USER"),
                ("VOLUME /var/lib/futurerand", "", "volume")):
            with self.subTest(fault=fault, new=new):
                self.assertEqual(TEXT.count(old), 1, old)
                self.assertIn(fault, "; ".join(lint(TEXT.replace(old, new))))
        with self.assertRaises(ValueError):
            containerfile.Recipe(TEXT.replace("CMD [", "CMD serve ["))
        with self.assertRaises(ValueError):
            containerfile.Recipe(TEXT + "ADD elsewhere /\n")

    def test_its_command_line_is_one_of_the_command(self):
        recipe = containerfile.Recipe(TEXT)
        self.assertEqual(recipe.entrypoint, ["/usr/bin/futurerand"])
        self.assertIn(recipe.volumes[0], recipe.command)
        self.assertTrue(recipe.command[-1].endswith(f":{recipe.ports[0]}"))
        done = subprocess.run([PROGRAM, *recipe.command, "--check-config"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_names_the_user_and_folder_of_the_package(self):
        installed = (ROOT / "packaging/postinst").read_text()
        self.assertRegex(installed, r"adduser [^\n]*--home /var/lib/futurerand futurerand\n")
        (script,) = containerfile.Recipe(TEXT).scripts
        self.assertRegex(script, r"useradd --system --uid 990 --gid 990 --home-dir /var/lib/futurerand --no-create-home futurerand\b")


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
