#!/usr/bin/env python3
"""The sandbox from Python: blocks, functions of the host, models, events, ends."""

import gc
import os
import signal
import threading
import time
import unittest
import weakref

import helve


def setUpModule():
    try:
        helve.Sandbox().shutdown()
    except helve.Denied as missing:
        if os.environ.get("HELVE_SANDBOX_MUST_RUN"):
            raise
        raise unittest.SkipTest(f"THE SANDBOX CANNOT RUN HERE: {missing}")


class BlocksTest(unittest.TestCase):
    def setUp(self):
        self.box = helve.Sandbox()
        self.addCleanup(self.box.shutdown)

    def test_all_that_comes_of_a_block(self):
        block = self.box.execute("x = n * 2\nprint('hello')\nx", {"n": 21, "rows": [{"a": None}]})
        self.assertEqual((block.end, block.output, block.value, block.value_type), ("finished", "hello\n", "42", "int"))
        self.assertIsNone(block.error)
        self.assertEqual(self.box.variable("x"), 42)
        self.assertEqual(self.box.variable("rows"), [{"a": None}])
        self.assertEqual([one["name"] for one in self.box.variables()], ["n", "rows", "x"])

    def test_errors_and_submissions_come_together_with_output(self):
        block = self.box.execute("print('before')\nSUBMIT(answer=1)\n1/0")
        self.assertEqual(block.submitted, {"answer": 1})
        self.assertEqual(block.output, "before\n")
        block = self.box.execute("print('a')\nraise ValueError('no')")
        self.assertEqual((block.end, block.output), ("raised", "a\n"))
        self.assertEqual((block.error.type, block.error.message, block.error.line), ("ValueError", "no", 2))
        self.assertEqual(self.box.execute("(").error.type, "SyntaxError")

    def test_large_variables_both_ways(self):
        text = "ä" * 5_000_000
        self.box.execute("y = x[::-1]", {"x": text})
        self.assertEqual(self.box.variable("y"), text)

    def test_what_cannot_go_in_is_refused(self):
        for value in ({1, 2}, float("nan"), object()):
            with self.assertRaises(helve.InvalidInput):
                self.box.execute("pass", {"x": value})
        with self.assertRaises(helve.HelveError):
            self.box.execute("pass", {"not a name": 1})
        self.assertEqual(self.box.execute("1").value, "1")

    def test_it_holds(self):
        for code in ("open('/etc/passwd').read()", "import socket; socket.create_connection(('127.0.0.1', 1))",
                     "import os; os.fork()", "import subprocess; subprocess.run(['true'])"):
            self.assertNotEqual(self.box.execute(code).end, "finished", code)
        self.assertTrue(all(layer["holds"] for layer in self.box.layers))

    def test_a_time_interrupts_and_variables_stay(self):
        self.box.execute("x = 1")
        block = self.box.execute("while True: pass", timeout=0.3)
        self.assertEqual(block.end, "interrupted")
        self.assertEqual(self.box.execute("x").value, "1")

    def test_a_lost_session_says_why(self):
        block = self.box.execute("import os; os._exit(3)")
        self.assertEqual(block.end, "lost")
        self.assertIsInstance(block.lost, helve.HelveError)
        self.assertFalse(self.box.is_alive)
        self.assertRaises(helve.HelveError, self.box.execute, "1")


