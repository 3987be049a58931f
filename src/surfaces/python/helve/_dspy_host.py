"""What helve.dspy does on the host around a call: checks of names, JSON, and how tools get their arguments.

It needs no DSPy. Neighbours: dspy.py uses it, _dspy_guest.py is the other side.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import keyword
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

_RESERVED_NAMES = frozenset({"SUBMIT", "__builtins__"})
_DOC_CHARS = 2_000

# --- checks of what the caller gives -------------------------------------------------------------------


def named_tools(tools: Any) -> dict[str, Callable[..., Any]]:
    if tools is None:
        return {}
    if isinstance(tools, Mapping):
        return dict(tools)
    return {str(getattr(tool, "name", None) or tool.__name__): tool for tool in tools}


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


def check_tool_names(tools: Mapping[str, Any], error: type[Exception] = ValueError) -> None:
    # Names such as __dspy_call__ are taken: DSPy's own tools have them.
    invalid = [name for name in tools if not _is_name(name) or name in _RESERVED_NAMES]
    if invalid:
        raise error(f"names of tools are Python identifiers other than SUBMIT; invalid: {invalid!r}")


def check_output_fields(fields: Any, error: type[Exception] = ValueError) -> None:
    if fields is None:
        return
    names = [field.get("name") if isinstance(field, Mapping) else None for field in fields]
    if not all(_is_name(name) for name in names):
        raise error(f"names of output fields are Python identifiers; these are {names!r}")
    if len(set(names)) != len(names):
        raise error(f"names of output fields are unique; these are {names!r}")
    try:
        json.dumps(fields, allow_nan=False)
    except (TypeError, ValueError) as failure:
        raise error(f"output fields must be JSON-compatible: {failure}") from failure


def _is_variable_name(name: Any) -> bool:
    return _is_name(name) and name != "SUBMIT" and not (name.startswith("__") and name.endswith("__"))


def output_names(fields: Any) -> list[str]:
    """What SUBMIT takes, and nothing else. REQUIRES: fields that were checked."""
    return ["output"] if fields is None else [field["name"] for field in fields]


def check_variable_names(variables: Any, tools: Mapping[str, Any], error: type[Exception]) -> None:
    if not isinstance(variables, Mapping):
        raise error(f"variables is a {type(variables).__name__}; pass a dict from names to values")
    invalid = [name for name in variables if not _is_variable_name(name) or name in tools]
    if invalid:
        raise error(
            "names of variables are Python identifiers, other than SUBMIT, __names__ and the names of "
            f"tools; invalid: {invalid!r}"
        )


def check_code(code: Any, error: type[Exception]) -> None:
    if not isinstance(code, str):
        raise error(f"code is a {type(code).__name__}; pass its text")
    if "\0" in code:
        raise SyntaxError("source code cannot contain null bytes")
    try:
        code.encode("utf-8")
    except UnicodeEncodeError as failure:
        raise SyntaxError(f"source code has no UTF-8 form: {failure}") from None


# --- JSON ----------------------------------------------------------------------------------------------


def _as_json(value: Any) -> Any:
    """The JSON form of what json does not know: models, dataclasses, dates, sets, ..."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return to_jsonable_python(value)
    except PydanticSerializationError:
        raise TypeError(f"{type(value).__name__} has no JSON form") from None


def to_json(value: Any) -> str:
    text = json.dumps(value, default=_as_json, allow_nan=False, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half characters pass as escapes
        return json.dumps(value, default=_as_json, allow_nan=False)
    return text


def read_call(request: str) -> tuple[str, list[Any], dict[str, Any]]:
    call = json.loads(request)
    if not isinstance(call, dict):
        raise ValueError("a call is an object")
    name, args, kwargs = call.get("tool"), call.get("args", []), call.get("kwargs", {})
    if not isinstance(name, str) or not isinstance(args, list) or not isinstance(kwargs, dict):
        raise ValueError("a call has tool, args and kwargs")
    return name, args, kwargs


# --- tools ---------------------------------------------------------------------------------------------


def _signature(function: Any, *, is_shown: bool = False) -> inspect.Signature | None:
    try:
        return inspect.signature(getattr(function, "func", function), eval_str=is_shown)
    except (TypeError, ValueError):
        return None
    except Exception:  # an annotation that names nothing
        return _signature(function)


def bound_arguments(
    function: Any, args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Arguments in order become named ones where they can: DSPy wraps tools in functions of **kwargs."""
    signature = _signature(function) if args else None
    if signature is None:
        return args, kwargs
    names = []
    for parameter in signature.parameters.values():
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            break
        names.append(parameter.name)
    named = dict(zip(names, args))
    if len(args) > len(names) or not named.keys().isdisjoint(kwargs):
        return args, kwargs  # Python says what is wrong, or *args take them
    return [], {**named, **kwargs}


def awaited(awaitable: Awaitable[Any]) -> Any:
    """Waits for the result of an async tool, on another thread where this one has a running loop."""

    async def wait() -> Any:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["value"] = asyncio.run(wait())
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    thread.start()
    thread.join()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["value"]


def doc_of(name: str, function: Any) -> str:
    """What help(tool) shows in the sandbox: the call and the docstring."""
    signature = _signature(function, is_shown=True)
    doc = getattr(function, "desc", None) or inspect.getdoc(function) or ""
    text = f"{name}{signature if signature is not None else '(...)'}\n\n{doc}".strip()
    return text[:_DOC_CHARS]
