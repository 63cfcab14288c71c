"""The page's view of a cluster: usage: page_test.py FUTURERAND PICTURE"""
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import harness
from devices import Device
from clusters import cluster

PAGE = pathlib.Path(__file__).parent.parent / "dashboard" / "cluster_page.mjs"

if __name__ == "__main__":
    harness.COMMAND = sys.argv[1]
    chance = random.Random(29)
    with cluster(databases=2, shards=8) as it:
        members = [it.add(), it.add()]
        it.wait_for_owners(*members)
        plan = members[0].create("shown", periods=16)["plan"]
        members[0].advance("shown", 16)
        assert members[1].post("shown", [line for _ in range(500) for line in Device(plan, chance).lines(chance)])[0] == 200
        sys.exit(subprocess.run(["node", PAGE, f"http://{members[1].address}", harness.TOKEN, sys.argv[2]], timeout=600).returncode)
