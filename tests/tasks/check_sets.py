#!/usr/bin/env python3
"""Checks a bundled task set by running its reference queries: check_sets.py HELVE NAME

Every reference brings 1 to 200 rows, but for at most two that are rightly empty; no two are the same query or bring
the same rows; an order counts only where the query makes one. How many rows come and their digest stand in
expected/NAME.txt, so that a change of the data, of the engine or of a reference is seen; UPDATE_EXPECT=1 rewrites it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from test_data import missing, shared_path  # noqa: E402

ROWS_MAX = 200
EMPTY_MAX = 2
DIGITS = 32
# Sets whose source does not come with the program: where it is in the shared data.
ELSEWHERE = {"prov": "data/ontologies/prov/prov.ttl"}


def helve(program, *words):
    done = subprocess.run([program, *words, "--json"], capture_output=True, text=True, check=False,
                          env={**os.environ, "HELVE_CACHE": "off"})
    if done.returncode != 0:
        sys.exit(f"helve {' '.join(words)} failed ({done.returncode}):\n{done.stderr}")
    return json.loads(done.stdout)


def problems_of(tasks, checked):
    """What is wrong with the set itself, whatever is expected."""
    queries, answers, empty = {}, {}, []
    for task, one in zip(tasks, checked):
        name, rows = task["id"], one["rows"]
        query = " ".join(task["reference"].split())
        if query in queries:
            yield f"{name} has the reference of {queries[query]}"
        queries[query] = name
        if rows == 0:
            empty.append(name)
        elif one["rows_digest"] in answers:
            yield f"{name} brings the rows of {answers[one['rows_digest']]}"
        answers[one["rows_digest"]] = name
        if rows > ROWS_MAX or one.get("has_more"):
            yield f"{name} brings {rows} rows, more than {ROWS_MAX}"
        if task["is_ordered"] and "ORDER BY" not in task["reference"]:
            yield f"{name}: its order counts, and its reference makes none"
        if task["question"].strip()[-1] not in "?.":
            yield f"{name}: the question does not end"
    if len(empty) > EMPTY_MAX:
        yield f"more than {EMPTY_MAX} are empty: {', '.join(empty)}"


def main():
    program, name = sys.argv[1:]
    source = []
    if name in ELSEWHERE:
        place = shared_path(ELSEWHERE[name])
        if place is None:
            print(f"skipped: {missing(ELSEWHERE[name])}")
            sys.exit(77)
        source = ["--source", str(place)]
    tasks = helve(program, "tasks", "show", f"bundled:{name}", "--limit", "10000")["tasks"]
    checked = helve(program, "tasks", "check", f"bundled:{name}", *source)["tasks"]
    if [task["id"] for task in tasks] != [one["id"] for one in checked]:
        sys.exit("show and check have different tasks")
    problems = list(problems_of(tasks, checked))
    lines = [f"{one['id']} {one['rows']} {one['rows_digest'][:DIGITS]}" for one in checked]
    file = HERE / "expected" / f"{name}.txt"
    if os.environ.get("UPDATE_EXPECT"):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = file.read_text(encoding="utf-8").splitlines()
    problems += [f"unexpected: {line}" for line in lines if line not in expected]
    problems += [f"expected, and not there: {line}" for line in expected if line not in lines]
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(1)
    print(f"{len(checked)} references of {name}, {sum(one['rows'] for one in checked)} rows")


if __name__ == "__main__":
    main()
