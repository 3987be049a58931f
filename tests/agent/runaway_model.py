"""A model that never comes to an end, in the way that its path names: for limits_test.py and cancel_test.py.

The server is ../support/fake_model_server.py with more ways. It notes when it said something last, and when a client hung up.
"""

import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))

import model_dialects  # noqa: E402
from fake_model_server import FakeModelServer, Model  # noqa: E402
from model_dialects import Said  # noqa: E402

SOURCE = "sample"
QUICK = "SELECT ?s WHERE { ?s ?p ?o } LIMIT 1"
# A cross product: years.
SLOW = ("SELECT (COUNT(*) AS ?n) WHERE { ?a ?p ?x . ?b ?q ?y . ?c ?r ?z . ?d ?s ?u "
        "FILTER(STR(?x) < STR(?y) && STR(?y) < STR(?z) && STR(?z) < STR(?u)) }")
SO_FAR = "So far "
PRICE = 1000.0  # for a million tokens, cached or not: an answer costs 1.05


def query_call(number, query, **more):
    arguments = {"source": SOURCE, "query": query, **more}
    return f"call-{number}", "sparql_query", json.dumps(arguments)


class Runaway(Model):
    def do_POST(self):
        try:
            super().do_POST()
        finally:
            self.server.said_at = time.monotonic()

    def stream(self, events, **form):
        self.hung_up_is_noted(lambda: super(Runaway, self).stream(events, **form))

    def hung_up_is_noted(self, work):
        try:
            work()
        except (BrokenPipeError, ConnectionResetError):
            self.server.hung_up_at = time.monotonic()
            raise

    def says(self, text="", calls=()):
        self.answer(Said(pieces=[text] if text else [], calls=list(calls), stop="calls" if calls else "end"))

    # Calls without end.

    def way_one_more(self):
        self.says(f"{SO_FAR}{self.number}.", [query_call(self.number, QUICK)])

    def way_three_more(self):
        self.says(f"{SO_FAR}{self.number}.", [query_call(3 * self.number + i, QUICK) for i in range(3)])

    def way_many_rows(self):
        rows = "SELECT * WHERE { ?s ?p ?o } LIMIT 100"
        self.says(SO_FAR, [query_call(50 * self.number + i, rows, limit=100, max_chars=6000) for i in range(50)])

    def way_slow_query(self):
        self.says(SO_FAR, [query_call(self.number, SLOW, validate=False, timeout=100)])

    def way_slow_queries(self):
        self.says(SO_FAR, [query_call(4 * self.number + i, SLOW, validate=False, timeout=100) for i in range(4)])

    def way_unknown_tool(self):
        self.says(SO_FAR, [(f"call-{self.number}", "no_such_tool", "{}")])

    # Text without end.

    def text_without_end(self, pause):
        """Pieces for ever."""
        first, piece = model_dialects.events(self.dialect, Said(pieces=[SO_FAR, "and "]))[1:3]
        self.begin_stream()
        self.chunk(self.event_bytes(first))
        while True:
            self.chunk(self.event_bytes(piece))
            time.sleep(pause)

    def way_drip(self):
        self.hung_up_is_noted(lambda: self.text_without_end(0.02))

    def way_flood(self):
        self.hung_up_is_noted(lambda: self.text_without_end(0))

    def stall(self):
        super().stall()
        self.server.hung_up_at = time.monotonic()

    # Never now.

    def way_busy_for_long(self):
        self.fail(429, "rate_limit_error", headers=(("retry-after", "30"),))

    # Usage that cannot be.

    def usage_of(self, tokens):
        usage = {"prompt_tokens": tokens, "completion_tokens": tokens, "total_tokens": tokens}
        self.stream([(name, {**data, "usage": usage} if isinstance(data, dict) and data.get("usage") else data)
                     for name, data in self.events(Said(pieces=[SO_FAR], calls=[query_call(self.number, QUICK)], stop="calls"))])

    def way_usage_large(self):
        self.usage_of(10**9)

    def way_usage_beyond(self):
        self.usage_of(2**63)

    def way_usage_negative(self):
        self.usage_of(-10**9)

    # Code.

    def code(self, text):
        self.says(f"{SO_FAR}.\n```python\n{text}\n```\n")

    def way_code_spins(self):
        self.code("n = 0\nwhile True:\n    n += 1")

    def way_code_sleeps(self):
        self.code("import time\ntime.sleep(100)")

    def way_code_holds_on(self):
        self.code("while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass")

    def way_code_queries(self):
        self.code(f"print(sparql_query(source={SOURCE!r}, query={SLOW!r}, validate=False, timeout=100))")

    def way_code_asks(self):
        self.code(f"found = sparql_query(source={SOURCE!r}, query={QUICK!r})\nprint(found['rows'])")

    def way_code_asks_models(self):
        self.code("llm_query_batched(['How many?'] * 25)")

    def way_code_prints(self):
        self.code(f"print('line {self.number}')")


class RunawayServer(FakeModelServer):
    def __init__(self):
        super().__init__()
        self.RequestHandlerClass = Runaway
        self.said_at = None
        self.hung_up_at = None

    def count(self, way):
        return len(self.requests(way, "chat"))
