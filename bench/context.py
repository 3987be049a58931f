#!/usr/bin/env python3
"""What the layers L0 and L1 take, beside rdflib: context.py [options] HELVE_CONTEXT_COST

For each file, in alternating turns, helve_context_cost and peers/rdflib_context.py open it and then make facts and texts a number of
times. Helve makes the schema of the graph anew each time; its part is also shown apart, since whoever asked a tool before has it
already. Both must find the same figures. Times are the least of all rounds, for other work on the machine only adds to them. Prints
Markdown. The ontologies are read in place, in $HELVE_SHARED/data/ontologies or ../shared.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = {"Schema.org": "schemaorg/schemaorg-current-https.ttl", "UniProt core": "uniprot-core/core.ttl"}
SAME = ("triples", "classes", "named_classes", "properties", "annotation_only", "namespaces", "disjoint", "inverses",
        "cardinalities")
SIZES = {"l0": 600, "l1": 1000}

from run import machine  # noqa: E402


def ontologies():
    for folder in (os.environ.get("HELVE_SHARED"), HERE.parents[1] / "shared"):
        if folder and (Path(folder) / "data" / "ontologies").is_dir():
            return Path(folder) / "data" / "ontologies"
    sys.exit("context: no data/ontologies in HELVE_SHARED or ../shared")


def ask(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def check(name, ours, theirs):
    for key in SAME:
        if ours[key] != theirs[key]:
            sys.exit(f"context: {name}: {key} is {ours[key]} here and {theirs[key]} with rdflib")
    for layer, budget in SIZES.items():
        for one in (ours, theirs):
            if not 0 < len(one[layer]) <= budget:
                sys.exit(f"context: {name}: a {layer} of {len(one[layer])} characters")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=200, help="of Helve in a turn")
    parser.add_argument("--peer-rounds", type=int, default=5, help="of rdflib in a turn")
    parser.add_argument("--python", default=str(HERE.parent / "build" / "bench" / "python" / "bin" / "python"))
    options = parser.parse_args()
    folder = ontologies()
    peer = [options.python, str(HERE / "peers" / "rdflib_context.py")]
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, {here['system']}; load average {here['load_average']:.1f}.\n")
    print("| ontology | triples | schema ms | facts ms | texts ms | Helve ms | rdflib ms | times as fast | with the schema at hand |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, path in FILES.items():
        turns = []
        for _ in range(options.turns):
            ours = ask([options.program, str(folder / path), str(options.rounds)])
            theirs = ask([*peer, str(folder / path), str(options.peer_rounds)])
            check(name, ours, theirs)
            turns.append((ours, theirs))
        best = {key: min(ours[key] for ours, _ in turns) / 1000 for key in ("schema_us", "facts_us", "texts_us", "least_us")}
        rdflib = min(theirs["least_us"] for _, theirs in turns) / 1000
        print(f"| {name} | {turns[0][0]['triples']:,} | {best['schema_us']:.2f} | {best['facts_us']:.2f} | {best['texts_us']:.2f} "
              f"| {best['least_us']:.2f} | {rdflib:.1f} | {rdflib / best['least_us']:.0f} "
              f"| {rdflib / (best['facts_us'] + best['texts_us']):.0f} |")
    print(f"\nrdflib {turns[0][1]['version']}; the least of {options.turns} turns of {options.rounds} and {options.peer_rounds} rounds.")


if __name__ == "__main__":
    main()
