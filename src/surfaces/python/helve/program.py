"""The program `helve` that comes with the package: where it is, and how it is run.

`helve.memory`, `helve.tasks`, `helve.learning` and their like are made of `run`.
"""

from __future__ import annotations

import json
import numbers
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping, Protocol

from helve.child import Child, Ending
from helve.errors import Cancelled, HelveError, InternalError, InvalidInput, LimitExceeded, NotFound, error_of
from helve.values import Record

__all__ = ["Completed", "check_text", "error_from", "main", "program_path", "run", "worker_program"]

OUTPUT_BYTES_MAX = 256 * 1024 * 1024
_SECONDS_MAX = 1e9
_CODES = {
    1: "internal",
    2: "invalid_input",
    3: "not_found",
    4: "denied",
    5: "limit_exceeded",
    6: "unavailable",
    7: "cancelled",
}
_ERROR = re.compile(r"^helve: (?:internal )?error: (.*)$")
_HINT = re.compile(r"^  hint: (.*)$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Cancellable(Protocol):
    """What `cancel` takes: `helve.CancelToken`, or anything with this member."""

    @property
    def is_cancelled(self) -> bool: ...


@dataclass(frozen=True)
class Completed:
    """What the program wrote, and its exit status. Of standard error the last megabyte is kept."""

    stdout: str
    stderr: str
    status: int

    def json(self) -> Any:
        """Standard output as a value, its objects with attributes; InternalError where it is no JSON."""
        try:
            return json.loads(self.stdout, object_hook=Record)
        except ValueError as error:
            raise InternalError(f"the program wrote no JSON: {error}", "check HELVE_PROGRAM") from None


def program_path() -> str:
    """The path of the program.

    HELVE_PROGRAM, or else `bin/helve` beside the package, or else `helve` in PATH. NotFound where
    there is none.
    """
    named = os.environ.get("HELVE_PROGRAM")
    if named:
        if _is_program(named):
            return os.path.abspath(named)
        raise NotFound(f"HELVE_PROGRAM is {named!r}, and that is no program that can be run",
                       "name the file of the program, or unset the variable")
    bundled = str(Path(__file__).absolute().parent / "bin" / "helve")
    if _is_program(bundled):
        return bundled
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        found = os.path.join(folder or os.curdir, "helve")
        if _is_program(found) and not _is_script(found):
            return os.path.abspath(found)
    raise NotFound("the program helve is neither in the package nor in PATH",
                   "install the package again, or set HELVE_PROGRAM to the file of the program")


def worker_program() -> str:
    """What runs SQL in a process of its own. Empty where there is no program: SQL is then Unavailable."""
    try:
        return program_path()
    except NotFound:
        return ""


def main() -> None:
    """The command `helve`: becomes the program, with the same arguments."""
    try:
        path = program_path()
        os.execv(path, [path, *sys.argv[1:]])
    except HelveError as error:
        print(f"helve: error: {error.message}\n  hint: {error.hint}", file=sys.stderr)
        sys.exit(3)
    except OSError as error:
        print(f"helve: error: {path} cannot be run: {error.strerror}", file=sys.stderr)
        sys.exit(1)


def run(
    *arguments: str | os.PathLike[str],
    input: str | bytes | None = None,
    timeout: float | None = None,
    cancel: Cancellable | None = None,
    on_line: Callable[[str], object] | None = None,
    check: bool = True,
    env: Mapping[str, str] | None = None,
    output_bytes_max: int = OUTPUT_BYTES_MAX,
) -> Completed:
    """Runs the program with these arguments, and waits for its end.

    There is no shell in between, and standard input is empty unless `input` is given. `on_line` gets
    each line of standard error as it comes, on the calling thread. `env` has variables for the
    program beside those of this process.

    A status other than 0 raises the HelveError of its code, with the program's message and hint;
    with `check=False` it is part of the result. A program that is cancelled (`cancel.is_cancelled`
    becomes true, or Ctrl-C) is interrupted, has ten seconds to finish what it writes, and is ended
    then; so is one that takes longer than `timeout` seconds (LimitExceeded), or writes more than
    `output_bytes_max` bytes (LimitExceeded). It never outlives the call.
    """
    if not arguments:
        raise TypeError("run() takes the words of a command line: run('info', 'data.ttl'), run('--help')")
    _check_time(timeout)
    if cancel is not None and not hasattr(cancel, "is_cancelled"):
        raise TypeError(f"cancel must have a member is_cancelled, as helve.CancelToken has: {cancel!r}")
    words = [_word(argument, number) for number, argument in enumerate(arguments, 1)]
    for variable, value in (env or {}).items():
        check_text(value, f"the variable {check_text(variable, 'a name of env')}")
    variables = {**os.environ, **(env or {}), "HELVE_ENDS_WITH_PARENT": "1"}
    data = _bytes_of(input) if isinstance(input, str) else input
    is_cancelled = None if cancel is None else lambda: bool(cancel.is_cancelled)
    child = Child(_start([program_path(), *words], data is not None, variables),
                  output_bytes_max=output_bytes_max, on_line=on_line)
    ending = child.communicate(data, timeout, is_cancelled)
    completed = Completed(child.stdout, child.stderr, child.status)
    name = "helve " + " ".join(words[:1])
    if ending is Ending.TOO_LONG:
        raise LimitExceeded(f"{name} wrote more than {output_bytes_max:,} bytes",
                            "ask for less, or raise output_bytes_max")
    if ending is not Ending.DONE and completed.status != 0:
        raise _stopped(ending, name, timeout, completed)
    if check and completed.status != 0:
        raise error_from(completed, name)
    return completed


def error_from(
    completed: Completed, name: str = "helve", translate: Callable[[str], str] | None = None
) -> HelveError:
    """The exception for a status other than 0, with message and hint of standard error.

    `translate` puts both into the words of who called: the program speaks of options and commands.
    """
    error = _plain_error(completed, name)
    if translate is None:
        return error
    return type(error)(translate(error.message), translate(error.hint))


def check_text(text: str, name: str) -> str:
    """The text itself; InvalidInput where it has something that no argument of a program can have."""
    if "\0" in text:
        raise InvalidInput(f"{name} has a NUL character in it", "take it out")
    _bytes_of(text, name)
    return text


def _bytes_of(text: str, name: str = "input") -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X}, half of a character"
        raise InvalidInput(f"{name} has {half}, at position {error.start}: it has no UTF-8 form",
                           "take it out, or decode the text with errors='replace'") from None


