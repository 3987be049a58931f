"""A Python session as one would write it without a sandbox: JSON lines on standard input and output. Neighbour: ../sandbox_cost.cc."""

import ast
import json
import sys

SCOPE = {}


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def add(a, b):
    say({"call": "add", "arguments": {"a": a, "b": b}})
    return json.loads(sys.stdin.readline())["value"]


def execute(code):
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<block>", "exec"), SCOPE)
    return repr(eval(compile(last, "<block>", "eval"), SCOPE)) if last else ""


SCOPE["add"] = add
say({"ready": True})
for line in sys.stdin:
    asked = json.loads(line)
    if "set" in asked:
        SCOPE[asked["set"]] = asked["value"]
        say({"value": ""})
    elif "get" in asked:
        say({"value": SCOPE[asked["get"]]})
    else:
        say({"value": execute(asked["code"])})
