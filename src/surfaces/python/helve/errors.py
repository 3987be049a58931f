"""What goes wrong, as exceptions: one class for each of the seven codes of Helve."""

from __future__ import annotations

from typing import Any

__all__ = [
    "Cancelled",
    "Denied",
    "HelveError",
    "InternalError",
    "InvalidInput",
    "LimitExceeded",
    "NotFound",
    "Unavailable",
    "error_of",
]


class HelveError(Exception):
    """What was met, what was expected, and what to do about it.

    ``code`` is one of invalid_input, not_found, denied, limit_exceeded, unavailable, cancelled, internal. ``result``
    has what was done before it went wrong, where there is something (a loop that a budget ended).
    """

    code = "internal"
    result: Any = None

    def __init__(self, message: str = "", hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InternalError(HelveError):
    """A bug of Helve; please report it."""


class InvalidInput(HelveError, ValueError):
    """A query, a file or an option that cannot be read."""

    code = "invalid_input"


class NotFound(HelveError, LookupError):
    """A file, a tool, a handle or a model that is not there."""

    code = "not_found"


class Denied(HelveError):
    """The policy, the system or the database does not allow it."""

    code = "denied"


class LimitExceeded(HelveError):
    """A limit of time, memory, rows or calls was reached."""

    code = "limit_exceeded"


class Unavailable(HelveError):
    """A server, a program or a folder that cannot be used now."""

    code = "unavailable"


class Cancelled(HelveError):
    """A CancelToken, or somebody else, ended it."""

    code = "cancelled"


_CLASSES: dict[str, type[HelveError]] = {
    kind.code: kind
    for kind in (InternalError, InvalidInput, NotFound, Denied, LimitExceeded, Unavailable, Cancelled)
}


def error_of(code: str, message: str, hint: str = "") -> HelveError:
    """The exception for a code; an unknown one is InternalError."""
    return _CLASSES.get(code, InternalError)(message, hint)
