"""A client of MCP for tests: messages of every revision over stdio and over raw HTTP/1.1.

Trusts nothing that the server sends: bytes are kept as they came, and a message is handed to the
observer (mcp_schema.py) before anybody reads it. Neighbours: mcp_server.py starts the program.
"""

import base64
import json
import socket
import threading
import time
from collections import deque

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26")
REVISIONS = (MODERN, *LEGACY)
WAIT_S = 30  # for one answer; sanitizers are slow, hangs are longer

META = "io.modelcontextprotocol/"
CLIENT = {"name": "helve-tests", "version": "1.0.0"}


class Trouble(AssertionError):
    """The server did what no server may do."""


def modern_meta(capabilities=None, **more):
    """The _meta that every modern request carries; `more` joins it as it is."""
    return {
        META + "protocolVersion": MODERN,
        META + "clientInfo": CLIENT,
        META + "clientCapabilities": capabilities or {},
        **more,
    }


def request(id, method, params=None):
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None:
        message["params"] = params
    return message


def notification(method, params=None):
    message = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return message


def initialize_params(revision, capabilities=None):
    return {"protocolVersion": revision, "capabilities": capabilities or {}, "clientInfo": CLIENT}


def encode(message):
    return json.dumps(message, separators=(",", ":")).encode()


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def read_json(raw):
    """A document by RFC 8259 and UTF-8, nothing looser. Raises ValueError."""

    def pairs(members):
        if len({key for key, _ in members}) != len(members):
            raise ValueError("a key twice in one object")
        return dict(members)

    return json.loads(raw.decode("utf-8"), parse_constant=refuse_constant, object_pairs_hook=pairs)


def id_key(message):
    """Ids 1 and "1" differ; True is no 1."""
    return json.dumps(message.get("id")) if "id" in message else None


class Exchange:
    """A request, what came while it ran, and its answer (None: there was none)."""

    def __init__(self, request, answer, notifications=(), status=None, headers=None):
        self.request = request
        self.answer = answer
        self.notifications = list(notifications)
        self.status = status  # of HTTP
        self.headers = headers

    @property
    def result(self):
        if self.answer is None or "result" not in self.answer:
            raise Trouble(f"no result for {self.request.get('method')}: {self.answer}")
        return self.answer["result"]

    @property
    def error(self):
        if self.answer is None or "error" not in self.answer:
            raise Trouble(f"no error for {self.request.get('method')}: {str(self.answer)[:300]}")
        return self.answer["error"]

    @property
    def code(self):
        return None if self.answer is None else self.answer.get("error", {}).get("code")


class StdioClient:
    """Speaks lines with a process that has pipes. Every line that comes must be one message."""

    def __init__(self, process, observe=None):
        self.process = process
        self.observe = observe or (lambda message: None)
        self.arrived = threading.Condition()
        self.messages = deque()
        self.trouble = None
        self.is_closed = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        try:
            for line in self.process.stdout:
                if not line.endswith(b"\n"):
                    raise Trouble(f"the last line has no end: {line[:200]}")
                message = read_json(line[:-1])
                self.observe(message)
                with self.arrived:
                    self.messages.append(message)
                    self.arrived.notify_all()
        except (ValueError, AssertionError, OSError) as failure:
            with self.arrived:
                self.trouble = failure
        with self.arrived:
            self.is_closed = True
            self.arrived.notify_all()

    def send_bytes(self, raw):
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(encode(message) + b"\n")

    def take(self, wait_s=WAIT_S):
        """The next message, in the order of arrival; None after the end or when none comes."""
        deadline = time.monotonic() + wait_s
        with self.arrived:
            while not self.messages:
                if self.trouble is not None:
                    raise Trouble(f"what came is no message: {self.trouble}") from self.trouble
                remaining = deadline - time.monotonic()
                if self.is_closed or remaining <= 0:
                    return None
                self.arrived.wait(remaining)
            return self.messages.popleft()

    def take_answer(self, id, wait_s=WAIT_S):
        """The answer to that id and the notifications before it; any other answer is trouble."""
        notifications = []
        deadline = time.monotonic() + wait_s
        while True:
            message = self.take(max(0.0, deadline - time.monotonic()))
            if message is None:
                raise Trouble(f"no answer to {id!r}" + self.state())
            if "method" in message:
                notifications.append(message)
            elif id_key(message) == json.dumps(id):
                return message, notifications
            else:
                raise Trouble(f"an answer to nothing that was asked: {str(message)[:300]}")

    def state(self):
        status = self.process.poll()
        return "" if status is None else f" (the server ended with status {status})"

    def exchange(self, message, wait_s=WAIT_S):
        self.send(message)
        answer, notifications = self.take_answer(message["id"], wait_s)
        return Exchange(message, answer, notifications)


