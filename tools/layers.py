#!/usr/bin/python3 -B
"""Checks that includes follow layers.txt, transitively.

usage: layers.py [ROOT [RULES]]   (default: this repository and the layers.txt beside this file)
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:(["<])([^">\n]+)[">]|(\S+))', re.MULTILINE)
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
SOURCES = {".cpp", ".hpp", ".h", ".cc", ".hh", ".ipp", ".inc"}

STD = set(
    """
    algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono
    cinttypes climits clocale cmath codecvt compare complex concepts condition_variable coroutine
    csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque
    exception execution filesystem format forward_list fstream functional future initializer_list
    iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource
    mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
    semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf
    string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo
    unordered_map unordered_set utility valarray variant vector version
    """.split()
)


# Every folder of these trees has a row.
TABLE = ("futurerand", "apps")


def row(path):
    """Returns a path as in the table, without futurerand/."""
    return path.removeprefix("futurerand/")


def is_test(path):
    return path.endswith("_test.cpp") or "test" in path.split("/")[:-1]


def inside(path, entry):
    return path == entry or path.startswith(entry.rstrip("/") + "/")


class Rules:
    def __init__(self, text):
        self.allowed = {}  # folder -> entries
        self.never = {}  # folder -> entries
        self.system = {}  # folder -> (allowed, forbidden)
        self.free = []
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if not line:
                continue
            head, colon, tail = line.partition(":")
            if not colon:
                raise ValueError(f"layers: expected 'FOLDER: ...', got '{line}'")
            words, entries = head.split(), tail.split()
            if words == ["free"]:
                self.free += entries
            elif words[0] == "never":
                for folder in words[1:]:
                    self.never.setdefault(folder, []).extend(entries)
            elif words[0] == "system":
                for folder in words[1:]:
                    may, not_ = self.system.setdefault(folder, ([], []))
                    may += [e for e in entries if e[0] != "!"]
                    not_ += [e[1:] for e in entries if e[0] == "!"]
            elif len(words) == 1:
                self.allowed[words[0]] = entries
            else:
                raise ValueError(f"layers: expected one folder before ':', got '{line}'")

    def folder_of(self, path):
        """Returns the row of the table for a path: the longest matching one."""
        return max((f for f in self.allowed if inside(path, f)), key=len, default=None)

    def reachable(self, folder, seen=None):
        """Returns all entries reachable through allowed folders."""
        seen = set() if seen is None else seen
        for entry in self.allowed[folder]:
            if entry not in seen:
                seen.add(entry)
                for inner in self.allowed:
                    if inside(inner, entry):
                        self.reachable(inner, seen)
        return seen


class Checker:
    def __init__(self, root, rules):
        self.root, self.rules = Path(root), rules
        self.errors = []
        self.reported = set()
        self.cache = {}

    def includes(self, name):
        """Yields (kind, path) of each include of a file; kind is '"', '<' or '' for a macro."""
        if name not in self.cache:
            path = self.root / name
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            text = BLOCK_COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
            self.cache[name] = [(k, p or macro) for k, p, macro in INCLUDE.findall(text)]
        return self.cache[name]

    def files(self, folder):
        top = self.root / folder
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                if "node_modules" not in path.parts:
                    yield path.relative_to(self.root).as_posix()

    def report(self, chain, rule):
        # Report one bad include once per folder, for any number of its files.
        key = (self.rules.folder_of(row(chain[0])), chain[-2:], rule)
        if key not in self.reported:
            self.reported.add(key)
            self.errors.append(f"{' -> '.join(chain)}: {rule}")

    def check(self):
        free = [name for top in self.rules.free for name in self.files(top)]
        for name in free:
            self.check_form(name, [*TABLE, *(top.split("/")[0] for top in self.rules.free)])
        for top in TABLE:
            for name in self.files(top):
                if name not in free:
                    self.check_file(name, TABLE[: TABLE.index(top) + 1])
        return self.errors

    def check_file(self, name, tops):
        self.check_form(name, tops)
        folder = self.rules.folder_of(row(name))
        if folder is None:
            self.errors.append(f"{name}: its folder is not in the table of layers.txt")
            return
        test = is_test(name)
        self.check_reach(name, folder, test)
        if not test:
            self.check_system(name)

    def check_form(self, name, tops):
        for kind, path in self.includes(name):
            if kind == "":
                self.report((name, path), "an include by macro cannot be checked")
            elif kind == "<" and inside(path, "futurerand"):
                self.report((name, path), 'the library is included with "", not <>')
            elif kind == '"' and (path.split("/")[0] not in tops or ".." in path.split("/")):
                starts = ", ".join(f"{top}/" for top in dict.fromkeys(tops))
                self.report((name, path), f"an include starts at the root of the repository ({starts})")

    def check_reach(self, name, folder, test):
        direct = [folder, *self.rules.allowed[folder]]
        reachable = [folder, *self.rules.reachable(folder)]
        never = [e for f, es in self.rules.never.items() if inside(folder, f) for e in es]
        seen, queue = {name}, [(name,)]
        while queue:
            chain = queue.pop(0)
            for _, path in self.includes(chain[-1]):
                if path in seen or not any(inside(path, top) for top in TABLE):
                    continue
                seen.add(path)
                longer, inner = (*chain, path), row(path)
                may = direct if len(chain) == 1 else reachable
                rule = self.broken_rule(folder, inner, may, never, test, len(chain) == 1)
                if rule:
                    self.report(longer, rule)
                else:
                    queue.append(longer)

    def broken_rule(self, folder, inner, may, never, test, direct):
        if any(inside(inner, entry) for entry in never):
            return f"{folder} must never reach {', '.join(never)}"
        if not test and is_test(inner):
            return "what lies in a folder test is for tests"
        if test or any(inside(inner, entry) for entry in may):
            return None
        if self.rules.folder_of(inner) is None:
            return "this folder is not in the table of layers.txt"
        listed = ", ".join(sorted(may[1:])) or "its own files"
        return f"{folder} may {'include' if direct else 'reach'} only {listed}"

    def check_system(self, name):
        for folder, (may, not_) in self.rules.system.items():
            if not inside(name, f"futurerand/{folder}"):
                continue
            for kind, path in self.includes(name):
                if kind != "<" or inside(path, "futurerand"):
                    continue
                fits = any(
                    path in STD if e == "std" else path.startswith(e) if e[-1] == "/" else path == e
                    for e in may
                )
                if path in not_ or not fits:
                    rule = f"{folder} may use only {', '.join(may)} headers, without {', '.join(not_)}"
                    self.report((name, f"<{path}>"), rule)


def main(arguments):
    here = Path(__file__).resolve().parent
    root = Path(arguments[0]) if arguments else here.parent
    rules = Path(arguments[1]) if len(arguments) > 1 else here / "layers.txt"
    errors = Checker(root, Rules(rules.read_text(encoding="utf-8"))).check()
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
