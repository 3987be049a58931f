"""The tools of a session in the forms that agent frameworks and model APIs take.

Every function takes a session first; `Session` has methods of the same names. No framework is imported
before it is used. Calls reach the forgiving binder of Helve whatever the framework would have checked:
aliases, numbers as texts and unknown arguments are no errors, and what is wrong is told to the model.
"""

from __future__ import annotations

import asyncio
import copy
import difflib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from helve.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from helve.replies import Reply
    from helve.session import Session

__all__ = [
    "as_anthropic_tools",
    "as_dspy_tools",
    "as_langchain_tools",
    "as_openai_tools",
    "call_anthropic_tool",
    "call_openai_tool",
]

Output = Literal["text", "json", "value"]
JsonObject = dict[str, Any]

# The form of a reply is what the caller of an adapter asks for, not what the model does.
_HIDDEN_PARAMETERS = frozenset({"output_format"})
_PYTHON_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_REPLY_KEYS_SHOWN = 12


# --- what frameworks are told about a tool ------------------------------------------------------------


def _field(thing: Any, key: str, otherwise: Any = None) -> Any:
    if isinstance(thing, Mapping):
        return thing.get(key, otherwise)
    return getattr(thing, key, otherwise)


def _chosen(session: Session, names: Iterable[str] | str | None) -> list[str]:
    """The names to offer, in order; NotFound with close names where one is unknown."""
    known = list(session.tools)
    if names == "all":
        return known
    if names is None:
        return [name for name in known if session.shapes[name]["is_usual"]]
    if isinstance(names, str):
        names = [names]
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name not in known:
            raise NotFound(f"there is no tool '{name}' in this session", _close_names(str(name), known))
    return chosen


def _close_names(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if close:
        return f"close names: {', '.join(close)}"
    return "list(session.tools) has the names; a policy may leave tools out"


def _plain(schema: JsonObject) -> JsonObject:
    """A parameter with its own type. That its text is taken as well needs no place in a prompt."""
    choices = schema.get("enum")
    if choices and "type" not in schema and all(isinstance(choice, str) for choice in choices):
        return {"type": "string", **schema}
    variants = schema.get("anyOf")
    if not isinstance(variants, list):
        return schema
    typed = [one for one in variants if isinstance(one, dict) and one.get("type") not in ("string", "null")]
    if len(typed) != 1:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**typed[0], **rest}


def _input_schema(session: Session, name: str) -> JsonObject:
    """The JSON Schema of a tool's arguments, as short as it can be said."""
    declared = session.input_schema(name)
    properties = {
        key: _plain(copy.deepcopy(value))
        for key, value in declared.get("properties", {}).items()
        if key not in _HIDDEN_PARAMETERS
    }
    required = [key for key in declared.get("required", []) if key in properties]
    return {"type": "object", "properties": properties, "required": required}


def _description(session: Session, name: str) -> str:
    """The purpose of a tool and the keys of its reply, in one short paragraph."""
    shape = session.shapes[name]
    keys = [returned["name"] for returned in shape["returns"]]
    text: str = shape["purpose"].strip()
    if not keys:
        return text
    more = ", ..." if len(keys) > _REPLY_KEYS_SHOWN else ""
    return f"{text} Returns {', '.join(keys[:_REPLY_KEYS_SHOWN])}{more}."


def _python_type(schema: JsonObject) -> Any:
    choices = schema.get("enum")
    if choices:
        return Literal[tuple(choices)]
    return _PYTHON_TYPES.get(str(schema.get("type")), Any)


# --- how a call gets in, and how its reply gets out ---------------------------------------------------


def _check_output(output: str, allowed: tuple[str, ...] = ("text", "json", "value")) -> None:
    if output not in allowed:
        raise InvalidInput(f"output is '{output}'", f"it is one of {', '.join(allowed)}")


def _reply_json(reply: Mapping[str, Any]) -> str:
    return json.dumps(reply, ensure_ascii=False, default=str)


def _rendered(reply: Reply, output: str) -> Any:
    if output == "value":
        return reply
    return _reply_json(reply) if output == "json" else reply.text


def _function(session: Session, name: str, render: Callable[[Reply], Any]) -> Callable[..., Any]:
    """A function of a tool for frameworks that look at signatures: all parameters, and any other name."""
    tool = session.tools[name]

    def call(*args: Any, **kwargs: Any) -> Any:
        return render(session.call(name, *args, **kwargs))

    parameters = [
        one
        for one in inspect.signature(tool).parameters.values()
        if one.name not in _HIDDEN_PARAMETERS and one.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    others = inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD, annotation=Any)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = tool.__doc__
    call.__module__ = "helve.tools"
    call.__signature__ = inspect.Signature([*parameters, others])  # type: ignore[attr-defined]
    call.__annotations__ = {
        one.name: one.annotation
        for one in [*parameters, others]
        if one.annotation is not inspect.Parameter.empty
    }
    return call


# --- DSPy ---------------------------------------------------------------------------------------------


