#!/usr/bin/env python3
"""Virtuoso behind its own HTTP endpoint, on a free loopback port: see protocol.py for the calls.

Starts a server on the database folder and ends it. Times are those of whole requests over one kept connection, less the
best of many null requests (ASK {}), which pay the same way through HTTP and the compiler's front.
"""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

from protocol import Digest, event, run_queries, usage

GRAPH = "http://bench.helve.example/graph"
START_SECONDS = 120
NULL_REQUESTS = 5  # before each run, and ten times as many at the start; the best so far is taken off
SHORTEST_SECONDS = 50e-6  # what a corrected time is at least: less is lost in the noise of HTTP
# Pages of 8 KiB, 2.6 GiB altogether: several times the database of 10 M triples. More only makes it start slowly.
BUFFERS = 340_000
CONFIGURATION = """
[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
MaxCheckpointRemap = 2000
[TempDatabase]
DatabaseFile = {folder}/virtuoso-temp.db
TransactionFile = {folder}/virtuoso-temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql_port}
DirsAllowed = {data_folder}, {folder}
NumberOfBuffers = {buffers}
MaxDirtyBuffers = {dirty}
ThreadsPerQuery = {cores}
AsyncQueueMaxThreads = {threads}
MaxQueryMem = 4G
HashJoinSpace = 2G
MaxClientConnections = 10
CheckpointInterval = 0
SchedulerInterval = 0
DefaultIsolation = 2
[HTTPServer]
ServerPort = 127.0.0.1:{http_port}
ServerThreads = 4
KeepAliveTimeout = 600
[SPARQL]
DefaultGraph = {graph}
ResultSetMaxRows = 100000000
MaxQueryCostEstimationTime = 0
MaxQueryExecutionTime = 0
[Client]
SQL_PREFETCH_ROWS = 100
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A running server; `with` ends it."""

    def __init__(self, folder, data_folder="/nonexistent"):
        self.folder = Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.sql_port, self.http_port = free_port(), free_port()
        (self.folder / "virtuoso.lck").unlink(missing_ok=True)  # of a server that was killed
        cores = os.cpu_count()
        self.configuration = self.folder / "virtuoso.ini"
        self.configuration.write_text(CONFIGURATION.format(
            folder=self.folder, data_folder=data_folder, sql_port=self.sql_port, http_port=self.http_port,
            buffers=BUFFERS, dirty=BUFFERS * 3 // 4, cores=cores, threads=cores * 2, graph=GRAPH))
        self.connection = None

    def __enter__(self):
        self.process = subprocess.Popen(["virtuoso-t", "-f", "-c", str(self.configuration)], cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started = time.monotonic()
        while True:
            try:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=86_400)
                self.connection.connect()
                self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.ask("ASK {}")
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() - started > START_SECONDS:
                    self.__exit__()
                    sys.exit(f"virtuoso does not start; see {self.folder / 'virtuoso.log'}")
                time.sleep(0.02)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def sql(self, statement):
        """Through its command line; the lines it printed."""
        done = subprocess.run(["isql-vt", f"127.0.0.1:{self.sql_port}", "dba", "dba", "VERBOSE=OFF", "BANNER=OFF",
                               "PROMPT=OFF", "ERRORS=STDOUT", f"exec={statement}"], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def ask(self, query, accept="text/tab-separated-values"):
        """The whole answer as bytes. Tab-separated values are what it writes fastest."""
        with self.request(query, accept) as response:
            return response.read()

    def acknowledge_at_once(self):
        """Else an answer in several pieces waits 40 ms for the kernel's delayed acknowledgement."""
        if hasattr(socket, "TCP_QUICKACK"):
            self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def request(self, query, accept):
        self.acknowledge_at_once()
        body = urllib.parse.urlencode({"query": query, "default-graph-uri": GRAPH})
        self.connection.request("POST", "/sparql", body,
                                {"Content-Type": "application/x-www-form-urlencoded", "Accept": accept})
        response = self.connection.getresponse()
        self.acknowledge_at_once()
        if response.status != 200:
            raise RuntimeError(response.read().decode(errors="replace"))
        return response

    def digest(self, query):
        """From the answer as a graph: whole terms, and much faster than its JSON and XML."""
        result, columns, row, variable = Digest(), {}, None, None
        with self.request(query, "text/plain") as response:
            for line in response:
                subject, predicate, rest = line.decode().rstrip(" .\n").split(" ", 2)
                match predicate.rpartition("#")[2]:
                    case "resultVariable>":
                        columns[rest] = len(columns)
                    case "solution>":
                        if row is not None:
                            result.add(row)
                        row = [""] * len(columns)
                    case "variable>":
                        variable = columns[rest]
                    case "value>":
                        row[variable] = rest
        if row is not None:
            result.add(row)
        return result


def load(data, folder):
    shutil.rmtree(folder, ignore_errors=True)
    data = Path(data).resolve()
    with Server(folder, data.parent) as server:
        started = time.perf_counter()
        server.sql(f"ld_dir('{data.parent}', '{data.name}', '{GRAPH}');")
        server.sql("rdf_loader_run();")
        server.sql("checkpoint;")
        seconds = time.perf_counter() - started
        problem = server.sql("SELECT ll_error FROM DB.DBA.load_list WHERE ll_error IS NOT NULL;")
        count = server.ask("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", "text/csv").decode().split()[-1]
        version = server.sql("SELECT sys_stat('st_dbms_ver');").split()[-1]
        event("loaded", seconds=seconds, triples=int(count), version=version, problem=problem)


def query(folder, arguments):
    started = time.perf_counter()
    with Server(folder) as server:
        event("open", seconds=time.perf_counter() - started)
        null = min(timed(server, "ASK {}") for _ in range(10 * NULL_REQUESTS))

        def run(text):
            nonlocal null
            null = min(null, *(timed(server, "ASK {}") for _ in range(NULL_REQUESTS)))
            return max(timed(server, text) - null, SHORTEST_SECONDS)

        run_queries(arguments, run, server.digest)
        event("note", null_seconds=null)


def timed(server, text):
    started = time.perf_counter()
    server.ask(text)
    return time.perf_counter() - started


def main():
    if not shutil.which("virtuoso-t") or not shutil.which("isql-vt"):
        sys.exit("Debian's virtuoso-opensource-7-bin is not installed")
    match sys.argv[1:]:
        case ["load", data, folder]:
            load(data, folder)
        case ["query", folder, *arguments]:
            query(folder, arguments)
        case _:
            usage("virtuoso.py load DATA FOLDER | query FOLDER ROUNDS LIMIT QUERY...")


if __name__ == "__main__":
    main()
