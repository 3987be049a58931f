#!/usr/bin/env python3
"""Edits files of a copy of the repository at random and builds after each edit: try_edits.py [COUNT [SEED]]

An edit adds a private function to a source, a constant to a header, adds a source, or reverts an edit. Ninja alone must
then compile the folder of the file: nobody runs CMake by hand. Without SEED, the newest commit decides. The copy is
build/edits, compiled through ccache. Neighbour: deep.sh (slice edits).
"""

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build/edits"
BUILD = COPY / "build/dev"


def run(*words, folder=COPY):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"try_edits: {' '.join(map(str, words))} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout.strip()


def copy():
    if COPY.exists():
        shutil.rmtree(COPY)
    for name in run("git", "ls-files", folder=ROOT).split("\n"):
        if (ROOT / name).exists():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)
    run("cmake", "--preset", "dev", "--log-level=WARNING")


def layer_of(path):
    """The nearest folder with targets of its own."""
    return next(folder for folder in path.parents if (folder / "CMakeLists.txt").exists())


def build(path, jobs):
    """Compiles what the layer of a file is made of. What ninja printed."""
    return run("ninja", "-C", BUILD, "-j", jobs, f"{layer_of(path).relative_to(COPY)}/all")


def is_compiled(path):
    """Whether a new source is in a group, or compiled alone."""
    folder = BUILD / path.parent.relative_to(COPY)
    return any(path.name in group.read_text() for group in folder.rglob("unity_*.cxx")) or any(folder.rglob(f"{path.name}.o"))


class Edits:
    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.before = {}  # by path: the text, None for a new file
        layers = [path.parent for path in (COPY / "src").rglob("CMakeLists.txt") if "helve_layer(" in path.read_text()]
        self.files = {ending: sorted(path for layer in layers for path in layer.glob(f"*{ending}")) for ending in (".cc", ".h")}
        self.layers = sorted(layers)

    def next(self, number):
        """Makes one edit. The file, and what was done with it."""
        kind = self.chance.choices(["source", "header", "new", "revert"], weights=[4, 4, 1, 2])[0]
        if kind == "revert" and self.before:
            path = self.chance.choice(sorted(self.before))
            text = self.before.pop(path)
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8")
            return path, kind
        if kind == "new":
            path = self.chance.choice(self.layers) / f"edit_{number}.cc"
            self.before[path] = None
            path.write_text(f"// Added by try_edits.py.\nnamespace helve {{\nint edit_{number}() {{ return {number}; }}\n}}\n",
                            encoding="utf-8")
            return path, kind
        ending, added = ".cc", f"namespace {{\n[[maybe_unused]] int edit_{number}() {{ return {number}; }}\n}}\n"
        if kind == "header":
            ending, added = ".h", f"namespace helve {{\ninline constexpr int kEdit{number} = {number};\n}}\n"
        path = self.chance.choice([path for path in self.files[ending] if path not in self.before])
        self.before[path] = path.read_text(encoding="utf-8")
        path.write_text(f"{self.before[path]}\n{added}", encoding="utf-8")
        return path, kind


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(run("git", "rev-parse", "HEAD", folder=ROOT)[:8], 16)
    jobs = run(ROOT / "scripts/jobs.sh", folder=ROOT)
    copy()
    edits = Edits(seed)
    for number in range(1, count + 1):
        path, kind = edits.next(number)
        name = path.relative_to(COPY)
        started = time.monotonic()
        is_idle = "no work to do" in build(path, jobs)
        if is_idle and kind in ("source", "new"):  # a header may be for other layers alone
            sys.exit(f"try_edits: {kind} {name}: nothing was compiled")
        if kind == "new" and not is_compiled(path):
            sys.exit(f"try_edits: {name} is in no target")
        print(f"{number:3} {time.monotonic() - started:6.1f} s  {kind} {name}", flush=True)
    print(f"try_edits: {count} edits built (seed {seed})")
    shutil.rmtree(COPY)


if __name__ == "__main__":
    main()
