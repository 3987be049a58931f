"""Tools for frameworks, as far as that needs none: the older mapping, OpenAI and Anthropic."""

from __future__ import annotations

import json
import sys
import types
import unittest
from typing import Any
from unittest import mock

import helve

MOONS = "SELECT (COUNT(?moon) AS ?moons) { ?moon sol:orbits body:Saturn }"


class AdapterTest(unittest.TestCase):
    session: helve.Session

    @classmethod
    def setUpClass(cls) -> None:
        cls.session = helve.open("sample:")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.session.close()


class LegacyTest(AdapterTest):
    def setUp(self) -> None:
        self.tools = self.session.as_dspy_tools(legacy=True)

    def test_all_tools_by_name(self) -> None:
        self.assertIsInstance(self.tools, dict)
        self.assertEqual(list(self.tools), list(self.session.tools))
        chosen = self.session.as_dspy_tools(["sparql_query", "sparql_find"], legacy=True)
        self.assertEqual(list(chosen), ["sparql_query", "sparql_find"])
        self.assertEqual(list(self.session.as_dspy_tools("sparql_find", legacy=True)), ["sparql_find"])

    def test_forms_of_arguments(self) -> None:
        query = self.tools["sparql_query"]
        for args, kwargs in [
            ([MOONS], None),
            ([MOONS], {}),
            (MOONS, None),
            ((MOONS,), {"limit": "5"}),
            (None, {"query": MOONS}),
            ([], {"sparql": MOONS}),
            ([MOONS, 5], None),
            ({"q": MOONS}, None),
            ({"query": MOONS}, {}),
        ]:
            with self.subTest(args=args, kwargs=kwargs):
                self.assertIn("32", query(args, kwargs))
        self.assertIn("32", query(MOONS))
        self.assertIn("needs query", query())
        self.assertIn("needs query", query(None, None))

    def test_a_dict_may_be_a_value(self) -> None:
        reply = self.session.as_dspy_tools(legacy=True, output="value")["call_tool"](
            ["sparql_query", {"query": MOONS}], None
        )
        self.assertFalse(reply.is_error, reply.text)

    def test_a_parameter_may_be_called_name(self) -> None:
        self.assertIn("# Explore a graph", self.tools["read_skill"](None, {"name": "explore-a-graph"}))

    def test_outputs(self) -> None:
        as_json = self.session.as_dspy_tools(legacy=True, output="json")["sparql_query"]
        self.assertEqual(json.loads(as_json([MOONS], None))["columns"], ["moons"])
        value = self.session.as_dspy_tools(legacy=True, output="value")["sparql_query"]
        self.assertIsInstance(value([MOONS], None), helve.Reply)
        with self.assertRaisesRegex(helve.InvalidInput, "text, json, value"):
            self.session.as_dspy_tools(legacy=True, output="xml")

    def test_what_is_wrong(self) -> None:
        with self.assertRaisesRegex(helve.NotFound, "sparql_query"):
            self.session.as_dspy_tools(["sparql_qery"], legacy=True)
        with self.assertRaises(helve.InvalidInput):
            self.tools["sparql_query"]([], "kwargs")
        self.assertIn("invalid_input", self.tools["sparql_query"](["SELECT * {"], None))

    def test_they_keep_their_session(self) -> None:
        self.assertIn("32", helve.open("sample:").as_dspy_tools(legacy=True)["sparql_query"]([MOONS], None))


class PolicyTest(unittest.TestCase):
    def test_only_what_the_policy_allows(self) -> None:
        with helve.open("sample:", policy={"allowed_tools": ["sparql_find"]}) as session:
            allowed = list(session.tools)
            self.assertIn("sparql_find", allowed)
            self.assertNotIn("sparql_query", allowed)
            self.assertEqual([tool["name"] for tool in session.as_anthropic_tools()], allowed)
            self.assertEqual([tool["function"]["name"] for tool in session.as_openai_tools()], allowed)
            with self.assertRaises(helve.NotFound):
                session.as_openai_tools(["sparql_query"])
            self.assertIn("error", session.call_openai_tool(("sparql_query", {"query": MOONS}))["content"])


