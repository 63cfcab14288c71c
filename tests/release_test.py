"""A release agrees with itself: version, dates, formats and links: usage: release_test.py FUTURERAND [unittest arguments]"""
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = None


def text(path):
    return (ROOT / path).read_text()


def found(pattern, path):
    match = re.search(pattern, text(path), re.M)
    assert match, f"{path} has nothing like {pattern}"
    return match[1]


VERSION = found(r"^project\(futurerand VERSION (\d+\.\d+\.\d+) ", "CMakeLists.txt")


class Version(unittest.TestCase):
    """CMakeLists.txt is the one place of the version. tools/release changes the rest with it."""

    def test_the_command_has_it(self):
        said = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(said, f"futurerand {VERSION}\n")

    def test_citation_and_npm_have_it(self):
        self.assertEqual(found(r"^version: (\S+)$", "CITATION.cff"), VERSION)
        self.assertEqual(json.loads(text("bindings/js/package.json"))["version"], VERSION)
        lock = json.loads(text("bindings/js/package-lock.json"))
        self.assertEqual((lock["version"], lock["packages"][""]["version"]), (VERSION, VERSION))

    def test_python_and_debian_take_it_from_there(self):
        self.assertEqual(tomllib.loads(text("pyproject.toml"))["project"]["dynamic"], ["version"])
        self.assertIn("set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})", text("packaging/CMakeLists.txt"))
        self.assertIn("futurerand (@PROJECT_VERSION@-1)", text("packaging/changelog.in"))

    def test_the_changelog_begins_with_it(self):
        newest = found(r"^## (.*)$", "CHANGELOG.md")
        released = found(r"^date-released: (\S+)$", "CITATION.cff")
        datetime.date.fromisoformat(released)
        self.assertIn(newest, (f"[Unreleased], to be {VERSION}", f"[{VERSION}] - {released}"))

    def test_releases_fall_in_number_and_date(self):
        rows = re.findall(r"^## \[(\d+)\.(\d+)\.(\d+)\] - (\S+)$", text("CHANGELOG.md"), re.M)
        numbers = [tuple(int(part) for part in row[:3]) for row in rows]
        days = [datetime.date.fromisoformat(row[3]) for row in rows]
        self.assertEqual((numbers, days), (sorted(set(numbers), reverse=True), sorted(days, reverse=True)))

    def test_no_stored_format_needs_a_later_release(self):
        needed = found(r'kNeededVersion = "(\S+)"', "futurerand/collector/log/data_folder.cpp")
        self.assertLessEqual([int(part) for part in needed.split(".")], [int(part) for part in VERSION.split(".")])


class Policy(unittest.TestCase):
    """docs/compatibility.md states the numbers of the code."""

    def row(self, name):
        rows = re.findall(r"^\| ([^|]+?) (?:\(\[[^|]*\) )?\| (\d+) \| ([^|]+) \|", text("docs/compatibility.md"), re.M)
        return next((int(number), where) for kind, number, where in rows if kind == name)

    def test_the_numbers_are_those_of_the_code(self):
        for name, pattern, path in (
                ("device state", r"kVersion = (\d+);", "futurerand/client/sealed.cpp"),
                ("data folder", r'kVersionLine = "futurerand collector (\d+)\\n"', "futurerand/collector/log/data_folder.cpp"),
                ("cluster database", r"kClusterVersion = (\d+);", "futurerand/collector/cluster/database.hpp"),
                ("exported metric", r'"futurerand metric (\d+)"', "docs/http.md"),
                ("C ABI", r"^FUTURERAND_(\d+) \{", "bindings/c/futurerand.map"),
                ("HTTP API", r'^  version: "(\d+)"$', "futurerand/collector/api/openapi.yaml")):
            with self.subTest(name):
                self.assertEqual(self.row(name)[0], int(found(pattern, path)))

    def test_the_wire_version_is_what_devices_write(self):
        number, where = self.row("wire lines and plans")
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as values:
            values.write("user,period,value\n1,1,1\n")
            values.flush()
            first = subprocess.run([PROGRAM, "randomize", "--values", values.name, "--periods", "2", "--changes", "1", "--seed", "1"],
                                   check=True, capture_output=True, text=True).stdout.splitlines()[0]
        self.assertEqual(json.loads(first)["futurerand"], number)
        self.assertIn(f'"futurerand":{number}', where)

    def test_the_soname_is_the_abi(self):
        library = PROGRAM.parent / "bindings/c/libfuturerand.so"
        said = subprocess.run(["readelf", "--dynamic", library], check=True, capture_output=True, text=True).stdout
        self.assertIn(f"[libfuturerand.so.{self.row('C ABI')[0]}]", said)


