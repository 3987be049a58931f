"""Runs queries on rdflib: query_rdflib.py DATA ROUNDS QUERY...; prints JSON as `helve bench-query` does."""

import hashlib
import json
import signal
import sys
import time
from pathlib import Path

try:
    import rdflib
except ImportError:
    sys.exit("python3-rdflib is not installed")


SECONDS_MAX = 60  # of one run; a query that takes longer is given up


class TooLong(Exception):
    pass


def give_up(_signal, _frame):
    raise TooLong


def digest(rows):
    """The same for the same rows in any order."""
    total = 0
    for row in rows:
        text = "\t".join("" if term is None else term.n3() for term in row)
        total += int.from_bytes(hashlib.md5(text.encode()).digest()[:8], "big")
    return f"{total % (1 << 64):016x}"


def main():
    signal.signal(signal.SIGALRM, give_up)
    graph = rdflib.Graph()
    started = time.perf_counter()
    graph.parse(sys.argv[1], format="nt")
    report = {"version": rdflib.__version__, "load_seconds": time.perf_counter() - started, "queries": {}}
    for path in map(Path, sys.argv[3:]):
        text = path.read_text(encoding="utf-8")
        times = []
        try:
            for _ in range(int(sys.argv[2])):
                signal.setitimer(signal.ITIMER_REAL, SECONDS_MAX)
                started = time.perf_counter()
                rows = list(graph.query(text))
                times.append(time.perf_counter() - started)
                signal.setitimer(signal.ITIMER_REAL, 0)
                if sum(times) > 20:
                    break
        except TooLong:
            report["queries"][path.stem] = {"seconds": SECONDS_MAX, "gave_up": True}
            continue
        report["queries"][path.stem] = {"seconds": min(times), "cold_seconds": times[0], "rows": len(rows),
                                        "digest": digest(rows)}
    print(json.dumps(report))


main()
