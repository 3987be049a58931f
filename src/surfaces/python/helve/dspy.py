"""Helve for DSPy: its sandbox as a code interpreter, and its tools as `dspy.Tool`.

    import dspy, helve, helve.dspy

    session = helve.open("data.ttl")
    rlm = dspy.RLM("question -> answer", tools=session.as_dspy_tools(output="value"),
                   interpreter_factory=helve.dspy.Interpreter.factory(timeout=120))

`Interpreter` implements `dspy.CodeInterpreter` on `helve.Sandbox`: a CPython process that the kernel holds
(docs/sandbox.md), which starts in some tens of milliseconds and needs no Deno and no container.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

try:
    import dspy
    from dspy.primitives.code_interpreter import CodeExecutionError, CodeInterpreterError, FinalOutput
    from dspy.utils.callback import with_callbacks
except ImportError as missing:
    raise ImportError("helve.dspy needs DSPy 3.3 or newer: pip install 'helve[dspy]'") from missing

from helve import _dspy_host as host
from helve._core import CancelToken
from helve.errors import HelveError
from helve.sandbox import Block, BlockError, Sandbox

__all__ = ["CodeExecutionError", "CodeInterpreterError", "FinalOutput", "Interpreter", "Tool"]

_SYNTAX_ERRORS = frozenset({"SyntaxError", "IndentationError", "TabError"})
_HOST_FUNCTION = "helve_dspy_host"
_REQUEST_VARIABLE = "helve_request"
_RESULT_VARIABLE = "helve_result"
_PRINTED_CHARS = 2_000  # of what was printed before an exception

_GUEST_SOURCE = Path(__file__).with_name("_dspy_guest.py").read_text(encoding="utf-8")
# Frames of files "<tool ...>" are left out of tracebacks. Names that DSPy's interpreters do not have go.
_BOOT = f"""
import sys, types
module = types.ModuleType("_helve_dspy")
module.__dict__.update(host={_HOST_FUNCTION}, hand_in=SUBMIT)
exec(compile({_GUEST_SOURCE!r}, "<tool helve.dspy>", "exec"), module.__dict__)
sys.modules["_helve_dspy"] = module
del sys, types, module, {_HOST_FUNCTION}, SUBMIT, llm_query, llm_query_batched, ToolError
"""
# The code of the session may give any name another meaning. These use none: an import statement takes the
# builtins of the frame, and each name is set where it is used. Every block sets "_" at its end.
_BEGIN = "from _helve_dspy import begin as _\n_()"
_KEEP = f"{_RESULT_VARIABLE} = _\n"
_FINISH = "from _helve_dspy import finish as _\n_()"
_FORGET = "from _helve_dspy import forget as _\n_()"
_MEND = "del __builtins__"  # the next block gets those of the interpreter


class Tool(dspy.Tool):
    """A `dspy.Tool` whose arguments Helve checks itself: aliases, numbers as texts and unknown names pass."""

    @with_callbacks
    def __call__(self, **kwargs: Any) -> Any:
        return self.func(**kwargs)

    @with_callbacks
    async def acall(self, **kwargs: Any) -> Any:
        return await asyncio.to_thread(self.func, **kwargs)


class _Factory:
    """Makes interpreters of the same options; what `interpreter_factory=` takes."""

    def __init__(self, kind: type[Interpreter], options: dict[str, Any]) -> None:
        self._kind = kind
        self._options = options
        self.execution_instructions = kind.execution_instructions

    def __call__(self) -> Interpreter:
        return self._kind(**self._options)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self._options.items())
        return f"{self._kind.__name__}.factory({shown})"


class Interpreter:
    """Runs the code of a model in Helve's sandbox; a `dspy.CodeInterpreter`.

    tools: functions of the host that code calls by name, as a dict or a list; may be changed at any time.
    output_fields: what SUBMIT takes, `[{"name": "answer", "type": "str"}, ...]`; None: one value.
    timeout: seconds of one execution, its tool calls included. What runs longer is a CodeExecutionError, which
        the model can see and mend, and variables are kept; with `keep_after_timeout=False` it ends the session.
    memory: bytes of the process. tool_calls_max: tool calls of the session.
    python: the interpreter, otherwise found in PATH. module_folders: folders to import from, beside the
        standard library. allow_missing_layers: run although this machine cannot hold the code.
    callbacks: DSPy's callback handlers of this interpreter.
    """

    execution_instructions = (
        "Code runs as CPython in a sandbox: the standard library is there; network, subprocesses, "
        "environment and files outside of the current folder are not. Variables, imports and functions persist between "
        "executions. Tools and SUBMIT are global functions; tools take positional or keyword arguments and "
        "exchange JSON-compatible values, and raise RuntimeError when they fail. Finish all threads in the "
        "execution that starts them."
    )

    def __init__(
        self,
        tools: Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]] | None = None,
        output_fields: list[dict[str, Any]] | None = None,
        *,
        timeout: float = 600.0,
        keep_after_timeout: bool = True,
        memory: int | None = None,
        tool_calls_max: int | None = None,
        python: str | None = None,
        module_folders: Iterable[str] = (),
        allow_missing_layers: bool = False,
        callbacks: list[Any] | None = None,
    ) -> None:
        if not timeout > 0:
            raise ValueError("timeout must be positive: seconds of one execution")
        self.tools: dict[str, Callable[..., Any]] = host.named_tools(tools)
        host.check_tool_names(self.tools)
        self.output_fields = None if output_fields is None else [dict(field) for field in output_fields]
        host.check_output_fields(self.output_fields)
        self.timeout = float(timeout)
        self.keep_after_timeout = keep_after_timeout
        self.callbacks = list(callbacks or [])
        self._options: dict[str, Any] = {
            "block_time": self.timeout,
            "python": None if python is None else str(python),
            "module_folders": [str(folder) for folder in module_folders],
            "allow_missing_layers": allow_missing_layers,
        }
        if memory is not None:
            self._options["memory_bytes_max"] = memory
        if tool_calls_max is not None:
            self._options["tool_calls_max"] = tool_calls_max
        self._box: Sandbox | None = None
        self._busy = threading.Lock()
        self._cancel: CancelToken | None = None  # of the execution that runs
        self._ended = ""  # why the session is over

    @classmethod
    def factory(cls, **options: Any) -> Callable[[], Interpreter]:
        """A callable without arguments that makes interpreters with these options.

        For `dspy.RLM(interpreter_factory=...)` and `dspy.configure(interpreter_factory=...)`.
        """
        cls(**options)  # options that are wrong are told here
        return _Factory(cls, options)

    # --- life ---

    @with_callbacks
    def start(self) -> None:
        """Starts the sandbox, unless it runs. `execute` does it too."""
        if self._ended:
            self._fail(self._ended)
        if self._box is not None:
            if not self._box.is_alive:
                self._close()
                self._fail("the interpreter process has ended, and its state is lost")
            return
        try:
            box = Sandbox(**self._options)
            box.register_tool(
                _server_of(weakref.ref(self)),
                name=_HOST_FUNCTION,
                doc="",
                parameters=[{"name": "request", "type": "str", "required": True}],
            )
        except HelveError as error:
            raise CodeInterpreterError(f"the sandbox cannot start: {_told(error)}") from error
        self._run_own(box, _BOOT)
        self._box = box

    @with_callbacks
    def shutdown(self) -> None:
        """Ends the process. The interpreter cannot be used again."""
        self._ended = self._ended or "it was shut down"
        if self._busy.acquire(blocking=False):
            try:
                self._close()
            finally:
                self._busy.release()
        elif (token := self._cancel) is not None:  # the execution that runs ends, and closes it
            token.cancel()

    def _close(self) -> None:
        box, self._box = self._box, None
        if box is not None:
            box.shutdown()

    def _fail(self, reason: str, cause: BaseException | None = None) -> NoReturn:
        """Ends the session over a failure that no code can repair."""
        self._ended = self._ended or reason
        raise CodeInterpreterError(
            f"the session is over: {self._ended}. Create another interpreter"
        ) from cause

    def __enter__(self) -> Interpreter:
        self.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.shutdown()

    def __call__(self, code: str, variables: dict[str, Any] | None = None) -> Any:
        return self.execute(code, variables)

    # --- code ---

    @with_callbacks
    def execute(self, code: str, variables: dict[str, Any] | None = None) -> Any:
        """Runs code in the namespace of the session.

        Gives FinalOutput where SUBMIT was called; otherwise the value of the last expression (its repr
        where JSON has no form of it); otherwise what was printed, or None. Raises SyntaxError,
        CodeExecutionError for what the code did wrong, and CodeInterpreterError for all else.
        """
        if not self._busy.acquire(blocking=False):
            raise CodeInterpreterError(
                "this interpreter is running code: a tool or another thread must not "
                "execute code in it meanwhile"
            )
        try:
            host.check_code(code, CodeInterpreterError)
            request = self._request(variables)
            names = host.output_names(self.output_fields)
            if self._box is None or self._ended or not self._box.is_alive:
                self.start()
            assert self._box is not None
            return self._execute(self._box, code, request, names)
        finally:
            if self._ended:
                self._close()
            self._busy.release()

    def _request(self, variables: dict[str, Any] | None) -> str:
        """What the guest is told before the code runs, as JSON text."""
        given = {} if variables is None else variables
        host.check_tool_names(self.tools, CodeInterpreterError)
        host.check_output_fields(self.output_fields, CodeInterpreterError)
        host.check_variable_names(given, self.tools, CodeInterpreterError)
        tools = [{"name": name, "doc": host.doc_of(name, function)} for name, function in self.tools.items()]
        try:
            return host.to_json({"tools": tools, "fields": self.output_fields, "variables": given})
        except (TypeError, ValueError, RecursionError) as error:
            raise CodeInterpreterError(f"variables must be JSON-compatible: {error}") from error

    def _execute(self, box: Sandbox, code: str, request: str, names: list[str]) -> Any:
        self._run_own(box, _BEGIN, {_REQUEST_VARIABLE: request})
        block = self._run(box, code)
        if block.end == "submitted":
            return self._submitted(block, names)
        if block.end == "interrupted":
            return self._over_time(block)
        if block.error is not None:
            raise _error_of(block, block.error, code)
        if block.value_type:
            return self._value(box, block)
        return block.output.rstrip("\n") or None

    def _run(self, box: Sandbox, code: str, variables: dict[str, Any] | None = None) -> Block:
        """Runs a block. Where it is lost, or interrupted from outside, the session is over."""
        if self._ended:
            self._leave(None)
        self._cancel = token = CancelToken()
        try:
            block = box.execute(code, variables, cancel=token)
        except HelveError as error:
            if box.is_alive and not self._ended:
                raise CodeInterpreterError(_told(error)) from error
            self._leave(error)
        except BaseException as error:  # an interrupt, or what a tool raised that is no Exception
            self._ended = self._ended or f"it was ended by {type(error).__name__}"
            raise
        finally:
            self._cancel = None
        if self._ended or block.end == "lost":
            self._leave(block.lost)
        return block

    def _leave(self, lost: HelveError | None) -> NoReturn:
        self._fail(_told(lost) if lost is not None else self._ended, lost)

    def _run_own(self, box: Sandbox, code: str, variables: dict[str, Any] | None = None) -> None:
        """Runs a block of ours; one that fails means that the code of the session has broken the rest."""
        block = self._run_mended(box, code, variables)
        if block.end != "finished":
            self._fail(f"its code broke it: {_first_line(block)}")

    def _run_mended(
        self, box: Sandbox, code: str, variables: dict[str, Any] | None = None, *, first: str = ""
    ) -> Block:
        """Runs a block of ours; where it fails, once more with builtins that code has not replaced.

        What `first` does is done once.
        """
        block = self._run(box, first + code, variables)
        if block.end == "raised":
            self._run(box, _MEND)
            block = self._run(box, code, variables)
        return block

    def _over_time(self, block: Block) -> NoReturn:
        said = f"the code ran for longer than {self.timeout:g} seconds"
        if not self.keep_after_timeout:
            self._fail(said)
        raise CodeExecutionError(f"TimeLimit: {said} and was stopped; variables are kept{_printed(block)}")

    def _submitted(self, block: Block, names: list[str]) -> FinalOutput:
        text = (block.submitted or {}).get("answer")
        try:
            output = json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            output = None
        if not isinstance(output, dict) or set(output) != set(names):
            raise CodeExecutionError(
                "SUBMIT was not called as it is meant to be: SUBMIT(...) is a global function that takes "
                + (", ".join(names) or "nothing")
            )
        return FinalOutput(output)

    def _value(self, box: Sandbox, block: Block) -> Any:
        """The value of the last expression, or its repr."""
        if self._run_mended(box, _FINISH, first=_KEEP).end != "finished":
            return block.value
        try:
            value = json.loads(box.variable(_RESULT_VARIABLE))
        except (HelveError, TypeError, ValueError, RecursionError):
            value = block.value  # it is too large, or nothing that json reads
        self._run_mended(box, _FORGET)
        return value

    # --- tools ---

    def _serve(self, request: str) -> str:
        """Answers a call of the guest. What it says is anybody's: it is checked like any input.

        Cancellation and the like are no Exception: they end the block, and execute() raises them.
        """
        try:
            name, args, kwargs = host.read_call(request)
            value = self.invoke_tool(name, args, kwargs)
            return host.to_json({"value": value})
        except Exception as error:
            return json.dumps({"error": f"{type(error).__name__}: {error}"})

    @with_callbacks
    def invoke_tool(self, tool_name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Calls a tool that is registered now, on behalf of the code."""
        function = self.tools.get(tool_name)
        if function is None:
            raise CodeInterpreterError(f"Unknown tool: {tool_name}")
        positional, named = host.bound_arguments(function, args, kwargs)
        result = function(*positional, **named)
        return host.awaited(result) if inspect.isawaitable(result) else result


