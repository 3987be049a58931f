"""What the servers of the engines share: a process on a free port of 127.0.0.1, in a temporary folder, that ends with its test.

Neighbours: virtuoso_server.py, fuseki_server.py and helve_server.py start one engine each; each can be run by hand too.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sql"))

from databases import (SKIPPED, Missing, MissingData, Place, dies_with_parent, find_program, plain_environment,  # noqa: E402, F401
                       shared_folder, unprivileged)

REPOSITORY = Path(__file__).resolve().parents[3]
START_S = 180  # on a machine with other work, too
END_S = 20
GRAPHS = ("sample", "swdf")
# Where engines without an unnamed graph keep what has none.
UNNAMED_GRAPH = "https://helve.example/graph/unnamed"


def skip_or_fail(missing):
    """Ends the test: skipped with one line, but a failure where HELVE_ENDPOINTS_MUST_RUN=1 says that engines must be there."""
    if os.environ.get("HELVE_ENDPOINTS_MUST_RUN") == "1" and not isinstance(missing, MissingData):
        print(f"failed: {missing} (HELVE_ENDPOINTS_MUST_RUN=1)")
        sys.exit(1)
    print(f"skipped: {missing}")
    sys.exit(SKIPPED)


def graph_file(name):
    """The file that the local store reads."""
    if name == "sample":
        return REPOSITORY / "examples" / "solar-system.trig"
    path = shared_folder() / "data" / "kg" / name / "merged.nt.gz"
    if not path.is_file():
        raise MissingData(f"{path} is not there")
    return path


def as_nquads(helve, name, folder):
    """The same for the engines, all of which read N-Quads."""
    path = folder / f"{name}.nq"
    subprocess.run([helve, "convert", graph_file(name), "--to", "nquads", "-o", path], check=True, timeout=START_S,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**plain_environment(folder), "HELVE_CACHE": "0"})
    path.chmod(0o644)
    return path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(url, query, accept="application/sparql-results+json", timeout_s=10):
    """The answer of an endpoint as it is, without Helve."""
    body = urllib.parse.urlencode({"query": query}).encode()
    request = urllib.request.Request(url, body, {"Accept": accept})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=timeout_s) as reply:
        return reply.read().decode()


class EngineServer:
    """One process with an endpoint for each graph of `urls`; `with` starts, fills and ends it."""

    name = ""
    identity = {}

    def __init__(self, place):
        self.place = place
        self.folder = place.folder(self.name, self.identity)
        self.log_path = self.folder / "log"
        self.process = None
        self.urls = {}  # by graph

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def run(self, command, environment=None):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [str(word) for word in command], **self.identity, cwd=self.folder, env={**plain_environment(self.folder), **(environment or {})},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, preexec_fn=dies_with_parent(signal.SIGKILL))

    def wait_for(self, url):
        deadline = time.monotonic() + START_S
        while True:
            try:
                return ask(url, "ASK {}")
            except (OSError, urllib.error.URLError) as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"{self.name} does not start ({error}):\n{self.log()[-3000:]}") from error
                time.sleep(0.05)

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def end(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


class OnePerGraph:
    """For engines whose process has one dataset: `make(graph)` gives a server."""

    def __init__(self, make, graphs=GRAPHS):
        self.servers = [make(graph) for graph in graphs]
        self.urls = {}

    def __enter__(self):
        try:
            for server in self.servers:
                server.start()
                self.urls |= server.urls
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.end()


def serve_by_hand(make):
    """SCRIPT HELVE: starts the engine with both graphs, says where, and ends it when a line or the end of the input comes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("helve")
    helve = os.path.abspath(parser.parse_args().helve)
    try:
        with Place("helve-endpoints-") as place, make(place, helve) as server:
            for name, url in server.urls.items():
                print(f"{name}={url}", flush=True)
            sys.stdin.readline()
    except Missing as missing:
        skip_or_fail(missing)
