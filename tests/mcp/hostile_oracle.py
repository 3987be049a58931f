"""What the specification says of any bytes that arrive as one message: how many answers, with which
codes and ids. Knows nothing of the server; where the specification leaves a choice, so does this.

Neighbours: hostile_messages.py makes the bytes, hostile.py sends them and compares.
"""

import json
import re

from mcp_client import LEGACY, META, MODERN

PARSE, INVALID, NO_METHOD, PARAMS = -32700, -32600, -32601, -32602
NOT_FOUND, MISSING_CAPABILITY, VERSION = -32002, -32021, -32022
BUSY = -31000

BYTES_SURE = 900_000  # smaller is never too large
DEPTH_SURE = 60  # flatter is never too deep
DIGITS_SURE = 60

MODERN_METHODS = {
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
}
LEGACY_METHODS = {
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
}


class Expect:
    """least..most answers, each a result (if may_succeed) or an error of `codes`, with an id of
    `ids` (texts of JSON; None: no id)."""

    def __init__(self, least, most, codes=(), ids=(None,), may_succeed=False, is_batch=False):
        self.least = least
        self.most = most
        self.codes = frozenset(codes)
        self.ids = frozenset(ids)
        self.may_succeed = may_succeed
        self.is_batch = is_batch  # the answers come together, in one array

    def __repr__(self):
        kinds = sorted(self.codes) + (["result"] if self.may_succeed else [])
        return f"{self.least}..{self.most} answers of {kinds} to {sorted(map(str, self.ids))}"

    def or_malformed(self):
        """The same, or refused as a whole: for what a strict reader need not accept."""
        return Expect(
            min(self.least, 1),
            max(self.most, 1),
            self.codes | {PARSE, INVALID},
            self.ids | {None},
            self.may_succeed,
            self.is_batch,
        )


NOTHING = Expect(0, 0)
REFUSED = Expect(1, 1, {INVALID})


class Known:
    """What the server offers; names that are not here must be refused."""

    tools = None
    prompts = None


def breaks_schema(method, params):
    """Whether the parameters are not what the schema of the method says, for certain."""

    def is_text(value):
        return isinstance(value, str)

    def is_named(names):
        name = params.get("name")
        return is_text(name) and (names is None or name.lower() in names)

    if method == "tools/call":
        return not is_named(Known.tools) or not isinstance(params.get("arguments") or {}, dict)
    if method == "prompts/get":
        return not is_named(Known.prompts) or not isinstance(params.get("arguments") or {}, dict)
    if method in ("resources/read", "resources/subscribe", "resources/unsubscribe"):
        return not is_text(params.get("uri"))
    if method == "completion/complete":
        ref, argument = params.get("ref"), params.get("argument")
        return (
            not isinstance(ref, dict)
            or not isinstance(argument, dict)
            or ref.get("type") not in ("ref/prompt", "ref/resource")
            or not is_text(ref.get("name" if ref["type"] == "ref/prompt" else "uri"))
            or not is_text(argument.get("name"))
            or not is_text(argument.get("value"))
        )
    if method == "logging/setLevel":
        return not is_text(params.get("level")) or params["level"] not in LOG_LEVELS
    if method == "subscriptions/listen":
        return not isinstance(params.get("notifications"), dict)
    if method.endswith("/list"):
        return not is_text(params.get("cursor") or "")
    return False


LOG_LEVELS = "debug info notice warning error critical alert emergency".split()


class Huge:
    """A number that Python does not want to hold."""


def nesting_of(raw):
    """An upper bound of the depth, for texts have brackets too."""
    openings = raw.count(b"[") + raw.count(b"{")
    if openings <= DEPTH_SURE or openings > 10_000:
        return openings
    depth = deepest = 0
    for byte in re.findall(rb"[\[{\]}]", raw):
        depth += 1 if byte in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


