"""Tools as Python functions: real names, signatures, types and documents, made of the registry."""

from __future__ import annotations

import datetime
import decimal
import inspect
import json
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Optional

from helve.errors import InvalidInput
from helve.handles import Handle
from helve.replies import Reply

if TYPE_CHECKING:
    from helve.session import Session

# What every tool takes; given by name only.
COMMON = ("max_chars", "output_format", "source")

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict[str, Any],
    "handle": str,
    "any": Any,
}

ToolFunction = Callable[..., Reply]


class ToolTemplate:
    """All of a tool's function but the session that it calls: made once, for it takes the longest."""

    def __init__(self, shape: Mapping[str, Any]) -> None:
        parameters = _parameters(shape)
        self.name: str = shape["name"]
        self.document = document(shape)
        self.positional = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
        own = [one for one in shape["parameters"] if one["name"] == (self.positional or [""])[0]]
        self.has_list = bool(own) and own[0]["type"] in ("array", "any")
        self.annotations = {one.name: one.annotation for one in parameters} | {"return": Reply}
        self.signature = inspect.Signature(parameters, return_annotation=Reply)

    def bind(self, session: Session) -> ToolFunction:
        """The function. It takes positional and named arguments, names by all their aliases, and keeps the session."""
        name, positional, has_list = self.name, self.positional, self.has_list

        def tool(*args: Any, **kwargs: Any) -> Reply:
            if len(args) == 2 and not kwargs and not has_list:
                _check_old_form(name, *args)
            return session.call_with(name, _named(name, positional, args, kwargs))

        tool.__name__ = tool.__qualname__ = name
        tool.__module__ = "helve.tools"
        tool.__doc__ = self.document
        tool.__annotations__ = dict(self.annotations)
        tool.__signature__ = self.signature  # type: ignore[attr-defined]
        return tool


def document(shape: Mapping[str, Any]) -> str:
    """The text of a tool: what it is for, what it takes, what it gives."""
    lines = [shape["purpose"], "", "Parameters:"]
    lines += [f"    {one['name']}: {_line_of(one)}" for one in shape["parameters"]]
    if shape["returns"]:
        lines += ["", "Returns a dict:"]
        lines += [f"    {one['name']}{'?' if one['is_optional'] else ''}: {one['doc']}" for one in shape["returns"]]
    return "\n".join(lines)


def _line_of(parameter: Mapping[str, Any]) -> str:
    line: str = parameter["doc"]
    if parameter["choices"]:
        line += f" ({', '.join(parameter['choices'])})"
    if parameter["aliases"]:
        line += f"; also: {', '.join(parameter['aliases'])}"
    return line


def _parameters(shape: Mapping[str, Any]) -> list[inspect.Parameter]:
    own = [one for one in shape["parameters"] if one["name"] not in COMMON]
    common = [one for one in shape["parameters"] if one["name"] in COMMON]
    own.sort(key=lambda one: not one["is_required"])  # stable: Python wants the required ones first
    return ([_parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD) for one in own]
            + [_parameter(one, inspect.Parameter.KEYWORD_ONLY) for one in common])


def _parameter(shape: Mapping[str, Any], kind: Any) -> inspect.Parameter:
    annotation = _type_of(shape)
    default: Any = inspect.Parameter.empty
    if shape["otherwise"] is not None:
        default = json.loads(shape["otherwise"])
    elif not shape["is_required"]:
        default = None
        annotation = Optional[annotation]
    return inspect.Parameter(shape["name"], kind, default=default, annotation=annotation)


def _type_of(shape: Mapping[str, Any]) -> Any:
    if shape["choices"]:
        return Literal[tuple(shape["choices"])]
    if shape["type"] == "array":
        return list[str] if shape["items"] == "string" else list[Any]
    return _TYPES[shape["type"]]


def _check_old_form(tool: str, args: Any, kwargs: Any) -> None:
    if isinstance(args, (list, tuple)) and (kwargs is None or isinstance(kwargs, Mapping)):
        raise TypeError(f"{tool}(args, kwargs) is the older form: session.as_dspy_tools(legacy=True) has functions of it")


def _named(tool: str, positional: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    if len(args) > len(positional):
        raise TypeError(f"{tool}() takes {len(positional)} positional arguments but {len(args)} were given")
    named: dict[str, Any] = dict(zip(positional, args))
    for name, value in kwargs.items():
        if name in named:
            raise TypeError(f"{tool}() got multiple values for argument '{name}'")
        named[name] = value
    return {name: value for name, value in named.items() if value is not None}


def arguments_json(arguments: Mapping[str, Any]) -> str:
    """Arguments as JSON. Handles are their keys; dates, paths and numbers of other kinds are what they look like."""
    plain = {name: _plain(value) for name, value in arguments.items()}
    try:
        return json.dumps(plain, default=_other, allow_nan=False, ensure_ascii=False)
    except ValueError as failure:  # nan, inf, a list that is inside of itself
        raise InvalidInput(f"an argument cannot be used: {failure}", "numbers are finite") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Handle):
        return value.key
    if isinstance(value, Reply) and value.handle is not None:
        return value.handle.key
    return value


def _other(value: Any) -> Any:
    if isinstance(value, Handle):
        return value.key
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "model_dump"):  # pydantic
        return value.model_dump()
    if hasattr(value, "item") and callable(value.item):  # a number of numpy
        return value.item()
    raise TypeError(f"an argument of a tool cannot be a {type(value).__name__}")
