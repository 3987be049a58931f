"""The memory bank: lessons that are kept, found, changed and taken back. `helve memory` in Python."""

from __future__ import annotations

import json
import operator
import os
import tempfile
from typing import Any, Iterable, Mapping

from helve.commands import call, call_text
from helve.errors import InvalidInput
from helve.program import check_text
from helve.values import Record

__all__ = ["Memory"]


class Memory:
    """A bank of lessons: a file, or a postgresql:// address.

    Without one it is that of HELVE_BANK, or the user's own. A file is made by the first change.
    Methods are the commands of `helve memory`, and take their options by name; all take `timeout`,
    `cancel` and `on_line` (see helve.program.run) as well.
    """

    def __init__(self, bank: str | os.PathLike[str] | None = None) -> None:
        self.bank = None if bank is None else os.fspath(bank)
        self._place = bank  # a path may be one whose name is no UTF-8

    def __repr__(self) -> str:
        return f"Memory({self.bank!r})"

    def add(self, title: str, desc: str, content: str, **options: Any) -> Record:
        """Keeps a lesson: {id, is_new, change}. Options: src, domain, tag."""
        return self._call("add", title=title, desc=desc, content=content, **options)

    def edit(self, id: str, **options: Any) -> Record:
        """Changes an item: {id, change}; another title or content is another id.

        Options: title, desc, content, src, domain, tag, verified, quarantine.
        """
        return self._call("edit", id, **options)

    def undo(self, change: int | None = None, **options: Any) -> Record:
        """Takes a change back, the latest unless one is named: {change} is the number of the undoing."""
        return self._call("undo", *([] if change is None else [_change(change)]), **options)

    def forget(self, *ids: str, keep: int | None = None, **options: Any) -> Record:
        """Retracts items: {retracted, changes}.

        With `keep` the least useful are evicted until there are so many: {evicted, items,
        is_bound_met, is_applied, changes}; `dry_run=True` changes nothing.
        """
        return self._call("forget", *ids, keep=keep, **options)

    def search(self, question: str, **options: Any) -> list[Record]:
        """The items for a question, the best first: id, title, desc, src, score.

        Options: limit, ranker ("bm25", "overlap", "fusion"), src, domain, tag, all, and embeddings,
        embedding_model and embedding_key for "fusion".
        """
        return self._call("search", question, **options)["items"]

    def get(self, *ids: str, **options: Any) -> list[Record]:
        """Items with all of their fields, in the order of the ids. NotFound where one is not there."""
        return self._call("get", *ids, **options)

    def history(self, id: str | None = None, **options: Any) -> list[Record]:
        """What was changed, the latest first: change, at, kind, item, and what was there `before`."""
        words = [] if id is None else [id]
        return self._call("history", *words, **options)["changes"]

    def stats(self, **options: Any) -> Record:
        """How much there is: items, active, quarantined, superseded, retracted, changes, bytes, ..."""
        return self._call("stats", **options)

    def verify(self, source: str | os.PathLike[str], **options: Any) -> Record:
        """Tries remembered queries again on a source: {trials, changes, is_complete}.

        Items whose query fails are quarantined. Options: limit, src, domain, tag, all.
        """
        return self._call("verify", source, **options)

    def merge(self, *ids: str, **options: Any) -> Record:
        """Lets the first item supersede the others: {id, superseded, changes}."""
        return self._call("merge", *ids, **options)

    def consolidate(self, **options: Any) -> Record:
        """Lets items supersede others that say the same: {pairs, skipped, items, changes, ...}.

        `dry_run=True` only shows which would.
        """
        return self._call("consolidate", **options)

    def seed(self, **options: Any) -> Record:
        """Adds strategies and guardrails that hold anywhere: {added, items, change}."""
        return self._call("seed", **options)

    def embed(self, **options: Any) -> Record:
        """Makes vectors for items that have none: {embedded}.

        Options: embeddings, embedding_model, embedding_key.
        """
        return self._call("embed", **options)

    def export(self, **options: Any) -> list[dict[str, Any]]:
        """All active items as dictionaries. Options: plain, src, domain, tag, all."""
        lines = self._run("export", lines=True, **options).split("\n")
        return [json.loads(line) for line in lines if line]

    def import_(self, items: str | os.PathLike[str] | Iterable[Mapping[str, Any]], **options: Any) -> Record:
        """Adds items of a file (a JSON list, or one item on a line), or items themselves.

        {added, existing, retracted, not_taken_over}.
        """
        if isinstance(items, (str, os.PathLike)):
            return self._call("import", items, **options)
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            for number, item in enumerate(items, 1):
                line = json.dumps(dict(item), ensure_ascii=False)
                file.write(check_text(line, f"item {number} of items") + "\n")
            file.flush()
            return self._call("import", file.name, **options)

    def backup(self, file: str | os.PathLike[str], **options: Any) -> str:
        """Copies the bank into a new file, and gives its path."""
        self._run("backup", file, **options)
        return os.fspath(file)

    def _call(self, name: str, *words: Any, **options: Any) -> Any:
        function = "import_" if name == "import" else name
        return call(f"memory {name}", {"bank": self._place, **options}, words, function=function)

    def _run(self, name: str, *words: Any, **options: Any) -> str:
        return call_text(f"memory {name}", {"bank": self._place, **options}, words)


def _change(change: Any) -> int:
    """The number of a change. A text is none: it might be an option."""
    if isinstance(change, bool):
        raise TypeError(f"change is the number of a change, an int; it is {change!r}")
    try:
        number = operator.index(change)
    except TypeError:
        raise TypeError(f"change is the number of a change, an int; it is {change!r}") from None
    if number < 0:
        raise InvalidInput(f"change is {number}, and numbers of changes are above 0", "history() has them")
    return number
