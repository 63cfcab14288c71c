"""Faulty databases and clocks: usage: faults_test.py FUTURERAND [unittest arguments]

Each fault is a real one: a server that only reads, a disk that is full, a process whose clock is an hour off.
"""
import contextlib
import datetime
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import clusters
import harness
import postgres
from clusters import cluster, cluster_over
from devices import Device, Fleet, Sums
from harness import LONG, wait_until

FAKETIME = postgres.FAKETIME


def answers(member):
    try:
        return member.call("GET", "/v1/metrics")[0]
    except OSError:
        return None


def all_lines(devices, chance):
    return [line for device in devices for line in device.lines(chance)]


class BadInput(unittest.TestCase):
    def refused(self, it, file, *flags):
        """Returns the output of a collector that fails to start."""
        member = clusters.Member(it.folder / "refused", file, *flags)
        try:
            member.start()
            self.assertFalse(member.started(), member.said)
            self.assertIn(member.wait(), (1, 2))
            member.process = None
            return member.said[-1]
        finally:
            member.kill()

    def test_what_is_not_this_cluster_is_refused(self):
        with cluster(databases=2, shards=4, own_servers=True) as it:
            ours = [group.connection() for group in it.groups]
            other = it.folder / "other.json"
            self.assertIn("another cluster", self.refused(it, it.write_file(other, secret="x" * 40)))
            self.assertIn("of 2 databases; the cluster file lists 1",
                          self.refused(it, it.write_file(other, databases=ours[:1])))
            self.assertIn("in the order", self.refused(it, it.write_file(other, databases=ours[::-1])))
            it.groups[0].primary.sql("CREATE DATABASE empty")
            it.write_file(other, databases=[it.groups[0].connection("empty"), ours[1]])
            self.assertIn("cluster init", self.refused(it, other))
            self.assertIn("expected the same --shards 4 --lease-ms 3000", it.command("init", it.file, "--shards", 5, expected=1))
            it.groups[0].primary.sql("UPDATE cluster SET version = 2")
            self.assertIn("version 2; this program knows version 1", self.refused(it, it.file))
            it.groups[0].primary.sql("UPDATE cluster SET version = 1")
            it.groups[0].primary.sql("ALTER SYSTEM SET full_page_writes = off")
            it.groups[0].primary.sql("SELECT pg_reload_conf()")
            self.assertIn("full_page_writes", self.refused(it, it.file))

    def test_what_cannot_be_meant_is_said(self):
        for words, said in (
                (("serve", "--cluster", "c.json", "--advertise", "here"), "--advertise 'here' is wrong; expected an address and a port"),
                (("serve", "--cluster", "c.json", "--advertise", "here:0"), "expected an address for the other collectors"),
                (("serve", "--cluster", "c.json", "--listen", "0.0.0.0:0"), "expected --advertise HOST:PORT too"),
                (("serve", "--data", "d", "--advertise", "here:1"), "--advertise is for a collector with --cluster"),
                (("serve", "--cluster", "c.json", "--data", "d"), "expected either --data or --cluster"),
                (("cluster", "stauts", "c.json"), "unknown command 'stauts'; expected one of init, status, drain"),
                (("cluster", "status"), "file is required; see futurerand cluster status --help"),
                (("cluster", "status", "no-file.json"), "expected a readable file"),
                (("cluster", "init", "c.json", "--shards", "5000"), "--shards: '5000' is not in the range; expected 1 to 4096")):
            done = subprocess.run([harness.COMMAND, *words], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_second_process_with_the_same_address(self):
        with cluster(shards=4) as it:
            first = it.add()
            said = self.refused(it, it.file, "--advertise", first.address)
            self.assertIn("another running collector has the address", said)

    def test_a_database_that_goes_away_and_comes_back(self):
        """503 while it is unreachable, even at the start. Then everything continues, and nothing is lost."""
        chance = random.Random(23)
        with cluster(shards=4) as it:
            member = it.add()
            it.wait_for_owners(member)
            plan = member.create("away", periods=16)["plan"]
            member.advance("away", 16)
            devices = [Device(plan, chance) for _ in range(40)]
            self.assertEqual(member.post("away", devices[0].lines(chance))[0], 200)
            server = it.groups[0].primary
            server.stop()
            status, _, headers = member.post("away", [line for device in devices for line in device.lines(chance)])
            self.assertEqual(status, 503)
            self.assertIn("Retry-After", headers)
            late = clusters.Member(it.folder / "late", it.file, port=harness.free_port())
            it.members.append(late)
            starting = threading.Thread(target=late.start, args=(300,))
            starting.start()
            wait_until(lambda: any("waiting for it" in line for line in late.said))
            wait_until(lambda: answers(late) == 503)
            if LONG:
                time.sleep(60)
            wait_until(lambda: member.call("GET", "/readyz")[0] == 503)
            server.start()
            starting.join()
            wait_until(lambda: member.call("GET", "/readyz")[0] == 200)
            it.wait_for_owners(member, late)
            for one in (member, late):
                Fleet(one, "away", plan, devices, threads=1, seed=5).join()
                it.wait_for_sums(one, "away", Sums(plan, devices))

    def test_a_database_that_only_reads(self):
        """A demoted server causes 503 and a log line, and reads continue."""
        chance = random.Random(24)
        with cluster(shards=4, own_servers=True) as it:
            member, server = it.add(), it.groups[0].primary
            it.wait_for_owners(member)
            plan = member.create("still", periods=16)["plan"]
            member.advance("still", 16)
            devices = [Device(plan, chance)]
            self.assertEqual(member.post("still", devices[0].lines(chance))[0], 200)
            it.wait_for_sums(member, "still", Sums(plan, devices))
            server.sql("ALTER SYSTEM SET default_transaction_read_only = on")
            server.sql("SELECT pg_reload_conf()")

            def is_refused():
                """Sends new reports each time, since stored ones need no write."""
                devices.append(Device(plan, chance))
                return member.post("still", devices[-1].lines(chance))[0] == 503

            wait_until(is_refused)
            wait_until(lambda: any("read-only" in line for line in member.said))
            counted = sum(sum(view["enrolled"]) for view in member.get("/v1/metrics/still/sums")["views"])
            self.assertTrue(1 <= counted < len(devices), (counted, len(devices)))
            devices += [Device(plan, chance) for _ in range(30)]
            status, answer, headers = member.call("PUT", "/v1/metrics/new", json.dumps(
                {"periods": 8, "max_changes": 1, "epsilon": 1, "clock": "manual"}), admin=True)
            self.assertEqual(status, 503, answer)
            self.assertIn("Retry-After", headers)
            late = clusters.Member(it.folder / "late", it.file)
            it.members.append(late)
            starting = threading.Thread(target=late.start, args=(300,))
            starting.start()
            wait_until(lambda: any("read-only" in line and "waiting for it" in line for line in late.said))
            server.sql("ALTER SYSTEM RESET default_transaction_read_only")
            server.sql("SELECT pg_reload_conf()")
            starting.join()
            it.wait_for_owners(member, late)
            Fleet(late, "still", plan, devices, threads=1, seed=6).join()
            for one in (member, late):
                it.wait_for_sums(one, "still", Sums(plan, devices))


class FullDisk(unittest.TestCase):
    @contextlib.contextmanager
    def small_disk(self, size):
        """A folder on its own disk, writable for PostgreSQL."""
        place = tempfile.mkdtemp(prefix="futurerand-tmpfs-")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", place],
                                 capture_output=True)
        if mounted.returncode != 0:
            os.rmdir(place)
            self.skipTest("mounting needs root")
        try:
            home = pathlib.Path(place) / "home"
            home.mkdir()
            shutil.chown(home, "postgres")
            os.chmod(place, 0o755)
            yield home
        finally:
            subprocess.run(["umount", "-l", place], check=True)
            os.rmdir(place)

    @staticmethod
    def fill(disk, spare):
        """Leaves at most this much room."""
        filler = disk.parent / "filler"
        left = os.statvfs(disk)
        with open(filler, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, left.f_bavail * left.f_bsize - spare)
        return filler

    def overflow(self, it, disk):
        """Reports until the disk is full, and resends the rejected reports once there is room."""
        chance = random.Random(25)
        member = it.add()
        it.wait_for_owners(member)
        plan = member.create("full", periods=16)["plan"]
        member.advance("full", 16)
        filler = self.fill(disk, 2 << 20)
        devices, status = [], 200
        while status == 200:
            devices += [Device(plan, chance) for _ in range(500)]
            status, answer, headers = member.post("full", all_lines(devices[-500:], chance))
        self.assertEqual(status, 503, answer)
        self.assertIn("Retry-After", headers)
        yield member, answer
        self.assertEqual(member.call("GET", "/v1/metrics/full/sums")[0], 200)
        filler.unlink()
        yield member, None
        Fleet(member, "full", plan, devices, threads=1, seed=7, batch=500).join()
        it.wait_for_sums(member, "full", Sums(plan, devices))
        # The next reader finds the same content in the database.
        member.kill()
        fresh = it.add()
        it.wait_for_owners(fresh)
        it.wait_for_sums(fresh, "full", Sums(plan, devices))

    def test_a_full_tablespace(self):
        with self.small_disk("48m") as disk, postgres.postgres_groups() as groups:
            server = groups[0].primary
            server.sql(f"CREATE TABLESPACE small LOCATION '{disk}'")
            server.sql("CREATE DATABASE small TABLESPACE small")
            # It would return the room of failed attempts.
            server.sql("ALTER SYSTEM SET autovacuum = off")
            server.sql("SELECT pg_reload_conf()")
            groups[0].database = "small"
            with cluster_over(groups, shards=2, lease_ms=3000) as it:
                for member, answer in self.overflow(it, disk):
                    if answer is not None:
                        self.assertEqual(answer["error"]["code"], "no_room")
                        wait_until(lambda: any("no room for the log: database 0" in line for line in member.said))
                        wait_until(lambda: member.call("GET", "/readyz")[0] == 503)
                        # It must not announce room while there is none.
                        time.sleep(3)
                        self.assertFalse(any("there is room" in line for line in member.said), member.said)

    @unittest.skipUnless(LONG, "a long test")
    def test_a_full_disk_of_the_write_ahead_log(self):
        """PostgreSQL itself stops then. The operator makes room and starts it again."""
        with self.small_disk("200m") as disk:
            group = postgres.Group(disk, standby=False)
            try:
                with cluster_over([group], shards=2, lease_ms=3000) as it:
                    for member, answer in self.overflow(it, disk):
                        if answer is None:
                            group.primary.kill()
                            group.primary.start()
            finally:
                group.kill()


