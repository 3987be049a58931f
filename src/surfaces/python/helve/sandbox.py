"""Sandbox: a Python process for code that nobody trusts, held by the kernel of this machine."""

from __future__ import annotations

import dataclasses
import inspect
import json
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from helve import _core
from helve._core import CancelToken
from helve.checks import check_cancel, check_text, check_time
from helve.errors import HelveError, InvalidInput, NotFound, Unavailable
from helve.waiting import waited

if TYPE_CHECKING:
    from helve.session import Session

_TYPE_NAMES = {str: "str", int: "int", float: "float", bool: "bool", list: "list", dict: "dict"}


@dataclasses.dataclass(frozen=True)
class BlockError:
    """What a block raised."""

    type: str
    message: str
    traceback: str
    line: int | None  # in the block, from 1


@dataclasses.dataclass(frozen=True)
class Block:
    """All that came of a block, together: none of it excludes another."""

    end: str  # "finished", "submitted", "raised", "interrupted", or "lost": the session is over
    output: str
    output_omitted_bytes: int
    value: str  # repr of the last expression; empty: none
    value_type: str
    error: BlockError | None
    submitted: dict[str, Any] | None
    lost: HelveError | None
    tool_calls: int
    model_calls: int
    ms: float


@dataclasses.dataclass(frozen=True)
class SandboxEvent:
    """What happens while a block runs."""

    kind: str
    name: str
    text: str
    ms: float
    is_error: bool


class Sandbox:
    """A session of Python without network, files and processes; docs/sandbox.md tells what holds it.

    Starting it raises Denied where a layer is missing. Of one object one thread at a time runs code; others wait.
    """

    def __init__(self, *, block_time: float | None = None, start_time: float | None = None,
                 cpu_seconds_max: int | None = None, memory_bytes_max: int | None = None,
                 output_bytes_kept: int | None = None, output_bytes_max: int | None = None,
                 tool_calls_max: int | None = None, model_calls_max: int | None = None, python: str | None = None,
                 module_folders: Sequence[str] = (), submit_fields: Iterable[str | Mapping[str, str]] | None = None,
                 allow_missing_layers: bool = False, on_event: Callable[[SandboxEvent], None] | None = None,
                 timeout: float | None = None, cancel: CancelToken | None = None) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}
        self._owner: int | None = None  # the thread that runs code
        self._is_closing = False
        self._model: Callable[[list[str]], list[str]] | None = None
        self._listener = on_event
        self._lock = threading.RLock()
        self._running: CancelToken | None = None
        self._sessions: list[Session] = []  # whose tools were given
        options = {
            "block_time": block_time, "start_time": start_time, "cpu_seconds_max": cpu_seconds_max,
            "memory_bytes_max": memory_bytes_max, "output_bytes_kept": output_bytes_kept,
            "output_bytes_max": output_bytes_max, "tool_calls_max": tool_calls_max, "model_calls_max": model_calls_max,
            "python": python, "module_folders": [str(folder) for folder in module_folders],
            "submit_fields": [_field(field) for field in submit_fields or ()],
            "allows_missing_layers": allow_missing_layers,
            "on_event": None if on_event is None else _event_teller(weakref.ref(self)),
        }
        self._core = _start(options, check_time(timeout), check_cancel(cancel))
        self._close = weakref.finalize(self, _core.Sandbox.shutdown, self._core)

    def register_tool(self, function: Callable[..., Any], *, name: str | None = None, doc: str | None = None,
                      parameters: Sequence[Mapping[str, Any]] | None = None) -> None:
        """From the next block on, code can call the function; one of the same name is replaced.

        It runs here, on the thread that executes the block, and gets the arguments by name: they come from code that
        nobody trusts. What it gives must be JSON. What it raises is raised there. ``parameters``: {"name", "type",
        "default", "required"} each; None: those of its signature.
        """
        if not callable(function):
            raise TypeError(f"a tool is a function, not a {type(function).__name__}")
        known = str(name or getattr(function, "__name__", type(function).__name__))
        shapes = _parameters_of(function) if parameters is None else [_parameter(one) for one in parameters]
        text = inspect.cleandoc(doc if doc is not None else function.__doc__ or "")
        with self._lock:
            self._core.register_tool(known, text, shapes, "object", _tool_caller(weakref.ref(self), known))
            self._functions[known] = function

    def register_tools(self, session: Session) -> None:
        """All tools of a session as functions that answer values. Handles have ``rows(offset, limit)`` there."""
        with self._lock:
            self._core.register_tools(session._core)
            if session not in self._sessions:
                self._sessions.append(session)

    def set_model(self, model: Callable[[list[str]], list[str]] | None) -> None:
        """Who answers ``llm_query`` and ``llm_query_batched``: takes prompts, gives as many texts."""
        with self._lock:
            self._model = model
            self._core.set_model(None if model is None else _model_caller(weakref.ref(self)))

    def execute(self, code: str, variables: Mapping[str, Any] | None = None, *, timeout: float | None = None,
                cancel: CancelToken | None = None) -> Block:
        """Sets the variables (JSON values), runs the code. What the code does wrong is a result; other errors raise."""
        text = check_text(code, "code")
        given = [(check_text(name, "the name of a variable"), _json_of(name, value))
                 for name, value in (variables or {}).items()]
        seconds, token = check_time(timeout), check_cancel(cancel)
        self._check_free()
        with self._lock:
            self._check_open()
            self._running, self._owner = token, threading.get_ident()
            try:
                told = self._core.execute(text, given, seconds, token)
            finally:
                self._running = self._owner = None
        error = told.pop("error")
        submitted = told.pop("submitted")
        return Block(error=None if error is None else BlockError(**error),
                     submitted=None if submitted is None else json.loads(submitted), **told)

    def _check_free(self) -> None:
        if self._owner == threading.get_ident():
            raise Unavailable("this sandbox is running code, and a function of it cannot run more",
                              "let the function answer values, or use another sandbox")

    def _check_open(self) -> None:
        if self._is_closing:
            raise Unavailable("this sandbox was closed", "make another one")

    def variable(self, name: str) -> Any:
        """The value of a variable. It is the guest's: believe nothing of it."""
        self._check_free()
        with self._lock:
            self._check_open()
            return json.loads(self._core.variable(name))

    def variables(self) -> list[dict[str, Any]]:
        """What the blocks have defined: name, type, length and a preview of each."""
        self._check_free()
        with self._lock:
            self._check_open()
            return self._core.variables()

    @property
    def layers(self) -> list[dict[str, Any]]:
        """What holds the process: name, purpose, detail, and whether it holds."""
        return self._core.layers()

    @property
    def interpreter(self) -> str:
        """The program that runs the code."""
        return self._core.interpreter

    @property
    def is_alive(self) -> bool:
        """Whether it can run another block."""
        return self._core.is_alive

    def shutdown(self) -> None:
        """Ends the process; a block that runs on another thread is cancelled first."""
        self._check_free()
        self._is_closing = True  # nothing begins any more
        running = self._running
        if running is not None:
            running.cancel()
        with self._lock:
            self._close()

    close = shutdown

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a sandbox cannot be copied or pickled: make another one")

    def __repr__(self) -> str:
        return f"Sandbox({'alive' if self.is_alive else 'over'})"


