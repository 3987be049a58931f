"""Loads an N-Triples file into rdflib's default store; prints seconds and triples as JSON."""

import json
import sys
import time

try:
    import rdflib
except ImportError:
    sys.exit("python3-rdflib is not installed")

started = time.perf_counter()
graph = rdflib.Graph()
graph.parse(sys.argv[1], format="nt")
seconds = time.perf_counter() - started
print(json.dumps({"version": rdflib.__version__, "seconds": seconds, "triples": len(graph)}))
