#!/usr/bin/env python3
"""Virtuoso (Debian's virtuoso-opensource-7-bin) with one graph: virtuoso_server.py HELVE starts two by hand. Neighbour: engine_server.py.

It has no datasets: what one process has is one. So each graph has a process of its own.
"""

import subprocess

from engine_server import (START_S, UNNAMED_GRAPH, EngineServer, OnePerGraph, as_nquads, find_program, free_port, plain_environment,
                           serve_by_hand, unprivileged)

# `unlimited` are numbers that no query here reaches.
CONFIGURATION = """
[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {folder}/virtuoso-temp.db
TransactionFile = {folder}/virtuoso-temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql_port}
DirsAllowed = {data_folder}
NumberOfBuffers = 20000
MaxDirtyBuffers = 15000
ThreadsPerQuery = 1
AsyncQueueMaxThreads = 2
MaxClientConnections = 10
CheckpointInterval = 0
[HTTPServer]
ServerPort = 127.0.0.1:{http_port}
ServerThreads = 10
[SPARQL]
ResultSetMaxRows = {rows_max}
MaxQueryCostEstimationTime = {estimate_max_s}
MaxQueryExecutionTime = {execution_max_s}
"""


class VirtuosoServer(EngineServer):
    def __init__(self, place, helve, graph, rows_max=1_000_000, estimate_max_s=0, execution_max_s=0):
        self.server = find_program("virtuoso-t")
        self.client = find_program("isql-vt")
        self.identity = unprivileged("nobody")
        self.name = f"virtuoso-{graph}-{rows_max}-{estimate_max_s}-{execution_max_s}"
        super().__init__(place)
        self.graph = graph
        self.data = as_nquads(helve, graph, self.place.scratch)
        self.limits = {"rows_max": rows_max, "estimate_max_s": estimate_max_s, "execution_max_s": execution_max_s}

    def start(self):
        self.sql_port, http_port = free_port(), free_port()
        configuration = self.folder / "virtuoso.ini"
        configuration.write_text(CONFIGURATION.format(folder=self.folder, data_folder=self.data.parent, sql_port=self.sql_port,
                                                      http_port=http_port, **self.limits))
        self.run([self.server, "-f", "-c", configuration])
        url = f"http://127.0.0.1:{http_port}/sparql"
        self.wait_for(url)
        # 512: N-Quads.
        self.sql(f"DB.DBA.TTLP(file_to_string_output('{self.data}'), '', '{UNNAMED_GRAPH}', 512)")
        self.urls[self.graph] = url

    def log(self):
        own = self.folder / "virtuoso.log"
        return super().log() + (own.read_text(errors="replace") if own.exists() else "")

    def sql(self, statement):
        """As its owner, on its own port; lines that it prints."""
        done = subprocess.run([self.client, f"127.0.0.1:{self.sql_port}", "dba", "dba", "VERBOSE=OFF", "BANNER=OFF", "PROMPT=OFF",
                               "ERRORS=STDOUT", f"exec={statement};"], cwd=self.folder, env=plain_environment(self.folder),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_S, check=False)
        if done.returncode != 0 or "*** Error" in done.stdout:
            raise AssertionError(f"{self.name}: {done.stdout[:2000]} {done.stderr[:2000]}\nof {statement}")
        return done.stdout


def serve_both(place, helve):
    return OnePerGraph(lambda graph: VirtuosoServer(place, helve, graph))


if __name__ == "__main__":
    serve_by_hand(serve_both)