class OpenAiTest(AdapterTest):
    def test_chat_and_responses(self) -> None:
        (chat,) = self.session.as_openai_tools(["sparql_query"])
        (response,) = self.session.as_openai_tools(["sparql_query"], api="responses")
        self.assertEqual(
            chat,
            {
                "type": "function",
                "function": {key: value for key, value in response.items() if key != "type"},
            },
        )
        self.assertEqual(response["type"], "function")
        self.assertIs(response["strict"], False)  # the Responses API would take it as true
        parameters = response["parameters"]
        self.assertEqual(parameters["required"], ["query"])
        self.assertEqual(parameters["properties"]["limit"]["type"], "integer")
        self.assertEqual(parameters["properties"]["limit"]["default"], 100)
        self.assertNotIn("output_format", parameters["properties"])
        self.assertIn("Returns", response["description"])
        with self.assertRaises(helve.InvalidInput):
            self.session.as_openai_tools(api="assistants")

    def test_all_are_plain_json(self) -> None:
        for strict in (False, True):
            for tool in self.session.as_openai_tools(strict=strict):
                self.assertEqual(json.loads(json.dumps(tool)), tool)
                self.assertRegex(tool["function"]["name"], r"^[a-zA-Z0-9_-]{1,64}$")
                self.assertLess(len(tool["function"]["description"]), 1024)

    def test_strict(self) -> None:
        (tool,) = self.session.as_openai_tools(["sparql_find"], strict=True)
        self.assertIs(tool["function"]["strict"], True)
        parameters = tool["function"]["parameters"]
        self.assertIs(parameters["additionalProperties"], False)
        self.assertEqual(parameters["required"], list(parameters["properties"]))
        self.assertEqual(parameters["properties"]["pattern"]["type"], "string")
        kind = parameters["properties"]["kind"]
        self.assertEqual(kind["type"], ["string", "null"])
        self.assertEqual(kind["enum"], ["any", "class", "property", "instance", None])
        self.assertIn('null: "any"', kind["description"])
        (open_ended,) = self.session.as_openai_tools(["call_tool"], strict=True)
        self.assertIs(open_ended["function"]["strict"], False)  # it takes any object

    def test_forms_of_calls(self) -> None:
        arguments = json.dumps({"query": MOONS})
        function = types.SimpleNamespace(name="sparql_query", arguments=arguments)
        for call in (
            types.SimpleNamespace(id="1", type="function", function=function),
            {"id": "1", "type": "function", "function": {"name": "sparql_query", "arguments": arguments}},
            {"id": "1", "function": {"name": "sparql_query", "arguments": {"query": MOONS}}},
        ):
            message = self.session.call_openai_tool(call)
            self.assertEqual(
                {key: message[key] for key in ("role", "tool_call_id")}, {"role": "tool", "tool_call_id": "1"}
            )
            self.assertIn("32", message["content"])
        for call in (
            types.SimpleNamespace(
                id="fc", call_id="2", type="function_call", name="sparql_query", arguments=arguments
            ),
            {
                "type": "function_call",
                "id": "fc",
                "call_id": "2",
                "name": "sparql_query",
                "arguments": arguments,
            },
        ):
            message = self.session.call_openai_tool(call)
            self.assertEqual((message["type"], message["call_id"]), ("function_call_output", "2"))
            self.assertIn("32", message["output"])
        for pair in (
            ("sparql_query", arguments),
            ("sparql_query", {"query": MOONS}),
            ["sparql_query", arguments.encode()],
        ):
            self.assertIn("32", self.session.call_openai_tool(pair)["content"])
        self.assertEqual(
            json.loads(self.session.call_openai_tool(("sparql_query", arguments), output="json")["content"])[
                "columns"
            ],
            ["moons"],
        )

    def test_what_models_write_is_understood(self) -> None:
        for arguments in (
            '{"sparql": ' + json.dumps(MOONS) + ', "limit": "5"}',
            json.dumps({"query": MOONS, "limit": None, "source": None}),
            json.dumps(json.dumps({"query": MOONS})),
            json.dumps([MOONS]),
            '{"query": "' + MOONS.replace("{", "{\n\t") + '"}',
        ):
            with self.subTest(arguments=arguments):
                self.assertIn("32", self.session.call_openai_tool(("sparql_query", arguments))["content"])

    def test_malformed_arguments_are_answered(self) -> None:
        for arguments in (
            '{"query": "SELECT',
            "{'query': 'x'}",
            "SELECT * {}",
            '{"query": "x",}',
            '{"query": "x"} }',
            "{" * 5000,
            "[" * 100_000,
            '{"query": "\ud800"}',
            "nan",
            "5",
            b"\xff\xfe",
        ):
            with self.subTest(arguments=arguments[:40]):
                message = self.session.call_openai_tool(
                    {"id": "1", "function": {"name": "sparql_query", "arguments": arguments}}
                )
                self.assertEqual(message["tool_call_id"], "1")
                self.assertRegex(message["content"], r"^error \((invalid_input|limit_exceeded)\): ")
                self.assertIn("hint: ", message["content"])
        missing = self.session.call_openai_tool(("sparql_query", ""))["content"]
        self.assertIn("needs query", missing)
        self.assertIn(
            "did you mean sparql_query", self.session.call_openai_tool(("sparql_qery", "{}"))["content"]
        )

    def test_what_is_no_call(self) -> None:
        for call in (None, 5, "sparql_query", {}, {"function": {}}, object()):
            with self.subTest(call=call), self.assertRaises(helve.InvalidInput):
                self.session.call_openai_tool(call)
        with self.assertRaises(helve.InvalidInput):
            self.session.call_openai_tool(("sparql_query", {}), output="value")


