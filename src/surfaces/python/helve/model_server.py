"""The server behind helve.models.serve: Chat Completions on 127.0.0.1, for who has the key."""

from __future__ import annotations

import hmac
import json
import re
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Mapping

from helve.errors import HelveError, InvalidInput, Unavailable

__all__ = ["KEY_NAME", "ModelServer"]

KEY_NAME = "HELVE_PYTHON_MODEL_KEY"

_PATH = "/v1/chat/completions"
_REQUEST_BYTES_MAX = 64 * 1024 * 1024
_CONNECTIONS_MAX = 512
_READ_SECONDS = 60.0
_STATUSES = {"invalid_input": 400, "denied": 403, "not_found": 404}
# How replies of tools begin that tell of an error; what comes of data stands behind marks.
_CODES = "invalid_input|not_found|denied|limit_exceeded|unavailable|cancelled|internal"
_TOOL_ERROR = re.compile(rf"error (?:{_CODES}|\((?:{_CODES})\)): ")


class ModelServer:
    """Functions by the names of their models. A context manager: it serves inside of the block."""

    key_name = KEY_NAME

    def __init__(
        self,
        models: Mapping[str, Callable[[dict[str, Any]], Any]],
        normalise: Callable[[Any], dict[str, Any]],
        *,
        port: int = 0,
        quiet: float = 30.0,
    ) -> None:
        for name, model in models.items():
            if not callable(model):
                raise TypeError(f"the model {name} is {model!r}, and no function")
        self._models = dict(models)
        self._normalise = normalise
        self._key = secrets.token_urlsafe(32)
        self.quiet = quiet
        self._lock = threading.Lock()
        self.error: BaseException | None = None  # the first failure of a function
        self.failure = ""  # that in words
        self.failed = ""  # the name of its model
        self.closing = threading.Event()
        try:
            self._server = _Server(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise Unavailable(f"port {port} of this machine cannot be used: {error.strerror}",
                              "another program has it: try again when it has ended") from error
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The base address, as --url takes it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def env(self) -> dict[str, str]:
        """The variable with the key: for the process that asks, and no other."""
        return {self.key_name: self._key}

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def is_key(self, header: str) -> bool:
        return hmac.compare_digest(header.encode("utf-8", "replace"), f"Bearer {self._key}".encode())

    def answer(self, body: bytes) -> tuple[int, dict[str, Any]]:
        """Status and body of the reply."""
        try:
            name, request = read_request(body)
            model = self._models.get(name)
            if model is None:
                raise InvalidInput(f"there is no model {name!r} here", "one of " + ", ".join(self._models))
        except InvalidInput as error:
            return 400, _failure(error)
        verb = "raised "
        try:
            given = model(request)
            verb = ""
            return 200, write_answer(self._normalise(given), name)
        except BaseException as error:  # of the function: its caller is told, at the end
            with self._lock:
                if self.error is None:
                    self.error, self.failed = error, name
                    self.failure = verb + _words_of(error) if verb else str(error)
            code = error.code if isinstance(error, HelveError) else ""
            return _STATUSES.get(code, 500), _failure(error)


def read_request(body: bytes) -> tuple[str, dict[str, Any]]:
    """The name of the model, and the request as functions get it. InvalidInput for anything else."""
    try:
        value = json.loads(body)
        messages = value["messages"]
        system = [_content(one) for one in messages if one["role"] == "system"]
        request = {
            "system": "\n\n".join(system),
            "messages": [_read_message(one) for one in messages if one["role"] != "system"],
            "tools": [_read_tool(one["function"]) for one in value.get("tools") or []],
            "output_tokens_max": int(value.get("max_tokens") or value.get("max_completion_tokens") or 4096),
        }
        return str(value["model"]), request
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = f"{type(error).__name__}: {error}"
        raise InvalidInput(f"that is no request of Chat Completions: {what}") from None


def _read_message(message: dict[str, Any]) -> dict[str, Any]:
    role = message["role"]
    if role not in ("user", "assistant", "tool"):
        raise ValueError(f"the role {role!r} is unknown")
    text = _content(message)
    return {
        "role": role,
        "text": text,
        "calls": [_read_call(one) for one in message.get("tool_calls") or []],
        "call_id": str(message.get("tool_call_id") or ""),
        "is_error": role == "tool" and _TOOL_ERROR.match(text) is not None,
    }


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or "") for part in content)


