"""A cluster started for real: databases, a cluster file, and collectors over them."""
import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import harness
import postgres

SECRET = "a-secret-for-tests-of-at-least-32-characters"


class Member(harness.Collector):
    """One collector of a cluster."""

    def __init__(self, folder, file, *flags, port=0):
        super().__init__(folder, *flags, port=port)
        self.file = file

    def place(self):
        return ["--cluster", self.file]

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"


class Cluster:
    def __init__(self, folder, groups):
        self.folder, self.groups, self.members = pathlib.Path(folder), groups, []
        self.file = self.folder / "cluster.json"
        self.write_file(self.file)

    def write_file(self, path, databases=None, secret=SECRET):
        databases = databases or [group.connection() for group in self.groups]
        path.write_text(json.dumps({"databases": databases, "secret": secret}))
        return path

    def command(self, *words, expected=0):
        done = subprocess.run([harness.COMMAND, "cluster", *[str(word) for word in words]], text=True,
                              capture_output=True, timeout=300)
        assert done.returncode == expected, (words, done.stdout, done.stderr)
        return done.stdout if expected == 0 else done.stderr

    def init(self, shards=8, lease_ms=3000):
        self.command("init", self.file, "--shards", shards, "--lease-ms", lease_ms)
        return self

    def status(self):
        return json.loads(self.command("status", self.file, "--format", "json"))

    def add(self, *flags, port=0, **options):
        member = Member(self.folder / f"member-{len(self.members)}", self.file, *flags, port=port)
        self.members.append(member)
        return member.start(**options)

    def owners(self):
        """Returns the shards by the address of their collector. Shards without one are under ''."""
        owners = {}
        for database in self.status()["databases"]:
            for shard in database["shards"]:
                owners.setdefault(shard["owner"], []).append(shard["shard"])
        return owners

    def wait_for_owners(self, *members):
        """Waits until exactly these collectors serve all shards."""
        wanted = {member.address for member in members}
        try:
            harness.wait_until(lambda: set(self.owners()) == wanted, 120, pause=0.1)  # asking starts a process
        except AssertionError as late:
            raise AssertionError((self.owners(), wanted, [member.said[-20:] for member in self.members])) from late

    def wait_for_sums(self, member, name, wanted):
        """Waits until this member reads all reports. Sums follow the log after a second or two."""
        def same():
            got = member.get(f"/v1/metrics/{name}/sums")["views"]
            return all(view[key] == value for view, expected in zip(got, wanted.views, strict=True)
                       for key, value in expected.items())
        harness.wait_until(same, 120)


def estimate_texts(member, name):
    """Returns all estimates of a metric as raw bytes, without their time."""
    texts = []
    for query in ("estimator=online", "estimator=hindsight", "estimator=trend", "estimator=online&estimand=enrolled"):
        with contextlib.closing(member.connect()) as connection:
            connection.request("GET", f"/v1/metrics/{name}/estimates?{query}")
            texts.append(re.sub(rb'"as_of":"[^"]*",', b"", connection.getresponse().read()))
    return texts


@contextlib.contextmanager
def cluster_over(groups, **terms):
    folder = tempfile.mkdtemp(prefix="futurerand-cluster-")
    it = Cluster(folder, groups)
    try:
        yield it.init(**terms)
    finally:
        for member in it.members:
            member.kill()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def cluster(databases=1, standby=False, own_servers=False, **terms):
    """`own_servers` is for tests that change or stop a server."""
    alone = standby or own_servers
    with postgres.postgres_groups(databases, standby) if alone else postgres.shared_groups(databases) as groups, \
            cluster_over(groups, **terms) as it:
        yield it
