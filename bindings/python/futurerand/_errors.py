"""Every failure is a FuturerandError, and mostly also one of Python's own exceptions."""


class FuturerandError(Exception):
    """Something failed; nothing was sent and nothing is lost. `code` is for programs. `action` is "retry_later",
    "tell_operator", "fix_call" or "give_up". Only the last is final.

    >>> import futurerand
    >>> try:
    ...     futurerand.Metric.accept("{}")
    ... except futurerand.FuturerandError as error:
    ...     print(error.code, error.action, isinstance(error, ValueError))
    invalid fix_call True
    """

    code = "failed"
    action = "tell_operator"


class InvalidError(FuturerandError, ValueError):
    """An argument has the wrong form or is out of range."""

    code = "invalid"
    action = "fix_call"


class NotFoundError(FuturerandError, LookupError):
    """The requested thing does not exist."""

    code = "not_found"
    action = "tell_operator"


class RefusedError(FuturerandError, PermissionError):
    """Never: a ceiling, pinned terms, a plan without privacy, a line refused by the collector."""

    code = "refused"
    action = "give_up"


class DamagedError(FuturerandError):
    """Stored bytes are not the saved ones, or records contradict each other."""

    code = "damaged"
    action = "give_up"


class NoEntropyError(FuturerandError, OSError):
    """The random source failed."""

    code = "no_entropy"
    action = "retry_later"


class NoRoomError(FuturerandError, OSError):
    """The store, or the collector, has no room for more."""

    code = "no_room"
    action = "retry_later"


class BusyError(FuturerandError, OSError):
    """Another holder has it open."""

    code = "busy"
    action = "retry_later"


class UnreachableError(FuturerandError, ConnectionError):
    """No answer, or a request to retry."""

    code = "unreachable"
    action = "retry_later"


class NoMemoryError(FuturerandError, MemoryError):
    """Out of memory."""

    code = "no_memory"
    action = "retry_later"


class NotStartedError(FuturerandError):
    """Too early; the message has the time, if it is known."""

    code = "not_started"
    action = "retry_later"


class UnauthorizedError(FuturerandError, PermissionError):
    """The server requires another token."""

    code = "unauthorized"
    action = "tell_operator"


class UntrustedError(FuturerandError, ConnectionError):
    """The server did not prove its identity."""

    code = "untrusted"
    action = "tell_operator"


_BY_CODE = (
    FuturerandError,
    InvalidError,
    NotFoundError,
    RefusedError,
    DamagedError,
    NoEntropyError,
    NoRoomError,
    BusyError,
    UnreachableError,
    NoMemoryError,
    NotStartedError,
    UnauthorizedError,
    UntrustedError,
)


def of_code(code: int, message: str) -> FuturerandError:
    """The exception for a code of futurerand.h."""
    return (_BY_CODE[code] if 0 < code < len(_BY_CODE) else FuturerandError)(message)
