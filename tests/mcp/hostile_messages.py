"""Malformed and hostile messages without end, the same ones for the same seed.

Each is bytes for one line (or several: a line end may be among them). Neighbours: hostile_oracle.py
says what must be answered, hostile.py and hostile_http.py send them.
"""

import copy
import json
import random

from mcp_client import META, MODERN, initialize_params, modern_meta, notification, request

QUERY = "SELECT ?s WHERE { ?s a ?c } LIMIT 3"


def base_messages(revision):
    """Good messages, which everything else is made from."""
    meta = {"_meta": modern_meta()} if revision == MODERN else {}
    numbered = [
        ("tools/list", {}),
        ("tools/call", {"name": "sparql_query", "arguments": {"query": QUERY, "limit": 2}}),
        ("tools/call", {"name": "sparql_find", "arguments": {"pattern": "Earth"}}),
        ("tools/call", {"name": "call_tool", "arguments": {"name": "list_tools", "arguments": {}}}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "helve://sources"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "explore-this-graph", "arguments": {}}),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/resource", "uri": "helve://schema/{source}"},
                "argument": {"name": "source", "value": "s"},
            },
        ),
    ]
    if revision == MODERN:
        numbered.append(("server/discover", {}))
    else:
        numbered += [
            ("ping", {}),
            ("logging/setLevel", {"level": "warning"}),
            ("resources/subscribe", {"uri": "helve://sources"}),
            ("resources/unsubscribe", {"uri": "helve://sources"}),
        ]
    messages = [
        request(1000 + i, method, {**params, **meta}) for i, (method, params) in enumerate(numbered)
    ]
    messages.append(notification("notifications/cancelled", {"requestId": 77, "reason": "no"}))
    messages.append(notification("notifications/initialized"))
    messages.append({"jsonrpc": "2.0", "id": 4711, "result": {}})
    return messages


ODD_VALUES = [
    None,
    True,
    0,
    -1,
    1.5,
    1e308,
    10**30,
    -(2**63) - 1,
    "",
    "x",
    "\x00",
    "\u202e\u2066",
    "A" * 5000,
    [],
    {},
    [[[]]],
    {"a": {"b": 1}},
    ["x"] * 300,
]


def paths_of(value, prefix=()):
    """Every position in a document."""
    yield prefix
    if isinstance(value, dict):
        for key, member in value.items():
            yield from paths_of(member, (*prefix, key))
    elif isinstance(value, list):
        for i, member in enumerate(value):
            yield from paths_of(member, (*prefix, i))


def replaced(message, path, value):
    if not path:
        return value
    message = copy.deepcopy(message)
    parent = message
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    return message


def removed(message, path):
    message = copy.deepcopy(message)
    parent = message
    for step in path[:-1]:
        parent = parent[step]
    del parent[path[-1]]
    return message


def text_of(value):
    return json.dumps(value).encode()


def wrong_types(bases, _random):
    """Every kind of value in every position, and every position empty."""
    for base in bases:
        for path in paths_of(base):
            for value in ODD_VALUES:
                yield text_of(replaced(base, path, value))
            if path:
                yield text_of(removed(base, path))


def flipped_bits(bases, random):
    while True:
        raw = bytearray(text_of(random.choice(bases)))
        for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
            raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
        yield bytes(raw)


def truncated(bases, random):
    while True:
        raw = text_of(random.choice(bases))
        yield raw[: random.randrange(1, len(raw))]


def spliced(bases, random):
    while True:
        one, other = text_of(random.choice(bases)), text_of(random.choice(bases))
        cut, begin = random.randrange(len(one)), random.randrange(len(other))
        kind = random.randrange(4)
        if kind == 0:
            yield one[:cut] + other[begin:]
        elif kind == 1:
            yield one[:cut] + random.randbytes(random.randrange(1, 9)) + one[cut:]
        elif kind == 2:
            yield one[:cut] + one[cut + random.randrange(1, 12) :]
        else:
            yield one + other


