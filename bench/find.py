#!/usr/bin/env python3
"""How long finding names takes: find.py HELVE [--triples N] [--rounds N] [WORDS...]

Makes the graph of gen.py, loads it into an index folder and looks for common words, completions, misspelt
words and several words at once, in one process. Neighbour: run.py measures queries.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORDS = ["professor", "publication", "department", "prof", "p", "profesor", "univeristy", "department of",
         "graph databases", "publication title author", "nothing is called so"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helve")
    parser.add_argument("words", nargs="*", default=WORDS)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=HERE.parent / "build" / "bench")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    graph = options.folder / f"find-{options.triples}.nt"
    if not graph.exists():
        subprocess.run([sys.executable, HERE / "gen.py", str(options.triples), graph], check=True)
    index = options.folder / f"find-{options.triples}.helve"
    subprocess.run([options.helve, "--quiet", "load", graph, "-o", index, "--force"], check=True)
    done = subprocess.run([options.helve, "--quiet", "bench-find", index, str(options.rounds), *options.words],
                          check=True, capture_output=True, text=True)
    print("| words | hits | first ms | p50 ms | p99 ms |")
    print("|---|---:|---:|---:|---:|")
    for line in done.stdout.splitlines():
        found = json.loads(line)
        print(f"| {found['text']} | {found['hits']} | {found['first_us'] / 1000:.2f} "
              f"| {found['p50_us'] / 1000:.3f} | {found['p99_us'] / 1000:.3f} |")


if __name__ == "__main__":
    main()
