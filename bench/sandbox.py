#!/usr/bin/env python3
"""What the sandbox takes beside a bare Python process that speaks JSON lines: sandbox.py COST

COST is the program helve_sandbox_cost (`make bench-sandbox` builds it); it measures both in turns. Prints Markdown. Neighbours: sandbox_cost.cc,
peers/bare_guest.py.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from run import machine  # noqa: E402

PYTHON = "/usr/bin/python3"  # the same for both, not the one of a version manager
RUN_S = 1800
ROWS = (
    ("start, cold", "start helve", "start bare"),
    ("start from the pool", "pool helve", "start bare"),
    ("start and first result, with a tool call", "result helve", "result bare"),
    ("the same from the pool", "pool result helve", "result bare"),
    ("block", "block helve", "block bare"),
    ("10 MB variable in", "set helve", "set bare"),
    ("10 MB variable out", "get helve", "get bare"),
)


def row(name, times, helve, bare):
    ours, theirs = times[helve], times[bare]
    return (f"| {name} | {ours['p50']:.3f} | {ours['p99']:.3f} | {theirs['p50']:.3f} | {theirs['p99']:.3f} | "
            f"{ours['p50'] / theirs['p50']:.2f} | {ours['count']:,} |")


def call_row(times):
    """Of 10,000 calls, measured by the code that makes them; the median of three such runs."""
    ours = {"p50": times["call p50 helve"]["p50"], "p99": times["call p99 helve"]["p50"], "count": 10_000}
    theirs = {"p50": times["call p50 bare"]["p50"], "p99": times["call p99 bare"]["p50"]}
    return row("tool call, there and back", {"o": ours, "t": theirs}, "o", "t")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ran = subprocess.run([sys.argv[1], str(HERE / "peers" / "bare_guest.py"), PYTHON], stdout=subprocess.PIPE, timeout=RUN_S, check=True)
    times = json.loads(ran.stdout)
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, {here['system']}; load average {os.getloadavg()[0]:.1f}. Milliseconds.\n")
    print("| | sandbox p50 | p99 | bare p50 | p99 | ratio of p50 | of |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, helve, bare in ROWS:
        print(row(name, times, helve, bare))
    print(call_row(times))
    floor = times["nothing bare"]
    print(f"\n`{PYTHON} -I -S -c pass`, which only comes and goes: p50 {floor['p50']:.1f}, p99 {floor['p99']:.1f}.")


if __name__ == "__main__":
    main()