class StdioPeer:
    """One revision over stdio: requests by method. Legacy ones begin with initialize."""

    transport = "stdio"

    def __init__(self, process, revision, observer=None, capabilities=None):
        self.revision = revision
        self.observer = observer
        self.capabilities = capabilities or {}
        self.next_id = 0
        self.client = StdioClient(process, self._observe)
        self.methods = {}
        if revision != MODERN:
            params = initialize_params(revision, self.capabilities)
            self.opening = self.request("initialize", params)
            self.client.send(notification("notifications/initialized"))

    def _observe(self, message):
        if self.observer is None:
            return
        method = self.methods.get(id_key(message)) if "method" not in message else None
        self.observer.check(self.revision, message, method)

    def new_id(self):
        self.next_id += 1
        return self.next_id

    def message(self, method, params=None, meta=None, id=None):
        id = self.new_id() if id is None else id
        params = dict(params or {})
        if self.revision == MODERN:
            params["_meta"] = modern_meta(self.capabilities, **(meta or {}))
        elif meta:
            params["_meta"] = meta
        message = request(id, method, params or None)
        self.methods[json.dumps(id)] = method
        return message

    def request(self, method, params=None, meta=None, wait_s=WAIT_S):
        return self.client.exchange(self.message(method, params, meta), wait_s)

    def call(self, tool, arguments=None, meta=None, wait_s=WAIT_S):
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}}, meta, wait_s)

    def notify(self, method, params=None):
        self.client.send(notification(method, params))

    def ping(self):
        """Something cheap that must always be answered well."""
        return self.request("server/discover" if self.revision == MODERN else "ping")


def header_value(text):
    """Mcp-Name and Mcp-Param-* as clients must write them."""
    is_plain = text.isascii() and text.isprintable() and text == text.strip()
    if is_plain and text and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


class HttpResponse:
    def __init__(self, status, headers, body, version="HTTP/1.1"):
        self.status = status
        self.headers = headers  # a list of (lower-case name, value)
        self.body = body
        self.version = version

    def header(self, name):
        for key, value in self.headers:
            if key == name:
                return value
        return None

    def json(self):
        return read_json(self.body)


class Closed(Exception):
    """The server closed the connection."""


