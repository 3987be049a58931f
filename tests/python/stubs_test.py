#!/usr/bin/env python3
"""tools.pyi says what the registry says; UPDATE_EXPECT=1 writes it anew."""

import inspect
import os
import tempfile
import typing
import unittest
from pathlib import Path

import helve

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / "src/surfaces/python/helve/tools.pyi"
HEAD = '''"""What type checkers and editors know of the tools. Made of the registry by tests/python/stubs_test.py."""

from typing import Any, Literal

from helve.replies import Reply

class ToolMethods:
'''


def type_text(annotation):
    if annotation is typing.Any:
        return "Any"
    origin = typing.get_origin(annotation)
    if origin is typing.Union:
        return " | ".join("None" if one is type(None) else type_text(one) for one in typing.get_args(annotation))
    if origin is typing.Literal:
        return f"Literal[{', '.join(repr(one) for one in typing.get_args(annotation))}]"
    if origin is not None:
        return f"{origin.__name__}[{', '.join(map(type_text, typing.get_args(annotation)))}]"
    return annotation.__name__


def parameter_text(parameter):
    text = f"{parameter.name}: {type_text(parameter.annotation)}"
    return text if parameter.default is parameter.empty else f"{text} = {parameter.default!r}"


def method_text(name, function):
    lines = [f"    def {name}(", "        self,"]
    is_named = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not is_named:
            lines.append("        *,")
            is_named = True
        lines.append(f"        {parameter_text(parameter)},")
    purpose = function.__doc__.splitlines()[0].replace("\\", "\\\\")
    return "\n".join([*lines, "    ) -> Reply:", f'        """{purpose}"""', "        ...", ""])


def stub_text():
    with tempfile.TemporaryDirectory() as folder:
        policy = helve.SafetyPolicy(read_only=False, allow_ddl=True)
        with helve.open("sample:", policy=policy, bank=Path(folder) / "bank.db") as session:
            return HEAD + "".join(method_text(name, function) for name, function in session.tools.items())


class StubsTest(unittest.TestCase):
    def test_the_stubs_are_those_of_the_registry(self):
        made = stub_text()
        if os.environ.get("UPDATE_EXPECT"):
            STUBS.write_text(made, encoding="utf-8")
        self.assertEqual(STUBS.read_text(encoding="utf-8"), made, "UPDATE_EXPECT=1 writes them anew")


if __name__ == "__main__":
    unittest.main()
