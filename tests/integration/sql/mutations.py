#!/usr/bin/env python3
"""Attacks that nobody wrote: entries of the corpora, cut, spliced and strewn with fragments, over a connection that may do everything.

mutations.py HELVE [--engine E]... [--count N] [--seed N]. Nothing may change, break or be late. Neighbours: attacks.py,
attack_targets.py.
"""

import argparse
import json
import random
import re

from attack_targets import ROWS, TARGETS, plain, wait_idle
from attacks import default_corpora, may_run_long, sql_of
from databases import ENGINES, Missing, Place, skip_or_fail
from product import Product, Report, is_in_time

DEADLINE_S = 2
LOOK_EVERY = 250
LENGTH_MAX = 400
FRAGMENTS = [
    "DELETE FROM t", "; DROP TABLE t", "COMMIT", "CALL pw()", "fw()", "data.wipe()", "pg_advisory_lock(1)", "nextval('data.sq')",
    "lo_create(0)", "set_config('a.b', 'c', false)", "GET_LOCK('a', 1)", "PRAGMA user_version = 7", "ATTACH '/srv/scratch/q' AS q",
    "INTO OUTFILE '/srv/scratch/z'", "INTO @a", "@x := 1", "FOR UPDATE", "RETURNING id", "WITH d AS (DELETE FROM t RETURNING *) ",
    "EXPLAIN ", "ANALYZE ", "SELECT ", " UNION ", "pragma_", "--", "/*", "*/", "/*!", "#", "'", '"', "`", "\\", "$$", "E'", "U&'", "x'",
    "(", ")", "[", "]", ".", "::", "\n", "\t",
]


def mutated(sql, others, dice):
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(sql))
        kind = dice.random()
        if kind < 0.4:
            sql = sql[:at] + dice.choice(FRAGMENTS) + sql[at:]
        elif kind < 0.6:
            sql = sql[:at] + sql[dice.randint(at, min(len(sql), at + 12)):]
        elif kind < 0.8:
            other = dice.choice(others)
            sql = sql[:at] + other[dice.randint(0, len(other)):]
        else:
            end = dice.randint(at, min(len(sql), at + 30))
            sql = sql[:end] + sql[at:]
    return sql


def statements(engine):
    entries = [entry for path in default_corpora() for entry in json.loads(path.read_text())]
    chosen = [entry for entry in entries if entry["engine"] in (engine, "any") and "sql" in entry and not may_run_long(entry)]
    # Half a character cannot be sent.
    return [sql for sql in (entry["sql"] for entry in chosen) if len(sql) < LENGTH_MAX and not re.search("[\ud800-\udfff]", sql)]


def run_engine(report, options, engine, place):
    dice = random.Random(options.seed)
    with TARGETS[engine](place, is_owner=True) as target, Product(options.helve, [(engine, target.uri())]) as product:
        sources = statements(engine)
        state = target.state()
        answered = 0
        for number in range(1, options.count + 1):
            sql = mutated(dice.choice(sources), sources, dice)
            reply = product.execute(sql_of({"sql": sql}, target.scratch), timeout=DEADLINE_S)
            answered += reply.error is None
            is_whole = reply.code not in ("internal", "unavailable", "protocol")
            report.check(is_whole, f"{engine}, statement {number} broke the call", f"{reply.short()}; {sql!r}")
            report.check(is_in_time(reply, DEADLINE_S), f"{engine}, statement {number} was late", f"{reply.took_s:.3f} s; {sql!r}")
            if number % LOOK_EVERY == 0 or number == options.count:
                busy = wait_idle(target)
                report.check(not busy and target.check_canary(), f"{engine}, up to statement {number}: other sessions", busy)
                report.check(target.state() == state, f"{engine}, up to statement {number}: the database CHANGED")
        reply = product.execute(plain())
        report.check(reply.error is None and reply.preview[0][0] == str(ROWS), f"{engine}: a plain query at the end", reply.short())
        print(f"{engine}: {options.count} statements, {answered} of them answered")


def main():
    parser = argparse.ArgumentParser(description="mutated attacks")
    parser.add_argument("helve")
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--count", type=int, default=2000, help="statements for each engine")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    report = Report("mutations")
    for engine in options.engine or ENGINES:
        try:
            with Place() as place:
                run_engine(report, options, engine, place)
        except Missing as missing:
            skip_or_fail(missing)
    report.end()


if __name__ == "__main__":
    main()
