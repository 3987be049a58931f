"""What run.py runs under valgrind: sessions, circles, errors, runs with models, and an end with things left open."""

import gc

import helve


def use_much():
    session = helve.open("sample:")
    session.me = session
    session.tool = session.sparql_query
    handle = session.query("SELECT * { ?s ?p ?o } LIMIT 1500")
    assert sum(1 for _ in handle.tuples()) == 1500
    handle.rows(0, 10, terms=True)
    session.sparql_query("SELEC")
    session.sparql_find("planet")
    try:
        helve.open("no-such-file.ttl")
        raise AssertionError("opened what is not there")
    except helve.NotFound:
        pass
    answers = iter([{"calls": [{"name": "sparql_query", "arguments": {"query": "ASK { ?s ?p ?o }"}}]},
                    {"calls": [{"name": "submit", "arguments": {"answer": "yes", "handles": []}}]}])
    events = list(session.ask_stream("Is there anything?", provider=lambda request: next(answers)))
    assert events[-1].kind == "answer"
    helve.open("sample:").close()


use_much()
gc.collect()
left_open = helve.open("sample:")
left_open.me = left_open
print("used")
