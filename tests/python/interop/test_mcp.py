"""The Python client of the Model Context Protocol talks to `helve mcp` over standard input and output."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

mcp = pytest.importorskip("mcp")
from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

MOONS = "SELECT (COUNT(?moon) AS ?moons) { ?moon sol:orbits body:Saturn }"


def plain(answer: Any) -> dict[str, Any]:
    """An answer with the names of the protocol, whatever the SDK calls its members."""
    return answer.model_dump(mode="json", by_alias=True)


def talk(
    program: str, conversation: Callable[[ClientSession, dict[str, Any]], Awaitable[None]], *options: str
) -> None:
    async def run() -> None:
        server = StdioServerParameters(command=program, args=["mcp", *options, "--source", "sample:"])
        async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as client:
            await conversation(client, plain(await client.initialize()))

    asyncio.run(asyncio.wait_for(run(), 60))


def test_initialize_and_list(program: str) -> None:
    async def conversation(client: ClientSession, started: dict[str, Any]) -> None:
        assert started["serverInfo"]["name"] == "helve"
        assert {"tools", "resources"} <= set(started["capabilities"])
        tools = {tool["name"]: tool for tool in plain(await client.list_tools())["tools"]}
        assert {"sparql_schema", "sparql_query", "sparql_slice"} <= set(tools)
        assert tools["sparql_query"]["inputSchema"]["required"] == ["query"]

    talk(program, conversation)


def test_call_tool(program: str) -> None:
    async def conversation(client: ClientSession, _: dict[str, Any]) -> None:
        answer = plain(await client.call_tool("sparql_query", {"query": MOONS}))
        assert not answer["isError"]
        assert answer["structuredContent"]["preview"] == [["32"]]
        assert "32" in answer["content"][0]["text"]
        wrong = plain(await client.call_tool("sparql_query", {"query": "SELECT * {"}))
        assert wrong["isError"] and wrong["structuredContent"]["error"]["code"] == "invalid_input"
        rows = plain(await client.call_tool("sparql_slice", {"result": answer["structuredContent"]["key"]}))
        assert rows["structuredContent"]["rows"] == [["32"]]

    talk(program, conversation)


def test_resources(program: str) -> None:
    async def conversation(client: ClientSession, _: dict[str, Any]) -> None:
        known = {one["uri"]: one for one in plain(await client.list_resources())["resources"]}
        assert "helve://sources" in known
        (content,) = plain(await client.read_resource("helve://sources"))["contents"]
        assert content["uri"] == "helve://sources"
        assert "sample" in json.dumps(json.loads(content["text"]))
        (schema,) = plain(await client.read_resource("helve://schema/sample"))["contents"]
        assert "sol:" in schema["text"]

    talk(program, conversation)


def test_dspy_takes_them_from_there(program: str) -> None:
    """The other way to DSPy: tools of the server, without the package."""
    dspy = pytest.importorskip("dspy")

    async def conversation(client: ClientSession, _: dict[str, Any]) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        query = dspy.Tool.from_mcp_tool(client, tools["sparql_query"])
        assert "32" in str(await query.acall(query=MOONS))

    talk(program, conversation)
