#!/usr/bin/env python3
"""The tool `ask` of `helve mcp` is cancelled in the middle of each of its works: model, tools, engine must end.

HELVE_PROGRAM names the program; the model is runaway_model.py. Two seconds are promised, so here they are measured.
Most of the time nothing may happen, and that is waited for: without arguments, tests run a few at a time, each in a process.
"""

import json
import os
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from runaway_model import HERE, RunawayServer

sys.path.insert(0, os.path.join(HERE, "..", "mcp"))

from mcp_client import MODERN, HttpPeer, StdioPeer  # noqa: E402
from mcp_server import HttpProgram, Program  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("HELVE_PROGRAM", "helve"))
PROMPT_S = 2.0
REVISIONS = (MODERN, "2025-11-25")
CALL = "the call"
AT_ONCE = 3
TEST_S = 240  # before CTest ends all of them, which would leave their processes


def cpu_seconds(process):
    """Of the process and of the children that it has waited for."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def children(process):
    """Of every thread of it."""
    found = []
    for path in Path(f"/proc/{process.pid}/task").glob("*/children"):
        found += path.read_text().split()
    return found


def until(condition, wait_s):
    """Seconds until it holds; None where it does not."""
    began = time.monotonic()
    while time.monotonic() - began < wait_s:
        if condition():
            return time.monotonic() - began
        time.sleep(0.01)
    return None


class Asking:
    """A server of MCP, its model, and a call of `ask` under way."""

    def __init__(self, revision, way, loop="react"):
        self.revision, self.way, self.loop = revision, way, loop

    def __enter__(self):
        self.model = RunawayServer().__enter__()
        env = {"HELVE_PROVIDER": "chat", "HELVE_MODEL": "fake-1", "HELVE_MODEL_URL": self.model.url(self.way)}
        self.program = Program(PROGRAM, "sample:", "--audit", "audit.jsonl", env=env, source=False)
        self.process = self.program.process
        self.peer = StdioPeer(self.process, self.revision)
        self.send()
        return self

    def __exit__(self, *failure):
        try:
            self.program.__exit__(*failure)
        finally:
            self.model.__exit__(*failure)

    def send(self):
        arguments = {"question": "How many are there?", "source": "sample", "loop": self.loop, "max_steps": 1000}
        params = {"name": "ask", "arguments": arguments}
        self.peer.client.send(self.peer.message("tools/call", params, {"progressToken": "steps"}, id=CALL))

    def wait_for_progress(self, count=1):
        while count > 0:
            came = self.peer.client.take()
            assert came is not None, f"no progress {self.peer.client.state()}"
            assert came.get("method") == "notifications/progress", f"no progress, but {str(came)[:500]}"
            count -= 1

    def cancel(self):
        self.peer.notify("notifications/cancelled", {"requestId": CALL, "reason": "enough"})
        self.cancelled_at = time.monotonic()

    def audited(self):
        """The calls of the audit so far, whole lines alone."""
        path = Path(self.program.folder.name, "audit.jsonl")
        text = path.read_text() if path.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


class CancelTest(unittest.TestCase):
    def say(self, asking, what, seconds):
        print(f"{asking.way}, {asking.loop}, {asking.revision}: {what} after {seconds:.2f} s", flush=True)

    def answers_at_once(self, asking):
        """Whatever else: the next calls are answered, and the cancelled one is not."""
        for ask in (lambda: asking.peer.request("tools/list"), lambda: asking.peer.call("sparql_find", {"pattern": "Mars"})):
            began = time.monotonic()
            exchange = ask()
            took_s = time.monotonic() - began
            self.assertFalse(exchange.result.get("isError"), str(exchange.answer)[:500])
            self.assertLess(took_s, PROMPT_S)
            self.say(asking, f"{exchange.request['method']} was answered", took_s)

    def ends_all(self, asking):
        """No process, no engine, no request and no call of a tool goes on; call this behind cancel()."""
        left_s = asking.cancelled_at + PROMPT_S - time.monotonic()
        self.assertIsNotNone(until(lambda: not children(asking.process), max(left_s, 0.1)), "a child lives on")
        left_s = asking.cancelled_at + PROMPT_S - time.monotonic()
        time.sleep(max(left_s, 0.0))
        requests, calls, cpu_s = asking.model.count(asking.way), len(asking.audited()), cpu_seconds(asking.process)
        time.sleep(1)
        grown_s = cpu_seconds(asking.process) - cpu_s
        print(f"{asking.way}, {asking.loop}, {asking.revision}: {grown_s:.2f} s of CPU time in the second that follows", flush=True)
        self.assertLess(grown_s, 0.1, "something goes on")
        self.assertEqual(asking.model.count(asking.way), requests, "the model is asked on")
        self.assertEqual(len(asking.audited()), calls, "tools are called on")
        self.assertIsNone(asking.peer.client.take(0), "something was said about the call")

    def hangs_up(self, asking):
        took_s = until(lambda: asking.model.hung_up_at, PROMPT_S)
        self.assertIsNotNone(took_s, "the connection to the model lives on")
        self.say(asking, "the model was left", max(0.0, asking.model.hung_up_at - asking.cancelled_at))

    def drop_progress(self, asking):
        """What was said before the cancellation was read."""
        while (came := asking.peer.client.take(0.1)) is not None:
            self.assertEqual(came.get("method"), "notifications/progress", str(came)[:500])

    def test_while_the_model_is_asked(self):
        for revision in REVISIONS:
            for way in ("drip", "silent", "hang"):
                with self.subTest(way=way, revision=revision), Asking(revision, way) as asking:
                    self.assertIsNotNone(until(lambda: asking.model.count(way), 20), "the model is not asked")
                    time.sleep(0.2)
                    asking.cancel()
                    self.hangs_up(asking)
                    self.drop_progress(asking)
                    self.answers_at_once(asking)
                    self.ends_all(asking)
                    self.assertEqual(asking.model.count(way), 1)

    def test_while_a_server_is_waited_for(self):
        """Between two tries: there is no second one."""
        way = "busy-for-long"
        for revision in REVISIONS:
            with self.subTest(revision=revision), Asking(revision, way) as asking:
                self.assertIsNotNone(until(lambda: asking.model.count(way), 20), "the model is not asked")
                time.sleep(0.5)
                asking.cancel()
                self.drop_progress(asking)
                self.answers_at_once(asking)
                self.ends_all(asking)
                self.assertEqual(asking.model.count(way), 1)

    def test_over_http(self):
        """A client that goes away, which in this transport is how it cancels."""
        for way in ("drip", "hang", "slow-query"):
            with self.subTest(way), RunawayServer() as model:
                env = {"HELVE_PROVIDER": "chat", "HELVE_MODEL": "fake-1", "HELVE_MODEL_URL": model.url(way)}
                with HttpProgram(PROGRAM, "sample:", env=env, source=False) as program:
                    peer = HttpPeer(program.address, MODERN)
                    arguments = {"question": "How many are there?", "source": "sample"}
                    message = peer.message("tools/call", {"name": "ask", "arguments": arguments}, {"progressToken": "p"})
                    stream = peer.open_stream(message)
                    self.assertIsNotNone(until(lambda: model.count(way), 20), "the model is not asked")
                    if way == "slow-query":
                        began_s = cpu_seconds(program.process)
                        self.assertIsNotNone(until(lambda: cpu_seconds(program.process) > began_s + 0.5, 20), "no query runs")
                    stream.connection.close()
                    if way != "slow-query":
                        self.assertIsNotNone(until(lambda: model.hung_up_at, PROMPT_S), "the connection to the model lives on")
                    time.sleep(PROMPT_S)
                    cpu_s, requests = cpu_seconds(program.process), model.count(way)
                    time.sleep(1)
                    self.assertLess(cpu_seconds(program.process) - cpu_s, 0.1, "something goes on")
                    self.assertEqual(model.count(way), requests)

    def test_while_the_client_is_asked(self):
        """Its own model (sampling) that never answers: the question is taken back, and nothing else is said."""
        with Program(PROGRAM, "sample:", source=False) as program:
            peer = StdioPeer(program.process, "2025-11-25", capabilities={"sampling": {"tools": {}}})
            arguments = {"question": "How many are there?", "source": "sample"}
            peer.client.send(peer.message("tools/call", {"name": "ask", "arguments": arguments}, id=CALL))
            while (came := peer.client.take()).get("method") != "sampling/createMessage":
                self.assertIsNotNone(came)
            peer.notify("notifications/cancelled", {"requestId": CALL})
            began = time.monotonic()
            self.assertFalse(peer.call("sparql_find", {"pattern": "Mars"}).result.get("isError"))
            self.assertLess(time.monotonic() - began, PROMPT_S)
            time.sleep(0.5)
            while (after := peer.client.take(0.1)) is not None:
                self.assertEqual(after.get("method"), "notifications/cancelled", str(after)[:500])

    def test_between_steps(self):
        for revision in REVISIONS:
            with self.subTest(revision), Asking(revision, "one-more") as asking:
                asking.wait_for_progress(2)
                asking.cancel()
                self.drop_progress(asking)
                self.answers_at_once(asking)
                self.ends_all(asking)

    def queries(self, way, loop="react"):
        for revision in REVISIONS:
            with self.subTest(way=way, revision=revision), Asking(revision, way, loop) as asking:
                self.assertIsNotNone(until(lambda: asking.model.count(way), 20), "the model is not asked")
                began_s = cpu_seconds(asking.process)
                self.assertIsNotNone(until(lambda: cpu_seconds(asking.process) > began_s + 0.5, 20), "no query runs")
                asking.cancel()
                self.drop_progress(asking)
                self.answers_at_once(asking)
                self.ends_all(asking)

    def test_while_a_query_runs(self):
        self.queries("slow-query")

    def test_while_queries_run(self):
        self.queries("slow-queries")

    def test_while_a_query_of_code_runs(self):
        self.queries("code-queries", "rlm")

    def test_while_code_runs(self):
        for way in ("code-spins", "code-sleeps", "code-holds-on"):
            with self.subTest(way), Asking(MODERN, way, "rlm") as asking:
                self.assertIsNotNone(until(lambda: asking.model.count(way), 20), "the model is not asked")
                self.assertIsNotNone(until(lambda: children(asking.process), 20), "there is no interpreter")
                time.sleep(0.5)
                asking.cancel()
                self.drop_progress(asking)
                self.answers_at_once(asking)
                self.ends_all(asking)

    def test_progress_comes_before_the_first_step_ends(self):
        with Asking(MODERN, "slow-query") as asking:
            asking.wait_for_progress()
            asking.cancel()
            self.ends_all(asking)

    def test_it_can_be_asked_again(self):
        with Asking(MODERN, "drip") as asking:
            for count in range(1, 4):
                self.assertIsNotNone(until(lambda: asking.model.count("drip") == count, 20), "the model is not asked")
                asking.model.hung_up_at = None
                asking.cancel()
                self.hangs_up(asking)
                self.drop_progress(asking)
                if count < 3:
                    asking.send()
            self.ends_all(asking)

    def test_end_of_input_ends_the_process(self):
        for way, loop in (("drip", "react"), ("hang", "react"), ("one-more", "react"), ("slow-query", "react"), ("slow-queries", "react"),
                          ("code-spins", "rlm"), ("code-sleeps", "rlm"), ("code-holds-on", "rlm"), ("code-queries", "rlm")):
            with self.subTest(way), Asking(MODERN, way, loop) as asking:
                self.assertIsNotNone(until(lambda: asking.model.count(way), 20), "the model is not asked")
                time.sleep(0.5)
                interpreters = children(asking.process)
                asking.process.stdin.close()
                took_s = until(lambda: asking.process.poll() is not None, 20)
                self.assertIsNotNone(took_s, "the server lives on")
                self.say(asking, "the end of input ended it", took_s)
                self.assertLess(took_s, PROMPT_S)
                self.assertEqual(asking.process.returncode, 0)
                self.assertEqual([one for one in interpreters if os.path.exists(f"/proc/{one}")], [])


def run_apart(name):
    """Whether it passed; one that does not come to its end has not."""
    command = [sys.executable, __file__, f"CancelTest.{name}"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TEST_S, check=False)
    except subprocess.TimeoutExpired as late:
        print(f"{name}: no end after {TEST_S} s\n{(late.stdout or b'').decode(errors='replace')}", flush=True)
        return False
    print(f"{name}:\n{done.stdout.decode(errors='replace')}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        unittest.main()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        names = unittest.TestLoader().getTestCaseNames(CancelTest)[::-1]  # the long ones come last in it
        failed = [name for name, passed in zip(names, pool.map(run_apart, names)) if not passed]
    sys.exit(f"failed: {', '.join(failed)}" if failed or not names else 0)