def random_bytes(_bases, random):
    while True:
        yield random.randbytes(random.choice((1, 3, 20, 200, 2000)))


def random_value(random, depth=0):
    kind = random.randrange(8 if depth < 4 else 6)
    if kind < 6:
        return random.choice(ODD_VALUES)
    if kind == 6:
        return [random_value(random, depth + 1) for _ in range(random.randrange(5))]
    names = ("id", "jsonrpc", "method", "params", "result", "error", "_meta", "name", "x", "")
    return {random.choice(names): random_value(random, depth + 1) for _ in range(random.randrange(5))}


def random_json(_bases, random):
    while True:
        value = random_value(random)
        if random.random() < 0.5:
            value = {"jsonrpc": "2.0", "id": random.randrange(9999), "method": "tools/list"}
            value[random.choice(("params", "id", "method", "x"))] = random_value(random)
        yield text_of(value)


def unknown_methods(bases, random):
    meta = bases[0]["params"] if "params" in bases[0] else {}
    fixed = [
        "",
        " ",
        "tools/List",
        "tools/list ",
        "/tools/list",
        "tools//list",
        "tools",
        "rpc.discover",
        "rpc.list",
        "__proto__",
        "constructor",
        "tools/call\x00",
        "notifications/initialized",
        "notifications/cancelled",
        "tasks/list",
        "sampling/createMessage",
        "elicitation/create",
        "roots/list",
        "\u2028",
        "méthode",
        "../../etc/passwd",
        "%s%n",
        "a" * 10_000,
    ]
    for method in fixed:
        yield text_of(request(1, method, meta))
    while True:
        name = "".join(random.choice("abc/_.-ü") for _ in range(random.randrange(1, 40)))
        yield text_of(request(random.randrange(10**6), name, meta))


def odd_ids(bases, random):
    meta = bases[0].get("params", {})
    fixed = ["", "0", "\x00", "\u202e", "ключ", "k" * 100_000, 0, -1, 2**53, 2**63, 2**64 - 1]
    for id in fixed:
        yield text_of(request(id, "tools/list", meta))
    for text in (b"1.0", b"1e2", b"-0", b"1e400", b"0.5", b"9" * 400, b"null", b"true", b"[1]", b"{}"):
        yield text_of(request("@", "tools/list", meta)).replace(b'"@"', text)
    while True:  # the same ones again and again
        yield text_of(request(random.choice((1, "1", 2)), "tools/list", meta))


def duplicate_keys(bases, random):
    while True:
        raw = text_of(random.choice(bases))
        key, value = random.choice(
            (
                (b"id", b"5"),
                (b"id", b"null"),
                (b"jsonrpc", b'"1.0"'),
                (b"method", b'"tools/list"'),
                (b"method", b'"nothing/here"'),
                (b"params", b"{}"),
                (b"params", b"[]"),
                (b"result", b"{}"),
            )
        )
        member = b'"' + key + b'":' + value
        if random.random() < 0.5:
            yield b"{" + member + b"," + raw[1:]
        else:
            yield raw[:-1] + b"," + member + b"}"


def batches(bases, random):
    yield b"[]"
    yield b"[1]"
    yield b"[1,2,3]"
    yield b"[[]]"
    yield b"[null]"
    yield text_of([bases[0]] * 101)
    yield text_of([request(i, "tools/list", bases[0].get("params", {})) for i in range(100)])
    while True:
        count = random.randrange(1, 6)
        members = [dict(random.choice(bases)) for _ in range(count)]
        for i, member in enumerate(members):  # ids are unique among requests under way
            if "id" in member:
                member["id"] = 10_000 + i
        members += [random_value(random) for _ in range(random.choice((0, 0, 1, 2)))]
        yield text_of(members)