class StaleOwners(unittest.TestCase):
    def test_an_owner_that_slept_past_its_lease_does_not_answer_from_its_old_state(self):
        """Requests wait in its sockets meanwhile. It must not deny reports acknowledged by the new owner."""
        chance = random.Random(27)
        with cluster(shards=8, lease_ms=1000) as it:
            sleeper = it.add()
            it.wait_for_owners(sleeper)
            plan = sleeper.create("asleep", periods=16)["plan"]
            sleeper.advance("asleep", 16)
            devices = [device for device in (Device(plan, chance) for _ in range(400)) if len(device.signs) > 1][:120]
            # The sleeper knows the first half of them, and nothing of their reports.
            self.assertEqual(sleeper.post("asleep", [device.enrolment() for device in devices[:60]])[0], 200)
            waiting = []
            for device in devices:
                connection = sleeper.connect(timeout=60)
                connection.request("GET", "/healthz")
                connection.getresponse().read()
                waiting.append(connection)
            os.kill(sleeper.process.pid, signal.SIGSTOP)
            try:
                awake = it.add()
                it.wait_for_owners(awake)
                lines = [line for device in devices
                         for line in (device.enrolment(), device.report(min(device.signs), min(device.signs)))]
                status, answer, _ = awake.post("asleep", lines)
                self.assertEqual((status, answer["rejected"]), (200, 0), answer)
                for connection, device in zip(waiting, devices, strict=True):
                    rest = sorted(device.signs)[1:]
                    connection.request("POST", "/v1/metrics/asleep/reports", device.report(rest[0], rest[-1]))
            finally:
                os.kill(sleeper.process.pid, signal.SIGCONT)
            denied = []
            for connection, device in zip(waiting, devices, strict=True):
                response = connection.getresponse()
                answer = json.loads(response.read())
                self.assertIn(response.status, (200, 503), answer)
                if response.status == 200 and answer["rejected"] > 0:
                    denied.append(answer["errors"][0]["reason"])
                connection.close()
            self.assertEqual(denied, [])
            Fleet(awake, "asleep", plan, devices, threads=1, seed=8).join()
            it.wait_for_sums(awake, "asleep", Sums(plan, devices))


