"""What every Python peer shares: events as lines of JSON, rounds, and a digest of rows in any order.

A peer is called `PEER load DATA PLACE` or `PEER query PLACE ROUNDS LIMIT_SECONDS QUERY...`. It prints `open` (or
`loaded`) once, then for each query a `run` for every round and one `answer`, or `failed`. Neighbour: ../measure.py reads
these lines and ends a peer that is silent for too long.
"""

import hashlib
import json
import sys
import time
from pathlib import Path

ENOUGH_SECONDS = 20  # no further rounds of a query that took this long altogether
SHORT_SECONDS = 0.1  # and up to SHORT_ROUNDS times as many of one that did not take this long
SHORT_ROUNDS = 20


def event(kind, **members):
    print(json.dumps({"event": kind, **members}), flush=True)


class Digest:
    """Rows and a sum over them that is the same in any order."""

    def __init__(self):
        self.rows = 0
        self.total = 0

    def add(self, terms):
        """`terms`: N-Triples of each column, "" where unbound."""
        self.rows += 1
        self.total += int.from_bytes(hashlib.md5("\t".join(terms).encode()).digest()[:8], "big")

    def members(self):
        return {"rows": self.rows, "digest": f"{self.total % (1 << 64):016x}"}


def run_queries(arguments, run, digest, too_long=()):
    """`arguments`: ROUNDS LIMIT_SECONDS QUERY...; `run(text)` takes all rows and is timed, `digest(text)` is not.

    `too_long`: exceptions by which a run says that it was given up.
    """
    rounds = int(arguments[0])
    for path in map(Path, arguments[2:]):
        text = path.read_text(encoding="utf-8")
        try:
            total = 0
            for done in range(rounds * SHORT_ROUNDS):
                if total > (ENOUGH_SECONDS if done < rounds else SHORT_SECONDS):
                    break
                started = time.perf_counter()
                own_seconds = run(text)
                seconds = own_seconds if own_seconds is not None else time.perf_counter() - started
                event("run", query=path.stem, seconds=seconds)
                total += seconds
            event("answer", query=path.stem, **digest(text).members())
        except too_long:
            event("failed", query=path.stem, message="timeout")
        except Exception as error:  # of whatever kind the peer throws: the next query may work
            event("failed", query=path.stem, message=str(error).strip().splitlines()[0][:200])


def usage(text):
    sys.exit(f"usage: {text}")
