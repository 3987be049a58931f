#!/usr/bin/env python3
"""Runs clang-tidy over the sources that build/lint names, in parallel: tidy.py [all|changed]

`changed` takes the sources that differ from main or include a header that does. A source is skipped
when it, all repository headers it reaches and .clang-tidy are as they were when it last passed
(stamps in build/tidy). Neighbours: lint.sh calls this; check_layers.py resolves the includes.
"""

import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_layers

ROOT = Path(__file__).resolve().parent.parent
STAMPS = ROOT / "build/tidy"
TIDY = "clang-tidy-14"


def git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else []


def reached(path, files, known):
    """A file and all repository files it includes, directly or not."""
    if path in known:
        return known[path]
    known[path] = set()  # a circle ends here
    found = {path}
    for include in check_layers.read_includes(files[path].read_text(encoding="utf-8", errors="replace")):
        target = check_layers.resolve(include, files)
        if target:
            found |= reached(target, files, known)
    known[path] = found
    return found


def changed_files():
    """What differs from where this branch left main, or from the last commit on main itself."""
    base = git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main")
    if not base or base == git("rev-parse", "HEAD"):
        base = git("rev-parse", "-q", "--verify", "HEAD~1")
    return set(git("diff", "--name-only", *base)) if base else set(git("ls-files"))


def stamp_of(path, parts, files):
    content = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for part in sorted(parts):
        content.update(part.encode() + b"\0" + files[part].read_bytes())
    return STAMPS / f"{path.replace('/', '+')}-{content.hexdigest()[:16]}"


def check(path):
    done = subprocess.run([TIDY, "-p", ROOT / "build/lint", "--quiet", path], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    return done.returncode == 0, done.stdout


def main():
    scope = sys.argv[1] if len(sys.argv) > 1 else "all"
    if scope not in ("all", "changed"):
        raise SystemExit(f"tidy: unknown scope '{scope}'; known: all, changed")
    files = {path: ROOT / path for path in git("ls-files", "*.cc", "*.h")}
    commands = json.loads((ROOT / "build/lint/compile_commands.json").read_text(encoding="utf-8"))
    compiled = {str(Path(entry["file"]).relative_to(ROOT)) for entry in commands
                if Path(entry["file"]).is_relative_to(ROOT)}
    known = {}
    todo = {path: reached(path, files, known) for path in sorted(compiled & files.keys())}
    if scope == "changed":
        changed = changed_files()
        todo = {path: parts for path, parts in todo.items() if parts & changed}
    stamps = {path: stamp_of(path, parts, files) for path, parts in todo.items()}
    fresh = [path for path, stamp in stamps.items() if not stamp.exists()]
    print(f"clang-tidy: {len(todo)} files ({scope}), {len(todo) - len(fresh)} of them unchanged since they passed",
          flush=True)

    STAMPS.mkdir(parents=True, exist_ok=True)
    jobs = int(subprocess.run([ROOT / "scripts/jobs.sh"], capture_output=True, text=True, check=True).stdout)
    failed = 0
    with ThreadPoolExecutor(jobs) as pool:
        for path, (is_clean, output) in zip(fresh, pool.map(check, fresh)):
            if is_clean:
                for old in STAMPS.glob(path.replace("/", "+") + "-*"):
                    old.unlink()
                stamps[path].touch()
            else:
                failed += 1
                print(f"{path}:\n{output}", flush=True)
    print(f"clang-tidy: {failed} files with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
