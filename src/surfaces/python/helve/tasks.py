"""Tasks: questions with the queries that answer them. `helve tasks` in Python.

A set is `bundled:solar`, `bundled:solar-tables` or `bundled:prov`, a JSON or JSON Lines file, or a
folder of SHACL SPARQL examples. Words choose tasks of it: ids, keywords, "level:2".
"""

from __future__ import annotations

import builtins
import os
from typing import Any

from helve.commands import call
from helve.values import Record

__all__ = ["check", "list", "load", "sets", "show"]


def sets(**options: Any) -> builtins.list[Record]:
    """The sets that come with the program: name, source, digest, total, by_level."""
    return call("tasks list", options)["sets"]


def list(set: str | os.PathLike[str] | None = None, *words: str, **options: Any) -> builtins.list[Record]:
    """The tasks of a set: id, level, question, keywords. Without a set, the sets that there are.

    All of them, unless `limit` says otherwise.
    """
    if set is None:
        return sets(**options)
    return _tasks("list", set, words, options)


def show(set: str | os.PathLike[str], *words: str, **options: Any) -> builtins.list[Record]:
    """The same with the reference query: language, reference, is_ordered, is_bag."""
    return _tasks("show", set, words, options)


def check(set: str | os.PathLike[str], *words: str, **options: Any) -> Record:
    """Runs the reference queries: total, empty, failed, seconds, and rows and time of each of `tasks`.

    A reference that fails is a part of the result (`error` of its task), and no exception. Option:
    source, where the set does not say its own.
    """
    return call("tasks check", options, (set, *words), values=(2,))


def load(path: str | os.PathLike[str], **options: Any) -> Record:
    """A folder of SHACL SPARQL examples: figures, and with `sample` that many of its tasks.

    Options: complexity ("simple", "moderate", "complex"), sample, seed.
    """
    return call("tasks", options, (path,), function="load")


_LIMIT_MOST = 50_000


def _tasks(name: str, set: Any, words: tuple[str, ...], options: dict[str, Any]) -> builtins.list[Record]:
    return call(f"tasks {name}", {"limit": _LIMIT_MOST, **options}, (set, *words))["tasks"]
