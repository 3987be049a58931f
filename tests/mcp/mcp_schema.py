"""Checks every message that a server sends: against the official JSON Schemas of its revision
(read in place from the shared data), and against what the specification says beyond them.

Neighbour: mcp_client.py hands messages to Observer.check.
"""

import base64
import binascii
import json
import re
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from mcp_client import META, MODERN  # noqa: E402
from test_data import missing, shared_path  # noqa: E402

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jsonschema
except ImportError:
    jsonschema = None

REPOSITORY = Path(__file__).resolve().parents[2]

# The definition of a result, by method. Legacy revisions know the ones that are not None.
RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
    "logging/setLevel": "EmptyResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}
NOTIFICATIONS = {
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/cancelled": "CancelledNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
}
REQUESTS = {
    "ping": "PingRequest",
    "sampling/createMessage": "CreateMessageRequest",
    "elicitation/create": "ElicitRequest",
    "roots/list": "ListRootsRequest",
}
CACHEABLE = {
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
}
# Definitions of error objects, and of whole messages.
MODERN_ERRORS = {
    -32700: "ParseError",
    -32600: "InvalidRequestError",
    -32601: "MethodNotFoundError",
    -32602: "InvalidParamsError",
    -32603: "InternalError",
}
MODERN_ERROR_MESSAGES = {
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
}


def schema_folder():
    """Where the schemas are; None where there is no shared data."""
    return shared_path("data/mcp-schema")


def why_not():
    """One line that says why nothing can be validated here; None: it can."""
    if jsonschema is None:
        return "the Python package jsonschema is not installed (Debian: python3-jsonschema)"
    if schema_folder() is None:
        return missing("data/mcp-schema")
    return None


def make_format_checker():
    checker = jsonschema.FormatChecker(formats=())

    @checker.checks("uri")
    def is_uri(value):
        return not isinstance(value, str) or (
            re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]*", value) is not None
            and not re.search(r'[<>"{}|\\^`]', value)
        )

    @checker.checks("uri-template")
    def is_template(value):
        return not isinstance(value, str) or re.fullmatch(r"([^{}\s]|\{[^{}]+\})+", value) is not None

    @checker.checks("byte", raises=(binascii.Error, ValueError))
    def is_base64(value):
        return not isinstance(value, str) or base64.b64decode(value, validate=True) is not None

    return checker


class Schemas:
    """Validators of the definitions of one revision."""

    def __init__(self, revision):
        # The schemas begin with 2025-06-18, which only adds to 2025-03-26.
        name = max(revision, "2025-06-18")
        document = json.loads((schema_folder() / f"{name}.schema.json").read_text())
        self.key = "$defs" if "$defs" in document else "definitions"
        self.definitions = document[self.key]
        kind = jsonschema.validators.validator_for(document)
        self.make = lambda schema: kind(schema, format_checker=make_format_checker())
        self.validators = {}
        self.passed = set()  # names and values that need not be checked again

    def has(self, name):
        return name in self.definitions

    def problem(self, name, value):
        """What is wrong with the value as that definition; None: nothing."""
        known = (name, self.without_id(value))
        if known in self.passed:
            return None
        if name not in self.validators:
            schema = {self.key: self.definitions, "allOf": [{"$ref": f"#/{self.key}/{name}"}]}
            self.validators[name] = self.make(schema)
        error = jsonschema.exceptions.best_match(self.validators[name].iter_errors(value))
        if error is None:
            self.passed.add(known)
            return None
        where = "/".join(str(part) for part in error.absolute_path)
        return f"not a {name}: at '{where}': {error.message[:400]}"


    @staticmethod
    def without_id(value):
        """The value as a text, with only the type of its id: that is all that a schema asks of an id."""
        if isinstance(value, dict) and "id" in value:
            value = {**value, "id": type(value["id"]).__name__ if isinstance(value["id"], (str, int)) else value["id"]}
        return json.dumps(value, sort_keys=True)


class Violation(AssertionError):
    pass


def require(condition, text):
    if not condition:
        raise Violation(text)


