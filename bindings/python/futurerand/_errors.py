"""What can go wrong. Every failure is a FuturerandError, and one of Python's own kinds too."""


class FuturerandError(Exception):
    """Something failed; nothing was sent and nothing is lost. `code` is for programs.

    >>> import futurerand
    >>> try:
    ...     futurerand.Metric.accept("{}")
    ... except futurerand.FuturerandError as error:
    ...     print(error.code, isinstance(error, ValueError))
    invalid True
    """

    code = "failed"


class InvalidError(FuturerandError, ValueError):
    """What was given is not of the form or range that was expected."""

    code = "invalid"


class NotFoundError(FuturerandError, LookupError):
    """What was asked for does not exist."""

    code = "not_found"


class RefusedError(FuturerandError, PermissionError):
    """It is understood and not allowed: a ceiling, pinned terms, a plan that is not private."""

    code = "refused"


class DamagedError(FuturerandError):
    """Stored bytes are not what was saved, or records contradict each other."""

    code = "damaged"


class NoEntropyError(FuturerandError, OSError):
    """The random source failed."""

    code = "no_entropy"


class NoRoomError(FuturerandError, OSError):
    """The store could not take what was to be saved."""

    code = "no_room"


class BusyError(FuturerandError, OSError):
    """Somebody else holds it."""

    code = "busy"


class UnreachableError(FuturerandError, ConnectionError):
    """No answer; a later attempt may succeed."""

    code = "unreachable"


class NoMemoryError(FuturerandError, MemoryError):
    """The memory did not suffice."""

    code = "no_memory"


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
)


def of_code(code: int, message: str) -> FuturerandError:
    """The exception for a code of futurerand.h."""
    return (_BY_CODE[code] if 0 < code < len(_BY_CODE) else FuturerandError)(message)