def encodings(bases, random):
    bad = [
        b"\x00",
        b"\xff",
        b"\xfe\xff",
        b"\xc0\xaf",
        b"\xe0\x80\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xf8\x88\x80\x80\x80",
        b"\xc3",
        b"\xe2\x82",
        b"\x1b[2J",
        b"\x7f",
        b"\\ud800",
        b"\\udc00\\ud800",
        b"\\u0000",
        b"\\x41",
        b"\\",
        b"\\u12",
        b"\t",
        b"\r",
    ]
    yield text_of(bases[0]).decode().encode("utf-16")
    yield text_of(bases[0]).decode().encode("utf-32")
    yield b"\xef\xbb\xbf" + text_of(bases[0])
    yield b"\xef\xbb\xbf\xef\xbb\xbf" + text_of(bases[0])
    while True:
        raw = text_of(random.choice(bases))
        quotes = [i for i, byte in enumerate(raw) if byte == ord('"')]
        at = random.choice(quotes) + 1
        yield raw[:at] + random.choice(bad) + raw[at:]


def deep(bases, random):
    for depth in (50, 400, 511, 512, 513, 1_000, 5_000, 100_000):
        for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
            nested = opening * depth + b"1" + closing * depth
            yield nested
            yield opening * depth
            for member in (b"params", b"id", b"method", b"result", b"x"):
                yield b'{"jsonrpc":"2.0","id":1,"method":"tools/list","' + member + b'":' + nested + b"}"
    params = bases[0].get("params", {})
    while True:
        value = 1
        for _ in range(random.randrange(2, 55)):
            value = [value] if random.random() < 0.5 else {"a": value}
        call = {"name": "sparql_query", "arguments": {"query": value, "x": value}, **params}
        yield text_of(request(7, "tools/call", call))