def anchors(path):
    """The headings of a document as GitHub links to them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Pages(unittest.TestCase):
    def documents(self):
        listed = subprocess.run(["find", ".", "-name", "*.md", "-not", "-path", "*/node_modules/*", "-not", "-path", "./build/*"], cwd=ROOT,
                                check=True, capture_output=True, text=True).stdout.split()
        return [ROOT / name for name in listed]

    def test_every_link_leads_somewhere(self):
        links = 0
        for document in self.documents():
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.M | re.S)):
                if re.match(r"[a-z]+:", target):
                    continue
                with self.subTest(document=str(document.relative_to(ROOT)), target=target):
                    name, _, anchor = target.partition("#")
                    path = (document.parent / name).resolve() if name else document
                    self.assertTrue(path.exists())
                    if anchor and path.suffix == ".md":
                        self.assertIn(anchor, anchors(path))
                    links += 1
        self.assertGreater(links, 150)

    def test_every_test_that_a_page_names_is_there(self):
        listed = subprocess.run(["find", "futurerand", "apps", "bindings", "tests", "-name", "*_test.cpp", "-o", "-name", "*_test.py"], cwd=ROOT,
                                check=True, capture_output=True, text=True).stdout.split()
        sources = "".join(text(path) for path in listed)
        known = {f"{suite}.{name}" for suite, name in re.findall(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+), (\w+)\)", sources, re.M)}
        suites = {name.partition(".")[0] for name in known}
        found = 0
        for document in self.documents():
            page = document.read_text()
            for suite, name in re.findall(r"`([A-Z]\w+)\.([A-Z]\w+|\*)`", page):
                with self.subTest(document=document.name, test=f"{suite}.{name}"):
                    self.assertTrue(suite in suites if name == "*" else f"{suite}.{name}" in known)
                    found += 1
            for name in re.findall(r"`(test_\w+)`", page):
                with self.subTest(document=document.name, test=name):
                    self.assertIn(f"def {name}(", sources)
                    found += 1
        self.assertGreater(found, 100)

    def test_the_index_lists_every_page_once_under_its_kind(self):
        index = text("docs/README.md")
        self.assertEqual(re.findall(r"^## (.*)$", index, re.M), ["Tutorial", "Guides", "Reference", "Explanation"])
        listed = re.findall(r"^- \[[^]]+\]\(([\w-]+\.md)\): \S", index, re.M)
        pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
        self.assertEqual(sorted(listed), sorted(pages))

    def test_issue_templates_are_complete(self):
        folder = ROOT / ".github/ISSUE_TEMPLATE"
        for path in folder.glob("*.md"):
            self.assertRegex(path.read_text(), r"\A---\nname: \S.*\nabout: \S.*\n---\n", path.name)
        self.assertIn("\nblank_issues_enabled: false\n", (folder / "config.yml").read_text())

    def test_security_names_versions_and_a_private_channel(self):
        page = text("SECURITY.md")
        self.assertRegex(page, r"(?s)## Supported versions.*\| `main` \| yes \|.*\| the latest release \| yes \|")
        self.assertIn("Report a vulnerability", page)


class Checks(unittest.TestCase):
    def test_each_row_of_test_has_a_preset_and_a_target(self):
        """A row of ./test --long that names nothing is not seen otherwise until somebody waits for it."""
        rows = re.findall(r'"([\w-]+) (\w+) \S+ \d+"', text("test"))
        self.assertGreaterEqual(len(rows), 6)
        presets = {preset["name"] for preset in json.loads(text("CMakePresets.json"))["configurePresets"]}
        files = [ROOT / "CMakeLists.txt", *(file for folder in ("bindings", "cmake", "futurerand", "fuzz") for name in ("CMakeLists.txt", "*.cmake")
                                            for file in (ROOT / folder).rglob(name) if "node_modules" not in file.parts)]
        cmake = "".join(file.read_text() for file in files)
        labels = re.findall(r"\w+", " ".join(re.findall(r"\bLABELS ([^)]*)", cmake)))
        targets = {"all", *re.findall(r"add_custom_target\((\w+)", cmake), *(f"tests_{label}" for label in labels)}
        for preset, target in rows:
            self.assertIn(preset, presets)
            self.assertIn(target, targets)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
