#!/usr/bin/env python3
"""How the server lives and ends on stdio: order of answers, cancellation, batches, subscriptions, end
of input, signals: stdio_life.py HELVE

Neighbour: schema_walk.py validates the messages themselves.
"""

import json
import os
import shutil
import signal
import time
import unittest
from pathlib import Path

import mcp_schema
import mcp_server
from mcp_client import LEGACY, META, MODERN, REVISIONS, StdioPeer, encode, id_key, notification, request
from mcp_server import SAMPLE, Program
from schema_walk import SLOW

PROMPT_S = 5  # stops within 2 s; a loaded machine may take its time to say so
SLOW_AT_ONCE = 6


def observer():
    return None if mcp_schema.why_not() else mcp_schema.Observer()


def cpu_seconds(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_still(process, wait_s=PROMPT_S):
    """Whether the process comes to rest: less than a tenth of a core over 0.5 s."""
    deadline = time.monotonic() + wait_s
    while time.monotonic() < deadline:
        before = cpu_seconds(process)
        time.sleep(0.5)
        if cpu_seconds(process) - before < 0.05:
            return True
    return False


def slow(timeout_s=120):
    return {"name": "sparql_query", "arguments": {"query": SLOW, "timeout": timeout_s, "validate": False}}


class StdioLife(unittest.TestCase):
    def start(self, revision, *arguments, **options):
        program = Program(mcp_server.program(), *arguments, **options)
        return program, StdioPeer(program.process, revision, observer())

    def send_slow(self, peer, id="slow"):
        peer.client.send(peer.message("tools/call", slow(), id=id))

    def test_slow_does_not_block_quick(self):
        for revision in REVISIONS:
            with self.subTest(revision):
                program, peer = self.start(revision)
                with program:
                    for i in range(SLOW_AT_ONCE):
                        self.send_slow(peer, f"slow {i}")
                    quick = peer.call("sparql_find", {"pattern": "Mars"})
                    self.assertFalse(quick.result.get("isError"))
                    self.assertTrue(peer.ping().answer)
                    for i in range(SLOW_AT_ONCE):
                        peer.notify("notifications/cancelled", {"requestId": f"slow {i}"})

    def test_cancel_stops_the_engine_and_says_nothing(self):
        for revision in REVISIONS:
            with self.subTest(revision):
                program, peer = self.start(revision)
                with program:
                    self.send_slow(peer)
                    time.sleep(0.5)
                    self.assertIsNone(peer.client.take(0.1), "it was not slow")
                    peer.notify("notifications/cancelled", {"requestId": "slow", "reason": "enough"})
                    self.assertTrue(is_still(program.process), "the engine goes on")
                    self.assertIsNone(peer.client.take(0.2), "an answer to what was cancelled")
                    # The id is free again, and the connection works.
                    self.assertIn("result", peer.ping().answer)

    def test_cancel_before_it_begins(self):
        program, peer = self.start(MODERN)
        with program:
            for i in range(200):
                self.send_slow(peer, i + 1000)
                peer.notify("notifications/cancelled", {"requestId": i + 1000})
            self.assertIn("result", peer.ping().answer)
            self.assertTrue(is_still(program.process))
            self.assertIsNone(peer.client.take(0.2))

    def test_ids_of_texts_and_numbers_differ(self):
        program, peer = self.start(MODERN)
        with program:
            self.send_slow(peer, 7)
            peer.notify("notifications/cancelled", {"requestId": "7"})
            time.sleep(0.3)
            self.assertFalse(is_still(program.process, 0.6), "another request was cancelled")
            peer.notify("notifications/cancelled", {"requestId": 7})
            self.assertTrue(is_still(program.process))

    def test_same_id_twice_under_way(self):
        """A client must not; what comes is one answer for each at most, and no confusion later."""
        program, peer = self.start("2025-11-25")
        with program:
            self.send_slow(peer, "twice")
            peer.client.send(peer.message("ping", id="twice"))
            first = peer.client.take(PROMPT_S)
            self.assertEqual(first["id"], "twice")
            peer.notify("notifications/cancelled", {"requestId": "twice"})
            self.assertTrue(is_still(program.process))
            self.assertIn("result", peer.ping().answer)

    def test_too_many_at_once_are_told_so(self):
        program, peer = self.start(MODERN)
        with program:
            count = 2_000
            for i in range(count):
                self.send_slow(peer, f"many {i}")
            busy = peer.client.take(PROMPT_S)
            self.assertIsNotNone(busy, f"{count} requests were taken without a word")
            self.assertNotIn(busy["error"]["code"], (-32700, -32600, -32601, -32602, -32603))
            self.assertFalse(-32099 <= busy["error"]["code"] <= -32000, busy)
            for i in range(count):
                peer.notify("notifications/cancelled", {"requestId": f"many {i}"})
            while peer.client.take(1.0) is not None:
                pass
            self.assertTrue(is_still(program.process))
            self.assertIn("result", peer.ping().answer)

    def test_end_of_input_ends_what_runs(self):
        for revision in (MODERN, LEGACY[0]):
            with self.subTest(revision):
                program, peer = self.start(revision)
                for i in range(4):
                    self.send_slow(peer, f"slow {i}")
                time.sleep(0.3)
                program.process.stdin.close()
                begun = time.monotonic()
                self.assertEqual(program.wait(), 0)
                self.assertLess(time.monotonic() - begun, PROMPT_S)
                program.check_reports()
                program.close()

    def test_end_of_input_lets_answers_out(self):
        """What was asked before the end of input and is quick is answered."""
        program, peer = self.start(MODERN)
        message = peer.message("server/discover", id="last")
        program.process.stdin.write(encode(message) + b"\n")
        program.process.stdin.close()
        self.assertEqual(peer.client.take()["id"], "last")
        self.assertEqual(program.wait(), 0)
        program.close()

    def test_end_of_input_in_the_middle_of_a_line(self):
        for rest in (b'{"jsonrpc":"2.0","id":1,', b"\xff" * 1000, b""):
            program = Program(mcp_server.program())
            peer = StdioPeer(program.process, MODERN, None)
            program.process.stdin.write(rest)
            program.process.stdin.close()
            self.assertEqual(program.wait(), 0)
            message = peer.client.take(1)
            self.assertTrue(message is None or message["error"]["code"] == -32700)
            program.close()

    def test_signals_end_it_gracefully(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                program, peer = self.start(MODERN)
                listen = peer.message(
                    "subscriptions/listen",
                    {"notifications": {"resourceSubscriptions": ["helve://sources"]}},
                    id="listen",
                )
                peer.client.send(listen)
                acknowledged = peer.client.take()
                self.assertEqual(acknowledged["method"], "notifications/subscriptions/acknowledged")
                self.send_slow(peer)
                time.sleep(0.3)
                begun = time.monotonic()
                program.process.send_signal(number)
                status = program.wait()
                self.assertLess(time.monotonic() - begun, 12)
                self.assertEqual(status, 0, program.said().decode())
                program.check_reports()
                ends = []
                while (message := peer.client.take(1)) is not None:
                    ends.append(message)
                answers = {id_key(message): message for message in ends if "method" not in message}
                self.assertIn('"listen"', answers, "the subscription has ended without a word")
                self.assertEqual(
                    answers['"listen"']["result"]["_meta"][META + "subscriptionId"], "listen"
                )
                program.close()

    def test_output_closed_early(self):
        for revision in (MODERN, LEGACY[0]):
            program = Program(mcp_server.program())
            peer = StdioPeer(program.process, revision, None)
            peer.ping()
            # The reader holds the stream: close what is below it.
            os.close(os.dup(program.process.stdout.fileno()))
            os.dup2(os.open(os.devnull, os.O_RDONLY), program.process.stdout.fileno())
            try:
                for _ in range(50):
                    peer.client.send(peer.message("tools/list"))
                    time.sleep(0.01)
            except OSError:
                pass  # it has gone already
            try:
                program.process.stdin.close()
            except OSError:
                pass
            status = program.wait(PROMPT_S)
            self.assertGreaterEqual(status, 0, f"ended by signal {-status}")
            program.check_reports()

    def test_bytes_may_come_one_by_one(self):
        program, peer = self.start(LEGACY[0])
        with program:
            raw = encode(peer.message("ping", id="slowly")) + b"\r\n"
            for byte in raw:
                peer.client.send_bytes(bytes([byte]))
            answer, _ = peer.client.take_answer("slowly")
            self.assertEqual(answer["result"], {})

    def test_many_messages_in_one_write(self):
        program, peer = self.start(MODERN)
        with program:
            messages = [peer.message("tools/list", id=f"n {i}") for i in range(100)]
            peer.client.send_bytes(b"".join(encode(message) + b"\n" for message in messages))
            ids = {peer.client.take()["id"] for _ in messages}
            self.assertEqual(len(ids), 100)

    def test_batches_of_2025_03_26(self):
        program, peer = self.start("2025-03-26")
        with program:
            batch = [
                request(1, "ping"),
                request("two", "tools/call", {"name": "sparql_find", "arguments": {"pattern": "Mars"}}),
                notification("notifications/cancelled", {"requestId": "nobody"}),
                request(3, "nothing/here"),
                7,
                {"jsonrpc": "1.0", "id": 4, "method": "ping"},
            ]
            peer.client.send(batch)
            answers = peer.client.take()
            self.assertIsInstance(answers, list)
            by_id = {id_key(answer): answer for answer in answers}
            self.assertEqual(set(by_id), {"1", '"two"', "3", "4", None})
            self.assertEqual(by_id["1"]["result"], {})
            self.assertIn("content", by_id['"two"']["result"])
            self.assertEqual(by_id["3"]["error"]["code"], -32601)
            self.assertEqual(by_id["4"]["error"]["code"], -32600)
            self.assertEqual(by_id[None]["error"]["code"], -32600)
            peer.client.send([notification("notifications/initialized")] * 3)
            self.assertIn("result", peer.ping().answer)  # and nothing before it
            peer.client.send([])
            empty = peer.client.take()
            self.assertEqual(empty["error"]["code"], -32600)

    def test_batches_elsewhere_are_refused(self):
        for revision in (MODERN, "2025-11-25", "2025-06-18"):
            program, peer = self.start(revision)
            with program:
                peer.client.send([peer.message("tools/list"), peer.message("prompts/list")])
                answer = peer.client.take()
                self.assertEqual(answer["error"]["code"], -32600, revision)
                self.assertNotIn("id", answer)
                self.assertIn("result", peer.ping().answer)

    def test_before_initialize(self):
        program = Program(mcp_server.program())
        with program:
            peer = StdioPeer(program.process, MODERN, None)
            self.assertEqual(peer.client.exchange(request(1, "ping")).result, {})
            self.assertIn("error", peer.client.exchange(request(2, "tools/list")).answer)
            self.assertIn("error", peer.client.exchange(request(3, "nothing/here")).answer)

    def test_updates_of_a_source(self):
        """A source that changes is told of, to those alone who want to know."""
        for revision in (MODERN, "2025-11-25", "2025-06-18"):
            with self.subTest(revision):
                program = Program.__new__(Program)
                folder = mcp_server.tempfile.TemporaryDirectory()
                graph = Path(folder.name, "graph.trig")
                shutil.copy(SAMPLE, graph)
                program.__init__(mcp_server.program(), "--source", f"solar={graph}", source=False)
                with program:
                    peer = StdioPeer(program.process, revision, observer())
                    uri = "helve://schema/solar"
                    # Answered once it is loaded: a change before that would be part of what is told of first.
                    peer.call("sparql_count", {"query": "SELECT * { <urn:new> ?p ?o }"})
                    if revision == MODERN:
                        filter = {"resourceSubscriptions": [uri], "toolsListChanged": True}
                        peer.client.send(peer.message("subscriptions/listen", {"notifications": filter}, id="sub"))
                        acknowledged = peer.client.take()
                        self.assertEqual(acknowledged["params"]["_meta"][META + "subscriptionId"], "sub")
                        self.assertEqual(acknowledged["params"]["notifications"]["resourceSubscriptions"], [uri])
                    else:
                        peer.request("resources/subscribe", {"uri": uri}).result
                    with graph.open("a") as out:
                        out.write("\n<urn:new> <urn:p> <urn:o> .\n")
                    updated = peer.client.take(30)
                    self.assertIsNotNone(updated, "the source has changed, and nobody said so")
                    self.assertEqual(updated["method"], "notifications/resources/updated")
                    self.assertEqual(updated["params"]["uri"], uri)
                    if revision == MODERN:
                        self.assertEqual(updated["params"]["_meta"][META + "subscriptionId"], "sub")
                        peer.notify("notifications/cancelled", {"requestId": "sub"})
                    else:
                        peer.request("resources/unsubscribe", {"uri": uri}).result
                    with graph.open("a") as out:
                        out.write("\n<urn:newer> <urn:p> <urn:o> .\n")
                    self.assertIsNone(peer.client.take(3), "told although it is no longer wanted")
                folder.cleanup()


if __name__ == "__main__":
    mcp_server.run_tests()
