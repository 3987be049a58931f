"""helve.models: answers of functions, and the server that asks them."""

import http.client
import json
import threading
import unittest

from helve import errors, models
from helve.model_server import read_request

REQUEST = {
    "model": "m", "stream": True, "max_tokens": 77,
    "tools": [{"type": "function", "function": {"name": "find", "description": "Finds.",
                                                "parameters": {"type": "object"}}}],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "a1", "type": "function", "function": {"name": "find", "arguments": "{\"q\": 1}"}}]},
        {"role": "tool", "tool_call_id": "a1", "content": "error (not_found): there is none"},
        {"role": "tool", "tool_call_id": "a2", "content": "error is a word"},
    ],
}


class Answers(unittest.TestCase):
    def test_a_text(self):
        self.assertEqual(models.normalise_answer("hi"), {
            "text": "hi", "reasoning": "", "model": "", "calls": [], "input_tokens": None,
            "output_tokens": None, "cost": None})

    def test_a_dict(self):
        answer = models.normalise_answer({
            "calls": [{"name": "f", "arguments": {"a": [1]}},
                      {"name": "g", "arguments": "{\"b\": 2}", "id": "x"},
                      {"name": "h"}],
            "input_tokens": 3, "output_tokens": 0, "cost": 1, "model": None})
        self.assertEqual(answer["calls"], [{"id": "", "name": "f", "arguments": {"a": [1]}},
                                           {"id": "x", "name": "g", "arguments": {"b": 2}},
                                           {"id": "", "name": "h", "arguments": {}}])
        self.assertEqual((answer["text"], answer["input_tokens"], answer["cost"]), ("", 3, 1.0))

    def test_what_cannot_be_used(self):
        for value, says in (
            ("\ud800", "U+D800"), ({"calls": [{"name": "f", "arguments": {"x": ["\udfff"]}}]}, "U+DFFF"),
            ({"calls": [{"name": "\ud800"}]}, "U+D800"), ({"calls": [{"name": "f", "id": "\ud800"}]}, "U+D800"),
            (None, "None"), (3, "int 3"), ({"txt": "x"}, "'txt'"), ({"text": 3}, "text"),
            ({"calls": "f"}, "calls"), ({"calls": [3]}, "call 1"), ({"calls": [{}]}, "no name"),
            ({"calls": [{"name": "f", "arguments": "{"}]}, "no JSON"),
            ({"calls": [{"name": "f", "arguments": [1]}]}, "list"),
            ({"calls": [{"name": "f", "arguments": {"x": float("nan")}}]}, "no JSON"),
            ({"calls": [{"name": "f", "arguments": {"x": object()}}]}, "no JSON"),
            ({"calls": [{"name": "f", "args": {}}]}, "'args'"),
            ({"calls": [{"name": "f"}] * 129}, "129"),
            ({"input_tokens": -1}, "input_tokens"), ({"output_tokens": True}, "output_tokens"),
            ({"cost": float("inf")}, "cost"), ({"cost": "1"}, "cost"),
        ):
            with self.subTest(value), self.assertRaises(errors.InvalidInput) as caught:
                models.normalise_answer(value)
            self.assertIn(says, caught.exception.message)
            self.assertTrue(caught.exception.hint)

    def test_names_of_models(self):
        self.assertRegex(models.name_of(lambda request: ""), r"^python:[\w.-]+_lambda_$")


class Requests(unittest.TestCase):
    def test_what_a_function_gets(self):
        name, request = read_request(json.dumps(REQUEST).encode())
        self.assertEqual(name, "m")
        self.assertEqual((request["system"], request["output_tokens_max"]), ("Be brief.", 77))
        self.assertEqual(request["tools"], [
            {"name": "find", "description": "Finds.", "input_schema": {"type": "object"}}])
        empty = {"calls": [], "call_id": "", "is_error": False}
        self.assertEqual(request["messages"][0], {"role": "user", "text": "Where?", **empty})
        self.assertEqual(request["messages"][1]["calls"],
                         [{"id": "a1", "name": "find", "arguments": {"q": 1}}])
        self.assertEqual([(one["call_id"], one["is_error"]) for one in request["messages"][2:]],
                         [("a1", True), ("a2", False)])

    def test_what_is_none(self):
        for body in (b"", b"[]", b"{}", b'{"model": "m", "messages": [3]}', b"\xff",
                     b'{"model": "m", "messages": [{"role": "x"}]}', b"[" * 100_000):
            with self.subTest(body[:20]), self.assertRaises(errors.InvalidInput):
                read_request(body)


