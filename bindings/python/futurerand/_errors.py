"""What can go wrong. Every failure is a FuturerandError, and one of Python's own kinds too."""


class FuturerandError(Exception):
    """Something failed; nothing was sent and nothing is lost. `code` is for programs, and `action` says what they do about
    it: "retry_later", "tell_operator", "fix_call" or "give_up". Only the last is for good.

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
    """What was given is not of the form or range that was expected."""

    code = "invalid"
    action = "fix_call"


class NotFoundError(FuturerandError, LookupError):
    """What was asked for does not exist."""

    code = "not_found"
    action = "tell_operator"


class RefusedError(FuturerandError, PermissionError):
    """Never: a ceiling, pinned terms, a plan that is not private, a line that the collector refuses."""

    code = "refused"
    action = "give_up"


class DamagedError(FuturerandError):
    """Stored bytes are not what was saved, or records contradict each other."""

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
    """Somebody else holds it."""

    code = "busy"
    action = "retry_later"


class UnreachableError(FuturerandError, ConnectionError):
    """No answer, or one that asks to come again."""

    code = "unreachable"
    action = "retry_later"


class NoMemoryError(FuturerandError, MemoryError):
    """The memory did not suffice."""

    code = "no_memory"
    action = "retry_later"


class NotStartedError(FuturerandError):
    """Too early: the message says from when on, if that is known."""

    code = "not_started"
    action = "retry_later"


class UnauthorizedError(FuturerandError, PermissionError):
    """The server wants another token."""

    code = "unauthorized"
    action = "tell_operator"


class UntrustedError(FuturerandError, ConnectionError):
    """What answers does not prove to be the server that was asked for."""

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
