#!/usr/bin/env python3
"""Checks that includes point downward only, that third-party headers stay inside their adapters, and
that no files include each other in a circle. The tables below are the rule; ARCHITECTURE.md explains.

Usage: check_layers.py [ROOT]. One line per violation (file:line: what); exit status 1 if there is any.
Files above 600 lines are warned about. Runs as the test `layers`; check_layers_test.py tests it.
"""

import fnmatch
import re
import sys
from dataclasses import dataclass
from pathlib import Path

# A layer is a path prefix; the longest one that matches a file is its layer.
LAYERS = {
    "api": "include/helve/",
    "base": "src/base/",
    "source": "src/sources/",
    "rdf": "src/sources/rdf/",
    "algebra": "src/sources/sparql/algebra/",
    "sparql": "src/sources/sparql/",
    "store": "src/sources/store/",
    "remote": "src/sources/remote/",
    "sql": "src/sources/sql/",
    "toolkit": "src/toolkit/",
    "memory_postgres": "src/toolkit/memory/postgres/",
    "agent": "src/agent/",
    "surfaces": "src/surfaces/",
    "python": "src/surfaces/python/",
}

# What each layer may see besides itself.
MAY_SEE = {
    "api": set(),
    "base": set(),
    "source": {"algebra", "rdf", "base"},
    "rdf": {"base"},
    "algebra": {"rdf", "base"},
    "sparql": {"algebra", "rdf", "base"},
    "store": {"sparql", "algebra", "rdf", "source", "base"},
    "remote": {"sparql", "algebra", "rdf", "source", "base"},
    "sql": {"source", "rdf", "base"},
    "toolkit": {"base", "source", "rdf", "algebra"},
    "memory_postgres": {"toolkit", "sql", "source", "rdf", "base"},
    "agent": {"toolkit", "base"},
    "surfaces": set(LAYERS) - {"python"},
    "python": {"api"},  # what Python can do, C++ can
}

# A third-party header (pattern of the include) and the files that may include it: its one adapter.
ANYWHERE = ["src/*"]
THIRD_PARTY = {
    "fmt/*": ANYWHERE,
    "tl/expected.hpp": ["src/base/result.h"],
    "simdjson.h": ["src/base/json*", "src/base/utf8*"],
    "zlib.h": ["src/base/codec_gzip*"],
    "bzlib.h": ["src/base/codec_bzip2*"],
    "zstd*.h": ["src/base/codec_zstd*"],
    "curl/*": ["src/base/*http*"],
    "xxhash.h": ["src/base/hash*", "src/sources/rdf/*", "src/sources/store/*",
                 "src/toolkit/handles/*"],
    "expat.h": ["src/sources/rdf/*xml*", "src/sources/sparql/results/*xml*"],
    "re2/*": ["src/sources/sparql/engine/regex_cache*", "src/sources/sparql/engine/regex_literal*"],
    "unicode/*": ["src/base/unicode*"],
    "openssl/*": ["src/base/digest*"],
    "toml++/*": ["src/base/toml*"],
    "sqlite3.h": ["src/base/sqlite*", "tests/support/tables/*"],
    "libpq-fe.h": ["src/sources/sql/postgres/*"],
    "pg_query.h": ["src/sources/sql/postgres/*"],
    "mysql.h": ["src/sources/sql/mysql/*"],
    "errmsg.h": ["src/sources/sql/mysql/*"],
    "mysqld_error.h": ["src/sources/sql/mysql/*"],
    "seccomp.h": ["src/agent/sandbox/syscall_filter*"],
    "gmp*.h": ["src/sources/rdf/*integer*", "src/sources/rdf/*decimal*", "src/sources/rdf/*number*"],
    "boost/*": ["src/surfaces/http/*", "src/surfaces/mcp/http/*"],
    "CLI/*": ["src/surfaces/cli/*"],
    "pybind11/*": ["src/surfaces/python/*"],
    "Python.h": ["src/surfaces/python/*"],
    "histedit.h": ["src/surfaces/cli/line_editor.cc"],
}

# The machine is reached through base/env.h; the surfaces own the terminal and its signals, the sandbox
# what holds its process.
MACHINE_FILES = ["src/base/*", "src/surfaces/*", "src/agent/sandbox/*"]
MACHINE_HEADERS = {
    "fstream", "iostream", "random",
    "cxxabi.h", "dirent.h", "dlfcn.h", "elf.h", "fcntl.h", "malloc.h", "netdb.h", "netinet/*", "arpa/*", "poll.h", "pthread.h", "sched.h",
    "signal.h", "spawn.h", "sys/*", "linux/*", "termios.h", "time.h", "unistd.h",
}
# Headers with a dot or slash that belong to the language or the processor.
LANGUAGE_HEADERS = {"immintrin.h", "emmintrin.h", "nmmintrin.h", "tmmintrin.h", "smmintrin.h",
                    "arm_neon.h", "endian.h", "errno.h", "stdint.h", "math.h", "string.h"}

