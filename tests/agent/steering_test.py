#!/usr/bin/env python3
"""Ctrl-C on a terminal while a model works: the first holds the run for a word, the second ends it. HELVE_PROGRAM names the program.

The keys are typed while the model is asked, by the model itself (../support/fake_model_server.py), so that nothing depends on time.
"""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"), os.path.join(HERE, "..", "cases")]

import helve_program  # noqa: E402
from fake_model_server import FakeModelServer, Model  # noqa: E402
from helve_program import WorkDirectory  # noqa: E402
from model_dialects import Said  # noqa: E402

LIMIT_S = 60
PROMPT = b"/stop to end>"
HELD = b"stops before its next step"


class Steered(Model):
    """Asks for a tool first, with a key typed meanwhile, and hands in then."""

    def way_steered(self):
        if self.number == 1:
            self.server.press()
            calls = [("call-1", "sparql_query", json.dumps({"query": "SELECT ?m { ?m sol:orbits body:Mars }"}))]
        else:
            calls = [("call-2", "submit", json.dumps({"answer": "Two.", "handles": ["results_0"]}))]
        self.answer(Said(pieces=["I look."], calls=calls, stop="calls"))

    def way_denied(self):
        self.fail(401, "invalid_api_key", "no such key")

    def way_slow(self):
        time.sleep(2.5)
        self.answer(Said(pieces=[], calls=[("call-1", "submit", json.dumps({"answer": "Two."}))], stop="calls"))


class SteeredServer(FakeModelServer):
    def __init__(self):
        super().__init__()
        self.RequestHandlerClass = Steered
        self.press = lambda: None


