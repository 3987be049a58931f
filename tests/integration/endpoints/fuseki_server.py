#!/usr/bin/env python3
"""Apache Jena Fuseki with both graphs: fuseki_server.py HELVE starts one by hand. Neighbours: engine_server.py; install_fuseki.sh fetches it.

HELVE_FUSEKI_JAR names another jar than the one that is fetched.
"""

import os
from pathlib import Path

from engine_server import GRAPHS, REPOSITORY, EngineServer, Missing, MissingData, as_nquads, find_program, free_port, serve_by_hand

# As its documentation sets datasets up: a query without FROM sees the unnamed graph alone.
DATASET = """
[] a fuseki:Service ; fuseki:name "{name}" ; fuseki:endpoint [ fuseki:operation fuseki:query ; fuseki:name "sparql" ] ;
  fuseki:dataset [ a ja:MemoryDataset ; ja:data <file://{path}> ; ja:context [ ja:cxtName "arq:queryTimeout" ; ja:cxtValue "{timeout_ms}" ] ] .
"""
PREFIXES = "PREFIX fuseki: <http://jena.apache.org/fuseki#>\nPREFIX ja: <http://jena.hpl.hp.com/2005/11/Assembler#>\n"


def find_jar():
    folder = REPOSITORY / "build" / "fuseki"
    named = os.environ.get("HELVE_FUSEKI_JAR")
    found = [Path(named)] if named else sorted(folder.glob("jena-fuseki-server-*.jar"))
    if not found or not found[-1].is_file():
        # HELVE_FUSEKI_MUST_RUN=1 says that Maven Central answered: then it must be here.
        kind = Missing if os.environ.get("HELVE_FUSEKI_MUST_RUN") == "1" else MissingData
        raise kind("there is no Fuseki here (tests/integration/endpoints/install_fuseki.sh)")
    return found[-1].resolve()


class FusekiServer(EngineServer):
    name = "fuseki"

    def __init__(self, place, helve, graphs=GRAPHS, timeout_ms=60_000):
        self.jar = find_jar()
        self.java = find_program("java")
        super().__init__(place)
        self.timeout_ms = timeout_ms
        self.data = {graph: as_nquads(helve, graph, self.place.scratch) for graph in graphs}

    def start(self):
        port = free_port()
        configuration = self.folder / "config.ttl"
        configuration.write_text(PREFIXES + "".join(DATASET.format(name=graph, path=path, timeout_ms=self.timeout_ms)
                                                    for graph, path in self.data.items()))
        self.run([self.java, "-Xmx512m", "-XX:TieredStopAtLevel=1", "-jar", self.jar, "--localhost", f"--port={port}",
                  f"--config={configuration}"], {"FUSEKI_BASE": str(self.folder / "base")})
        for graph in self.data:
            url = f"http://127.0.0.1:{port}/{graph}/sparql"
            self.wait_for(url)
            self.urls[graph] = url


if __name__ == "__main__":
    serve_by_hand(FusekiServer)
