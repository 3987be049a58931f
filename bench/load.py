#!/usr/bin/env python3
"""Compares loading an N-Triples file into a queryable store: load.py [options] HELVE

Every program runs once per round, in turn, each in a process of its own; the best round counts. Store
programs report their own seconds (start of the interpreter excluded); rapper and serdi only parse and
are timed whole. A peer that is missing is named and left out. Neighbours: gen.py makes the file.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that sees python3-rdflib


@dataclass
class Program:
    name: str
    kind: str  # "store": loads and indexes; "parse": parses only
    command: list
    reports: bool  # prints {"seconds", "triples"} itself


@dataclass
class Run:
    seconds: float
    peak_kib: int
    report: dict


def run_once(program):
    """One run with its own clock and peak memory; an error message instead when it failed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        process = subprocess.Popen(program.command, stdin=subprocess.DEVNULL,
                                   stdout=out if program.reports else subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            err.seek(0)
            lines = err.read().decode(errors="replace").strip().splitlines()
            return lines[-1] if lines else f"exit status {process.returncode}"
        report = {}
        if program.reports:
            out.seek(0)
            report = json.loads(out.read())
            seconds = report.get("seconds", seconds)
        return Run(seconds, usage.ru_maxrss, report)


def programs(helve, data):
    return [
        Program("helve", "store", [helve, "bench-load", data], True),
        Program("rdflib", "store", [DEBIAN_PYTHON, str(HERE / "peers/load_rdflib.py"), data], True),
        Program("oxigraph (wasm)", "store", ["node", str(HERE / "peers/load_oxigraph.js"), data], True),
        Program("rapper", "parse", ["rapper", "-q", "-c", "-i", "ntriples", data], False),
        Program("serdi", "parse", ["serdi", "-b", "-i", "ntriples", "-o", "ntriples", data], False),
    ]


def warm_cache(path):
    """Reads the file once, in pieces: a child's peak memory starts at what its parent holds."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def make_data(triples):
    """The generated graph of that size, made once and read into the page cache."""
    data = HERE / "data" / f"graph-{triples}.nt"
    data.parent.mkdir(exist_ok=True)
    if not data.exists():
        unfinished = data.with_suffix(".part")
        subprocess.run([sys.executable, HERE / "gen.py", str(triples), unfinished], check=True)
        unfinished.rename(data)
    warm_cache(data)
    return data


def install_oxigraph():
    if (HERE / "node_modules/oxigraph").exists() or not shutil.which("npm"):
        return
    print("bench: npm install oxigraph", file=sys.stderr)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=HERE, check=False,
                   stdin=subprocess.DEVNULL, stdout=sys.stderr)


def measure(todo, rounds):
    """Best run of each program; those that fail drop out with one line."""
    best = {}
    for number in range(rounds):
        for program in list(todo):
            missing = not shutil.which(program.command[0])
            run = f"'{program.command[0]}' is not installed" if missing else run_once(program)
            if isinstance(run, str):
                print(f"bench: {program.name} left out: {run}", file=sys.stderr)
                todo.remove(program)
                best.pop(program.name, None)
                continue
            print(f"bench: round {number + 1}: {program.name}: {run.seconds:.3f} s", file=sys.stderr)
            if program.name not in best or run.seconds < best[program.name].seconds:
                best[program.name] = run
    return best


def print_table(todo, best, triples, rounds):
    helve = best.get("helve")
    print(f"\nLoading {triples:,} triples; best of {rounds} alternating rounds; "
          f"{os.cpu_count()} cores, {platform.machine()}\n")
    print("| program | what | seconds | triples/s | peak MiB | helve is faster by |")
    print("|---|---|---:|---:|---:|---:|")
    for program in todo:
        run = best[program.name]
        label = f"{program.name} {run.report.get('version', '')}".strip()
        what = "parse and index" if program.kind == "store" else "parse only"
        ratio = f"{run.seconds / helve.seconds:.1f} x" if helve and program.name != "helve" else ""
        print(f"| {label} | {what} | {run.seconds:.3f} | {triples / run.seconds:,.0f} "
              f"| {run.peak_kib / 1024:,.0f} | {ratio} |")
    if helve:
        rest = {key: value for key, value in helve.report.items() if key not in ("seconds", "triples", "version")}
        print("\nhelve: " + json.dumps(rest))
        if "bytes_steady" in rest:
            print(f"helve: {rest['bytes_steady'] / triples:.0f} bytes of steady memory per triple")


def check_counts(best, triples):
    wrong = [f"{name} has {run.report['triples']:,}" for name, run in best.items()
             if run.report.get("triples", triples) != triples]
    if wrong:
        raise SystemExit(f"bench: expected {triples:,} triples, but {'; '.join(wrong)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helve", help="the program to measure")
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="names to run, separated by commas (default: all)")
    options = parser.parse_args()

    data = make_data(options.triples)

    install_oxigraph()
    todo = programs(os.path.abspath(options.helve), str(data))
    if options.only:
        todo = [program for program in todo if program.name.split()[0] in options.only.split(",")]
    best = measure(todo, options.rounds)
    check_counts(best, options.triples)
    print_table(todo, best, options.triples, options.rounds)
    return 0 if "helve" in best or options.only else 1


if __name__ == "__main__":
    sys.exit(main())
