"""Ports for servers that must come back where they were."""
import random
import socket

# Below the ports that the system gives to whoever asks for any, a client that connects included: no other test takes the
# port of a server that is down for a moment.
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
