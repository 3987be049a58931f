#!/usr/bin/env python3
"""Kills writers of an audit file at any moment: kill_test.py HELVE AUDIT_WRITER [ROUNDS]

In each round two processes with several threads write to one file, and are killed with SIGKILL, at once or one
after the other. Then the chain must be valid, and every record that was acknowledged must be in it. From time to
time the file is moved away, as log rotation does; at the end all files are verified as one chain.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KEY = "0123456789abcdef0123456789abcdef"
THREADS = 4
ROUNDS_PER_FILE = 20
SECONDS_MAX = 240


class Writer:
    """A process that writes, and what it told."""

    def __init__(self, program, audit, name):
        self.told = tempfile.TemporaryFile()
        self.failed = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, audit, name, str(THREADS), KEY], stdout=self.told,
                                        stderr=self.failed)

    def wait_for_records(self, deadline):
        while os.fstat(self.told.fileno()).st_size == 0 and time.monotonic() < deadline:
            assert self.process.poll() is None, self.failure()
            time.sleep(0.002)

    def failure(self):
        self.failed.seek(0)
        return self.failed.read().decode()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def acknowledged(self):
        self.told.seek(0)
        lines = self.told.read().decode().split("\n")
        return set(lines[:-1])


def verify(helve, files, *arguments):
    done = subprocess.run([helve, "audit", "verify", *files, "--json", "--key", "env:AUDIT_KEY", *arguments],
                          capture_output=True, text=True, env={**os.environ, "AUDIT_KEY": KEY})
    report = json.loads(done.stdout) if done.stdout else {}
    assert done.returncode == 0 and report["valid"], f"{done.stdout}{done.stderr}"
    return report


def recorded(audit):
    with open(audit, encoding="utf-8") as lines:
        return {json.loads(line).get("query") for line in lines if line.endswith("\n")}


def run_round(number, options):
    helve, writer, audit, chance = options
    writers = [Writer(writer, audit, f"r{number}p{process}") for process in range(2)]
    deadline = time.monotonic() + 20
    for one in writers:
        one.wait_for_records(deadline)
    time.sleep(chance.uniform(0, 0.05))
    for one in writers:
        one.kill()
        time.sleep(chance.choice([0, 0, chance.uniform(0, 0.03)]))
    acknowledged = set().union(*(one.acknowledged() for one in writers))
    assert not any(one.failure() for one in writers), [one.failure() for one in writers]
    report = verify(helve, [audit])
    lost = acknowledged - recorded(audit)
    assert not lost, f"round {number}: lost {sorted(lost)[:5]} of {len(acknowledged)}"
    return len(acknowledged), len(report["notes"])


def main():
    helve, writer = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    seed = int(os.environ.get("KILL_TEST_SEED", time.time_ns() % 1_000_000))
    chance = random.Random(seed)
    started = time.monotonic()
    records, notes, files = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        audit = Path(folder) / "audit.jsonl"
        for number in range(rounds):
            if time.monotonic() - started > SECONDS_MAX:
                sys.exit(f"only {number} rounds in {SECONDS_MAX} s")
            if number % ROUNDS_PER_FILE == 0 and number > 0:
                files.append(audit.with_suffix(f".{len(files)}"))
                audit.rename(files[-1])
            count, noted = run_round(number, (helve, writer, audit, chance))
            records += count
            notes = max(notes, noted)
        verify(helve, [*files, audit])
    print(f"{rounds} rounds, {records} acknowledged records, none lost, all chains valid "
          f"(seed {seed}, {time.monotonic() - started:.0f} s)")


if __name__ == "__main__":
    main()