class FunctionsTest(unittest.TestCase):
    def setUp(self):
        self.box = helve.Sandbox()
        self.addCleanup(self.box.shutdown)

    def test_functions_of_the_host(self):
        def join(words: list, by: str = "-", times: int = None):
            """Joins words."""
            return {"text": by.join(words) * (times or 1), "thread": threading.get_ident()}

        self.box.register_tool(join)
        block = self.box.execute("import inspect\nprint(join(['a', 'b'])['text'], join(by='+', words=['c', 'd'], times=2)"
                                 "['text'], inspect.signature(join), join.__doc__)\njoin([])['thread']")
        self.assertEqual(block.output.strip(),
                         "a-b c+dc+d (words: list, by: str = '-', times: int = None) -> object Joins words.")
        self.assertEqual(block.value, str(threading.get_ident()))
        self.assertEqual(block.tool_calls, 3)
        self.box.register_tool(lambda: "new", name="join")
        self.assertEqual(self.box.execute("join()").value, "'new'")

    def test_what_a_function_raises_is_raised_there(self):
        def fail():
            raise KeyError("missing")

        def odd():
            return {1, 2}

        for function in (fail, odd):
            self.box.register_tool(function)
        block = self.box.execute("try:\n    fail()\nexcept Exception as e:\n    print(type(e).__name__, e)\nodd()")
        self.assertIn("KeyError: 'missing'", block.output)
        self.assertIn("not JSON serializable", block.error.message)

    def test_functions_that_cannot_be_called_by_name(self):
        with self.assertRaises(helve.InvalidInput):
            self.box.register_tool(lambda *args: 1, name="f")
        with self.assertRaises(helve.InvalidInput):
            self.box.register_tool(lambda: 1, name="no name")
        self.box.register_tool(lambda **given: given, name="f", parameters=[{"name": "x", "type": "int"},
                                                                            {"name": "y", "default": [1]}])
        self.assertEqual(self.box.execute("f(2)").value, "{'x': 2, 'y': [1]}")

    def test_interrupts_of_the_host_pass_through(self):
        def stop():
            raise KeyboardInterrupt

        self.box.register_tool(stop)
        with self.assertRaises(KeyboardInterrupt):
            self.box.execute("try:\n    stop()\nexcept BaseException:\n    pass\nwhile True: pass")
        self.assertEqual(self.box.execute("1 + 1").value, "2")

    def test_ctrl_c_ends_a_block(self):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            self.box.execute("while True: pass")
        self.assertEqual(self.box.execute("1 + 1").value, "2")

    def test_tools_of_a_session(self):
        with helve.open("sample:", policy=helve.SafetyPolicy(max_rows=50)) as session:
            self.box.register_tools(session)
            block = self.box.execute(
                "r = sparql_query('SELECT ?p { ?p a sol:TerrestrialPlanet } ORDER BY ?p')\n"
                "print(r['rows'], r.rows(0, 1)[0]['p'].rsplit('/')[-1])\nSUBMIT(handle=r['key'])")
            self.assertEqual(block.output, "4 Earth\n")
            self.assertEqual(len(session.handle(block.submitted["handle"]).rows()), 4)

    def test_models(self):
        self.box.set_model(lambda prompts: [prompt.upper() for prompt in prompts])
        self.assertEqual(self.box.execute("llm_query('a'), llm_query_batched(['b', 'c'])").value, "('A', ['B', 'C'])")
        self.box.set_model(lambda prompts: 7)
        self.assertEqual(self.box.execute("llm_query('a')").end, "raised")

    def test_typed_submissions(self):
        with helve.Sandbox(submit_fields=["answer: str", {"name": "count", "type": "int"}]) as box:
            self.assertEqual(box.execute("SUBMIT('x', count='no')").end, "raised")
            self.assertEqual(box.execute("SUBMIT('x', 2)").submitted, {"answer": "x", "count": 2})


    def test_a_function_cannot_run_more_code(self):
        def again():
            return self.box.execute("1").value

        def value():
            return self.box.variable("x")

        self.box.register_tool(again)
        self.box.register_tool(value)
        block = self.box.execute("x = 5\nfor f in (again, value):\n    try:\n        f()\n"
                                 "    except Exception as e:\n        print(e)\nx")
        self.assertEqual(block.output.count("is running code"), 2)
        self.assertEqual(self.box.execute("x + 1").value, "6")

    def test_async_functions_are_waited_for(self):
        async def later(x: int):
            return x + 1

        self.box.register_tool(later)
        self.assertEqual(self.box.execute("later(1)").value, "2")

    def test_odd_texts(self):
        def fail():
            raise ValueError("boom \ud800")

        self.box.register_tool(fail)
        self.assertIn("boom \\ud800", self.box.execute("fail()").error.message)
        for wrong in (None, 5, b"1"):
            with self.assertRaises(TypeError):
                self.box.execute(wrong)
        for call in (lambda: self.box.execute("'\ud800'"), lambda: self.box.execute("1", {"x": float("nan")})):
            self.assertRaises(helve.InvalidInput, call)
        self.assertRaises(TypeError, self.box.execute, "1", {1: 1})
        self.assertRaises(TypeError, self.box.register_tool, 5)
        self.box.set_model(None)
        self.assertIn("no model", self.box.execute("llm_query('a')").error.message)
        self.box.set_model(lambda prompts: "ab")
        self.assertEqual(self.box.execute("llm_query_batched(['a', 'b'])").end, "raised")

    def test_listeners_let_interrupts_through(self):
        def listener(event):
            raise KeyboardInterrupt

        with helve.Sandbox(on_event=listener) as box:
            box.register_tool(lambda: 1, name="one")
            with self.assertRaises(KeyboardInterrupt):
                box.execute("one()\nwhile True: pass")

    def test_ctrl_c_while_a_value_is_read(self):
        self.box.execute("class Slow(dict):\n    def items(self):\n        while True: pass\nx = Slow(a=1)")
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises((KeyboardInterrupt, helve.HelveError)):
            self.box.variable("x")