def _start(options: dict[str, Any], timeout: float | None, cancel: CancelToken) -> _core.Sandbox:
    try:
        return _core.Sandbox(options, timeout, cancel)
    except NotFound:
        # None in PATH: the interpreter that runs this, without its virtual environment.
        own = getattr(sys, "_base_executable", None) or sys.executable
        if options["python"] is not None or not own:
            raise
        return _core.Sandbox({**options, "python": own}, timeout, cancel)


def _field(field: str | Mapping[str, str]) -> tuple[str, str]:
    if isinstance(field, str):
        name, _, kind = field.partition(":")
        return name.strip(), kind.strip() or "object"
    return field["name"], field.get("type", "object")


def _json_of(name: str, value: Any) -> str:
    try:
        return check_text(json.dumps(value, allow_nan=False), f"the variable '{name}'")
    except (TypeError, ValueError) as failure:
        raise InvalidInput(f"the variable '{name}' cannot go into the sandbox: {failure}",
                           "make it of None, bool, int, float, str, list and dict") from failure


def _parameter(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": given["name"],
        "type": given.get("type", "object"),
        "otherwise": json.dumps(given["default"]) if "default" in given else None,
        "is_required": given.get("required", "default" not in given),
    }


def _parameters_of(function: Callable[..., Any]) -> list[dict[str, Any]]:
    shapes = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise InvalidInput(f"the parameter '{parameter}' cannot be passed by name",
                               "give `parameters`, or wrap the function")
        shape: dict[str, Any] = {"name": parameter.name, "type": _TYPE_NAMES.get(parameter.annotation, "object")}
        if parameter.default is not parameter.empty:
            shape["default"] = parameter.default
            shape["required"] = False
        if shape.get("default", 0) is None:
            del shape["default"]
        shapes.append(_parameter(shape))
    return shapes


# What the library keeps holds the sandbox weakly: a circle through it would never be collected.


def _tool_caller(reference: Callable[[], Sandbox | None], name: str) -> Callable[[str], str]:
    def call(arguments: str) -> str:
        sandbox = reference()
        if sandbox is None:
            raise ReferenceError("the sandbox is gone")
        answer = waited(sandbox._functions[name](**json.loads(arguments)))
        return json.dumps(answer, allow_nan=False)

    return call


def _model_caller(reference: Callable[[], Sandbox | None]) -> Callable[[list[str]], list[str]]:
    def call(prompts: list[str]) -> list[str]:
        sandbox = reference()
        if sandbox is None or sandbox._model is None:
            raise ReferenceError("the sandbox is gone")
        answers = waited(sandbox._model(prompts))
        if not isinstance(answers, (list, tuple)):
            raise TypeError(f"the model must answer a list of texts, not a {type(answers).__name__}")
        return list(answers)

    return call


def _event_teller(reference: Callable[[], Sandbox | None]) -> Callable[..., None]:
    def tell(kind: str, name: str, text: str, ms: float, is_error: bool) -> None:
        sandbox = reference()
        if sandbox is not None and sandbox._listener is not None:
            sandbox._listener(SandboxEvent(kind, name, text, ms, is_error))

    return tell
