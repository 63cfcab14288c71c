"""A collector's address, and one request to it: never redirected, with an answer of bounded size in bounded time."""
from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Optional

from ._arguments import optional, path, text
from ._errors import FuturerandError, InvalidError, NotFoundError, UnauthorizedError, UnreachableError, UntrustedError

MOST_ANSWER = 1 << 20
MOST_DEFINITION = 8 << 20


class _Timed(io.RawIOBase):
    """Reads a socket until a moment for all of it: a timeout alone would start anew with every byte."""

    def __init__(self, connection: socket.socket):
        super().__init__()
        self._socket, self._raw = connection, connection.makefile("rb", buffering=0)
        seconds = connection.gettimeout()
        self._end = None if seconds is None else time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        if self._end is not None:
            left = self._end - time.monotonic()
            if left <= 0:
                raise TimeoutError("the answer takes too long")
            self._socket.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Answer(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *arguments: Any, **options: Any):
        super().__init__(sock, *arguments, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_Timed(sock))


class _Connection(http.client.HTTPConnection):
    response_class = _Answer


class _SecureConnection(http.client.HTTPSConnection):
    response_class = _Answer


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, context: ssl.SSLContext):
        super().__init__(context=context)
        self._trust = context

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SecureConnection, req, context=self._trust)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: lines and token go only to the collector named by the application."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Server:
    """A collector: its address, the trusted CA certificates (a PEM file), the token, and the time limit of a whole answer
    in seconds. Redirects are refused, and so are answers above 1 MiB (8 MiB for a metric's definition).

    >>> import futurerand
    >>> futurerand.Server("https://collector.example:8443/", token="secret").url
    'https://collector.example:8443'
    """

    def __init__(self, url: str, *, token: Optional[str] = None, ca_file: Any = None, timeout: float = 30.0):
        parts = urllib.parse.urlsplit(text("url", url))
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise InvalidError("url: expected an address such as https://collector.example:8443")
        self.url = url.rstrip("/")
        self._headers = {} if token is None else {"Authorization": f"Bearer {text('token', token)}"}
        self._timeout = float(timeout)
        if not self._timeout > 0:
            raise InvalidError("timeout: expected seconds, more than 0")
        # As in the other languages: a proxy is for HTTPS only.
        proxies = {scheme: url for scheme, url in urllib.request.getproxies().items() if scheme == "https"}
        handlers: list[Any] = [_Http(), _NoRedirect(), urllib.request.ProxyHandler(proxies)]
        if parts.scheme == "https":
            handlers.append(_Https(ssl.create_default_context(cafile=optional(path, "ca_file", ca_file))))
        self._opener = urllib.request.build_opener(*handlers)

    def ask(self, metric: str) -> str:
        """The document of this metric."""
        return self._exchange(f"/v1/metrics/{urllib.parse.quote(text('metric', metric), safe='')}", None, MOST_DEFINITION)

    def post(self, path: str, body: bytes, most: int) -> str:
        """The text of an answer of at most so many bytes."""
        return self._exchange(path, body, most)

    def _exchange(self, path: str, body: Optional[bytes], most: int) -> str:
        request = urllib.request.Request(self.url + path, data=body, headers=self._headers)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                said = answer.read(most + 1)
                if len(said) > most:
                    raise UntrustedError(f"the collector's answer is longer than {most} bytes")
                if answer.status != 200:
                    raise UntrustedError(f"the collector answered {answer.status}; expected 200")
                # A portal that asks for a password answers every request, with a page.
                if not said.startswith(b"{"):
                    raise UntrustedError("the answer is no JSON; expected a collector at this address")
                return said.decode()
        except FuturerandError:
            raise
        except urllib.error.HTTPError as error:
            raise self._failure(error) from None
        except (UnicodeError, http.client.BadStatusLine, http.client.LineTooLong) as error:
            if isinstance(error, http.client.RemoteDisconnected):
                raise UnreachableError(f"no answer from {self.url}: {error}; what is due stays for the next time") from error
            raise UntrustedError(f"the answer from {self.url} is not HTTP; expected a collector") from error
        except (OSError, http.client.HTTPException) as error:
            cause = getattr(error, "reason", error)
            if isinstance(cause, ssl.SSLCertVerificationError):
                raise UntrustedError(f"the certificate of {self.url} is refused: {cause.verify_message}") from error
            if "Tunnel connection failed: 407" in str(cause):
                raise UnauthorizedError("the proxy wants a name and a password (407)") from error
            raise UnreachableError(f"no answer from {self.url}: {error}; what is due stays for the next time") from error

    def _failure(self, error: urllib.error.HTTPError) -> Exception:
        try:
            with error:
                said = error.read(4096).decode(errors="replace").strip()
        except (OSError, http.client.HTTPException):
            said = "no whole answer"
        if 300 <= error.code < 400:
            return UntrustedError(f"the collector answered with a redirect ({error.code}); expected it at this address")
        # No status alone makes a device give up: proxies and portals answer in place of collectors.
        kind: type[FuturerandError] = UnreachableError
        if error.code in (401, 403, 407):
            kind = UnauthorizedError
        elif error.code == 404:
            kind = NotFoundError
        elif 400 <= error.code < 500 and error.code not in (408, 429):
            kind = InvalidError
        return kind(f"the collector answered {error.code}: {said}")