class AnthropicTest(AdapterTest):
    def test_tools(self) -> None:
        for tool in self.session.as_anthropic_tools():
            self.assertEqual(set(tool), {"name", "description", "input_schema"})
            self.assertEqual(tool["input_schema"]["type"], "object")
            self.assertEqual(json.loads(json.dumps(tool)), tool)

    def test_calls(self) -> None:
        for block in (
            types.SimpleNamespace(
                type="tool_use", id="t1", name="sparql_query", input={"query": MOONS, "limit": "5"}
            ),
            {"type": "tool_use", "id": "t1", "name": "sparql_query", "input": {"sparql": MOONS}},
            {"type": "tool_use", "id": "t1", "name": "sparql_query", "input": json.dumps({"query": MOONS})},
        ):
            result = self.session.call_anthropic_tool(block)
            self.assertEqual(
                (result["type"], result["tool_use_id"], result["is_error"]), ("tool_result", "t1", False)
            )
            self.assertIn("32", result["content"])

    def test_errors(self) -> None:
        for given in ({"query": "SELECT * {"}, {}, None, '{"query"', ["SELECT"]):
            with self.subTest(given=given):
                result = self.session.call_anthropic_tool({"id": "t", "name": "sparql_query", "input": given})
                self.assertIs(result["is_error"], True)
                self.assertIn("error (invalid_input)", result["content"])
        self.assertTrue(
            self.session.call_anthropic_tool({"id": "t", "name": "nothing", "input": {}})["is_error"]
        )
        with self.assertRaises(helve.InvalidInput):
            self.session.call_anthropic_tool({"type": "text", "text": "hello"})


class MissingFrameworkTest(AdapterTest):
    """No framework is imported before it is used; a missing one is told with the command that installs it."""

    def missing(self, name: str) -> Any:
        return mock.patch.dict(sys.modules, {name: None})

    def test_dspy(self) -> None:
        with self.missing("dspy"), self.missing("helve.dspy"):
            del sys.modules["helve.dspy"]
            with self.assertRaisesRegex(ImportError, r"pip install 'helve\[dspy\]'"):
                self.session.as_dspy_tools()
            self.assertTrue(self.session.as_dspy_tools(legacy=True))

    def test_langchain(self) -> None:
        with self.missing("langchain_core"), self.missing("langchain_core.tools"):
            with self.assertRaisesRegex(ImportError, r"pip install 'helve\[langchain\]'"):
                self.session.as_langchain_tools()

    def test_nothing_is_imported_early(self) -> None:
        import helve.adapters  # noqa: F401

        loaded = {name.split(".")[0] for name in sys.modules}
        self.assertFalse(loaded & {"dspy", "langchain_core", "openai", "anthropic", "pydantic"})


if __name__ == "__main__":
    unittest.main()
