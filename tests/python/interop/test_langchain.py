"""Tools of a session as LangChain's: invoked, awaited, and called by a chat model."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

import helve

MOONS = "SELECT (COUNT(?moon) AS ?moons) { ?moon sol:orbits body:Saturn }"


@pytest.fixture(scope="module")
def tools(session: helve.Session) -> dict[str, BaseTool]:
    return {tool.name: tool for tool in session.as_langchain_tools("all")}


def test_they_are_structured_tools(session: helve.Session, tools: dict[str, BaseTool]) -> None:
    assert list(tools) == list(session.tools)
    assert all(isinstance(tool, StructuredTool) for tool in tools.values())
    assert "limit" in tools["sparql_query"].args and "output_format" not in tools["sparql_query"].args
    assert [tool.name for tool in session.as_langchain_tools(["sparql_find"])] == ["sparql_find"]
    with pytest.raises(helve.NotFound, match="sparql_find"):
        session.as_langchain_tools(["sparql_fnd"])
    for tool in tools.values():
        function = convert_to_openai_tool(tool)["function"]
        assert function["name"] == tool.name and function["description"]
        assert function["parameters"]["type"] == "object"


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": MOONS},
        {"sparql": MOONS},
        {"query": MOONS, "limit": "5"},
        {"q": MOONS, "unheard_of": 1},
        MOONS,
    ],
)
def test_invoke(tools: dict[str, BaseTool], arguments: Any) -> None:
    tool = tools["sparql_query"]
    assert "32" in tool.invoke(arguments)
    assert "32" in asyncio.run(tool.ainvoke(arguments))


def test_messages_have_the_reply_as_artifact(tools: dict[str, BaseTool]) -> None:
    call = {"type": "tool_call", "id": "1", "name": "sparql_query", "args": {"query": MOONS}}
    for message in (tools["sparql_query"].invoke(call), asyncio.run(tools["sparql_query"].ainvoke(call))):
        assert isinstance(message, ToolMessage) and message.tool_call_id == "1"
        assert isinstance(message.artifact, helve.Reply)
        assert message.content == message.artifact.text
        assert message.artifact.handle.rows() == [{"moons": 32}]


def test_errors_are_messages(tools: dict[str, BaseTool]) -> None:
    message = tools["sparql_query"].invoke(
        {"type": "tool_call", "id": "2", "name": "sparql_query", "args": {"query": "SELECT * {"}}
    )
    assert "invalid_input" in message.content and message.artifact.is_error
    assert "needs query" in tools["sparql_query"].invoke({})


def test_output_as_json(session: helve.Session) -> None:
    (tool,) = session.as_langchain_tools(["sparql_query"], output="json")
    assert json.loads(tool.invoke({"query": MOONS}))["columns"] == ["moons"]
    with pytest.raises(helve.InvalidInput):
        session.as_langchain_tools(output="value")


def test_a_chat_model_calls_them(tools: dict[str, BaseTool]) -> None:
    """The loop of an agent: the model calls, the tools answer, the model reads the answers."""

    class Model(GenericFakeChatModel):
        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            seen.append(list(messages))
            return super()._generate(messages, *args, **kwargs)

    seen: list[list[Any]] = []
    calls = [
        {"id": "a", "name": "sparql_find", "args": {"pattern": "Saturn"}},
        {"id": "b", "name": "sparql_query", "args": {"sparql": MOONS, "limit": "3"}},
    ]
    model = Model(messages=iter([AIMessage(content="", tool_calls=calls), AIMessage(content="32 moons")]))
    messages: list[Any] = [HumanMessage("How many moons has Saturn?")]
    for _ in range(5):
        said = model.invoke(messages)
        messages.append(said)
        if not said.tool_calls:
            break
        messages += [tools[call["name"]].invoke(call) for call in said.tool_calls]
    assert messages[-1].content == "32 moons"
    answers = [message for message in seen[-1] if isinstance(message, ToolMessage)]
    assert [message.tool_call_id for message in answers] == ["a", "b"]
    assert "body:Saturn" in answers[0].content and "32" in answers[1].content


def test_many_at_once(tools: dict[str, BaseTool]) -> None:
    async def run() -> list[Any]:
        return await asyncio.gather(*(tools["sparql_query"].ainvoke({"query": MOONS}) for _ in range(20)))

    assert all("32" in text for text in asyncio.run(run()))


def test_they_keep_their_session() -> None:
    (tool,) = helve.open("sample:").as_langchain_tools(["sparql_query"])
    assert "32" in tool.invoke({"query": MOONS})
