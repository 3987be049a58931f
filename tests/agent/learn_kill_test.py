#!/usr/bin/env python3
"""Kills a closed loop at any moment: learn_kill_test.py HELVE [KILLS]

helve learn runs bundled tasks with builtin:rules, is killed with SIGKILL while its journal grows, and is started again
with the same words, until it has been killed as often as is asked for and has come to its end. Where it ends before,
another loop begins.

At the end the bank must have the lessons of a loop that nobody killed, each once and added once; every task must have
been judged and done once; every line of the journal must be whole; no lesson may have been counted more often than it
was given to a task; and a further start must have nothing to do.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

TASKS = ["bundled:solar", "--source", "sample:", "--max-tasks", "10", "--model", "builtin:rules", "--rollouts", "2",
         "--parallel", "2", "--no-times", "--no-cache"]
SECONDS_MAX = int(os.environ.get("KILL_TEST_SECONDS", 600))


class Loop:
    """A bank, and a folder with the journal of one loop on it."""

    def __init__(self, program, folder):
        self.program = program
        self.bank = folder / "bank.db"
        self.out = folder / "out"
        folder.mkdir()

    def words(self):
        return [self.program, "learn", *TASKS, "--bank", str(self.bank), "--out", str(self.out), "--json"]

    def lines(self):
        path = self.out / "journal.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def finish(self):
        done = subprocess.run(self.words(), capture_output=True, text=True, check=False, timeout=SECONDS_MAX)
        assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr}"
        return json.loads(done.stdout)

    def kill_once(self, chance, deadline):
        """True: it was killed; false: it had come to its end."""
        wanted = self.lines() + chance.randrange(4)
        process = subprocess.Popen(self.words(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            while process.poll() is None and self.lines() < wanted:
                assert time.monotonic() < deadline, "the journal does not grow"
                time.sleep(0.002)
            time.sleep(chance.choice([0, 0, chance.uniform(0, 0.02)]))
        finally:
            process.kill()
            failure = process.communicate()[1].decode()
        assert process.returncode in (0, -9), f"exit status {process.returncode}: {failure}"
        return process.returncode == -9

    def call(self, *words):
        done = subprocess.run([self.program, "memory", *words, "--bank", str(self.bank)], capture_output=True, text=True,
                              check=True)
        return done.stdout

    def items(self):
        """By id, without times and how often each was looked at."""
        found = {}
        for item in json.loads(self.call("export", "--all")):
            assert item["id"] not in found, f"{item['id']} is there twice"
            found[item["id"]] = item
        return found

    def times_added(self):
        """By id: how often it was added."""
        changes = json.loads(self.call("history", "--limit", "1000", "--json"))["changes"]
        return Counter(one["item"] for one in changes if one["kind"] == "add")

    def journal(self):
        text = (self.out / "journal.jsonl").read_text()
        assert text.endswith("\n"), "the last line is cut"
        return [json.loads(line) for line in text.splitlines()]

    def last_kind(self):
        """Of the last whole line: where it was killed."""
        path = self.out / "journal.jsonl"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return json.loads(lines[-1])["kind"] if lines else "nothing"


VOLATILE = ("created_at", "verified_at", "last_used_at", "counters")


def kept(item):
    return {key: value for key, value in item.items() if key not in VOLATILE}


def uses(items):
    return {id: tuple(item.get("counters", {}).get(word, 0) for word in ("helped", "hurt")) for id, item in items.items()}


def check(loop, whole):
    report = loop.finish()
    items, wanted = loop.items(), whole.items()
    assert {id: kept(item) for id, item in items.items()} == {id: kept(item) for id, item in wanted.items()}
    assert set(loop.times_added().values()) == {1}, loop.times_added()
    for id, (helped, hurt) in uses(items).items():
        most = uses(wanted)[id]
        assert helped <= most[0] and hurt <= most[1], f"{id} was counted twice"
    tasks = [task["id"] for task in report["tasks"]]
    journal = loop.journal()
    for kind in ("judged", "stored", "counted", "done"):
        assert sorted(line["task"] for line in journal if line["kind"] == kind) == sorted(tasks), kind
    for task in report["tasks"]:
        for run in task["runs"]:
            events = [json.loads(line) for line in (loop.out / run["trajectory"]).read_text().splitlines()]
            assert [event["kind"] for event in events].count("judgment") == 1, run["trajectory"]
    before = loop.lines()
    assert loop.finish()["items_added"] == report["items_added"]
    assert loop.lines() == before, "a loop that is done did something"
    return report


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.environ["HELVE_PROGRAM"]
    kills_wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    seed = int(os.environ.get("KILL_TEST_SEED", time.time_ns() % 1_000_000))
    chance = random.Random(seed)
    deadline = time.monotonic() + SECONDS_MAX
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        whole = Loop(program, folder / "whole")
        report = whole.finish()
        assert report["items_added"] > 0, "nothing is learnt: then nothing can be lost"
        kills, loops = 0, 0
        places = Counter()
        while kills < kills_wanted:
            assert time.monotonic() < deadline, f"only {kills} kills in {SECONDS_MAX} s"
            loops += 1
            loop = Loop(program, folder / f"killed{loops}")
            while kills < kills_wanted and loop.kill_once(chance, deadline):
                kills += 1
                places[loop.last_kind()] += 1
            last = check(loop, whole)
            assert last["successes"] == report["successes"]
        print(f"{kills} kills of {loops} loops, {report['items_added']} lessons of {len(report['tasks'])} tasks each, "
              "none lost, none doubled; killed behind " + ", ".join(f"{kind} {n}" for kind, n in places.most_common()))


if __name__ == "__main__":
    main()
