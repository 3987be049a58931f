#!/usr/bin/env python3
"""Compares Helve with every engine that is here, on one generated graph: run.py [options] HELVE

One run loads the graph into each engine and answers all queries, warm (best of some rounds in one process) and cold (the
first query of a process). All engines must give the same rows. Prints Markdown and keeps JSON in the work folder.
Neighbours: gen.py makes the graph, setup.sh installs the engines, report.py prints the tables.
"""

import argparse
import hashlib
import json
import os
import platform
import signal
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

import report
from engines import HERE, PARSERS, Helve, all_engines
from measure import OPEN_SECONDS_MAX, QueryRuns, run_process, tell


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helve", help="the program to measure")
    parser.add_argument("--triples", type=int, nargs="+", default=[1_000_000], help="sizes of the graph (default: 1,000,000)")
    parser.add_argument("--rounds", type=int, default=5, help="warm runs of each query (5)")
    parser.add_argument("--passes", type=int, default=1, help="turns through all engines; the best counts (1)")
    parser.add_argument("--load-rounds", type=int, default=1, help="loads of each engine; the best counts (1)")
    parser.add_argument("--limit", type=int, default=60, help="seconds after which a query is given up (60)")
    parser.add_argument("--only", help="engines, separated by commas, as the tables name them")
    parser.add_argument("--without", default="", help="engines to leave out, separated by commas")
    parser.add_argument("--queries", default="*", help="which of queries/, as patterns separated by commas (all)")
    parser.add_argument("--no-cold", action="store_true", help="measure no cold runs")
    parser.add_argument("--reload", action="store_true", help="load again what an earlier run loaded")
    parser.add_argument("--work", type=Path, default=HERE.parent / "build/bench", help="folder of graphs and databases (build/bench)")
    options = parser.parse_args()
    options.work = options.work.resolve()
    return options


def make_data(work, triples):
    """The generated graph of that size, made once and read into the page cache."""
    recipe = hashlib.md5((HERE / "gen.py").read_bytes()).hexdigest()[:6]
    data = work / "data" / f"graph-{triples}-{recipe}.nt"
    data.parent.mkdir(parents=True, exist_ok=True)
    if not data.exists():
        tell(f"generating {triples:,} triples")
        unfinished = data.with_suffix(".part")
        subprocess.run([sys.executable, HERE / "gen.py", str(triples), unfinished], check=True)
        unfinished.rename(data)
    with open(data, "rb", buffering=0) as file:
        while file.read(1 << 20):  # in pieces: a child's peak memory starts at what its parent holds
            pass
    return data


def choose_engines(options):
    only = options.only.split(",") if options.only else None
    chosen = []
    for engine in all_engines(options.helve, options.work):
        if (only and engine.name not in only) or engine.name in options.without.split(","):
            continue
        reason = engine.missing()
        if reason:
            tell(f"{engine.name} left out: {reason}")
        else:
            chosen.append(engine)
    return chosen


def choose_queries(patterns):
    paths = sorted({path for pattern in patterns.split(",") for path in (HERE / "queries").glob(f"{pattern}.rq")})
    if not paths:
        raise SystemExit(f"bench: no query matches '{patterns}'")
    return paths


def disk_bytes(folder):
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def load(engine, data, work, options):
    """What loading took, from this run or, without --reload, from an earlier one; a message where it failed."""
    place = engine.place(work, data)
    kept = place.with_name(place.name + ".json")
    if engine.load_command(data, place) is None:
        return {}
    if kept.exists() and place.exists() and not options.reload and not isinstance(engine, Helve):
        return {**json.loads(kept.read_text()), "is_earlier": True}
    place.parent.mkdir(parents=True, exist_ok=True)
    best = None
    for _ in range(options.load_rounds):
        result = {}
        ended = run_process(engine.load_command(data, place), result.update, lambda: OPEN_SECONDS_MAX)
        if ended.problem:
            return f"loading: {ended.problem}"
        if isinstance(engine, Helve):
            result = {"stages": json.loads(ended.other_output)}
        result = {"seconds": ended.seconds, **result, "peak_kib": ended.peak_kib, "disk_bytes": disk_bytes(place)}
        result.pop("event", None)
        best = min(best or result, result, key=lambda one: one["seconds"])
    kept.write_text(json.dumps(best))
    return best


