#!/usr/bin/env python3
"""A model as a file configures it: `--model-config` of `helve ask`, and [model] of the file of `helve mcp`.

HELVE_PROGRAM names the program; the server of models is ../support/fake_model_server.py.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("support", "mcp"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))

from fake_model_server import FakeModelServer  # noqa: E402
from mcp_client import MODERN, StdioPeer  # noqa: E402
from mcp_server import Program, environment  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("HELVE_PROGRAM", "helve"))
KEY = "sk-of-a-file-0123456789abcdef"
GATE = "gate-0123456789-secret"
SUBMIT = {"calls": [{"name": "submit", "arguments": {"answer": "Two."}}], "usage": {"input_tokens": 100, "output_tokens": 10}}


class ModelConfigTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="helve-model-")
        self.addCleanup(self.folder.cleanup)
        self.write("model.key", KEY + "\n")

    def write(self, name, text):
        path = Path(self.folder.name, name)
        path.write_text(text)
        return str(path)

    def config(self, server, way, more="", headers=""):
        return self.write("model.toml", f'[model]\nprovider = "chat"\nmodel = "fake-1"\nurl = "{server.url(way)}"\n'
                          f'key = "file:model.key"\n{more}\n[model.headers]\n{headers}\n')

    def ask(self, *arguments, **variables):
        ran = subprocess.run([PROGRAM, "ask", "How many?", "--source", "sample:", *arguments], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=60, cwd=self.folder.name,
                             env={**environment(self.folder.name), **variables})
        run = Path(self.folder.name, "run.jsonl")
        for secret in (KEY, GATE):
            self.assertNotIn(secret.encode(), ran.stdout + ran.stderr + (run.read_bytes() if run.exists() else b""))
        return ran

    def test_a_file_says_how_a_server_is_asked(self):
        with FakeModelServer() as server:
            file = self.config(server, "down", "retries_max = 0", 'X-Team = "graphs"\nX-Gate-Key = "env:MODEL_GATE"')
            ran = self.ask("--model-config", file, MODEL_GATE=GATE)
            self.assertEqual(ran.returncode, 6, ran)
            self.assertIn(b"503", ran.stderr)
            requests = server.requests("down", "chat")
            self.assertEqual(len(requests), 1)  # and not three
            headers = {name.lower(): value for name, value in requests[0][1].items()}
            self.assertEqual((headers["authorization"], headers["x-team"], headers["x-gate-key"]), ("Bearer " + KEY, "graphs", GATE))

    def test_words_go_before_the_file(self):
        with FakeModelServer() as server:
            file = self.config(server, "down", "retries_max = 0")
            self.ask("--model-config", file, "--model", "other", "--url", server.url("unknown-model"))
            body, _ = server.requests("unknown-model", "chat")[0]
            self.assertEqual(json.loads(body)["model"], "other")
        with FakeModelServer() as server, FakeModelServer() as other:
            file = self.config(server, "down", "retries_max = 0", 'X-Team = "graphs"')
            self.ask("--model-config", file, "--url", other.url("denied"))
            headers = {name.lower() for name in other.requests("denied", "chat")[0][1]}
            self.assertFalse(headers & {"authorization", "x-team"}, "another server gets neither key nor headers")

    def test_times_and_sizes(self):
        with FakeModelServer() as server:
            for more, way, words in (("answer_timeout = 0.3", "hang", b"no whole answer within 300 ms"),
                                     ("silence_timeout = 0.3", "silent", b"silent for 300 ms"),
                                     ("answer_bytes_max = 2048", "huge", b"longer than 2.0 KiB")):
                ran = self.ask("--model-config", self.config(server, way, more))
                self.assertIn(words, ran.stderr, more)
                self.assertEqual(len(server.requests(way, "chat")), 1)

    def test_prices_bound_the_cost(self):
        script = self.write("answers.jsonl", json.dumps(SUBMIT) + "\n")
        file = self.write("model.toml", '[model]\nscript = "answers.jsonl"\n[model.prices]\ninput = 1000\noutput = 10000\n')
        told = json.loads(self.ask("--model-config", file, "--json", "--max-cost", "5").stdout)
        self.assertAlmostEqual(told["usage"]["cost"], 0.2)
        self.assertFalse(told["usage"]["is_estimated"])
        ran = self.ask("--script", script, "--max-cost", "5")
        self.assertIn(b"no prices are known", ran.stderr)

    def test_what_is_wrong_is_told_with_its_line(self):
        ran = self.ask("--model-config", self.write("model.toml", '[model]\nmodel = "m"\nretires_max = 1\n'))
        self.assertEqual(ran.returncode, 2)
        self.assertIn(b"model.toml:3:1: unknown key \"retires_max\"", ran.stderr)
        self.assertIn(b"did you mean retries_max?", ran.stderr)
        ran = self.ask("--model-config", self.write("model.toml", f'[model]\nmodel = "m"\nkey = "{KEY}"\n'))  # ask() looks for it
        self.assertEqual(ran.returncode, 2)
        self.assertIn(b"line 3: key: a secret is named, not written out", ran.stderr)

    def test_a_script_goes_before_the_environment(self):
        script = self.write("answers.jsonl", json.dumps(SUBMIT) + "\n")
        with FakeModelServer() as server:
            environment_of_another = {"HELVE_PROVIDER": "chat:m@" + server.url("plain"), "HELVE_MODEL_KEY": KEY}
            ran = self.ask("--script", script, **environment_of_another)
            self.assertEqual(ran.stdout, b"Two.\n", ran)
            ran = self.ask("--script", script, "--provider", "chat:m@" + server.url("plain"))
            self.assertEqual(ran.returncode, 2, ran)
            self.assertIn(b"leave one of them out", ran.stderr)
            self.assertEqual(server.requests("plain", "chat"), [])

    def test_a_key_that_the_server_repeats_is_not_shown(self):
        with FakeModelServer() as server:
            file = self.config(server, "repeats-key")
            for more in ((), ("--json",), ("--stream",)):  # ask() looks for it
                ran = self.ask("--model-config", file, "--max-steps", "1", "--trajectory", "run.jsonl", *more)
                self.assertIn(b"[secret]", ran.stdout + ran.stderr, ran)

    def test_the_file_of_a_server_of_tools_has_one_too(self):
        self.write("answers.jsonl", json.dumps(SUBMIT) + "\n")
        file = self.write("mcp.toml", '[source.solar]\nuri = "sample:"\n[model]\nscript = "answers.jsonl"\n')
        with Program(PROGRAM, "--config", file, source=False) as program:
            peer = StdioPeer(program.process, MODERN)
            told = peer.call("ask", {"question": "How many?"})
            self.assertEqual(told.result["structuredContent"]["content"], "Two.", told.answer)
            program.finish()
        file = self.write("mcp.toml", '[source.solar]\nuri = "sample:"\n\n[model]\nscirpt = "answers.jsonl"\n')
        ran = subprocess.run([PROGRAM, "mcp", "--config", file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             timeout=60, env=environment(self.folder.name))
        self.assertEqual(ran.returncode, 2, ran)
        self.assertIn(b"mcp.toml:5:1: unknown key \"scirpt\"", ran.stderr)
        self.assertIn(b"did you mean script?", ran.stderr)


if __name__ == "__main__":
    unittest.main()
