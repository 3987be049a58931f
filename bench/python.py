#!/usr/bin/env python3
"""The Python package beside rdflib and pyoxigraph, and its sandbox beside DSPy's interpreters:
python.py [--triples N] [--rounds N] [--only queries,calls,sandbox]

Runs in a virtual environment that has helve and what bench/requirements-python.txt names (`make bench-python`
makes it). Engines take turns, query by query, each in a process of its own; a query that takes longer than
--seconds ends its engine, which is started again for the next one. Prints Markdown.
"""

import argparse
import json
import os
import select
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from run import machine, make_data  # noqa: E402

ENGINES = ("helve", "pyoxigraph", "rdflib")
LOAD_SECONDS_MAX = 1800


class Worker:
    """An engine in a process of its own, which is started again after a query that took too long."""

    def __init__(self, name, data):
        self.name, self.data, self.loads = name, data, []
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, HERE / "peers/python_engine.py", self.name, str(self.data)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        told = self.read(LOAD_SECONDS_MAX)
        if told is None:
            sys.exit(f"{self.name} did not load {self.data}")
        self.loads.append(told["load"])
        self.triples = told["triples"]

    def read(self, seconds):
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def run(self, text, seconds):
        self.process.stdin.write(json.dumps({"query": text}) + "\n")
        self.process.stdin.flush()
        told = self.read(seconds)
        if told is None:
            self.stop()
            self.start()
        return told

    def stop(self):
        self.process.kill()
        self.process.wait()


def milliseconds(told):
    return "over the limit" if told is None else f"{told * 1e3:,.2f}"


