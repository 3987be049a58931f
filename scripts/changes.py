#!/usr/bin/env python3
"""What the newest work changes, and what that reaches: changes.py base | files | reaches FOLDER...

The base is $HELVE_BASE, or where this branch left main. On main itself it is the newest ancestor committed at least
twelve hours before HEAD, or else HEAD's parent, so that related commits are checked together. Whoever submits work of
several days to main at once sets HELVE_BASE.
`reaches` exits with 0 if the change can reach one of the folders: it touches the folder, a folder whose headers the
folder includes, directly or not, or something that is not a source, such as the build. Else it exits with 3.
Neighbours: tidy.py, affected.py and .ci/run use this; check_layers.py resolves the includes.
"""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import check_layers

ROOT = Path(__file__).resolve().parent.parent
TOGETHER_S = 12 * 3600
HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.M)


def git(*arguments, may_fail=False):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"changes: git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout if done.returncode == 0 else ""


def base():
    if given := os.environ.get("HELVE_BASE"):
        return git("rev-parse", "--verify", f"{given}^{{commit}}").strip()
    head = git("rev-parse", "HEAD").strip()
    for main in ("origin/main", "main"):
        left = git("merge-base", "HEAD", main, may_fail=True).strip()
        if left and left != head:
            return left
    time = int(git("log", "-1", "--format=%ct", "HEAD") or 0)
    before = git("rev-list", "-1", "--first-parent", f"--before={time - TOGETHER_S}", "HEAD").strip()
    return before or git("rev-parse", "-q", "--verify", "HEAD~1", may_fail=True).strip() or head


def files(with_moves=False):
    """Paths that differ from the base, and new ones that git does not know yet. Files that only moved count with both of
    their paths, or not at all."""
    changed = set()
    for line in git("diff", "--name-status", "-M", base()).splitlines():
        status, *paths = line.split("\t")
        if with_moves:
            changed.update(paths)
        elif status != "R100":
            changed.add(paths[-1])
    return changed | set(git("ls-files", "--others", "--exclude-standard").split("\n")) - {""}


@functools.cache
def renames():
    """Old and new paths of files that moved."""
    found = [line.split("\t") for line in git("diff", "--name-status", "-M", "--diff-filter=R", base()).splitlines()]
    return [(old, new) for _, old, new in found]


def lines(path):
    """The ranges of lines (first, last) that are new in a file; all of them if git does not know it."""
    if not git("ls-files", path):
        return [(1, 10**6)]
    ranges = []
    names = [path, *(old for old, new in renames() if new == path)]
    for first, count in HUNK.findall(git("diff", "-M", "--unified=0", base(), "--", *names)):
        if count != "0":
            ranges.append((int(first), int(first) + int(count or 1) - 1))
    return ranges


def sources():
    """All C++ files of the repository by their paths."""
    names = git("ls-files", "--cached", "--others", "--exclude-standard", "*.cc", "*.h").split()
    return {name: ROOT / name for name in names if (ROOT / name).exists()}


def reached(path, known_files, known):
    """A file and all repository files it includes, directly or not."""
    if path in known:
        return known[path]
    known[path] = set()  # a circle ends here
    found = {path}
    for include in check_layers.read_includes(known_files[path].read_text(encoding="utf-8", errors="replace")):
        target = check_layers.resolve(include, known_files)
        if target:
            found |= reached(target, known_files, known)
    known[path] = found
    return found


SOURCES = ("src/", "tests/", "include/", "fuzz/", "bench/", "examples/", "docs/")


def reaches(folders):
    """Compares folders, not files: the source that implements an included header may have another name."""
    folders = tuple(f"{folder}/" for folder in folders)
    changed = {path for path in files(with_moves=True) if "/" in path or not path.endswith(".md")}
    if any(not path.startswith(SOURCES) or path.endswith("CMakeLists.txt") for path in changed):
        return True
    if any(path.startswith(folders) for path in changed):
        return True
    known_files, known, included = sources(), {}, set()
    for path in known_files:
        if path.startswith(folders):
            included |= {str(Path(part).parent) for part in reached(path, known_files, known)}
    return any(str(Path(path).parent) in included for path in changed)


def main():
    match sys.argv[1:]:
        case ["base"]:
            print(base())
        case ["files"]:
            print("\n".join(sorted(files())))
        case ["reaches", *folders] if folders:
            return 0 if reaches(folders) else 3
        case _:
            raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
