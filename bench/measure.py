"""Runs a peer and reads its events (peers/protocol.py): times, answers, peak memory, what was given up.

Neighbours: engines.py says how each engine is called, run.py what is measured.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

OPEN_SECONDS_MAX = 3600


@dataclass
class Answer:
    """What one engine did with one query."""

    seconds: list = field(default_factory=list)  # of each round, the first first
    cold_seconds: float | None = None  # of the first query of a process
    rows: int | None = None
    digest: str | None = None
    failure: str | None = None  # "timeout", or what the engine said

    def best(self):
        return min(self.seconds) if self.seconds and not self.failure else None


@dataclass
class Ended:
    """How a process ended. `problem` is None when all went well and "silent" when it had to be killed."""

    problem: str | None
    peak_kib: int
    seconds: float
    other_output: bytes  # what it printed besides events


def run_process(command, on_event, seconds_max):
    """Calls `on_event(event)` for each line; it may return False to end the process. Each line has `seconds_max()`."""
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                   process_group=0)
        other_output = []
        problem = "interrupted"
        try:
            problem = read_events(process.stdout, on_event, seconds_max, other_output)
        finally:
            if problem:  # also its own children, as a server
                os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        if problem == "enough":
            problem = None
        elif process.returncode != 0 and not problem:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
            problem = lines[-1][:200] if lines else f"exit status {process.returncode}"
        return Ended(problem, usage.ru_maxrss, seconds, b"\n".join(other_output))


def read_events(stream, on_event, seconds_max, other_output):
    """None at the end, "enough" when the reader had it, "silent" when nothing came in time."""
    os.set_blocking(stream.fileno(), False)
    pending = b""
    deadline = time.monotonic() + seconds_max()
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            if not selector.select(max(0, deadline - time.monotonic())):
                return "silent"
            data = stream.read(1 << 16)
            if not data:
                return None
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                if not line.startswith(b'{"event"'):
                    other_output.append(line)
                elif on_event(json.loads(line)) is False:
                    return "enough"
                deadline = time.monotonic() + seconds_max()


class QueryRuns:
    """The answers of one engine, over as many processes as its failures make necessary."""

    def __init__(self, engine, place, limit_seconds):
        self.engine = engine
        self.place = place
        self.limit_seconds = limit_seconds
        self.answers = {}  # by name of the query
        self.peak_kib = 0
        self.open_seconds = []
        self.facts = {}  # other members of `open` and `note`
        self.problem = None  # why the engine could not be used at all

    def answer(self, name):
        return self.answers.setdefault(name, Answer())

    def warm(self, paths, rounds):
        """All queries in one process; a new one goes on after a query that killed it."""
        left = [path for path in paths if not self.answer(path.stem).failure]
        while left:
            left = self.warm_process(left, rounds)
            if self.problem:
                return

    def warm_process(self, paths, rounds):
        """The paths that are still to do."""
        done = set()
        opened = False

        def on_event(event):
            nonlocal opened
            opened = opened or event["event"] == "open"
            self.note(event)
            if event["event"] in ("answer", "failed"):
                done.add(event["query"])

        silence = self.limit_seconds * 2 + 10
        ended = run_process(self.engine.query_command(self.place, rounds, self.limit_seconds, paths), on_event,
                            lambda: silence if opened else OPEN_SECONDS_MAX)
        self.peak_kib = max(self.peak_kib, ended.peak_kib)
        if not opened:
            self.problem = ended.problem or "it reported nothing"
        left = [path for path in paths if path.stem not in done]
        if opened and left:
            # It died, or had to be killed, in the first one that has no answer.
            self.answer(left[0].stem).failure = "timeout" if ended.problem == "silent" else ended.problem or "no answer"
            left = left[1:]
        return left

    def cold(self, paths):
        """Each query as the first of a process of its own, which is killed then."""
        for path in paths:
            if self.answer(path.stem).failure:
                continue
            opened = False

            def on_event(event):
                nonlocal opened
                opened = opened or event["event"] == "open"
                if event["event"] == "open":
                    self.open_seconds.append(event["seconds"])
                if event["event"] == "run":
                    answer = self.answer(event["query"])
                    answer.cold_seconds = min(event["seconds"], answer.cold_seconds or event["seconds"])
                return event["event"] not in ("run", "failed")

            run_process(self.engine.query_command(self.place, 1, self.limit_seconds, [path]), on_event,
                        lambda: self.limit_seconds * 2 + 10 if opened else OPEN_SECONDS_MAX)

    def note(self, event):
        match event["event"]:
            case "open":
                self.open_seconds.append(event["seconds"])
                self.facts.update({key: value for key, value in event.items() if key not in ("event", "seconds")})
            case "note":
                self.facts.update({key: value for key, value in event.items() if key != "event"})
            case "run":
                answer = self.answer(event["query"])
                answer.seconds.append(event["seconds"])
                if event["seconds"] > self.limit_seconds:
                    answer.failure = "timeout"
            case "answer":
                answer = self.answer(event["query"])
                answer.rows, answer.digest = event["rows"], event["digest"]
            case "failed":
                self.answer(event["query"]).failure = event["message"]
                tell(f"{self.engine.name}: {event['query']}: {event['message']}")


def tell(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)
