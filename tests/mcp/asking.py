#!/usr/bin/env python3
"""When the server asks the client, in both eras, and streams that are taken up again: asking.py HELVE

The fixtures of `--conformance` ask; what is carried by modern clients must be refused where it was
changed, or comes from another caller or another call.
"""

import json
import time
import unittest
from pathlib import Path

import mcp_schema
import mcp_server
from mcp_client import META, MODERN, HttpConnection, HttpPeer, StdioPeer, encode
from mcp_server import HttpProgram, Program, in_background

ALL = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
ROUNDS_MAX = 5


def observer():
    return None if mcp_schema.why_not() else mcp_schema.Observer()


def filled(schema):
    """Something that fits a form."""
    values = {"string": "yes", "boolean": True, "integer": 7, "number": 1.5, "array": []}
    content = {}
    for name, one in schema.get("properties", {}).items():
        choices = one.get("enum") or [choice["const"] for choice in one.get("oneOf", [])]
        content[name] = choices[0] if choices else values[one["type"]]
    return content


def answer_to(method, params):
    if method == "elicitation/create":
        return {"action": "accept", "content": filled(params.get("requestedSchema", {}))}
    if method == "sampling/createMessage":
        content = {"type": "text", "text": "Paris"}
        return {"role": "assistant", "content": content, "model": "none", "stopReason": "endTurn"}
    assert method == "roots/list", method
    return {"roots": [{"uri": "file:///tmp", "name": "tmp"}]}


def answers_to(requests):
    return {key: answer_to(one["method"], one.get("params", {})) for key, one in requests.items()}


def call_asking(peer, method, params):
    """All rounds of a modern call; the last exchange and the number of rounds before it."""
    more = {}
    for rounds in range(ROUNDS_MAX):
        exchange = peer.request(method, {**params, **more})
        if "error" in exchange.answer or exchange.result["resultType"] == "complete":
            return exchange, rounds
        more = {"inputResponses": answers_to(exchange.result.get("inputRequests", {}))}
        if "requestState" in exchange.result:
            more["requestState"] = exchange.result["requestState"]
    raise AssertionError(f"{params} asks without end")


def tool(name, **arguments):
    return {"name": name, "arguments": arguments}


ASKING = [
    tool("test_input_required_result_elicitation"),
    tool("test_input_required_result_sampling"),
    tool("test_input_required_result_list_roots"),
    tool("test_input_required_result_request_state"),
    tool("test_input_required_result_multiple_inputs"),
    tool("test_input_required_result_multi_round"),
    tool("test_elicitation", message="Who?"),
    tool("test_sampling", prompt="What?"),
]
STATEFUL = tool("test_input_required_result_request_state")


