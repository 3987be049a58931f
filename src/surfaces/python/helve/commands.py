"""Keyword arguments as options of the command line, for all functions that run the program.

`COMMANDS` has what `helve COMMAND --help` lists, so that a misspelt name is an error before anything
runs; a test compares the two. Names are those of the command line with underscores.
"""

from __future__ import annotations

import datetime
import difflib
import os
from typing import Any, Mapping

from helve.errors import HelveError
from helve.program import Completed, error_from, run

__all__ = ["COMMANDS", "RUN_OPTIONS", "call", "command_line"]

# NAME: one value; NAME*: may be repeated; NAME,: several as one word (a,b or a=1,b=2); NAME!: a flag.
_SOURCES = "source*"
_SESSION = "session policy caller skills bank trust_judgments! audit audit_key audit_fingerprints! no_cache!"
_MODEL = "provider model url key prices model_config"
_RUN_LIMITS = "max_steps max_calls max_tokens max_output max_cost time"
_TOTALS = "total_tokens total_cost total_time"
_FIELDS = "title desc content domain tag*"
_FILTER = "src domain tag* all!"
_EMBEDDINGS = "embeddings embedding_model embedding_key"

_TABLE = {
    "memory add": f"bank {_FIELDS} src",
    "memory edit": f"bank {_FIELDS} src verified! quarantine!",
    "memory undo": "bank",
    "memory forget": "bank keep dry_run!",
    "memory search": f"bank limit ranker {_EMBEDDINGS} {_FILTER}",
    "memory get": "bank",
    "memory history": "bank limit",
    "memory stats": "bank",
    "memory verify": f"bank limit {_FILTER}",
    "memory merge": "bank",
    "memory consolidate": "bank dry_run!",
    "memory seed": "bank",
    "memory embed": f"bank {_EMBEDDINGS}",
    "memory export": f"bank plain! lines! {_FILTER}",
    "memory import": "bank",
    "memory backup": "bank",
    "context": "task layers, budget, bank guide constraints schema_summary breakdown! no_cache!",
    "tasks": "complexity sample seed",
    "tasks list": "limit",
    "tasks show": "limit",
    "tasks check": "source",
    "judge": f"{_SOURCES} ordered! bag! {_SESSION}",
    "learn": (
        f"only* max_tasks out {_SOURCES} {_MODEL} script record loop layers, budget, hints {_RUN_LIMITS} "
        "no_times! rollouts parallel seed consolidate! bank_max judge_model judge_key judge_principles "
        "judge_episodes extract_model extract_key dry_run! max_total_tokens max_total_cost max_total_time "
        f"{_TOTALS} {_SESSION}"
    ),
    "reflect": (
        f"run full! hint compare refine verdict {_FIELDS} edit! by_hand! yes! rerun! reference {_SOURCES} "
        f"no_source! loop {_MODEL} sub_model sub_provider sub_url sub_key signature script record layers, "
        f"budget, hints {_RUN_LIMITS} trajectory no_times! stream! {_SESSION}"
    ),
    "experiment": (
        f"tasks* only* max_tasks {_SOURCES} {_MODEL} repeats seed rollouts bank_max guide seed_bank extract "
        f"loop budget, {_RUN_LIMITS} {_TOTALS} parallel out replay retry_failed! {_SESSION}"
    ),
    "trajectory list": "",
    "trajectory show": "step full! run",
    "trajectory diff": "run* full!",
    "trajectory stats": "run",
    "trajectory export": "output run",
    "trajectory replay": f"run {_SOURCES} trajectory {_SESSION}",
}

# What every function takes beside the options of its command: see helve.program.run.
RUN_OPTIONS = frozenset({"timeout", "cancel", "on_line"})


def _kinds(line: str) -> dict[str, str]:
    """Name of each option, and its kind: "", "*", "," or "!"."""
    return {word.rstrip("*,!"): word[len(word.rstrip("*,!")) :] for word in line.split()}


