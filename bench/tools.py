#!/usr/bin/env python3
"""How long calls of tools take, beside the same calls written with rdflib: tools.py [options] HELVE

Both sides open the generated graph once and answer the same calls, one after the other, in their process: Helve by
`bench-tools`, rdflib by peers/rdflib_tools.py. Prints Markdown. Neighbours: run.py compares queries, gen.py makes the graph.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from engines import HERE
from gen import NS
from measure import OPEN_SECONDS_MAX, run_process, tell
from run import machine, make_data

VOCAB = NS + "vocab#"
CLASSES = [VOCAB + name for name in "Professor Student Article Book Course Department University".split()]
FINDS = ["professor", "University 17", "graph department", "univrsity", "adaptive", "cites", "dep"]
HELVE_SECONDS_MAX = 60  # for one call
RDFLIB_SECONDS_MAX = 300


def student(i):
    return f"{NS}student/{i % 30}/{i % 8}/{i % 80}"


def professor(i):
    return f"{NS}professor/{i % 30}/{i % 8}/{i % 8}"


def prefixed(query):
    return f"PREFIX v: <{VOCAB}> {query}"


# Name, tool, and the arguments of round i; those of queries differ from round to round, for the same query twice is
# answered by the handle that is there already.
CASES = [
    ("schema, overview", "sparql_schema", lambda i: {}),
    ("schema, classes", "sparql_schema", lambda i: {"output_mode": "classes"}),
    ("schema, properties", "sparql_schema", lambda i: {"output_mode": "properties"}),
    ("find", "sparql_find", lambda i: {"pattern": FINDS[i % len(FINDS)]}),
    ("peek, a class", "sparql_peek", lambda i: {"resource": CLASSES[i % len(CLASSES)]}),
    ("peek, schema of a class", "sparql_peek", lambda i: {"resource": CLASSES[i % len(CLASSES)], "output_mode": "schema"}),
    ("peek, a thing", "sparql_peek", lambda i: {"resource": student(i)}),
    ("describe", "sparql_describe", lambda i: {"resource": professor(i)}),
    ("describe, much cited", "sparql_describe", lambda i: {"resource": f"{NS}publication/{i}"}),
    ("query, a star", "sparql_query", lambda i: {"query": prefixed(
        f"SELECT ?name ?email ?born {{ <{professor(i)}> v:name ?name ; v:email ?email ; v:born ?born }}")}),
    ("query, a join", "sparql_query", lambda i: {"query": prefixed(
        f"SELECT ?student ?title {{ ?student v:advisor <{professor(i)}> ; v:takes ?course . ?course v:title ?title }}")}),
    ("query, first 100", "sparql_query", lambda i: {"query": prefixed(
        f"SELECT ?s ?name {{ ?s a v:Student ; v:name ?name }} LIMIT {100 + i}")}),
    ("query, grouped", "sparql_query", lambda i: {"query": prefixed(
        f"SELECT ?d (COUNT(?s) AS ?n) {{ ?d v:partOf <{NS}university/{i % 30}> . ?s v:memberOf ?d }} GROUP BY ?d")}),
    ("query, empty and diagnosed", "sparql_query", lambda i: {"query": prefixed(
        f"SELECT ?x {{ <{student(i)}> v:advisor ?x . ?x v:takes ?course }}")}),
    ("count, a class", "sparql_count", lambda i: {"query": CLASSES[i % len(CLASSES)]}),
    ("count, a query", "sparql_count", lambda i: {"query": prefixed(
        f"SELECT * {{ ?s v:memberOf <{NS}department/{i % 30}/{i % 8}> ; v:takes ?c }}")}),
    ("slice", "sparql_slice", lambda i: {"result": "results_0", "offset": i * 37 % 9000, "limit": 100}),
    ("result_sql, grouped", "result_sql", lambda i: {
        "sql": f"SELECT born, COUNT(*) AS n FROM results_0 GROUP BY born ORDER BY n DESC, born LIMIT {10 + i}"}),
]
# What slices and SQL work on: not measured, and before all others so that its key is results_0.
STORED = {"case": "", "tool": "sparql_query", "arguments": {"query": prefixed(
    "SELECT ?s ?name ?born { ?s a v:Student ; v:name ?name ; v:born ?born } LIMIT 10000")}}


def write_calls(path, rounds, only):
    lines = [STORED]
    for name, tool, arguments in CASES:
        if only in name:
            lines += [{"case": name, "tool": tool, "arguments": arguments(i)} for i in range(rounds)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def measure(command, seconds_max):
    """Milliseconds of each call by case, the first first; characters of the replies by case; seconds to open."""
    times, chars, opened = defaultdict(list), defaultdict(list), []

    def on_event(event):
        if event["event"] == "open":
            opened.append(event["seconds"])
        elif event.get("error"):
            raise SystemExit(f"bench: {event['case'] or 'the stored result'}: {event['error']}")
        elif event["case"]:
            times[event["case"]].append(event["seconds"] * 1000)
            chars[event["case"]].append(event["chars"])

    ended = run_process(command, on_event, lambda: seconds_max if opened else OPEN_SECONDS_MAX)
    if ended.problem:
        raise SystemExit(f"bench: {command[1]}: {ended.problem}")
    return times, chars, opened[0]


def quantile(numbers, share):
    return sorted(numbers)[min(len(numbers) - 1, int(share * len(numbers)))]


def shown(ms):
    return f"{ms:,.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 10 else f"{ms:.2f}" if ms >= 1 else f"{ms:.3f}"


def ratio(times):
    return f"{times:,.0f}" if times >= 10 else f"{times:.1f}" if times >= 1 else f"{times:.2f}"


def table(helve, chars, rdflib):
    lines = ["| call | first ms | p50 ms | p90 ms | characters | rdflib p50 ms | times as long |", "|---|---:|---:|---:|---:|---:|---:|"]
    for name, times in helve.items():
        p50 = statistics.median(times)
        cells = [name, shown(times[0]), shown(p50), shown(quantile(times, 0.9)), f"{statistics.mean(chars[name]):,.0f}"]
        other = statistics.median(rdflib[name]) if rdflib.get(name) else None
        cells += [shown(other), ratio(other / p50)] if other else ["", ""]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helve", help="the program to measure")
    parser.add_argument("--triples", type=int, default=1_000_000, help="size of the graph (1,000,000)")
    parser.add_argument("--rounds", type=int, default=100, help="calls of each kind (100); rdflib: fewer where they are slow")
    parser.add_argument("--only", default="", help="only cases with this text in their name")
    parser.add_argument("--no-rdflib", action="store_true", help="measure Helve alone")
    parser.add_argument("--work", type=Path, default=HERE.parent / "build/bench", help="folder of graphs and databases (build/bench)")
    options = parser.parse_args()
    work = options.work.resolve()
    data = make_data(work, options.triples)
    index = work / "tools" / f"{data.stem}.helve"
    index.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([options.helve, "--quiet", "load", "--force", data, "-o", index], check=True)
    calls = work / "tools" / "calls.jsonl"
    write_calls(calls, options.rounds, options.only)
    here = machine()
    tell("helve")
    helve, chars, open_seconds = measure([options.helve, "bench-tools", str(calls), str(index)], HELVE_SECONDS_MAX)
    rdflib = {}
    python = work / "python/bin/python"
    if options.no_rdflib or not python.exists():
        tell("rdflib left out" + ("" if options.no_rdflib else ": bench/setup.sh has not installed it"))
    else:
        tell("rdflib")
        rdflib = measure([str(python), str(HERE / "peers/rdflib_tools.py"), str(calls), str(data)], RDFLIB_SECONDS_MAX)[0]
    print(f"{options.triples:,} triples; {here['cores']} cores, {here['cpu']}; load average {here['load_average']:.1f} at the start, "
          f"{os.getloadavg()[0]:.1f} at the end; {options.rounds} calls of each kind; opened in {open_seconds * 1000:.1f} ms.\n")
    print(table(helve, chars, rdflib))
    return 0


if __name__ == "__main__":
    sys.exit(main())
