#!/usr/bin/env python3
"""Runs clang-tidy over the C++ files in parallel: tidy.py all|changed|FOLDER... [--seconds N]

`changed` checks the changed lines of changed sources and headers, each source alone; a header is checked through one
source that includes it. Any other scope reads the sources in the groups that the build compiles together, which takes a
third of the time. A file or group is skipped if nothing changed since it last passed: its sources, the repository
headers they include, its compile command, .clang-tidy and the lines to check (stamps in ~/.cache/helve/tidy, by
content). After N seconds clang-tidy is stopped, and what was not checked is counted: `changed` leaves it to the slices
of deep.sh, any other scope exits with 75. Neighbours: lint.sh, deep.sh, changes.py.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import changes

ROOT = changes.ROOT
BUILD = ROOT / "build/lint"
STAMPS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "helve/tidy"
TIDY = "clang-tidy-14"
INCLUDED = re.compile(r'^#include "([^"]+)"', re.M)
UNIT_S = 300  # for one file or group; most take less than thirty


def configure(in_groups):
    """Nothing is built there: clang-tidy reads without precompiled headers."""
    options = [f"-DHELVE_UNITY={'ON' if in_groups else 'OFF'}", "-DHELVE_PCH=OFF", "-DHELVE_FUZZ=ON", "-DHELVE_BENCH=ON"]
    subprocess.run(["cmake", "--preset", "dev", "-B", BUILD, *options, "--log-level=WARNING"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)


def units(files):
    """What the build compiles: the path of a source or group, with its command and its sources."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
        path = Path(entry["file"])
        parts = [path]
        if path.is_relative_to(BUILD):
            if "Unity" not in path.parts:
                continue
            parts = [Path(part) for part in INCLUDED.findall(path.read_text(encoding="utf-8"))]
            for made in parts:
                if made.is_relative_to(BUILD):  # a source that the build generates: nothing to check
                    made.touch()
        sources = [str(part.relative_to(ROOT)) for part in parts if part.is_relative_to(ROOT)]
        if sources := [source for source in sources if source in files]:
            found[str(path.relative_to(ROOT))] = entry["command"], sources
    return found


def choose_folders(scope, compiled):
    """The units with a source in one of the folders; None stands for all lines."""
    folders = ("",) if scope == ["all"] else tuple(f"{folder.rstrip('/')}/" for folder in scope)
    return {unit: None for unit, (_, sources) in compiled.items() if any(one.startswith(folders) for one in sources)}


def choose_changed(compiled, files):
    """Sources to check, each with the line ranges to look at by file."""
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


def stamp_of(unit, ranges, files, known):
    command, sources = unit
    content = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    content.update(command.replace(str(ROOT), "").encode())
    content.update(json.dumps(ranges, sort_keys=True).encode())
    for part in sorted(set().union(*(changes.reached(source, files, known) for source in sources))):
        content.update(part.encode() + b"\0" + files[part].read_bytes())
    return STAMPS / content.hexdigest()


def check(path, ranges, deadline):
    """Whether clang-tidy found nothing, and what it printed; None without time."""
    left_s = deadline - time.monotonic()
    if left_s <= 0:
        return None
    words = [TIDY, "-p", BUILD, "--quiet"]
    if ranges is not None:
        filters = [{"name": f"/{name}", "lines": [list(one) for one in lines]} for name, lines in ranges.items()]
        words.append(f"--line-filter={json.dumps(filters)}")
    try:
        done = subprocess.run([*words, path], cwd=ROOT, capture_output=True, text=True, check=False, timeout=min(left_s, UNIT_S))
    except subprocess.TimeoutExpired:
        return None if left_s < UNIT_S else (False, f"clang-tidy took more than {UNIT_S} s")
    # Warnings about the flags of the compiler are on stderr, and so is a crash.
    return done.returncode == 0, done.stdout or done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scope", nargs="+")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds

    files = changes.sources()
    configure(in_groups=options.scope != ["changed"])
    compiled = units(files)
    chosen = choose_changed(compiled, files) if options.scope == ["changed"] else choose_folders(options.scope, compiled)
    known = {}
    stamps = {path: stamp_of(compiled[path], ranges, files, known) for path, ranges in chosen.items()}
    todo = [path for path, stamp in stamps.items() if not stamp.exists()]
    print(f"clang-tidy: {len(chosen)} units ({' '.join(options.scope)}), "
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
    print(f"clang-tidy: {failed} units with findings" + (f", {left} not checked: out of time" if left else ""))
    if failed:
        return 1
    return 75 if left and options.scope != ["changed"] else 0


if __name__ == "__main__":
    sys.exit(main())
