"""The log of a shard in a real PostgreSQL: usage: log_test.py POSTGRES_LOG_TEST [GoogleTest arguments]"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "collector"))
import postgres

if __name__ == "__main__":
    with postgres.postgres_groups() as (group,):
        environment = {**os.environ, "FUTURERAND_POSTGRES_PORT": str(group.primary.port)}
        sys.exit(subprocess.run(sys.argv[1:], env=environment, timeout=900).returncode)
