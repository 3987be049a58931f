#!/usr/bin/env python3
"""Every odd thing that servers of models do, in each dialect, streamed and whole, through the real providers over real HTTP.

HELVE_MODEL_DRIVER names the program that asks (model_driver.cc); the server is ../support/fake_model_server.py.
"""

import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))

from fake_model_server import FakeModelServer  # noqa: E402

DRIVER = os.environ.get("HELVE_MODEL_DRIVER", "")
DIALECTS = ("chat", "responses", "anthropic")
KEY = "sk-driver-0123456789abcdef"
TEXT = "Grüße an die Welt 🌍"
CANCEL_MS = 1000  # until it has an effect; the server would be silent for 30 s


class Asked:
    """What came of one job, and what the server saw of it."""

    def __init__(self, case, dialect, stream, told, requests):
        self.case, self.dialect, self.stream = case, dialect, stream
        self.answer, self.error = told.get("answer"), told.get("error")
        self.pieces, self.reasoning, self.slept_ms = told["pieces"], told["reasoning"], told["slept_ms"]
        self.after_cancel_ms = told.get("after_cancel_ms")
        self.bodies = [body.decode() for body, _ in requests]
        self.headers = [headers for _, headers in requests]

    def __str__(self):
        return f"{self.case} {self.dialect} {'streamed' if self.stream else 'whole'}: {self.answer or self.error}"