LINES_MAX = 600
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


@dataclass(frozen=True)
class Include:
    line: int
    quoted: bool
    name: str


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def layer_of(path):
    found = [(len(prefix), name) for name, prefix in LAYERS.items() if path.startswith(prefix)]
    return max(found)[1] if found else None


def is_test(path):
    """Tests may see the fakes in tests/ and any third-party library, but no higher layer."""
    return path.endswith(("_test.cc", "_testing.h")) or not path.startswith(("src/", "include/"))


def read_includes(text):
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            found.append(Include(number, match[1] == '"', match[2]))
    return found


def resolve(include, files):
    """The repository file an include names, or None."""
    for prefix in ("src/", "include/", ""):
        if prefix + include.name in files:
            return prefix + include.name
    return None


def check_own(path, include, target):
    """Violations of an include of a repository file."""
    if target.startswith(("tests/", "fuzz/", "bench/")):
        if not is_test(path):
            yield f"'{include.name}' is for tests; product code may not include it"
        return
    layer, seen = layer_of(path), layer_of(target)
    if layer is None:
        return
    if seen != layer and seen not in MAY_SEE[layer]:
        allowed = ", ".join(sorted(MAY_SEE[layer])) or "nothing"
        yield f"layer '{layer}' may not see '{seen}' ('{include.name}'); it may see: {allowed}"


def check_foreign(path, include):
    """Violations of an include of something outside the repository."""
    name = include.name
    if include.quoted:
        yield f"'{name}' is not a file of this repository (includes are relative to src/)"
        return
    if is_test(path):
        return
    if matches(name, MACHINE_HEADERS):
        if not matches(path, MACHINE_FILES):
            yield f"<{name}> reaches the machine: go through base/env.h"
        return
    plain = "." not in name and "/" not in name
    if plain or name in LANGUAGE_HEADERS:
        return
    homes = next((where for key, where in THIRD_PARTY.items() if fnmatch.fnmatchcase(name, key)), None)
    if path.startswith("include/"):
        yield f"<{name}>: public headers name no third-party types"
    elif homes is None:
        yield f"<{name}> is not in the table of third-party headers (THIRD_PARTY in check_layers.py)"
    elif not matches(path, homes):
        yield f"<{name}> stays inside its adapter: {', '.join(homes)}"


def check_shape(path, includes, files, text):
    """Own header first; headers guarded."""
    if path.endswith(".h") and "#pragma once" not in text:
        yield 1, "a header starts with '#pragma once' after its opening comment"
    own = path[:-3] + ".h"
    if path.endswith(".cc") and own in files and includes and resolve(includes[0], files) != own:
        yield includes[0].line, f"a source includes its own header first ('{own}')"


def find_cycles(graph):
    """Each include cycle once, as the list of files from its smallest name round to itself."""
    cycles, done, stack, on_stack = [], set(), [], set()

    def visit(node):
        stack.append(node)
        on_stack.add(node)
        for target in sorted(graph.get(node, {})):
            if target in on_stack:
                loop = stack[stack.index(target):]
                start = loop.index(min(loop))
                cycles.append(loop[start:] + loop[:start + 1])
            elif target not in done:
                visit(target)
        on_stack.discard(node)
        done.add(stack.pop())

    for node in sorted(graph):
        if node not in done:
            visit(node)
    return cycles


def check_tree(root):
    """(violations, warnings) of a repository, each a printable line."""
    root = Path(root)
    files = {
        path.relative_to(root).as_posix(): path
        for top in ("src", "include", "tests", "fuzz", "bench")
        for path in (root / top).rglob("*")
        if path.suffix in (".h", ".cc") and "node_modules" not in path.parts
    }
    generated = {path.relative_to(root / "src").as_posix()[:-3] for path in (root / "src").rglob("*.h.in")}
    violations, warnings, graph = [], [], {}
    for path in sorted(files):
        text = files[path].read_text(encoding="utf-8", errors="replace")
        includes = read_includes(text)
        violations += [f"{path}:{line}: {what}" for line, what in check_shape(path, includes, files, text)]
        for include in includes:
            target = resolve(include, files)
            if include.quoted and include.name in generated:
                continue
            if target:
                graph.setdefault(path, {})[target] = include.line
            found = check_own(path, include, target) if target else check_foreign(path, include)
            violations += [f"{path}:{include.line}: {what}" for what in found]
        if text.count("\n") > LINES_MAX:
            warnings.append(f"{path}: {text.count(chr(10))} lines: look for a seam")
    for loop in find_cycles(graph):
        violations.append(f"{loop[0]}:{graph[loop[0]][loop[1]]}: include cycle: {' -> '.join(loop)}")
    return violations, warnings, len(files)


def main():
    sys.setrecursionlimit(10_000)
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    violations, warnings, count = check_tree(root)
    for line in warnings:
        print(f"warning: {line}")
    for line in violations:
        print(line)
    print(f"layers: {count} files, {len(violations)} violations, {len(warnings)} warnings")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
