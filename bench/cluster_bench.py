#!/usr/bin/python3 -B
"""What a cluster costs beside an embedded collector, in one run on one machine.

usage: bench/cluster_bench.py [FUTURERAND] [--devices N] [--reports N] [--members N,N,...] [--standby] [--rounds N]

Each collector is a process of its own, so is PostgreSQL: what is told is the processors' time that each of them used, which a
busy machine changes little, and not how fast the machine was. docs/scale.md reckons with these figures.
"""
import argparse
import contextlib
import http.client
import itertools
import os
import pathlib
import random
import statistics
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "collector"), str(ROOT / "tests" / "cluster")]
import harness
import postgres
from clusters import cluster_over

PERIODS = 1024
BATCH = 1000
SHARDS = 64
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(pid):
    """Seconds of one process, to the nanosecond: a round takes a fraction of a second."""
    with contextlib.suppress(OSError):
        return time.clock_gettime(~pid << 3 | 2)  # as clock_getcpuclockid makes it
    return 0.0


def cpu_of_ended(pid):
    """Seconds of the children of a process that have ended."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[13:15]) / TICKS


def cpu_of_server(server):
    children = pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return cpu_of(server.process.pid) + cpu_of_ended(server.process.pid) + sum(cpu_of(int(pid)) for pid in children)


class Load:
    """Devices that report one sign a line, in batches through all collectors."""

    def __init__(self, plan, devices, seed):
        chance = random.Random(seed)
        self.view = next(number for number, view in enumerate(plan["views"]) if view["order"] == 0)
        self.ids = ["%032x" % chance.getrandbits(128) for _ in range(devices)]
        self.index = 0

    def enrolments(self):
        return [f'{{"client":"{one}","view":{self.view},"period":1}}' for one in self.ids]

    def reports(self):
        self.index += 1
        return [f'{{"client":"{one}","index":{self.index},"signs":"+"}}' for one in self.ids]


def bodies(lines, each):
    return ["\n".join(lines[at:at + each]).encode() for at in range(0, len(lines), each)]


def send(members, name, requests, threads):
    """All of them, each to the next collector; returns how long it took."""
    waiting, failed = iter(list(requests)), []
    lock = threading.Lock()

    def work(number):
        connections = itertools.cycle([http.client.HTTPConnection("127.0.0.1", member.port, timeout=60)
                                       for member in members])
        for _ in range(number):
            next(connections)
        used = set()
        try:
            while True:
                with lock:
                    body = next(waiting, None)
                if body is None:
                    return
                while True:  # a shard may be changing hands, or a device's report before this one still be on its way
                    connection = next(connections)
                    used.add(connection)
                    connection.request("POST", f"/v1/metrics/{name}/reports", body=body)
                    response = connection.getresponse()
                    answer = response.read()
                    if response.status == 200 and b'"rejected":0,"early":0' in answer:
                        break
                    assert response.status in (429, 503) or b'"reason":"gap"' in answer, answer[:500]
                    time.sleep(0.05)
        except BaseException as failure:
            failed.append(failure)
        finally:
            for connection in used:
                connection.close()

    began = time.monotonic()
    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failed:
        raise failed[0]
    return time.monotonic() - began


def create(member, name):
    # The last period has begun, so that all reports but one are due.
    start = int(time.time()) - (PERIODS - 1) * 600_000 - 3600
    return member.create(name, clock="wall", periods=PERIODS, max_changes=4, period_seconds=600_000, start=start)["plan"]


class Row:
    """One way to count the same reports."""

    def __init__(self, name, collectors, servers=()):
        self.name, self.collectors, self.servers = name, collectors, servers

    def used(self):
        return (sum(cpu_of(member.process.pid) for member in self.collectors), sum(cpu_of_server(server) for server in self.servers))

    def measure(self, what, requests, reports, threads):
        before = self.used()
        took = send(self.collectors, "m", requests, threads)
        time.sleep(1.5)  # the sums that follow belong to it
        collectors, databases = (after - start for after, start in zip(self.used(), before))
        figures = {"collectors": 1e6 * collectors / reports, "databases": 1e6 * databases / reports, "rate": reports / took}
        print(f"{self.name:<28} {what:<18} {figures['collectors']:>12.2f} {figures['databases']:>12.2f} {figures['rate']:>12,.0f}",
              flush=True)
        return figures

    def enrol(self, flags):
        plan = create(self.collectors[0], "m")
        self.load, self.alone = Load(plan, flags.devices, 5), Load(plan, flags.singles, 7)
        send(self.collectors, "m", bodies(self.load.enrolments() + self.alone.enrolments(), BATCH), flags.threads)

    def batches(self, flags):
        requests = [body for _ in range(flags.reports) for body in bodies(self.load.reports(), BATCH)]
        return self.measure("batches of 1,000", requests, flags.reports * flags.devices, flags.threads)

    def single(self, flags):
        return self.measure("single", bodies(self.alone.reports(), 1), flags.singles, flags.threads)

    def idle(self, seconds=3):
        before = self.used()
        time.sleep(seconds)
        used = [1000 * (after - start) / seconds for after, start in zip(self.used(), before)]
        print(f"{self.name:<28} {'idle, ms a second':<18} {used[0]:>12.2f} {used[1]:>12.2f}", flush=True)


def compare(row, embedded, flags):
    """In turns, because the machine may be busier now than then; what is told is the median of the rounds."""
    for what, measure, rounds in (("batches", Row.batches, flags.rounds), ("single", Row.single, flags.rounds)):
        pairs = [(measure(embedded, flags), measure(row, flags)) for _ in range(rounds)]
        ratio = statistics.median(ours["collectors"] / theirs["collectors"] for theirs, ours in pairs)
        all_of_it = statistics.median((ours["collectors"] + ours["databases"]) / theirs["collectors"] for theirs, ours in pairs)
        print(f"{'':<28} {what:<18} {ratio:>12.2f} times embedded; {all_of_it:.2f} with the databases", flush=True)


def reads(members, seconds=1.0):
    """Milliseconds of estimates of d = 1024, one after the other: the median, the 99th percentile, processors' time each."""
    took = []
    before = sum(cpu_of(member.process.pid) for member in members)
    deadline = time.monotonic() + seconds
    for member in itertools.cycle(members):
        began = time.monotonic()
        status, answer, _ = member.call("GET", "/v1/metrics/m/estimates?estimator=online")
        took.append(1000 * (time.monotonic() - began))
        assert status == 200, answer
        if time.monotonic() > deadline:
            break
    took.sort()
    used = sum(cpu_of(member.process.pid) for member in members) - before
    return took[len(took) // 2], took[int(0.99 * len(took))], 1000 * used / len(took)


def reads_under_load(it, members, flags):
    plan = members[0].get("/v1/metrics/m")["plan"]
    load = Load(plan, flags.devices, 6)
    send(members, "m", bodies(load.enrolments(), BATCH), flags.threads)
    requests = [body for _ in range(5) for body in bodies(load.reports(), BATCH)]
    sending = threading.Thread(target=send, args=(members, "m", requests, 2))
    sending.start()
    median, worst, _ = reads(members, 2.0)
    sending.join()
    return median, worst


def takeover(it, members):
    """Seconds without an owner: of shards that are handed over, and of those of a collector that is killed."""
    others, victim = members[:-1], members[-1]
    began = time.monotonic()
    assert victim.stop() == 0
    it.wait_for_owners(*others)
    ordered = time.monotonic() - began
    victim.start()
    it.wait_for_owners(*members)
    began = time.monotonic()
    victim.kill()
    it.wait_for_owners(*others)
    return ordered, time.monotonic() - began


def sizes(it, group, flags):
    server = group.primary
    reports = int(server.sql("SELECT sum(length(bytes)) FROM log"))
    sums = [int(field) for field in server.sql("SELECT count(*), sum(length(bytes)) FROM sums").split("|")]
    return reports, sums


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", nargs="?", default=str(ROOT / "build" / "release" / "futurerand"), metavar="FUTURERAND")
    parser.add_argument("--devices", type=int, default=100_000)
    # Short rounds would show the cluster's constant work of each second. It is reported as idle.
    parser.add_argument("--reports", type=int, default=20, help="of each device in a round")
    parser.add_argument("--singles", type=int, default=3_000, help="requests of one report")
    parser.add_argument("--rounds", type=int, default=3, help="of each, in turns with the embedded collector")
    parser.add_argument("--threads", type=int, default=64, help="that send")
    parser.add_argument("--members", default="1,2,4", help="clusters of so many collectors")
    parser.add_argument("--lease-ms", type=int, default=10_000)
    parser.add_argument("--standby", action="store_true", help="each database has a synchronous standby")
    flags = parser.parse_args()
    harness.COMMAND = flags.command
    print(f"{'processor time, us a report':<28} {'':<18} {'collectors':>12} {'databases':>12} {'reports/s':>12}")
    limits = ("--lines-per-second", "0", "--enrolments-per-hour", "0", "--checkpoint-bytes", str(1 << 30))
    with harness.collector(*limits) as it:
        it.start()
        before = it.peak_bytes()
        embedded = Row("embedded", [it])
        embedded.enrol(flags)
        state = it.metric("futurerand_state_bytes")
        embedded_reads = reads([it])
        print(f"{'':<28} {'memory':<18} {state / flags.devices:>12.1f} bytes a device as reckoned, "
              f"{(it.peak_bytes() - before) / flags.devices:.0f} with all that a process of this size needs")
        clusters(embedded, embedded_reads, limits, flags)


def clusters(embedded, embedded_reads, limits, flags):
    for count in [int(word) for word in flags.members.split(",")]:
        with postgres.postgres_groups(1, flags.standby) as groups:
            servers = [server for server in (groups[0].primary, groups[0].standby) if server]
            with cluster_over(groups, shards=SHARDS, lease_ms=flags.lease_ms) as it:
                members = [it.add(*limits) for _ in range(count)]
                it.wait_for_owners(*members)
                wal = "SELECT pg_current_wal_insert_lsn() - '0/0'"
                before = float(groups[0].primary.sql(wal))
                row = Row(f"cluster of {count}" + (", standby" if flags.standby else ""), members, servers)
                row.enrol(flags)
                compare(row, embedded, flags)
                row.idle()
                written = float(groups[0].primary.sql(wal)) - before
                reports = flags.devices * (1 + flags.rounds * flags.reports) + flags.singles * (1 + flags.rounds)
                log, (rows, sums) = sizes(it, groups[0], flags)
                print(f"{'':<28} {'log':<18} {log / reports:>12.1f} bytes a report; {written / reports:.1f} of write-ahead log")
                print(f"{'':<28} {'sums':<18} {sums / rows:>12,.0f} bytes a shard and metric of d = {PERIODS}")
                if count == 1:
                    continue
                median, worst, used = reads(members)
                busy_median, busy_worst = reads_under_load(it, members, flags)
                print(f"{'':<28} {'reads, ms':<18} {median:>12.1f} (p99 {worst:.1f}); under load {busy_median:.1f} "
                      f"(p99 {busy_worst:.1f}); embedded {embedded_reads[0]:.1f} (p99 {embedded_reads[1]:.1f}); "
                      f"processors' time {used:.1f}, embedded {embedded_reads[2]:.1f}")
                ordered, killed = takeover(it, members)
                print(f"{'':<28} {'takeover, s':<18} {ordered:>12.1f} after SIGTERM; {killed:.1f} after a kill (lease {flags.lease_ms / 1000:.0f} s)")


if __name__ == "__main__":
    main()