class SteeringTest(unittest.TestCase):
    def setUp(self):
        holder = WorkDirectory()
        self.directory = holder.__enter__()
        self.addCleanup(holder.__exit__, None, None, None)

    def command(self, server, way, *words):
        return [helve_program.program_path(), *words, "--source", "sample:", "--provider", f"chat:fake-1@{server.url(way)}",
                "--trajectory", "run.jsonl"]

    def environment(self):
        return {**helve_program.fixed_environment(self.directory), "NO_COLOR": "1"}

    def on_terminal(self, words, way="steered", presses=1, answers=()):
        """(exit status, what was shown, the requests of the model); answers: what is waited for, and what is typed then."""
        try:
            screen, other_end = pty.openpty()
        except OSError as failure:
            raise unittest.SkipTest(f"this machine has no pseudo-terminals: {failure}") from failure
        with SteeredServer() as server:
            process = subprocess.Popen(self.command(server, way, *words), cwd=self.directory, env=self.environment(), stdin=other_end,
                                       stdout=other_end, stderr=other_end, start_new_session=True,
                                       preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            os.close(other_end)
            server.press = lambda: self.press(process, presses)
            shown = self.watch(process, screen, list(answers))
            status = process.wait(LIMIT_S)
            os.close(screen)
            return status, shown, [json.loads(body) for body, _ in server.requests(way, "chat")]

    def press(self, process, presses):
        for _ in range(presses):
            os.kill(process.pid, signal.SIGINT)
            time.sleep(0.2)  # or two signals would be one

    def watch(self, process, screen, answers):
        shown, seen, until = b"", 0, time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            if select.select([screen], [], [], 0.1)[0]:
                try:
                    piece = os.read(screen, 65536)
                except OSError:  # EIO: the program has closed its end
                    return shown
                if not piece:
                    return shown
                shown += piece
            if answers and answers[0][0] in shown[seen:]:
                seen = len(shown)
                os.write(screen, answers.pop(0)[1])
        process.kill()
        return shown

    def last_text(self, request):
        return request["messages"][-1]["content"]

    def test_a_word_reaches_the_model(self):
        status, shown, requests = self.on_terminal(["ask", "Which moons has Mars?"], answers=[(PROMPT, b"wrong table\n")])
        self.assertEqual(status, 0, shown)
        self.assertIn(HELD, shown)
        self.assertIn(b"Two.", shown)
        self.assertEqual(len(requests), 2)
        self.assertEqual(self.last_text(requests[1]), "wrong table")
        # And it is replayed.
        ran = helve_program.run([helve_program.program_path(), "trajectory", "replay", "run.jsonl", "--source", "sample:"], self.directory)
        self.assertEqual(ran.status, 0, ran.stdout.decode() + ran.describe())

    def test_an_empty_line_goes_on(self):
        status, shown, requests = self.on_terminal(["ask", "Which moons has Mars?"], answers=[(PROMPT, b"\n")])
        self.assertEqual(status, 0, shown)
        self.assertEqual(len(requests), 2)
        self.assertEqual(requests[1]["messages"][-1]["role"], "tool")

    def test_a_stop_ends_it(self):
        for answer in (b"/stop\n", b"\x03", b"\x04"):
            status, shown, requests = self.on_terminal(["ask", "Which moons has Mars?"], answers=[(PROMPT, answer)])
            self.assertEqual((status, len(requests)), (7, 1), shown)
            os.unlink(os.path.join(self.directory, "run.jsonl"))

    def test_a_second_key_ends_it_at_once(self):
        status, shown, requests = self.on_terminal(["ask", "Which moons has Mars?"], presses=2)
        self.assertEqual((status, len(requests)), (7, 1), shown)
        self.assertNotIn(PROMPT, shown)

    def test_a_conversation_goes_on_behind_it(self):
        status, shown, requests = self.on_terminal(["chat"], answers=[(b"chat> ", b"Which moons has Mars?\n"),
                                                                       (PROMPT, b"wrong table\n"), (b"chat> ", b"/quit\n")])
        self.assertEqual(status, 0, shown)
        self.assertEqual(self.last_text(requests[1]), "wrong table")

    def test_without_a_terminal_it_cancels(self):
        with SteeredServer() as server:
            process = subprocess.Popen(self.command(server, "steered", "ask", "Which moons has Mars?"), cwd=self.directory,
                                       env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       start_new_session=True)
            server.press = lambda: self.press(process, 1)
            process.communicate(timeout=LIMIT_S)
            self.assertEqual(process.returncode, 7)

    def test_who_waits_is_told_for_whom(self):
        status, shown, _ = self.on_terminal(["ask", "Which moons has Mars?"], way="slow")
        self.assertEqual(status, 0, shown)
        self.assertRegex(shown.decode(), r"\rstep 1: waiting for fake-1 at 127\.0\.0\.1 \.\.\. \d s")

    def test_results_in_memory_are_not_offered(self):
        _, shown, _ = self.on_terminal(["ask", "Which moons has Mars?"], answers=[(PROMPT, b"\n")])
        self.assertIn(b"--session DIR keeps them", shown)
        self.assertNotIn(b"next: ", shown)

    def test_a_key_that_is_refused_has_its_own_status(self):
        with SteeredServer() as server:
            ran = helve_program.run(self.command(server, "denied", "ask", "Which?"), self.directory)
        self.assertEqual(ran.status, 4, ran.describe())
        self.assertIn(b"401", ran.stderr)

    def test_the_log_tells_of_requests_and_not_of_what_they_say(self):
        with SteeredServer() as server:
            ran = helve_program.run([*self.command(server, "steered", "ask", "Which moons has Mars?"), "--log-level", "debug"], self.directory)
        self.assertEqual(ran.status, 0, ran.describe())
        lines = [line for line in ran.stderr.decode().splitlines() if "HTTP request" in line]
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"method=POST host=127\.0\.0\.1 status=200 ms=[\d.]+ bytes_sent=[1-9]\d+ bytes_read=[1-9]\d+$")
        self.assertNotIn("Which moons", "".join(lines))


if __name__ == "__main__":
    unittest.main()