def _server_of(reference: Callable[[], Interpreter | None]) -> Callable[[str], str]:
    """What answers calls, without keeping the interpreter: it ends when nobody uses it."""

    def serve(request: str) -> str:
        interpreter = reference()
        if interpreter is None:
            raise ReferenceError("the interpreter is gone")
        return interpreter._serve(request)

    return serve


# --- errors --------------------------------------------------------------------------------------------


def _told(error: HelveError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message


def _printed(block: Block) -> str:
    """What code printed before it failed, which the model would not see otherwise."""
    text = block.output.rstrip()
    if not text:
        return ""
    if len(text) > _PRINTED_CHARS:
        text = "... " + text[-_PRINTED_CHARS:]
    return f"\nPrinted before:\n{text}"


def _first_line(block: Block) -> str:
    return f"{block.error.type}: {block.error.message}" if block.error is not None else block.end


def _error_of(block: Block, found: BlockError, code: str) -> Exception:
    """The exception for one of the code: its type, its message, its line; the traceback is a note."""
    if found.type in _SYNTAX_ERRORS:
        failure: Exception = SyntaxError(re.sub(r"\(<block \d+>, (line \d+)\)$", r"(\1)", found.message))
    else:
        failure = CodeExecutionError(_first_line(block) + _place(found.line, code) + _printed(block))
    if found.traceback:
        failure.add_note(f"In the sandbox:\n{found.traceback}")
    return failure


def _place(line: int | None, code: str) -> str:
    lines = code.splitlines()
    if line is None or not 0 < line <= len(lines):
        return ""
    return f"\n  line {line}: {lines[line - 1].strip()[:200]}"
