"""Data folders and answers of earlier versions: they are read, and answered, byte for byte.

usage: golden_test.py FUTURERAND DISK_LAYER EXAMPLE_DEVICE [unittest arguments]
       golden_test.py FUTURERAND --write-folders   record the folders of version 3
       golden_test.py FUTURERAND --write-calls     record the answers of tests/data/golden/collector/calls.txt
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
# These folders are of version 1, which RocksDB kept, and of version 2.
FOLDERS = ("log", "checkpoint", "version-2-log", "version-2-checkpoint")
METRICS = {"hybrid": {"max_changes": 4, "epsilon": "1"}, "quiet": {"max_changes": 3, "epsilon": "4"}}
READS = [
    "/v1/metrics",
    "/v1/metrics/february/estimates",
    "/healthz",
    *(f"/v1/metrics/{name}{call}" for name in METRICS
      for call in ("", "/sums", "/estimates", "/estimates?estimator=hindsight&from=5&to=100&level=0.5",
                   "/estimates?estimator=trend&band=simultaneous")),
]


def lines_of(name):
    """Returns what 710 seeded devices send to this metric, as `randomize` printed it."""
    return gzip.decompress((GOLDEN / f"randomize_{name}.gz").read_bytes()).decode().splitlines()


def as_it_was(path, answer):
    """Returns the answer without what was added since; an estimate of no devices was 0 then, and is unknown now."""
    answer = re.sub(r',"early":\d+,"lines_since":\d+|,"note":(?:null|"[^"]*")', "", answer)
    if "february/estimates" in path:
        answer = answer.replace('"estimate":null,"stddev":null,"lower":null,"upper":null',
                                '"estimate":0,"stddev":0,"lower":0,"upper":0')
    return answer


def read_all(it):
    """Returns the answers to all of READS, as one text."""
    answers = []
    for path in READS:
        connection = it.connect()
        connection.request("GET", path)
        response = connection.getresponse()
        answers.append(f"GET {path}\n{response.status} {as_it_was(path, response.read().decode())}")
        connection.close()
    return "".join(answers).encode()


def finish(it):
    """Sends the rest of the horizon, and every line once more: what was counted before is a duplicate."""
    for name in METRICS:
        it.advance(name, 257 - 160)
        status, answer, _ = it.post(name, lines_of(name))
        assert (status, answer["errors"]) == (200, []), (status, answer["errors"][:3])


# Version 3 knows metrics that were ended, archived, deleted and imported.
LIVES = ("version-3-log", "version-3-checkpoint")
LIVE_READS = ("/v1/metrics?archived=all", *(f"/v1/metrics/{name}{call}" for name in ("kept", "ended", "archived", "imported")
                                           for call in ("/sums", "/estimates")), "/v1/metrics/deleted")


def live(it):
    """Makes one metric of each kind, with ten devices each."""
    def act(method, path, body=None):
        status, answer, _ = it.call(method, f"/v1/metrics/{path}", body, admin=True)
        assert status < 300, (path, status, answer)
        return answer

    for number, name in enumerate(("deleted", "kept", "ended", "archived")):
        it.create(name, periods=8, protocol="optimal")
        it.advance(name, 3)
        it.post(name, [line for device in range(10) for line in (
            '{"client":"%032x","view":0,"period":1}' % (100 * number + device + 1),
            '{"client":"%032x","index":1,"signs":"%s"}' % (100 * number + device + 1, "++-" if device < 6 + number % 3 else "--+"))])
    act("DELETE", "deleted")
    act("POST", "ended/close")
    act("POST", "archived/close")
    act("POST", "archived/archive")
    act("POST", "imported/import", json.dumps(act("GET", "kept/export")))
    it.advance("kept", 1)


# Version 3 also keeps what each device told, where those who are gone are not counted. 70 periods are more than a word of bits.
ACTIVE = ("version-3-active-log", "version-3-active-checkpoint")
ACTIVE_READS = tuple(f"/v1/metrics/{name}{call}" for name in ("told", "dropped")
                     for call in ("/sums", "/estimates?estimand=active", "/estimates?estimand=enrolled"))


def told_lines():
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
    assert it.call("POST", f"/v1/metrics/{names[1]}/close", admin=True)[0] == 200


def tell(it):
    """Makes a metric with those devices, and one of which only the sums are left."""
    make_open_and_closed(it, ("told", "dropped"), told_lines())


# And what they said beyond the limits of transcripts, where those are capped.
CAPPED = ("version-3-capped-log", "version-3-capped-checkpoint")
CAPPED_READS = tuple(f"/v1/metrics/{name}{call}" for name in ("capped", "closed")
                     for call in ("", "/sums", "/estimates?estimand=active", "/estimates?estimand=enrolled",
                                  "/estimates?estimator=hindsight"))


def loud_lines():
    """Returns the lines of 60 devices that fall silent at any time; a third of them say the same in every period."""
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


def speak(it):
    """Makes a metric with those devices, and one that is closed."""
    make_open_and_closed(it, ("capped", "closed"), loud_lines())
    for name in ("capped", "closed"):
        assert "hardly any honest device" in it.get(f"/v1/metrics/{name}/estimates")["alarm"]


# Keys that later versions add are left out of the comparison.
LIVE_KEYS = ("name", "plan", "metrics", "state", "ended", "archived", "current_period", "devices", "reports", "views", "sums", "counts",
             "enrolled", "periods", "period", "estimate", "stddev", "protocol", "epsilon", "max_changes", "law", "error", "code",
             "transcript_cap", "rate", "bias_at_most")
# Each kind of folder: what makes it, what is read, and where the answers are.
KINDS = {LIVES: (live, LIVE_READS, "lives"), ACTIVE: (tell, ACTIVE_READS, "active"), CAPPED: (speak, CAPPED_READS, "capped")}


def read_lives(it, reads):
    def known(answer):
        if isinstance(answer, list):
            return [known(each) for each in answer]
        if not isinstance(answer, dict):
            return answer
        return {key: known(value) for key, value in sorted(answer.items()) if key in LIVE_KEYS}

    answers = []
    for path in reads:
        status, answer, _ = it.call("GET", path)
        answers.append(f"GET {path}\n{status} {json.dumps(known(answer))}\n")
    return "".join(answers).encode()


def write_folders():
    """Writes the folders of this version that are missing; those that are there stay as they were made."""
    for written, (make, reads, name) in ((folder, kind) for folders, kind in KINDS.items() for folder in folders):
        with collector() as it:
            if (GOLDEN / "collector" / f"{written}.tar.gz").exists():
                continue
            it.start()
            make(it)
            if written.endswith("checkpoint"):
                assert it.stop() == 0
            else:
                it.kill()
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
                for path in sorted(path for path in it.data.iterdir() if path.is_file() and path.suffix != ".new"):
                    entry = tarfile.TarInfo(path.name)
                    entry.size = path.stat().st_size
                    with path.open("rb") as file:
                        archive.addfile(entry, file)
            (GOLDEN / "collector" / f"{written}.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))
            it.start()
            (GOLDEN / "collector" / f"{name}.txt.gz").write_bytes(gzip.compress(read_lives(it, reads), mtime=0))


def unpack(folder, it):
    it.data.mkdir()
    with tarfile.open(GOLDEN / "collector" / f"{folder}.tar.gz") as archive:
        archive.extractall(it.data)


class Folders(unittest.TestCase):
    def test_are_read_and_go_on_as_before(self):
        for folder in FOLDERS:
            with self.subTest(folder=folder), collector() as it:
                unpack(folder, it)
                it.start()
                self.compare("before", it)
                self.assertEqual(it.stop(), 0)
                it.start()  # from a checkpoint of this version
                finish(it)
                self.compare("finished", it)

    def test_with_lives_are_read_as_before(self):
        self.read_again(LIVES)

    def test_with_what_devices_told_are_read_as_before(self):
        self.read_again(ACTIVE)

    def test_with_devices_beyond_their_limits_are_read_as_before(self):
        self.read_again(CAPPED)

    def read_again(self, folders):
        _, reads, name = KINDS[folders]
        before = gzip.decompress((GOLDEN / "collector" / f"{name}.txt.gz").read_bytes())
        for folder in folders:
            with self.subTest(folder=folder), collector() as it:
                unpack(folder, it)
                for how in (it.kill, it.stop, it.kill):
                    it.start()
                    for then, now in zip(before.splitlines(), read_lives(it, reads).splitlines(), strict=True):
                        self.assertEqual(then, now)
                    how()

    def compare(self, name, it):
        before = gzip.decompress((GOLDEN / "collector" / f"{name}.txt.gz").read_bytes())
        for then, now in zip(before.splitlines(), read_all(it).splitlines(), strict=True):
            # Later versions write down that a metric is closed, so that they count more groups, and
            # say more in their answers; what earlier ones said stays.
            then, now = (re.sub(rb'"sequence":\d+,?', b"", line) for line in (then, now))
            if then != now:
                (status, said), (status_now, says) = (line.split(b" ", 1) for line in (then, now))
                self.assertEqual(status, status_now)
                said, says = json.loads(said), json.loads(says)
                if said.get("band") == "simultaneous":  # now of the whole horizon, for who watches it live
                    for period in said["periods"] + says["periods"]:
                        del period["lower"], period["upper"]
                self.assertEqual(said, {key: says.get(key) for key in said})


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
    # These use methods that a path does not have.
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
    # The time at which this collector started is never the same.
    return re.sub(r'"lines_since":\d+', '"lines_since":0', answer.decode().replace("\r\n", "\n"))


def conversation():
    """Returns the calls in order, each with its answer."""
    with collector() as it:
        it.start()
        for method, path, body, how in CALLS:
            asked = f"> {method} {path}" + (f" ({how})" if how else "") + (f" {json.dumps(body)}" if body else "")
            yield asked + "\n" + answer_to(it, method, path, body, how).rstrip("\n") + "\n"


def write_calls():
    (GOLDEN / "collector" / "calls.txt").write_text("\n".join(conversation()))


class Calls(unittest.TestCase):
    maxDiff = None

    def test_are_answered_as_before(self):
        before = (GOLDEN / "collector" / "calls.txt").read_text()
        now = "\n".join(conversation())
        for then, answer in zip(before.split("\n> "), now.split("\n> "), strict=True):
            with self.subTest(call=then.splitlines()[0]):
                self.assertEqual(then, answer)


if __name__ == "__main__":
    harness.COMMAND = os.path.abspath(sys.argv[1])
    if sys.argv[2:] == ["--write-folders"]:
        write_folders()
    elif sys.argv[2:] == ["--write-calls"]:
        write_calls()
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
