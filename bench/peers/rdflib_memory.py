#!/usr/bin/env python3
"""rdflib's default store, in memory: rdflib_memory.py query DATA ROUNDS LIMIT QUERY...; see protocol.py."""

import signal
import sys
import time

from protocol import Digest, event, run_queries, usage

try:
    import rdflib
except ImportError:
    sys.exit("rdflib is not installed (bench/setup.sh)")


class TooLong(Exception):
    pass


def give_up(_signal, _frame):
    raise TooLong


def main():
    if len(sys.argv) < 5 or sys.argv[1] != "query":
        usage("rdflib_memory.py query DATA ROUNDS LIMIT QUERY...")
    signal.signal(signal.SIGALRM, give_up)
    limit = float(sys.argv[4])
    graph = rdflib.Graph()
    started = time.perf_counter()
    graph.parse(sys.argv[2], format="nt")
    event("open", seconds=time.perf_counter() - started, triples=len(graph), version=rdflib.__version__)
    rows = []

    def run(text):
        nonlocal rows
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            rows = list(graph.query(text))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def digest(_text):
        result = Digest()
        for row in rows:
            result.add(["" if term is None else term.n3() for term in row])
        return result

    run_queries(sys.argv[3:], run, digest, TooLong)


main()
