#!/usr/bin/env python3
"""Installs the library of a build into a folder of its own, builds the project here against it and
runs it: consumer_test.py BUILD COMPILER PROGRAM

Also checks that the example of README.md is main.cc, letter for letter, and that the library shows
nothing but its interface.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MARK = "<!-- tests/consumer/main.cc -->\n```cpp\n"


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    start = readme.find(MARK)
    if start < 0:
        sys.exit(f"README.md has no example behind {MARK!r}")
    start += len(MARK)
    example = readme[start:readme.index("```", start)]
    if example != (HERE / "main.cc").read_text(encoding="utf-8"):
        sys.exit("the C++ example of README.md differs from tests/consumer/main.cc: copy one over the other")


def check_symbols(library):
    lines = run("nm", "-D", "-C", "--defined-only", library).splitlines()
    names = [line.split(maxsplit=2)[2] for line in lines]
    foreign = [name for name in names if "helve::api::" not in name]
    if not names or foreign:
        sys.exit(f"{library} shows {len(names)} names, of which these are not its interface: {foreign[:10]}")


def check_output(output):
    for pattern in (r"sol:DwarfPlanet", r"^source: sample|sample", r"Saturn has \d+ moons$",
                    r"^results_0 holds 2 rows$"):
        if not re.search(pattern, output, re.MULTILINE):
            sys.exit(f"the example does not print {pattern!r}:\n{output}")


def main():
    build, compiler, program = sys.argv[1:]
    check_readme()
    with tempfile.TemporaryDirectory(prefix="helve-consumer-") as folder:
        stage, work = Path(folder) / "stage", Path(folder) / "build"
        run("cmake", "--install", build, "--component", "library", "--prefix", stage)
        libraries = list(stage.glob("lib*/**/libhelve.so"))
        if len(libraries) != 1:
            sys.exit(f"expected one libhelve.so under {stage}, found {libraries}")
        check_symbols(libraries[0])
        run("cmake", "-G", "Ninja", "-S", HERE, "-B", work, f"-DCMAKE_PREFIX_PATH={stage}",
            f"-DCMAKE_CXX_COMPILER={compiler}")
        run("cmake", "--build", work)
        environment = dict(os.environ, HELVE_PROGRAM=program)
        check_output(run(work / "consumer", env=environment))
    print("the consumer was built and run")


if __name__ == "__main__":
    main()