def compare_engines(options):
    data = make_data(options.work, options.triples)
    workers = {}
    for round_ in range(options.rounds):  # loads take turns too
        for name in ENGINES:
            if name in workers:
                workers[name].stop()
                workers[name].start()
            else:
                workers[name] = Worker(name, data)
    loads = {name: statistics.median(worker.loads) for name, worker in workers.items()}
    print(f"\n{workers['helve'].triples:,} triples of bench/gen.py; medians of {options.rounds} rounds, "
          "load from N-Triples into memory.\n")
    print("| | helve ms | pyoxigraph ms | rdflib ms | pyoxigraph / helve | rdflib / helve | rows |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    print(row("load", loads, {}))
    ratios = {name: [] for name in ENGINES[1:]}
    for path in sorted((HERE / "queries").glob("[0-9][0-9]-*.rq"))[:14]:
        times, rows = run_query(path.read_text(), workers, options)
        for name in ratios:
            if times[name] is not None and times["helve"]:
                ratios[name].append(times[name] / times["helve"])
        print(row(path.stem, times, rows), flush=True)
    for name, values in ratios.items():
        if values:
            print(f"\n{name}: geometric mean of {len(values)} ratios {statistics.geometric_mean(values):,.1f}")
    for worker in workers.values():
        worker.stop()


def run_query(text, workers, options):
    times, rows = {name: [] for name in workers}, {}
    for round_ in range(options.rounds):
        for name, worker in workers.items():
            if times[name] is None:
                continue
            told = worker.run(text, options.seconds)
            if told is None or "error" in told:
                if told:
                    print(f"{name}: {told['error']}", file=sys.stderr)
                times[name] = None
                continue
            times[name].append(told["seconds"])
            rows[name] = told["rows"]
    return {name: statistics.median(values) if values else None for name, values in times.items()}, rows


def row(label, times, rows):
    cells = [milliseconds(times[name]) for name in ENGINES]
    for name in ENGINES[1:]:
        both = times[name] is not None and times["helve"]
        cells.append(f"{times[name] / times['helve']:,.1f}" if both else "")
    counts = sorted(set(rows.values()))
    return f"| {label} | {' | '.join(cells)} | {' and '.join(f'{count:,}' for count in counts)} |"


def measure(work, count):
    """Seconds of each of `count` calls, sorted."""
    times = []
    for _ in range(count):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return sorted(times)


def calls(options):
    import helve

    print("\nA call of a tool from Python, microseconds. Inside is what the library itself says it took; the rest is "
          "Python's arguments and values.\n")
    print("| call | p50 | p99 | inside, p50 | around it, p50 |")
    print("|---|---:|---:|---:|---:|")
    with helve.open("sample:") as session:
        handle = session.query("SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 1000")
        for label, call in (
            ("endpoint_info()", session.endpoint_info),
            ("sparql_count(class)", lambda: session.sparql_count("sol:TerrestrialPlanet")),
            ("sparql_query(SELECT, 4 rows)", lambda: session.sparql_query(
                "SELECT ?p ?m { ?p a sol:TerrestrialPlanet ; sol:mass ?m }")),
            ("sparql_slice(handle, limit=10)", lambda: session.sparql_slice(handle, limit=10)),
        ):
            inside, around = [], []
            for _ in range(options.calls):
                started = time.perf_counter()
                reply = call()
                seconds = time.perf_counter() - started
                inside.append(reply.ms / 1e3)
                around.append(seconds - reply.ms / 1e3)
            whole = sorted(a + b for a, b in zip(inside, around))
            print(f"| {label} | {whole[len(whole) // 2] * 1e6:,.0f} | {whole[len(whole) * 99 // 100] * 1e6:,.0f} | "
                  f"{statistics.median(inside) * 1e6:,.0f} | {statistics.median(around) * 1e6:,.0f} |")
        times = measure(lambda: handle.rows(), 20)
        print(f"\nhandle.rows(): {len(handle) / times[len(times) // 2]:,.0f} rows of three columns a second, as dicts")


def deno_command():
    """DSPy's default interpreter as it is run, with the one module that may not be fetched put in its place."""
    import dspy.primitives

    deno = shutil.which("deno")
    if deno is None:
        return None
    runner = Path(dspy.primitives.__file__).with_name("runner.js")
    command = [deno, "run", "--no-config", "--no-lock", f"--import-map={HERE / 'peers/deno_imports.json'}",
               "--allow-read", str(runner)]
    cached = subprocess.run([deno, "cache", f"--import-map={HERE / 'peers/deno_imports.json'}", str(runner)],
                            capture_output=True, timeout=300, check=False)
    return command if cached.returncode == 0 else None


def sandboxes(options):
    import dspy

    from helve.dspy import Interpreter

    makers = {"helve.dspy.Interpreter": lambda: Interpreter(tools={"add": add}),
              "dspy.LocalInterpreter (no sandbox)": lambda: dspy.LocalInterpreter(tools={"add": add})}
    command = deno_command()
    if command is None:
        print("\ndspy.PythonInterpreter (Deno and Pyodide) cannot be started here: left out")
    else:
        makers["dspy.PythonInterpreter (Deno)"] = lambda: dspy.PythonInterpreter(deno_command=command,
                                                                                 tools={"add": add})
    print("\n| interpreter | start and first block, ms | block, ms | tool call, there and back, ms |")
    print("|---|---:|---:|---:|")
    found = {name: ([], [], []) for name in makers}
    for _ in range(options.starts):
        for name, make in makers.items():
            for times, value in zip(found[name], one_session(make)):
                times.append(value)
    for name, columns in found.items():
        print(f"| {name} | {' | '.join(f'{statistics.median(times) * 1e3:,.2f}' for times in columns)} |")
    ours = statistics.median(found["helve.dspy.Interpreter"][0])
    for name, columns in list(found.items())[1:]:
        print(f"\nStart: {name} takes {statistics.median(columns[0]) / ours:,.1f} times as long as ours")


def one_session(make):
    started = time.perf_counter()
    interpreter = make()
    interpreter.execute("x = 1")
    first = time.perf_counter() - started
    try:
        block = statistics.median(measure(lambda: interpreter.execute("x = x + 1"), 20))
        started = time.perf_counter()
        interpreter.execute("for i in range(100): add(a=i, b=1)")
        return first, block, (time.perf_counter() - started) / 100
    finally:
        interpreter.shutdown()


def add(a: int, b: int) -> int:
    return a + b


PARTS = {"queries": compare_engines, "calls": calls, "sandbox": sandboxes}  # queries begin with the loads


def chosen_parts(text):
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"there is no part {name!r}; there are {', '.join(PARTS)}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--triples", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--only", type=chosen_parts, default=list(PARTS), metavar="PART,...",
                        help=f"parts to run, of {', '.join(PARTS)}; default: all")
    parser.add_argument("--work", type=Path, default=HERE.parent / "build/bench")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, {here['system']}, load average {os.getloadavg()[0]:.1f}, "
          f"Python {sys.version.split()[0]}")
    for name in options.only:
        PARTS[name](options)


if __name__ == "__main__":
    main()
