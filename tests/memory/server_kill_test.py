#!/usr/bin/env python3
"""Kills writers of a bank on a PostgreSQL server, and the server: server_kill_test.py MEMORY_WRITER [ROUNDS]

In each round several processes with several threads add items to one bank. Every other round the server is killed in
between and started again, which writers have to bear; then they are killed with SIGKILL. All that was acknowledged must
be there once, in the index too, and no two of them may have waited for each other for ever.
"""

import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration" / "sql"))
import databases
from kill_test import PROCESSES, Writer, stored

DATABASE = "postgres"
SCHEMA = "helve_memory"


class SyncedPostgres(databases.Postgres):
    """One that keeps what it has acknowledged."""

    def make(self):
        super().make()
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write("fsync = on\nfull_page_writes = on\nsynchronous_commit = off\nmax_connections = 60\n")


def wait_for_more(writer, size, deadline):
    while os.fstat(writer.told.fileno()).st_size <= size:
        assert writer.process.poll() is None, writer.failure()
        assert time.monotonic() < deadline, "nothing more was acknowledged"
        time.sleep(0.005)


def run_round(number, program, server, chance):
    bank = server.uri(DATABASE)
    writers = [Writer(program, bank, f"r{number}p{process}", "again") for process in range(PROCESSES)]
    try:
        deadline = time.monotonic() + 60
        for one in writers:
            one.wait_for_items(deadline)
        if number % 2 == 1:
            server.restart()
            # All of them find the way back.
            for one in writers:
                wait_for_more(one, os.fstat(one.told.fileno()).st_size, time.monotonic() + 60)
        time.sleep(chance.uniform(0, 0.1))
        for one in writers:
            one.kill()
            time.sleep(chance.choice([0, 0, chance.uniform(0, 0.03)]))
    finally:
        for one in writers:
            one.kill()
    assert not any(one.failure() for one in writers), [one.failure() for one in writers]
    return set().union(*(one.acknowledged() for one in writers))


CHECKS = {
    "items that are counted": f"SELECT items - (SELECT count(*) FROM {SCHEMA}.item) FROM {SCHEMA}.bank",
    "changes that are missing": f"SELECT last_change - (SELECT count(DISTINCT change) FROM {SCHEMA}.change) FROM {SCHEMA}.bank",
    "words that are counted wrongly": "SELECT count(*) FROM (SELECT term, count(*) AS c FROM "
                                      f"{SCHEMA}.posting GROUP BY term) p FULL JOIN {SCHEMA}.term t ON t.term = p.term "
                                      "WHERE p.c IS DISTINCT FROM t.items",
    "deadlocks": "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
}


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    seed = int(os.environ.get("KILL_TEST_SEED", time.time_ns() % 1_000_000))
    chance = random.Random(seed)
    started = time.monotonic()
    acknowledged = set()
    try:
        place = databases.Place("helve-bank-")
        server = SyncedPostgres(place, is_own=True)
    except databases.Missing as missing:
        databases.skip_or_fail(missing)
    with place, server:
        for number in range(rounds):
            acknowledged |= run_round(number, program, server, chance)
            lost = acknowledged - stored(program, server.uri(DATABASE))
            assert not lost, f"round {number}, seed {seed}: lost {sorted(lost)[:5]} of {len(acknowledged)}"
            for what, sql in CHECKS.items():
                found = server.client(sql, database=DATABASE).strip()
                assert found == "0", f"round {number}, seed {seed}: {what}: {found}"
            assert "deadlock" not in server.log(), server.log()[-2000:]
    print(f"{rounds} rounds, {len(acknowledged)} acknowledged items of {PROCESSES} processes, none lost, no deadlock "
          f"(seed {seed}, {time.monotonic() - started:.0f} s)")


if __name__ == "__main__":
    main()
