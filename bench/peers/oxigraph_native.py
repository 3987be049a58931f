#!/usr/bin/env python3
"""Oxigraph's native store on disk (RocksDB), through pyoxigraph: see protocol.py for the calls.

Rows are iterated, which decodes their terms in native code; no Python object is made of a term.
"""

import shutil
import sys
import time

from protocol import Digest, event, run_queries, usage

try:
    import pyoxigraph
except ImportError:
    sys.exit("pyoxigraph is not installed (bench/setup.sh)")


def load(data, folder):
    shutil.rmtree(folder, ignore_errors=True)
    started = time.perf_counter()
    store = pyoxigraph.Store(folder)
    store.bulk_load(path=data, format=pyoxigraph.RdfFormat.N_TRIPLES)
    store.optimize()
    store.flush()
    seconds = time.perf_counter() - started
    event("loaded", seconds=seconds, triples=len(store), version=pyoxigraph.__version__)


def query(folder, arguments):
    started = time.perf_counter()
    store = pyoxigraph.Store.read_only(folder)
    event("open", seconds=time.perf_counter() - started, version=pyoxigraph.__version__)

    def run(text):
        for _ in store.query(text):
            pass

    def digest(text):
        result = Digest()
        for row in store.query(text):
            result.add(["" if term is None else str(term) for term in row])
        return result

    run_queries(arguments, run, digest)


def main():
    match sys.argv[1:]:
        case ["load", data, folder]:
            load(data, folder)
        case ["query", folder, *arguments]:
            query(folder, arguments)
        case _:
            usage("oxigraph_native.py load DATA FOLDER | query FOLDER ROUNDS LIMIT QUERY...")


main()
