#!/usr/bin/env python3
"""How cost grows with size: scale.py [options] HELVE

Loads the generated graph at several sizes under one memory budget, in a process of its own each time, opens each index and
answers all queries cold (the first of a process, the index dropped from the page cache where that is allowed) and warm
(best of some rounds), and verifies the index. Prints Markdown, keeps JSON in the work folder and draws cost against size
as one SVG. Fails where answers differ: cold and warm, or from those that run.py kept of the same graph, of any engine.
Neighbours: run.py compares with other engines at sizes that they can take, gen.py makes the graph.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from math import log10
from pathlib import Path
from statistics import median

import report
from engines import HERE
from measure import tell
from run import choose_queries, make_data


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helve", help="the program to measure")
    parser.add_argument("--triples", type=int, nargs="+", default=[1_000_000, 10_000_000, 100_000_000])
    parser.add_argument("--memory", default="4G", help="budget of a load (4G)")
    parser.add_argument("--rounds", type=int, default=3, help="warm runs of each query (3)")
    parser.add_argument("--limit", type=int, default=120, help="seconds after which a query is given up (120)")
    parser.add_argument("--queries", default="*", help="which of queries/, as patterns separated by commas (all)")
    parser.add_argument("--work", type=Path, default=HERE.parent / "build/bench", help="folder of graphs and indexes (build/bench)")
    parser.add_argument("--svg", type=Path, help="where the picture goes (WORK/scale.svg)")
    options = parser.parse_args()
    options.work = options.work.resolve()
    return options


class Watch:
    """The largest anonymous and whole resident memory of a process, looked at twenty times a second."""

    def __init__(self, pid):
        self.anonymous = self.whole = 0
        self._path = Path(f"/proc/{pid}/status")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self):
        while not self._ended.wait(0.05):
            try:
                lines = self._path.read_text().splitlines()
            except OSError:
                return
            sizes = {line.split(":")[0]: line.split() for line in lines if line.startswith(("RssAnon", "VmRSS"))}
            self.anonymous = max(self.anonymous, int(sizes["RssAnon"][1]) if "RssAnon" in sizes else 0)
            self.whole = max(self.whole, int(sizes["VmRSS"][1]) if "VmRSS" in sizes else 0)

    def end(self):
        self._ended.set()
        self._thread.join()


def load(options, data, folder):
    shutil.rmtree(folder, ignore_errors=True)
    command = [options.helve, "--quiet", "--memory", options.memory, "load", "--json", data, "-o", folder]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    watch = Watch(process.pid)
    output = process.communicate()[0]
    watch.end()
    if process.returncode != 0:
        raise SystemExit(f"scale: the load of {data} failed")
    report = json.loads(output)
    report["peak_anonymous_mib"] = watch.anonymous / 1024
    report["peak_resident_mib"] = watch.whole / 1024
    report["index_bytes"] = (folder / "helve-index").stat().st_size
    names = folder / "helve-names"
    report["names_bytes"] = names.stat().st_size if names.exists() else 0
    return report


def drop_from_cache(folder):
    for path in folder.iterdir():
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def ask(options, folder, query, rounds):
    """Seconds of each round within one process, of opening, and the answer; None where it was given up."""
    command = [options.helve, "bench-query", folder, str(rounds), query]
    try:
        output = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=options.limit * (rounds + 2),
                                check=True).stdout
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    events = [json.loads(line) for line in output.splitlines() if line.startswith(b"{")]
    seconds = [event["seconds"] for event in events if event["event"] == "run"]
    opened = next(event["seconds"] for event in events if event["event"] == "open")
    answer = next(event for event in events if event["event"] == "answer")
    return {"seconds": seconds, "open": opened, "rows": answer["rows"], "digest": answer["digest"]}


def measure_query(options, folder, query):
    drop_from_cache(folder)
    cold = ask(options, folder, query, 1)
    warm = ask(options, folder, query, options.rounds)
    answer = warm or cold or {"rows": None, "digest": None}
    return {
        "cold": cold["seconds"][0] if cold else None,
        "warm": min(warm["seconds"]) if warm else None,
        "open_cold": cold["open"] if cold else None,
        "open": warm["open"] if warm else None,
        "rows": answer["rows"],
        "digest": answer["digest"],
        "cold_answer": {"rows": cold["rows"], "digest": cold["digest"]} if cold else None,
    }


def verify(options, folder):
    """Seconds that it takes to read and check all of the index."""
    started = time.perf_counter()
    if subprocess.run([options.helve, "--quiet", "index", "verify", folder], stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
        raise SystemExit(f"scale: {folder} does not verify")
    return time.perf_counter() - started


def measure(options, triples):
    data = make_data(options.work, triples)
    folder = options.work / f"scale-{triples}.helve"
    tell(f"{triples:,} triples: loading")
    result = {"triples": triples, "data_bytes": data.stat().st_size, "load": load(options, data, folder)}
    result["queries"] = {query.stem: measure_query(options, folder, query) for query in choose_queries(options.queries)}
    tell(f"{triples:,} triples: verifying")
    result["verify_seconds"] = verify(options, folder)
    return result


def kept_answers(work, result):
    """The engines of run.py's newest results of this graph, by name; none where it never ran at this size."""
    for path in sorted((work / "results").glob(f"{result['triples']}-*.json"), reverse=True):
        kept = json.loads(path.read_text())
        if kept["data_bytes"] == result["data_bytes"]:  # another recipe makes another graph
            return {f"{name} in {path.name}": engine for name, engine in kept["engines"].items()}
    return {}


