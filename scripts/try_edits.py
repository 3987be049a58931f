#!/usr/bin/env python3
"""Edits files of a copy of the repository at random and builds after each edit: try_edits.py [COUNT [SEED]]

An edit adds a declaration to a source or header, adds a source, or takes an edit back. Each must build with ninja
alone: nobody runs CMake by hand. The copy is build/edits, compiled through ccache. Neighbour: deep.sh (slice edits).
"""

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build/edits"
TARGETS = ["helve", "base_test", "toolkit_tables_test"]


def run(*words):
    done = subprocess.run(words, cwd=COPY, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"try_edits: {' '.join(map(str, words))} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")


def copy():
    if COPY.exists():
        shutil.rmtree(COPY)
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, names):
        if (ROOT / name).exists():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)
    run("cmake", "--preset", "dev", "--log-level=WARNING")


def edit(chance, number, edited):
    """Makes one edit; returns what it was."""
    kind = chance.choices(["source", "header", "new", "back"], weights=[4, 4, 1, 2])[0]
    if kind == "back" and edited:
        path, text = edited.pop(chance.randrange(len(edited)))
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
        return f"back {path.relative_to(COPY)}"
    if kind == "new":
        folder = chance.choice(sorted({path.parent for path in (COPY / "src/toolkit").rglob("*.cc")}))
        path = folder / f"edit_{number}.cc"
        path.write_text(f"// Added by try_edits.py.\nnamespace helve {{\nint edit_{number}() {{ return {number}; }}\n}}\n",
                        encoding="utf-8")
        edited.append((path, None))
        return f"new {path.relative_to(COPY)}"
    ending = ".h" if kind == "header" else ".cc"
    files = sorted(path for path in (COPY / "src").rglob(f"*{ending}") if not path.stem.startswith("edit_"))
    path = chance.choice(files)
    text = path.read_text(encoding="utf-8")
    if any(path == one for one, _ in edited):
        return edit(chance, number, edited)
    edited.append((path, text))
    path.write_text(f"{text}\nnamespace helve {{\ninline constexpr int kEdit{number} = {number};\n}}\n", encoding="utf-8")
    return f"{kind} {path.relative_to(COPY)}"


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance, edited = random.Random(seed), []
    copy()
    jobs = subprocess.run([ROOT / "scripts/jobs.sh"], capture_output=True, text=True, check=True).stdout.strip()
    build = ("ninja", "-C", "build/dev", "-j", jobs, *TARGETS)
    run(*build)
    for number in range(1, count + 1):
        what = edit(chance, number, edited)
        started = time.monotonic()
        run(*build)
        print(f"{number:3} {time.monotonic() - started:6.1f} s  {what}", flush=True)
    print(f"try_edits: {count} edits built (seed {seed})")
    shutil.rmtree(COPY)


if __name__ == "__main__":
    main()
