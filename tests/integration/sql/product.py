"""`helve mcp` with databases as its sources, called as an agent calls it. Neighbours: databases.py has the servers."""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "mcp"))

from mcp_client import StdioPeer, Trouble  # noqa: E402
from mcp_server import Program  # noqa: E402

# Beyond the half second that a call may take after its deadline: processes wait for their turn on a busy machine.
GRACE_S = 0.5
NOISE_S = 0.3


class Reply:
    """What a call gave: `content` is its structured form, `error` the error in it or None."""

    def __init__(self, answer, took_s):
        self.took_s = took_s
        self.answer = answer
        result = answer.get("result")
        if result is None:  # refused before there was a call
            self.content = {"error": {"code": "protocol", "message": json.dumps(answer.get("error"))}}
            self.text = str(answer)
        else:
            self.content = result.get("structuredContent") or {}
            self.text = "\n".join(part.get("text", "") for part in result.get("content", []))
        self.error = self.content.get("error")
        if self.error is None and result is not None and result.get("isError"):
            self.error = {"code": "", "message": self.text}

    @property
    def code(self):
        return None if self.error is None else self.error.get("code")

    @property
    def rows(self):
        """Number of rows behind the handle; None for what has none."""
        for key in ("row_count", "rows", "total_available"):
            if isinstance(self.content.get(key), int):
                return self.content[key]
        return None

    @property
    def preview(self):
        return self.content.get("preview", [])

    def suggestions(self):
        """Names that an error offers, in lower case: those of did_you_mean and words of its hint."""
        if self.error is None:
            return []
        offered = [item if isinstance(item, str) else json.dumps(item) for item in self.error.get("did_you_mean") or []]
        return [name.lower() for name in offered]

    def short(self):
        if self.error is not None:
            return f"{self.code}: {str(self.error.get('message'))[:160]}"
        return f"rows {self.rows} {str(self.preview)[:120]}"


class Product:
    """One `helve mcp` on stdio. `sources` are (name, URI) pairs; the first is asked unless a call names another."""

    def __init__(self, program, sources, options=(), env=None):
        arguments = [word for name, uri in sources for word in ("--source", f"{name}={uri}")]
        self.program = Program(os.path.abspath(program), *arguments, *options, env=env, source=False)
        self.calls = 0
        try:
            self.peer = StdioPeer(self.program.process, "2025-06-18")
        except BaseException:
            self.program.kill()
            sys.stderr.write(self.program.said().decode(errors="replace"))
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        self.program.__exit__(kind, *rest)

    @property
    def pid(self):
        return self.program.process.pid

    def call(self, tool, wait_s=60, **arguments):
        self.calls += 1
        begun = time.monotonic()
        try:
            answer = self.peer.call(tool, arguments, wait_s=wait_s).answer
        except Trouble as trouble:
            if "-32700" not in str(trouble):
                raise
            # Half a character is no JSON: refused before it was a call, and it has no id to be answered to.
            self.calls -= 1
            error = {"code": "invalid_input", "message": str(trouble)}
            answer = {"result": {"isError": True, "structuredContent": {"error": error}}}
        return Reply(answer, time.monotonic() - begun)

    def execute(self, sql, **arguments):
        return self.call("query_execute", sql=sql, **arguments)

    def all_rows(self, reply):
        """Every row behind the handle of a reply, as lists of cells."""
        key = reply.content["key"]
        rows = []
        while True:
            page = self.call("sparql_slice", result=key, offset=len(rows), limit=1000, max_chars=20000)
            if page.error is not None:
                raise AssertionError(f"sparql_slice of {key}: {page.short()}")
            rows += page.content["rows"]
            if not page.content.get("has_more"):
                return rows
            if not page.content["rows"]:
                raise AssertionError(f"sparql_slice of {key} stands still at {len(rows)}")


def is_in_time(reply, deadline_s):
    return reply.took_s <= deadline_s + GRACE_S + NOISE_S


class Report:
    """Counts checks and keeps what failed."""

    def __init__(self, name):
        self.name = name
        self.passed = 0
        self.failures = []
        self.begun = time.monotonic()

    def check(self, is_good, what, detail=""):
        if is_good:
            self.passed += 1
        else:
            self.failures.append(f"{what}: {detail}" if detail else what)
            print(f"FAILED {self.failures[-1]}", flush=True)
        return is_good

    def end(self):
        took = time.monotonic() - self.begun
        print(f"{self.name}: {self.passed} checks passed, {len(self.failures)} failed, {took:.1f} s")
        sys.exit(1 if self.failures else 0)


__all__ = ["GRACE_S", "NOISE_S", "Product", "Reply", "Report", "Trouble", "is_in_time"]