def memory_stages(helve, data):
    """Of Helve's store in memory: its own account, stage by stage."""
    done = subprocess.run(helve.stages_command(data), capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def parse_floors(data, rounds):
    """Seconds of programs that only parse."""
    floors = {}
    for name, command in PARSERS.items():
        times = []
        for _ in range(rounds):
            started = time.perf_counter()
            try:
                subprocess.run([*command, str(data)], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
            except (OSError, subprocess.CalledProcessError):
                tell(f"{name} left out: it is not installed or fails")
                break
            times.append(time.perf_counter() - started)
        if times:
            floors[name] = min(times)
    return floors


def machine():
    def first(path, key):
        for line in Path(path).read_text().splitlines():
            if line.startswith(key):
                return line.split(":" if ":" in line else "=", 1)[1].strip().strip('"')
        return ""

    return {
        "cpu": first("/proc/cpuinfo", "model name") or platform.processor(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "memory": first("/proc/meminfo", "MemTotal"),
        "system": first("/etc/os-release", "PRETTY_NAME"),
        "load_average": os.getloadavg()[0],
    }


def compare(options, triples, engines, paths):
    """Everything of one size, as it goes into JSON."""
    data = make_data(options.work, triples)
    result = {"triples": triples, "data_bytes": data.stat().st_size, "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
              "machine": machine(), "options": {key: str(value) for key, value in vars(options).items()},
              "engines": {}, "floors": parse_floors(data, options.load_rounds)}
    runs = []
    for engine in engines:
        if triples > engine.triples_max and not options.only:
            tell(f"{engine.name} left out: {triples:,} triples are too many for it")
            continue
        tell(f"{triples:,} triples: {engine.name}: loading")
        loaded = load(engine, data, options.work, options)
        if isinstance(loaded, str):
            tell(f"{engine.name} left out: {loaded}")
            continue
        if isinstance(engine, Helve):
            loaded["memory_stages"] = memory_stages(engine, data)
        result["engines"][engine.name] = {"is_on_disk": engine.is_on_disk, "load": loaded}
        runs.append(QueryRuns(engine, engine.place(options.work, data), options.limit))
    for number in range(options.passes):
        for run in list(runs):
            measure_engine(run, paths, options, number)
            if run.problem:
                tell(f"{run.engine.name} left out: {run.problem}")
                runs.remove(run)
                del result["engines"][run.engine.name]
                continue
            result["engines"][run.engine.name].update(
                open_seconds=min(run.open_seconds), peak_kib=run.peak_kib, facts=run.facts,
                queries={name: vars(answer) for name, answer in run.answers.items()})
            keep(result, options.work)
    return result


def measure_engine(run, paths, options, number):
    tell(f"pass {number + 1}: {run.engine.name}: warm")
    run.warm(paths, options.rounds)
    if run.engine.opens_fast() and not run.problem and not options.no_cold:
        tell(f"pass {number + 1}: {run.engine.name}: cold")
        run.cold(paths)


def keep(result, work):
    """Written after each engine, so that an interrupted run leaves what it has."""
    folder = work / "results"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result['triples']}-{result['date'].replace(':', '').split('+')[0]}.json"
    measured = {name: engine for name, engine in result["engines"].items() if "queries" in engine}
    path.write_text(json.dumps({**result, "engines": measured}, indent=1))
    return path


def main():
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: terminated"))  # so that engines are ended too
    engines = choose_engines(options)
    paths = choose_queries(options.queries)
    differences = []
    for triples in options.triples:
        result = compare(options, triples, engines, paths)
        tell(f"kept as {os.path.relpath(keep(result, options.work))}")
        print(report.markdown(result), flush=True)
        differences += report.differences(result)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