class Reading:
    """Bytes as JSON, and what a strict reader might mind about them."""

    def __init__(self, raw):
        self.value = None
        self.is_json = False
        self.is_doubtful = False
        self.ids = set()  # all that the outermost object has
        # What is too large may be refused before it is read.
        self.is_large = len(raw) > BYTES_SURE or nesting_of(raw) > DEPTH_SURE
        if raw.startswith(b"\xef\xbb\xbf"):
            self.is_doubtful = True
            raw = raw[3:]
        try:
            text = raw.decode("utf-8")
            self.value = json.loads(
                text,
                parse_constant=self.refuse,
                parse_int=self.whole,
                parse_float=self.real,
                object_pairs_hook=self.pairs,
            )
            self.is_json = True
        except RecursionError:
            self.is_large = True
        except ValueError:
            return
        if re.search(rb"\\u[dD][89a-fA-F]", raw):
            self.is_doubtful = True  # perhaps half of a pair

    @staticmethod
    def refuse(name):
        raise ValueError(name)

    def whole(self, text):
        if len(text) <= DIGITS_SURE:
            return int(text)
        self.is_doubtful = True
        return Huge()

    def real(self, text):
        value = float(text)
        if value in (float("inf"), float("-inf")):
            self.is_doubtful = True
        return value

    def pairs(self, members):
        names = [name for name, _ in members]
        if len(set(names)) != len(names):
            self.is_doubtful = True
            # The last of several counts here; another reader may take the first.
            self.ids |= {id_text(value) for name, value in members if name == "id"}
        return dict(members)


