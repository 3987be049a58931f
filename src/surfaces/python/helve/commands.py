"""Keyword arguments as options of the command line, for all functions that run the program.

`COMMANDS` has what `helve COMMAND --help` lists, so that a misspelt name is an error before anything
runs; a test compares the two. Names are those of the command line with underscores.
"""

from __future__ import annotations

import datetime
import difflib
import os
import re
from typing import Any, Mapping

from helve.errors import HelveError, InvalidInput
from helve.program import Completed, check_text, error_from, run

__all__ = ["COMMANDS", "RUN_OPTIONS", "call", "call_text", "command_line", "in_python"]

# NAME: one value; NAME*: may be repeated; NAME,: several as one word (a,b or a=1,b=2); NAME!: a flag.
_SOURCES = "source*"
_SESSION = "session policy caller skills bank allow_path* trust_judgments! audit audit_key audit_fingerprints! no_cache!"
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

# Names of the words that stand by themselves, as the functions call them; the last may be repeated.
_WORDS = {
    "memory edit": "id",
    "memory undo": "change",
    "memory forget": "ids",
    "memory search": "question",
    "memory get": "ids",
    "memory history": "id",
    "memory verify": "source",
    "memory merge": "ids",
    "memory import": "items",
    "memory backup": "file",
    "context": "source",
    "tasks": "path",
    "tasks list": "set words",
    "tasks show": "set words",
    "tasks check": "set words",
    "judge": "query reference",
    "learn": "tasks",
    "reflect": "trajectory",
    "experiment": "cells",
    "trajectory diff": "file other",
}
# Positions that may be empty take nothing behind "--".
_BARE = ("memory undo", "memory history")

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
    raise _failure(completed, command)


def call_text(command: str, options: Mapping[str, Any], words: tuple[Any, ...] = ()) -> str:
    """Runs a command that prints something other than JSON, and gives that."""
    arguments, run_options = command_line(command, options, words, json=False)
    completed = run(*arguments, check=False, **run_options)
    if completed.status == 0:
        return completed.stdout
    raise _failure(completed, command)


def _failure(completed: Completed, command: str) -> HelveError:
    failure = error_from(completed, f"helve {command}", lambda text: in_python(text, command))
    failure.result = _json_or_none(completed)
    return failure


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
    names = _WORDS.get(command, "file").split()
    texts = [_text(word, names[min(at, len(names) - 1)]) for at, word in enumerate(words)]
    if texts and command not in _BARE:
        arguments.append("--")  # a word may look like an option, or like a command
    elif any(not re.fullmatch("[0-9a-f]+", text) for text in texts):
        raise InvalidInput(f"{names[0]} is {texts[0]!r}, which cannot be one", "Memory.history() has them")
    arguments += texts
    return arguments, run_options


# --- what the program says, in the words of Python -----------------------------------------------------

_USAGE = re.compile(r"helve(?: [a-z]+)* --help shows what it takes, helve --help the options of all commands")
_KNOWN = "|".join(sorted((command for command in COMMANDS if command != "tasks"), key=len, reverse=True))
_CALL = re.compile(rf"\bhelve ({_KNOWN})\b(?! --help)(?: ([0-9a-f]{{12}}\b|[0-9]+\b|ID\b(?:\.\.\.)?))?")
_OTHER = re.compile(rf"(\bhelve (?!(?:{_KNOWN})\b)[a-z]+[^,;()'\"]*)")  # commands that are no function
_OPTION = re.compile(
    r"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?![\w-])"
    r"(?:[ =]([^\s,;()'\"]*[^\s,;.()'\"]))?"
)
_VALUE = re.compile(r"[A-Z]+|[0-9.]+|.*[:=/@.].*|.*[A-Z]{2}.*|anthropic|chat|react|rlm")
_BARE_VALUE = re.compile(r"[A-Z]+|[0-9]+")


def in_python(text: str, command: str) -> str:
    """A message of the program for who called a function: `--max-steps 5` is max_steps=5 there."""
    kinds = COMMANDS[command]

    def option(found: re.Match[str]) -> str:
        name, value = found.group(1).replace("-", "_"), found.group(2)
        if name not in kinds:
            return found.group()
        rest = found.group()[2 + len(name) :]
        if kinds[name] == "!":
            return f"{name}=True{rest}"
        if value and _VALUE.fullmatch(value):
            return f"{name}={value if _BARE_VALUE.fullmatch(value) else repr(value)}"
        return f"{name}{rest}"

    def part(text: str) -> str:
        text = _CALL.sub(_call_in_python, _OPTION.sub(option, text))
        return re.sub(r"\(\) (\w+=\S*[^\s,;.])", r"(\1)", text)

    text = _USAGE.sub(f"help({_python_name(command)}) shows what it takes", text)
    return "".join(one if at % 2 else part(one) for at, one in enumerate(_OTHER.split(text)))


def _call_in_python(found: re.Match[str]) -> str:
    word = found.group(2) or ""
    return f"{_python_name(found.group(1))}({word if not word or len(word) < 12 else repr(word)})"


def _python_name(command: str) -> str:
    group, _, name = command.rpartition(" ")
    if group == "memory":
        return "Memory." + ("import_" if name == "import" else name)
    if command == "tasks":
        return "helve.tasks.load"
    return f"helve.{group}.{name}" if group else f"helve.{name}"


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
        return check_text(value, option)
    if isinstance(value, os.PathLike):
        path = os.fspath(value)
        if isinstance(path, str):
            return _path(path, option)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    if isinstance(value, datetime.timedelta):
        return f"{value.total_seconds():g}s"
    raise TypeError(f"{option} takes a text, a number or a path, not {value!r}")


def _path(path: str, option: str) -> str:
    try:
        os.fsencode(path)  # names of files may be no UTF-8
    except UnicodeEncodeError:
        return check_text(path, option)
    return path if "\0" not in path else check_text(path, option)
