"""A proxy for CONNECT on the loopback, for tests of $HTTPS_PROXY."""
import http.server
import socket
import threading


def carry(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class ConnectProxy:
    """Notes where it was asked to connect to. With a status it connects nobody. Ends with the test."""

    def __init__(self, test, status=200):
        self.asked = asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_CONNECT(self):
                asked.append(self.path)
                if status != 200:
                    return self.send_error(status)
                host, port = self.path.rsplit(":", 1)
                with socket.create_connection((host, int(port)), timeout=30) as there:
                    self.send_response(200)
                    self.end_headers()
                    ways = [threading.Thread(target=carry, args=way) for way in ((self.connection, there), (there, self.connection))]
                    for way in ways:
                        way.start()
                    for way in ways:
                        way.join()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        test.addCleanup(server.server_close)
        test.addCleanup(thread.join)
        test.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"