def _read_call(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = function.get("arguments") or "{}"
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not isinstance(arguments, dict):
        raise ValueError("arguments are no object")
    return {"id": str(call.get("id") or ""), "name": str(function["name"]), "arguments": arguments}


def _read_tool(function: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": str(function["name"]),
        "description": str(function.get("description") or ""),
        "input_schema": dict(function.get("parameters") or {}),
    }


def write_answer(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """An answer that was normalised, in the form of Chat Completions."""
    message: dict[str, Any] = {"role": "assistant", "content": answer["text"]}
    if answer["reasoning"]:
        message["reasoning_content"] = answer["reasoning"]
    if answer["calls"]:
        message["tool_calls"] = [_write_call(call) for call in answer["calls"]]
    reason = "tool_calls" if answer["calls"] else "stop"
    body: dict[str, Any] = {
        "object": "chat.completion",
        "model": answer["model"] or name,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    usage = {
        "prompt_tokens": answer["input_tokens"] or 0,
        "completion_tokens": answer["output_tokens"] or 0,
        "cost": answer["cost"],
    }
    if any(value is not None for value in (answer["input_tokens"], answer["output_tokens"], answer["cost"])):
        body["usage"] = usage
    return body


def _write_call(call: dict[str, Any]) -> dict[str, Any]:
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    made = {"type": "function", "function": function}
    return {"id": call["id"], **made} if call["id"] else made


def _failure(error: BaseException) -> dict[str, Any]:
    return {"error": {"type": "model_error", "message": _words_of(error)}}


def _words_of(error: BaseException) -> str:
    try:
        words = str(error)
    except Exception:  # a class of the caller's
        words = ""
    return (f"{type(error).__name__}: {words}" if words else type(error).__name__)[:2000]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    owner: ModelServer

    def __init__(self, *args: Any) -> None:
        self._slots = threading.BoundedSemaphore(_CONNECTIONS_MAX)
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._slots.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a connection that broke: who asked knows


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _READ_SECONDS
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        owner = self.server.owner
        if not owner.is_key(self.headers.get("Authorization", "")):
            return self._refuse(401, "the key is missing or wrong")
        if self.path != _PATH:
            return self._refuse(404, f"there is {_PATH} alone")
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,12}", length):
            return self._refuse(411, "the length of the request is missing")
        if int(length) > _REQUEST_BYTES_MAX:
            return self._refuse(413, f"a request has at most {_REQUEST_BYTES_MAX:,} bytes")
        body = self.rfile.read(int(length))
        if len(body) == int(length):
            self._answer(owner, body)

    def _answer(self, owner: ModelServer, body: bytes) -> None:
        replies: list[tuple[int, dict[str, Any]]] = []
        done = threading.Event()

        def work() -> None:
            try:
                replies.append(owner.answer(body))
            finally:
                done.set()

        threading.Thread(target=work, daemon=True).start()
        if _wait(done, owner):
            return self._send(*replies[0])
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while not owner.closing.is_set():
            self._chunk(b" ")
            if _wait(done, owner):
                self._chunk(_bytes_of(replies[0][1]))
                self._chunk(b"")
                return
        self.close_connection = True

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def _refuse(self, status: int, message: str) -> None:
        self.close_connection = True  # the body was not read
        self._send(status, {"error": {"type": "refused", "message": message}})

    def _send(self, status: int, value: dict[str, Any]) -> None:
        data = _bytes_of(value)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if status != 200:
            self.send_header("x-should-retry", "false")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)


def _wait(done: threading.Event, owner: ModelServer) -> bool:
    """Whether it is done before there was quiet for too long, or the server ends."""
    slices = max(1, round(owner.quiet / 0.1))
    for _ in range(slices):
        if done.wait(min(0.1, owner.quiet)):
            return True
        if owner.closing.is_set():
            return False
    return done.is_set()


def _bytes_of(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode()
