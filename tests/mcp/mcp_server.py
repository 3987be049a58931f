"""Starts `helve mcp` for tests, and sees to it that it ends well.

Neighbours: mcp_client.py speaks with it. Programs here take the program under test as their first
argument, so that a sanitized one can be tested.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import server_testing  # noqa: E402
from server_testing import END_S, REPOSITORY  # noqa: E402

SAMPLE = REPOSITORY / "examples" / "solar-system.trig"


def environment(home):
    return {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HELVE_CACHE": "0",
        **server_testing.sanitizer_options(),
    }


class Program:
    """A running `helve mcp`. Its standard error is kept; reports of sanitizers are failures."""

    def __init__(self, program, *arguments, env=None, source=True):
        self.folder = tempfile.TemporaryDirectory(prefix="helve-mcp-")
        self.stderr = tempfile.TemporaryFile()
        sources = ["--source", f"solar={SAMPLE}"] if source else []
        self.process = subprocess.Popen(
            [program, "mcp", *sources, *map(str, arguments)],
            cwd=self.folder.name,
            env={**environment(self.folder.name), **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.finish()
        else:
            self.kill()
            sys.stderr.write(f"--- standard error of the server\n{self.said().decode(errors='replace')}\n")

    def said(self):
        """Standard error so far, or all of it when it has ended."""
        return self.last_words if self.stderr.closed else os.pread(self.stderr.fileno(), 1 << 20, 0)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.close()

    def close(self):
        if self.stderr.closed:
            return
        self.process.wait()
        self.last_words = self.said()
        self.stderr.close()
        self.folder.cleanup()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except (OSError, ValueError):
                pass

    def wait(self, wait_s=END_S):
        """The exit status; what does not end is killed and a failure."""
        try:
            return self.process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"the server did not end within {wait_s} s")

    def check_reports(self):
        said = self.said()
        if server_testing.has_report(said):
            raise AssertionError(f"the server reports:\n{said.decode(errors='replace')[-8000:]}")

    def finish(self):
        """Ends it as a client does, and checks how it ended."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        status = self.wait()
        self.close()
        self.check_reports()
        if status != 0:
            raise AssertionError(f"exit status {status}:\n{self.said().decode(errors='replace')[-4000:]}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class HttpProgram(Program):
    """The same over HTTP: `address` accepts connections once this is made. SIGTERM ends it."""

    def __init__(self, program, *arguments, env=None, source=True, host="127.0.0.1"):
        self.address = ("127.0.0.1", free_port())
        super().__init__(
            program, "--http", f"{host}:{self.address[1]}", *arguments, env=env, source=source
        )
        deadline = time.monotonic() + END_S
        while True:
            try:
                socket.create_connection(self.address, timeout=1).close()
                return
            except OSError:
                ended = self.process.poll() is not None
                if ended or time.monotonic() > deadline:
                    self.kill()
                    said = self.said().decode(errors="replace")
                    raise AssertionError(f"the server does not listen:\n{said}") from None
                time.sleep(0.01)

    def finish(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.wait()
        self.close()
        self.check_reports()
        if status != 0:
            raise AssertionError(f"exit status {status}:\n{self.said().decode(errors='replace')[-4000:]}")

    def memory_bytes(self):
        return server_testing.memory_bytes(self.process)


class Clock:
    """Says how long a block took: for reports, never for checks."""

    def __enter__(self):
        self.begun = time.monotonic()
        return self

    def __exit__(self, *_):
        self.took_s = time.monotonic() - self.begun


def in_background(work):
    """Runs `work` beside; what it raises comes out of join()."""
    outcome = {}

    def run():
        try:
            outcome["value"] = work()
        except BaseException as failure:  # handed on to who waits
            outcome["failure"] = failure

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def join(wait_s=END_S):
        thread.join(wait_s)
        if thread.is_alive():
            raise AssertionError("still at it")
        if "failure" in outcome:
            raise outcome["failure"]
        return outcome["value"]

    return join


PROGRAM = None


def program():
    return PROGRAM


def run_tests():
    server_testing.run_tests("mcp_server")