COMMANDS: dict[str, dict[str, str]] = {command: _kinds(line) for command, line in _TABLE.items()}


def call(
    command: str,
    options: Mapping[str, Any],
    words: tuple[Any, ...] = (),
    *,
    values: tuple[int, ...] = (),
    function: str = "",
    env: Mapping[str, str] | None = None,
) -> Any:
    """Runs a command with these options, and gives the JSON that it prints.

    Of the statuses in `values`, which some commands end with to say "no", the JSON is the result
    where there is any. Other statuses raise as helve.program.run does; `error.result` has the JSON
    then, or None.
    """
    arguments, run_options = command_line(command, options, words, function=function)
    try:
        completed = run(*arguments, check=False, env=env, **run_options)
    except HelveError as error:
        error.result = _json_or_none(error.result)
        raise
    if completed.status == 0 or (completed.status in values and completed.stdout.strip()):
        return completed.json()
    failure = error_from(completed, f"helve {command}")
    failure.result = _json_or_none(completed)
    raise failure


def _json_or_none(completed: Completed | None) -> Any:
    if completed is None or not completed.stdout.strip():
        return None
    try:
        return completed.json()
    except HelveError:
        return None


def command_line(
    command: str,
    options: Mapping[str, Any],
    words: tuple[Any, ...] = (),
    *,
    json: bool = True,
    function: str = "",
) -> tuple[list[str], dict[str, Any]]:
    """The arguments for helve.program.run, and those of RUN_OPTIONS that were among the options.

    Options that are None are left out. TypeError for a name that the command does not have, and for
    a value that is of no use for it.
    """
    name = function or command.split()[-1]
    kinds = COMMANDS[command]
    arguments = command.split()
    run_options: dict[str, Any] = {}
    for option, value in options.items():
        if option in RUN_OPTIONS:
            run_options[option] = value
        elif option not in kinds:
            raise TypeError(_unknown(option, name, [*kinds, *RUN_OPTIONS]))
        elif value is not None:
            arguments += _words_of(option, kinds[option], value)
    if json:
        arguments.append("--json")
    texts = [_text(word, "an argument") for word in words]
    # A word may look like an option, or like a command. Positions that may be empty take none behind "--".
    if texts and command not in ("memory undo", "memory history"):
        arguments.append("--")
    arguments += texts
    return arguments, run_options


def _unknown(option: str, function: str, known: list[str]) -> str:
    near = difflib.get_close_matches(option, known, n=1, cutoff=0.5)
    advice = f"did you mean {near[0]!r}?" if near else "it takes " + ", ".join(sorted(known))
    return f"{function}() got an unexpected keyword argument {option!r}; {advice}"


def _words_of(option: str, kind: str, value: Any) -> list[str]:
    word = "--" + option.replace("_", "-")
    if kind == "!":
        if not isinstance(value, bool):
            raise TypeError(f"{option} is True or False, not {value!r}")
        return [word] if value else []
    if kind == "*" and isinstance(value, (list, tuple)):
        return [part for one in value for part in _pair(word, _text(one, option))]
    if kind == ",":
        value = _joined(value, option)
    return _pair(word, _text(value, option))


def _pair(word: str, text: str) -> list[str]:
    # One argument: a value may begin with a dash. An empty one has to stand alone.
    return [f"{word}={text}"] if text else [word, ""]


def _joined(value: Any, option: str) -> Any:
    if isinstance(value, Mapping):
        return ",".join(f"{_text(key, option)}={_text(one, option)}" for key, one in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(_text(one, option) for one in value)
    return value


def _text(value: Any, option: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        path = os.fspath(value)
        if isinstance(path, str):
            return path
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    if isinstance(value, datetime.timedelta):
        return f"{value.total_seconds():g}s"
    raise TypeError(f"{option} takes a text, a number or a path, not {value!r}")