class Servers(unittest.TestCase):
    def ask(self, server, request=None, *, key=None, path="/v1/chat/completions", headers=None):
        port = int(server.url.split(":")[2].split("/")[0])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.addCleanup(connection.close)
        body = json.dumps(request or REQUEST)
        key = key if key is not None else server.env[server.key_name]
        connection.request("POST", path, body, {"Authorization": f"Bearer {key}", **(headers or {})})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())

    def test_an_answer(self):
        answer = {"text": "a", "reasoning": "r", "calls": [{"name": "find", "arguments": {"q": "é"}}],
                  "input_tokens": 5, "output_tokens": 6, "cost": 0.5}
        with models.serve({"m": lambda request: answer}) as server:
            status, reply = self.ask(server)
        message = reply["choices"][0]["message"]
        self.assertEqual((status, message["content"], message["reasoning_content"]), (200, "a", "r"))
        self.assertEqual(json.loads(message["tool_calls"][0]["function"]["arguments"]), {"q": "é"})
        self.assertEqual(reply["usage"], {"prompt_tokens": 5, "completion_tokens": 6, "cost": 0.5})

    def test_only_who_has_the_key_is_answered(self):
        called = []
        with models.serve({"m": called.append}) as server:
            self.assertEqual(self.ask(server, key="wrong")[0], 401)
            self.assertEqual(self.ask(server, key="")[0], 401)
            self.assertEqual(self.ask(server, path="/v1/models")[0], 404)
            self.assertEqual(self.ask(server, headers={"Content-Length": "99999999999"})[0], 413)
            self.assertEqual(self.ask(server, {**REQUEST, "model": "other"})[0], 400)
        self.assertEqual(called, [])
        self.assertIsNone(server.error)

    def test_what_a_function_raises_is_told_and_kept(self):
        def fails(request):
            raise KeyError("lost")

        def denies(request):
            raise errors.Denied("no")

        with models.serve({"m": fails, "d": denies}) as server:
            status, reply = self.ask(server)
            self.assertEqual(status, 500)
            self.assertIn("KeyError: 'lost'", reply["error"]["message"])
            self.assertEqual(self.ask(server, {**REQUEST, "model": "d"})[0], 403)
        self.assertIsInstance(server.error, KeyError)

    def test_a_slow_answer_is_preceded_by_blanks(self):
        go_on = threading.Event()
        with models.serve({"m": lambda request: go_on.wait(30) and "late"}, quiet=0.05) as server:
            timer = threading.Timer(0.5, go_on.set)
            timer.start()
            status, reply = self.ask(server)
        self.assertEqual((status, reply["choices"][0]["message"]["content"]), (200, "late"))

    def test_it_ends_with_the_block_whatever_still_runs(self):
        release = threading.Event()
        self.addCleanup(release.set)
        entered = threading.Event()

        def stuck(request):
            entered.set()
            release.wait(60)

        with models.serve({"m": stuck}) as server:
            def ask():
                try:
                    self.ask(server)
                except (OSError, http.client.HTTPException, ValueError):
                    pass
            thread = threading.Thread(target=ask)
            thread.start()
            self.assertTrue(entered.wait(30))
        thread.join(30)
        self.assertFalse(thread.is_alive())
        with self.assertRaises(OSError):
            self.ask(server)

    def test_a_port_that_is_taken(self):
        with models.serve(lambda request: "") as server:
            port = int(server.url.split(":")[2].split("/")[0])
            with self.assertRaises(errors.Unavailable), models.serve(lambda request: "", port=port):
                pass

    def test_no_function(self):
        with self.assertRaises(TypeError), models.serve({"m": "text"}):
            pass


class Options(unittest.TestCase):
    def test_functions_become_servers(self):
        def model(request):
            return ""

        given = {"model": model, "judge_model": model, "extract_model": lambda request: "", "out": "x"}
        with models.served_options(given) as (settled, env):
            self.assertEqual((settled["provider"], settled["out"]), ("chat", "x"))
            self.assertRegex(settled["judge_model"], r"^chat:python:.*model@http://127.0.0.1:\d+/v1$")
            self.assertEqual(settled["extract_key"], f"env:{models.KEY_NAME}")
            self.assertNotIn(env[models.KEY_NAME], str(settled))

    def test_names_pass(self):
        with models.served_options({"model": "builtin:rules"}) as (settled, env):
            self.assertEqual((settled, env), ({"model": "builtin:rules"}, {}))

    def test_a_function_has_no_other_server(self):
        with self.assertRaisesRegex(TypeError, "url is not for it"):
            with models.served_options({"model": lambda request: "", "url": "http://x/v1"}):
                pass


if __name__ == "__main__":
    unittest.main()
