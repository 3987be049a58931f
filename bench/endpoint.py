#!/usr/bin/env python3
"""A large answer of an endpoint, into a handle: endpoint.py [options] HELVE

A server of its own gives a result of a million rows in JSON (result_server.py). In alternating rounds the same query is asked by
curl alone, curl with jq, SPARQLWrapper, rdflib, and Helve's tool sparql_query, which puts all rows into a handle. Each is a new
process that is measured whole: seconds, the bytes of the result (decompressed) per second, and the peak of its memory. Prints Markdown.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from multiprocessing import Pipe, Process
from pathlib import Path
from urllib.parse import urlencode

HERE = Path(__file__).resolve().parent

from measure import tell  # noqa: E402
from result_server import MEDIA_TYPE, QUERY, make_results, serve  # noqa: E402
from run import machine  # noqa: E402

PYTHON = ("SPARQLWrapper", "rdflib")
# Debian's own, for its libraries.
PYTHON_CLIENT = ["/usr/bin/python3", HERE / "peers" / "sparql_clients.py"]


@dataclass
class Run:
    seconds: float
    cpu_seconds: float
    peak_mib: float


def curl(url):
    return ["curl", "-sS", "--fail", "--compressed", "-H", f"Accept: {MEDIA_TYPE}", f"{url}?{urlencode({'query': QUERY})}"]


class Clients:
    """Each is a function of the address that gives the command, or commands of a pipe, and what it prints."""

    def __init__(self, options, rows):
        self.options, self.rows = options, rows
        self.all = {"curl": self.bare, "curl, jq": self.jq, "SPARQLWrapper": self.sparqlwrapper, "rdflib": self.rdflib,
                    "helve": self.helve}

    def bare(self, url):
        return [[*curl(url), "-o", "/dev/null"]], lambda said: True

    def jq(self, url):
        return [curl(url), ["jq", ".results.bindings | length"]], self.has_all

    def sparqlwrapper(self, url):
        return [[*PYTHON_CLIENT, "sparqlwrapper", url, QUERY]], self.has_all

    def rdflib(self, url):
        return [[*PYTHON_CLIENT, "rdflib", url, QUERY]], self.has_all

    def helve(self, url):
        calls = self.options.work / "calls.jsonl"
        calls.write_text(json.dumps({"case": "rows", "tool": "sparql_query",
                                     "arguments": {"query": QUERY, "timeout": 300, "limit": 5, "format": "json"}}) + "\n")
        return [[self.options.helve, "bench-tools", calls, f"remote={url}"]], self.is_answered

    def has_all(self, said):
        return int(said) == self.rows

    @staticmethod
    def is_answered(said):
        events = [json.loads(line) for line in said.splitlines()]
        return "error" not in events[-1] or tell(events[-1]["error"])


def run(commands, is_right):
    """Runs a pipe of commands; its peak is that of its largest process."""
    started = time.perf_counter()
    processes = []
    for command in commands:
        source = processes[-1].stdout if processes else subprocess.DEVNULL
        processes.append(subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE))
        if len(processes) > 1:
            source.close()
    said = processes[-1].stdout.read()
    peak = cpu = 0
    for process in processes:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = max(peak, usage.ru_maxrss)
        cpu += usage.ru_utime + usage.ru_stime
    seconds = time.perf_counter() - started
    if any(process.returncode for process in processes) or not is_right(said):
        sys.exit(f"endpoint.py: {commands[-1][0]} failed: {said.decode(errors='replace')[:300]}")
    return Run(seconds, cpu, peak / 1024)


def measure(options, clients, url, left_out):
    runs = {name: [] for name in options.only or clients.all if name not in left_out}
    for number in range(options.rounds):
        for name in runs:
            if number and name not in ("curl", "helve") and number >= options.slow_rounds:
                continue
            runs[name].append(run(*clients.all[name](url)))
            last = runs[name][-1]
            tell(f"{url}: {name}: {last.seconds:.2f} s ({last.cpu_seconds:.2f} of the processor), {last.peak_mib:.0f} MiB")
    return runs


def table(runs, size):
    lines = ["| client | s | MB/s | times curl | processor s | peak MiB |", "|---|---:|---:|---:|---:|---:|"]
    best = {name: min(one.seconds for one in those) for name, those in runs.items()}
    for name, those in runs.items():
        ratio = f"{best[name] / best['curl']:.1f}" if "curl" in best else ""
        lines.append(f"| {name} | {best[name]:.2f} | {size / 1e6 / best[name]:,.0f} | {ratio} | "
                     f"{min(one.cpu_seconds for one in those):.2f} | {max(one.peak_mib for one in those):,.0f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="a large answer of an endpoint, into a handle")
    parser.add_argument("helve", type=os.path.abspath)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slow-rounds", type=int, default=2, help="of all but curl and helve")
    parser.add_argument("--only", action="append", help="a client: curl, helve ...")
    parser.add_argument("--work", type=Path, default=HERE.parent / "build" / "bench" / "endpoint")
    options = parser.parse_args()
    for program in ("curl", "jq"):
        if shutil.which(program) is None:
            sys.exit(f"endpoint.py: there is no {program} (scripts/install-deps.sh bench)")
    path, packed = make_results(options.work, options.rows)
    ours, theirs = Pipe()
    server = Process(target=serve, args=(path, packed, theirs.send), daemon=True)
    server.start()
    port = ours.recv()
    clients = Clients(options, options.rows)
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, {here['system']}; load average {here['load_average']:.1f} at the start; "
          f"{options.rows:,} rows, {path.stat().st_size / 1e6:,.0f} MB, compressed {packed.stat().st_size / 1e6:,.0f} MB; best rounds, highest peaks.")
    try:
        for title, place, left_out in (("As it is", "sparql", ()), ("gzip, which the libraries of Python cannot read", "gzip", PYTHON)):
            runs = measure(options, clients, f"http://127.0.0.1:{port}/{place}", left_out)
            print(f"\n{title}:\n\n{table(runs, path.stat().st_size)}", flush=True)
    finally:
        server.terminate()
        server.join()


if __name__ == "__main__":
    main()