class Modern(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program(mcp_server.program(), "--conformance")
        cls.peer = StdioPeer(cls.program.process, MODERN, observer(), ALL)

    @classmethod
    def tearDownClass(cls):
        cls.program.finish()

    def test_rounds(self):
        for params in ASKING:
            with self.subTest(params["name"]):
                exchange, rounds = call_asking(self.peer, "tools/call", params)
                self.assertFalse(exchange.result.get("isError"), str(exchange.answer)[:400])
                self.assertGreaterEqual(rounds, 1)
        exchange, rounds = call_asking(self.peer, "prompts/get", {"name": "test_input_required_result_prompt"})
        self.assertTrue(exchange.result["messages"])

    def test_nothing_is_asked_that_the_client_cannot(self):
        for declared in ({}, {"sampling": {}}, {"elicitation": {"form": {}}}, {"roots": {}}):
            self.peer.capabilities = declared
            for params in ASKING:
                exchange = self.peer.request("tools/call", params)
                if "error" in exchange.answer:
                    self.assertEqual(exchange.code, -32021)
                    self.assertTrue(exchange.error["data"]["requiredCapabilities"])
                    continue
                for one in exchange.result.get("inputRequests", {}).values():
                    self.assertIn(one["method"].partition("/")[0], declared, params["name"])
        self.peer.capabilities = ALL

    def first_round(self, peer, params=STATEFUL):
        result = peer.request("tools/call", params).result
        self.assertEqual(result["resultType"], "input_required")
        return {"inputResponses": answers_to(result["inputRequests"]), "requestState": result["requestState"]}

    def test_states_that_were_changed(self):
        more = self.first_round(self.peer)
        good = more["requestState"]
        self.assertNotIn("asked to confirm", good) if good.isascii() else None
        changed = [good[:-1], good + "A", good[1:], "", "x", "A" * 100_000, good.swapcase(), "\x00", good + "\n"]
        for at in range(0, len(good), max(1, len(good) // 40)):
            changed.append(good[:at] + ("A" if good[at] != "A" else "B") + good[at + 1 :])
        for state in changed:
            exchange = self.peer.request("tools/call", {**STATEFUL, **more, "requestState": state})
            is_refused = exchange.code == -32602 or (
                exchange.code is None and exchange.result["resultType"] == "input_required"
            )
            self.assertTrue(is_refused, f"{state[:80]}: {str(exchange.answer)[:300]}")
        for state in (7, None, {}, [good]):
            exchange = self.peer.request("tools/call", {**STATEFUL, **more, "requestState": state})
            self.assertTrue(
                exchange.code == -32602 or exchange.result["resultType"] == "input_required",
                f"{state}: {str(exchange.answer)[:300]}",
            )
        self.assertIn("state-ok", str(self.peer.request("tools/call", {**STATEFUL, **more}).result))

    def test_states_of_another_call(self):
        more = self.first_round(self.peer)
        for other in (tool("test_input_required_result_multi_round"), tool("test_input_required_result_request_state", x=1)):
            exchange = self.peer.request("tools/call", {**other, **more})
            self.assertTrue(
                exchange.code == -32602 or exchange.result["resultType"] == "input_required",
                str(exchange.answer)[:300],
            )

    def test_answers_that_are_none(self):
        more = self.first_round(self.peer)
        for answers in ({}, {"confirm": 7}, {"confirm": {}}, {"confirm": {"action": "explode"}}, {"other": {}}, [], "x", None):
            exchange = self.peer.request("tools/call", {**STATEFUL, **more, "inputResponses": answers})
            self.assertIn(exchange.code, (None, -32602), str(exchange.answer)[:300])

    def test_states_of_another_caller(self):
        with mcp_server.tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "helve.toml")
            callers = [f'[[caller]]\nname = "{name}"\ntoken = "env:{name.upper()}"\n' for name in ("anna", "bert")]
            config.write_text("".join(callers))
            env = {"ANNA": "a" * 32, "BERT": "b" * 32}
            with HttpProgram(mcp_server.program(), "--conformance", "--config", config, env=env) as server:
                anna = HttpPeer(server.address, MODERN, observer(), ALL, token="a" * 32)
                bert = HttpPeer(server.address, MODERN, observer(), ALL, token="b" * 32)
                more = self.first_round(anna)
                stolen = bert.request("tools/call", {**STATEFUL, **more})
                self.assertTrue(stolen.code == -32602 or stolen.result["resultType"] == "input_required")
                self.assertIn("state-ok", str(anna.request("tools/call", {**STATEFUL, **more}).result))


LEGACY_ASKING = [
    tool("test_elicitation", message="Who?"),
    tool("test_sampling", prompt="What?"),
    tool("test_elicitation_sep1034_defaults"),
]


class LegacyStdio(unittest.TestCase):
    def converse(self, peer, params, answer):
        """Calls, and answers what is asked with answer(request); the result."""
        message = peer.message("tools/call", params)
        peer.client.send(message)
        while True:
            came = peer.client.take()
            self.assertIsNotNone(came, "no answer")
            if "method" in came and "id" in came:
                reply = answer(came)
                if reply is not None:
                    peer.client.send({"jsonrpc": "2.0", "id": came["id"], **reply})
            elif "method" not in came:
                self.assertEqual(came["id"], message["id"])
                return came

    def test_questions(self):
        for revision in ("2025-11-25", "2025-06-18"):
            with Program(mcp_server.program(), "--conformance") as program:
                peer = StdioPeer(program.process, revision, observer(), ALL)
                for params in LEGACY_ASKING:
                    good = self.converse(peer, params, lambda came: {"result": answer_to(came["method"], came["params"])})
                    self.assertFalse(good["result"].get("isError"), str(good)[:300])
                    for reply in (
                        {"result": {"action": "decline"}},
                        {"result": {"action": "cancel"}},
                        {"result": {}},
                        {"result": 7},
                        {"error": {"code": -1, "message": "no"}},
                        {"error": {}},
                    ):
                        came = self.converse(peer, params, lambda _, reply=reply: reply)
                        self.assertIn(came.get("error", {}).get("code", -32603), (-32603,), str(came)[:300])

    def test_who_cannot_is_not_asked(self):
        with Program(mcp_server.program(), "--conformance") as program:
            peer = StdioPeer(program.process, "2025-11-25", observer(), {})
            for params in LEGACY_ASKING:
                exchange = peer.request("tools/call", params)
                self.assertEqual([one for one in exchange.notifications if "id" in one], [])

    def test_cancelled_while_it_asks(self):
        with Program(mcp_server.program(), "--conformance") as program:
            peer = StdioPeer(program.process, "2025-11-25", observer(), ALL)
            peer.client.send(peer.message("tools/call", LEGACY_ASKING[0], id="asking"))
            asked = peer.client.take()
            self.assertEqual(asked["method"], "elicitation/create")
            peer.notify("notifications/cancelled", {"requestId": "asking"})
            # It may take its question back, but answers no more.
            while (came := peer.client.take(1)) is not None:
                self.assertEqual(came.get("method"), "notifications/cancelled")
            self.assertIn("result", peer.ping().answer)


class LegacyHttp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = HttpProgram(mcp_server.program(), "--conformance")

    @classmethod
    def tearDownClass(cls):
        cls.server.finish()

    def peer(self, revision="2025-11-25"):
        return HttpPeer(self.server.address, revision, observer(), ALL)

    def post_response(self, peer, message):
        raw = peer.raw_request(message, peer.headers({"method": "", "params": {}}))
        with HttpConnection(self.server.address) as connection:
            connection.send(raw)
            return connection.read_response()

    def test_questions_come_on_the_stream_of_the_call(self):
        for revision in ("2025-11-25", "2025-06-18"):
            peer = self.peer(revision)
            message = peer.message("tools/call", LEGACY_ASKING[0])
            stream = peer.open_stream(message)
            asked = stream.take_message()
            peer.check(asked)
            self.assertEqual(asked["method"], "elicitation/create")
            reply = {"jsonrpc": "2.0", "id": asked["id"], "result": answer_to(asked["method"], asked["params"])}
            # Another session cannot answer it.
            self.post_response(self.peer(revision), {**reply, "result": {"action": "decline"}})
            response = self.post_response(peer, reply)
            self.assertEqual((response.status, response.body), (202, b""))
            answer = stream.take_message()
            peer.check(answer, "tools/call")
            self.assertEqual(answer["id"], message["id"])
            self.assertNotIn("decline", str(answer))
            self.assertIsNone(stream.take_message(), "the stream goes on after the answer")
            stream.connection.close()

    def test_resumption(self):
        peer = self.peer()
        message = peer.message("tools/call", tool("test_tool_with_progress"), {"progressToken": "p"})
        stream = peer.open_stream(message)
        self.assertEqual(stream.response.status, 200)
        first = stream.take()
        self.assertIn("id", first, "events have no ids: nothing can be taken up again")
        stream.connection.close()
        time.sleep(0.5)
        again = peer.open_get({"Last-Event-ID": first["id"]})
        self.assertEqual(again.response.status, 200)
        ids, answer = {first["id"]}, None
        while answer is None:
            event = again.take()
            self.assertIsNotNone(event, "the stream ended without the answer")
            if "id" in event:
                self.assertNotIn(event["id"], ids, "an event twice")
                ids.add(event["id"])
            if event.get("data", "").strip():
                came = json.loads(event["data"])
                if came.get("id") == message["id"]:
                    answer = came
        self.assertIn("result", answer)
        again.connection.close()
        # Nobody else takes it up.
        other = self.peer().open_get({"Last-Event-ID": first["id"]})
        if other.response.status == 200:
            other.connection.socket.settimeout(1)
            try:
                self.assertIsNone(other.take_message())
            except AssertionError as silence:
                self.assertIn("silent", str(silence))
        other.connection.close()

    def test_modern_subscription(self):
        peer = HttpPeer(self.server.address, MODERN, observer())
        params = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["test://watched-resource"]}}
        stream = peer.open_stream(peer.message("subscriptions/listen", params, id="sub"))
        self.assertEqual(stream.response.header("x-accel-buffering"), "no")
        acknowledged = stream.take_message()
        peer.check(acknowledged)
        self.assertEqual(acknowledged["method"], "notifications/subscriptions/acknowledged")
        self.assertEqual(acknowledged["params"]["_meta"][META + "subscriptionId"], "sub")
        stream.connection.close()
        wrong = peer.request("subscriptions/listen", {"notifications": 7})
        self.assertEqual(wrong.code, -32602)

    def test_subscriptions_end_with_the_server(self):
        server = HttpProgram(mcp_server.program(), "--conformance")
        peer = HttpPeer(server.address, MODERN, observer())
        params = {"notifications": {"resourceSubscriptions": ["test://watched-resource"]}}
        stream = peer.open_stream(peer.message("subscriptions/listen", params, id="sub"))
        self.assertEqual(stream.take_message()["method"], "notifications/subscriptions/acknowledged")
        join = in_background(stream.take_message)
        server.finish()
        ended = join()
        peer.check(ended, "subscriptions/listen")
        self.assertEqual(ended["id"], "sub")


if __name__ == "__main__":
    mcp_server.run_tests()