def oversized(bases, _random):
    two_mb = 2_000_000
    yield b"A" * two_mb
    yield b"[" * two_mb
    yield b" " * two_mb
    yield b"9" * two_mb
    yield b'"' + b"A" * two_mb + b'"'
    yield b'{"jsonrpc":"2.0","id":"' + b"A" * two_mb + b'","method":"tools/list"}'
    yield b'{"jsonrpc":"2.0","id":1,"method":"' + b"A" * two_mb + b'"}'
    params = bases[0].get("params", {})
    for arguments in ({"query": "A" * two_mb}, {"A" * two_mb: 1}, {"limit": [1] * (two_mb // 3)}):
        yield text_of(request(9, "tools/call", {"name": "sparql_query", "arguments": arguments, **params}))


def cancels(_bases, random):
    while True:
        values = [*ODD_VALUES, 10**9, "nobody", -7]
        params = {"requestId": random.choice(values), "reason": random.choice(values)}
        for key in ("requestId", "reason"):
            if random.random() < 0.2:
                del params[key]
        yield text_of(notification("notifications/cancelled", params))


def responses(_bases, random):
    while True:
        message = {"jsonrpc": "2.0", "id": random.choice((1, "1", 99, None, 1.5, "nobody"))}
        for key in ("result", "error"):
            if random.random() < 0.6:
                message[key] = random.choice(({}, [], None, {"code": 1, "message": "x"}, {"code": "x"}))
        yield text_of(message)


HOSTILE_TEXTS = [
    "'; DROP TABLE results_0; --",
    "SELECT * WHERE { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
    "DELETE WHERE { ?s ?p ?o }",
    "LOAD <file:///etc/passwd>",
    "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
    "ASK { " + "{" * 500 + "}" * 500 + "}",
    "SELECT * { ?s ?p ?o FILTER(REGEX(?o, '(a+)+$')) } LIMIT 1",
    "../../../../etc/passwd",
    "file:///etc/passwd",
    "helve://results/../../etc/passwd",
    "helve://results/%00",
    "@results_0.x",
    "results_999999999999999999999",
    "\x00\x01\x02",
    "\u202e\u2066\ufeff",
    "%s%s%n",
    "${jndi:ldap://127.0.0.1/}",
    "<script>alert(1)</script>",
    "A" * 100_000,
]


def hostile_arguments(bases, random):
    params = bases[0].get("params", {})
    tools = ["sparql_query", "sparql_find", "sparql_peek", "sparql_describe", "sparql_slice"]
    tools += ["sparql_schema", "result_sql", "call_tool", "nobody", "__proto__"]
    names = ["query", "pattern", "resource", "result", "sql", "name", "arguments", "limit", "offset"]
    names += ["max_chars", "timeout", "output_mode", "nothing", "", "q" * 300]
    while True:
        arguments = {
            random.choice(names): random.choice(HOSTILE_TEXTS + ODD_VALUES)
            for _ in range(random.randrange(1, 5))
        }
        call = {"name": random.choice(tools), "arguments": arguments, **params}
        yield text_of(request(random.randrange(10**6), "tools/call", call))


def hostile_names(bases, random):
    """Resources, prompts, completions and cursors that nobody has."""
    params = bases[0].get("params", {})
    while True:
        text = random.choice(HOSTILE_TEXTS)
        method, more = random.choice(
            (
                ("resources/read", {"uri": text}),
                ("resources/read", {"uri": "helve://schema/" + text}),
                ("prompts/get", {"name": text}),
                ("prompts/get", {"name": "debug-my-query", "arguments": {"query": text}}),
                ("tools/list", {"cursor": text}),
                ("resources/list", {"cursor": text}),
                (
                    "completion/complete",
                    {
                        "ref": {"type": random.choice(("ref/prompt", "ref/resource", text))},
                        "argument": {"name": text, "value": text},
                    },
                ),
            )
        )
        yield text_of(request(random.randrange(10**6), method, {**more, **params}))


def wrong_eras(bases, random):
    """_meta of versions that do not exist, halves of it, and methods of the other era."""
    versions = ["2026-07-28", "2025-11-25", "1900-01-01", "", "2026-07-28 ", "latest", 20260728, None]
    methods = ["tools/list", "ping", "initialize", "server/discover", "logging/setLevel", "nobody"]
    del bases
    while True:
        meta = modern_meta()
        meta[META + "protocolVersion"] = random.choice(versions)
        for key in ("clientCapabilities", "clientInfo"):
            if random.random() < 0.3:
                meta[META + key] = random.choice(ODD_VALUES)
            elif random.random() < 0.3:
                del meta[META + key]
        if random.random() < 0.2:
            meta[META + "logLevel"] = random.choice(["loud", "debug", 7])
        if random.random() < 0.2:
            meta["progressToken"] = random.choice(ODD_VALUES)
        method = random.choice(methods)
        params = {"_meta": meta}
        if method == "initialize":
            params.update(initialize_params("2025-11-25"))
        yield text_of(request(random.randrange(10**6), method, params))


# How many of each in a thousand; wrong_types and oversized end by themselves.
SHARES = [
    (wrong_types, 300),
    (flipped_bits, 140),
    (truncated, 60),
    (spliced, 80),
    (random_bytes, 30),
    (random_json, 50),
    (unknown_methods, 30),
    (odd_ids, 25),
    (duplicate_keys, 30),
    (batches, 50),
    (encodings, 50),
    (deep, 25),
    (oversized, 1),
    (cancels, 25),
    (responses, 25),
    (hostile_arguments, 50),
    (hostile_names, 30),
    (wrong_eras, 40),
]


def hostile_messages(revision, count, seed):
    """`count` pairs of (kind, bytes), in a mixed order that the seed decides."""
    chance = random.Random(f"{seed} {revision}")
    bases = base_messages(revision)
    total = sum(share for _, share in SHARES)
    pairs = []
    for make, share in SHARES:
        wanted = max(1, count * share // total)
        if make is wrong_types:  # a sample of all, spread evenly
            everything = list(make(bases, chance))
            chance.shuffle(everything)
            made = everything[:wanted]
        else:
            made = []
            for raw in make(bases, chance):
                if len(made) >= wanted:
                    break
                made.append(raw)
        pairs += [(make.__name__, raw) for raw in made]
    more = flipped_bits(bases, chance)
    while len(pairs) < count:
        pairs.append(("flipped_bits", next(more)))
    chance.shuffle(pairs)
    return pairs
