"""A server of models that misbehaves in a way that its path names: /busy-ms/v1/messages ... On loopback, in a thread.

It speaks Chat Completions, Responses and Anthropic Messages (model_dialects.py); the end of the path says which. `asked`
has the requests for each path: their bodies and headers.
"""

import email.utils
import http.server
import json
import socketserver
import threading
import time

import model_dialects
from model_dialects import PATHS, Said

TWO_CALLS = [("id-a", "find", '{"q": "Wien", "n": 1}'), ("id-b", "find", '{"q": "Linz"}')]
FOREIGN_CALLS = [(f"functions.find:{i}", name, arguments) for i, (_, name, arguments) in enumerate(TWO_CALLS)]
DEEP = b"[" * 5000 + b"]" * 5000
SSE = "text/event-stream; charset=utf-8"
JSON = "application/json"
PAUSE_S = 0.02
STALL_S = 30


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every small chunk waits for the last

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        way, _, end = self.path.strip("/").partition("/v1")
        self.dialect = PATHS.get(end)
        try:
            self.asks = json.loads(body)
        except ValueError:
            return self.say(400, b"no JSON", "text/plain")
        self.streams = self.asks.get("stream", False)
        self.number = self.server.note(self.path, body, dict(self.headers))  # of requests to this path, from 1
        if self.dialect is None:
            return self.say(404, b"no such place", "text/plain")
        if stray := model_dialects.stray_results(self.dialect, self.asks):
            return self.fail(400, "invalid_request_error", f"results of no call: {stray}")
        try:
            getattr(self, "way_" + way.split("/")[-1].replace("-", "_"))()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has gone

    # How it is said.

    def say(self, status, body, content_type=JSON, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def say_json(self, status, value, headers=()):
        self.say(status, json.dumps(value, ensure_ascii=False).encode(), JSON, headers)

    def begin_stream(self, content_type=SSE):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data):
        self.wfile.write(b"%x\r\n" % len(data) + data + b"\r\n")
        self.wfile.flush()

    def end_stream(self):
        self.wfile.write(b"0\r\n\r\n")

    @staticmethod
    def event_bytes(event, line_end="\n", is_indented=False):
        name, data = event
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, indent=1 if is_indented else None)
        lines = [f"event: {name}"] if name else []
        lines += ["data: " + line for line in text.split("\n")]
        return (line_end.join(lines) + 2 * line_end).encode()

    def stream(self, events, content_type=SSE, pause=0.0, **form):
        self.begin_stream(content_type)
        for event in events:
            self.chunk(self.event_bytes(event, **form))
            time.sleep(pause)
        self.end_stream()

    def events(self, said=None):
        return model_dialects.events(self.dialect, said or Said())

    def answer(self, said=None):
        if self.streams:
            self.stream(self.events(said))
        else:
            self.say_json(200, model_dialects.whole(self.dialect, said or Said()))

    def fail(self, status, kind="server_error", message="not now", headers=()):
        self.say_json(status, model_dialects.error(self.dialect, kind, message), headers)

    def fail_once(self, status, headers=(), kind="server_error"):
        if self.number == 1:
            self.fail(status, kind, headers=headers)
        else:
            self.answer()

    # Answers of every kind.

    def way_plain(self):
        self.answer()

    def way_calls(self):
        self.answer(Said(pieces=[], calls=TWO_CALLS, stop="calls"))

    def way_missing_ids(self):
        self.answer(Said(pieces=[], calls=[(None, name, arguments) for _, name, arguments in TWO_CALLS], stop="calls"))

    def way_object_arguments(self):
        self.answer(Said(pieces=[], calls=[("id-a", "find", {"q": "Wien", "n": 1})], stop="calls"))

    def way_empty_arguments(self):
        self.answer(Said(pieces=[], calls=[("id-a", "find", "")], stop="calls"))

    def way_broken_arguments(self):
        self.answer(Said(pieces=[], calls=[("id-a", "find", '{"q": "Wi')], stop="calls"))

    def way_reasoning(self, calls=TWO_CALLS):
        is_answered = any(word in json.dumps(self.asks) for word in ("function_call_output", "tool_result", '"tool"'))
        self.answer(Said() if is_answered else Said(pieces=["Ich ", "suche."], reasoning="hmm", calls=calls, stop="calls"))

    def way_foreign_ids(self):
        self.way_reasoning(FOREIGN_CALLS)

    def way_repeats_key(self):
        """In pieces, and in a call."""
        key = self.headers.get("x-api-key") or self.headers.get("Authorization", "").removeprefix("Bearer ")
        self.answer(Said(pieces=["It is ", key[:9], key[9:], "."], reasoning=key, calls=[("id-a", "find", json.dumps({"q": key}))]))

    def way_refusal(self):
        self.answer(Said(pieces=["I will ", "not."], stop="refusal"))

    def way_cap(self):
        self.answer(Said(stop="cap"))

    def way_usage_missing(self):
        self.answer(Said(usage=False))

    def way_usage_later(self):
        """In a chunk without choices, and behind it one that says nothing; the last event of Anthropic says zero."""
        if not self.streams or self.dialect == "responses":
            return self.answer()
        events = self.events()
        if self.dialect == "chat":
            events[-2][1]["choices"] = None
            events[-1:-1] = [(None, {"choices": [], "usage": {}}), (None, {"choices": None, "usage": None})]
        else:
            events[-2][1]["usage"].update(input_tokens=0, cache_read_input_tokens=0, cache_creation_input_tokens=0)
        self.stream(events)

    def way_bare_calls(self):
        """Calls with as little around them as some servers have."""
        if not self.streams:
            return self.way_calls()
        events = self.events(Said(pieces=[], calls=TWO_CALLS, stop="calls"))
        if self.dialect == "chat":  # both whole, with one index and without ids
            calls = [{"index": 0, "function": {"name": name, "arguments": arguments}} for _, name, arguments in TWO_CALLS]
            events = [(None, {"choices": [{"delta": {"tool_calls": [call]}}]}) for call in calls] + events[-3:]
        elif self.dialect == "responses":  # without places, and without arguments at the end
            for _, data in events:
                data.pop("output_index", None)
            for item in events[-1][1]["response"]["output"]:
                item["arguments"] = ""
        self.stream(events)

    def way_no_starts(self):
        """Of Anthropic: without the beginnings of blocks."""
        if not self.streams or self.dialect != "anthropic":
            return self.answer()
        self.stream([event for event in self.events() if event[0] != "content_block_start"])

    # Forms of streams.

    def bytes_one_by_one(self):
        self.begin_stream()
        for event in self.events():
            for byte in self.event_bytes(event):
                self.chunk(bytes([byte]))
        self.end_stream()

    def way_split(self):
        self.bytes_one_by_one() if self.streams else self.answer()

    def way_crlf(self):
        self.stream(self.events(), line_end="\r\n") if self.streams else self.answer()

    def way_cr(self):
        self.stream(self.events(), line_end="\r") if self.streams else self.answer()

    def way_multi_line(self):
        self.stream(self.events(), is_indented=True) if self.streams else self.answer()

    def way_comments(self):
        if not self.streams:
            return self.answer()
        self.begin_stream()
        for event in self.events():
            self.chunk(b": keep-alive\n\nid: 7\nretry: 10\n" + self.event_bytes(event))
        self.end_stream()

    def way_nulls(self):
        nulls = {"chat": {"choices": None, "usage": None}, "responses": {"type": None, "delta": None, "error": None},
                 "anthropic": {"type": "later_invention", "delta": None, "error": None}}[self.dialect]
        if not self.streams:
            body = model_dialects.whole(self.dialect, Said())
            return self.say_json(200, {**body, "error": None, "later_invention": [None]})
        self.stream([one for event in self.events() for one in ((None, nulls), event)])

    def way_no_end(self):
        """Without the event that ends it, and without the blank line behind the last one."""
        if not self.streams:
            return self.answer()
        events = self.events() if self.dialect == "responses" else self.events()[:-1]  # there the end has the answer
        data = b"".join(map(self.event_bytes, events))
        self.begin_stream()
        self.chunk(data.rstrip(b"\n"))
        self.end_stream()

    def way_wrong_type(self):
        if self.streams:
            return self.stream(self.events(), content_type="text/plain")
        self.say(200, json.dumps(model_dialects.whole(self.dialect, Said())).encode(), "application/octet-stream")

    def way_other_form(self):
        """Whole where a stream was asked for, and the other way round."""
        self.streams = not self.streams
        self.answer()

    def way_slow(self):
        self.stream(self.events(), pause=PAUSE_S) if self.streams else self.answer()

    # What goes wrong.

    def way_error_first(self):
        if self.number > 1:
            return self.answer()
        if self.streams:
            return self.stream([model_dialects.error_event(self.dialect, "overloaded_error", "Overloaded")])
        self.fail(200, "overloaded_error", "Overloaded")

    def way_error_later(self):
        if not self.streams:
            return self.fail(200, "overloaded_error", "Overloaded")
        self.stream(self.up_to_text() + [model_dialects.error_event(self.dialect, "overloaded_error", "Overloaded")])

    def up_to_text(self):
        """The events up to the first that has text in it."""
        events = self.events()
        first = next(i for i, (_, data) in enumerate(events) if "Grü" in json.dumps(data, ensure_ascii=False))
        return events[:first + 1]

    def way_cut(self):
        """The connection ends in the middle."""
        self.begin_stream(SSE if self.streams else JSON)
        if self.streams:
            for event in self.up_to_text():
                self.chunk(self.event_bytes(event))
        else:
            self.chunk(json.dumps(model_dialects.whole(self.dialect, Said())).encode()[:40])
        self.close_connection = True

    def way_cut_early(self):
        if self.number > 1:
            return self.answer()
        self.begin_stream(SSE if self.streams else JSON)
        self.close_connection = True

    def way_hang_up(self):
        if self.number > 1:
            return self.answer()
        self.close_connection = True

    def way_ends_clean(self):
        """The stream ends as it should, and the answer does not."""
        if not self.streams:
            return self.say(200, json.dumps(model_dialects.whole(self.dialect, Said())).encode()[:40])
        self.stream(self.up_to_text())

    def way_silent(self):
        self.begin_stream(SSE if self.streams else JSON)
        if self.streams:
            for event in self.up_to_text():
                self.chunk(self.event_bytes(event))
        self.stall()

    def way_hang(self):
        self.stall()

    def stall(self):
        """Until the client goes, or nearly for ever."""
        self.connection.settimeout(STALL_S)
        try:
            self.connection.recv(1)
        except OSError:
            pass
        self.close_connection = True

    def way_huge(self):
        self.begin_stream(SSE if self.streams else JSON)
        if self.streams:
            event = self.event_bytes(self.up_to_text()[-1])
            while True:
                self.chunk(event * 100)
        self.chunk(b'{"choices": [')
        while True:
            self.chunk(b'{"content": "' + b"x" * 10_000 + b'"},')

    def way_long_line(self):
        self.begin_stream()
        self.chunk(b"data: ")
        while True:
            self.chunk(b"x" * 10_000)

    def way_page(self):
        self.say(200, b"<!doctype html><title>Sign in</title><h1>Sign in</h1>", "text/html")

    def way_empty(self):
        self.answer() if self.number > 1 else self.say(200, b"")

    def way_words(self):
        self.say(200, b"error: upstream model not loaded", "text/plain")

    def way_comment_alone(self):
        self.answer() if self.number > 1 else self.say(200, b": no worker is free\n\n", SSE)

    def way_deep(self):
        self.say(200, b"data: " + DEEP + b"\n\n" if self.streams else DEEP, SSE if self.streams else JSON)

    def way_endless_headers(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            self.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")

    def way_stalled_error(self):
        """The status is there, and its words do not end."""
        self.send_response(400)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"first words")
        self.wfile.flush()
        self.stall()

    def way_no_json(self):
        if self.streams:
            return self.stream([(None, "{this is no JSON")])
        self.say(200, b"{this is no JSON")

    # What is to be tried again, or not.

    def way_busy_ms(self):
        self.fail_once(429, [("Retry-After-Ms", "1500"), ("Retry-After", "40")])

    def way_busy_seconds(self):
        self.fail_once(429, [("Retry-After", "3")])

    def way_busy_date(self):
        self.fail_once(429, [("Retry-After", email.utils.formatdate(time.time() + 20, usegmt=True))])

    # An overloaded server with each form of the header.

    def way_overloaded_ms(self):
        self.fail_once(529, [("Retry-After-Ms", "1500")])

    def way_overloaded_seconds(self):
        self.fail_once(529, [("Retry-After", "3")])

    def way_overloaded_fraction(self):
        self.fail_once(529, [("Retry-After", "0.75")])

    def way_overloaded_date(self):
        self.fail_once(529, [("Retry-After", time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 20)))])

    def way_overloaded_older_date(self):
        self.fail_once(529, [("Retry-After", time.strftime("%A, %d-%b-%y %H:%M:%S GMT", time.gmtime(time.time() + 20)))])

    def way_overloaded_oldest_date(self):
        self.fail_once(529, [("Retry-After", time.asctime(time.gmtime(time.time() + 20)))])

    def way_overloaded_one_senseless(self):
        self.fail_once(529, [("Retry-After-Ms", "-5"), ("Retry-After", "1")])

    def way_overloaded_senseless(self):
        self.fail_once(529, [("Retry-After-Ms", "soon"), ("Retry-After", "-5")])

    def way_busy_long(self):
        self.fail(429, headers=[("Retry-After", "3600")])

    def way_overloaded(self):
        self.fail_once(529, kind="overloaded_error")

    def way_conflict(self):
        self.fail_once(409)

    def way_late(self):
        self.fail_once(408)

    def way_down(self):
        self.say(503, b"<html><h1>Service Unavailable</h1></html>", "text/html")

    def way_quota(self):
        self.fail(429, "insufficient_quota", "You exceeded your current quota")

    def way_credit(self):
        self.fail(400, "invalid_request_error", "Your credit balance is too low to access the API.")

    def way_no_tools(self):
        self.say_json(422, {"detail": [{"loc": ["body", "tools"], "msg": "extra fields not permitted"}]})

    def way_denied(self):
        self.fail(401, "authentication_error", "Incorrect key: " + self.headers.get("Authorization", self.headers.get("x-api-key", "")))

    def way_unknown_model(self):
        self.fail(404, "not_found_error", f"model {self.asks.get('model')} does not exist")

    def way_too_long(self):
        self.fail(400, "invalid_request_error", "prompt is too long: " + "x" * 5000)

    def way_redirect(self):
        self.say(307, b"", headers=[("Location", self.path.replace("redirect", "plain"))])


class FakeModelServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Model)
        self.port = self.server_address[1]
        self.lock = threading.Lock()
        self.asked = {}

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def url(self, way):
        return f"http://127.0.0.1:{self.port}/{way}/v1"

    def note(self, path, body, headers):
        with self.lock:
            requests = self.asked.setdefault(path, [])
            requests.append((body, headers))
            return len(requests)

    def requests(self, way, dialect):
        end = next(path for path, name in PATHS.items() if name == dialect)
        with self.lock:
            return list(self.asked.get(f"/{way}/v1{end}", []))

    def handle_error(self, request, client_address):
        pass  # clients hang up
