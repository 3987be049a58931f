#!/usr/bin/env python3
"""Runs clang-tidy over the sources that build/lint names, in parallel: tidy.py all|changed|FOLDER... [--seconds N]

`changed` checks the changed lines of changed sources and headers; a header is checked through one source that
includes it. A source is skipped if nothing changed since it last passed: itself, the repository headers it includes,
its compile command, .clang-tidy and the lines to check (stamps in ~/.cache/helve/tidy, by content). After N seconds
clang-tidy is stopped, and the number of unchecked files is printed: `changed` leaves them to the slices of deep.sh, any
other scope exits with 75. Neighbours: lint.sh, deep.sh, changes.py.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import changes

ROOT = changes.ROOT
STAMPS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "helve/tidy"
TIDY = "clang-tidy-14"
FILE_S = 300  # for one file; most take less than ten


def choose(scope, compiled, files):
    """Sources to check, each with the line ranges to look at by file; None for all lines."""
    if scope == ["all"]:
        return {path: None for path in compiled}
    if scope != ["changed"]:
        return {path: None for path in compiled if path.startswith(tuple(scope))}
    changed = {path: changes.lines(path) for path in changes.files() & files.keys()}
    chosen = {path: {path: ranges} for path, ranges in changed.items() if path in compiled and ranges}
    known = {}
    for header, ranges in sorted(changed.items()):
        if not header.endswith(".h") or not ranges:
            continue
        users = [path for path in compiled if header in changes.reached(path, files, known)]
        # One that is checked anyway, else the one that reads the fewest files.
        user = min(users, key=lambda path: (path not in chosen, len(known[path])), default=None)
        if user is not None:
            chosen.setdefault(user, {})[header] = ranges
    return chosen


def stamp_of(path, ranges, command, files, known):
    content = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    content.update(command.replace(str(ROOT), "").encode())
    content.update(json.dumps(ranges, sort_keys=True).encode())
    for part in sorted(changes.reached(path, files, known)):
        content.update(part.encode() + b"\0" + files[part].read_bytes())
    return STAMPS / content.hexdigest()


def check(path, ranges, deadline):
    """Whether clang-tidy found nothing, and what it printed; None without time."""
    left_s = deadline - time.monotonic()
    if left_s <= 0:
        return None
    words = [TIDY, "-p", ROOT / "build/lint", "--quiet"]
    if ranges is not None:
        filters = [{"name": f"/{name}", "lines": [list(one) for one in lines]} for name, lines in ranges.items()]
        words.append(f"--line-filter={json.dumps(filters)}")
    try:
        done = subprocess.run([*words, path], cwd=ROOT, capture_output=True, text=True, check=False, timeout=min(left_s, FILE_S))
    except subprocess.TimeoutExpired:
        return None if left_s < FILE_S else (False, f"clang-tidy took more than {FILE_S} s")
    # Warnings about the flags of the compiler are on stderr, and so is a crash.
    return done.returncode == 0, done.stdout or done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scope", nargs="+")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds

    files = changes.sources()
    commands = json.loads((ROOT / "build/lint/compile_commands.json").read_text(encoding="utf-8"))
    commands = {str(Path(entry["file"]).relative_to(ROOT)): entry["command"] for entry in commands
                if Path(entry["file"]).is_relative_to(ROOT)}
    compiled = sorted(commands.keys() & files.keys())
    chosen = choose(options.scope, compiled, files)
    known = {}
    stamps = {path: stamp_of(path, ranges, commands[path], files, known) for path, ranges in chosen.items()}
    todo = [path for path, stamp in stamps.items() if not stamp.exists()]
    print(f"clang-tidy: {len(chosen)} files ({' '.join(options.scope)}), "
          f"{len(chosen) - len(todo)} of them unchanged since they passed", flush=True)

    STAMPS.mkdir(parents=True, exist_ok=True)
    jobs = int(subprocess.run([ROOT / "scripts/jobs.sh"], capture_output=True, text=True, check=True).stdout)
    failed = left = 0
    with ThreadPoolExecutor(jobs) as pool:
        for path, result in zip(todo, pool.map(lambda path: check(path, chosen[path], deadline), todo)):
            if result is None:
                left += 1
            elif result[0]:
                stamps[path].touch()
            else:
                failed += 1
                print(f"{path}:\n{result[1]}", flush=True)
    print(f"clang-tidy: {failed} files with findings" + (f", {left} not checked: out of time" if left else ""))
    if failed:
        return 1
    return 75 if left and options.scope != ["changed"] else 0


if __name__ == "__main__":
    sys.exit(main())
