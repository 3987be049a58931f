#!/usr/bin/env python3
"""How long a call over MCP takes, beside a server of the official TypeScript SDK: mcp.py [options] HELVE

Both are asked by the same clients (../shared/tools/mcp-latency: a small C++ program on stdio, a raw Node client over HTTP), in
turn, round by round; of each the median round counts. Prints Markdown. Neighbours: peers/mcp_echo.mjs is the other server,
setup.sh installs what it needs.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import machine

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
ECHO = HERE / "peers" / "mcp_echo.mjs"
START_S = 30
RUN_S = 300
HELLO = {"message": "hello"}
QUERY = {"query": "SELECT ?planet ?label { ?planet a sol:TerrestrialPlanet ; rdfs:label ?label }"}
ASK = {"query": "ASK { ?planet a sol:TerrestrialPlanet ; rdfs:label ?label }"}

# Server, what is called, tool, arguments.
CASES = [
    ("Helve", "trivial tool", "test_simple_text", {}),
    ("Helve", "`sparql_query`, ASK", "sparql_query", ASK),
    ("Helve", "`sparql_query`, rows (their handle is there)", "sparql_query", QUERY),
    ("TypeScript SDK", "trivial tool", "echo", HELLO),
]


def tools_folder():
    shared = Path(os.environ.get("HELVE_SHARED") or REPOSITORY.parent / "shared")
    return shared / "tools" / "mcp-latency"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def measured(command):
    ran = subprocess.run(command, stdout=subprocess.PIPE, timeout=RUN_S, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


class Bench:
    def __init__(self, options, folder):
        self.helve = os.path.abspath(options.helve)
        self.calls = options.calls
        self.rtt = folder / "rtt"
        self.folder = folder
        compiler = os.environ.get("CXX", "g++")
        subprocess.run([compiler, "-O2", "-std=c++20", "-w", tools_folder() / "rtt.cpp", "-o", self.rtt], check=True)

    def command(self, case, *more):
        server, _, tool, _ = case
        if server == "Helve":
            http = ["--http", f"127.0.0.1:{more[0]}"] if more else []
            # The trivial tool needs no source: its start-up is that of the server alone.
            has_source = tool == "sparql_query"
            return [self.helve, "mcp", *(["--source", "solar=sample:"] if has_source else []), "--conformance", *http]
        return ["node", str(ECHO), *map(str, more)]

    def over_stdio(self, case, era):
        _, _, tool, arguments = case
        return measured(
            [self.rtt, "-e", era, "-t", tool, "-a", json.dumps(arguments), "-n", str(self.calls), "--", *self.command(case)]
        )

    def over_http(self, case, era):
        server, _, tool, arguments = case
        port = free_port()
        process = subprocess.Popen(self.command(case, port), cwd=self.folder, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + START_S
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    if time.monotonic() > deadline or process.poll() is not None:
                        sys.exit(f"mcp.py: {server} does not listen")
                    time.sleep(0.02)
            url = f"http://127.0.0.1:{port}/mcp"
            client = ["node", tools_folder() / "http-raw.mjs", "--url", url, "--era", era, "--tool", tool]
            return measured([*client, "--args", json.dumps(arguments), "--n", str(self.calls)])
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def run(self, rounds, transports):
        """By (transport, era, case): the outcomes of all rounds."""
        outcomes = {}
        for number in range(rounds):
            for transport in transports:
                for era in ("modern", "legacy"):
                    for case in CASES:
                        once = self.over_stdio if transport == "stdio" else self.over_http
                        print(f"round {number + 1}: {transport} {era} {case[0]} {case[1]}", file=sys.stderr)
                        outcomes.setdefault((transport, era, case[0], case[1]), []).append(once(case, era))
        return outcomes


def median(rounds, key):
    values = [one[key] for one in rounds if key in one]
    return statistics.median(values) if values else None


def table(outcomes):
    lines = ["| transport | era | server | call | p50 µs | p99 µs | start-up ms |", "|---|---|---|---|---|---|---|"]
    for (transport, era, server, call), rounds in outcomes.items():
        start = median(rounds, "startup_ms")
        lines.append(
            f"| {transport} | {era} | {server} | {call} | {median(rounds, 'p50'):.0f} | {median(rounds, 'p99'):.0f} | "
            f"{'' if start is None else f'{start:.1f}'} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="latency over MCP beside the TypeScript SDK")
    parser.add_argument("helve")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=2_000, help="in each round")
    parser.add_argument("--only", choices=("stdio", "http"))
    options = parser.parse_args()
    if not (tools_folder() / "rtt.cpp").exists():
        sys.exit("mcp.py: HELVE_SHARED or ../shared has no tools/mcp-latency")
    if shutil.which("node") is None or not (HERE / "node_modules" / "@modelcontextprotocol" / "server").exists():
        print("mcp.py: no TypeScript SDK (bench/setup.sh installs it): Helve alone", file=sys.stderr)
        CASES[:] = [case for case in CASES if case[0] == "Helve"]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, Path(folder))
        outcomes = bench.run(options.rounds, [options.only] if options.only else ["stdio", "http"])
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, {here['system']}; {options.rounds} rounds of {options.calls} calls.\n\n{table(outcomes)}")


if __name__ == "__main__":
    main()