class HttpConnection:
    """One TCP connection, kept alive; bytes in, responses out."""

    def __init__(self, address, wait_s=WAIT_S):
        self.address = address
        self.socket = socket.create_connection(address, timeout=wait_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.held = b""

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, raw):
        self.socket.sendall(raw)

    def _more(self):
        try:
            piece = self.socket.recv(65536)
        except TimeoutError as failure:
            raise Trouble(f"the server is silent; held: {self.held[:200]}") from failure
        except ConnectionError as failure:
            raise Closed(str(failure)) from failure
        if not piece:
            raise Closed("end of stream")
        self.held += piece

    def _until(self, mark, most=1 << 20):
        while mark not in self.held:
            if len(self.held) > most:
                raise Trouble(f"{most} bytes without {mark}")
            self._more()
        head, _, self.held = self.held.partition(mark)
        return head

    def _exactly(self, count):
        while len(self.held) < count:
            self._more()
        piece, self.held = self.held[:count], self.held[count:]
        return piece

    def read_head(self):
        """Status and headers of the next response; informational ones are passed over."""
        while True:
            head = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
            version, _, rest = head[0].partition(" ")
            if not version.startswith("HTTP/1."):
                raise Trouble(f"no status line: {head[0]!r}")
            status = int(rest[:3])
            headers = []
            for line in head[1:]:
                name, colon, value = line.partition(":")
                if not colon or name != name.strip():
                    raise Trouble(f"a header line that is none: {line!r}")
                headers.append((name.lower(), value.strip()))
            if status >= 200:
                return HttpResponse(status, headers, b"", version)

    def read_chunk(self):
        """The next chunk of a chunked body; empty: the last."""
        size = int(self._until(b"\r\n").split(b";")[0], 16)
        data = self._exactly(size)
        if self._exactly(2) != b"\r\n":
            raise Trouble("a chunk without its end")
        return data

    def read_response(self, is_head=False):
        """A whole response, however it is framed."""
        response = self.read_head()
        if not is_head and response.status not in (204, 304):
            response.body = self.read_body(response)
        return response

    def read_body(self, response):
        length = response.header("content-length")
        if (response.header("transfer-encoding") or "").lower() == "chunked":
            body = b""
            while chunk := self.read_chunk():
                body += chunk
            return body
        return self.read_to_end() if length is None else self._exactly(int(length))

    def read_to_end(self):
        try:
            while True:
                self._more()
        except Closed:
            body, self.held = self.held, b""
            return body


class SseParser:
    """Events of text/event-stream, fed piece by piece: dicts with data, id, event, retry."""

    def __init__(self):
        self.held = b""
        self.event = {}

    def feed(self, piece):
        self.held += piece
        events = []
        while b"\n" in self.held:
            line, _, self.held = self.held.partition(b"\n")
            line = line.rstrip(b"\r").decode("utf-8")
            if line == "":
                if self.event:
                    events.append(self.event)
                self.event = {}
            elif not line.startswith(":"):
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if name == "data" and "data" in self.event:
                    value = self.event["data"] + "\n" + value
                self.event[name] = value
        return events


class EventStream:
    """A response that is a stream of events, read as they come."""

    def __init__(self, connection, response):
        self.connection = connection
        self.response = response
        self.is_chunked = (response.header("transfer-encoding") or "").lower() == "chunked"
        self.parser = SseParser()
        self.events = deque()
        self.has_ended = False

    def take(self):
        """The next event; None at the end of the stream."""
        while not self.events:
            if self.has_ended:
                return None
            try:
                if self.is_chunked:
                    piece = self.connection.read_chunk()
                else:
                    if not self.connection.held:
                        self.connection._more()
                    piece, self.connection.held = self.connection.held, b""
            except Closed:
                piece = b""
            if not piece:
                self.has_ended = True
            self.events.extend(self.parser.feed(piece))
        return self.events.popleft()

    def take_message(self):
        """The next event that carries a message, read; None at the end."""
        while (event := self.take()) is not None:
            if event.get("data", "").strip():
                return read_json(event["data"].encode())
        return None


