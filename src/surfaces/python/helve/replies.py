"""Reply: what a tool answers."""

from __future__ import annotations

import copy
import html
import json
from typing import TYPE_CHECKING, Any

from helve.errors import HelveError, error_of
from helve.handles import Handle

if TYPE_CHECKING:
    from helve.session import Session


class Reply(dict):  # type: ignore[type-arg]
    """The structured form of a reply, as a dict; its keys are those of docs/tools.md.

    ``text`` is the compact form, and what a prompt should see: str(reply). Neither is longer than the call and the
    policy allow. A failure is a reply too: it has the key "error", and ``check()`` raises it.
    """

    text: str = ""
    code: str | None = None  # of the error; None where there is none
    source: str = ""
    ms: float = 0.0
    handle: Handle | None = None  # what is stored of it

    @property
    def is_error(self) -> bool:
        """Whether it tells what went wrong."""
        return self.code is not None

    def check(self) -> Reply:
        """Itself, or the HelveError that it tells of."""
        if self.code is not None:
            raise self.error()
        return self

    def error(self) -> HelveError:
        """The error that it tells of, with the names that it proposes in the hint."""
        told: dict[str, Any] = self.get("error", {})
        hint = told.get("hint", "")
        names = told.get("did_you_mean") or []
        if names:
            hint = f"{hint}; did you mean {', '.join(map(str, names))}?".lstrip("; ")
        message = ": ".join(filter(None, (told.get("message", self.text), told.get("detail"))))
        return error_of(self.code or "internal", message, hint)

    def __str__(self) -> str:
        return self.text

    def __deepcopy__(self, memo: dict[int, Any]) -> Reply:
        return _copied(copy.deepcopy(dict(self), memo), self.text, self.code, self.source, self.ms, self.handle)

    def __reduce__(self) -> tuple[Any, ...]:
        # In another process there is no session to read from: the handle stays behind.
        return _copied, (dict(self), self.text, self.code, self.source, self.ms)

    def _repr_html_(self) -> str:
        if self.handle is not None and not self.is_error:
            try:
                return self.handle._repr_html_()
            except HelveError:
                pass  # not rows: a graph or a text
        return f"<pre>{html.escape(self.text)}</pre>"


def _copied(content: dict[str, Any], text: str, code: str | None, source: str, ms: float,
            handle: Handle | None = None) -> Reply:
    reply = Reply(content)
    reply.text, reply.code, reply.source, reply.ms, reply.handle = text, code, source, ms, handle
    return reply


def reply_of(session: Session, told: tuple[str, str, str | None, str, str, bool, float]) -> Reply:
    """A reply of what helve._core answers."""
    text, structured, code, source, key, is_complete, ms = told
    reply = Reply(json.loads(structured))
    reply.text, reply.code, reply.source, reply.ms = text, code, source, ms
    reply.handle = Handle(session, key, reply, is_complete) if key else None
    return reply
