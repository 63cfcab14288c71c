"""The bill of materials of tools/sbom: usage: sbom_test.py FUTURERAND [unittest arguments]"""
import base64
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = None
# SPDX 2.3, clauses 6 to 11: the required fields of a document and of each package, and the relationships in use here.
DOCUMENT = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"}
PACKAGE = {"name", "SPDXID", "downloadLocation"}
RELATIONSHIPS = {"DESCRIBES", "DYNAMIC_LINK", "STATIC_LINK", "CONTAINS", "BUILD_DEPENDENCY_OF", "BUILD_TOOL_OF"}


def made():
    return subprocess.run([ROOT / "tools/sbom", PROGRAM.parent], check=True, capture_output=True, text=True, timeout=300).stdout


class Bill(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = made()
        cls.document = json.loads(cls.text)
        cls.packages = {package["name"]: package for package in cls.document["packages"]}

    def related(self, kind):
        names = {package["SPDXID"]: package["name"] for package in self.document["packages"]}
        return {names[end] for row in self.document["relationships"] if row["relationshipType"] == kind
                for end in (row["spdxElementId"], row["relatedSpdxElement"]) if end in names} - {"futurerand"}

    def test_it_is_a_document_of_spdx(self):
        self.assertLessEqual(DOCUMENT, set(self.document))
        self.assertEqual((self.document["spdxVersion"], self.document["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        self.assertRegex(self.document["documentNamespace"], r"^urn:uuid:[0-9a-f-]{36}$")
        datetime.datetime.strptime(self.document["creationInfo"]["created"], "%Y-%m-%dT%H:%M:%SZ")
        self.assertRegex(self.document["creationInfo"]["creators"][0], r"^Tool: \S+$")
        ids = [package["SPDXID"] for package in self.document["packages"]]
        self.assertEqual(len(set(ids)), len(ids))
        for package in self.document["packages"]:
            with self.subTest(package["name"]):
                self.assertLessEqual(PACKAGE, set(package))
                self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
                self.assertIs(package["filesAnalyzed"], False)
                for license_of in (package["licenseDeclared"], package["licenseConcluded"]):
                    self.assertRegex(license_of, r"^[A-Za-z0-9.+-]+( (OR|AND) [A-Za-z0-9.+-]+)*$")
                for reference in package.get("externalRefs", []):
                    self.assertRegex(reference["referenceLocator"], r"^pkg:(deb/debian|npm)/\S+@\S+$")
        for row in self.document["relationships"]:
            self.assertIn(row["relationshipType"], RELATIONSHIPS)
            self.assertLessEqual({row["spdxElementId"], row["relatedSpdxElement"]}, {*ids, "SPDXRef-DOCUMENT"})
        self.assertEqual({end for row in self.document["relationships"] for end in row.values() if end.startswith("SPDXRef-")},
                         {*ids, "SPDXRef-DOCUMENT"}, "every package is related to something")

    def test_it_lists_each_linked_library_with_its_version(self):
        """The dynamic loader and the package database are the oracle."""
        needed = re.findall(r"NEEDED +(\S+)", subprocess.run(["objdump", "-p", PROGRAM], check=True, capture_output=True, text=True).stdout)
        loaded = subprocess.run([PROGRAM], check=True, capture_output=True, text=True, env={"LD_TRACE_LOADED_OBJECTS": "1"}).stdout
        self.assertGreater(len(needed), 5)
        for library in needed:
            with self.subTest(library):
                path = pathlib.Path(re.search(rf"(/\S*{re.escape(library)}) \(", loaded)[1]).resolve()
                owner = subprocess.run(f"dpkg --search {path} || dpkg --search {str(path).removeprefix('/usr')}", shell=True, check=True,
                                       capture_output=True, text=True).stdout.split(":")[0]
                self.assertIn(owner, self.related("DYNAMIC_LINK"))
                shown = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}\n", owner], check=True, capture_output=True,
                                       text=True).stdout.splitlines()[0]
                self.assertEqual(self.packages[owner]["versionInfo"], shown)

    def test_it_lists_compiled_headers_and_no_test_library(self):
        self.assertLessEqual({"libboost1.74-dev", "nlohmann-json3-dev", "libcli11-dev", "libsodium-dev", "libssl-dev", "libfmt-dev"},
                             self.related("BUILD_DEPENDENCY_OF"))
        self.assertFalse({"libgtest-dev", "googletest", "libbenchmark-dev"} & set(self.packages))

    def test_it_lists_the_parts_of_the_page_and_of_the_module(self):
        if not (PROGRAM.parent / "dashboard").is_dir():
            self.skipTest("needs a build with the page")
        page = self.related("CONTAINS")
        imports = set()
        for path in (ROOT / "dashboard/src").rglob("*"):
            if path.suffix in (".ts", ".tsx", ".css") and "test" not in path.name:
                imports |= set(re.findall(r"""(?:from|import) "((?:@[a-z-]+/)?[a-z][a-z0-9-]*)["/]""", path.read_text()))
        self.assertIn("preact", imports)
        self.assertLessEqual(imports - {"vite", "futurerand"}, page)
        self.assertFalse({"vite", "esbuild", "rollup"} & page)
        self.assertLessEqual({"vite", "esbuild", "rollup"}, self.related("BUILD_TOOL_OF"))
        lock = json.loads((ROOT / "dashboard/package-lock.json").read_text())["packages"]
        for name in page:
            row = lock[f"node_modules/{name}"]
            self.assertEqual(self.packages[name]["versionInfo"], row["version"])
            self.assertEqual(bytes.fromhex(self.packages[name]["checksums"][0]["checksumValue"]),
                             base64.b64decode(row["integrity"].partition("-")[2]))
        self.assertLessEqual({"sodium", "wasi-libc", "libc++-14-dev-wasm32"}, self.related("STATIC_LINK"))

    def test_the_same_build_gives_the_same_bytes(self):
        self.assertEqual(made(), self.text)

    def test_another_folder_is_an_error(self):
        done = subprocess.run([ROOT / "tools/sbom", ROOT], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("usage", done.stderr)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(os.path.abspath(sys.argv.pop(1)))
    unittest.main()
