"""Golden data folders and answers: this program reads and answers them as the one that wrote them.

usage: golden_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]
       golden_test.py FUTURERAND --write   write them again, after a change on purpose (tools/golden)
"""
import gzip
import io
import json
import os
import pathlib
import random
import re
import socket
import sys
import tarfile
import unittest

import harness
from harness import collector

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "data" / "golden"
FOLDERS = GOLDEN / "collector"


def admin(it, method, path, body=None):
    status, answer, _ = it.call(method, f"/v1/metrics/{path}", body, admin=True)
    assert status < 300, (path, status, answer)
    return answer


# Devices of two metrics with reports up to period 160 of 256.
REPORTING = {"hybrid": {"max_changes": 4, "epsilon": "1"}, "quiet": {"max_changes": 3, "epsilon": "4"}}
REPORT_READS = tuple(f"/v1/metrics/{name}{call}" for name in REPORTING for call in (
    "", "/sums", "/estimates", "/estimates?estimator=hindsight&from=5&to=100&level=0.5",
    "/estimates?estimator=trend&band=simultaneous"))


def lines_of(name):
    """Returns what 710 seeded devices send to this metric, as `randomize` printed it."""
    return gzip.decompress((GOLDEN / f"randomize_{name}.gz").read_bytes()).decode().splitlines()


def make_reports(it):
    for name, keys in REPORTING.items():
        it.create(name, periods=256, protocol="hybrid", test=True, **keys)
        it.advance(name, 159)
        status, answer, _ = it.post(name, lines_of(name))
        assert status == 200 and answer["accepted"] > 700, answer


def finish_reports(it):
    """Sends the rest of the horizon, and every line once more: what was counted before is a duplicate."""
    for name in REPORTING:
        it.advance(name, 257 - 160)
        status, answer, _ = it.post(name, lines_of(name))
        assert (status, answer["errors"]) == (200, []), (status, answer["errors"][:3])


# Ended, archived, deleted and imported metrics.
LIFECYCLE_READS = ("/v1/metrics?archived=all", *(
    f"/v1/metrics/{name}{call}" for name in ("kept", "ended", "archived", "imported") for call in ("/sums", "/estimates")),
    "/v1/metrics/deleted")


def make_lifecycle(it):
    """Makes one metric of each kind, with ten devices each."""
    for number, name in enumerate(("deleted", "kept", "ended", "archived")):
        it.create(name, periods=8, protocol="optimal")
        it.advance(name, 3)
        it.post(name, [line for device in range(10) for line in (
            '{"client":"%032x","view":0,"period":1}' % (100 * number + device + 1),
            '{"client":"%032x","index":1,"signs":"%s"}' % (100 * number + device + 1, "++-" if device < 6 + number % 3 else "--+"))])
    admin(it, "DELETE", "deleted")
    admin(it, "POST", "ended/close")
    admin(it, "POST", "archived/close")
    admin(it, "POST", "archived/archive")
    admin(it, "POST", "imported/import", json.dumps(admin(it, "GET", "kept/export")))
    it.advance("kept", 1)


# Active devices, open and closed. 70 periods are more than a word of bits.
ACTIVE_READS = tuple(f"/v1/metrics/{name}{call}" for name in ("open", "closed")
                     for call in ("/sums", "/estimates?estimand=active", "/estimates?estimand=enrolled"))


def active_lines():
    """Returns the lines of 60 devices that join in periods 1 to 12 and fall silent at any time."""
    chance = random.Random(14)
    lines = []
    for device in range(60):
        client, joined = "%032x" % (chance.getrandbits(120) + device), 1 + device % 12
        last = chance.randint(joined, 69)
        lines.append('{"client":"%s","view":0,"period":%d}' % (client, joined))
        for first in range(joined, last + 1, 9):
            signs = "".join(chance.choice("+-") for _ in range(min(9, last + 1 - first)))
            lines.append('{"client":"%s","index":%d,"signs":"%s"}' % (client, first, signs))
    return lines


def make_open_and_closed(it, names, lines):
    """Makes two metrics of these lines, and closes the second."""
    for name in names:
        it.create(name, periods=70, protocol="innovation", max_changes=3)
        it.advance(name, 69)
        status, answer, _ = it.post(name, lines)
        assert (status, answer["accepted"]) == (200, len(lines)), answer
    admin(it, "POST", f"{names[1]}/close")


def make_active(it):
    make_open_and_closed(it, ("open", "closed"), active_lines())


# Devices beyond the cap on transcripts.
CAPPED_READS = tuple(f"/v1/metrics/{name}{call}" for name in ("capped", "closed")
                     for call in ("", "/sums", "/estimates?estimand=active", "/estimates?estimand=enrolled",
                                  "/estimates?estimator=hindsight"))


