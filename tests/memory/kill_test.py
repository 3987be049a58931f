#!/usr/bin/env python3
"""Kills writers of a memory bank at any moment: kill_test.py MEMORY_WRITER [ROUNDS]

In each round four processes with three threads each add items to one bank, and are killed with SIGKILL, at once or one
after the other; in some, four more follow at once and meet the same end. Every fourth round begins with a bank whose
index is about to make one long span of 32 short ones, so that some are killed while they do.

Then the bank must open by itself, without a warning, and have every item that was acknowledged, by id and by search;
the numbers of its index must be those of its items, and another SQLite must find the file whole.
"""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

PROCESSES = 4
THREADS = 3
SECONDS_MAX = int(os.environ.get("KILL_TEST_SECONDS", 240))
SPAN, SPANS = 1024, 32
BEFORE_MERGE = 2000  # items


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


class Bank:
    """A file, and the titles that were acknowledged."""

    def __init__(self, program, folder):
        self.program = program
        self.path = folder / "bank.db"
        self.titles = set()
        folder.mkdir()

    def call(self, *words, text=""):
        return subprocess.run([self.program, self.path, *words], input=text, capture_output=True, text=True, check=False)

    def fill(self, count):
        done = self.call("fill", str(count))
        assert done.returncode == 0, done.stderr

    def copy_of(self, other):
        for part in other.path.parent.iterdir():
            shutil.copy(part, self.path.parent)

    def was_left_writing(self):
        return Path(f"{self.path}.lock").read_text() == "w"

    def check(self):
        done = self.call("check", text="".join(f"{title}\n" for title in sorted(self.titles)))
        assert done.returncode == 0, done.stderr
        damaged = [part.name for part in self.path.parent.iterdir() if "damaged" in part.name]
        assert not damaged, f"a bank was set aside: {damaged}"

    def spans(self):
        """How many short and long ones there are, after another SQLite found it whole."""
        whole = sqlite3.connect(self.path)
        try:
            answer = whole.execute("PRAGMA integrity_check").fetchall()
            assert answer == [("ok",)], answer
            return whole.execute("SELECT count(*) FILTER (WHERE is_short), count(*) FILTER (WHERE NOT is_short) "
                                 "FROM span").fetchone()
        finally:
            whole.close()


def run_volley(name, program, bank, chance, is_early):
    writers = [Writer(program, bank.path, f"{name}p{process}") for process in range(PROCESSES)]
    try:
        deadline = time.monotonic() + 60
        if not is_early:
            # Not all of them need to have had their turn.
            for one in writers[:2]:
                one.wait_for_items(deadline)
        time.sleep(chance.uniform(0, 0.5))
        for one in writers:
            one.kill()
            time.sleep(chance.choice([0, 0, chance.uniform(0, 0.03)]))
    finally:
        for one in writers:
            one.kill()
    assert not any(one.failure() for one in writers), [one.failure() for one in writers]
    bank.titles |= set().union(*(one.acknowledged() for one in writers))


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(os.environ.get("KILL_TEST_SEED", time.time_ns() % 1_000_000))
    chance = random.Random(seed)
    started = time.monotonic()
    count = Counter()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        large = Bank(program, folder / "large")
        large.fill(SPAN * SPANS - BEFORE_MERGE)
        bank = Bank(program, folder / "0")
        for number in range(rounds):
            if time.monotonic() - started > SECONDS_MAX:
                sys.exit(f"only {number} rounds in {SECONDS_MAX} s")
            is_before_merge = number % 4 == 3
            if is_before_merge:
                shutil.rmtree(bank.path.parent)
                bank = Bank(program, folder / str(number))
                bank.copy_of(large)
                bank.fill(BEFORE_MERGE - chance.randint(1, 600))
            before = len(bank.titles)
            spans = (0, 0) if number == 0 else bank.spans()
            try:
                for volley in range(chance.choice([1, 1, 2])):
                    run_volley(f"r{number}v{volley}", program, bank, chance, is_before_merge and chance.random() < 0.5)
                    count["killed while writing"] += bank.was_left_writing()
                bank.check()
                later = bank.spans()
            except AssertionError as failed:
                sys.exit(f"round {number}, seed {seed}: {failed}")
            count["items acknowledged"] += len(bank.titles) - before
            count["rounds with spans settled"] += later != spans
            count["rounds with spans merged"] += later[1] > spans[1]
    told = ", ".join(f"{number} {what}" for what, number in sorted(count.items()))
    print(f"{rounds} rounds, none lost, {rounds} times whole: {told} (seed {seed}, {time.monotonic() - started:.0f} s)")


if __name__ == "__main__":
    main()
