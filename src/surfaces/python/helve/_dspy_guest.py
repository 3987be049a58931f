"""The guest's side of helve.dspy: it runs inside of the sandbox, and never on the host.

helve/dspy.py sends it as text. Nothing here protects anything: code of the session can reach and change
all of it, and the host believes nothing that comes from it. `host` (sends a text to the host and gives
its answer) and `hand_in` (ends the block with an answer) are set before it runs. CPython 3.9 is enough.
"""

import builtins
import json
import sys

host = globals()["host"]
hand_in = globals()["hand_in"]
scope = sys.modules["__main__"].__dict__
bound = {}  # the tools, by name
fields = None  # of SUBMIT


def as_json(value):
    """The JSON form of what json does not know."""
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except TypeError:
            return list(value)
    for method in ("isoformat", "tolist"):
        form = getattr(value, method, None)
        if callable(form) and not isinstance(value, type):
            return form()
    if type(value).__name__ == "Decimal":
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def encode(value):
    return json.dumps(value, default=as_json, allow_nan=False)


def begin():
    """What holds from now on: tools, fields of SUBMIT and variables."""
    global fields
    request = json.loads(scope.pop("helve_request"))
    if type(scope.get("__builtins__")) is dict:  # they were mended
        scope["__builtins__"] = builtins
    fields = request["fields"]
    names = {tool["name"] for tool in request["tools"]}
    for name, function in list(bound.items()):
        if name not in names:
            del bound[name]
            if scope.get(name) is function:
                del scope[name]
    for tool in request["tools"]:
        if tool["name"] not in bound or bound[tool["name"]].__doc__ != tool["doc"]:
            bound[tool["name"]] = make_tool(tool["name"], tool["doc"])
    scope.update(bound)
    scope["SUBMIT"] = SUBMIT
    scope.update(request["variables"])


def make_tool(name, doc):
    def tool(*args, **kwargs):
        return ask(name, args, kwargs)

    tool.__name__ = tool.__qualname__ = name
    tool.__module__ = "__main__"
    tool.__doc__ = doc
    return tool


def ask(name, args, kwargs):
    try:
        text = encode({"tool": name, "args": args, "kwargs": kwargs})
    except (TypeError, ValueError) as error:
        raise type(error)(f"arguments of {name}() must be JSON-compatible: {error}") from None
    try:
        answer = json.loads(host(text))
    except Exception as error:  # a limit of the sandbox
        raise RuntimeError(f"{name}(): {error}") from None
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["value"]


def SUBMIT(*values, **named):
    """Hands in the final output and ends the execution."""
    known = [{"name": "output"}] if fields is None else fields
    names = [field["name"] for field in known]
    wanted = f"SUBMIT takes {', '.join(names) or 'nothing'}"
    if is_all_in_one(values, named, known):
        values, named = (), values[0]
    if len(values) > len(names):
        raise TypeError(f"{wanted}; {len(values)} values were given")
    output = dict(zip(names, values))
    for name, value in named.items():
        if name not in names:
            raise TypeError(f"{wanted}; there is no '{name}'")
        if name in output:
            raise TypeError(f"{wanted}; '{name}' was given twice")
        output[name] = value
    missing = [name for name in names if name not in output]
    if missing:
        raise TypeError(f"{wanted}; {', '.join(missing)} is missing")
    for field in known:
        check_type(field["name"], field.get("type"), output[field["name"]])
    try:
        text = encode(output)
    except (TypeError, ValueError) as error:
        raise type(error)(f"SUBMIT takes JSON-compatible values: {error}") from None
    try:
        hand_in(answer=text)
    except Exception as error:  # a limit of the sandbox; the end of the block is no Exception
        raise RuntimeError(f"SUBMIT: {error}") from None


def is_all_in_one(values, named, known):
    """Whether SUBMIT got one dict that has all fields."""
    if fields is None or named or len(values) != 1 or type(values[0]) is not dict:
        return False
    if len(known) == 1 and known[0].get("type") in (None, "dict"):
        return False
    return set(values[0]) == {field["name"] for field in known}


# What can become a value of the declared type. Texts can be read as any of them.
CONVERTIBLE = {
    "int": (int, float),
    "float": (int, float),
    "bool": (bool, int),
    "list": (list, tuple, set, frozenset),
    "dict": (dict,),
}


def check_type(name, kind, value):
    allowed = CONVERTIBLE.get(kind)
    if allowed is None or isinstance(value, allowed + (str,)):
        return
    if type(value).__module__.split(".")[0] == "numpy":
        return
    raise TypeError(f"SUBMIT: '{name}' must be {kind}, not {type(value).__name__}")


def finish():
    """Leaves the value of the last expression, which is there, for the host to read: itself, or its repr."""
    value = scope.get("helve_result")
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(repr(value))
    scope["helve_result"] = text


def forget():
    scope.pop("helve_result", None)
    scope.pop("_", None)