def _check_time(seconds: Any) -> None:
    if seconds is None:
        return
    if not isinstance(seconds, numbers.Real) or isinstance(seconds, bool):
        raise TypeError(f"a time is a number of seconds above 0, or None; timeout is {seconds!r}")
    if not 0 < float(seconds) <= _SECONDS_MAX:
        raise ValueError(f"a time is a number of seconds above 0, or None; timeout is {seconds!r}")


def _plain_error(completed: Completed, name: str) -> HelveError:
    message, hint = _message_of(completed.stderr)
    if completed.status < 0:
        ended_by = f"{name} was ended by signal {_signal_name(-completed.status)}"
        return InternalError(f"{ended_by}: {message}" if message else ended_by, hint)
    code = _CODES.get(completed.status)
    if code is None:
        said = _last_line(completed.stderr)
        return InternalError(f"{name} ended with status {completed.status}" + (f": {said}" if said else ""),
                             "check that HELVE_PROGRAM names the program helve")
    if not message:
        said = _last_line(completed.stderr)
        message = f"{name} ended with status {completed.status}" + (f": {said}" if said else "")
    return error_of(code, message, hint)


def _stopped(ending: Ending, name: str, timeout: float | None, completed: Completed) -> HelveError:
    error: HelveError
    if ending is Ending.CANCELLED:
        error = Cancelled(f"{name} was cancelled")
    else:
        error = LimitExceeded(f"{name} did not end within {timeout:g} s", "raise timeout, or ask for less")
    error.result = completed
    return error


def _start(command: list[str], has_input: bool, variables: dict[str, str]) -> subprocess.Popen[bytes]:
    # A group of its own: Ctrl-C at a terminal then reaches this process alone, which passes it on
    # once. The program takes a second one for "end at once".
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=variables,
            process_group=0,
        )
    except OSError as error:
        raise InternalError(f"{command[0]} cannot be run: {error.strerror}",
                            "check HELVE_PROGRAM, or install the package again") from error


def _word(argument: str | os.PathLike[str], number: int) -> str:
    word = os.fspath(argument)
    if not isinstance(word, str):
        raise TypeError(f"an argument must be a str or a path, not {type(argument).__name__}")
    try:
        os.fsencode(word)  # names of files may be no UTF-8
        is_plain = "\0" not in word
    except UnicodeEncodeError:
        is_plain = False
    return word if is_plain else check_text(word, f"argument {number}")


def _message_of(stderr: str) -> tuple[str, str]:
    message, hint = "", ""
    for line in _COLOUR.sub("", stderr).splitlines():
        if found := _ERROR.match(line):
            message, hint = found.group(1), ""
        elif message and (found := _HINT.match(line)):
            hint = found.group(1)
    return message, hint


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:500] if lines else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _is_script(path: str) -> bool:
    # The command of this package is a script of the same name: it would call itself for ever.
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return True
