#!/usr/bin/env python3
"""Kills writers of a memory bank at any moment: kill_test.py MEMORY_WRITER [ROUNDS]

In each round several processes with several threads add items to one bank, and are killed with SIGKILL, at once or one
after the other. Then the bank must open by itself, be whole, and have every item that was acknowledged, in its index too.
"""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROCESSES = 4
THREADS = 3
SECONDS_MAX = int(os.environ.get("KILL_TEST_SECONDS", 240))


class Writer:
    """A process that adds items, and what it told."""

    def __init__(self, program, bank, name, *how):
        self.told = tempfile.TemporaryFile()
        self.failed = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, bank, name, str(THREADS), *how], stdout=self.told, stderr=self.failed)

    def wait_for_items(self, deadline):
        while os.fstat(self.told.fileno()).st_size == 0:
            assert self.process.poll() is None, self.failure()
            assert time.monotonic() < deadline, "no item was acknowledged"
            time.sleep(0.002)

    def failure(self):
        self.failed.seek(0)
        return self.failed.read().decode()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def acknowledged(self):
        self.told.seek(0)
        return set(self.told.read().decode().split("\n")[:-1])


def stored(program, bank):
    done = subprocess.run([program, bank], capture_output=True, text=True, check=False)
    titles = done.stdout.split("\n")[:-1]
    assert done.returncode == 0, done.stderr
    assert len(titles) == len(set(titles)), "an item is there twice"
    assert done.stderr == f"indexed {len(titles)}\n", done.stderr
    return set(titles)


def run_round(number, program, bank, chance):
    writers = [Writer(program, bank, f"r{number}p{process}") for process in range(PROCESSES)]
    try:
        deadline = time.monotonic() + 60
        # Not all of them need to have had their turn.
        for one in writers[:2]:
            one.wait_for_items(deadline)
        time.sleep(chance.uniform(0, 0.05))
        for one in writers:
            one.kill()
            time.sleep(chance.choice([0, 0, chance.uniform(0, 0.03)]))
    finally:
        for one in writers:
            one.kill()
    assert not any(one.failure() for one in writers), [one.failure() for one in writers]
    return set().union(*(one.acknowledged() for one in writers))


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(os.environ.get("KILL_TEST_SEED", time.time_ns() % 1_000_000))
    chance = random.Random(seed)
    started = time.monotonic()
    acknowledged = set()
    with tempfile.TemporaryDirectory() as folder:
        bank = Path(folder) / "bank.db"
        for number in range(rounds):
            if time.monotonic() - started > SECONDS_MAX:
                sys.exit(f"only {number} rounds in {SECONDS_MAX} s")
            acknowledged |= run_round(number, program, bank, chance)
            lost = acknowledged - stored(program, bank)
            assert not lost, f"round {number}, seed {seed}: lost {sorted(lost)[:5]} of {len(acknowledged)}"
        with sqlite3.connect(bank) as whole:
            assert whole.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the file is damaged"
        assert not list(Path(folder).glob("*damaged*")), "a bank was set aside"
    print(f"{rounds} rounds, {len(acknowledged)} acknowledged items, none lost, the bank is whole "
          f"(seed {seed}, {time.monotonic() - started:.0f} s)")


if __name__ == "__main__":
    main()
