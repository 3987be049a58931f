#!/usr/bin/env python3
"""Endpoints that misbehave (tests/support/hostile_endpoint.py): each ends in time, with its cause named. HELVE_PROGRAM names the program."""

import json
import os
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"), os.path.join(HERE, "..", "cases")]

import helve_program  # noqa: E402
from helve_program import WorkDirectory  # noqa: E402
from hostile_endpoint import MARK, WAYS, HostileEndpoint  # noqa: E402

TIMEOUT_S = 4
# How long after its deadline a call may end, by its own clock: other tests run beside it, and sanitizers take longer.
GRACE_MS = 8_000 if helve_program.is_sanitized() else 2_000
# Starting and ending the program take their time beside the call, on a busy machine much of it.
BEYOND_S = 10
QUERY = f"SELECT ?x {{ ?x ?p <{MARK}> }}"


class HostileTest(unittest.TestCase):
    """expect_* of one way each: what the reply must be."""

    @classmethod
    def setUpClass(cls):
        cls.endpoint = HostileEndpoint().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.endpoint.__exit__()

    def ask(self, way, query=QUERY):
        with WorkDirectory() as directory:
            command = [helve_program.program_path(), "call", "--source", f"it={self.endpoint.url(way)}", "--json",
                       "sparql_query", f"query={query}", f"timeout={TIMEOUT_S}", "diagnose=false"]
            begun = time.monotonic()
            done = subprocess.run(command, cwd=directory, env=helve_program.fixed_environment(directory), capture_output=True,
                                  timeout=60, check=False)
            taken = time.monotonic() - begun
        self.assertLess(taken, TIMEOUT_S + BEYOND_S, way)
        self.assertIn(done.returncode, (0, 1, 2, 3, 4, 5, 6), done.stderr)
        reply = json.loads(done.stdout)
        self.call_ms = reply["execution_time_ms"]
        self.assertLess(self.call_ms, 1_000 * TIMEOUT_S + GRACE_MS, way)
        return reply

    def fails(self, way, cause, *words):
        reply = self.ask(way)
        self.assertIn("error", reply, reply)
        self.assertEqual(reply["error"].get("cause"), cause, reply)
        self.assertTrue(reply["error"].get("hint"), reply)
        for word in words:
            self.assertIn(word, json.dumps(reply))
        return reply["error"]

    def gives(self, way, rows, is_complete=True, *words):
        reply = self.ask(way)
        self.assertNotIn("error", reply, reply)
        self.assertEqual(reply["rows"], rows, reply)
        self.assertEqual(reply["total_is"] == "exact", is_complete, reply)
        for word in words:
            self.assertIn(word, json.dumps(reply["warnings"]), reply)
        return reply

    def test_every_way_is_tried(self):
        tried = {name[len("test_way_"):].replace("_", "-") for name in dir(self) if name.startswith("test_way_")}
        self.assertEqual(tried, set(WAYS))

    def test_way_good(self):
        self.gives("good", 3)

    def test_way_slow_head(self):
        self.fails("slow-head", "too_heavy")

    def test_way_slow_body(self):
        reply = self.ask("slow-body")
        self.assertTrue("error" in reply or reply["total_is"] == "at_least", reply)

    def test_way_rows_then_silence(self):
        self.gives("rows-then-silence", 50, False)

    def test_way_endless_body(self):
        reply = self.ask("endless-body")
        self.assertGreater(reply["rows"], 1000)
        self.assertEqual(reply["total_is"], "at_least")

    def test_way_truncated_json(self):
        reply = self.gives("truncated-json", 49, False)
        self.assertIn("ends in the middle", json.dumps(reply))

    def test_way_cut_connection(self):
        self.gives("cut-connection", 49, False)

    def test_way_cut_behind_head(self):
        self.assertTrue(self.fails("cut-behind-head", "cut")["retry"])

    def test_way_wrong_type(self):
        self.gives("wrong-type", 3)

    def test_way_html_error(self):
        self.fails("html-error", "wrong_answer", "Please sign in")

    def test_way_error_inside(self):
        self.fails("error-inside", "too_heavy", "Operation timed out")

    def test_way_error_behind_rows(self):
        self.gives("error-behind-rows", 19, False)

    def test_way_busy(self):
        self.gives("busy", 3)
        self.assertEqual(self.endpoint.count("/busy", "SELECT ?x"), 2)

    def test_way_busy_for_long(self):
        self.fails("busy-for-long", "busy", "1 h")
        self.assertLess(self.call_ms, 1_000 + GRACE_MS)

    def test_way_unavailable_once(self):
        self.gives("unavailable-once", 3)

    def test_way_gzip_bomb(self):
        self.fails("gzip-bomb", "too_heavy")

    def test_way_gzip_bomb_twice(self):
        self.assertIn("error", self.ask("gzip-bomb-twice"))

    def test_way_redirect_inside(self):
        self.fails("redirect-inside", "not_allowed", "169.254.169.254")

    def test_way_redirect_for_ever(self):
        self.fails("redirect-for-ever", "not_allowed")

    def test_way_redirect_to_file(self):
        self.fails("redirect-to-file", "not_allowed")

    def test_way_silent_cap(self):
        self.gives("silent-cap", 10_000, False, "without saying so")

    def test_way_told_cap(self):
        self.gives("told-cap", 2_000, False, "no more than 2,000")

    def test_way_partial(self):
        self.gives("partial", 7, False, "stopped early")

    def test_way_cold(self):
        self.fails("cold", "cold", "waking up")
        self.gives("cold", 3)  # the next call finds it awake

    def test_way_syntax(self):
        error = self.fails("syntax", "syntax", "SP030")
        self.assertNotIn("secret", json.dumps(error))

    def test_way_too_heavy(self):
        self.fails("too-heavy", "too_heavy", "4345")

    def test_way_gateway(self):
        self.fails("gateway", "gateway")

    def test_way_no_http(self):
        self.fails("no-http", "not_there", "HTTP/0.9")

    def test_way_endless_headers(self):
        self.fails("endless-headers", "cut")

    def test_way_long_value(self):
        self.assertIn("error", self.ask("long-value"))

    def test_way_deep_json(self):
        self.assertIn("error", self.ask("deep-json"))

    def test_way_instructions(self):
        error = self.fails("instructions", "wrong_answer")
        self.assertNotIn("\x1b", json.dumps(error, ensure_ascii=False))

    def test_nobody_there(self):
        self.endpoint.url("good")
        with WorkDirectory() as directory:
            command = [helve_program.program_path(), "call", "--source", "it=http://127.0.0.1:1/sparql", "--json",
                       "sparql_query", f"query={QUERY}", f"timeout={TIMEOUT_S}"]
            done = subprocess.run(command, cwd=directory, env=helve_program.fixed_environment(directory), capture_output=True,
                                  timeout=60, check=False)
        self.assertEqual(json.loads(done.stdout)["error"]["cause"], "down")


if __name__ == "__main__":
    unittest.main()
