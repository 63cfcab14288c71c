"""PostgreSQL servers in a temporary folder, on free loopback ports, removed with the test."""
import atexit
import contextlib
import copy
import itertools
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

import harness

BIN = pathlib.Path("/usr/lib/postgresql/15/bin")
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
max_connections = 60
shared_buffers = 32MB
max_wal_senders = 4
hot_standby = on
wal_level = replica
wal_sender_timeout = 0
log_min_messages = warning
"""


def as_postgres():
    """initdb refuses root, so a test of root runs servers as postgres."""
    if os.getuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, cwd="/", timeout=300, **as_postgres())
    assert done.returncode == 0, (command, done.stdout)
    return done.stdout


class Server:
    """One postgres process and its data folder."""

    def __init__(self, folder, standby_of=None):
        self.folder, self.port, self.process = pathlib.Path(folder), harness.free_port(), None
        if standby_of is None:
            run(BIN / "initdb", "-D", self.folder, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        else:
            run(BIN / "pg_basebackup", "-D", self.folder, "-R", "-X", "stream", "-c", "fast",
                "-d", f"host=127.0.0.1 port={standby_of.port} user=postgres application_name=standby")
        with open(self.folder / "postgresql.conf", "a") as file:
            file.write(SETTINGS.format(port=self.port))

    def start(self, clock=""):
        """`clock` is the offset of its clock in the format of faketime: "-90s"."""
        environment = dict(os.environ)
        if clock:
            environment.update(LD_PRELOAD=FAKETIME, FAKETIME=clock, DONT_FAKE_MONOTONIC="1")
        self.log = open(self.folder / "server.log", "a")
        self.process = subprocess.Popen([str(BIN / "postgres"), "-D", str(self.folder)], stdout=self.log,
                                        stderr=self.log, cwd="/", env=environment, **as_postgres())
        try:
            harness.wait_until(self.answers, 120)
        except BaseException:  # no other code can stop it yet
            self.kill()
            raise
        return self

    def answers(self):
        assert self.process.poll() is None, (self.folder / "server.log").read_text()[-2000:]
        return subprocess.run([str(BIN / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)],
                              cwd="/").returncode == 0

    def sql(self, text):
        return run(BIN / "psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", self.port,
                   "-U", "postgres", "-c", text).strip()

    def promote(self):
        self.sql("SELECT pg_promote(true, 120)")

    def kill(self):
        """Kills everything at once, like a power failure."""
        if self.process is None:
            return
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        pids = [int(pid) for pid in children.read_text().split()] if children.exists() else []
        for pid in [self.process.pid, *pids]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(60)
        self.process = None
        self.log.close()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(120)
        self.process = None
        self.log.close()


class Group:
    """A primary with or without a synchronous standby. A failover adds a new standby to the promoted one."""

    def __init__(self, folder, standby):
        self.folder, self.made, self.database = pathlib.Path(folder), 0, "postgres"
        self.primary, self.standby = Server(self.next_folder()).start(), None
        if standby:
            try:
                self.add_standby()
            except BaseException:
                self.kill()
                raise
        self.ports = [server.port for server in (self.primary, self.standby) if server]

    def next_folder(self):
        self.made += 1
        return self.folder / f"server-{self.made}"

    def add_standby(self):
        self.standby = Server(self.next_folder(), standby_of=self.primary).start()
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        self.primary.sql("SELECT pg_reload_conf()")
        harness.wait_until(lambda: self.primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync", 120)

    def fail_over(self):
        """Kills the primary for good. Its standby takes over, alone until it gets a new standby."""
        self.primary.kill()
        shutil.rmtree(self.primary.folder)
        self.primary, self.standby = self.standby, None
        self.primary.promote()
        self.primary.sql("ALTER SYSTEM RESET synchronous_standby_names")
        self.primary.sql("SELECT pg_reload_conf()")

    def connection(self, database=None):
        ports = ",".join(str(port) for port in self.ports)
        hosts = ",".join("127.0.0.1" for _ in self.ports)
        return f"host={hosts} port={ports} user=postgres dbname={database or self.database}"

    def kill(self):
        for server in (self.standby, self.primary):
            if server is not None:
                server.kill()


@contextlib.contextmanager
def postgres_groups(count=1, standby=False):
    assert (BIN / "postgres").exists(), f"PostgreSQL is missing: expected {BIN}, of Debian's postgresql-15"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="futurerand-postgres-"))
    if as_postgres():
        shutil.chown(folder, "postgres")
    groups = []
    try:
        for number in range(count):
            home = folder / str(number)
            home.mkdir()
            if as_postgres():
                shutil.chown(home, "postgres")
            groups.append(Group(home, standby))
        yield groups
    finally:
        for group in groups:
            group.kill()
        shutil.rmtree(folder, ignore_errors=True)


SHARED = []  # one group, created on demand
NUMBERS = itertools.count(1)


@contextlib.contextmanager
def shared_groups(count=1):
    """Databases in one server for the whole process, since starting a server takes seconds. A test may leave it stopped."""
    if not SHARED:
        stack = contextlib.ExitStack()
        atexit.register(stack.close)
        SHARED.extend(stack.enter_context(postgres_groups()))
    if SHARED[0].primary.process is None:
        SHARED[0].primary.start()
    groups = []
    for _ in range(count):
        group = copy.copy(SHARED[0])
        group.database = f"shared_{next(NUMBERS)}"
        group.primary.sql(f"CREATE DATABASE {group.database}")
        groups.append(group)
    yield groups
