#!/usr/bin/env python3
"""ask with models that are functions: answers, events as a loop and as an async loop, limits, interrupts."""

import asyncio
import json
import os
import signal
import tempfile
import threading
import unittest
from pathlib import Path

import helve

QUERY = "SELECT ?p { ?p a sol:TerrestrialPlanet }"


class Script:
    """A model that answers from a list, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        return answer(request) if callable(answer) else answer


def call(name, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}]}


def script():
    return Script(call("sparql_query", query=QUERY), call("submit", answer="four", handles=["results_0"]))


class AskTest(unittest.TestCase):
    def setUp(self):
        self.session = helve.open("sample:")
        self.addCleanup(self.session.close)

    def test_an_answer_rests_on_a_handle(self):
        model = script()
        answer = self.session.ask("How many terrestrial planets are there?", provider=model)
        self.assertEqual((answer.content, answer.stop_reason, answer.converged), ("four", "submitted", True))
        self.assertEqual(answer["structured_artifacts"][0]["handle"], "results_0")
        self.assertEqual(len(self.session.handle("results_0").rows()), 4)
        self.assertEqual(str(answer), "four")
        self.assertIn("TerrestrialPlanet", answer.query)
        first, second = model.requests
        self.assertIn("How many terrestrial planets", first["messages"][-1]["text"])
        self.assertIn("sparql_query", [tool["name"] for tool in first["tools"]])
        self.assertEqual(first["tools"][0]["input_schema"]["type"], "object")
        self.assertEqual(second["messages"][-2]["calls"][0]["arguments"], {"query": QUERY})
        self.assertEqual(second["messages"][-1]["role"], "tool")
        self.assertIn("<data ", second["messages"][-1]["text"])
        self.assertRaises(AttributeError, lambda: answer.nothing)

    def test_async_models(self):
        model = script()

        async def later(request):
            await asyncio.sleep(0)
            return model(request)

        self.assertEqual(self.session.ask("How many?", provider=later).content, "four")

        async def inside():
            return self.session.ask("How many?", provider=later)

        with self.assertRaisesRegex(helve.Unavailable, "ask_stream"):
            asyncio.run(inside())

    def test_async_models_run_on_the_loop_of_their_caller(self):
        model, loops = script(), []

        async def later(request):
            loops.append(asyncio.get_running_loop())
            await asyncio.sleep(0)
            return model(request)

        async def read():
            events = [event async for event in self.session.ask_stream("How many?", provider=later)]
            return events[-1].answer.content, {loop is asyncio.get_running_loop() for loop in loops}

        self.assertEqual(asyncio.run(read()), ("four", {True}))

    def test_cancelling_reaches_async_models(self):
        ended = []

        async def endless(request):
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise

        async def read():
            stream = self.session.ask_stream("How many?", provider=endless)

            async def listen():
                async for _ in stream:
                    pass

            task = asyncio.create_task(listen())
            await asyncio.sleep(0.3)
            stream.cancel()
            await asyncio.wait_for(task, 20)

        asyncio.run(read())
        self.assertEqual(ended, ["cancelled"])
        token = helve.CancelToken()
        threading.Timer(0.3, token.cancel).start()
        self.assertEqual(self.session.ask("How many?", provider=endless, cancel=token).stop_reason, "cancelled")

    def test_ctrl_c_after_an_async_model(self):
        async def first(request):
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            return call("sparql_query", query="SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?c < ?i) }",
                        validate=False)

        with self.assertRaises(KeyboardInterrupt):
            self.session.ask("How many?", provider=first)

    def test_the_token_of_the_caller_is_left_alone(self):
        token = helve.CancelToken()
        list(self.session.ask_stream("How many?", provider=script(), cancel=token))
        self.assertFalse(token.is_cancelled)

    def test_events_as_a_loop(self):
        heard = []
        stream = self.session.ask_stream("How many?", provider=script(), on_event=heard.append)
        events = list(stream)
        kinds = [(event.kind, event.name) for event in events]
        self.assertIn(("tool_call", "sparql_query"), kinds)
        self.assertIn(("tool_result", "sparql_query"), kinds)
        self.assertEqual(events[-1].kind, "answer")
        self.assertEqual(events[-1].answer.content, "four")
        self.assertEqual(stream.answer, events[-1].answer)
        self.assertEqual(heard, events[:-1])
        self.assertRaises(helve.InvalidInput, list, stream)

    def test_events_as_an_async_loop(self):
        async def read():
            return [event async for event in self.session.ask_stream("How many?", provider=script())]

        events = asyncio.run(read())
        self.assertIn("tool_call", [event.kind for event in events])
        self.assertEqual(events[-1].answer.content, "four")

    def test_two_async_loops_at_once(self):
        async def read():
            return [event async for event in self.session.ask_stream("How many?", provider=Script("four", "four"))]

        async def both():
            return await asyncio.gather(read(), read())

        for events in asyncio.run(both()):
            self.assertEqual(events[-1].kind, "answer")

    def test_a_loop_that_ends_early_ends_the_run(self):
        asked = threading.Event()

        def endless(request):
            asked.set()
            return call("sparql_count", query="sol:TerrestrialPlanet")

        stream = self.session.ask_stream("How many?", provider=endless, limits={"steps_max": 10_000,
                                                                               "tool_calls_max": 10_000})
        for event in stream:
            if event.kind == "tool_result":
                break
        del event
        self.assertTrue(asked.is_set())
        stream._thread.join(20)
        self.assertFalse(stream._thread.is_alive())

        async def one():
            stream = self.session.ask_stream("How many?", provider=endless, limits={"steps_max": 10_000,
                                                                                   "tool_calls_max": 10_000})
            events = aiter(stream)
            await anext(events)
            await events.aclose()
            return stream

        stream = asyncio.run(one())
        stream._thread.join(20)
        self.assertFalse(stream._thread.is_alive())
        self.assertEqual(stream.answer.stop_reason, "cancelled")

    def test_a_stream_can_be_cancelled(self):
        stream = self.session.ask_stream("How many?", provider=lambda request: call("sparql_schema"))
        for event in stream:
            stream.cancel()
        self.assertEqual(stream.answer.stop_reason, "cancelled")

    def test_limits_and_wrong_words(self):
        answer = self.session.ask("How many?", provider=lambda request: call("sparql_schema"), limits={"steps_max": 2})
        self.assertEqual(answer.stop_reason, "step_cap")
        with self.assertRaisesRegex(TypeError, "limits has no 'steps'"):
            self.session.ask("How many?", provider=script(), limits={"steps": 2})
        with self.assertRaisesRegex(TypeError, "provider has no 'modl'"):
            self.session.ask("How many?", provider={"modl": "x"})
        self.assertRaises(TypeError, self.session.ask, "How many?", provider=3)
        self.assertRaises(TypeError, self.session.ask, "How many?", lop="rlm")
        self.assertRaises(helve.InvalidInput, self.session.ask, " ", provider=script())
        self.assertRaises(helve.InvalidInput, self.session.ask, "x", provider=script(), loop="other")
        self.assertRaises(helve.InvalidInput, list, self.session.ask_stream(" ", provider=script()))
        self.assertRaises(TypeError, self.session.ask_stream, "How many?", provder=script())
        self.assertRaises(TypeError, self.session.ask, None, provider=script())
        answer = self.session.ask("x", provider=lambda _: "four", layers=["L0"], budget={"l0": 300})
        self.assertEqual(answer.content, "four")

    def test_without_a_model_the_ways_to_give_one_are_told(self):
        kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("HELVE_MODEL")
                or name in ("HELVE_PROVIDER", "OPENAI_API_KEY", "ANTHROPIC_API_KEY")}
        self.addCleanup(os.environ.update, kept)
        with self.assertRaises(helve.NotFound) as raised:
            self.session.ask("How many?")
        self.assertIn("HELVE_", str(raised.exception))

    def test_a_model_that_raises_fails_the_run(self):
        def broken(request):
            raise RuntimeError("no electricity")

        with self.assertRaisesRegex(helve.Unavailable, "RuntimeError: no electricity") as raised:
            self.session.ask("How many?", provider=broken)
        self.assertIsInstance(raised.exception.__cause__, RuntimeError)
        self.assertEqual(raised.exception.result.stop_reason, "failed")
        with self.assertRaises(helve.Unavailable):
            list(self.session.ask_stream("How many?", provider=broken))
        with self.assertRaisesRegex(helve.HelveError, "unknown member"):
            self.session.ask("x", provider=lambda _: {"txt": "a"})
        with self.assertRaises(helve.HelveError) as raised:
            self.session.ask("x", provider=lambda _: "\ud800")
        self.assertNotEqual(raised.exception.code, "internal")

    def test_interrupts_pass_through(self):
        def interrupt(request):
            os.kill(os.getpid(), signal.SIGINT)
            return "late"

        with self.assertRaises(KeyboardInterrupt):
            self.session.ask("How many?", provider=interrupt)

        def leave(request):
            raise SystemExit(3)

        with self.assertRaises(SystemExit):
            self.session.ask("How many?", provider=leave)
        with self.assertRaises(SystemExit):
            list(self.session.ask_stream("How many?", provider=leave))
        self.assertEqual(self.session.ask("How many?", provider=script()).content, "four")

    def test_listeners_that_raise_do_not_end_the_run(self):
        def listener(event):
            raise ValueError("not interested")

        import sys

        told, sys.unraisablehook = [], lambda hooked: told.append(str(hooked.exc_value))
        try:
            self.assertEqual(self.session.ask("How many?", provider=script(), on_event=listener).content, "four")
        finally:
            sys.unraisablehook = sys.__unraisablehook__
        self.assertIn("not interested", told)

    def test_steering(self):
        model = script()
        words = {1: None, 2: "count again"}
        self.session.ask("How many?", provider=model, steering=lambda step: words.get(step))
        self.assertIn("count again", json.dumps(model.requests[1]["messages"]))
        self.assertEqual(self.session.ask("How many?", provider=script(), steering=lambda step: False).stop_reason,
                         "cancelled")

    def test_scripts_trajectories_and_the_model_without_one(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            answer = self.session.ask("How many moons does Mars have?", provider="builtin", model="builtin:rules",
                                      trajectory_file=path, times=False)
            self.assertIn(answer.stop_reason, ("submitted", "step_cap", "no_answer"))
            kinds = [json.loads(line)["kind"] for line in path.read_text().splitlines()]
            self.assertEqual((kinds[0], kinds[-1]), ("run_start", "run_end"))

    def test_code_in_the_sandbox(self):
        model = Script("```python\nr = sparql_query('" + QUERY + "')\nprint(len(r.rows(0, 10)))\n```",
                       "```python\nSUBMIT(answer=str(r['rows']))\n```")
        try:
            answer = self.session.ask("How many?", provider=model, loop="rlm")
        except helve.Denied as missing:
            if os.environ.get("HELVE_SANDBOX_MUST_RUN"):
                raise
            self.skipTest(f"THE SANDBOX CANNOT RUN HERE: {missing}")
        self.assertEqual(answer.content, "4", answer)


if __name__ == "__main__":
    unittest.main()
