"""Answers that are judged, and lessons that come of runs: `helve judge`, `learn` and `reflect`."""

from __future__ import annotations

import os
from typing import Any, Sequence

from helve.commands import call
from helve.errors import InvalidInput
from helve.models import Model, served_options
from helve.values import Record

__all__ = ["Verdict", "judge", "learn", "reflect"]

Place = str | os.PathLike[str]


class Verdict(Record):
    """What a judge says: verdict ("correct", "partial", "incorrect"), verified, by, says, ...

    `precision`, `recall` and `f1` are None where the query did not run.
    """

    @property
    def is_correct(self) -> bool:
        return self["verdict"] == "correct"

    @property
    def precision(self) -> float | None:
        return self.get("precision")

    @property
    def recall(self) -> float | None:
        return self.get("recall")

    @property
    def f1(self) -> float | None:
        return self.get("f1")


def judge(
    query: str | os.PathLike[str],
    reference: str | os.PathLike[str],
    *,
    source: Place | Sequence[Place],
    ordered: bool = False,
    bag: bool = False,
    **options: Any,
) -> Verdict:
    """Whether a query brings what another one does. Both are run on the source.

    A query that is wrong, or fails, is a verdict and no exception; a reference that cannot be run
    raises. `ordered` and `bag` say that the order of rows, and how often each comes, count. A
    pathlib.Path is a file that has the query; a str is always the query itself. Further options:
    those of a session (policy, caller, ...).
    """
    given = {"source": source, "ordered": ordered, "bag": bag, **options}
    words = (_query(query, "query"), _query(reference, "reference"))
    return Verdict(call("judge", given, words, values=(2,)))


def learn(
    tasks: Place,
    *,
    source: Place | Sequence[Place] | None = None,
    bank: Place | None = None,
    model: str | Model | None = None,
    **options: Any,
) -> Record:
    """Runs tasks, judges the answers, and stores what is learnt of them in a bank.

    `model` is a name ("builtin:rules", or with provider=, url=, key= that of a server), or a function
    (see helve.models); so may be `judge_model` and `extract_model`. Functions are called on other
    threads. `on_line` gets a line for each task.

    The result has tasks, successes, items_added, usage, stopped, bank and folder. Where a budget
    ended it, tasks failed or it was cancelled, LimitExceeded, Unavailable or Cancelled is raised, with
    the same as `error.result`; the same call goes on from there.
    """
    given = {"source": source, "bank": bank, "model": model, **options}
    with served_options(given) as (settled, env):
        return call("learn", settled, (tasks,), env=env)


def reflect(
    trajectory: Place, *, bank: Place | None = None, model: str | Model | None = None, **options: Any
) -> Record:
    """Looks back at a recorded run, and keeps a lesson of it without asking anybody.

    title=, desc= and content= are the lesson; without them a model drafts it (`model`, and `hint` for
    it), or it is the pattern of the query that ran. What nobody has written is quarantined. The result
    has id, state, is_quarantined, changes, item, similar, and without_item and with_item of reruns
    (`rerun=True, source=...`), which `reference`, a query or a pathlib.Path with one, is judged by.
    """
    given = {"bank": bank, "model": model, **options, "yes": True}
    if given.get("reference") is not None:
        given["reference"] = _query(given["reference"], "reference")
    with served_options(given) as (settled, env):
        return call("reflect", settled, (trajectory,), env=env)


def _query(query: Any, name: str) -> str:
    """A query as the command line takes it, where "@FILE" is a file. Texts of models name none."""
    if isinstance(query, str):
        if query.startswith("@"):
            raise InvalidInput(f"{name} begins with '@', which no query does",
                               "give a pathlib.Path to read it from a file")
        return query
    path = os.fspath(query) if isinstance(query, os.PathLike) else None
    if not isinstance(path, str):
        raise TypeError(f"{name} is a text, or a pathlib.Path with one, not {query!r}")
    return "@" + os.path.join(os.curdir, path)  # "-" would be the standard input
