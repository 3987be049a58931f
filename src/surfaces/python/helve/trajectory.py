"""Recorded runs: step by step, compared, counted, and again without the model.

A file may have many runs; the last is meant unless `run=2` or "FILE#2" says otherwise.
"""

from __future__ import annotations

import builtins
import json
import os
from typing import Any

from helve.commands import call, call_text
from helve.values import Record

__all__ = ["diff", "export", "list", "replay", "show", "stats"]

File = str | os.PathLike[str]


def list(file: File, **options: Any) -> builtins.list[Record]:
    """The runs of a file: run, line, time, task, loop, model, stop_reason, steps."""
    return call("trajectory list", options, (file,))


def show(file: File, **options: Any) -> Record:
    """A run with all of its steps, texts whole; with `step` that step alone. Options: run, step."""
    return call("trajectory show", options, (file,))


def stats(file: File, **options: Any) -> Record:
    """What a run took: steps, calls by tool, errors, tokens, cost, characters. Option: run."""
    return call("trajectory stats", options, (file,))


def diff(file: File, other: File | None = None, **options: Any) -> Record:
    """Where two runs part: same, first_step, calls, results, outcome.

    One file is compared with itself: its last two runs, or those of `run=[1, 3]`. Runs that differ
    are a result, and no exception.
    """
    words = (file,) if other is None else (file, other)
    return call("trajectory diff", options, words, values=(2,))


def replay(file: File, **options: Any) -> Record:
    """Runs it again with the recorded answers of the model: same, identical, events, differences.

    The tools really run, on `source`. A run that comes to something else is a result, and no
    exception. Options: run, source, trajectory (a file for the new run), and those of a session.
    """
    return call("trajectory replay", options, (file,), values=(2,))


def export(file: File, **options: Any) -> builtins.list[dict[str, Any]]:
    """A run as the log that the visualizer of the package rlms shows, line by line.

    With `output` it is written into that file, and the list is empty. Option: run.
    """
    return [json.loads(line) for line in call_text("trajectory export", options, (file,)).split("\n") if line]

