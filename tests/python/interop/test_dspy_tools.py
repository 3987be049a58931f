"""Tools of a session as dspy.Tool, and dspy.ReAct that works with them."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import dspy
import jsonschema
import pytest

import helve
import helve.dspy
from scripted import ScriptedLM

MOONS = "SELECT (COUNT(?moon) AS ?moons) { ?moon sol:orbits body:Saturn }"


@pytest.fixture(scope="module")
def tools(session: helve.Session) -> dict[str, dspy.Tool]:
    return {tool.name: tool for tool in session.as_dspy_tools("all")}


def test_every_tool_of_the_policy_is_there(session: helve.Session, tools: dict[str, dspy.Tool]) -> None:
    assert list(tools) == list(session.tools)
    assert all(isinstance(tool, dspy.Tool) for tool in tools.values())
    usual = [tool.name for tool in session.as_dspy_tools()]
    assert {"sparql_query", "sparql_find", "call_tool"} <= set(usual) and len(usual) <= 10
    assert "query_execute" not in usual  # there are no tables


def test_names_choose_and_order(session: helve.Session) -> None:
    chosen = session.as_dspy_tools(["sparql_query", "sparql_find"])
    assert [tool.name for tool in chosen] == ["sparql_query", "sparql_find"]
    with pytest.raises(helve.NotFound, match="sparql_query"):
        session.as_dspy_tools(["sparql_qery"])


def test_dspy_sees_parameters_and_types(tools: dict[str, dspy.Tool]) -> None:
    query = tools["sparql_query"]
    assert query.args["query"]["type"] == "string"
    assert query.args["limit"]["type"] == "integer" and query.args["limit"]["default"] == 100
    assert query.arg_types["query"] is str and query.arg_types["limit"] is int
    assert query.has_kwargs
    assert set(tools["sparql_find"].args["kind"]["enum"]) == {"any", "class", "property", "instance"}
    assert "output_format" not in query.args
    function = query.format_as_litellm_function_call()["function"]
    assert function["parameters"]["required"] == ["query"]


def test_descriptions_are_short_and_name_the_reply(tools: dict[str, dspy.Tool]) -> None:
    for tool in tools.values():
        assert tool.desc and "\n" not in tool.desc and len(tool.desc) < 600, tool.name
        for property_ in tool.args.values():
            jsonschema.Draft202012Validator.check_schema(property_)
    assert "Returns" in tools["sparql_find"].desc and "hits" in tools["sparql_find"].desc


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": MOONS},
        {"sparql": MOONS},
        {"q": MOONS, "limit": "5"},
        {"query": MOONS, "limit": 5.0, "unheard_of": [1]},
        {"query": MOONS, "explain": "false", "limit": None},
    ],
)
def test_what_models_write_is_understood(tools: dict[str, dspy.Tool], arguments: dict[str, Any]) -> None:
    assert "32" in tools["sparql_query"](**arguments)
    assert "32" in asyncio.run(tools["sparql_query"].acall(**arguments))


def test_errors_are_observations(tools: dict[str, dspy.Tool]) -> None:
    assert "invalid_input" in tools["sparql_query"](query="SELECT * {")
    assert "query" in tools["sparql_query"]()  # says what is missing


def test_outputs(session: helve.Session) -> None:
    (text,) = session.as_dspy_tools(["sparql_query"])
    (as_json,) = session.as_dspy_tools(["sparql_query"], output="json")
    (value,) = session.as_dspy_tools(["sparql_query"], output="value")
    assert isinstance(text(query=MOONS), str) and text(query=MOONS).startswith("1 row")
    assert json.loads(as_json(query=MOONS))["columns"] == ["moons"]
    reply = value(query=MOONS)
    assert isinstance(reply, helve.Reply) and reply["columns"] == ["moons"]
    assert list(reply.handle)[0]["moons"] == 32
    with pytest.raises(helve.InvalidInput):
        session.as_dspy_tools(output="xml")


def test_callbacks_of_tools(session: helve.Session) -> None:
    seen: list[Any] = []

    class Watch(dspy.utils.callback.BaseCallback):
        def on_tool_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            seen.append((instance.name, inputs))

    (tool,) = session.as_dspy_tools(["sparql_query"])
    with dspy.context(callbacks=[Watch()]):
        tool(query=MOONS)
    assert seen == [("sparql_query", {"kwargs": {"query": MOONS}})]


def steps_of_react() -> list[Any]:
    """Looks for Saturn, then asks with an alias and a number as text; the answer is what was observed."""

    def ask(prompt: str) -> dict[str, Any]:
        found = re.findall(r"body:\w+", prompt)
        assert "body:Saturn" in found
        query = MOONS.replace("body:Saturn", found[found.index("body:Saturn")])
        return {
            "next_thought": "count",
            "next_tool_name": "sparql_query",
            "next_tool_args": {"sparql": query, "limit": "5"},
        }

    def answer(prompt: str) -> dict[str, Any]:
        counts = re.findall(r"\bpreview \(moons\):\s+(\d+)", prompt)
        return {"reasoning": "it was counted", "answer": counts[-1]}

    return [
        {"next_thought": "find it", "next_tool_name": "sparql_find", "next_tool_args": {"pattern": "Saturn"}},
        ask,
        {"next_thought": "done", "next_tool_name": "finish", "next_tool_args": {}},
        answer,
    ]


def check_react(result: dspy.Prediction) -> None:
    trajectory = result.trajectory
    assert "body:Saturn" in trajectory["observation_0"]
    assert trajectory["observation_1"].startswith("1 row") and "32" in trajectory["observation_1"]
    assert not any("Execution error" in str(value) for value in trajectory.values())
    assert result.answer == 32


def test_react(session: helve.Session) -> None:
    agent = dspy.ReAct("question -> answer: int", tools=session.as_dspy_tools())
    with dspy.context(lm=ScriptedLM(*steps_of_react())):
        check_react(agent(question="How many moons has Saturn?"))


def test_react_async(session: helve.Session) -> None:
    agent = dspy.ReAct("question -> answer: int", tools=session.as_dspy_tools())

    async def run() -> dspy.Prediction:
        with dspy.context(lm=ScriptedLM(*steps_of_react())):
            return await agent.acall(question="How many moons has Saturn?")

    check_react(asyncio.run(run()))


def test_react_repairs_its_query(session: helve.Session) -> None:
    """The error that a bad query gets is an observation, and has what the next step needs."""

    def mend(prompt: str) -> dict[str, Any]:
        assert "error (invalid_input)" in prompt and "hint" in prompt
        return {"next_thought": "mend", "next_tool_name": "sparql_query", "next_tool_args": {"query": MOONS}}

    agent = dspy.ReAct("question -> answer: int", tools=session.as_dspy_tools(["sparql_query"]))
    script = ScriptedLM(
        {"next_thought": "try", "next_tool_name": "sparql_query", "next_tool_args": {"query": MOONS[:-1]}},
        mend,
        {"next_thought": "done", "next_tool_name": "finish", "next_tool_args": {}},
        {"reasoning": "counted", "answer": 32},
    )
    with dspy.context(lm=script):
        result = agent(question="How many moons has Saturn?")
    assert "32" in result.trajectory["observation_1"] and result.answer == 32


def test_react_v2(session: helve.Session) -> None:
    agent = dspy.ReActV2("question -> answer: int", tools=session.as_dspy_tools(["sparql_query"]))
    script = ScriptedLM(
        {
            "next_thought": "count",
            "tool_calls": json.dumps({"tool_calls": [{"name": "sparql_query", "args": {"sparql": MOONS}}]}),
        },
        {
            "next_thought": "done",
            "tool_calls": json.dumps({"tool_calls": [{"name": "submit", "args": {"answer": 32}}]}),
        },
    )
    with dspy.context(lm=script):
        result = agent(question="How many moons has Saturn?")
    observed = result.history.messages[0]["tool_calls"].tool_call_results.tool_call_results[0]
    assert not observed.is_error and "32" in observed.value
    assert result.answer == 32
