#!/usr/bin/env python3
"""What Helve takes beside the bare client library of a database: sql.py [options] HELVE OVERHEAD

OVERHEAD is the program helve_sql_overhead (`make bench-sql` builds both). Starts servers of its own, makes a table of 10,000 rows in
each engine, and measures the library, Helve's source and the whole tool (`helve bench-tools`: the reply and its handle too) for a
point query and for all rows, in one run; medians. Prints Markdown. Neighbours: sql_overhead.cc, ../tests/integration/sql/databases.py.
"""

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "integration" / "sql"))

from databases import ENGINES, MariaDb, Missing, Place, Postgres  # noqa: E402
from run import machine  # noqa: E402

ROWS = 10_000
RUN_S = 600
TABLE = "CREATE TABLE big (id INTEGER PRIMARY KEY, name VARCHAR(60), amount NUMERIC(12,2), made_at TIMESTAMP NULL, note VARCHAR(100));"
COLUMNS = "id, name, amount, made_at, note"


def table_script():
    parts = [TABLE]
    for start in range(1, ROWS + 1, 500):
        rows = ",".join(
            f"({no}, 'customer number {no}', {no * 7 % 100000}.{no % 100:02d}, '2024-03-{no % 28 + 1:02d} 12:{no % 60:02d}:00', "
            f"{'NULL' if no % 5 == 0 else repr(f'a note of some length about {no}')})"
            for no in range(start, start + 500))
        parts.append(f"INSERT INTO big VALUES {rows};")
    return "".join(parts)


def make(engine, place):
    """The URI of the table and the server behind it."""
    if engine == "sqlite":
        path = place.path / "big.db"
        with sqlite3.connect(path) as database:
            database.executescript(table_script())
        database.close()
        return f"sqlite:{path}", None
    server = (Postgres if engine == "postgresql" else MariaDb)(place)
    server.__enter__()
    if engine == "postgresql":
        server.client(f"CREATE ROLE reader LOGIN; {table_script()} GRANT SELECT ON big TO reader; ANALYZE big")
        return server.uri("postgres", "reader"), server
    server.client(f"CREATE DATABASE bench; USE bench; {table_script()} CREATE USER reader@localhost; "
                  "GRANT SELECT ON bench.* TO reader@localhost")
    return server.uri("bench", "reader"), server


def calls(rounds):
    """Calls for `helve bench-tools`; each differs, for the same one twice is answered by its handle."""
    lines = []
    for no in range(rounds):
        sql = f"SELECT {COLUMNS} FROM big WHERE id = {no * 7 % 9000 + 1}"
        lines.append({"case": "point", "tool": "query_execute", "arguments": {"sql": sql}})
    for no in range(rounds // 20):
        sql = f"SELECT {COLUMNS} FROM big WHERE id > {-no - 1} LIMIT {ROWS}"
        lines.append({"case": "rows", "tool": "query_execute", "arguments": {"sql": sql}})
    return "".join(json.dumps(line) + "\n" for line in lines)


def measure(options, engine, uri, place):
    """By case: rows and microseconds of the library, the source and the tool."""
    ran = subprocess.run([options.overhead, options.helve, uri], stdout=subprocess.PIPE, timeout=RUN_S, check=True)
    outcomes = {one["case"]: one for one in map(json.loads, ran.stdout.splitlines())}
    file = place.path / "calls.jsonl"
    file.write_text(calls(options.rounds))
    command = [options.helve, "bench-tools", file, f"{engine}={uri}"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, timeout=RUN_S, check=True, cwd=place.path,
                         env={**os.environ, "HELVE_SESSION": str(place.path / "session")})
    times = {}
    for event in map(json.loads, ran.stdout.splitlines()):
        if event["event"] == "call":
            if "error" in event:
                sys.exit(f"sql.py: {engine}: {event['error']}")
            times.setdefault(event["case"], []).append(event["seconds"] * 1e6)
    for case, seconds in times.items():
        outcomes[case]["tool_us"] = statistics.median(seconds)
    return outcomes


def line(engine, one):
    extra = one["source_us"] - one["bare_us"]
    share = f"{100 * extra / one['bare_us']:+.0f} %" if one["case"] == "rows" else f"{extra:+.0f} µs"
    return (f"| {engine} | {'point query' if one['case'] == 'point' else format(one['rows'], ',') + ' rows'} | {one['bare_us']:,.0f} | "
            f"{one['source_us']:,.0f} | {share} | {one['tool_us']:,.0f} |")


def main():
    parser = argparse.ArgumentParser(description="overhead of Helve over the client libraries of databases")
    parser.add_argument("helve", type=os.path.abspath)
    parser.add_argument("overhead", type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=1000, help="point queries through the tool")
    parser.add_argument("--engine", action="append", choices=ENGINES)
    options = parser.parse_args()
    lines = ["| engine | statement | library µs | source µs | overhead | tool µs |", "|---|---|---|---|---|---|"]
    for engine in options.engine or ENGINES:
        with Place() as place:
            try:
                uri, server = make(engine, place)
            except Missing as missing:
                print(f"sql.py: {engine} is left out: {missing}", file=sys.stderr)
                continue
            try:
                outcomes = measure(options, engine, uri, place)
                lines += [line(engine, outcomes[case]) for case in ("point", "rows")]
            finally:
                if server is not None:
                    server.kill()
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, {here['system']}.\n\n" + "\n".join(lines))


if __name__ == "__main__":
    main()