class Observer:
    """Checks messages in the order in which they come over one connection; keeps count."""

    def __init__(self):
        self.schemas = {}
        self.counts = {}  # how many of each definition
        self.output_validators = {}  # by tool

    def of(self, revision):
        if revision not in self.schemas:
            self.schemas[revision] = Schemas(revision)
        return self.schemas[revision]

    def must(self, revision, name, value):
        problem = self.of(revision).problem(name, value)
        require(problem is None, f"{revision}: {problem}: {json.dumps(value)[:600]}")
        self.counts[f"{revision} {name}"] = self.counts.get(f"{revision} {name}", 0) + 1

    def check(self, revision, message, method=None):
        """`method` is that of the request which is answered."""
        if isinstance(message, list):
            require(revision == "2025-03-26", f"a batch in {revision}")
            for one in message:
                self.check(revision, one, None)
            return
        require(isinstance(message, dict), f"no object: {message!r}")
        self.must(revision, "JSONRPCMessage", self.with_id(revision, message))
        if "method" in message:
            self.check_message_of_server(revision, message)
        elif "error" in message:
            self.check_error(revision, message)
        else:
            self.check_result(revision, message, method)

    @staticmethod
    def with_id(revision, message):
        """2025-06-18 knows no error without an id, which is all one can say of an unreadable one."""
        if revision < "2025-11-25" and "error" in message and "id" not in message:
            return {**message, "id": 0}
        return message

    def check_message_of_server(self, revision, message):
        method = message["method"]
        if "id" in message:
            require(revision != MODERN, f"a modern server asked: {method}")
            require(method in REQUESTS, f"a request that no client knows: {method}")
            self.must(revision, REQUESTS[method], message)
            return
        require(method in NOTIFICATIONS, f"a notification that no client knows: {method}")
        require(self.of(revision).has(NOTIFICATIONS[method]), f"{revision} has no {method}")
        self.must(revision, NOTIFICATIONS[method], message)

    def check_error(self, revision, message):
        definition = "JSONRPCErrorResponse"
        if not self.of(revision).has(definition):
            definition = "JSONRPCError"
        self.must(revision, definition, self.with_id(revision, message))
        require(set(message) <= {"jsonrpc", "id", "error"}, f"more than an error: {sorted(message)}")
        error = message["error"]
        require(error["message"].strip() != "", "an error that says nothing")
        require(len(error["message"]) <= 4000, "an error of more than 4,000 characters")
        code = error["code"]
        if revision != MODERN:
            return
        require(code not in (-32002, -32042), f"a code of earlier revisions: {code}")
        require(not -32019 <= code <= -32000, f"a code of the range that is closed: {code}")
        if code in MODERN_ERRORS:
            self.must(revision, MODERN_ERRORS[code], error)
        elif -32099 <= code <= -32020:
            require(code in MODERN_ERROR_MESSAGES, f"a reserved code: {code}")
            self.must(revision, MODERN_ERROR_MESSAGES[code], message)

    def check_result(self, revision, message, method):
        require(set(message) == {"jsonrpc", "id", "result"}, f"not a result: {sorted(message)}")
        if method is None:
            return
        require(method in RESULTS, f"a result for {method}, which does not exist")
        result = message["result"]
        definition = RESULTS[method]
        if revision == MODERN:
            self.check_modern_result(message, method)
        elif definition == "EmptyResult":
            require(set(result) <= {"_meta"}, f"{method} has an empty result: {result}")
        if result.get("resultType", "complete") == "input_required":
            self.must(revision, "InputRequiredResult", result)
            return
        self.must(revision, definition, result)
        if method == "completion/complete":
            require(len(result["completion"]["values"]) <= 100, "more than 100 completions")

    def check_modern_result(self, message, method):
        result = message["result"]
        response = RESULTS[method] + "Response"
        if self.of(MODERN).has(response):
            self.must(MODERN, response, message)
        kind = result["resultType"]
        require(kind in ("complete", "input_required"), f"resultType {kind!r}")
        if kind == "input_required":
            allowed = ("tools/call", "prompts/get", "resources/read")
            require(method in allowed, f"input_required for {method}")
            require("inputRequests" in result or "requestState" in result, "input_required of what?")
        is_cached = kind == "complete" and method in CACHEABLE
        require(is_cached == ("ttlMs" in result), f"ttlMs of {method}: {result.get('ttlMs')}")
        if is_cached:
            require(isinstance(result["ttlMs"], int) and result["ttlMs"] >= 0, "ttlMs below 0")
            require(result["cacheScope"] in ("public", "private"), "no cacheScope")
        server = result.get("_meta", {}).get(META + "serverInfo")
        require(server is not None, f"the result of {method} has no serverInfo in _meta")
        if method == "subscriptions/listen":
            require(result["_meta"][META + "subscriptionId"] == message["id"], "subscriptionId")

    # What a tool answers, by its own schema.

    def learn_tools(self, tools):
        for tool in tools:
            if "outputSchema" in tool:
                validator = jsonschema.Draft202012Validator(tool["outputSchema"])
                self.output_validators[tool["name"]] = validator

    def check_structured(self, tool, result):
        """Whether it is an error or not: a schema that errors break is a schema that lies."""
        texts = [part["text"] for part in result["content"] if part["type"] == "text"]
        require(any(text.strip() for text in texts), f"{tool} has no text that stands alone")
        if tool not in self.output_validators:
            return
        require("structuredContent" in result, f"{tool} has an outputSchema and no structuredContent")
        error = jsonschema.exceptions.best_match(
            self.output_validators[tool].iter_errors(result["structuredContent"])
        )
        require(
            error is None,
            f"{tool}: structuredContent is not as outputSchema says: {error and error.message[:300]}",
        )


TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
COMBINATORS = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "enum", "const")


def references_of(schema):
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from references_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references_of(value)


def check_tool(tool, revision):
    """What every client can live with, beyond the schema of Tool."""
    name = tool["name"]
    require(TOOL_NAME.fullmatch(name), f"a name that clients refuse: {name!r}")
    has_all = revision >= "2025-06-18"  # before, there were neither titles nor output schemas
    require(tool.get("title") or not has_all, f"{name} has no title")
    require(tool.get("description"), f"{name} has no description")
    require(len(tool["description"].encode()) <= 2048, f"the description of {name} is cut at 2 KB")
    for hint in HINTS:
        require(isinstance(tool.get("annotations", {}).get(hint), bool), f"{name}: {hint} is not set")
    for key in ("inputSchema", "outputSchema"):
        if key == "outputSchema" and not has_all:
            require(key not in tool, f"{name} has an {key}")
            continue
        require(key in tool, f"{name} has no {key}")
        schema = tool[key]
        jsonschema.Draft202012Validator.check_schema(schema)
        require(schema.get("type") == "object", f"{key} of {name}: the root is no object")
        for word in COMBINATORS:
            require(word not in schema, f"{key} of {name} has {word} at the root")
        require(schema.get("additionalProperties") is not False, f"{key} of {name} is closed")
        for reference in references_of(schema):
            require(reference.startswith("#"), f"{key} of {name} refers to {reference}")
    for required in tool["inputSchema"].get("required", []):
        require(required in tool["inputSchema"].get("properties", {}), f"{name}: {required}?")
