"""`futurerand metric`, as an operator types it."""
import subprocess

import harness


def metric_command(it, *arguments, status=0):
    """Runs `futurerand metric`, and returns what it says; it must end with this status."""
    token = ("--admin-token-file", str(it.folder / "token")) if arguments[0] != "merge" else ()
    where = ("--to", f"http://127.0.0.1:{it.port}") if arguments[0] != "merge" else ()
    done = subprocess.run([harness.COMMAND, "metric", *map(str, arguments), *where, *token], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == status, (arguments, done)
    return done.stdout if status == 0 else done.stderr