def id_text(value):
    """The id as JSON; None: it is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return json.dumps(value)


def expect_line(raw, revision):
    """`revision`: what was agreed on by initialize; None: nothing yet."""
    raw = raw.strip(b" \t\r")
    if not raw:
        return Expect(0, 1, {PARSE, INVALID})
    reading = Reading(raw)
    if not reading.is_json:
        return Expect(1, 1, {PARSE, INVALID} if reading.is_large else {PARSE})
    if isinstance(reading.value, list):
        expected = expect_batch(reading.value, revision)
    else:
        expected = expect_message(reading.value, revision)
    if reading.is_doubtful or reading.is_large:
        expected = expected.or_malformed()
        expected.ids |= reading.ids
        if reading.is_doubtful:  # which of two members counts is open
            expected.least = 0 if expected.least == 0 else expected.least
            expected.codes |= {NO_METHOD, PARAMS, VERSION}
            expected.may_succeed = True
    return expected


def expect_batch(members, revision):
    if revision != "2025-03-26" or not members:
        return REFUSED
    if len(members) > 100:
        return Expect(1, len(members), {INVALID, NO_METHOD, PARAMS}, {None, *ids_of(members)}, True)
    each = [expect_message(member, revision) for member in members]
    return Expect(
        sum(one.least for one in each),
        sum(one.most for one in each),
        frozenset().union(*(one.codes for one in each)) | {INVALID},
        frozenset().union(*(one.ids for one in each)),
        any(one.may_succeed for one in each),
        is_batch=True,
    )


def ids_of(members):
    return {id_text(member.get("id")) for member in members if isinstance(member, dict)}


def expect_message(message, revision):
    if not isinstance(message, dict):
        return REFUSED
    ids = {id_text(message.get("id"))}
    if isinstance(message.get("id"), float) and message["id"].is_integer():
        ids = {None, json.dumps(int(message["id"]))}  # 1.0 may be read as a whole number
    elif isinstance(message.get("id"), int) and abs(message["id"]) >= 1 << 63:
        ids.add(None)  # and what no machine word holds may be refused
    method = message.get("method")
    has_outcome = "result" in message or "error" in message
    if message.get("jsonrpc") != "2.0":
        is_silent = has_outcome or ("id" not in message and isinstance(method, str))
        return Expect(0 if is_silent else 1, 1, {INVALID}, ids)
    if "method" not in message:
        return expect_response(message, ids) if has_outcome else Expect(1, 1, {INVALID}, ids)
    if not isinstance(method, str):
        return Expect(1, 1, {INVALID}, ids)
    if "id" in message and None in ids:
        expected = Expect(1, 1, {INVALID}, ids)
        if len(ids) > 1:
            return merge(expected, expect_request(message, method, ids, revision))
        return expected
    has_bad_params = "params" in message and not isinstance(message["params"], dict)
    if "id" not in message:
        return Expect(0, 1, {INVALID, PARAMS}) if has_bad_params else NOTHING
    if has_bad_params:
        return Expect(1, 1, {INVALID, PARAMS}, ids)
    expected = expect_request(message, method, ids, revision)
    if has_outcome:  # a request and a response at once
        expected = merge(expected, Expect(1, 1, {INVALID}, ids))
    return expected


def merge(one, other):
    return Expect(
        min(one.least, other.least),
        max(one.most, other.most),
        one.codes | other.codes,
        one.ids | other.ids,
        one.may_succeed or other.may_succeed,
    )


def expect_response(message, ids):
    is_sound = (
        None not in ids
        and ("result" in message) != ("error" in message)
        and isinstance(message.get("result", message.get("error")), dict)
    )
    return NOTHING if is_sound else Expect(0, 1, {INVALID}, ids | {None})


def expect_request(message, method, ids, revision):
    params = message.get("params", {})
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        return Expect(1, 1, {PARAMS, INVALID, NO_METHOD}, ids, may_succeed=revision is not None)
    key = META + "protocolVersion"
    if key in meta:
        return expect_modern(method, params, meta, meta[key], ids)
    return expect_legacy(method, params, ids, revision)


def expect_modern(method, params, meta, version, ids):
    if not isinstance(version, str):
        return Expect(1, 1, {PARAMS, INVALID, VERSION}, ids)
    if version != MODERN:
        codes = {VERSION}
        if version in LEGACY:  # known, but not one whose requests stand alone
            codes |= {PARAMS, INVALID, NO_METHOD}
        return Expect(1, 1, codes, ids, may_succeed=method == "initialize")
    is_known = method in MODERN_METHODS
    if not isinstance(meta.get(META + "clientCapabilities"), dict):
        return Expect(1, 1, {PARAMS} if is_known else {PARAMS, NO_METHOD}, ids)
    if not is_known:
        codes = {NO_METHOD}
        if not isinstance(meta.get(META + "clientInfo", {}), dict) or META + "logLevel" in meta:
            codes.add(PARAMS)
        return Expect(1, 1, codes, ids, may_succeed=method in ("initialize", "ping"))
    if breaks_schema(method, params):
        return Expect(1, 1, {PARAMS}, ids)
    least = 0 if method == "subscriptions/listen" else 1  # it is acknowledged instead
    return Expect(least, 1, {PARAMS, MISSING_CAPABILITY}, ids, may_succeed=True)


def expect_legacy(method, params, ids, revision):
    if revision is None:  # neither modern nor opened
        is_open = method in ("initialize", "ping")
        return Expect(1, 1, {PARAMS, INVALID, NO_METHOD}, ids, may_succeed=is_open)
    if method in LEGACY_METHODS:
        if breaks_schema(method, params):
            return Expect(1, 1, {PARAMS}, ids)
        codes = {PARAMS}
        if method.startswith("resources/"):
            codes.add(NOT_FOUND)
        if method == "initialize":
            codes.add(INVALID)
        return Expect(1, 1, codes, ids, may_succeed=True)
    codes = {NO_METHOD, PARAMS} if method in MODERN_METHODS else {NO_METHOD}
    return Expect(1, 1, codes, ids)


def expect_any(several):
    """Of several lines that were sent together."""
    return Expect(
        sum(min(one.least, 1) if one.is_batch else one.least for one in several),
        sum(one.most for one in several),
        frozenset().union(*(one.codes for one in several)),
        frozenset().union(*(one.ids for one in several)),
        any(one.may_succeed for one in several),
    )


def problem_with(answers, expected):
    """What is wrong with the messages that answered; None: nothing."""
    if expected.is_batch and answers and isinstance(answers[0], list):
        if len(answers) != 1:
            return f"{len(answers)} answers to one batch"
        answers = answers[0]
        if not answers:
            return "an empty batch"
    if not expected.least <= len(answers) <= expected.most:
        return f"{len(answers)} answers"
    for answer in answers:
        if not isinstance(answer, dict):
            return f"no object: {answer!r}"
        id = json.dumps(answer["id"]) if "id" in answer else None
        if id not in expected.ids:
            return f"an answer with the id {id}"
        if "result" in answer:
            if not expected.may_succeed:
                return "a result"
        elif answer["error"]["code"] not in expected.codes:
            return f"the error {answer['error']}"
    return None
