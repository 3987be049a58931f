"""DSPy's programs that write code, end to end on helve.dspy.Interpreter and the tools of a session."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.primitives.sandbox_serializable import SandboxSerializable

import helve
from helve.dspy import CodeInterpreterError, Interpreter
from scripted import ScriptedLM, code

pytestmark = pytest.mark.filterwarnings("ignore")

ROWS = """
reply = sparql_query("SELECT ?planet (COUNT(?moon) AS ?moons) { ?moon sol:orbits ?planet } "
                     "GROUP BY ?planet ORDER BY DESC(?moons)", limit=3)
print(reply["columns"], reply["rows"])
print(reply["preview"][1])
"""


def make_rlm(session: helve.Session, signature: str, **options: Any) -> dspy.RLM:
    tools = session.as_dspy_tools(["sparql_find", "sparql_query"], output="value")
    return dspy.RLM(signature, tools=tools, interpreter_factory=Interpreter.factory(timeout=60), **options)


def test_rlm_over_tools(session: helve.Session) -> None:
    """Tools called from inside of code, by position and by alias; what is submitted is typed."""

    def submit(prompt: str) -> dict[str, str]:
        assert "['planet', 'moons']" in prompt and "body:Saturn" in prompt  # what the first block printed
        return code(
            'moons = int(reply["preview"][1][1])\n'
            'again = sparql_query(sparql=f"ASK {{ body:{name} a sol:GasGiant }}")["boolean"]\n'
            "SUBMIT(planet=name, moons=moons, known=again)"
        )

    script = ScriptedLM(code(ROWS), code('name = reply["preview"][1][0].split(":")[1]\nname'), submit)
    rlm = make_rlm(session, "question -> planet: str, moons: int, known: bool")
    with dspy.context(lm=script):
        result = rlm(question="Which planet has most moons?")
    assert (result.planet, result.moons, result.known) == ("Saturn", 32, True)
    assert result.trajectory[1]["output"] == "Saturn"
    assert len(result.trajectory) == 3
    assert Interpreter.execution_instructions in script.prompts[0]


def test_rlm_async(session: helve.Session) -> None:
    rlm = make_rlm(session, "question -> moons: int")
    script = ScriptedLM(code(ROWS), code('SUBMIT(reply["preview"][1][1])'))

    async def run() -> dspy.Prediction:
        with dspy.context(lm=script):
            return await rlm.acall(question="How many moons has the planet with most?")

    assert asyncio.run(run()).moons == 32


def test_rlm_recovers(session: helve.Session) -> None:
    """Code that raises, bad syntax, a wrong query, a wrong SUBMIT: each is told, and it goes on."""
    seen: list[str] = []

    def then(text: str) -> Any:
        def step(prompt: str) -> dict[str, str]:
            seen.append(prompt)
            return code(text)

        return step

    script = ScriptedLM(
        code("x = 20\nprint('before')\ny = x / 0"),
        then("def f(:"),
        then('bad = sparql_query("SELECT * {")\nprint(bad["error"]["code"], bad["error"]["hint"])'),
        then("SUBMIT(answer=x)"),
        then("SUBMIT(x, note='found')"),
    )
    rlm = make_rlm(session, "question -> answer: int, note: str")
    with dspy.context(lm=script):
        result = rlm(question="What is x?")
    assert (result.answer, result.note) == (20, "found")
    outputs = [step["output"] for step in result.trajectory]
    assert (
        outputs[0].startswith("[Error] ZeroDivisionError: division by zero")
        and "line 3: y = x / 0" in outputs[0]
    )
    assert "before" in outputs[0]
    assert outputs[1].startswith("[Error] ") and "syntax" in outputs[1]
    assert outputs[2].startswith("invalid_input ")
    assert "note is missing" in outputs[3]
    assert "ZeroDivisionError" in seen[0]


def test_rlm_llm_query(session: helve.Session) -> None:
    """The model is asked from inside of code, one prompt and several at once."""
    asked: list[str] = []

    def sub_lm(prompt: str) -> list[str]:
        asked.append(prompt)
        return [prompt.split()[-1].upper()]

    rlm = make_rlm(session, "text -> words: list[str]", sub_lm=sub_lm)
    script = ScriptedLM(
        code("one = llm_query('say a')\nmany = llm_query_batched(['say b', 'say c'])\nprint(one, many)"),
        code("SUBMIT([one, *many])"),
    )
    with dspy.context(lm=script):
        result = rlm(text="t" * 1_000_000)
    assert result.words == ["A", "B", "C"]
    assert sorted(asked) == ["say a", "say b", "say c"]
    assert result.trajectory[0]["output"] == "A ['B', 'C']"


def test_rlm_limits_of_llm_query(session: helve.Session) -> None:
    rlm = make_rlm(session, "text -> answer: str", sub_lm=lambda prompt: ["x"], max_llm_calls=2)
    script = ScriptedLM(code("llm_query_batched(['a', 'b', 'c'])"), code("SUBMIT(llm_query('a'))"))
    with dspy.context(lm=script):
        result = rlm(text="t")
    assert "LLM call limit exceeded" in result.trajectory[0]["output"] and result.answer == "x"


def test_rlm_facade(session: helve.Session) -> None:
    """Sub-agents that code builds: a predictor, and one with a tool of ours."""
    sub = ScriptedLM(
        {"answer": "blue"},
        {
            "next_thought": "ask",
            "next_tool_name": "sparql_query",
            "next_tool_args": {"query": "ASK { body:Saturn a sol:GasGiant }"},
        },
        {"next_thought": "done", "next_tool_name": "finish", "next_tool_args": {}},
        lambda prompt: {"reasoning": "seen", "answer": "yes" if re.search(r"\byes\b", prompt) else "no"},
    )
    script = ScriptedLM(
        code(
            "import dspy\npredict = dspy.Predict('question -> answer')\n"
            "colour = predict(question='colour of the sky?').answer\nprint(colour)"
        ),
        code(
            "agent = dspy.ReAct('question -> answer', tools=[sparql_query])\n"
            "giant = agent(question='Is Saturn a gas giant?').answer\nprint(giant)"
        ),
        code("SUBMIT(f'{colour} {giant}')"),
    )
    rlm = dspy.RLM(
        "question -> answer: str",
        tools=session.as_dspy_tools(["sparql_query"]),
        interpreter_factory=Interpreter.factory(),
        sub_lm=sub,
    )
    with dspy.context(lm=script):
        result = rlm(question="?")
    assert result.answer == "blue yes", result.trajectory


def test_rlm_recursive(session: helve.Session) -> None:
    """An RLM inside of an RLM: an interpreter that calls a tool that runs another interpreter."""
    sub = ScriptedLM(code("SUBMIT(len(context))"))
    script = ScriptedLM(
        code("import dspy\nr = dspy.RLM('context -> n: int')(context='x' * 1234)\nprint(r.n)"),
        code("SUBMIT(r.n)"),
    )
    rlm = make_rlm(session, "question -> n: int", sub_lm=sub)
    with dspy.context(lm=script):
        assert rlm(question="?").n == 1234


class Table(SandboxSerializable):
    """Rows that code gets as a list of dicts."""

    def __init__(self, rows: list[dict[str, Any]], is_binary: bool) -> None:
        self.rows, self.is_binary = rows, is_binary

    def sandbox_setup(self) -> str:
        return "import json, zlib"

    def to_sandbox(self) -> bytes:
        import json
        import zlib

        text = json.dumps(self.rows).encode()
        return zlib.compress(text) if self.is_binary else text

    def sandbox_assignment(self, var_name: str, data_expr: str) -> str:
        return f"{var_name} = json.loads({f'zlib.decompress({data_expr})' if self.is_binary else data_expr})"

    def rlm_preview(self, max_chars: int = 500) -> str:
        return f"{len(self.rows)} rows"


@pytest.mark.parametrize("is_binary", [False, True])
def test_rlm_serializable_inputs(session: helve.Session, is_binary: bool) -> None:
    class Sum(dspy.Signature):
        """Adds the numbers."""

        table: Table = dspy.InputField()
        total: int = dspy.OutputField()

    rlm = dspy.RLM(Sum, interpreter_factory=Interpreter)
    script = ScriptedLM(code("print(len(table))"), code("SUBMIT(sum(row['n'] for row in table))"))
    with dspy.context(lm=script):
        result = rlm(table=Table([{"n": number} for number in range(100)], is_binary))
    assert result.total == 4950 and result.trajectory[0]["output"] == "100"


def test_rlm_by_configuration(session: helve.Session) -> None:
    rlm = dspy.RLM("question -> answer: str")
    with dspy.context(
        lm=ScriptedLM(code("SUBMIT('here')")), interpreter_factory=Interpreter.factory(timeout=30)
    ):
        assert rlm(question="?").answer == "here"


def test_rlm_over_a_lost_process() -> None:
    rlm = dspy.RLM("question -> answer: str", interpreter_factory=Interpreter)
    with dspy.context(lm=ScriptedLM(code("import os\nos._exit(1)"))), pytest.raises(CodeInterpreterError):
        rlm(question="?")


def test_the_sandbox_holds(session: helve.Session, tmp_path: Any) -> None:
    """Code of a model reads no file, opens no connection and starts no process; and is told so."""
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cret")
    with Interpreter() as run:
        for attempt in (
            f"open({str(secret)!r}).read()",
            "import socket\nsocket.socket()",
            "import subprocess\nsubprocess.run(['true'])",
            "import os\nos.fork()",
        ):
            with pytest.raises(helve.dspy.CodeExecutionError):
                run.execute(attempt)
        assert "s3cret" not in str(run.execute("import os\ndict(os.environ)"))


def test_flex(session: helve.Session) -> None:
    flex = dspy.Flex("question -> answer: str", interpreter_factory=Interpreter.factory(timeout=30))
    with dspy.context(lm=ScriptedLM({"answer": "flexible"})):
        assert flex(question="?").answer == "flexible"


def test_program_of_thought() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = dspy.ProgramOfThought(
            "question -> answer: int", interpreter_factory=Interpreter.factory(timeout=30)
        )
    script = ScriptedLM(
        {"reasoning": "r", "generated_code": "```python\nSUBMIT({'answer': 1 / 0})\n```"},
        lambda prompt: (
            {"reasoning": "r", "generated_code": "```python\nresult = 6 * 7\nSUBMIT({'answer': result})\n```"}
            if "ZeroDivisionError" in prompt
            else {}
        ),
        lambda prompt: {"reasoning": "r", "answer": int(re.findall(r'"answer": (\d+)', prompt)[-1])},
    )
    with dspy.context(lm=script):
        assert program(question="6 * 7?").answer == 42


def triple(n):
    return 3 * n


def test_code_act(session: helve.Session) -> None:
    """Its own functions go in as source; tools of ours are those of the factory."""
    tools = {tool.name: tool for tool in session.as_dspy_tools(["sparql_count"], output="value")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = dspy.CodeAct(
            "question -> answer: int",
            tools=[triple],
            interpreter_factory=Interpreter.factory(tools=tools, timeout=30),
        )
    script = ScriptedLM(
        {
            "generated_code": "```python\nmoons = sparql_count('SELECT * { ?m sol:orbits body:Saturn }')\n"
            "print(triple(moons['count']))\n```",
            "finished": True,
        },
        lambda prompt: {"reasoning": "r", "answer": int(re.findall(r'"(\d+)"', prompt)[-1])},
    )
    with dspy.context(lm=script):
        result = program(question="three times the moons of Saturn?")
    assert result.answer == 96 and result.trajectory["code_output_0"] == '"96"'


def test_factories() -> None:
    factory = Interpreter.factory(timeout=5, tools={"a": lambda: 1})
    assert factory.execution_instructions == Interpreter.execution_instructions
    first, second = factory(), factory()
    assert first is not second and first.tools == second.tools and first.tools is not second.tools
    assert "timeout=5" in repr(factory)
    with pytest.raises(TypeError):
        Interpreter.factory(time_limit=5)
    with pytest.raises(ValueError):
        Interpreter.factory(timeout=0)
    with pytest.raises(CodeInterpreterError, match="python"):
        Interpreter(python="/no/such/python").start()


def test_modules_of_a_folder() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # the code has a user of its own where the tests run as root
        Path(folder, "own_module.py").write_text("VALUE = 17\n")
        with Interpreter(module_folders=[folder]) as run:
            assert run.execute("import own_module\nown_module.VALUE") == 17


def test_limits() -> None:
    with Interpreter(tools={"a": lambda: 1}, memory=256 << 20, tool_calls_max=2) as run:
        with pytest.raises(helve.dspy.CodeExecutionError, match="MemoryError"):
            run.execute("x = bytearray(1 << 30)")
        with pytest.raises(helve.dspy.CodeExecutionError, match="all 2 tool calls are used up"):
            run.execute("a(), a(), a()")
        with pytest.raises(helve.dspy.CodeExecutionError, match="bytes"):
            run.execute("SUBMIT('x' * 5_000_000)")
        assert run.execute("'healthy'") == "healthy"


def test_an_interpreter_that_nobody_holds_ends() -> None:
    import gc
    import weakref

    run = Interpreter(tools={"a": lambda: 1})
    run.execute("a()")
    box = weakref.ref(run._box)
    del run
    gc.collect()
    assert box() is None