class ModelsTest(unittest.TestCase):
    def ask(self, case, dialects=DIALECTS, streams=(True, False), **options):
        """The case in each dialect and form, one server and one process for all."""
        with FakeModelServer() as server:
            jobs = [(dialect, stream) for dialect in dialects for stream in streams]
            lines = [json.dumps({"dialect": dialect, "url": server.url(self.way(case, stream)), "stream": stream, **options})
                     for dialect, stream in jobs]
            environment = {**os.environ, "HELVE_MODEL_DRIVER_KEY": KEY}
            ran = subprocess.run([DRIVER], input="\n".join(lines).encode(), stdout=subprocess.PIPE, env=environment, timeout=120,
                                 check=True)
            self.assertNotIn(KEY.encode(), ran.stdout)
            told = [json.loads(line) for line in ran.stdout.splitlines()]
            self.assertEqual(len(told), len(jobs))
            made = []
            for (dialect, stream), one in zip(jobs, told):
                way = self.way(case, stream)
                made.append(Asked(case, dialect, stream, one, server.requests(way, dialect)))
            return made

    @staticmethod
    def way(case, stream):
        return f"{'streamed' if stream else 'whole'}/{case}"

    def is_plain(self, asked, requests=1, retries=None):
        self.assertIsNotNone(asked.answer, asked)
        self.assertEqual(asked.answer["text"], TEXT, asked)
        self.assertEqual(asked.answer["stop"], "end_turn", asked)
        self.assertEqual(asked.answer["calls"], [], asked)
        self.assertEqual("".join(asked.pieces), TEXT if asked.stream else "", asked)
        self.assertEqual(len(asked.bodies), requests, asked)
        self.assertIn(asked.answer["retries"], (requests - 1,) if retries is None else retries, asked)

    def is_failed(self, asked, code, *words, requests=1):
        self.assertIsNotNone(asked.error, asked)
        self.assertEqual(asked.error["code"], code, asked)
        for word in ("127.0.0.1", *words):
            self.assertIn(word, asked.error["message"], asked)
        self.assertLess(len(asked.error["message"]), 700, asked)
        self.assertTrue(asked.error.get("hint"), asked)
        self.assertEqual(len(asked.bodies), requests, asked)

    # Answers.

    def test_usage_is_the_same_in_all_dialects(self):
        for asked in self.ask("plain"):
            self.is_plain(asked)
            usage = asked.answer["usage"]
            self.assertEqual((usage["input_tokens"], usage["cached_tokens"], usage["output_tokens"]), (1000, 600, 50), asked)
            self.assertFalse(usage["is_estimated"])
            written = 100 if asked.dialect == "anthropic" else 0
            self.assertEqual(usage["cache_write_tokens"], written)
            self.assertAlmostEqual(usage["cost"], (1000 - 600 - written + 60 + 1.25 * written + 500) / 1e6)
            self.assertEqual(asked.answer["model"], "fake-1")

    def test_streams_come_in_pieces_and_in_every_form(self):
        for case in ("plain", "split", "crlf", "cr", "multi-line", "comments", "nulls", "no-end", "wrong-type", "slow"):
            for asked in self.ask(case):
                self.is_plain(asked)
                if asked.stream:
                    self.assertEqual(asked.pieces, ["Grü", "ße an die ", "Welt 🌍"], asked)

    def test_answers_in_the_other_form_are_read(self):
        for asked in self.ask("other-form"):
            self.is_plain(asked)

    def test_usage_that_is_missing_is_estimated(self):
        for asked in self.ask("usage-missing"):
            self.is_plain(asked)
            self.assertTrue(asked.answer["usage"]["is_estimated"], asked)
            self.assertEqual(asked.answer["usage"]["output_tokens"], 5, asked)

    def test_usage_is_not_lost(self):
        for asked in self.ask("usage-later"):
            self.is_plain(asked)
            usage = asked.answer["usage"]
            self.assertEqual((usage["input_tokens"], usage["cached_tokens"], usage["output_tokens"]), (1000, 600, 50), asked)
            self.assertFalse(usage["is_estimated"], asked)

    def test_bare_calls_are_told_apart(self):
        for asked in self.ask("bare-calls"):
            self.assertIsNotNone(asked.answer, asked)
            self.assertEqual([(call["name"], call["arguments"]) for call in asked.answer["calls"]],
                             [("find", {"q": "Wien", "n": 1}), ("find", {"q": "Linz"})], asked)
            self.assertEqual(len({call["id"] for call in asked.answer["calls"]}), 2, asked)

    def test_blocks_without_beginnings_are_not_lost(self):
        for asked in self.ask("no-starts"):
            self.is_plain(asked)

    def test_calls(self):
        for case in ("calls", "missing-ids"):
            for asked in self.ask(case):
                self.assertIsNotNone(asked.answer, asked)
                self.assertEqual(asked.answer["stop"], "tool_calls", asked)
                calls = asked.answer["calls"]
                self.assertEqual([call["name"] for call in calls], ["find", "find"], asked)
                self.assertEqual([call["arguments"] for call in calls], [{"q": "Wien", "n": 1}, {"q": "Linz"}], asked)
                ids = ["id-a", "id-b"] if case == "calls" else ["call_1", "call_2"]
                self.assertEqual([call["id"] for call in calls], ids, asked)

    def test_arguments_of_every_kind(self):
        for case, arguments in (("object-arguments", {"q": "Wien", "n": 1}), ("empty-arguments", {}), ("broken-arguments", None)):
            for asked in self.ask(case):
                self.assertIsNotNone(asked.answer, asked)
                self.assertEqual([call["arguments"] for call in asked.answer["calls"]], [arguments], asked)
                if case == "broken-arguments":
                    self.assertEqual(asked.answer["calls"][0]["written"], '{"q": "Wi', asked)

    def test_stops(self):
        for case, stop in (("cap", "output_cap"), ("refusal", "refusal")):
            for asked in self.ask(case):
                self.assertIsNotNone(asked.answer, asked)
                self.assertEqual(asked.answer["stop"], stop, asked)
                self.assertEqual(asked.answer["text"], TEXT if case == "cap" else "I will not.", asked)

    def test_reasoning_and_results_go_back(self):
        for asked in self.ask("reasoning", follow_up=True, model="gpt-5-fake"):
            self.assertIsNotNone(asked.answer, asked)
            self.assertEqual(asked.answer["text"], TEXT, asked)
            self.assertEqual(asked.reasoning, "hmm" if asked.stream else "", asked)
            first, second = map(json.loads, asked.bodies)
            if asked.dialect == "chat":
                self.assertEqual([message["role"] for message in second["messages"]], ["system", "user", "assistant", "tool", "tool"])
                self.assertEqual([m["tool_call_id"] for m in second["messages"][3:]], ["id-a", "id-b"])
            if asked.dialect == "responses":
                kinds = [item["type"] for item in second["input"]]
                self.assertEqual(kinds, ["message", "reasoning", "function_call", "function_call", "message"]
                                 + ["function_call_output"] * 2)
                self.assertEqual(second["input"][1]["encrypted_content"], "ENCRYPTED")
                self.assertEqual(second["include"], ["reasoning.encrypted_content"])
            if asked.dialect == "anthropic":
                self.assertEqual([message["role"] for message in second["messages"]], ["user", "assistant", "user"])
                self.assertEqual(second["messages"][1]["content"][0], {"type": "thinking", "thinking": "hmm", "signature": "SIGNED"})
                results = second["messages"][2]["content"]
                self.assertEqual([result["tool_use_id"] for result in results], ["id-a", "id-b"])
                self.assertEqual([result.get("is_error", False) for result in results], [False, True])
            self.assertEqual({key: first[key] for key in first if key not in ("messages", "input")},
                             {key: second[key] for key in second if key not in ("messages", "input")})

    def test_results_have_the_ids_of_their_calls(self):
        for asked in self.ask("foreign-ids", follow_up=True, model="gpt-5-fake"):  # else the server refuses
            self.assertIsNotNone(asked.answer, asked)
            self.assertEqual(asked.answer["text"], TEXT, asked)
            self.assertEqual(len(asked.bodies), 2, asked)
            for name in ("functions.find:0", "functions.find:1"):
                self.assertEqual(asked.bodies[1].count(name), 2 + 1, asked)  # the call, its result, and the text of it

    def test_a_key_that_the_server_repeats_goes_no_further(self):
        for asked in self.ask("repeats-key"):  # ask() looks at all that came
            self.assertIsNotNone(asked.answer, asked)
            self.assertEqual(asked.answer["text"], "It is [secret].", asked)
            self.assertEqual("".join(asked.pieces), "It is [secret]." if asked.stream else "", asked)
            self.assertEqual(asked.answer["calls"][0]["arguments"], {"q": "[secret]"}, asked)

    def test_a_conversation_begins_with_the_same_bytes(self):
        for asked in self.ask("reasoning", dialects=("chat", "responses"), follow_up=True):
            first, second = asked.bodies
            self.assertTrue(second.startswith(first[:-2]), asked)

    def test_the_key_goes_where_each_dialect_wants_it(self):
        for asked in self.ask("plain"):
            headers = {name.lower(): value for name, value in asked.headers[0].items()}
            if asked.dialect == "anthropic":
                self.assertEqual((headers["x-api-key"], headers["anthropic-version"]), (KEY, "2023-06-01"))
                self.assertNotIn("authorization", headers)
            else:
                self.assertEqual(headers["authorization"], "Bearer " + KEY)
            body = json.loads(asked.bodies[0])
            self.assertEqual(body["stream"], asked.stream)
            if asked.dialect == "chat" and asked.stream:
                self.assertEqual(body["stream_options"], {"include_usage": True})

    # What is tried again.

    def test_servers_say_how_long_to_wait(self):
        for case, least, most in (("busy-ms", 1500, 1500), ("busy-seconds", 3000, 3000), ("busy-date", 18_000, 20_000),
                                  ("overloaded", 375, 500), ("conflict", 375, 500), ("late", 375, 500),
                                  ("overloaded-ms", 1500, 1500), ("overloaded-seconds", 3000, 3000),
                                  ("overloaded-fraction", 750, 750), ("overloaded-date", 18_000, 20_000),
                                  ("overloaded-older-date", 18_000, 20_000), ("overloaded-oldest-date", 18_000, 20_000),
                                  ("overloaded-one-senseless", 1000, 1000), ("overloaded-senseless", 375, 500)):
            for asked in self.ask(case):
                self.is_plain(asked, requests=2)
                self.assertGreaterEqual(asked.slept_ms, least - 50, asked)  # less what passed of itself
                self.assertLessEqual(asked.slept_ms, most, asked)
                self.assertEqual(asked.bodies[0], asked.bodies[1])

    def test_broken_beginnings_are_tried_again(self):
        for case in ("error-first", "cut-early", "empty", "comment-alone"):
            for asked in self.ask(case):
                self.is_plain(asked, requests=2)
        # On a connection that was used before, libcurl itself asks again.
        for asked in self.ask("hang-up"):
            self.is_plain(asked, requests=2, retries=(0, 1))

    def test_tries_end(self):
        for asked in self.ask("down"):
            self.is_failed(asked, "unavailable", "503", "tried 3 times", requests=3)
            self.assertGreaterEqual(asked.slept_ms, 375 + 750)
        for asked in self.ask("down", retries_max=0):
            self.is_failed(asked, "unavailable", "503")

    def test_what_is_refused_is_not_tried_again(self):
        for case, code, words in (("denied", "denied", ("401", "Incorrect key")), ("quota", "limit_exceeded", ("429", "quota")),
                                  ("unknown-model", "invalid_input", ("404", "does not exist")),
                                  ("too-long", "invalid_input", ("400", "too long")), ("redirect", "invalid_input", ("307",)),
                                  ("busy-long", "unavailable", ("429", "wait 1 h")),
                                  ("credit", "limit_exceeded", ("400", "credit balance")),
                                  ("no-tools", "invalid_input", ("422", "not permitted"))):
            for asked in self.ask(case):
                self.is_failed(asked, code, *words)
                self.assertEqual(asked.slept_ms, 0, asked)

    def test_the_words_of_an_error_are_not_waited_for(self):
        for asked in self.ask("stalled-error", dialects=("chat",), streams=(True,)):
            self.is_failed(asked, "invalid_input", "400", "first words")

    # What breaks.

    def test_nothing_is_tried_again_behind_the_first_piece(self):
        for case, words in (("error-later", ("Overloaded", "passed on")), ("cut", ("cut off in the middle", "passed on")),
                            ("ends-clean", ("ended in the middle", "passed on"))):
            for asked in self.ask(case, streams=(True,)):
                self.is_failed(asked, "unavailable", *words)
                self.assertEqual("".join(asked.pieces), "Grü", asked)

    def test_without_a_sink_it_is(self):
        for case in ("error-later", "cut", "ends-clean"):
            for asked in self.ask(case, streams=(False,)):
                self.is_failed(asked, "unavailable", "tried 3 times", requests=3)

    def test_what_is_no_answer(self):
        for asked in self.ask("page"):
            self.is_failed(asked, "unavailable", "web page", "Sign in")
        for asked in self.ask("words"):
            self.is_failed(asked, "unavailable", "upstream model not loaded")
        for asked in self.ask("no-json"):
            self.is_failed(asked, "unavailable", "JSON", "tried 3 times", requests=3)

    def test_answers_are_bounded(self):
        for case in ("huge", "long-line"):
            for asked in self.ask(case, answer_bytes_max=200_000):
                self.is_failed(asked, "limit_exceeded", "longer than")
                self.assertLess(sum(map(len, asked.pieces)), 200_000)

    def test_limits_of_ours_are_not_met_twice(self):
        for case, words in (("endless-headers", "headers"), ("deep", "nested")):
            for asked in self.ask(case):
                self.is_failed(asked, "limit_exceeded", words)

    def test_silence_ends_a_stream(self):
        for asked in self.ask("silent", streams=(True,), silence_timeout_ms=150):
            self.is_failed(asked, "limit_exceeded", "silent for 150 ms")
            self.assertEqual("".join(asked.pieces), "Grü", asked)

    def test_an_answer_has_a_whole_time(self):
        for case in ("silent", "hang"):
            for asked in self.ask(case, answer_timeout_ms=200):
                self.is_failed(asked, "limit_exceeded", "no whole answer within 200 ms")

    def test_cancellation(self):
        for asked in self.ask("silent", streams=(True,), cancel_at_piece=1):
            self.assertEqual(asked.error["code"], "cancelled", asked)
            self.assertEqual(asked.pieces, ["Grü"], asked)
            self.assertEqual(len(asked.bodies), 1)
            self.assertLess(asked.after_cancel_ms, CANCEL_MS, asked)
        for asked in self.ask("hang", cancel_after_ms=100):
            self.assertEqual(asked.error["code"], "cancelled", asked)
            self.assertEqual(len(asked.bodies), 1)
            self.assertLess(asked.after_cancel_ms, CANCEL_MS, asked)

    def test_a_server_that_is_not_there(self):
        with FakeModelServer() as server:
            url = server.url("plain")
        line = json.dumps({"dialect": "chat", "url": url}).encode()
        ran = subprocess.run([DRIVER], input=line, stdout=subprocess.PIPE, env={**os.environ, "HELVE_MODEL_DRIVER_KEY": KEY},
                             timeout=60, check=True)
        error = json.loads(ran.stdout)["error"]
        self.assertEqual(error["code"], "unavailable")
        self.assertIn("tried 3 times", error["message"])
        self.assertIn("cannot be reached", error["message"])


if __name__ == "__main__":
    unittest.main()