def capped_lines():
    """Returns the lines of 60 devices that fall silent at any time; a third of them send the same in every period."""
    chance = random.Random(15)
    lines = []
    for device in range(60):
        client, joined = "%032x" % (chance.getrandbits(120) + device), 1 + device % 12
        last = chance.randint(joined, 69) if device % 2 else 69 - device % 5
        lines.append('{"client":"%s","view":0,"period":%d}' % (client, joined))
        signs = "".join(chance.choice("+-") for _ in range(joined, last + 1))
        if device % 3 == 0:
            signs = "+-"[device % 9 // 6] * len(signs)
        for first in range(0, len(signs), 9):
            lines.append('{"client":"%s","index":%d,"signs":"%s"}' % (client, joined + first, signs[first:first + 9]))
    return lines


def make_capped(it):
    make_open_and_closed(it, ("capped", "closed"), capped_lines())
    for name in ("capped", "closed"):
        assert it.get(f"/v1/metrics/{name}/estimates")["alarm"]


# The maker of each folder, and its reads. Other keys of answers are in calls.txt.
KINDS = {"reports": (make_reports, REPORT_READS), "lifecycle": (make_lifecycle, LIFECYCLE_READS),
         "active": (make_active, ACTIVE_READS), "capped": (make_capped, CAPPED_READS)}
KEYS = ("name", "plan", "metrics", "state", "ended", "archived", "current_period", "devices", "reports", "views", "sums", "counts",
        "enrolled", "periods", "period", "estimate", "stddev", "protocol", "epsilon", "max_changes", "law", "error", "code",
        "transcript_cap", "rate", "bias_at_most")


def answers(it, reads):
    def known(answer):
        if isinstance(answer, list):
            return [known(each) for each in answer]
        if not isinstance(answer, dict):
            return answer
        return {key: known(value) for key, value in sorted(answer.items()) if key in KEYS}

    read = []
    for path in reads:
        status, answer, _ = it.call("GET", path)
        read.append(f"GET {path}\n{status} {json.dumps(known(answer))}\n")
    return "".join(read).encode()


def pack(folder):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(path for path in folder.iterdir() if path.is_file() and path.suffix != ".new"):
            entry = tarfile.TarInfo(path.name)
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(entry, file)
    return gzip.compress(packed.getvalue(), mtime=0)


def write():
    """Writes a folder of each kind twice, after a kill and after a stop, and the answers from it."""
    for path in FOLDERS.iterdir():
        path.unlink()
    for kind, (make, reads) in KINDS.items():
        for end in ("log", "checkpoint"):
            with collector() as it:
                it.start()
                make(it)
                if end == "checkpoint":
                    assert it.stop() == 0
                else:
                    it.kill()
                (FOLDERS / f"{kind}-{end}.tar.gz").write_bytes(pack(it.data))
                it.start()
                (FOLDERS / f"{kind}.txt.gz").write_bytes(gzip.compress(answers(it, reads), mtime=0))
                if kind == "reports":
                    finish_reports(it)
                    (FOLDERS / "finished.txt.gz").write_bytes(gzip.compress(answers(it, reads), mtime=0))
    (FOLDERS / "calls.txt").write_text("\n".join(conversation()))


class Folders(unittest.TestCase):
    maxDiff = None

    def compare(self, it, name, reads):
        before = gzip.decompress((FOLDERS / f"{name}.txt.gz").read_bytes())
        for then, now in zip(before.splitlines(), answers(it, reads).splitlines(), strict=True):
            self.assertEqual(then, now)

    def test_are_read_as_they_were_written(self):
        for kind, (_, reads) in KINDS.items():
            for end in ("log", "checkpoint"):
                with self.subTest(folder=f"{kind}-{end}"), collector() as it:
                    it.data.mkdir()
                    with tarfile.open(FOLDERS / f"{kind}-{end}.tar.gz") as archive:
                        archive.extractall(it.data)
                    for how in (it.kill, it.stop, it.kill):
                        it.start()
                        self.compare(it, kind, reads)
                        how()
                    if kind == "reports":
                        it.start()
                        finish_reports(it)
                        self.compare(it, "finished", reads)


PLAN = '"periods":8,"max_changes":2,"epsilon":"1"'
MANUAL = "{" + PLAN + ',"clock":"manual"}'
CLIENT = "0" * 31 + "1"
CALLS = [
    # These create metrics, and get it wrong in every way.
    ("PUT", "/v1/metrics/a", MANUAL, None),
    ("PUT", "/v1/metrics/a", MANUAL, "wrong"),
    ("PUT", "/v1/metrics/a", MANUAL, "admin"),
    ("PUT", "/v1/metrics/a", '{"clock":"manual", "epsilon":"1","max_changes":2,"periods":8}', "admin"),
    ("PUT", "/v1/metrics/a", MANUAL.replace("8", "9"), "admin"),
    ("PUT", "/v1/metrics/wall", "{" + PLAN + ',"start":"2001-02-03T04:05:06Z","period_seconds":60}', "admin"),
    ("PUT", "/v1/metrics/wall", "{" + PLAN + ',"start":"2901-02-03T04:05:06Z","period_seconds":60,"grace_periods":2,'
     '"description":"Gr\u00fc\u00dfe \\"1\\" \\n"}', "admin"),
    ("PUT", "/v1/metrics/plain", MANUAL[:-1] + ',"protocol":"optimal"}', "admin"),
    ("PUT", "/v1/metrics/unix", "{" + PLAN + ',"start":29381173106.9,"period_seconds":60,"protocol":"optimal"}', "admin"),
    ("PUT", "/v1/metrics/date", "{" + PLAN + ',"start":"2901-02-28","period_seconds":1,"protocol":"warner"}', "admin"),
    ("PUT", "/v1/metrics/number", '{"periods":8,"max_changes":2,"epsilon":0.5,"clock":"manual","start":5,"period_seconds":9}',
     "admin"),
    ("PUT", "/v1/metrics/quiet", '{"periods":16,"max_changes":2,"epsilon":4.0,"clock":"manual","test":true}', "admin"),
    *(("PUT", "/v1/metrics/bad", body, "admin") for body in (
        "", "{", "[]", "1", "{}", '{"periods":8}', '{"periods":0}', '{"periods":"8"}', '{"periods":8.5}',
        '{"periods":8,"max_changes":0}', '{"periods":8,"max_changes":5000}', '{"periods":8,"max_changes":2}',
        '{"periods":8,"max_changes":2,"epsilon":[]}', '{"periods":8,"max_changes":2,"epsilon":"one"}',
        '{"periods":8,"max_changes":2,"epsilon":99}', '{"periods":8,"max_changes":2,"epsilon":1e-12}',
        "{" + PLAN + "}", "{" + PLAN + ',"clock":"sun"}', "{" + PLAN + ',"clock":1}',
        "{" + PLAN + ',"clock":"wall"}', "{" + PLAN + ',"protocol":"central_tree"}', "{" + PLAN + ',"protocol":3}',
        "{" + PLAN + ',"period_seconds":0}', "{" + PLAN + ',"period_seconds":99999999}',
        "{" + PLAN + ',"period_seconds":60,"start":"yesterday"}', "{" + PLAN + ',"period_seconds":60,"start":0}',
        "{" + PLAN + ',"period_seconds":60,"start":"2001-13-01"}', "{" + PLAN + ',"period_seconds":60,"start":"1969-12-31"}',
        "{" + PLAN + ',"period_seconds":60,"start":"2001-01-01T24:00:00Z"}', "{" + PLAN + ',"period_seconds":60,"start":null}',
        "{" + PLAN + ',"period_seconds":60,"start":"2001-02-31"}',
        MANUAL[:-1] + ',"grace_periods":0}', MANUAL[:-1] + ',"test":"yes"}', MANUAL[:-1] + ',"description":7}',
        MANUAL[:-1] + ',"description":"' + "x" * 501 + '"}', MANUAL[:-1] + ',"surprise":1}',
        MANUAL[:-1] + ',"surprise":1,"clock":"sun"}')),
    ("PUT", "/v1/metrics/a%20b", MANUAL, "admin"),
    ("PUT", "/v1/metrics/.a", MANUAL, "admin"),
    ("PUT", "/v1/metrics/" + "x" * 65, MANUAL, "admin"),
    # These move the clock and send reports.
    ("POST", "/v1/metrics/a/advance", "", None),
    ("POST", "/v1/metrics/plain/advance", "", "admin"),
    ("POST", "/v1/metrics/a/advance", "", "admin"),
    ("POST", "/v1/metrics/wall/advance", "", "admin"),
    ("POST", "/v1/metrics/none/advance", "", "admin"),
    ("POST", "/v1/metrics/none/reports", "", None),
    ("POST", "/v1/metrics/a/reports", "", None),
    ("POST", "/v1/metrics/plain/reports", "\n".join((
        '{"client":"%s","view":0,"period":1}' % CLIENT, '{"client":"%s","index":1,"signs":"+-"}' % CLIENT, "",
        "nonsense", '{"client":"%s","index":7,"signs":"+"}' % CLIENT, '{"client":"%s","index":1,"signs":"+"}' % CLIENT,
        '{"client":"%s","index":9,"signs":"+"}' % CLIENT, '{"client":"%s","index":2,"signs":"0"}' % CLIENT,
        '{"client":"%s","view":1,"period":1}' % CLIENT, '{"client":"%s","index":1,"signs":"+"}' % ("f" * 32),
        '{"client":"%s","view":99,"period":1}' % ("f" * 32), '{"client":"%s","view":0,"period":9}' % ("f" * 32))), None),
    ("POST", "/v1/metrics/wall/reports", '{"client":"%s","view":0,"period":1}' % CLIENT, None),
    # These read.
    *(("GET", path, None, None) for path in (
        "/v1/metrics", "/v1/metrics/", "/v1/metrics/a", "/v1/metrics/a/", "/v1/metrics/wall", "/v1/metrics/unix",
        "/v1/metrics/date", "/v1/metrics/number", "/v1/metrics/quiet", "/v1/metrics/none", "/v1/metrics/none/sums",
        "/v1/metrics/none/else", "/v1/metrics/none/events", "/v1/metrics/a/else", "/v1/metrics/a/sums/more",
        "/v1/metrics/plain/sums", "/v1/metrics/quiet/sums",
        "/v1/metrics/plain/estimates", "/v1/metrics/wall/estimates?from=2&to=3", "/v1/metrics/a/estimates?from=0",
        "/v1/metrics/a/estimates?level=1", "/v1/metrics/a/estimates?estimator=oracle", "/v1/metrics/a/estimates?band=wide",
        "/v1/plan?periods=0", "/v1/plan/more", "/v1", "/v1/nothing",
        "/v1/playground", "/healthz", "/healthz/more", "/metrics/more", "/nothing/here", "/%zz", "/v1/metrics/a/reports",
        "/v1/metrics/a/advance", "/v1/metrics/none/reports")),
    ("GET", "/v1/metrics/wall/estimates?to=2", None, "csv"),
    ("HEAD", "/v1/metrics/a/sums", None, None),
    ("HEAD", "/v1/metrics/a/events", None, None),
    # These use unsupported methods of a path.
    *((method, path, "", None) for method, path in (
        ("DELETE", "/v1/metrics/a"), ("POST", "/v1/metrics/a"), ("POST", "/v1/metrics"), ("PUT", "/v1/metrics"),
        ("PUT", "/v1/metrics/a/reports"), ("DELETE", "/v1/metrics/none/reports"), ("POST", "/v1/metrics/a/sums"),
        ("POST", "/v1/metrics/a/events"), ("POST", "/v1/metrics/a/else"), ("POST", "/v1/plan"), ("POST", "/healthz"),
        ("POST", "/metrics"), ("POST", "/"), ("OPTIONS", "/v1/metrics"), ("POST", "/v1/playground"), ("POST", "/nothing"))),
]


def answer_to(it, method, path, body, how):
    """Returns every byte that comes back."""
    head = [f"{method} {path} HTTP/1.1", "Host: golden", "Connection: close"]
    if how == "csv":
        head.append("Accept: text/csv")
    elif how is not None:
        head.append("Authorization: Bearer " + (harness.TOKEN if how == "admin" else how))
    sent = (body or "").encode()
    head.append(f"Content-Length: {len(sent)}")
    with socket.create_connection(("127.0.0.1", it.port), 30) as connection:
        connection.sendall("\r\n".join((*head, "", "")).encode() + sent)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    # The start time of this collector is never the same.
    return re.sub(r'"lines_since":\d+', '"lines_since":0', answer.decode().replace("\r\n", "\n"))


def conversation():
    """Returns the calls in order, each with its answer."""
    with collector() as it:
        it.start()
        for method, path, body, how in CALLS:
            asked = f"> {method} {path}" + (f" ({how})" if how else "") + (f" {json.dumps(body)}" if body else "")
            yield asked + "\n" + answer_to(it, method, path, body, how).rstrip("\n") + "\n"


class Calls(unittest.TestCase):
    maxDiff = None

    def test_are_answered_as_before(self):
        before = (FOLDERS / "calls.txt").read_text()
        now = "\n".join(conversation())
        for then, answer in zip(before.split("\n> "), now.split("\n> "), strict=True):
            with self.subTest(call=then.splitlines()[0]):
                self.assertEqual(then, answer)


if __name__ == "__main__":
    harness.COMMAND = os.path.abspath(sys.argv[1])
    if sys.argv[2:] == ["--write"]:
        write()
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
