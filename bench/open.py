#!/usr/bin/env python3
"""Time and peak memory of opening RDF files, and what they declare: open.py HELVE FILE_OR_FOLDER...

Each file is opened in a process of its own, a few times in turn; the best time and the highest peak
count. Neighbour: run.py compares loading with other programs.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ENDINGS = {".ttl", ".trig", ".nt", ".nq", ".rdf", ".owl", ".xml", ".gz", ".zst", ".bz2"}


def files_below(places):
    for place in map(Path, places):
        if place.is_dir():
            yield from sorted(path for path in place.rglob("*") if path.suffix in ENDINGS and path.is_file())
        else:
            yield place


def ask(helve, *arguments):
    """Seconds of the whole process and the JSON it printed; None when it failed."""
    started = time.perf_counter()
    done = subprocess.run([helve, "--quiet", *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    return (seconds, json.loads(done.stdout)) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helve")
    parser.add_argument("places", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    paths = list(files_below(options.places))
    common = os.path.commonpath([str(path.parent) for path in paths]) if paths else ""
    print("| file | format | triples | open ms | process ms | peak MiB | classes | named | properties |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for path in paths:
        runs = [ask(options.helve, "info", "--json", path) for _ in range(options.rounds)]
        if None in runs:
            print(f"open.py: {path} cannot be read", file=sys.stderr)
            continue
        report = runs[0][1]
        # The program's own account: what wait4 tells starts at the memory of this script.
        peak = max(ask(options.helve, "bench-load", path)[1]["bytes_peak"] for _ in range(options.rounds))
        declared = report["declared"]
        print(f"| {path.relative_to(common)} | {report['files'][0]['format']} | {report['triples']:,} "
              f"| {min(run[1]['execution_time_ms'] for run in runs):.1f} | {min(run[0] for run in runs) * 1000:.1f} "
              f"| {peak / (1 << 20):.1f} | {declared['classes']:,} | {declared['named_classes']:,} "
              f"| {declared['properties']:,} |")


if __name__ == "__main__":
    main()
