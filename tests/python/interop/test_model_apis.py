"""The dicts for the OpenAI and Anthropic APIs, against JSON Schema and the objects of the SDK."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

import helve

openai_types = pytest.importorskip("openai.types.chat")  # comes with dspy
responses_types = pytest.importorskip("openai.types.responses")
MOONS = "SELECT (COUNT(?moon) AS ?moons) { ?moon sol:orbits body:Saturn }"


def objects_of(schema: Any) -> list[dict[str, Any]]:
    """All schemas of objects in a schema."""
    if isinstance(schema, list):
        return [one for item in schema for one in objects_of(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "object" else []
    return own + [one for value in schema.values() for one in objects_of(value)]


def test_schemas_are_valid(session: helve.Session) -> None:
    for tool in session.as_anthropic_tools():
        jsonschema.Draft202012Validator.check_schema(tool["input_schema"])
        jsonschema.Draft7Validator.check_schema(tool["input_schema"])
    query = next(tool for tool in session.as_anthropic_tools() if tool["name"] == "sparql_query")
    jsonschema.validate({"query": MOONS, "limit": 5}, query["input_schema"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"limit": 5}, query["input_schema"])


def test_tools_are_those_of_the_sdk(session: helve.Session) -> None:
    import pydantic
    from openai.types.chat import ChatCompletionToolParam
    from openai.types.responses import FunctionToolParam

    for tool in session.as_openai_tools():
        pydantic.TypeAdapter(ChatCompletionToolParam).validate_python(tool)
    for tool in session.as_openai_tools(api="responses"):
        pydantic.TypeAdapter(FunctionToolParam).validate_python(tool)


def test_strict(session: helve.Session) -> None:
    """Every object is closed and requires all of its properties; what is optional may be null."""
    tools = session.as_openai_tools(strict=True)
    strict = [tool["function"] for tool in tools if tool["function"]["strict"]]
    assert len(strict) > len(tools) * 0.8
    for function in strict:
        for schema in objects_of(function["parameters"]):
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
            assert not any("default" in one for one in schema["properties"].values())
    query = next(function for function in strict if function["name"] == "sparql_query")
    assert query["parameters"]["properties"]["limit"]["type"] == ["integer", "null"]
    nulls = {key: None for key in query["parameters"]["properties"]} | {"query": MOONS}
    jsonschema.validate(nulls, query["parameters"])
    assert "32" in session.call_openai_tool(("sparql_query", nulls))["content"]


def test_calls_of_the_sdk(session: helve.Session) -> None:
    from openai.types.chat import ChatCompletionMessageFunctionToolCall
    from openai.types.responses import ResponseFunctionToolCall

    arguments = json.dumps({"sparql": MOONS, "limit": "5"})
    call = ChatCompletionMessageFunctionToolCall(
        id="call_1", type="function", function={"name": "sparql_query", "arguments": arguments}
    )
    message = session.call_openai_tool(call)
    assert message["role"] == "tool" and message["tool_call_id"] == "call_1" and "32" in message["content"]
    assert session.call_openai_tool(call.model_dump()).keys() == message.keys()
    item = ResponseFunctionToolCall(
        type="function_call", id="fc_1", call_id="call_2", name="sparql_query", arguments=arguments
    )
    output = session.call_openai_tool(item, output="json")
    assert output["type"] == "function_call_output" and output["call_id"] == "call_2"
    assert json.loads(output["output"])["columns"] == ["moons"]