class Clocks(unittest.TestCase):
    def test_a_collector_whose_clock_is_an_hour_ahead(self):
        """Periods follow the database's clock: no report is accepted an hour early."""
        chance = random.Random(26)
        wrong = ("env", f"LD_PRELOAD={FAKETIME}", "FAKETIME=+3600s", "DONT_FAKE_MONOTONIC=1")
        self.assertTrue(pathlib.Path(FAKETIME).exists(), "expected Debian's faketime")
        with cluster(shards=4) as it:
            right = it.add()
            ahead = it.add("--log-format", "json", wrapper=wrong)
            said = datetime.datetime.fromisoformat(json.loads(ahead.said[-1])["time"].replace("Z", "+00:00"))
            off = (said - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
            self.assertGreater(off, 3000, "its clock is not off")
            it.wait_for_owners(right, ahead)
            plan = ahead.create("hours", clock="wall", periods=16, period_seconds=3600,
                                start=int(time.time()) - 1800)["plan"]
            devices = [Device(plan, chance) for _ in range(40)]
            for member, share in ((right, devices[:20]), (ahead, devices[20:])):
                self.assertEqual(member.get("/v1/metrics/hours")["current_period"], 1)
                lines = all_lines(share, chance)
                status, answer, _ = member.post("hours", lines)
                # Only the enrolments.
                self.assertEqual((status, answer["accepted"]), (200, 20), answer)
            # Its leases are valid: both collectors keep their shards.
            owners = it.owners()
            time.sleep(4)
            self.assertEqual(it.owners(), owners)

    def test_a_database_whose_clock_is_sixty_days_ahead_ends_no_metric(self):
        """As after promoting such a standby. Running and starting collectors notice the jump."""
        chance = random.Random(28)
        with cluster(shards=4, lease_ms=2000, own_servers=True) as it:
            member, server = it.add(), it.groups[0].primary
            it.wait_for_owners(member)
            plan = member.create("hours", clock="wall", periods=8, period_seconds=3600, start=int(time.time()) - 4 * 3600 - 1800,
                                 protocol="repeated", epsilon="4")["plan"]
            devices = [Device(plan, chance) for _ in range(20)]
            self.assertEqual(member.post("hours", [device.enrolment() for device in devices])[1]["accepted"], 20)
            time.sleep(2)  # the time is saved with the leases
            server.stop()
            server.start(clock="+60d")
            wait_until(lambda: any("the clock says" in line for line in member.said))
            late = it.add()
            it.wait_for_owners(member, late)
            for one in (member, late):
                status, answer, _ = one.post("hours", [device.report(1, 1) for device in devices])
                self.assertEqual(status, 503, answer)
            server.stop()
            server.start()
            lines = [device.report(1, 4) for device in devices]
            wait_until(lambda: late.post("hours", lines)[0] == 200)
            for device in devices:
                device.signs = {index: sign for index, sign in device.signs.items() if index <= 4}
            it.wait_for_sums(late, "hours", Sums(plan, devices))

    def test_a_database_whose_clock_is_behind_does_not_keep_the_dead_alive(self):
        """As after promoting a standby with a clock 90 s behind: leases run by the observer's monotonic clock."""
        with cluster(shards=4, lease_ms=2000, own_servers=True) as it:
            dead, alive = it.add(), it.add()
            it.wait_for_owners(dead, alive)
            server = it.groups[0].primary
            dead.kill()
            server.stop()
            server.start(clock="-90s")
            begin = time.monotonic()
            it.wait_for_owners(alive)
            self.assertLess(time.monotonic() - begin, 30)
            states = {one["address"]: one["alive"] for one in it.status()["collectors"]}
            self.assertEqual(states, {dead.address: False, alive.address: True})


if __name__ == "__main__":
    harness.COMMAND = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
