"""The same checks on dspy.LocalInterpreter and on helve.dspy.Interpreter, with the same results.

What differs on purpose is at the end, one test for each difference.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import dspy
import pytest
from dspy.primitives.code_interpreter import (
    CodeExecutionError,
    CodeInterpreter,
    CodeInterpreterError,
    FinalOutput,
)

from helve.dspy import Interpreter

Make = Callable[..., Any]


class PatientLocalInterpreter(dspy.LocalInterpreter):
    """DSPy's, whose worker has a minute to start instead of ten seconds: machines that test are busy."""

    def _receive(self, deadline: float | None, timeout_message: str) -> Any:
        if deadline is not None and "did not start" in timeout_message:
            deadline += 50
        return super()._receive(deadline, timeout_message)


KINDS = {"dspy": PatientLocalInterpreter, "helve": Interpreter}


@pytest.fixture(params=list(KINDS))
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Makes interpreters of one kind, and shuts them down."""
    made: list[Any] = []

    def create(*args: Any, timeout: float | None = None, **options: Any) -> Any:
        if timeout is not None:
            # Ours keep the variables unless they are told to be as DSPy's are.
            options |= ({"execution_timeout": timeout} if request.param == "dspy"
                        else {"timeout": timeout, "keep_after_timeout": False})
        made.append(KINDS[request.param](*args, **options))
        return made[-1]

    yield create
    for interpreter in made:
        interpreter.shutdown()


@pytest.fixture
def run(make: Make) -> Any:
    return make()


def outcome(interpreter: Any, code: str, variables: Any = None) -> Any:
    """What comes of code, in a form that can be compared."""
    try:
        result = interpreter.execute(code, variables)
    except SyntaxError:
        return "SyntaxError"
    except CodeExecutionError as error:
        return f"CodeExecutionError: {str(error).splitlines()[0]}"
    except CodeInterpreterError:
        return "CodeInterpreterError"
    return ("final", result.output) if isinstance(result, FinalOutput) else result


# --- what execute gives -----------------------------------------------------------------------------------

RESULTS = [
    ("", None),
    ("   \n\n", None),
    ("# nothing", None),
    ("x = 1", None),
    ("None", None),
    ("print()", None),
    ("print('a')", "a"),
    ("print('a')\nprint('b')", "a\nb"),
    ("print('a\\n\\n')", "a"),
    ("print('  a ')", "  a "),
    ("print('a', end='')", "a"),
    ("print('é 😀')", "é 😀"),
    ("import sys\nprint('out', flush=True)\nprint('err', file=sys.stderr)", "out\nerr"),
    ("1 + 2", 3),
    ("0", 0),
    ("''", ""),
    ("False", False),
    ("1.5", 1.5),
    ("2.0", 2.0),
    ("2 ** 80", 2**80),
    ("'text'", "text"),
    ("[1, 'a', None, True]", [1, "a", None, True]),
    ("(1, 2)", [1, 2]),
    ("{'a': {'b': [1]}}", {"a": {"b": [1]}}),
    ("{1, }", "{1}"),
    ("b'x'", "b'x'"),
    ("float('nan')", "nan"),
    ("float('inf')", "inf"),
    ("1 + 2j", "(1+2j)"),
    ("import datetime\ndatetime.date(2020, 1, 2)", "datetime.date(2020, 1, 2)"),
    ("print('printed')\n5", 5),
    ("print('printed')\nNone", "printed"),
    ("5\nx = 1", None),
    ("x = 5;x", 5),
    ("if True:\n    7", None),
    ("[i for i in range(3)]", [0, 1, 2]),
    ("'é😀\\u0000'", "é😀\x00"),
    ("'x' * 3_000_000 == 3 * ('x' * 1_000_000)", True),
    ("'x' * 3_000_000", "x" * 3_000_000),
    ("list(range(100_000))", list(range(100_000))),
]


@pytest.mark.parametrize(("code", "expected"), RESULTS, ids=[repr(code)[:40] for code, _ in RESULTS])
def test_results(run: Any, code: str, expected: Any) -> None:
    result = run.execute(code)
    assert result == expected and type(result) is type(expected)


ERRORS = [
    ("1 / 0", "CodeExecutionError: ZeroDivisionError: division by zero"),
    ("unknown", "CodeExecutionError: NameError: name 'unknown' is not defined"),
    ("raise ValueError('bad')", "CodeExecutionError: ValueError: bad"),
    ("class Own(Exception): pass\nraise Own(1, 'b')", "CodeExecutionError: Own: (1, 'b')"),
    ("raise KeyError('k')", "CodeExecutionError: KeyError: 'k'"),
    ("raise ValueError", "CodeExecutionError: ValueError: "),
    ("import no_such_module", "CodeExecutionError: ModuleNotFoundError: No module named 'no_such_module'"),
    ("assert 1 == 2, 'no'", "CodeExecutionError: AssertionError: no"),
    ("import sys\nsys.exit(3)", "CodeExecutionError: SystemExit: 3"),
    ("raise KeyboardInterrupt", "CodeExecutionError: KeyboardInterrupt: "),
    ("def f():\n    f()\nf()", "CodeExecutionError: RecursionError: maximum recursion depth exceeded"),
    ("def f(:", "SyntaxError"),
    ("if True:\nx = 1", "SyntaxError"),
    ("x = = 1", "SyntaxError"),
    ("'open", "SyntaxError"),
    ("return 1", "SyntaxError"),
    ("await x", "SyntaxError"),
    ("eval('1 +')", "SyntaxError"),
]


@pytest.mark.parametrize(("code", "expected"), ERRORS, ids=[repr(code)[:40] for code, _ in ERRORS])
def test_errors(run: Any, code: str, expected: str) -> None:
    assert outcome(run, code) == expected
    assert run.execute("1") == 1  # the session is healthy


def test_nothing_of_bad_syntax_runs(run: Any) -> None:
    assert outcome(run, "z = 1\ndef f(:") == "SyntaxError"
    assert outcome(run, "z").startswith("CodeExecutionError: NameError")


# --- state ------------------------------------------------------------------------------------------------


def test_state_persists(run: Any) -> None:
    run.execute(
        "import math\nx = 5\ndef f(y):\n    global count\n    count = y\n    return x + y\n"
        "class A:\n    b = 1"
    )
    assert run.execute("f(2), A.b, math.floor(2.5), count") == [7, 1, 2, 2]
    assert outcome(run, "x = 6\nraise ValueError") == "CodeExecutionError: ValueError: "
    assert run.execute("x") == 6
    run.execute("del x")
    assert outcome(run, "x").startswith("CodeExecutionError: NameError")


def test_globals_are_those_of_the_session(run: Any) -> None:
    run.execute("a = 1")
    assert run.execute("globals()['a'], 'a' in dir(), __name__ is not None") == [1, True, True]
    assert run.execute("globals()['made'] = 3\nmade") == 3


def test_two_interpreters_do_not_share(make: Make) -> None:
    first, second = make(), make()
    first.execute("x = 1")
    assert outcome(second, "x").startswith("CodeExecutionError: NameError")


# --- variables --------------------------------------------------------------------------------------------

VALUES = [
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    "",
    "é😀\n'\"\\",
    "\x00",
    [],
    {},
    [1, [2, {"a": None}]],
    {"k": "v", "é": [1]},
]


@pytest.mark.parametrize("value", VALUES, ids=[repr(value)[:30] for value in VALUES])
def test_variables(run: Any, value: Any) -> None:
    assert run.execute("x == y and type(x) is type(y), x", {"x": value, "y": value}) == [True, value]
    assert run.execute("x") == value


def test_variables_replace_and_persist(run: Any) -> None:
    assert run.execute("x", {"x": 1}) == 1
    run.execute("x = 2")
    assert run.execute("x") == 2
    assert run.execute("x", {"x": 3}) == 3
    assert run.execute("_a + __b + été + match", {"_a": 1, "__b": 2, "été": 3, "match": 4}) == 10


def test_large_variables(run: Any) -> None:
    text = "0123456789" * 1_000_000
    rows = [{"id": number, "name": f"n{number}"} for number in range(100_000)]
    assert run.execute("len(text), text[-3:], len(rows), rows[-1]['name']", {"text": text, "rows": rows}) == [
        10_000_000,
        "789",
        100_000,
        "n99999",
    ]


@pytest.mark.parametrize(
    "name", ["1x", "a b", "a-b", "", "class", "None", "SUBMIT", "__builtins__", "x;y", "x\n", "tool"]
)
def test_names_of_variables(make: Make, name: str) -> None:
    run = make(tools={"tool": lambda: 1})
    assert outcome(run, "1", {name: 1}) == "CodeInterpreterError"
    assert run.execute("2") == 2


@pytest.mark.parametrize(
    "variables",
    [{"x": object()}, {"x": float("nan")}, {"x": float("inf")}, {"x": {"y": object()}}, {1: 2}, [1], "x"],
    ids=repr,
)
def test_variables_that_have_no_json(run: Any, variables: Any) -> None:
    run.execute("before = 1")
    with pytest.raises(CodeInterpreterError) as caught:
        run.execute("1", variables)
    assert not isinstance(caught.value, CodeExecutionError)
    assert run.execute("before") == 1


@pytest.mark.parametrize("code", [None, 5, b"1", ["1"]])
def test_code_that_is_no_text(run: Any, code: Any) -> None:
    with pytest.raises(CodeInterpreterError):
        run.execute(code)
    assert run.execute("1") == 1


# --- tools ------------------------------------------------------------------------------------------------


def sample_tools() -> dict[str, Callable[..., Any]]:
    def add(a: int, b: int = 2) -> int:
        """Adds."""
        return a + b

    def everything(*args: Any, **kwargs: Any) -> Any:
        return [list(args), kwargs]

    def only_named(*, key: str) -> str:
        return key

    def only_ordered(a: Any, /, b: Any = None) -> Any:
        return [a, b]

    def fails(message: str = "no") -> None:
        raise ValueError(message)

    async def later(x: int) -> int:
        await asyncio.sleep(0)
        return x + 1

    return {
        "add": add,
        "everything": everything,
        "only_named": only_named,
        "only_ordered": only_ordered,
        "fails": fails,
        "later": later,
        "nothing": lambda: None,
        "_hidden": lambda: "h",
        "__dspy_x__": lambda **kwargs: kwargs,
    }


CALLS = [
    ("add(1)", 3),
    ("add(1, 5)", 6),
    ("add(a=1, b=5)", 6),
    ("add(1, b=5)", 6),
    ("print(add(1))", "3"),
    ("sum(add(n) for n in range(50))", 1325),
    ("[add(1), later(1), later(x=2)]", [3, 2, 3]),
    ("everything()", [[], {}]),
    ("everything(1, [2], x={'y': None})", [[1, [2]], {"x": {"y": None}}]),
    ("everything(2 ** 70, 1.0, 'é😀', None, True)", [[2**70, 1.0, "é😀", None, True], {}]),
    ("everything((1, 2))", [[[1, 2]], {}]),
    ("only_named(key='k')", "k"),
    ("only_ordered(1), only_ordered(1, 2), only_ordered(1, b=3)", [[1, None], [1, 2], [1, 3]]),
    ("nothing() is None", True),
    ("_hidden()", "h"),
    ("globals()['__dspy_x__'](**{'a': 1})", {"a": 1}),
    ("list(map(add, [1, 2]))", [3, 4]),
    ("callable(add)", True),
    ("def inner():\n    return add(1)\ninner()", 3),
    ("try:\n    fails('x')\nexcept RuntimeError as e:\n    r = 'ValueError: x' in str(e)\nr", True),
]


@pytest.mark.parametrize(("code", "expected"), CALLS, ids=[code[:40] for code, _ in CALLS])
def test_calls_of_tools(make: Make, code: str, expected: Any) -> None:
    assert make(tools=sample_tools()).execute(code) == expected


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("fails()", "RuntimeError: ValueError: no"),
        ("add()", "TypeError"),
        ("add(1, 2, 3)", "TypeError"),
        ("add(1, c=3)", "TypeError"),
        ("add(1, a=3)", "TypeError"),
        ("only_named('k')", "TypeError"),
        ("add(object())", "TypeError"),
        ("everything(float('nan'))", "ValueError"),
    ],
)
def test_tools_that_fail(make: Make, code: str, part: str) -> None:
    run = make(tools=sample_tools())
    assert outcome(run, code).startswith("CodeExecutionError: ") and part in outcome(run, code)
    assert run.execute("add(1)") == 3


def test_results_of_tools_must_be_json(make: Make) -> None:
    run = make(tools={"bad": lambda: object(), "nan": lambda: float("nan"), "big": lambda: "x" * 5_000_000})
    assert outcome(run, "bad()").startswith("CodeExecutionError: RuntimeError")
    assert outcome(run, "nan()").startswith("CodeExecutionError: RuntimeError")
    assert run.execute("len(big())") == 5_000_000


def test_tools_change_between_executions(make: Make) -> None:
    run = make(tools={"a": lambda: 1})
    assert run.execute("a()") == 1
    run.tools["b"] = lambda: 2
    assert run.execute("a() + b()") == 3
    run.tools["a"] = lambda: 10
    assert run.execute("a() + b()") == 12
    del run.tools["b"]
    assert outcome(run, "b()").startswith("CodeExecutionError: NameError")
    run.execute("a = 'mine'")
    assert run.execute("a()") == 10  # tools come back


def test_the_tools_given_are_not_those_changed(make: Make) -> None:
    given = {"a": lambda: 1}
    run = make(tools=given)
    run.tools["b"] = lambda: 2
    assert list(given) == ["a"] and isinstance(run.tools, dict)


@pytest.mark.parametrize("name", ["1x", "a b", "class", "SUBMIT", "__builtins__", ""])
def test_names_of_tools(make: Make, name: str) -> None:
    with pytest.raises(ValueError):
        make(tools={name: lambda: 1})


def test_llm_query_is_a_tool_like_others(make: Make) -> None:
    run = make(
        tools={"llm_query": lambda prompt: prompt.upper(), "llm_query_batched": lambda prompts: prompts[::-1]}
    )
    assert run.execute("llm_query('a'), llm_query(prompt='b'), llm_query_batched(['x', 'y'])") == [
        "A",
        "B",
        ["y", "x"],
    ]
    assert outcome(make(), "llm_query('a')").startswith("CodeExecutionError: NameError")


def test_async_tools_inside_of_a_loop(make: Make) -> None:
    run = make(tools=sample_tools())

    async def main() -> Any:
        return run.execute("later(1)")

    assert asyncio.run(main()) == 2


def test_settings_of_dspy_reach_tools(make: Make) -> None:
    run = make(tools={"name": lambda: dspy.settings.get("adapter").__class__.__name__})
    with dspy.context(adapter=dspy.JSONAdapter()):
        assert run.execute("name()") == "JSONAdapter"


def test_tools_cannot_execute(make: Make) -> None:
    run = make()
    run.tools["again"] = lambda: run.execute("1")
    assert "CodeInterpreterError" in outcome(run, "again()")
    assert run.execute("2") == 2


def test_cancellation_in_a_tool_reaches_the_caller(make: Make) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    run = make(tools={"stop": stop})
    with pytest.raises(KeyboardInterrupt):
        run.execute("try:\n    stop()\nexcept BaseException:\n    pass\nwhile True: pass")
    with pytest.raises(CodeInterpreterError):
        run.execute("1")


# --- SUBMIT -----------------------------------------------------------------------------------------------

FIELDS = [{"name": "answer", "type": "str"}, {"name": "score", "type": "float"}]
SUBMITS = [
    (None, "SUBMIT(1)", ("final", {"output": 1})),
    (None, "SUBMIT({'a': [1]})", ("final", {"output": {"a": [1]}})),
    (None, "SUBMIT(None)", ("final", {"output": None})),
    (None, "SUBMIT()", "TypeError"),
    (None, "SUBMIT(1, 2)", "TypeError"),
    (None, "SUBMIT(x=1)", "TypeError"),
    (FIELDS, "SUBMIT('a', 0.5)", ("final", {"answer": "a", "score": 0.5})),
    (FIELDS, "SUBMIT(answer='a', score=0.5)", ("final", {"answer": "a", "score": 0.5})),
    (FIELDS, "SUBMIT(score=0.5, answer='a')", ("final", {"answer": "a", "score": 0.5})),
    (FIELDS, "SUBMIT(**{'answer': 'a', 'score': 1})", ("final", {"answer": "a", "score": 1})),
    (FIELDS, "SUBMIT('a')", "TypeError"),
    (FIELDS, "SUBMIT('a', 1, 2)", "TypeError"),
    (FIELDS, "SUBMIT(answer='a', other=1)", "TypeError"),
    (FIELDS, "SUBMIT()", "TypeError"),
    ([{"name": "n"}], "SUBMIT(2 ** 70)", ("final", {"n": 2**70})),
    ([{"name": "n"}], "SUBMIT(1.0)", ("final", {"n": 1.0})),
    ([{"name": "n"}], "SUBMIT('é😀')", ("final", {"n": "é😀"})),
    ([{"name": "n", "type": "list"}], "SUBMIT((1, 2))", ("final", {"n": [1, 2]})),
    ([{"name": "n", "type": "str"}], "SUBMIT(5)", ("final", {"n": 5})),
    ([{"name": "n", "type": "int"}], "SUBMIT('5')", ("final", {"n": "5"})),
    ([{"name": "n"}], "print('seen')\nSUBMIT(1)\nprint('not')", ("final", {"n": 1})),
    (
        [{"name": "n"}],
        "def f():\n    try:\n        SUBMIT(1)\n    except Exception:\n        pass\nf()",
        ("final", {"n": 1}),
    ),
    ([{"name": "n"}], "try:\n    SUBMIT(1)\nfinally:\n    after = 1", ("final", {"n": 1})),
    ([{"name": "n"}], "for i in range(9):\n    SUBMIT(i)", ("final", {"n": 0})),
]


@pytest.mark.parametrize(("fields", "code", "expected"), SUBMITS, ids=[code[:45] for _, code, _ in SUBMITS])
def test_submit(make: Make, fields: Any, code: str, expected: Any) -> None:
    run = make(output_fields=fields)
    found = outcome(run, code)
    if expected == "TypeError":
        assert found.startswith("CodeExecutionError: TypeError")
    else:
        assert found == expected
    assert run.execute("'healthy'") == "healthy"


def test_state_after_submit(make: Make) -> None:
    run = make()
    assert outcome(run, "x = 1\nSUBMIT(x)") == ("final", {"output": 1})
    assert run.execute("x") == 1
    assert outcome(run, "SUBMIT(x + 1)") == ("final", {"output": 2})


def test_output_fields_change_between_executions(make: Make) -> None:
    run = make()
    assert outcome(run, "SUBMIT(1)") == ("final", {"output": 1})
    run.output_fields = [{"name": "a"}]
    assert outcome(run, "SUBMIT(1)") == ("final", {"a": 1})
    run.output_fields = [{"name": "a"}, {"name": "b", "type": "int"}]
    assert outcome(run, "SUBMIT(1, 2)") == ("final", {"a": 1, "b": 2})
    run.output_fields = None
    assert outcome(run, "SUBMIT(3)") == ("final", {"output": 3})
    run.execute("SUBMIT = 5")
    assert outcome(run, "SUBMIT(4)") == ("final", {"output": 4})


@pytest.mark.parametrize(
    "fields",
    [
        [{"name": "a b"}],
        [{"name": "class"}],
        [{}],
        [{"name": "a"}, {"name": "a"}],
        [{"name": "a", "type": object()}],
    ],
    ids=str,
)
def test_output_fields_that_are_wrong(make: Make, fields: Any) -> None:
    with pytest.raises(ValueError):
        make(output_fields=fields)


# --- life -------------------------------------------------------------------------------------------------


def test_it_is_a_code_interpreter(make: Make) -> None:
    run = make()
    assert isinstance(run, CodeInterpreter)
    assert isinstance(type(run).execution_instructions, str) and type(run).execution_instructions


def test_start_is_idempotent(make: Make) -> None:
    run = make()
    run.start()
    run.execute("x = 1")
    run.start()
    assert run.execute("x") == 1


def test_context_manager_and_call(make: Make) -> None:
    run = make()
    with run as entered:
        assert entered is run
        assert run("x + 1", {"x": 1}) == 2
    with pytest.raises(CodeInterpreterError):
        run("1")


def test_shutdown_is_final_and_idempotent(make: Make) -> None:
    run = make()
    run.execute("1")
    run.shutdown()
    run.shutdown()
    with pytest.raises(CodeInterpreterError):
        run.execute("1")
    with pytest.raises(CodeInterpreterError):
        run.start()
    never = make()
    never.shutdown()
    with pytest.raises(CodeInterpreterError):
        never.execute("1")


def test_a_lost_process_is_terminal(make: Make) -> None:
    run = make()
    run.execute("x = 1")
    for code in ("import os\nos._exit(3)", "x"):
        with pytest.raises(CodeInterpreterError) as caught:
            run.execute(code)
        assert not isinstance(caught.value, CodeExecutionError)
    with pytest.raises(CodeInterpreterError):
        run.start()


def test_a_timeout_is_terminal(make: Make) -> None:
    run = make(timeout=0.5)
    with pytest.raises(CodeInterpreterError) as caught:
        run.execute("while True: pass")
    assert not isinstance(caught.value, CodeExecutionError) and "0.5" in str(caught.value)
    with pytest.raises(CodeInterpreterError):
        run.execute("1")


@pytest.mark.parametrize("timeout", [0, -1])
def test_timeouts_that_are_wrong(make: Make, timeout: float) -> None:
    with pytest.raises(ValueError):
        make(timeout=timeout)


def test_callbacks(make: Make) -> None:
    seen: list[Any] = []

    class Watch(dspy.utils.callback.BaseCallback):
        def on_interpreter_startup_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            seen.append("start")

        def on_interpreter_execute_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            seen.append(("execute", inputs))

        def on_interpreter_execute_end(self, call_id: str, outputs: Any, exception: Any = None) -> None:
            seen.append(("done", outputs, type(exception).__name__))

        def on_interpreter_tool_call_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            seen.append(("tool", inputs))

        def on_interpreter_tool_call_end(self, call_id: str, outputs: Any, exception: Any = None) -> None:
            seen.append(("tool done", outputs))

        def on_interpreter_shutdown_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
            seen.append("shutdown")

    run = make(tools={"add": lambda a, b: a + b}, callbacks=[Watch()])
    run.execute("add(1, b=2)")
    with pytest.raises(CodeExecutionError):
        run.execute("1 / 0", {"x": 1})
    run.shutdown()
    assert seen == [
        ("execute", {"code": "add(1, b=2)", "variables": None}),
        "start",
        ("tool", {"tool_name": "add", "args": [1], "kwargs": {"b": 2}}),
        ("tool done", 3),
        ("done", 3, "NoneType"),
        ("execute", {"code": "1 / 0", "variables": {"x": 1}}),
        ("done", None, "CodeExecutionError"),
        "shutdown",
    ]


# --- threads ----------------------------------------------------------------------------------------------


def test_threads_of_the_code(make: Make) -> None:
    run = make(tools={"double": lambda x: 2 * x})
    assert run.execute(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as pool:\n"
        "    found = list(pool.map(double, range(20)))\n"
        "found"
    ) == [2 * number for number in range(20)]


def test_one_execution_at_a_time(make: Make) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait() -> bool:
        inside.set()
        return go_on.wait(20)

    run = make(tools={"wait": wait})
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(run.execute("wait()")))
    thread.start()
    assert inside.wait(20)
    with pytest.raises(CodeInterpreterError):
        run.execute("1")
    go_on.set()
    thread.join(20)
    assert found == [True]
    assert run.execute("2") == 2


def test_shutdown_ends_what_runs(make: Make) -> None:
    inside = threading.Event()
    run = make(tools={"tell": lambda: inside.set()})
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(outcome(run, "tell()\nwhile True: pass")))
    thread.start()
    assert inside.wait(20)
    try:
        run.shutdown()
    except BrokenPipeError:  # DSPy's own closes a pipe into which the other thread still writes the result of the tool
        assert not isinstance(run, Interpreter)
    thread.join(20)
    assert found == ["CodeInterpreterError"]
    with pytest.raises(CodeInterpreterError):
        run.execute("1")


def test_it_may_move_between_threads(make: Make) -> None:
    run = make()
    run.execute("x = 4")
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(run.execute("x")))
    thread.start()
    thread.join(20)
    assert found == [4]


# --- the facade of dspy -----------------------------------------------------------------------------------


def test_the_facade_installs(make: Make) -> None:
    from dspy.primitives.facade import FacadeInvocation

    run = make()
    FacadeInvocation({}, dspy.LocalInterpreter, None).install(run)
    assert run.execute("import dspy\ndspy.Predict is not None and hasattr(dspy, 'Module')") is True


# --- on purpose, ours differs -----------------------------------------------------------------------------


@pytest.fixture
def ours() -> Iterator[Interpreter]:
    with Interpreter() as interpreter:
        yield interpreter


def test_difference_leaving_is_no_error(ours: Interpreter) -> None:
    """sys.exit() and sys.exit(0) end the code as its last line would."""
    assert ours.execute("import sys\nprint('a')\nsys.exit(0)\nprint('b')") == "a"


def test_difference_threads_left_behind_are_stopped(ours: Interpreter) -> None:
    """They stand still until the next execution, where dspy.LocalInterpreter ends the session."""
    ours.execute(
        "import threading\nstop = threading.Event()\nthreading.Thread(target=stop.wait, daemon=True).start()"
    )
    assert ours.execute("stop.set()\n5") == 5


def test_difference_errors_tell_line_and_output(ours: Interpreter) -> None:
    with pytest.raises(CodeExecutionError) as caught:
        ours.execute("x = 0\nprint('so far')\ny = 1 / x\n")
    assert str(caught.value) == (
        "ZeroDivisionError: division by zero\n  line 3: y = 1 / x\n" "Printed before:\nso far"
    )
    assert any("Traceback" in note for note in caught.value.__notes__)
    with pytest.raises(SyntaxError, match=r"line 2"):
        ours.execute("x = 1\nx = = 2")


def test_difference_submit_says_what_has_no_json_form(ours: Interpreter) -> None:
    """dspy.LocalInterpreter hands in the repr of all fields together."""
    assert "object has no JSON form" in outcome(ours, "SUBMIT(object())")
    assert outcome(
        ours, "import datetime, decimal\nSUBMIT([{3, 1}, datetime.date(2020, 1, 2), decimal.Decimal('1.10')])"
    ) == ("final", {"output": [[1, 3], "2020-01-02", "1.10"]})


def test_difference_submit_is_typed(ours: Interpreter) -> None:
    """What DSPy could not convert is told where it happens."""
    ours.output_fields = [{"name": "rows", "type": "list"}, {"name": "n", "type": "int"}]
    assert (
        outcome(ours, "SUBMIT({}, 1)")
        == "CodeExecutionError: TypeError: SUBMIT: 'rows' must be list, not dict"
    )
    assert (
        outcome(ours, "SUBMIT([], None)")
        == "CodeExecutionError: TypeError: SUBMIT: 'n' must be int, not NoneType"
    )
    assert outcome(ours, "SUBMIT([])") == "CodeExecutionError: TypeError: SUBMIT takes rows, n; n is missing"


def test_difference_submit_takes_one_dict_and_mixed_values(ours: Interpreter) -> None:
    ours.output_fields = FIELDS
    assert outcome(ours, "SUBMIT({'answer': 'a', 'score': 1})") == ("final", {"answer": "a", "score": 1})
    assert outcome(ours, "SUBMIT('a', score=1)") == ("final", {"answer": "a", "score": 1})
    ours.output_fields = None
    assert outcome(ours, "SUBMIT(output=1)") == ("final", {"output": 1})


def test_difference_values_of_the_host_become_json(ours: Interpreter) -> None:
    """Models, dates and sets pass to the code, as with dspy.PythonInterpreter."""
    import datetime

    import pydantic

    class Model(pydantic.BaseModel):
        n: int

    ours.tools["model"] = lambda: Model(n=3)
    assert ours.execute("[m, d, model()]", {"m": Model(n=2), "d": datetime.date(2020, 1, 2)}) == [
        {"n": 2},
        "2020-01-02",
        {"n": 3},
    ]


def test_difference_positional_arguments_of_wrapped_tools(ours: Interpreter) -> None:
    """RLM wraps tools in functions that take names only; positions are theirs all the same."""

    def query(text: str, limit: int = 5) -> list[Any]:
        return [text, limit]

    ours.tools["query"] = dspy.Tool(query)
    assert ours.execute("query('a', 7), query('a'), query(text='b')") == [["a", 7], ["a", 5], ["b", 5]]


def test_difference_tools_have_documents(ours: Interpreter) -> None:
    ours.tools.update(sample_tools())
    shown = ours.execute("help(add)")
    assert "add(a: int, b: int = 2) -> int" in shown and "Adds." in shown
    assert ours.execute("add.__name__") == "add"


def test_difference_a_timeout_is_survived() -> None:
    with Interpreter(timeout=0.5) as run:
        run.execute("x = 1")
        with pytest.raises(CodeExecutionError, match="0.5 seconds"):
            run.execute("while True: pass")
        assert run.execute("x") == 1


def test_difference_names_of_hosts_are_free(ours: Interpreter) -> None:
    """Nothing but SUBMIT is in the namespace, and a name that ours use inside is anybody's."""
    assert json.loads(
        ours.execute(
            "import json\nnames = [name for name in globals() if not name.startswith('_')]\n"
            "json.dumps(sorted(set(names) - {'json', 'names'}))"
        )
    ) == ["SUBMIT"]
    assert ours.execute("ToolError + helve_request", {"ToolError": 1, "helve_request": 2}) == 3


