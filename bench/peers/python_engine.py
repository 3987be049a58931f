"""One graph library inside of Python, told by lines of JSON what to do: python_engine.py NAME DATA.nt

Prints {"load": seconds, "triples": n} first. Each line {"query": text} of standard input is answered by {"seconds": s,
"rows": n}: all rows are read, and all cells of them as values of Python. Neighbour: ../python.py.
"""

import json
import sys
import time


class Helve:
    def __init__(self, path):
        import helve

        self.helve = helve
        self.source = helve.connect(path)

    def session(self):
        # A new one for each query: the same query in the same session is answered by the handle that is there.
        return self.helve.open(self.source, policy=self.helve.SafetyPolicy(rows_stored_max=100_000_000,
                                                                          bytes_stored_max=8 << 30))

    def triples(self):
        with self.session() as session:
            return session.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }").rows()[0]["n"]

    def run(self, text):
        with self.session() as session:
            started = time.perf_counter()
            rows = sum(1 for _ in session.query(text, timeout=300).tuples())
            return time.perf_counter() - started, rows


class Oxigraph:
    def __init__(self, path):
        import pyoxigraph

        self.store = pyoxigraph.Store()
        self.store.bulk_load(path=path, format=pyoxigraph.RdfFormat.N_TRIPLES)

    def triples(self):
        return len(self.store)

    def run(self, text):
        started = time.perf_counter()
        solutions = self.store.query(text)
        names = solutions.variables
        rows = 0
        for solution in solutions:
            for name in names:
                cell = solution[name]
                if cell is not None:
                    cell.value
            rows += 1
        return time.perf_counter() - started, rows


class Rdflib:
    def __init__(self, path):
        import rdflib

        self.graph = rdflib.Graph()
        self.graph.parse(path, format="nt")

    def triples(self):
        return len(self.graph)

    def run(self, text):
        started = time.perf_counter()
        rows = 0
        for row in self.graph.query(text):
            for cell in row:
                if cell is not None:
                    str(cell)
            rows += 1
        return time.perf_counter() - started, rows


ENGINES = {"helve": Helve, "pyoxigraph": Oxigraph, "rdflib": Rdflib}


def main():
    name, path = sys.argv[1:]
    started = time.perf_counter()
    engine = ENGINES[name](path)
    print(json.dumps({"load": time.perf_counter() - started, "triples": engine.triples()}), flush=True)
    for line in sys.stdin:
        try:
            seconds, rows = engine.run(json.loads(line)["query"])
            print(json.dumps({"seconds": seconds, "rows": rows}), flush=True)
        except Exception as failure:  # noqa: BLE001 - told, and the next query is asked
            print(json.dumps({"error": f"{type(failure).__name__}: {failure}"}), flush=True)


if __name__ == "__main__":
    main()