class LifeTest(unittest.TestCase):
    def test_registering_while_code_runs(self):
        with helve.Sandbox(tool_calls_max=1_000_000) as box:
            box.register_tool(lambda: 1, name="one")
            end = time.monotonic() + 1.5

            def register():
                while time.monotonic() < end:
                    box.register_tool(lambda: 1, name="one")
                    box.set_model(lambda prompts: prompts)

            thread = threading.Thread(target=register)
            thread.start()
            while time.monotonic() < end:
                self.assertEqual(box.execute("sum(one() for _ in range(20))").value, "20")
            thread.join()

    def test_shutdown_wins_against_a_loop_of_blocks(self):
        box = helve.Sandbox()
        ended = []

        def repeat():
            try:
                while True:
                    ended.append(box.execute("while True: pass").end)
            except helve.Unavailable as closed:
                ended.append(closed.code)

        thread = threading.Thread(target=repeat)
        thread.start()
        time.sleep(0.2)
        box.shutdown()
        thread.join(20)
        self.assertEqual(ended, ["interrupted", "unavailable"])

    def test_events(self):
        events = []
        with helve.Sandbox(on_event=events.append) as box:
            box.register_tool(lambda: 1, name="one")
            box.execute("print(one())")
        self.assertIn(("tool_call", "one"), [(event.kind, event.name) for event in events])

    def test_circles_are_collected_and_end_the_process(self):
        box = helve.Sandbox()
        box.register_tool(lambda: box.is_alive, name="alive")
        box.set_model(lambda prompts: [str(box)] * len(prompts))
        self.assertEqual(box.execute("alive()").value, "True")
        gone = weakref.ref(box)
        del box
        gc.collect()
        self.assertIsNone(gone())

    def test_shutdown_from_another_thread_ends_a_block(self):
        box = helve.Sandbox()
        ends = []
        thread = threading.Thread(target=lambda: ends.append(box.execute("while True: pass").end))
        thread.start()
        time.sleep(0.2)
        box.shutdown()
        thread.join(10)
        self.assertEqual(ends, ["interrupted"])
        self.assertFalse(box.is_alive)
        with self.assertRaisesRegex(helve.Unavailable, "closed"):
            box.execute("1")
        box.shutdown()

    def test_many_at_once_leave_nothing_behind(self):
        before = len(os.listdir("/proc/self/fd"))

        def work():
            for number in range(5):
                with helve.Sandbox() as box:
                    assert box.execute(f"{number} + 1").value == str(number + 1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gc.collect()
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), before)

    def test_wrong_options(self):
        self.assertRaises(TypeError, helve.Sandbox, block_tim=1)
        self.assertRaises(ValueError, helve.Sandbox, block_time=-1)
        self.assertRaises(TypeError, helve.Sandbox, memory_bytes_max="much")
        self.assertRaises(helve.HelveError, helve.Sandbox, python="/nowhere/python3")


if __name__ == "__main__":
    unittest.main()