def test_difference_code_that_breaks_the_session_ends_it() -> None:
    with Interpreter(tools={"a": lambda: 1}) as run:
        run.execute("globals().clear()")
        assert run.execute("a()") == 1  # that it survives
        assert run.execute("import builtins, sys\nsys.modules['_helve_dspy'] = 1") is None
        with pytest.raises(CodeInterpreterError, match="Create another"):
            run.execute("1")


SHADOWED = ("globals __import__ __builtins__ print len type isinstance dict list str object getattr exec compile "
            "json sys begin _helve_dspy").split()


@pytest.mark.parametrize("value", ["5", "{}", "None"])
@pytest.mark.parametrize("name", SHADOWED)
def test_difference_names_with_other_meanings_break_nothing(name: str, value: str) -> None:
    with Interpreter(tools={"a": lambda: 1}) as run:
        assert run.execute(f"x = [7]\n{name} = {value}\nx") == [7]
        assert run.execute("a()") == 1
        assert run.execute("y = 8", {"given": 3}) is None
        assert run.execute("x[0] + y + given") == 18
        assert run.execute("SUBMIT(3)") == FinalOutput({"output": 3})


@pytest.mark.parametrize("name", [name for name in SHADOWED if not name.startswith("__")])
def test_difference_variables_with_names_of_builtins(ours: Interpreter, name: str) -> None:
    assert ours.execute(name, {name: 1}) == 1
    assert ours.execute("[2]") == [2]


