"""A plain TCP load balancer: each connection goes to the next reachable collector, without a look into the bytes."""
import contextlib
import http.client
import itertools
import socket
import threading


class Balancer:
    def __init__(self, members):
        self.members = members
        self.turns = itertools.count()
        self.taken = {member: 0 for member in members}
        self.lock = threading.Lock()
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listening.getsockname()[1]
        self.open = set()
        self.accepting = threading.Thread(target=self.accept)
        self.accepting.start()

    def accept(self):
        workers = []
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                break
            workers.append(threading.Thread(target=self.relay, args=(client,)))
            workers[-1].start()
        for worker in workers:
            worker.join()

    def backend(self):
        """Connects to the next reachable collector; None if there is none."""
        for _ in self.members:
            with self.lock:
                member = self.members[next(self.turns) % len(self.members)]
            with contextlib.suppress(OSError):
                connection = socket.create_connection(("127.0.0.1", member.port), 5)
                connection.settimeout(None)
                with self.lock:
                    self.taken[member] += 1
                return connection
        return None

    def relay(self, client):
        server = self.backend()
        if server is None:
            return client.close()
        pair = (client, server)
        with self.lock:
            self.open.update(pair)

        def copy(source, target):
            with contextlib.suppress(OSError):
                while piece := source.recv(65536):
                    target.sendall(piece)
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

        back = threading.Thread(target=copy, args=(server, client))
        back.start()
        copy(client, server)
        back.join()
        with self.lock:
            self.open.difference_update(pair)
        for end in pair:
            end.close()

    def connect(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def close(self):
        with contextlib.suppress(OSError):
            self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        with self.lock:
            for end in self.open:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        self.accepting.join()


@contextlib.contextmanager
def balancer(members):
    it = Balancer(members)
    try:
        yield it
    finally:
        it.close()
