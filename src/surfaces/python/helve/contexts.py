"""What an agent should know of a source before its first call. `helve context` in Python."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

from helve.commands import call
from helve.values import Record

__all__ = ["Context", "context"]


class Context(str):
    """The text for a prompt.

    `breakdown` has how it came about: layers with their parts and what was left out, injected,
    memory_items_injected, stale, schema_fingerprint, guide, red_flags, notes.
    """

    breakdown: Record

    def __new__(cls, text: str, breakdown: dict[str, Any]) -> "Context":
        made = super().__new__(cls, text)
        made.breakdown = Record(breakdown)
        return made

    def __getnewargs__(self) -> tuple[str, dict[str, Any]]:  # type: ignore[override]
        return str(self), dict(self.breakdown)


def context(
    source: str | os.PathLike[str],
    *,
    task: str | None = None,
    layers: str | Sequence[str] | None = None,
    budget: str | int | Mapping[str, int] | None = None,
    bank: str | os.PathLike[str] | None = None,
    guide: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Context:
    """The context of a source: a file, an index folder, `sample:`, a database or an endpoint.

    `task` says what is to be done, and chooses lessons and sections. `layers` are "L0,L1" or a list;
    `budget` is "full", "compact", the characters of all together, or {"l0": 300, "l2": 0}. Further
    options: constraints, schema_summary, no_cache.
    """
    given = {"task": task, "layers": layers, "budget": budget, "bank": bank, "guide": guide, **options}
    value = call("context", given, (source,))
    return Context(value.pop("text"), value)
