"""Runs queries on rdflib: query_rdflib.py DATA ROUNDS QUERY...; prints JSON as `helve bench-query` does."""

import hashlib
import json
import sys
import time
from pathlib import Path

try:
    import rdflib
except ImportError:
    sys.exit("python3-rdflib is not installed")


def digest(rows):
    """The same for the same rows in any order."""
    total = 0
    for row in rows:
        text = "\t".join("" if term is None else term.n3() for term in row)
        total += int.from_bytes(hashlib.md5(text.encode()).digest()[:8], "big")
    return f"{total % (1 << 64):016x}"


def main():
    graph = rdflib.Graph()
    started = time.perf_counter()
    graph.parse(sys.argv[1], format="nt")
    report = {"version": rdflib.__version__, "load_seconds": time.perf_counter() - started, "queries": {}}
    for path in map(Path, sys.argv[3:]):
        text = path.read_text(encoding="utf-8")
        times = []
        for _ in range(int(sys.argv[2])):
            started = time.perf_counter()
            rows = list(graph.query(text))
            times.append(time.perf_counter() - started)
            if sum(times) > 20:
                break
        report["queries"][path.stem] = {"seconds": min(times), "cold_seconds": times[0], "rows": len(rows),
                                        "digest": digest(rows)}
    print(json.dumps(report))


main()
