#!/usr/bin/env python3
"""64 HTTP clients at once, mixed tools: load.py HELVE LOADER [--seconds N] [--clients N]

LOADER is helve_mcp_load (load.cc), which keeps the clients and measures; this starts the server,
watches its memory and its handles, and judges: no error but an honest "busy", memory flat. Prints what
was measured; tests check counts, never times.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from mcp_client import MODERN, HttpConnection, HttpPeer
from mcp_server import HttpProgram

MARK = "@@@@@@@@@@"
HANDLES_MAX = 100_000
# Of resident memory: what the last third may be above the second.
GROWTH_FACTOR = 1.10
GROWTH_BYTES = 32 << 20


def mixed_calls(key):
    """(name, how often, tool, arguments). Queries differ, for an equal one is answered by its handle."""
    bodies = "?b a sol:Moon ; rdfs:label ?label"
    return [
        ("find", 4, "sparql_find", {"pattern": "mars"}),
        ("peek", 3, "sparql_peek", {"resource": "sol:Planet"}),
        ("describe", 3, "sparql_describe", {"resource": "https://helve.example/solar/body/Mars"}),
        ("schema", 2, "sparql_schema", {}),
        ("query", 4, "sparql_query", {"query": f"SELECT ?b ?label {{ {bodies} FILTER(?label != '{MARK}') }}"}),
        ("query_small", 4, "sparql_query", {"query": f"SELECT ?b {{ {bodies} FILTER(STR(?label) = '{MARK}') }}", "diagnose": False}),
        ("slice", 2, "sparql_slice", {"result": key, "limit": 10}),
        ("result_sql", 1, "result_sql", {"sql": f"SELECT count(*) AS n, '{MARK}' AS x FROM {key}"}),
        ("count", 2, "call_tool", {"name": "sparql_count", "arguments": {"query": "sol:Moon"}}),
    ]


def write_requests(path, peer):
    query = "SELECT ?b ?label { ?b a sol:Moon ; rdfs:label ?label }"
    key = peer.call("sparql_query", {"query": query}).result["structuredContent"]["key"]
    blocks = []
    for name, share, tool, arguments in mixed_calls(key):
        message = peer.message("tools/call", {"name": tool, "arguments": arguments}, id=MARK)
        blocks += [(name, peer.raw_request(message))] * share
    for method in ("tools/list", "resources/list", "prompts/list", "server/discover"):
        blocks.append((method.replace("/", "_"), peer.raw_request(peer.message(method, id=MARK))))
    read = peer.message("resources/read", {"uri": "helve://sources"}, id=MARK)
    blocks.append(("resources_read", peer.raw_request(read)))
    path.write_bytes(b"".join(f"{name} {len(raw)}\n".encode() + raw for name, raw in blocks))


class MemoryWatch(threading.Thread):
    """Resident memory, twenty times over the run at least."""

    def __init__(self, server, every_s):
        super().__init__(daemon=True)
        self.server = server
        self.every_s = every_s
        self.samples = []
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(self.every_s):
            self.samples.append(self.server.memory_bytes())

    def thirds(self):
        """The means of the second and of the last third."""
        count = len(self.samples) // 3
        return statistics.mean(self.samples[count : 2 * count]), statistics.mean(self.samples[2 * count :])


def metrics(address, token=None):
    with HttpConnection(address) as connection:
        more = f"Authorization: Bearer {token}\r\n" if token else ""
        connection.send(f"GET /metrics HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n{more}\r\n".encode())
        response = connection.read_response()
    if response.status != 200:
        raise AssertionError(f"/metrics answers {response.status}")
    return response.body.decode()


def handles_of(text):
    found = re.search(r"^helve_handles(?:\{[^}]*\})? ([0-9.e+]+)$", text, re.MULTILINE)
    if found is None:
        raise AssertionError("/metrics has no helve_handles")
    return float(found.group(1))


def judge(outcome, watch, handles, seconds):
    problems = []
    if outcome["errors"] or outcome["tool_errors"]:
        problems.append(f"errors: {outcome['first_error']}")
    if outcome["ok"] < 64:
        problems.append("hardly anything was answered")
    second, last = watch.thirds()
    print(f"memory: {second / 2**20:.1f} MiB in the second third, {last / 2**20:.1f} MiB in the last; {handles:.0f} handles")
    # In a few seconds handles still fill up.
    if seconds >= 30 and last > second * GROWTH_FACTOR + GROWTH_BYTES:
        problems.append("memory grows")
    if handles > HANDLES_MAX:
        problems.append(f"{handles} handles")
    return problems


def show(outcome, clients):
    rate = outcome["ok"] / outcome["seconds"]
    print(f"{clients} clients, {outcome['seconds']:.0f} s: {outcome['ok']} answered ({rate:.0f}/s), {outcome['busy']} busy, "
          f"{outcome['tool_errors']} tool errors, {outcome['errors']} errors")
    print("| call | n | p50 ms | p99 ms | max ms |\n|---|---|---|---|---|")
    for name, times in [*sorted(outcome["kinds"].items()), ("all", outcome["all"])]:
        print(f"| {name} | {times['n']} | {times['p50_us'] / 1000:.2f} | {times['p99_us'] / 1000:.2f} | {times['max_us'] / 1000:.2f} |")


def main():
    parser = argparse.ArgumentParser(description="load over HTTP")
    parser.add_argument("helve")
    parser.add_argument("loader")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=64)
    options = parser.parse_args()
    with HttpProgram(os.path.abspath(options.helve)) as server, tempfile.TemporaryDirectory() as folder:
        peer = HttpPeer(server.address, MODERN)
        requests = Path(folder, "requests")
        write_requests(requests, peer)
        watch = MemoryWatch(server, min(0.5, options.seconds / 30))
        watch.start()
        ran = subprocess.run(
            [options.loader, *map(str, server.address), str(options.clients), str(options.seconds), requests],
            stdout=subprocess.PIPE,
            timeout=options.seconds + 120,
            check=True,
        )
        watch.is_over.set()
        watch.join()
        outcome = json.loads(ran.stdout)
        show(outcome, options.clients)
        problems = judge(outcome, watch, handles_of(metrics(server.address)), options.seconds)
        if "result" not in peer.ping().answer:
            problems.append("a good request afterwards is not answered")
    for problem in problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