def as_dspy_tools(
    session: Session, names: Iterable[str] | str | None = None, *, output: Output = "text", legacy: bool = False
) -> Any:
    """The tools as a list of `dspy.Tool`, for ReAct, RLM and the like.

    `names` chooses them, in that order; otherwise it is the few that the sources need most, as over MCP: the
    others are reached by call_tool. "all" is all that the policy allows. `output` is what a call returns: "text" (compact, for prompts), "json" (the structured reply as text) or "value" (the
    Reply, a dict: right for code, as in RLM).

    With `legacy` it is a dict from names to functions of the form `tool(args, kwargs)`, where `args` is a
    list, one value or None and `kwargs` a dict or None. That form needs no DSPy.
    """
    _check_output(output)
    if legacy:
        chosen = _chosen(session, "all" if names is None else names)
        return {name: _legacy_function(session, name, output) for name in chosen}
    from helve.dspy import Tool

    return [_dspy_tool(Tool, session, name, output) for name in _chosen(session, names)]


def _dspy_tool(kind: type, session: Session, name: str, output: str) -> Any:
    schema = _input_schema(session, name)
    args = schema["properties"]
    for key, property_ in args.items():
        if key not in schema["required"]:
            property_.setdefault("default", None)  # what has no default is required, to DSPy
    return kind(
        _function(session, name, lambda reply: _rendered(reply, output)),
        name=name,
        desc=_description(session, name),
        args=args,
        arg_types={key: _python_type(property_) for key, property_ in args.items()},
    )


def _legacy_function(session: Session, name: str, output: str) -> Callable[..., Any]:
    known = _parameter_names(session, name)

    def call(args: Any = None, kwargs: Mapping[str, Any] | None = None) -> Any:
        if kwargs is not None and not isinstance(kwargs, Mapping):
            raise InvalidInput(f"kwargs of {name} is a {type(kwargs).__name__}", "pass a dict or None")
        if isinstance(args, Mapping) and not kwargs and set(args) <= known:
            args, kwargs = None, args
        positional = [] if args is None else list(args) if isinstance(args, (list, tuple)) else [args]
        return _rendered(session.call(name, *positional, **dict(kwargs or {})), output)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = session.tools[name].__doc__
    return call


def _parameter_names(session: Session, name: str) -> set[str]:
    """The names of all parameters of a tool, with their aliases."""
    names = set(session.input_schema(name).get("properties", {}))
    for parameter in session.shapes[name]["parameters"]:
        names.update([parameter["name"], *parameter["aliases"]])
    return names


# --- OpenAI -------------------------------------------------------------------------------------------


def as_openai_tools(
    session: Session,
    names: Iterable[str] | str | None = None,
    *,
    api: Literal["chat", "responses"] = "chat",
    strict: bool = False,
) -> list[JsonObject]:
    """The tools as plain dicts for `tools=` of the OpenAI APIs, and of servers that speak them.

    `api` is "chat" (Chat Completions) or "responses". With `strict` every parameter is required and may
    be null, as the strict mode asks for; a tool that cannot be said so stays as it is.
    """
    if api not in ("chat", "responses"):
        raise InvalidInput(f"api is '{api}'", "it is chat or responses")
    return [_openai_tool(session, name, api, strict) for name in _chosen(session, names)]


def _openai_tool(session: Session, name: str, api: str, strict: bool) -> JsonObject:
    schema = _input_schema(session, name)
    strict_schema = _strict(schema) if strict else None
    function = {
        "name": name,
        "description": _description(session, name),
        "parameters": schema if strict_schema is None else strict_schema,
        "strict": strict_schema is not None,
    }
    return (
        {"type": "function", **function} if api == "responses" else {"type": "function", "function": function}
    )


def _strict(schema: JsonObject) -> JsonObject | None:
    """The schema in the subset of the strict mode; None where it has no form there."""
    properties: JsonObject = {}
    for key, declared in schema["properties"].items():
        kind = declared.get("type")
        items = declared.get("items", {"type": "string"})
        if kind not in _PYTHON_TYPES or kind == "object" or "type" not in items:
            return None
        is_required = key in schema["required"]
        made: JsonObject = {"type": kind if is_required else [kind, "null"]}
        if kind == "array":
            made["items"] = items
        if "enum" in declared:
            made["enum"] = [*declared["enum"], *([] if is_required else [None])]
        made["description"] = _with_default(declared, is_required)
        properties[key] = made
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _with_default(declared: JsonObject, is_required: bool) -> str:
    text = str(declared.get("description", ""))
    if is_required or declared.get("default") is None:
        return text
    return f"{text}; null: {json.dumps(declared['default'], ensure_ascii=False)}".lstrip("; ")


