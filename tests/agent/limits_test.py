#!/usr/bin/env python3
"""Every limit of `helve ask` against a model that never comes to an end: which stop reason, which status, and how soon.

HELVE_PROGRAM names the program; the model is runaway_model.py. A run must end within a second of the limit: that is promised, so
here it is measured, around the whole process.
"""

import json
import os
import subprocess
import tempfile
import time
import unittest

from runaway_model import PRICE, SO_FAR, RunawayServer

PROGRAM = os.path.abspath(os.environ.get("HELVE_PROGRAM", "helve"))
GRACE_S = 1.0
TIME_S = 1.0
LIMIT_ENDED_IT = 5
HANG_S = 60


class Ran:
    def __init__(self, done, began, ended, server):
        self.status = done.returncode
        self.stdout, self.stderr = done.stdout.decode(), done.stderr.decode()
        self.took_s = ended - began
        # The thread of the server may note its last answer after the program has ended already.
        for _ in range(100):
            if server.said_at:
                break
            time.sleep(0.01)
        self.behind_s = ended - server.said_at if server.said_at else None  # the last answer of the model
        self.told = json.loads(self.stdout) if self.stdout.startswith("{") else None

    def __str__(self):
        return f"status {self.status} after {self.took_s:.2f} s\n{self.stdout[-1500:]}\n{self.stderr[-1500:]}"


class LimitsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="helve-limits-")
        cls.start_s = {}
        for loop, way in (("react", "one-more"), ("rlm", "code-prints")):
            with RunawayServer() as server:
                cls.start_s[loop] = cls.ran(server, way, "--loop", loop, "--max-steps", "1").took_s
            print(f"start-up and one step, {loop}: {cls.start_s[loop]:.2f} s", flush=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def ran(cls, server, way, *options):
        environment = {"HOME": cls.folder.name, "LANG": "C.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin", "HELVE_CACHE": "0"}
        environment.update({name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")})
        began = time.monotonic()
        done = subprocess.run([PROGRAM, "ask", "How many are there?", "--source", "sample:", "--json", "--provider", "chat", "--model",
                               "fake-1", "--url", server.url(way), *options], cwd=cls.folder.name, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=HANG_S, check=False)
        return Ran(done, began, time.monotonic(), server)

    def is_limited(self, ran, reason, partial=SO_FAR.strip()):
        """`partial` is part of what there is of an answer; None: the model has said nothing."""
        self.assertIsNotNone(ran.told, ran)
        self.assertEqual((ran.told["stop_reason"], ran.status), (reason, LIMIT_ENDED_IT), ran)
        self.assertFalse(ran.told["converged"], ran)
        self.assertIn("; raise --", ran.told["note"], ran)
        self.assertNotIn("Ref(", ran.told["content"], ran)
        if partial is None:
            self.assertEqual(ran.told["content"], "", ran)
        else:
            self.assertNotEqual(partial, "")
            self.assertIn(partial, ran.told["content"], ran)

    def is_prompt(self, what, ran):
        """For limits that an answer of the model reaches."""
        print(f"{what}: {ran.behind_s:.2f} s behind the last answer", flush=True)
        self.assertLess(ran.behind_s, GRACE_S, ran)

    def prices(self, model):
        path = os.path.join(self.folder.name, "prices.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'["{model}"]\ninput = {PRICE}\noutput = {PRICE}\n')
        return path

    def test_steps(self):
        for way, loop in (("one-more", "react"), ("unknown-tool", "react"), ("code-prints", "rlm")):
            with self.subTest(way), RunawayServer() as server:
                ran = self.ran(server, way, "--loop", loop, "--max-steps", "3")
                self.is_limited(ran, "step_cap")
                self.assertEqual(ran.told["iterations"], 3, ran)
                self.assertIn(server.count(way), (3, 4))  # one more may ask for what there is
                self.is_prompt(f"--max-steps 3, {way}", ran)

    def test_calls(self):
        for way, loop, most in (("one-more", "react", 4), ("three-more", "react", 4), ("code-asks", "rlm", 4)):
            with self.subTest(way), RunawayServer() as server:
                audit = os.path.join(self.folder.name, f"{way}.audit")
                ran = self.ran(server, way, "--loop", loop, "--max-calls", str(most), "--max-steps", "100", "--audit", audit)
                self.is_limited(ran, "call_cap")
                with open(audit, encoding="utf-8") as file:
                    calls = [line for line in map(json.loads, file) if "sparql_query" in json.dumps(line)]
                self.assertLessEqual(len(calls), most, ran)
                self.is_prompt(f"--max-calls {most}, {way}", ran)

    def test_tokens(self):
        for way, loop in (("one-more", "react"), ("code-prints", "rlm")):
            with self.subTest(way), RunawayServer() as server:  # 1,050 for each answer
                ran = self.ran(server, way, "--loop", loop, "--max-tokens", "12000", "--max-steps", "100")
                self.is_limited(ran, "token_budget")
                self.assertIn(server.count(way), range(1, 12))
                self.is_prompt(f"--max-tokens 12000, {way}", ran)
        for way in ("usage-large", "usage-beyond"):
            with self.subTest(way), RunawayServer() as server:
                ran = self.ran(server, way, "--max-steps", "5")
                self.is_limited(ran, "token_budget")
                self.assertEqual(server.count(way), 1)
                self.is_prompt(f"tokens by default, {way}", ran)

    def test_what_does_not_fit_is_not_sent(self):
        with RunawayServer() as server:
            ran = self.ran(server, "many-rows", "--max-tokens", "20000")
            self.is_limited(ran, "token_budget")
            self.assertEqual(server.count("many-rows"), 1)
        with RunawayServer() as server:
            ran = self.ran(server, "one-more", "--max-tokens", "500")
            self.is_limited(ran, "token_budget", None)
            self.assertEqual(server.count("one-more"), 0)

    def test_usage_below_nothing_buys_nothing(self):
        with RunawayServer() as server:
            ran = self.ran(server, "usage-negative", "--max-steps", "3")
            self.assertEqual(ran.status, LIMIT_ENDED_IT, ran)
            self.assertGreaterEqual(ran.told["usage"]["input_tokens"], 0, ran)
            self.assertGreaterEqual(ran.told["usage"]["output_tokens"], 0, ran)

    def test_text_without_end_does_not_pass_the_tokens(self):
        for loop in ("react", "rlm"):
            with self.subTest(loop), RunawayServer() as server:
                ran = self.ran(server, "flood", "--loop", loop, "--max-tokens", "20000", "--time", "50s")
                print(f"--max-tokens 20000, flood, {loop}: {ran.took_s:.2f} s in all", flush=True)
                self.is_limited(ran, "token_budget")

    def test_cost(self):
        for way, loop in (("one-more", "react"), ("code-prints", "rlm")):
            with self.subTest(way), RunawayServer() as server:
                ran = self.ran(server, way, "--loop", loop, "--max-cost", "2", "--prices", self.prices("fake-*"), "--max-steps", "100")
                self.is_limited(ran, "cost_budget")
                self.assertEqual(server.count(way), 2)
                self.assertAlmostEqual(ran.told["usage"]["cost"], 2.1)
                self.is_prompt(f"--max-cost 2, {way}", ran)

    def test_cost_of_a_batch(self):
        """25 prompts at once, of which four may be on their way when the money is spent."""
        with RunawayServer() as server:
            ran = self.ran(server, "code-asks-models", "--loop", "rlm", "--max-cost", "3", "--prices", self.prices("fake-*"))
            self.is_limited(ran, "cost_budget")
            self.assertLessEqual(ran.told["usage"]["cost"], 3 + 4 * 1.05)

    def test_cost_without_prices_is_refused(self):
        for options in ((), ("--prices", self.prices("another"))):
            with self.subTest(options), RunawayServer() as server:
                ran = self.ran(server, "one-more", "--max-cost", "2", *options)
                self.assertNotIn(ran.status, (0, LIMIT_ENDED_IT), ran)
                self.assertGreater(ran.status, 0, ran)
                self.assertIn("price", ran.stdout + ran.stderr)
                self.assertEqual(server.count("one-more"), 0, "a model was asked, and what it costs is not known")

    def timed(self, way, loop="react", partial=SO_FAR.strip(), **expected):
        with RunawayServer() as server:
            ran = self.ran(server, way, "--loop", loop, "--time", f"{TIME_S:.0f}s", "--max-steps", "1000", "--max-calls", "100000")
            beyond_s = ran.took_s - TIME_S
            print(f"--time {TIME_S:.0f}s, {way}, {loop}: {beyond_s:.2f} s behind the limit, start-up included", flush=True)
            self.is_limited(ran, "time_budget", partial)
            self.assertGreater(ran.took_s, TIME_S * 0.9, ran)
            self.assertLess(beyond_s, GRACE_S + self.start_s[loop], ran)
            self.assertLess(ran.told["ms"], (TIME_S + GRACE_S) * 1000, ran)
            self.assertLessEqual(server.count(way), expected.get("requests", 1), ran)
            return ran

    def test_time_while_the_model_streams(self):
        self.timed("drip")

    def test_time_while_the_model_streams_in_the_other_loop(self):
        self.timed("drip", "rlm")

    def test_time_while_the_model_is_silent(self):
        self.timed("silent", partial="Grü")

    def test_time_while_the_model_never_answers(self):
        self.timed("hang", partial=None)

    def test_time_while_the_server_is_busy(self):
        """It says to wait for longer than there is, or asks are tried again."""
        for way in ("busy-seconds", "down"):
            with self.subTest(way), RunawayServer() as server:
                ran = self.ran(server, way, "--time", "1s")
                self.assertIn(ran.status, (LIMIT_ENDED_IT, 6), ran)
                self.assertLess(ran.took_s, TIME_S + GRACE_S + self.start_s["react"], ran)
                print(f"--time 1s, {way}: {ran.took_s:.2f} s in all, status {ran.status}", flush=True)

    def test_time_while_a_query_runs(self):
        self.timed("slow-query")

    def test_time_while_queries_run(self):
        self.timed("slow-queries")

    def test_time_between_quick_calls(self):
        self.timed("one-more", requests=100_000)

    def test_time_while_code_spins(self):
        self.timed("code-spins", "rlm")

    def test_time_while_code_sleeps(self):
        self.timed("code-sleeps", "rlm")

    def test_time_while_code_takes_no_interrupt(self):
        self.timed("code-holds-on", "rlm")

    def test_time_while_a_query_of_code_runs(self):
        self.timed("code-queries", "rlm")


if __name__ == "__main__":
    unittest.main()
