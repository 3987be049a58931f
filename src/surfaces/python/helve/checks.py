"""What is given to the package is looked at before the library sees it, so that messages are in its words."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any

from helve._core import CancelToken
from helve.errors import InvalidInput


def check_text(value: Any, what: str) -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a text, not a {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as failure:
        raise InvalidInput(f"{what} has half a character in it ({failure.object[failure.start]!r})",
                           "lone surrogates are no text: decode what was read in another way") from None
    return value


def check_time(value: Any, what: str = "timeout") -> float | None:
    """A number of seconds above 0, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{what} is a number of seconds, or None, not a {type(value).__name__}")
    if not value > 0 or math.isinf(value):
        raise ValueError(f"{what} is a number of seconds above 0, or None, not {value!r}")
    return float(value)


def check_count(value: Any, what: str, least: int = 0) -> int:
    """A whole number that is not below the least."""
    try:
        count = value.__index__()
    except AttributeError:
        raise TypeError(f"{what} is a whole number, not a {type(value).__name__}") from None
    if count < least or count >= 1 << 63:
        raise ValueError(f"{what} is a whole number from {least} on, not {count}")
    return int(count)


def check_cancel(value: Any) -> CancelToken:
    """The token, or a new one for None."""
    if value is None:
        return CancelToken()
    if not isinstance(value, CancelToken):
        raise TypeError(f"cancel is a helve.CancelToken, not a {type(value).__name__}")
    return value


def check_names(given: Iterable[str], known: frozenset[str], what: str) -> None:
    """Members of a mapping that has these and no others."""
    unknown = sorted(set(given) - known)
    if unknown:
        raise TypeError(f"{what} has no '{unknown[0]}'; it has {', '.join(sorted(known))}")


def path_text(path: str | os.PathLike[str] | None) -> str | None:
    """A path as the library takes it; None stays None."""
    return None if path is None else os.fspath(path)