@pytest.mark.parametrize("name", ["__import__", "__name__", "__x__"])
def test_difference_names_between_underscores_are_no_variables(ours: Interpreter, name: str) -> None:
    assert outcome(ours, "1", {name: 1}) == "CodeInterpreterError"
    assert ours.execute("1") == 1


@pytest.mark.parametrize("fields", [None, [{"name": "answer", "type": "str"}]])
def test_difference_a_forged_submit_has_the_declared_fields(fields: Any) -> None:
    with Interpreter(output_fields=fields) as run:
        name = "output" if fields is None else "answer"
        run.execute("import json, sys\nforge = sys.modules['_helve_dspy'].hand_in")
        for output in ({"evil": 1}, {name: "a", "evil": 1}, {}, [name], None):
            with pytest.raises(CodeExecutionError, match=f"that takes {name}"):
                run.execute(f"forge(answer={json.dumps(output)!r})")
        assert run.execute("SUBMIT('a')") == FinalOutput({name: "a"})


def test_difference_forged_calls_are_refused(ours: Interpreter) -> None:
    """The host reads what code sends it like any input."""
    ours.tools["a"] = lambda: 1
    ours.execute("import sys, json\nhost = sys.modules['_helve_dspy'].host")
    for text in (
        "'no json'",
        "'[]'",
        "'{}'",
        "json.dumps({'tool': 'b'})",
        "json.dumps({'tool': 'a', 'args': 5})",
        "json.dumps({'tool': ['a']})",
        "'[' * 100000",
    ):
        assert "error" in json.loads(ours.execute(f"host({text})"))
    assert "SUBMIT" in outcome(ours, "sys.modules['_helve_dspy'].hand_in(other=1)")
    assert ours.execute("a()") == 1