class HttpPeer:
    """One revision over HTTP: a POST for each message, over one connection kept alive."""

    transport = "http"

    def __init__(self, address, revision, observer=None, capabilities=None, token=None, path="/mcp"):
        self.address = address
        self.revision = revision
        self.observer = observer
        self.capabilities = capabilities or {}
        self.token = token
        self.path = path
        self.session = None
        self.next_id = 0
        self.connection = HttpConnection(address)
        if revision != MODERN:
            self.opening = self.request("initialize", initialize_params(revision, self.capabilities))
            self.session = dict(self.opening.headers).get("mcp-session-id")
            self.notify("notifications/initialized")

    def close(self):
        self.connection.close()

    def headers(self, message):
        headers = {
            "Host": f"{self.address[0]}:{self.address[1]}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.revision == MODERN:
            headers["MCP-Protocol-Version"] = MODERN
            headers["Mcp-Method"] = message["method"]
            params = message.get("params", {})
            name = params.get("uri") if message["method"] == "resources/read" else params.get("name")
            is_named = message["method"] in ("tools/call", "prompts/get", "resources/read")
            if is_named and isinstance(name, str):
                headers["Mcp-Name"] = header_value(name)
        elif self.session is not None:
            headers["Mcp-Session-Id"] = self.session
            if self.revision != "2025-03-26":
                headers["MCP-Protocol-Version"] = self.revision
        return headers

    def raw_request(self, message, headers=None, method="POST"):
        body = encode(message)
        headers = self.headers(message) if headers is None else headers
        lines = [f"{method} {self.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += [f"Content-Length: {len(body)}", "", ""]
        return "\r\n".join(lines).encode() + body

    def new_id(self):
        self.next_id += 1
        return self.next_id

    def message(self, method, params=None, meta=None, id=None):
        id = self.new_id() if id is None else id
        params = dict(params or {})
        if self.revision == MODERN:
            params["_meta"] = modern_meta(self.capabilities, **(meta or {}))
        elif meta:
            params["_meta"] = meta
        return request(id, method, params or None)

    def _reconnect_if_closed(self, raw):
        """Sends; a connection that the server has closed since is replaced once."""
        try:
            self.connection.send(raw)
            return self.connection.read_head()
        except (Closed, ConnectionError):
            self.connection.close()
            self.connection = HttpConnection(self.address)
            self.connection.send(raw)
            return self.connection.read_head()

    def check(self, message, method=None):
        if self.observer is not None:
            self.observer.check(self.revision, message, method)

    def exchange(self, message, headers=None):
        """Posts a request and takes its answer, whether plain or a stream."""
        response = self._reconnect_if_closed(self.raw_request(message, headers))
        return self.finish(message, response)

    def finish(self, message, response):
        notifications = []
        answer = None
        if (response.header("content-type") or "").startswith("text/event-stream"):
            stream = EventStream(self.connection, response)
            while (event := stream.take_message()) is not None:
                self.check(event, message["method"] if "method" not in event else None)
                if answer is not None:
                    raise Trouble(f"a message after the answer: {str(event)[:300]}")
                if "method" in event:
                    notifications.append(event)
                else:
                    answer = event
        else:
            response.body = self.connection.read_body(response)
            if response.body:
                answer = read_json(response.body)
                self.check(answer, message["method"])
        if answer is not None and "id" in answer and id_key(answer) != id_key(message):
            raise Trouble(f"another id than that of the request: {str(answer)[:300]}")
        return Exchange(message, answer, notifications, response.status, response.headers)

    def request(self, method, params=None, meta=None, wait_s=WAIT_S):
        self.connection.socket.settimeout(wait_s)
        return self.exchange(self.message(method, params, meta))

    def call(self, tool, arguments=None, meta=None, wait_s=WAIT_S):
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}}, meta, wait_s)

    def notify(self, method, params=None):
        message = notification(method, params)
        response = self._reconnect_if_closed(self.raw_request(message))
        body = self.connection.read_body(response)
        if response.status != 202 or body:
            raise Trouble(f"a notification was answered with {response.status} {body[:200]}")

    def open_stream(self, message):
        """A request whose answer is a stream, on a connection of its own."""
        connection = HttpConnection(self.address)
        connection.send(self.raw_request(message))
        return EventStream(connection, connection.read_head())

    def open_get(self, extra=None):
        """The stream of server messages that legacy clients open."""
        connection = HttpConnection(self.address)
        headers = {
            "Host": f"{self.address[0]}:{self.address[1]}",
            "Accept": "text/event-stream",
            **({"Authorization": f"Bearer {self.token}"} if self.token else {}),
            **({"Mcp-Session-Id": self.session} if self.session else {}),
            **(extra or {}),
        }
        lines = [f"GET {self.path} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items()), "", ""]
        connection.send("\r\n".join(lines).encode())
        return EventStream(connection, connection.read_head())

    def ping(self):
        return self.request("server/discover" if self.revision == MODERN else "ping")
