#!/usr/bin/env python3
"""Asks our engine and others the same random questions: run_differential.py --program HELVE_DIFFERENTIAL [options]

A seed gives a graph and some queries about it; the same seed gives the same ones. Answers are compared as bags of
rows up to the names of blank nodes. A difference that known_differences.md does not explain is a failure, shown with
everything needed to ask again. Exit status 77: the peer is not installed.
"""

import argparse
import json
import os
import random
import select
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from compare import difference, sorting_mistake
from graphs import make_graph
from known_differences import explanation
from profiles import PROFILES
from queries import QueryMaker

HERE = Path(__file__).resolve().parent
PEER_FOLDER = HERE.parent.parent / "bench"  # where npm installs peers, see bench/package.json
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that sees python3-rdflib
SKIPPED = 77
ANSWER_SECONDS = 20


class Absent(Exception):
    """The peer is not on this machine."""


class Answerer:
    """A process that answers one line with one line; started again when it hangs."""

    def __init__(self, command):
        self.command = command
        self.process = None

    def ask(self, data, query):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        request = json.dumps({"data": data, "query": query}) + "\n"
        self.process.stdin.write(request.encode())
        self.process.stdin.flush()
        line = b""
        deadline = time.monotonic() + ANSWER_SECONDS
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not piece:
                self.close()
                return {"error": "the process ended" if ready else "no answer in time", "is_lost": True}
            line += piece
        return json.loads(line)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


def rdflib_command():
    python = DEBIAN_PYTHON if os.path.exists(DEBIAN_PYTHON) else sys.executable
    if subprocess.run([python, "-c", "import rdflib"], capture_output=True).returncode != 0:
        raise Absent("python3-rdflib is not installed")
    return [python, str(HERE / "peers/answer_rdflib.py")]


def oxigraph_command(may_install):
    folder = PEER_FOLDER / "node_modules/oxigraph"
    if not folder.exists() and may_install and shutil.which("npm"):
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=PEER_FOLDER, check=False,
                       stdin=subprocess.DEVNULL, stdout=sys.stderr)
    if not folder.exists() or not shutil.which("node"):
        raise Absent("the npm package oxigraph is not installed (npm install in bench/, or --install)")
    return ["node", str(HERE / "peers/answer_oxigraph.js"), str(folder)]


def peer_command(name, options):
    if name == "rdflib":
        return rdflib_command()
    if name == "oxigraph":
        return oxigraph_command(options.install)
    return [options.program, "--dataset", "memory"]


def queries_of(seed, profile, count):
    generator = random.Random(seed)
    graph = make_graph(generator, profile)
    return graph, [QueryMaker(generator, graph, profile).query() for _ in range(count)]


def written(term):
    if term is None:
        return "-"
    if term["type"] != "literal":
        return f"<{term['value']}>" if term["type"] == "uri" else "_:blank"
    tag = term.get("xml:lang")
    datatype = term.get("datatype", "").replace("http://www.w3.org/2001/XMLSchema#", "xsd:")
    return f'"{term["value"]}"' + (f"@{tag}" if tag else "" if datatype in ("", "xsd:string") else f"^^{datatype}")


def lines_of(answer):
    if "error" in answer:
        return [f"error: {answer['error'][:300]}"]
    if answer["kind"] == "boolean":
        return [str(answer["answer"]).lower()]
    names = answer.get("vars", "spo")
    order = sorted(range(len(names)), key=lambda place: names[place])
    return [" ".join(written(row[place]) for place in order) for row in answer.get("rows", answer.get("triples"))]


def show(seed, number, graph, query, ours, theirs, what):
    """What differs, and everything needed to ask again."""
    sides = [Counter(lines_of(side)) for side in (ours, theirs)]
    print(f"\nDIFFERENCE seed {seed} query {number}: {what}\n{graph.nquads()}{query.text}")
    print(f"variables: {' '.join(sorted(ours.get('vars', 'spo')))}; {sum((sides[0] & sides[1]).values())} rows in common")
    for name, rows in (("ours", sides[0] - sides[1]), ("theirs", sides[1] - sides[0])):
        for line, count in sorted(rows.items())[:10]:
            print(f"  only {name}: {line}" + (f" ({count} times)" if count > 1 else ""))


def is_empty(answer):
    return not (answer.get("rows") or answer.get("triples") or answer.get("answer"))


def judge(query, graph, ours, theirs, profile):
    """None, or what differs."""
    mistake = sorting_mistake(ours, query.sort_keys)
    if mistake:
        return mistake
    if ours.get("is_lost"):
        return "our program: " + ours["error"]
    return difference(ours, theirs, query.is_ordered)


def compare_with(profile, options):
    ours = Answerer([options.program, "--dataset", "store"])
    theirs = Answerer(peer_command(profile.name, options))
    count = Counter()
    first, last = (int(part) for part in options.seeds.split(":"))
    started = time.monotonic()
    for seed in range(first, last):
        if options.seconds and time.monotonic() - started > options.seconds:
            print(f"differential: {profile.name}: stopped before seed {seed} after {options.seconds} s")
            break
        graph, queries = queries_of(seed, profile, options.queries)
        for number, query in enumerate(queries):
            replies = [side.ask(graph.nquads(), query.text) for side in (ours, theirs)]
            what = judge(query, graph, *replies, profile)
            count["asked"] += 1
            count["empty"] += is_empty(replies[0])
            count["refused by both"] += all("error" in reply for reply in replies)
            if what is None:
                continue
            known = None if options.all else explanation(profile.name, graph, query, *replies, what)
            count[f"known: {known}" if known else "unexplained"] += 1
            if not known and count["unexplained"] <= options.show:
                show(seed, number, graph, query, *replies, what)
    ours.close()
    theirs.close()
    print(f"differential: {profile.name}: " + ", ".join(f"{name} {n}" for name, n in count.items()))
    return count["unexplained"] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="helve_differential")
    parser.add_argument("--peer", choices=[*PROFILES, "both"], default="both")
    parser.add_argument("--seeds", default="0:100", help="A:B, from A to before B")
    parser.add_argument("--queries", type=int, default=10, help="for each seed")
    parser.add_argument("--show", type=int, default=5, help="unexplained differences shown")
    parser.add_argument("--seconds", type=float, help="stop after this long")
    parser.add_argument("--all", action="store_true", help="show known differences too")
    parser.add_argument("--install", action="store_true", help="npm install what is missing")
    options = parser.parse_args()
    good = True
    for name in ["rdflib", "oxigraph"] if options.peer == "both" else [options.peer]:
        try:
            good &= compare_with(PROFILES[name], options)
        except Absent as reason:
            print(f"skipped: {reason}")
            if options.peer != "both":
                return SKIPPED
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
