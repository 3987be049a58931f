"""Python functions as models: what they may answer, and how the program asks them.

A model is a function that takes one dict and returns a text or a dict:

    {"system": str,
     "messages": [{"role": "user" | "assistant" | "tool", "text": str,
                   "calls": [{"id": str, "name": str, "arguments": dict}],
                   "call_id": str, "is_error": bool}],
     "tools": [{"name": str, "description": str, "input_schema": dict}],
     "output_tokens_max": int}

    {"text": str, "reasoning": str, "calls": [{"name": str, "arguments": dict}],
     "input_tokens": int, "output_tokens": int, "cost": float, "model": str}

Of the answer everything may be left out.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import math
import re
from typing import Any, Callable, Iterator, Mapping

from helve.errors import HelveError, InvalidInput
from helve.model_server import KEY_NAME, ModelServer

__all__ = ["Model", "KEY_NAME", "normalise_answer", "serve", "served_options"]

Model = Callable[[dict[str, Any]], Any]

_CALLS_MAX = 128
_TEXTS = ("text", "reasoning", "model")
_COUNTS = ("input_tokens", "output_tokens")
_MEMBERS = (*_TEXTS, "calls", *_COUNTS, "cost")


def normalise_answer(value: Any) -> dict[str, Any]:
    """What a function answered, with all members of an answer.

    Texts that were left out are "", calls [], and counts and cost None. InvalidInput says what
    cannot be used.
    """
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        raise InvalidInput(f"the model returned {_shown(value)}",
                           "return a text, or a dict with text or calls")
    for name in value:
        if name not in _MEMBERS:
            near = difflib.get_close_matches(str(name), _MEMBERS, n=1)
            raise InvalidInput(f"the answer of the model has an unknown member {name!r}",
                               f"did you mean {near[0]!r}?" if near else "it may have " + ", ".join(_MEMBERS))
    answer: dict[str, Any] = {name: _text_of(value, name) for name in _TEXTS}
    answer["calls"] = _calls_of(value.get("calls"))
    answer.update({name: _count_of(value, name) for name in _COUNTS})
    answer["cost"] = _cost_of(value.get("cost"))
    return answer


def _text_of(value: Mapping[str, Any], name: str) -> str:
    text = value.get(name)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise InvalidInput(f"{name} of the model's answer is {_shown(text)}", "give a text")
    _check_characters(text, f"{name} of the model's answer")
    return text


def _check_characters(text: str, name: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{name} has U+{ord(text[error.start]):04X}, half of a character",
                           "take it out, or decode the text with errors='replace'") from None


def _count_of(value: Mapping[str, Any], name: str) -> int | None:
    count = value.get(name)
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise InvalidInput(f"{name} of the model's answer is {_shown(count)}",
                           "give a whole number, or leave it out")
    return count


def _cost_of(cost: Any) -> float | None:
    if cost is None:
        return None
    if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not math.isfinite(cost) or cost < 0:
        raise InvalidInput(f"cost of the model's answer is {_shown(cost)}", "give a number, or leave it out")
    return float(cost)


def _calls_of(calls: Any) -> list[dict[str, Any]]:
    if calls is None:
        return []
    if not isinstance(calls, (list, tuple)):
        raise InvalidInput(f"calls of the model's answer are {_shown(calls)}",
                           "give a list of {name, arguments}")
    if len(calls) > _CALLS_MAX:
        raise InvalidInput(f"the model made {len(calls)} calls at once", f"{_CALLS_MAX} are allowed")
    return [_call_of(call, number) for number, call in enumerate(calls, 1)]


def _call_of(call: Any, number: int) -> dict[str, Any]:
    if not isinstance(call, Mapping):
        raise InvalidInput(f"call {number} of the model is {_shown(call)}", "give {name, arguments}")
    name = call.get("name")
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"call {number} of the model has no name", "name a tool of the request")
    _check_characters(name, f"the name of call {number} of the model")
    for member in call:
        if member not in ("id", "name", "arguments"):
            raise InvalidInput(f"call {number} of the model has an unknown member {member!r}",
                               "it may have id, name and arguments")
    id = call.get("id")
    if id is not None and not isinstance(id, str):
        raise InvalidInput(f"the id of call {number} of the model is {_shown(id)}", "give a text, or none")
    _check_characters(id or "", f"the id of call {number} of the model")
    return {"id": id or "", "name": name, "arguments": _arguments_of(call.get("arguments"), number)}


def _arguments_of(arguments: Any, number: int) -> dict[str, Any]:
    if arguments is None:
        return {}
    if isinstance(arguments, str):  # as clients of models give them
        try:
            arguments = json.loads(arguments)
        except ValueError:
            raise InvalidInput(f"the arguments of call {number} of the model are no JSON",
                               "give a dict") from None
    if not isinstance(arguments, Mapping):
        raise InvalidInput(f"the arguments of call {number} of the model are {_shown(arguments)}",
                           "give a dict")
    try:
        text = json.dumps(dict(arguments), allow_nan=False, ensure_ascii=False)
        _check_characters(text, f"an argument of call {number} of the model")
        return json.loads(text)
    except InvalidInput:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"the arguments of call {number} of the model are no JSON: {error}",
                           "use texts, numbers, truths, lists and dicts") from None


def _shown(value: Any) -> str:
    text = repr(value)
    if value is None:
        return "None"
    return f"{type(value).__name__} {text[:80]}{'…' if len(text) > 80 else ''}"


@contextlib.contextmanager
def serve(
    model: Model | Mapping[str, Model], *, port: int = 0, quiet: float = 30.0
) -> Iterator[ModelServer]:
    """Serves a function, or several by their names, to programs of this machine that have the key.

    The server speaks Chat Completions at `server.url`, and wants the key that `server.env` has under
    the name `server.key_name`: give these variables to the child alone. Functions are called on
    threads of the server, several at once where several requests come. It ends with the block; a
    function that is still running then is not waited for. A slow answer is preceded by a blank after
    each `quiet` seconds, so that nobody takes the server for dead.
    """
    models = dict(model) if isinstance(model, Mapping) else {name_of(model): model}
    server = ModelServer(models, normalise_answer, port=port, quiet=quiet)
    with server:
        yield server


def name_of(model: Model) -> str:
    """What a function is called as a model: the same in every process, as records name it."""
    name = getattr(model, "__qualname__", "") or type(model).__qualname__
    module = getattr(model, "__module__", "") or ""
    return "python:" + re.sub(r"[^A-Za-z0-9_.-]+", "_", f"{module}.{name}" if module else name)


# Where a function may stand, and how the command line is told of its server.
_KEY = f"env:{KEY_NAME}"
_ROLES: dict[str, Callable[[str, str], dict[str, str | None]]] = {
    "model": lambda name, url: {"provider": "chat", "model": name, "url": url, "key": _KEY},
    "judge_model": lambda name, url: {"judge_model": f"chat:{name}@{url}", "judge_key": _KEY},
    "extract_model": lambda name, url: {"extract_model": f"chat:{name}@{url}", "extract_key": _KEY},
    "sub_model": lambda name, url: {
        "sub_model": None, "sub_provider": f"chat:{name}@{url}", "sub_key": _KEY
    },
}
_OF_SERVERS = {
    "model": ("provider", "url", "key", "model_config", "script"),
    "judge_model": ("judge_key",),
    "extract_model": ("extract_key",),
    "sub_model": ("sub_provider", "sub_url", "sub_key"),
}


@contextlib.contextmanager
def served_options(
    options: Mapping[str, Any], *, port: int = 0
) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Options with functions as models, as the command line takes them, and variables for it.

    Where the work in the block fails after a function has raised something, that is the cause of the
    error, and its message says so.
    """
    functions = {role: options[role] for role in _ROLES if callable(options.get(role))}
    if not functions:
        yield dict(options), {}
        return
    names = _names(functions)
    for role in functions:
        for other in _OF_SERVERS[role]:
            if options.get(other) is not None:
                raise TypeError(f"{role} is a function: {other} is not for it")
    with serve({names[role]: function for role, function in functions.items()}, port=port) as server:
        settled = dict(options)
        for role in functions:
            settled.update(_ROLES[role](names[role], server.url))
        try:
            yield settled, server.env
        except Exception as error:
            if server.error is None or error.__cause__ is not None:
                raise
            _tell_reason(error, server, names)
            raise error from server.error


def _tell_reason(error: Exception, server: ModelServer, names: Mapping[str, str]) -> None:
    """Puts what the function did wrong into the message, instead of what a server of ours answered."""
    if not isinstance(error, HelveError) or error.code in ("cancelled", "limit_exceeded"):
        return
    roles = [role for role, name in names.items() if name == server.failed]
    who = roles[0] if len(roles) == 1 and roles[0] != "model" else "the model"
    reason = f"{who} {server.failure}" if server.failure.startswith("raised ") else server.failure
    is_ours = "127.0.0.1:" in error.message or "ended with status" in error.message
    error.message = reason if is_ours else f"{error.message}; {reason}"
    error.hint = "" if is_ours else error.hint
    error.args = (error.message, error.hint)


def _names(functions: Mapping[str, Model]) -> dict[str, str]:
    """A name for each role; two functions never share one."""
    names: dict[str, str] = {}
    for role, function in functions.items():
        name = name_of(function)
        taken = any(names[other] == name and functions[other] is not function for other in names)
        names[role] = f"{name}.{role}" if taken else name
    return names
