#!/usr/bin/env python3
"""Hostile requests over HTTP: hostile_http.py HELVE [--count N] [--seed N]

First the messages of hostile_messages.py as bodies; then headers that are missing, doubled, wrong,
huge or not ASCII; then requests that are no HTTP, or two at once. Each must be answered as the
specifications of MCP and of HTTP/1.1 say, and the next good request must be answered well.
"""

import argparse
import collections
import os
import random
import sys

import hostile_oracle
import mcp_schema
from hostile_messages import hostile_messages
from hostile_oracle import Reading, expect_line, problem_with
from mcp_client import (
    LEGACY,
    META,
    MODERN,
    Closed,
    HttpConnection,
    HttpPeer,
    Trouble,
    encode,
    header_value,
    read_json,
)
from mcp_server import Clock, HttpProgram

FAILURES_SHOWN = 20
CLOSED = "closed"  # without a response
HEADER_MISMATCH = -32020


class Attack:
    def __init__(self, program):
        self.server = HttpProgram(program, "--toolset", "all")
        self.address = self.server.address
        self.host = f"{self.address[0]}:{self.address[1]}"
        self.observer = None if mcp_schema.why_not() else mcp_schema.Observer()
        self.peer = HttpPeer(self.address, MODERN)
        self.legacy = {revision: HttpPeer(self.address, revision) for revision in LEGACY}
        self.failures = []
        self.sent = collections.Counter()
        tools = self.peer.request("tools/list").result["tools"]
        prompts = self.peer.request("prompts/list").result["prompts"]
        hostile_oracle.Known.tools = {tool["name"] for tool in tools}
        hostile_oracle.Known.prompts = {prompt["name"] for prompt in prompts}
        self.connection = None

    def fail(self, kind, raw, problem):
        shown = raw if len(raw) <= 500 else raw[:300] + b" ... " + raw[-150:]
        self.failures.append(f"{kind}: {problem}\n    {shown!r}")
        if len(self.failures) >= FAILURES_SHOWN:
            raise Trouble("too many failures")

    def check_good(self):
        query = {"query": "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"}
        for peer in (self.peer, *self.legacy.values()):
            result = peer.call("sparql_query", query).result
            if result.get("isError"):
                raise Trouble(f"a good query was answered with {str(result)[:500]}")

    def count(self, kind):
        self.sent[kind] += 1
        if sum(self.sent.values()) % 1000 == 0:
            self.check_good()

    # Bodies.

    def post(self, body, headers):
        """One POST on the connection that is kept; a response, or CLOSED."""
        lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
        raw = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode("latin-1") + body
        return self.exchange(raw, is_kept=True)

    def exchange(self, raw, is_kept=False):
        """What comes back for these bytes on a connection of their own, or on the one that is kept."""
        for attempt in range(2):
            if self.connection is None or not is_kept:
                self.drop()
                self.connection = HttpConnection(self.address)
                attempt = 1
            try:
                self.connection.send(raw)
            except OSError:
                pass  # it may have answered and hung up already
            try:
                response = self.connection.read_response(is_head=raw.startswith(b"HEAD "))
                if (response.header("connection") or "").lower() == "close" or not is_kept:
                    self.drop()
                return response
            except (Closed, OSError):
                self.drop()
                if attempt == 1:  # a fresh connection
                    return CLOSED
        return CLOSED

    def drop(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def headers_for(self, revision, body):
        """As a client would write them that means what the body says."""
        headers = [
            ("Host", self.host),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ]
        if revision != MODERN:
            headers.append(("Mcp-Session-Id", self.legacy[revision].session))
            if revision != "2025-03-26":
                headers.append(("MCP-Protocol-Version", revision))
            return headers
        value = Reading(body).value
        value = value if isinstance(value, dict) else {}
        params = value.get("params") if isinstance(value.get("params"), dict) else {}
        meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
        version = meta.get(META + "protocolVersion", MODERN)
        method = value.get("method", "tools/list")
        headers.append(("MCP-Protocol-Version", version if is_plain(version) else MODERN))
        headers.append(("Mcp-Method", method if is_plain(method) else "tools/list"))
        name = params.get("uri") if method == "resources/read" else params.get("name")
        if isinstance(name, str) and len(name) < 4000 and not has_surrogates(name):
            headers.append(("Mcp-Name", header_value(name)))
        return headers

    def strike_body(self, kind, revision, body):
        expected = expect_line(body, None if revision == MODERN else revision)
        response = self.post(body, self.headers_for(revision, body))
        problem = self.judge_body(revision, body, expected, response)
        if problem is not None:
            self.fail(kind, body, f"{revision}: {problem}; expected {expected}")
        self.count(kind)

    def judge_body(self, revision, body, expected, response):
        if response is CLOSED:
            return "the connection was closed without a word"
        if len(body) > 1 << 20:
            return None if response.status == 413 else f"{response.status} to {len(body)} bytes"
        if response.status == 202:
            if response.body:
                return f"202 with a body: {response.body[:200]}"
            return None if expected.least == 0 else "202, as if there were nothing to answer"
        if response.status >= 500:
            return f"status {response.status} {response.body[:300]}"
        try:
            answers = answers_of(response)
        except ValueError as failure:
            return f"{response.status} and no JSON: {failure} {response.body[:300]}"
        if response.status >= 400:
            return self.judge_refusal(revision, body, expected, response, answers)
        answers = [one for one in answers if not (isinstance(one, dict) and "method" in one)]
        return problem_with(answers, expected)

    def judge_refusal(self, revision, body, expected, response, answers):
        """4xx: an error of the protocol, with the status that belongs to its code."""
        if not answers:
            return None if expected.least == 0 or not expected.may_succeed else f"{response.status} without a body"
        error = answers[0].get("error", {}) if isinstance(answers[0], dict) else {}
        code = error.get("code")
        if code == HEADER_MISMATCH:
            # Headers that say nothing of a body which says nothing, or a modern body to a session.
            is_modern = revision == MODERN or b"protocolVersion" in body
            return None if is_modern and response.status == 400 else f"{response.status} with {error}"
        if code == -32601 and response.status != 404:
            return f"{response.status} for an unknown method"
        if code in (-32700, -32600, -32022, -32021) and response.status != 400:
            return f"{response.status} for {code}"
        expected.codes |= {-32600, -32602} if expected.least == 0 else set()
        expected.ids |= {None}
        expected.most = max(expected.most, 1)
        return problem_with(answers, expected)

    # Headers.

    def good(self, changes=(), method="tools/list", params=None):
        """A good modern request as (headers, body), headers a list of pairs."""
        message = self.peer.message(method, params)
        return list(self.peer.headers(message).items()), encode(message)

    def raw(self, headers, body, line="POST /mcp HTTP/1.1", length=True):
        lines = [line, *(f"{name}: {value}" for name, value in headers)]
        if length:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body

    def expect(self, kind, raw, statuses, codes=None, is_last=True):
        """`statuses`: a set of numbers, with CLOSED where hanging up is as good."""
        try:
            response = self.exchange(raw)
        except (Trouble, ValueError) as failure:
            self.fail(kind, raw, f"{failure}")
            return
        self.count(kind)
        status = CLOSED if response is CLOSED else response.status
        if status not in statuses:
            said = "" if response is CLOSED else response.body[:300]
            self.fail(kind, raw, f"{status}, not {sorted(map(str, statuses))}: {said}")
            return
        if response is CLOSED or not codes:
            return
        try:
            error = response.json()["error"]
        except (ValueError, KeyError, TypeError):
            self.fail(kind, raw, f"{status} without an error of JSON-RPC: {response.body[:300]}")
            return
        if error["code"] not in codes:
            self.fail(kind, raw, f"{error}, not {sorted(codes)}")
        if self.observer is not None:
            try:
                self.observer.check(MODERN, response.json())
            except AssertionError as failure:
                self.fail(kind, raw, str(failure))

    def wrong_headers(self):
        """Each header that MCP knows: missing, doubled, another value, oversized, not ASCII."""
        call = {"name": "sparql_find", "arguments": {"pattern": "Mars"}}
        odd = ["", " ", "x", "tools/call,tools/call", "\x7f", "\xe4\xf6", "=?base64?!!!?=", "=?base64?eA==?=", "null", "a" * 3000]
        for name in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"):
            headers, body = self.good(method="tools/call", params=call)
            value = dict(headers)[name]
            others = [pair for pair in headers if pair[0] != name]
            codes = {HEADER_MISMATCH, -32022} if name == "MCP-Protocol-Version" else {HEADER_MISMATCH}
            missing = {400}
            if name == "MCP-Protocol-Version":
                codes |= {-32600, -32602}  # as from a legacy client without a session
            self.expect(f"{name} missing", self.raw(others, body), missing, codes)
            self.expect(f"{name} doubled", self.raw([*headers, (name, value)], body), {400})
            self.expect(f"{name} doubled, other", self.raw([*headers, (name, "x")], body), {400})
            self.expect(f"{name} doubled, other first", self.raw([(name, "x"), *headers], body), {400})
            for other in [*odd, value.upper() if value.upper() != value else value.lower() + "x", value + "x"]:
                if other == value:
                    continue
                # What is no text of a header at all is refused before anybody reads it.
                allowed = codes | {-32600} if other == "\x7f" else codes
                self.expect(f"{name} mismatching", self.raw([*others, (name, other)], body), {400}, allowed)
            for huge in (20_000, 200_000):
                self.expect(f"{name} oversized", self.raw([*others, (name, "a" * huge)], body), {400, 431, CLOSED})
            for spelling in (name.upper(), name.lower()):
                self.expect(f"{name} in another case", self.raw([*others, (spelling, value)], body), {200})
            self.expect(f"{name} with blanks", self.raw([*others, (name, f" \t{value} \t")], body), {200})
            self.expect(f"{name} with a NUL", self.raw([*others, (name, value + "\x00")], body), {400})
            self.expect(f"{name} with a CR", self.raw([*others, (name, value + "\rX: y")], body), {400, CLOSED})
        headers, body = self.good(method="tools/call", params=call)
        encoded = [(n, "=?base64?c3BhcnFsX2ZpbmQ=?=" if n == "Mcp-Name" else v) for n, v in headers]
        self.expect("Mcp-Name in base64", self.raw(encoded, body), {200})
        self.other_headers(headers, body)

    def other_headers(self, headers, body):
        def changed(name, *values):
            return [pair for pair in headers if pair[0] != name] + [(name, value) for value in values]

        expect, raw = self.expect, self.raw
        expect("Host missing", raw(changed("Host"), body), {400, 403})
        expect("Host twice", raw(changed("Host", self.host, self.host), body), {400, 403})
        expect("Host twice, other", raw(changed("Host", self.host, "evil.example"), body), {400, 403})
        for host in ("", "evil.example", "a b", "127.0.0.1:99999", "[::1", "\xe4", "x" * 5000, "127.0.0.1@evil", "127.0.0.1/evil"):
            expect("Host wrong", raw(changed("Host", host), body), {400, 403})
        expect("Content-Type missing", raw(changed("Content-Type"), body), {400, 415})
        for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", "", "application", "\xff"):
            expect("Content-Type wrong", raw(changed("Content-Type", media), body), {400, 415})
        for media in ("application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"):
            expect("Content-Type right", raw(changed("Content-Type", media), body), {200})
        expect("Content-Type twice", raw(changed("Content-Type", "application/json", "text/plain"), body), {400, 415})
        for accept in ("text/html", "application/json", "text/event-stream", "image/png", ""):
            expect("Accept wrong", raw(changed("Accept", accept), body), {406, 400, 200})
        expect("Accept all", raw(changed("Accept", "*/*"), body), {200, 406})
        for session in ("x", "", "\xff", "a" * 3000, "../..", "0" * 32):
            expect("session on a modern request", raw([*headers, ("Mcp-Session-Id", session)], body), {200, 400, 404})
        for event in ("x", "-1", "9" * 400):
            expect("Last-Event-ID on a POST", raw([*headers, ("Last-Event-ID", event)], body), {200, 400})
        expect("header of 300 KB", raw([*headers, ("X-Long", "a" * 300_000)], body), {400, 431, CLOSED})
        expect("5,000 headers", raw([*headers, *((f"X-{i}", "y") for i in range(5_000))], body), {400, 431, CLOSED})
        legacy = self.legacy["2025-11-25"]
        message = legacy.message("tools/list")
        good = list(legacy.headers(message).items())
        without = [pair for pair in good if pair[0] != "Mcp-Session-Id"]
        text = encode(message)
        expect("session missing", raw(without, text), {400})
        for session in ("nobody", "0" * 32, legacy.session[:-1], legacy.session + "0", legacy.session.swapcase() + "x"):
            expect("session unknown", raw([*without, ("Mcp-Session-Id", session)], text), {404})
        for session in ("", "a b", "\xff", "\x01"):
            expect("session malformed", raw([*without, ("Mcp-Session-Id", session)], text), {400, 404})
        expect("session twice", raw([*good, ("Mcp-Session-Id", "other")], text), {400, 404})
        version = [pair for pair in good if pair[0] != "MCP-Protocol-Version"]
        for wrong in ("1900-01-01", "latest", "", "\xff", "2026-07-28"):
            expect("legacy version wrong", raw([*version, ("MCP-Protocol-Version", wrong)], text), {400})
        expect("legacy version missing", raw(version, text), {200})

    # HTTP itself.

    def wrong_http(self):
        headers, body = self.good()
        expect, raw = self.expect, self.raw

        def framed(lines, data):
            return raw([*headers, *lines], data, length=False)

        size = len(body)
        smuggled = b"GET /metrics HTTP/1.1\r\nHost: " + self.host.encode() + b"\r\n\r\n"
        chunked = f"{size:x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
        te = ("Transfer-Encoding", "chunked")
        expect("chunked, good", framed([te], chunked), {200})
        bad = {400, 501, CLOSED}
        expect("length and chunked", framed([("Content-Length", size), te], chunked), bad)
        expect("chunked and length", framed([te, ("Content-Length", "4")], chunked + smuggled), bad)
        expect("two lengths", framed([("Content-Length", size), ("Content-Length", size + 5)], body + smuggled), bad)
        expect("two lengths, one list", framed([("Content-Length", f"{size}, {size + 1}")], body), bad)
        for length in ("-1", "+5", "0x10", "5 5", "1e3", "", "NaN", "99999999999999999999", "18446744073709551617", f"{size}\x00", "\xb2"):
            expect("length wrong", framed([("Content-Length", length)], body), bad | {413, 411})
        for coding in ("xchunked", "chunked, identity", "identity", "chunked, chunked", "gzip, chunked", "chunked;q=1", "\x0bchunked", "chun\x00ked", "gzip"):
            expect("coding wrong", framed([("Transfer-Encoding", coding)], chunked), bad | {411})
        expect("coding twice", framed([te, te], chunked), bad)
        expect("coding with a blank", raw([*headers, ("Transfer-Encoding ", "chunked")], chunked), bad)
        for chunk in (
            b"zz\r\n" + body,
            b"-5\r\n" + body,
            b"0x5\r\nhello\r\n0\r\n\r\n",
            b"5\r\nhelloXX0\r\n\r\n",
            b"FFFFFFFFFFFFFFFFF\r\n",
            b"ffffffffffffffff\r\n",
            b"7fffffff\r\nabc",
            b"5;" + b"e" * 40_000 + b"\r\nhello\r\n0\r\n\r\n",
            b"\r\n",
            b"5\r\nhello\r\n0\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        ):
            expect("chunk wrong", framed([te], chunk), bad | {413, 431})
        many = b"".join(b"1\r\n" + body[i : i + 1] + b"\r\n" for i in range(size)) + b"0\r\n\r\n"
        expect("a byte in each chunk", framed([te], many), {200})
        huge = b"10000\r\n" + b" " * 65536 + b"\r\n"
        expect("chunks without end", framed([te], huge * 40), {413, 400, CLOSED})
        for lines in (
            b"POST /mcp HTTP/1.1\r\nHost : " + self.host.encode() + b"\r\nContent-Length: 0\r\n\r\n",
            b"POST /mcp HTTP/1.1\r\nHost\r\n\r\n",
            b"POST /mcp HTTP/1.1\r\n: x\r\n\r\n",
            b"POST /mcp HTTP/1.1\r\nHost: a\x00b\r\n\r\n",
            b"POST  /mcp  HTTP/1.1\r\n\r\n",
            b"POST /mcp\r\n\r\n",
            b"POST /mcp HTTP/9.9\r\n\r\n",
            b"POST /mcp HTTP/1.1 x\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200) + b"\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"GET\r\n\r\n",
            bytes(range(256)) + b"\r\n\r\n",
            b"SSH-2.0-OpenSSH_9.0\r\n\r\n",
        ):
            expect("no HTTP", lines, bad | {403, 405, 505})
        for path in ("/", "/mcpx", "/mcp/", "/../mcp", "//mcp", "/mcp%00", "/MCP", "*", "/healthz/x", "/" + "a" * 5000, "/metrics/.."):
            expect("path wrong", raw(headers, body, f"POST {path} HTTP/1.1"), {404, 400, 405, 414, 431})
        expect("path of 100 KB", raw(headers, body, f"POST /{'a' * 100_000} HTTP/1.1"), {400, 414, 431, CLOSED})
        for method in ("PUT", "PATCH", "TRACE", "CONNECT", "OPTIONS", "HEAD", "FOO", "post"):
            expect("method wrong", raw(headers, body, f"{method} /mcp HTTP/1.1"), {405, 400, 404, 501} | ({204} if method == "OPTIONS" else set()))
        expect("modern GET", raw(headers, b"", "GET /mcp HTTP/1.1"), {405, 400})
        expect("modern DELETE", raw(headers, b"", "DELETE /mcp HTTP/1.1"), {405, 400})
        foreign = raw([p for p in headers if p[0] != "Host"] + [("Host", self.host)], body, "POST http://evil.example/mcp HTTP/1.1")
        expect("absolute address elsewhere", foreign, {400, 403, 404, 421})
        expect("empty body", raw(headers, b""), {400}, {-32700, -32600})
        expect("2 MB body", raw(headers, b" " * 2_000_000), {413, CLOSED})
        expect("2 GB announced", framed([("Content-Length", "2000000000")], b"x"), {413, CLOSED})

    def halves_and_pipelines(self):
        headers, body = self.good()
        whole = self.raw(headers, body)
        chance = random.Random(1)
        for _ in range(60):  # half a request, and gone
            with HttpConnection(self.address) as connection:
                connection.send(whole[: chance.randrange(len(whole))])
            self.count("half a request")
        for _ in range(20):  # a whole one, and gone before the answer
            with HttpConnection(self.address) as connection:
                connection.send(whole)
            self.count("gone before the answer")
        for count in (2, 10, 100):
            with HttpConnection(self.address) as connection:
                ids = []
                pipeline = b""
                for _ in range(count):
                    message = self.peer.message("tools/list")
                    ids.append(message["id"])
                    pipeline += self.peer.raw_request(message)
                connection.send(pipeline)
                answered = [connection.read_response().json()["id"] for _ in range(count)]
                if answered != ids:
                    self.fail("pipeline", pipeline, f"answered {answered}, not {ids}")
            self.count("pipeline")
        with HttpConnection(self.address) as connection:  # a bad one among good ones
            connection.send(whole + b"NONSENSE\r\n\r\n" + whole)
            if connection.read_response().status != 200:
                self.fail("pipeline", whole, "the good one before a bad one")
            try:
                if connection.read_response().status not in (400, 405):
                    self.fail("pipeline", whole, "the bad one is not refused")
            except Closed:
                pass
        self.count("pipeline")
        with HttpConnection(self.address) as connection:
            head, _, rest = self.raw([*headers, ("Expect", "100-continue")], body).partition(b"\r\n\r\n")
            connection.send(head + b"\r\n\r\n")
            connection.send(rest)
            if connection.read_response().status not in (200, 417):
                self.fail("100-continue", head, "not answered")
        self.count("100-continue")

    def random_headers(self, count, seed):
        """Good requests with bytes of the head changed: any status but 5xx, and never silence."""
        chance = random.Random(seed)
        allowed = {200, 202, 400, 401, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 421, 431, 501, 505, CLOSED}
        for _ in range(count):
            headers, body = self.good()
            raw = bytearray(self.raw(headers, body))
            end = raw.index(b"\r\n\r\n")
            length = raw.index(b"Content-Length")
            for _ in range(chance.choice((1, 1, 2, 5))):
                at = chance.randrange(end)
                if length <= at:  # a longer body would be waited for
                    continue
                raw[at] = chance.choice((raw[at] ^ (1 << chance.randrange(8)), 0, 10, 13, 32, 58, 255))
            self.expect("bytes of the head", bytes(raw), allowed)

    def run(self, count, seed):
        share = count // 4
        for revision in (MODERN, *LEGACY):
            for kind, raw in hostile_messages(revision, share, seed):
                self.strike_body(kind, revision, raw)
        self.wrong_headers()
        self.wrong_http()
        self.halves_and_pipelines()
        self.random_headers(count // 4, seed)
        self.check_good()


def is_plain(value):
    return isinstance(value, str) and value.isascii() and value.isprintable() and 0 < len(value) < 3000 and value == value.strip()


def has_surrogates(text):
    return any(0xD800 <= ord(c) <= 0xDFFF for c in text)


def answers_of(response):
    if (response.header("content-type") or "").startswith("text/event-stream"):
        events = response.body.decode().split("\n\n")
        texts = ["".join(line[5:] for line in event.split("\n") if line.startswith("data:")) for event in events]
        return [read_json(text.encode()) for text in texts if text.strip()]
    return [read_json(response.body)] if response.body else []


def main():
    parser = argparse.ArgumentParser(description="hostile requests over HTTP")
    parser.add_argument("helve")
    parser.add_argument("--count", type=int, default=4_000, help="of bodies, of all revisions")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    if mcp_schema.why_not():
        print(f"skipped: validation by schemas: {mcp_schema.why_not()}")
    attack = Attack(os.path.abspath(options.helve))
    with Clock() as clock:
        try:
            attack.run(options.count, options.seed)
            attack.server.finish()
        except (AssertionError, OSError) as failure:
            attack.failures.append(f"{failure}\n{attack.server.said()[-3000:].decode(errors='replace')}")
            attack.server.kill()
    for failure in attack.failures:
        print(failure)
    print(f"{sum(attack.sent.values())} requests in {clock.took_s:.1f} s, {len(attack.failures)} failures")
    sys.exit(1 if attack.failures else 0)


if __name__ == "__main__":
    main()
