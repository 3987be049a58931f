#!/usr/bin/env python3
"""Endpoints, graphs and prefixes that the tools find in real examples, beside counts of another hand.

compare_counts.py HELVE [FOLDER]: FOLDER is $HELVE_SHARED/data/sib-examples/examples unless it is given. Exit status 77:
there are no examples, or no rdflib. Neighbour: count_examples.py.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from test_data import missing, shared_path  # noqa: E402

EXAMPLES = "data/sib-examples/examples"
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that sees python3-rdflib
SKIPPED = 77

try:
    from count_examples import count, same_endpoint
except ImportError:
    if os.path.exists(DEBIAN_PYTHON) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN_PYTHON):
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
    print("skipped: python3-rdflib is not installed")
    sys.exit(SKIPPED)


class Tools:
    def __init__(self, program, session):
        self.command = [program, "call", "--session", session, "--json"]

    def call(self, tool, **arguments):
        given = [f"{key}={value}" for key, value in arguments.items()]
        done = subprocess.run([*self.command, tool, *given], capture_output=True, text=True, timeout=120, check=False)
        reply = json.loads(done.stdout)
        if "error" in reply:
            raise AssertionError(f"{tool}: {reply['error']}")
        return reply

    def whole_text(self, key):
        text, start = "", 0
        while True:
            part = self.call("ctx_slice", key=key, start=start, end=-1, max_chars=20000)
            text += part["text"]
            start = part["end"]
            if not part["has_more"]:
                return text


def check(what, ours, theirs):
    if ours == theirs:
        return 0
    print(f"DIFFERENT {what}:\n  tools: {ours}\n  count: {theirs}")
    return 1


def compare(tools, folder):
    theirs = count(folder)
    found = tools.call("federated_endpoints", path=folder, max_chars=20000)
    lines = [json.loads(line) for line in tools.whole_text(found["key"]).splitlines()]
    endpoints = [line for line in lines if line["kind"] == "endpoint"]
    wrong = 0
    for figure in ("files", "queries", "forms", "federated_queries"):
        wrong += check(figure, found[figure], theirs[figure])
    wrong += check("broken files, queries that cannot be parsed",
                   (found["broken_files"], found["unparsed_queries"]), (0, 0))
    wrong += check("endpoints", found["endpoints"], len(set(theirs["targeted"]) | set(theirs["asked"])))
    wrong += check("examples by target",
                   {same_endpoint(one["url"]): one["example_count"] for one in endpoints if one["example_count"]},
                   theirs["targeted"])
    wrong += check("examples by endpoint that they ask",
                   {same_endpoint(one["url"]): one["federated_count"] for one in endpoints if one["federated_count"]},
                   theirs["asked"])
    graphs = {line["graph"]: line for line in lines if line["kind"] == "graph"}
    wrong += check("graphs", {name: one["example_count"] for name, one in graphs.items()}, theirs["graphs"])
    wrong += check("endpoints of graphs",
                   {name: sorted(map(same_endpoint, one["endpoints"])) for name, one in graphs.items()},
                   theirs["owners"])
    wrong += check("prefixes", sorted((line["prefix"], line["iri"]) for line in lines if line["kind"] == "prefix"),
                   theirs["prefixes"])
    wrong += compare_lists(tools, found, theirs)
    print(f"{theirs['files']} files, {theirs['queries']} queries {theirs['forms']}, "
          f"{theirs['federated_queries']} federated, {len(theirs['targeted'])} endpoints with examples, "
          f"{len(set(theirs['asked']) - set(theirs['targeted']))} more that are asked, {len(theirs['graphs'])} graphs, "
          f"{len(theirs['prefixes'])} prefixes")
    return wrong


def compare_lists(tools, found, theirs):
    """What the tools show of it."""
    key = found["key"]
    shown = tools.call("endpoints_list", ref=key, limit=50, max_chars=20000)
    wrong = check("primary", {same_endpoint(one["url"]): one["example_count"] for one in shown["primary"]},
                  theirs["targeted"])
    wrong += check("federated", {same_endpoint(one["url"]): one["example_count"] for one in shown["federated"]},
                   {url: n for url, n in theirs["asked"].items() if url not in theirs["targeted"]})
    graphs = tools.call("data_graphs", ref=key, limit=50, max_chars=20000)
    wrong += check("data_graphs", {one["graph"]: one["example_count"] for one in graphs["graphs"]}, theirs["graphs"])
    return wrong


def main():
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else shared_path(EXAMPLES)
    if folder is None:
        print(f"skipped: {missing(EXAMPLES)}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as session:
        wrong = compare(Tools(sys.argv[1], session), folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