def differences(work, result):
    """Lines on queries whose answers are not always the same."""
    cold = {name: one["cold_answer"] for name, one in result["queries"].items() if one["cold_answer"]}
    engines = {"warm": result, "cold": {"queries": cold}, **kept_answers(work, result)}
    compared = ", ".join(engines)
    tell(f"{result['triples']:,} triples: answers compared: {compared}")
    return [f"{result['triples']:,} triples, {line}" for line in report.differences({"engines": engines})]


def shown(seconds):
    if seconds is None:
        return "given up"
    milliseconds = seconds * 1000
    return f"{milliseconds:,.3f}" if milliseconds < 1 else f"{milliseconds:,.1f}" if milliseconds < 100 else f"{milliseconds:,.0f}"


def print_tables(results, memory):
    print("| triples | load s | triples/s | bytes per triple | names, bytes per triple | peak MiB, anonymous | peak MiB, resident | budget |")
    print("|---:|---:|---:|---:|---:|---:|---:|---|")
    for one in results:
        report = one["load"]
        count = report["triples"]
        print(f"| {count:,} | {report['seconds']:,.1f} | {count / report['seconds']:,.0f} | {report['index_bytes'] / count:.1f} "
              f"| {report['names_bytes'] / count:.1f} | {report['peak_anonymous_mib']:,.0f} | {report['peak_resident_mib']:,.0f} | {memory} |")
    print("\n| triples | open ms, cold: median | highest | open ms, warm: best | verified in s |")
    print("|---:|---:|---:|---:|---:|")
    for one in results:
        cold = [query["open_cold"] for query in one["queries"].values() if query["open_cold"] is not None]
        warm = [query["open"] for query in one["queries"].values() if query["open"] is not None]
        print(f"| {one['triples']:,} | {shown(median(cold) if cold else None)} | {shown(max(cold, default=None))} "
              f"| {shown(min(warm, default=None))} | {one['verify_seconds']:,.1f} |")
    print()
    print("| query | " + " | ".join(f"{one['triples']:,} cold | warm" for one in results) + " |")
    print("|---|" + "---:|---:|" * len(results))
    for name in results[0]["queries"]:
        cells = [f"{shown(one['queries'][name]['cold'])} | {shown(one['queries'][name]['warm'])}" for one in results]
        print(f"| {name} | " + " | ".join(cells) + " |")


def draw(results, path):
    """Warm milliseconds against triples, both by powers of ten, a line for each query."""
    width, height, left, bottom = 900, 620, 60, 50
    sizes = [one["triples"] for one in results]
    first, last = log10(sizes[0]), max(log10(sizes[-1]), log10(sizes[0]) + 0.1)
    low, high = -2, 5

    def x(triples):
        return left + (log10(triples) - first) / (last - first) * (width - left - 180)

    def y(seconds):
        return height - bottom - (min(max(log10(max(seconds * 1000, 0.01)), low), high) - low) / (high - low) * (height - bottom - 20)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(low, high + 1):
        at = y(10.0 ** power / 1000)
        parts.append(f'<line x1="{left}" x2="{width - 180}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0 ** power:g} ms</text>')
    for size in sizes:
        parts.append(f'<text x="{x(size):.1f}" y="{height - bottom + 20}" text-anchor="middle">{size:,}</text>')
    labels = []
    for number, name in enumerate(results[0]["queries"]):
        points = [(x(one["triples"]), y(one["queries"][name]["warm"])) for one in results if one["queries"][name]["warm"] is not None]
        if not points:
            continue
        colour = f"hsl({number * 47 % 360},65%,42%)"
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"/>' for a, b in points]
        labels.append((points[-1], colour, name))
    at = 0.0
    for (x_end, y_end), colour, name in sorted(labels, key=lambda label: label[0][1]):
        at = max(y_end + 4, at + 11)  # none over another
        parts.append(f'<line x1="{x_end + 3:.1f}" y1="{y_end:.1f}" x2="{width - 150}" y2="{at - 4:.1f}" stroke="{colour}" stroke-width="0.5"/>'
                     f'<text x="{width - 146}" y="{at:.1f}" fill="{colour}">{name}</text>')
    parts.append("</svg>")
    path.write_text("\n".join(parts) + "\n")


def main():
    options = parse_options()
    results = []
    wrong = []
    for triples in options.triples:
        started = time.perf_counter()
        results.append(measure(options, triples))
        wrong += differences(options.work, results[-1])
        tell(f"{triples:,} triples measured in {time.perf_counter() - started:,.0f} s")
        (options.work / "scale.json").write_text(json.dumps(results, indent=1) + "\n")
    print_tables(results, options.memory)
    draw(results, options.svg or options.work / "scale.svg")
    for line in wrong:
        tell(f"answers differ: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
