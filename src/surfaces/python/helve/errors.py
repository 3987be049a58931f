"""What goes wrong, as exceptions: one class for each of the seven codes that all of Helve has."""

from __future__ import annotations

from typing import Any

__all__ = [
    "HelveError",
    "InvalidInput",
    "NotFound",
    "Denied",
    "LimitExceeded",
    "Unavailable",
    "Cancelled",
    "InternalError",
    "error_of",
]


class HelveError(Exception):
    """Base of all errors of Helve.

    `code` is one of invalid_input, not_found, denied, limit_exceeded, unavailable, cancelled and
    internal; `message` says what is wrong and `hint` what to do (it may be empty). `result` has what
    was done before it went wrong, where there is something (a loop that a budget ended).
    """

    code = "internal"
    result: Any = None

    def __init__(self, message: str = "", hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InvalidInput(HelveError):
    """What was given cannot be used as it is."""

    code = "invalid_input"


class NotFound(HelveError):
    """Something that was named does not exist."""

    code = "not_found"


class Denied(HelveError):
    """A policy or a server does not allow it."""

    code = "denied"


class LimitExceeded(HelveError):
    """A limit of time, size or cost was reached."""

    code = "limit_exceeded"


class Unavailable(HelveError):
    """Something that is needed does not answer now."""

    code = "unavailable"


class Cancelled(HelveError):
    """The caller ended it."""

    code = "cancelled"


class InternalError(HelveError):
    """A mistake of Helve itself."""

    code = "internal"


_CLASSES: dict[str, type[HelveError]] = {
    kind.code: kind
    for kind in (InvalidInput, NotFound, Denied, LimitExceeded, Unavailable, Cancelled, InternalError)
}


def error_of(code: str, message: str, hint: str = "") -> HelveError:
    """The exception of a code; an unknown code is InternalError, and its message keeps it."""
    kind = _CLASSES.get(code)
    if kind is None:
        return InternalError(f"{code}: {message}", hint)
    return kind(message, hint)
