#!/usr/bin/env python3
"""Hostile messages over stdio: hostile.py HELVE [--count N] [--seed N] [--revision R]...

After each message comes a good one; what arrives until that is answered must be what the
specification says of the hostile one (hostile_oracle.py), and be a message by the schemas where they
are at hand. Neighbour: hostile_http.py does the same over HTTP.
"""

import argparse
import collections
import json
import os
import sys

import hostile_oracle
import mcp_schema
from hostile_messages import hostile_messages
from mcp_client import MODERN, StdioPeer, Trouble, encode, id_key
from mcp_server import Clock, Program

FAILURES_SHOWN = 20


class Attack:
    """One server under attack in one revision."""

    def __init__(self, program, revision):
        self.program = program
        self.revision = revision
        self.observer = None if mcp_schema.why_not() else mcp_schema.Observer()
        self.failures = []
        self.kinds = collections.Counter()
        self.late = collections.deque(maxlen=50)  # what may still be answered
        self.start()

    def start(self):
        self.server = Program(self.program, "--toolset", "all")
        self.peer = StdioPeer(self.server.process, self.revision, None)
        # Mixed in both eras on one connection, so no revision is checked beyond JSON-RPC.
        self.agreed = None if self.revision == MODERN else self.revision
        self.fences = 0
        tools = self.peer.request("tools/list").result["tools"]
        prompts = self.peer.request("prompts/list").result["prompts"]
        hostile_oracle.Known.tools = {tool["name"] for tool in tools}
        hostile_oracle.Known.prompts = {prompt["name"] for prompt in prompts}

    def fence(self):
        self.fences += 1
        return self.peer.message("prompts/list", id=f"fence {self.fences}")

    def strike(self, kind, raw):
        """Sends it and a fence; returns what came, without the answer to the fence."""
        fence = self.fence()
        lines = raw.split(b"\n")
        expected = [hostile_oracle.expect_line(line, self.agreed) for line in lines]
        least = sum(1 if one.is_batch and one.least > 0 else one.least for one in expected)
        self.peer.client.send_bytes(raw + b"\n" + encode(fence) + b"\n")
        answers = []
        is_fenced = False
        while not (is_fenced and len(answers) >= least):
            message = self.peer.client.take()
            if message is None:
                raise Trouble(f"no answer within the time{self.peer.client.state()}; so far {answers}")
            if isinstance(message, dict) and "method" in message:
                self.check_notification(message)
                least -= message["method"] == "notifications/subscriptions/acknowledged"
            elif isinstance(message, dict) and id_key(message) == json.dumps(fence["id"]):
                is_fenced = True
                if "prompts" not in message.get("result", {}):
                    raise Trouble(f"the good request beside was answered with {str(message)[:300]}")
            else:
                answers.append(message)
        self.judge(kind, raw, expected, answers)

    def check_notification(self, message):
        if self.observer is not None:
            self.observer.check("2026-07-28", message)

    def judge(self, kind, raw, expected, answers):
        if self.observer is not None:
            for answer in answers:
                revision = self.agreed or MODERN
                if isinstance(answer, dict) and "error" in answer:
                    # Codes of one era may come to a message that looks like the other.
                    revision = "2025-11-25"
                try:
                    self.observer.check(revision, answer)
                except AssertionError as failure:
                    self.fail(kind, raw, expected, str(failure))
        # Several lines have answers that mix.
        one = expected[0] if len(expected) == 1 else hostile_oracle.expect_any(expected)
        problem = hostile_oracle.problem_with(answers, one)
        if problem is not None and len(answers) > 1 and self.without_late(answers, one):
            problem = None
        if problem is None and len(answers) < one.most:
            self.late.append(one)
        if problem is not None:
            self.fail(kind, raw, expected, problem)
        for answer in answers:
            version = isinstance(answer, dict) and answer.get("result", {}).get("protocolVersion")
            if version:  # an initialize among them has opened the connection anew
                self.agreed = version

    def without_late(self, answers, expected):
        """Whether all is well without an answer to an earlier message, one that need not have been
        answered and was, later."""
        for i, answer in enumerate(answers):
            for earlier in self.late:
                others = answers[:i] + answers[i + 1 :]
                if hostile_oracle.problem_with([answer], earlier) is None:
                    if hostile_oracle.problem_with(others, expected) is None:
                        self.late.remove(earlier)
                        return True
        return False

    def fail(self, kind, raw, expected, problem):
        shown = raw if len(raw) <= 400 else raw[:200] + b" ... " + raw[-100:]
        self.failures.append(f"{kind}: {problem}; expected {expected}\n    {shown!r}")

    def check_good(self):
        """A good request is answered correctly, with what the query has."""
        query = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"
        result = self.peer.call("sparql_query", {"query": query}).result
        if result.get("isError") or not result["content"][0]["text"].strip():
            raise Trouble(f"a good query was answered with {str(result)[:500]}")

    def run(self, count, seed):
        for i, (kind, raw) in enumerate(hostile_messages(self.revision, count, seed)):
            try:
                self.strike(kind, raw)
                if i % 1000 == 999:
                    self.check_good()
            except (Trouble, OSError) as failure:
                self.fail(kind, raw, "an answer", f"{failure}\n{self.server.said()[-3000:].decode()}")
                self.server.kill()
                self.start()
            self.kinds[kind] += 1
            if len(self.failures) >= FAILURES_SHOWN:
                break
        try:
            self.check_good()
            self.server.finish()
        except (AssertionError, OSError) as failure:
            self.failures.append(f"at the end: {failure}")
            self.server.kill()


def main():
    parser = argparse.ArgumentParser(description="hostile messages over stdio")
    parser.add_argument("helve")
    parser.add_argument("--count", type=int, default=10_000, help="of messages, of all revisions")
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--revision", action="append", help="default: all in turn")
    options = parser.parse_args()
    if mcp_schema.why_not():
        print(f"skipped: validation by schemas: {mcp_schema.why_not()}")
    revisions = options.revision or [MODERN, "2025-11-25", "2025-03-26"]
    failed = 0
    for revision in revisions:
        with Clock() as clock:
            attack = Attack(os.path.abspath(options.helve), revision)
            attack.run(options.count // len(revisions), options.seed)
        for failure in attack.failures[:FAILURES_SHOWN]:
            print(failure)
        failed += len(attack.failures)
        sent = sum(attack.kinds.values())
        print(f"{revision}: {sent} messages in {clock.took_s:.1f} s, {len(attack.failures)} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