def call_openai_tool(session: Session, call: Any, *, output: Literal["text", "json"] = "text") -> JsonObject:
    """Runs a tool call of a model and gives the message to send back. Never raises for what the model did.

    `call` is a tool call of the OpenAI SDK (of either API), its dict, or a pair (name, arguments) whose
    arguments are a dict or JSON text. Answers `{"role": "tool", ...}`, or for calls of the Responses API
    `{"type": "function_call_output", ...}`.
    """
    _check_output(output, ("text", "json"))
    name, arguments, call_id, is_response = _read_openai_call(call)
    content, _ = _answer(session, name, arguments, output)
    if is_response:
        return {"type": "function_call_output", "call_id": call_id, "output": content}
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _read_openai_call(call: Any) -> tuple[str, Any, str, bool]:
    """Name, arguments, id, and whether the call is one of the Responses API."""
    if isinstance(call, (tuple, list)) and len(call) == 2:
        return str(call[0]), call[1], "", False
    function = _field(call, "function")
    if function is not None and _field(function, "name") is not None:
        return (
            str(_field(function, "name")),
            _field(function, "arguments"),
            str(_field(call, "id") or ""),
            False,
        )
    if _field(call, "name") is not None:
        call_id = _field(call, "call_id")
        return (
            str(_field(call, "name")),
            _field(call, "arguments"),
            str(call_id or _field(call, "id") or ""),
            call_id is not None,
        )
    raise InvalidInput(
        f"a {type(call).__name__} is no tool call",
        "pass an item of message.tool_calls, a function_call item of response.output, its dict, "
        "or (name, arguments)",
    )


def _answer(session: Session, name: str, arguments: Any, output: str) -> tuple[str, bool]:
    """What the model is told, and whether it is an error."""
    given = _read_arguments(arguments)
    try:
        reply = session.call_with(name, given)
    except InvalidInput:  # half characters and the like: as JSON they come to the tool, which says what is wrong
        reply = session.call_with(name, json.dumps(given, default=str))
    return _rendered(reply, output), bool(reply.is_error)


def _read_arguments(arguments: Any) -> JsonObject | str:
    """The arguments that a model sent. Text that is no JSON stays text: the reply says how to mend it."""
    if isinstance(arguments, (bytes, bytearray)):
        arguments = bytes(arguments).decode("utf-8", "replace")
    if isinstance(arguments, str):
        try:
            read = json.loads(arguments, strict=False)  # line ends inside of texts are understood
        except (ValueError, RecursionError):
            return arguments
        if not isinstance(read, dict):
            return arguments
        arguments = read
    if isinstance(arguments, Mapping):
        # The strict mode sends null for what is left out.
        return {str(key): value for key, value in arguments.items() if value is not None}
    return {} if arguments is None else json.dumps(arguments, default=str)


# --- Anthropic ----------------------------------------------------------------------------------------


def as_anthropic_tools(session: Session, names: Iterable[str] | str | None = None) -> list[JsonObject]:
    """The tools as plain dicts for `tools=` of the Anthropic Messages API."""
    return [
        {
            "name": name,
            "description": _description(session, name),
            "input_schema": _input_schema(session, name),
        }
        for name in _chosen(session, names)
    ]


def call_anthropic_tool(
    session: Session, block: Any, *, output: Literal["text", "json"] = "text"
) -> JsonObject:
    """Runs a `tool_use` block (an object of the SDK, or its dict) and gives the `tool_result` block."""
    _check_output(output, ("text", "json"))
    name = _field(block, "name")
    if name is None:
        raise InvalidInput(
            f"a {type(block).__name__} is no tool_use block",
            "pass a block of message.content whose type is tool_use, or its dict",
        )
    content, is_error = _answer(session, str(name), _field(block, "input"), output)
    return {
        "type": "tool_result",
        "tool_use_id": str(_field(block, "id") or ""),
        "content": content,
        "is_error": is_error,
    }


# --- LangChain ----------------------------------------------------------------------------------------


def as_langchain_tools(
    session: Session, names: Iterable[str] | str | None = None, *, output: Literal["text", "json"] = "text"
) -> list[Any]:
    """The tools as a list of LangChain's `StructuredTool`, for agents and for `bind_tools`.

    The content of a call is the compact text, or the structured reply as JSON text; the artifact of its
    message is the Reply. Errors are replies that the model reads, never exceptions. `ainvoke` runs the
    tool on a thread.
    """
    _check_output(output, ("text", "json"))
    kind = _langchain_class()
    return [_langchain_tool(kind, session, name, output) for name in _chosen(session, names)]


def _langchain_class() -> type:
    try:
        from langchain_core.tools import StructuredTool
    except ImportError as error:
        raise ImportError(
            "as_langchain_tools needs langchain-core: pip install 'helve[langchain]'"
        ) from error

    class HelveTool(StructuredTool):
        """A tool of Helve. A single text is its first argument, as older agents pass it."""

        def _parse_input(self, tool_input: Any, tool_call_id: str | None) -> Any:
            return tool_input

    return HelveTool


def _langchain_tool(kind: type, session: Session, name: str, output: str) -> Any:
    def render(reply: Reply) -> tuple[str, Reply]:
        return _rendered(reply, output), reply

    function = _function(session, name, render)

    async def coroutine(*args: Any, **kwargs: Any) -> tuple[str, Reply]:
        return await asyncio.to_thread(function, *args, **kwargs)

    coroutine.__name__ = name
    return kind(
        name=name,
        description=_description(session, name),
        args_schema=_input_schema(session, name),
        func=function,
        coroutine=coroutine,
        response_format="content_and_artifact",
    )
