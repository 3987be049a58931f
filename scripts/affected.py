#!/usr/bin/env python3
"""Names the tests that the newest work can affect, one on a line: affected.py BUILD

BUILD has been built. Its build graph (ninja) lists the sources of each program. A test is affected if a program
that its command or environment names, a script or a file of its folder differs from the base (changes.py). Tests of
the repository itself always are. A change of CMake files, scripts, examples or anything else that tests may read
affects all tests, and so does a missing base; a document affects only tests that name it. Neighbours: changes.py,
run_tests.sh.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import changes

ROOT = changes.ROOT


def ninja(build, *words):
    done = subprocess.run(["ninja", "-C", build, *words], capture_output=True, text=True, check=True)
    return done.stdout


class Graph:
    """What the files of a build folder are made of. Sources are paths from the root of the repository."""

    def __init__(self, build):
        self.build = build
        self.headers = {}  # of an object: the sources that its compiler read
        for line in ninja(build, "-t", "deps").splitlines():
            if line.startswith(" "):
                self.headers[output].add(self.name(line.strip()))
            elif line:
                output = line.split(":")[0]
                self.headers[output] = set()
        self.sources = set().union(*self.headers.values())
        self.outputs = {line.rsplit(": ", 1)[0] for line in ninja(build, "-t", "targets", "all").splitlines()}
        self.parts = {}

    def name(self, path):
        """The path from the root, if the file is in the repository and not made by the build."""
        full = os.path.realpath(self.build / path)
        if full.startswith(f"{ROOT}/") and not full.startswith(f"{self.build}/"):
            return full.removeprefix(f"{ROOT}/")
        return full

    def parts_of(self, program):
        """All sources of a file that the build makes."""
        if program not in self.parts:
            inputs = ninja(self.build, "-t", "inputs", program).splitlines()
            read = [self.headers[one] for one in inputs if one in self.headers]
            self.parts[program] = {self.name(one) for one in inputs}.union(*read)
        return self.parts[program]


# A changed file with such an ending that the build does not read is new, deleted, or a setting.
COMPILED = (".cc", ".h", ".cmake", "CMakeLists.txt")


def is_document(path):
    return path.startswith("docs/") or ("/" not in path and path.endswith(".md"))


def sources_that_name(text):
    return set(changes.git("grep", "-lF", "-e", text, "--", "src", "tests", "include", "examples", may_fail=True).split())


class Affected:
    def __init__(self, changed, sources):
        """What a set of changed files means for tests, given the sources that the build compiles."""
        self.everything = False
        self.scripts = False  # all tests that are scripts
        self.texts = set()  # tests that name one of these
        self.compiled = set()
        for path in changed:
            folders = path.split("/")
            if path in sources:
                self.compiled.add(path)
            elif is_document(path):
                self.add_named(path, sources)
                self.compiled.add(path)  # it may be a text in a program
            elif folders[0] == "tests" and len(folders) > 2 and folders[1] != "support" and not path.endswith(COMPILED):
                self.scripts = True  # they find each other and their data in many ways
                self.add_named("/".join(folders[:2]), sources)
            else:
                self.everything = True

    def add_named(self, text, sources):
        self.texts.add(text)
        for path in sources_that_name(text):
            if path in sources:
                self.compiled.add(path)
            elif path.startswith("tests/"):
                self.texts.add("/".join(path.split("/")[:2]))

    def reaches(self, test, graph):
        properties = {one["name"]: one["value"] for one in test["properties"]}
        if self.everything or "repo" in properties.get("LABELS", []):
            return True
        variables = [one.partition("=")[2] for one in properties.get("ENVIRONMENT", [])]
        places = [os.path.realpath(one) if one.startswith("/") else one for one in [*test.get("command", []), *variables]]
        in_repository = [graph.name(place) for place in [*places, properties.get("WORKING_DIRECTORY", "")]]
        if any(f"{place}/".startswith(f"{text}/") for place in in_repository for text in self.texts):
            return True
        if self.scripts and any(place.startswith("tests/") for place in in_repository):
            return True
        if not self.compiled:
            return False
        for place in places:
            if not place.startswith(f"{graph.build}/"):
                continue
            output = place.removeprefix(f"{graph.build}/")
            # A folder of the build may hold any of its programs.
            if output not in graph.outputs or not self.compiled.isdisjoint(graph.parts_of(output)):
                return True
        return False


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    build = Path(sys.argv[1]).resolve()
    graph = Graph(build)
    affected = Affected(changes.files(with_moves=True), graph.sources)
    if changes.base() == changes.git("rev-parse", "HEAD").strip() and not os.environ.get("HELVE_BASE"):
        affected.everything = True
    tests = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True,
                                      check=True).stdout)["tests"]
    for test in tests:
        if affected.reaches(test, graph):
            print(test["name"])


if __name__ == "__main__":
    main()
