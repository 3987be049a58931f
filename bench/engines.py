"""The engines that are compared: what each needs, how it is called, where its database stands.

Neighbours: setup.sh installs them, peers/ holds the programs, measure.py runs them.
"""

import math
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
JAVA_HEAP = "8g"  # TDB2 maps its files besides; the 1 M graph takes 150 MB, 10 M 1.5 GB


class Engine:
    """An engine of peers/. `load_command` is None where the store is in memory and each process loads the file."""

    name = ""
    is_on_disk = True
    triples_max = math.inf  # more takes hours or does not fit; --only takes it all the same

    def opens_fast(self):
        """Whether a process for each query is affordable."""
        return self.is_on_disk

    def missing(self):
        """Why it cannot be used; None when it can."""
        return None

    def program(self):
        raise NotImplementedError

    def place(self, work, data):
        return work / "stores" / f"{self.name.replace(' ', '-')}-{data.stem}" if self.is_on_disk else data

    def load_command(self, data, place):
        return [*self.program(), "load", str(data), str(place)] if self.is_on_disk else None

    def query_command(self, place, rounds, limit_seconds, paths):
        return [*self.program(), "query", str(place), str(rounds), str(limit_seconds), *map(str, paths)]


class Helve(Engine):
    """The program under test: an index folder where it can write one, else its store in memory."""

    name = "helve"

    def __init__(self, program):
        self.path = str(Path(program).resolve())
        self.is_on_disk = self.writes_indexes()

    def opens_fast(self):
        return True  # also when it loads the file

    def writes_indexes(self):
        asked = subprocess.run([self.path, "load", "--help"], capture_output=True, text=True, check=False)
        return asked.returncode == 0 and "-o" in asked.stdout

    def missing(self):
        return None if Path(self.path).is_file() else f"no such file: {self.path}"

    def load_command(self, data, place):
        if not self.is_on_disk:
            return None
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        return [self.path, "--quiet", "load", "--json", str(data), "-o", str(place)]

    def stages_command(self, data):
        return [self.path, "bench-load", str(data)]

    def query_command(self, place, rounds, limit_seconds, paths):
        return [self.path, "bench-query", str(place), str(rounds), *map(str, paths)]


class Rdflib(Engine):
    name = "rdflib"
    is_on_disk = False
    triples_max = 2_000_000

    def __init__(self, work):
        self.python = work / "python/bin/python"

    def missing(self):
        return None if self.python.exists() else "bench/setup.sh has not installed it"

    def program(self):
        return [str(self.python), str(HERE / "peers/rdflib_memory.py")]


class OxigraphNative(Rdflib):
    name = "oxigraph"
    is_on_disk = True
    triples_max = math.inf

    def program(self):
        return [str(self.python), str(HERE / "peers/oxigraph_native.py")]


class OxigraphWasm(Engine):
    name = "oxigraph wasm"
    is_on_disk = False
    triples_max = 4_000_000  # wasm has 4 GiB

    def missing(self):
        if not shutil.which("node"):
            return "'node' is not installed"
        return None if (HERE / "node_modules/oxigraph").exists() else "bench/setup.sh has not installed it"

    def program(self):
        return ["node", "--max-old-space-size=8192", str(HERE / "peers/oxigraph_wasm.js")]


class Jena(Engine):
    name = "jena"

    def __init__(self, work):
        self.folder = work / "jena"

    def missing(self):
        if not shutil.which("java"):
            return "'java' is not installed"
        return None if (self.folder / ".made").exists() else "bench/setup.sh has not installed it"

    def program(self):
        return ["java", f"-Xmx{JAVA_HEAP}", "-cp", f"{self.folder}:{self.folder}/*", "JenaTdb2"]


class Virtuoso(Engine):
    name = "virtuoso"

    def missing(self):
        return None if shutil.which("virtuoso-t") else "Debian's virtuoso-opensource-7-bin is not installed"

    def program(self):
        return ["python3", str(HERE / "peers/virtuoso.py")]


def all_engines(helve, work):
    return [Helve(helve), Virtuoso(), OxigraphNative(work), OxigraphWasm(), Jena(work), Rdflib(work)]


# Floors of loading: programs that only parse.
PARSERS = {
    "serdi": ["serdi", "-b", "-i", "ntriples", "-o", "ntriples"],
    "rapper": ["rapper", "-q", "-c", "-i", "ntriples"],
}
