#!/usr/bin/env python3
"""Compares answering the queries of queries/ on one generated graph: query.py [options] HELVE

Every program loads the graph once, runs each query some rounds and reports the best and the first, its own
clock, without starting and loading. All programs must give the same answers: rows and a digest of them that
does not depend on their order. Neighbours: gen.py makes the graph, load.py compares loading it.
"""

import argparse
import json
import math
import os
import platform
import sys

from load import DEBIAN_PYTHON, HERE, Program, install_oxigraph, make_data, measure


def programs(helve, data, rounds, queries):
    arguments = [data, str(rounds), *queries]
    return [
        Program("helve", "query", [helve, "bench-query", *arguments], True),
        Program("rdflib", "query", [DEBIAN_PYTHON, str(HERE / "peers/query_rdflib.py"), *arguments], True),
        Program("oxigraph (wasm)", "query", ["node", str(HERE / "peers/query_oxigraph.js"), *arguments], True),
    ]


def check_answers(best):
    """Exits with a list of the queries whose answers differ."""
    wrong = []
    for name, answer in best["helve"].report["queries"].items():
        for peer, run in best.items():
            other = run.report["queries"].get(name, answer)
            if other.get("gave_up"):
                continue
            if (other["rows"], other["digest"]) != (answer["rows"], answer["digest"]):
                wrong.append(f"{name}: helve has {answer['rows']:,} rows {answer['digest']}, "
                             f"{peer} {other['rows']:,} rows {other['digest']}")
    if wrong:
        raise SystemExit("bench: answers differ\n" + "\n".join(wrong))


def milliseconds(seconds):
    return f"{seconds * 1000:,.2f}" if seconds < 0.1 else f"{seconds * 1000:,.0f}"


def print_table(best, triples):
    helve = best["helve"].report
    peers = [name for name in best if name != "helve"]
    print(f"\nQueries on {triples:,} triples, warm, milliseconds; {os.cpu_count()} cores, {platform.machine()}; "
          "in brackets: how many times as long as helve\n")
    heads = [f"{name} {best[name].report.get('version', '')}".strip() for name in peers]
    print("| query | rows | helve | helve, first run | " + " | ".join(heads) + " |")
    print("|---|---:|---:|---:|" + "---:|" * len(peers))
    ratios = {name: [] for name in peers}
    for name, answer in helve["queries"].items():
        cells = []
        for peer in peers:
            other = best[peer].report["queries"][name]
            ratios[peer].append(other["seconds"] / answer["seconds"])
            more = "> " if other.get("gave_up") else ""
            cells.append(f"{more}{milliseconds(other['seconds'])} ({more}{ratios[peer][-1]:,.1f})")
        print(f"| {name} | {answer['rows']:,} | {milliseconds(answer['seconds'])} | "
              f"{milliseconds(answer['cold_seconds'])} | " + " | ".join(cells) + " |")
    for peer in peers:
        mean = math.exp(sum(map(math.log, ratios[peer])) / len(ratios[peer]))
        print(f"\n{peer}: {mean:.0f} times as long as helve in the geometric mean, {min(ratios[peer]):.1f} at the least")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helve", help="the program to measure")
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each query")
    parser.add_argument("--only", help="names of programs, separated by commas (default: all)")
    parser.add_argument("--queries", default="*.rq", help="which files of queries/ (default: all)")
    options = parser.parse_args()

    data = make_data(options.triples)
    queries = sorted(str(path) for path in (HERE / "queries").glob(options.queries))
    if not queries:
        raise SystemExit(f"bench: no query matches '{options.queries}'")
    install_oxigraph()
    todo = programs(os.path.abspath(options.helve), str(data), options.rounds, queries)
    if options.only:
        todo = [program for program in todo if program.name.split()[0] in options.only.split(",")]
    best = measure(todo, 1)
    if "helve" not in best:
        raise SystemExit("bench: helve did not run")
    check_answers(best)
    print_table(best, options.triples)
    return 0


if __name__ == "__main__":
    sys.exit(main())
