"""Ports for servers with restarts at the same address."""
import random
import socket

# Below the system's ephemeral ports, so that no other test or client gets the port of a restarting server.
OURS = range(10_000, 32_000)


def free_port():
    while True:
        port = random.choice(OURS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
