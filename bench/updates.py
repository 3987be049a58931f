#!/usr/bin/env python3
"""What changes cost: updates.py [options] HELVE

Transactions of one statement sent to `helve serve --writable` by one client and by several, with few changes in the store and
with many; how long a new process takes to open an index with that many changes, beside the same index without any, and to
compact it. Every transaction is on disk when it is answered. Prints Markdown.
Neighbours: scale.py measures loads and queries, tests/store has what survives a crash.
"""

import argparse
import http.client
import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path

from engines import HERE
from measure import tell
from run import make_data

TOKEN = "bench-token-0123456789"
QUERIES = {  # what changes fall on, and what they do not
    "one thing": "SELECT * { <http://bench.helve.example/publication/300> ?p ?o }",
    "classes": "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c",
}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helve", help="the program to measure")
    parser.add_argument("--triples", type=int, default=1_000_000, help="of the index (1,000,000)")
    parser.add_argument("--changes", type=int, default=100_000, help="that are there in the second half (100,000)")
    parser.add_argument("--commits", type=int, default=500, help="of each client (500)")
    parser.add_argument("--clients", type=int, default=8, help="at once (8)")
    parser.add_argument("--work", type=Path, default=HERE.parent / "build/bench", help="folder of graphs and indexes (build/bench)")
    options = parser.parse_args()
    options.work = options.work.resolve()
    return options


class Server:
    def __init__(self, helve, folder):
        self.process = subprocess.Popen([helve, "serve", "--http", "127.0.0.1:0", folder, "--writable", "--write-token", "env:TOKEN"],
                                        env={**os.environ, "TOKEN": TOKEN}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.port = int(re.search(rb":(\d+)/", self.process.stdout.readline())[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        self.process.stdout.close()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)


def update(connection, text):
    connection.request("POST", "/sparql", text, {"Content-Type": "application/sparql-update", "Authorization": f"Bearer {TOKEN}"})
    response = connection.getresponse()
    body = response.read()
    if response.status not in (200, 204):
        raise SystemExit(f"updates: status {response.status}: {body.decode(errors='replace')}")


def commit_some(server, name, commits, times):
    connection = server.connect()
    for i in range(commits):
        text = f'INSERT DATA {{ <http://bench.helve.example/new/{name}/{i}> <http://bench.helve.example/vocab#title> "new {i}" }}'
        start = time.perf_counter()
        update(connection, text)
        times.append(time.perf_counter() - start)
    connection.close()


def measure_commits(server, label, options, clients):
    """A row: clients, transactions a second, the median and the 99th percentile in milliseconds."""
    times = [[] for _ in range(clients)]
    threads = [threading.Thread(target=commit_some, args=(server, f"{label}/{clients}/{i}", options.commits, times[i]))
               for i in range(clients)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - start
    every = sorted(seconds for one in times for seconds in one)
    return (clients, len(every) / elapsed, every[len(every) // 2] * 1e3, every[len(every) * 99 // 100] * 1e3)


def fill(server, changes):
    connection = server.connect()
    step = 1_000
    for first in range(0, changes, step):
        lines = " . ".join(f'<http://bench.helve.example/more/{i}> <http://bench.helve.example/vocab#title> "more {i}"'
                           for i in range(first, min(first + step, changes)))
        update(connection, f"INSERT DATA {{ {lines} }}")
    connection.close()


def timed(command):
    best = None
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        best = seconds if best is None else min(best, seconds)
    return best * 1e3


def measure_queries(options, folder):
    return {name: timed([options.helve, "query", folder, text]) for name, text in QUERIES.items()}


def main():
    options = parse_options()
    data = make_data(options.work, options.triples)
    folder = options.work / "updates.helve"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([options.helve, "--quiet", "load", data, "-o", folder], check=True)
    before = measure_queries(options, folder)
    rows = []
    with Server(options.helve, folder) as server:
        for changes in (0, options.changes):
            tell(f"commits with {changes:,} changes")
            if changes:
                fill(server, changes)
            rows += [(changes, *measure_commits(server, changes, options, clients)) for clients in (1, options.clients)]
    after = measure_queries(options, folder)
    start = time.perf_counter()
    subprocess.run([options.helve, "--quiet", "index", "compact", folder], check=True, stdout=subprocess.DEVNULL)
    compaction = time.perf_counter() - start
    print(f"{options.triples:,} triples; {options.commits} transactions of one statement of each client.\n")
    print("| changes before | clients | transactions/s | median ms | 99 % ms |\n|---:|---:|---:|---:|---:|")
    for changes, clients, rate, median, most in rows:
        print(f"| {changes:,} | {clients} | {rate:,.0f} | {median:.2f} | {most:.2f} |")
    print("\nA whole process that opens the index and asks, milliseconds:\n\n| query | without changes | with changes |\n|---|---:|---:|")
    for name in QUERIES:
        print(f"| {name} | {before[name]:.1f} | {after[name]:.1f} |")
    print(f"\nCompacted in {compaction:.2f} s.")


if __name__ == "__main__":
    main()
