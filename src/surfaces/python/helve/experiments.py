"""Tasks under several conditions, compared: `helve experiment` in Python."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Sequence

from helve.commands import call
from helve.errors import HelveError
from helve.models import Model, served_options
from helve.values import Record

__all__ = ["Results", "experiment", "replay"]

Place = str | os.PathLike[str]
_RULES = "builtin:rules"


class Results(Record):
    """What `results.json` has: config, sets with their tasks, cells and criteria, ...

    `folder` is where everything lies, `report` the path of the report in HTML.
    """

    folder: str
    report: str

    def __init__(self, value: dict[str, Any], folder: Place) -> None:
        super().__init__(value)
        object.__setattr__(self, "folder", os.fspath(folder))
        object.__setattr__(self, "report", os.path.join(folder, "report.html"))


def experiment(
    cells: str | Sequence[str],
    *,
    tasks: Place | Sequence[Place],
    out: Place,
    source: Place | Sequence[Place] | None = None,
    model: str | Model | None = _RULES,
    repeats: int = 3,
    **options: Any,
) -> Results:
    """Runs tasks in cells ("all", "E1,E6" or a list), `repeats` times each, into the folder `out`.

    `model` is a name or a function (see helve.models), which is called on other threads, and by
    several at once only where `parallel` is given. `on_line` gets a line for each pass.

    Where a budget ended it, a cell failed or it was cancelled, LimitExceeded, Unavailable or Cancelled
    is raised, with the results so far as `error.result`; the same call goes on from there.
    """
    given = {"tasks": tasks, "source": source, "model": model, "repeats": repeats, "out": out, **options}
    if model == _RULES and any(options.get(name) is not None for name in ("provider", "url", "model_config")):
        given["model"] = None
    is_function = callable(model)
    if is_function:
        given.setdefault("parallel", 1)
    words = (cells,) if isinstance(cells, str) else tuple(cells)
    with served_options(given, port=_port_of(out) if is_function else 0) as (settled, env):
        try:
            return Results(call("experiment", settled, words, env=env), out)
        except HelveError as error:
            if isinstance(error.result, dict):
                error.result = Results(error.result, out)
            raise


def replay(out: Place, **options: Any) -> Record:
    """Replays every run of an experiment without the model, with the real tools, and judges again.

    The result has runs, reproduced, identical, misses, changes, ...; results that did not come again
    are a part of it, and no exception.
    """
    return call("experiment", {"replay": out, **options}, values=(2,), function="replay")


def _port_of(out: Place) -> int:
    """The port that an experiment was begun with: another server would be another model to it."""
    try:
        files = sorted(Path(out).glob("*/*/*/cell.json"))
    except ValueError:  # no path at all, as the command will say
        return 0
    for file in files[:1]:
        try:
            server = json.loads(file.read_text())["config"]["server"]
        except (OSError, ValueError, KeyError, TypeError):
            return 0
        found = re.fullmatch(r"http://127\.0\.0\.1:([0-9]{4,5})/v1", str(server))
        return int(found.group(1)) if found and int(found.group(1)) < 65536 else 0
    return 0
